// What is told in another measure than S_H, if the reader asked for one.
const SORTED = { sort: data.measure ? "cost" : "loss", direction: -1 };
const costColumn = (cost) =>
  data.measure ? [{ key: "cost", title: `in ${data.measure.name}`, value: (one) => cost(one) ?? -1, first: -1, class: "n" }] : [];
const costCell = (cost) =>
  data.measure ? [element("td", { class: "n cost" }, cost === null ? element("span", { title: "not computed" }, "?") : element("data", { value: cost }, number(cost)))] : [];

// The points of a component.
const pointTable = (component) => {
  const heads = ["point", `${data.sides[0]} cluster`, `${data.sides[1]} cluster`, ...data.attributes];
  const row = (t, p, values) =>
    element(
      "tr",
      {},
      element("th", { scope: "row" }, label(named(values[0]))),
      element("td", {}, t === null ? element("i", {}, "spurious") : clusterName(component.true[t])),
      element("td", {}, p === null ? element("i", {}, "not found") : clusterName(component.pred[p])),
      ...values.slice(1).map((value) => element("td", {}, label(shown(value)))),
    );
  const rows = component.points.map(([at, ...values]) => row(component.cells[at][0], component.cells[at][1], values));
  rows.push(...component.lost.map(([side, at, ...values]) => (side === "true" ? row(at, null, values) : row(null, at, values))));
  const left = component.size - rows.length;
  return element(
    "div",
    { class: "scroll" },
    element(
      "table",
      { class: "points" },
      element("thead", {}, element("tr", {}, ...heads.map((head) => element("th", { scope: "col" }, label(head))))),
      element("tbody", {}, ...rows),
    ),
    left > 0 ? element("p", { class: "note" }, `${points(left)} more ${left === 1 ? "is" : "are"} not listed.`) : null,
  );
};

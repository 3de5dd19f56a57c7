// A table of many rows: costliest first, a page at a time, sorted by a click on a heading, narrowed by a word.
//
// `columns` are { key, title, value, first, class }: `first` is the direction of the first click. `row` makes a table row,
// `text` what a word is looked for in, and `about` says what is listed.
const sortedTable = ({ caption, columns, rows, row, text, about, step = PAGE }) => {
  const view = { sort: columns.findIndex((column) => column.key === SORTED.sort), direction: -1, shown: step, word: "" };
  const body = element("tbody");
  const status = element("p", { class: "found", role: "status", "aria-live": "polite" });
  const more = element("button", { type: "button", onclick: () => turn({ shown: view.shown + step }) }, "Show more");
  const heads = columns.map((column, at) =>
    element(
      "th",
      { scope: "col", class: column.class, "data-key": column.key },
      element(
        "button",
        { type: "button", onclick: () => turn({ sort: at, direction: view.sort === at ? -view.direction : column.first }) },
        column.title,
      ),
    ),
  );
  const turn = (changes) => {
    Object.assign(view, changes);
    const word = view.word.trim().toLocaleLowerCase();
    const found = word ? rows.filter((one) => text(one).toLocaleLowerCase().includes(word)) : [...rows];
    const { value } = columns[view.sort];
    const rank = new Map(found.map((one) => [one, value(one)]));
    found.sort((a, b) => {
      const [x, y] = [rank.get(a), rank.get(b)];
      return (x < y ? -1 : x > y ? 1 : 0) * view.direction || b.loss - a.loss;
    });
    body.replaceChildren(...found.slice(0, view.shown).map(row));
    status.textContent = about(found, Boolean(word));
    more.hidden = found.length <= view.shown;
    heads.forEach((head, at) => {
      if (at === view.sort) head.setAttribute("aria-sort", view.direction > 0 ? "ascending" : "descending");
      else head.removeAttribute("aria-sort");
    });
  };
  const search = element("input", {
    type: "search",
    autocomplete: "off",
    spellcheck: "false",
    oninput: (event) => turn({ word: event.target.value, shown: step }),
  });
  turn({});
  return element(
    "div",
    {},
    rows.length > 2 * step ? element("p", { class: "tools" }, element("label", { class: "grow" }, `Find ${A_CLUSTER} `, search)) : null,
    status,
    element(
      "table",
      { class: "list" },
      element("caption", { class: "unseen" }, caption),
      element("thead", {}, element("tr", {}, ...heads)),
      body,
    ),
    element("p", {}, more),
  );
};

// One component, opened.
const fill = (cell, component) => {
  cell.append(...component.story.map((sentence) => element("p", { class: "story" }, label(sentence))));
  const holder = element("div", { class: "graph" });
  if (component.loss[0] > 0 && component.cells.length) {
    cell.append(
      element("h3", {}, "Derivation"),
      legend(),
      holder,
    );
    graph(holder, component);
    if (component.counts[2] > component.cells.length) {
      cell.append(
        element("p", { class: "note" }, `An excerpt around the costliest ${data.sides[0]} cluster: ${component.cells.length} of ${compact.format(component.counts[2])} cells.`),
      );
    }
  }
  cell.append(reviewing.workbench(component));
};

const legend = () => {
  const item = (kind, text) =>
    element("span", {}, drawn("svg", { viewBox: "0 0 10 10", "aria-hidden": "true" }, drawn("rect", { class: `ribbon ${kind}`, width: 10, height: 10 })), text);
  return element(
    "p",
    { class: "legend" },
    item("split", "lost to a split"),
    item("merge", "lost to a merge"),
    item("none", "nothing lost"),
    element("span", {}, "widths show numbers of points"),
  );
};

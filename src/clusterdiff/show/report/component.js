// One component, opened. A small one is told and drawn whole; in a large one people find their way by its clusters.
const SMALL = 40;
const SENTENCES = 3;

const fill = (cell, component) => {
  const small = component.whole && component.cells.length <= SMALL;
  if (small) told(cell, component);
  else navigable(cell, component);
  cell.append(reviewPanel.workbench(component, small));
};

const told = (cell, component) => {
  const sentences = component.story.map((sentence) => element("p", { class: "story" }, ...storyNodes(sentence)));
  const rest = sentences.splice(SENTENCES);
  cell.append(...sentences);
  if (rest.length) cell.append(element("details", {}, element("summary", {}, counted(rest.length, "more sentence")), ...rest));
  if (!(component.loss[0] > 0) || !component.cells.length) return;
  const holder = element("div", { class: "graph", tabindex: "0", role: "group", "aria-label": "Derivation" });
  cell.append(element("h3", {}, "Derivation"), legend(), holder);
  graph(holder, component, component.story.map(storyText).join(" "));
};

// In a pane of its own, or in the list.
const reveal = (panel) => {
  if (panes.matches) $("pane").scrollTop += panel.getBoundingClientRect().top - $("pane").getBoundingClientRect().top;
  else panel.scrollIntoView({ behavior: "instant" });
};

const navigable = (cell, component) => {
  const [trues, preds, cells] = component.counts;
  const here = component.whole ? "" : ` This file holds the ${compact.format(component.cells.length)} costliest of them.`;
  const place = element("div");
  const look = (side, at, scroll) => {
    const { panel, drawIt } = clusterPanel(component, side, at);
    place.replaceChildren(panel);
    drawIt();
    if (scroll) reveal(panel);
  };
  const table = (side) => {
    const rows = clusterRows(asNow(component), side);
    const noun = clusterNoun(side);
    return clusterTable(rows, side, {
      step: 8,
      caption: `${capital(plural(noun))} of this component; a heading's button sorts`,
      about: (found) => `${counted(found.length, noun)}, ${LOSS === "loss" ? "costliest" : "most changed"} first`,
      open: (event, row) => {
        const at = row.place === undefined ? row.at : row.place;
        if (at === null) return; // made by the review
        event.preventDefault();
        event.stopPropagation();
        address.write(`component-${component.id}-${row.side}-${at}`, Object.fromEntries(address.read().asked));
        look(row.side, at, true);
      },
    });
  };
  const map = element("div");
  const lists = element("div", { class: "pair" });
  const show = () => {
    lists.replaceChildren(...["true", "pred"].map((side) => element("div", {}, element("h3", {}, capital(plural(clusterNoun(side)))), table(side))));
    heatMap(map, [asNow(component)]);
  };
  shows.set(lists, show);
  cell.append(
    element("p", { class: "story" }, `${counted(trues, clusterNoun("true"))}, ${counted(preds, clusterNoun("pred"))}. One component links them through ${counted(cells, "overlap")}.${here}`),
    lists,
    place,
    element("h3", {}, "Heat map"),
    map,
  );
  const { component: looked, cluster } = address.looked();
  if (looked === component && cluster) look(cluster.side, cluster.at, false);
  else if (component.true.length) look("true", clusterRows(component, "true").reduce((best, row) => (best === undefined || row.loss > best.loss ? row : best), undefined)?.at ?? 0, false);
  show();
};
// Lists and maps of components that are open follow the review.
const shows = new WeakMap();
review.listen(() => document.querySelectorAll(".detail .pair").forEach((lists) => shows.get(lists)()));

const legend = () => {
  const item = (kind, text) =>
    element("span", {}, drawn("svg", { viewBox: "0 0 10 10", "aria-hidden": "true" }, drawn("rect", { class: `ribbon ${kind}`, width: 10, height: 10 })), text);
  return element(
    "p",
    { class: "legend" },
    item("split", "split off"),
    item("merge", "merged in"),
    item("none", "stayed"),
    ...(data.uneven ? [item("missing", "missing"), item("spurious", "spurious")] : []),
    element("span", {}, `widths show numbers of ${plural(POINT)}`),
  );
};

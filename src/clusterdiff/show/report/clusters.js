// The clusters of either side: what became of them, or what they are made of.
const OTHER = { true: "pred", pred: "true" };
const PLACE = { true: 0, pred: 1 };
const sideName = (side) => data.sides[PLACE[side]];
const clusterNoun = (side) => `${sideName(side)} ${CLUSTER}`;
const capital = (text) => text.charAt(0).toLocaleUpperCase() + text.slice(1);

// The cells of each cluster of a component, largest first; made once.
const cellsOf = (component, side) => {
  component.byCluster ??= {};
  component.byCluster[side] ??= component[side].map(() => []);
  const groups = component.byCluster[side];
  if (!groups.made) {
    component.cells.forEach((cell, at) => groups[cell[PLACE[side]]].push(at));
    for (const group of groups) group.sort((a, b) => component.cells[b][2] - component.cells[a][2]);
    groups.made = true;
  }
  return groups;
};

const clusterRows = (component, side) =>
  component[side].flatMap(([name, size, score, loss, single], at) =>
    single ? [] : [{ component, side, at, place: (component.places?.[side] ?? [])[at], name, size, score, loss, cost: data.measure ? component.costs[PLACE[side]][at] : null, cells: cellsOf(component, side)[at] }],
  );
// Of a component that is not whole some cells may be elsewhere.
const isWhole = ({ component, side, size, cells, at }) =>
  cells.reduce((sum, cell) => sum + component.cells[cell][2], component[side][at][5] || 0) === size;
// Where most of it is, unless that is all there is to say.
const fate = ({ component, side, cells, loss }) => {
  if (!cells.length || !loss) return null;
  const place = component.cells[cells[0]][PLACE[OTHER[side]]];
  const other = component[OTHER[side]][place];
  if (other[4]) return null;
  const mostly = cells.length > 1 ? "mostly " : "";
  const beside = cellsOf(component, OTHER[side])[place].length > 1 ? (side === "true" ? " with others" : ", which is split") : "";
  return element("span", { class: "note" }, side === "true" ? ` ${mostly}in ` : ` ${mostly || "part of "}`, chipped(OTHER[side], label(named(other[0], 40))), beside);
};

const share = (part, whole) => (whole > 0 ? percent(Math.min(1, part / whole)) : "0%");
const lossBar = (loss, most) =>
  drawn(
    "svg",
    { class: "bar", viewBox: "0 0 100 10", preserveAspectRatio: "none", "aria-hidden": "true" },
    drawn("rect", { class: "lost", width: most > 0 ? (100 * loss) / most : 0, height: 10 }),
  );

const clusterTable = (rows, side, { step, caption, about, open }) => {
  const most = rows.reduce((top, row) => Math.max(top, row.loss), 0);
  return sortedTable({
    caption,
    step,
    rows,
    about,
    text: (row) => shown(row.name),
    columns: [
      { key: "names", title: clusterNoun(side), value: (row) => shown(row.name).toLocaleLowerCase(), first: 1 },
      { key: "size", title: plural(POINT), value: (row) => row.size, first: -1, class: "n" },
      { key: "parts", title: "parts", value: (row) => row.cells.length, first: -1, class: "n" },
      { key: "score", title: "score", value: (row) => row.score, first: 1, class: "n score-column" },
      ...costColumn((row) => row.cost),
      { key: "loss", title: `of the ${LOSS}`, value: (row) => row.loss, first: -1, class: "loss" },
    ],
    row: (row) =>
      element(
        "tr",
        {},
        element(
          "td",
          { class: "names" },
          element("a", { href: `#component-${row.component.id}${row.place === null ? "" : `-${side}-${row.place ?? row.at}`}`, onclick: open && ((event) => open(event, row)) }, chipped(side, label(named(row.name, 60)))),
          fate(row),
        ),
        element("td", { class: "n" }, compact.format(row.size)),
        element("td", { class: "n" }, `${isWhole(row) ? "" : "≥ "}${compact.format(row.cells.length)}`),
        element("td", { class: "n score-column" }, number(row.score)),
        ...costCell(row.cost),
        element("td", { class: "loss" }, element("div", {}, element("data", { value: row.loss }, share(row.loss, data.loss[0])), lossBar(row.loss, most))),
      ),
  });
};

for (const side of ["true", "pred"]) {
  drawers.set(`${side}-clusters`, () => {
    const rows = data.components.flatMap((component) => clusterRows(asNow(component), side));
    const before = data.components.flatMap((component) => clusterRows(component, side));
    // Decisions change the number of predicted clusters; what that is beyond the page, is known when nothing is left.
    const isKnown = side === "true" || groups.areHeld(review.decisions);
    const all = isKnown ? data.clusters[PLACE[side]] + rows.length - before.length : review.isLeft() ? null : data.clusters[0];
    const tab = document.querySelector(`#tab-${side}-clusters small`);
    if (tab && all !== null) tab.textContent = compact.format(all);
    const noun = clusterNoun(side);
    const lost = (found) => share(found.reduce((sum, row) => sum + row.loss, 0), data.loss[0]);
    const ofAll = (found) => (all === null ? counted(found.length, noun) : `${compact.format(found.length)} of ${counted(all, noun)}`);
    $(`${side}-list`).replaceChildren(
      clusterTable(rows, side, {
        caption: `${capital(plural(noun))}; a heading's button sorts`,
        about: (found, narrowed) =>
          !narrowed && found.length === all
            ? counted(all, noun)
            : `${ofAll(found)} shown, ${lost(found)} of the ${LOSS}`,
      }),
    );
  });
}

review.listen(() => redraw("true-clusters", "pred-clusters", "heat"));

// A cluster among those that it shares points with: enough to draw, the largest cells first.
const around = (component, side, at, most = 8, others = 3) => {
  const chosen = new Set();
  for (const cell of cellsOf(component, side)[at].slice(0, most)) {
    chosen.add(cell);
    const partner = component.cells[cell][PLACE[OTHER[side]]];
    for (const next of cellsOf(component, OTHER[side])[partner].slice(0, others)) chosen.add(next);
  }
  const cells = [...chosen].map((cell) => component.cells[cell]);
  const places = { true: new Map(), pred: new Map() };
  for (const cell of cells) {
    for (const one of ["true", "pred"]) {
      const place = cell[PLACE[one]];
      if (!places[one].has(place)) places[one].set(place, places[one].size);
    }
  }
  return {
    whole: component.whole,
    cells: cells.map(([t, p, ...rest]) => [places.true.get(t), places.pred.get(p), ...rest]),
    true: [...places.true.keys()].map((place) => component.true[place]),
    pred: [...places.pred.keys()].map((place) => component.pred[place]),
    left: cellsOf(component, side)[at].length - Math.min(most, cellsOf(component, side)[at].length),
  };
};

// One cluster of a large component: its parts, and what else is where they are.
const clusterPanel = (component, side, at) => {
  const [name, size, score, loss] = component[side][at];
  const other = OTHER[side];
  const cells = cellsOf(component, side)[at];
  const row = (cell) => {
    const place = component.cells[cell][PLACE[other]];
    const partner = component[other][place];
    const beside = cellsOf(component, other)[place].filter((one) => one !== cell);
    const names = beside.slice(0, 3).flatMap((one, i) => [i ? ", " : "", chipped(side, label(named(component[side][component.cells[one][PLACE[side]]][0], 40)))]);
    return element(
      "tr",
      {},
      element("td", {}, partner[4] ? element("i", {}, "none") : element("a", { href: `#component-${component.id}-${other}-${place}` }, chipped(other, label(named(partner[0], 60))))),
      element("td", { class: "n" }, compact.format(component.cells[cell][2])),
      element("td", { class: "n" }, share(component.cells[cell][2], size)),
      element("td", {}, ...(names.length ? names : ["nothing else"]), beside.length > 3 ? ` +${compact.format(beside.length - 3)}` : ""),
    );
  };
  const MOST = 12;
  const concerned = side === "pred" ? [at] : cells.slice(0, MOST).map((cell) => component.cells[cell][1]);
  const found = around(component, side, at);
  const holder = element("div", { class: "graph", tabindex: "0", role: "group", "aria-label": "Derivation" });
  const panel = element(
    "div",
    { class: "one-cluster", id: `cluster-${component.id}` },
    element("h4", {}, `${capital(clusterNoun(side))} `, chipped(side, label(named(name, 80)))),
    element("p", { class: "note" }, `${points(size)}, ${counted(cells.length, "part")}, score ${number(score)}, ${share(loss, data.loss[0])} of the ${LOSS}`),
    legend(),
    holder,
    element(
      "div",
      { class: "scroll", tabindex: "0", role: "group", "aria-label": "Parts" },
      element(
        "table",
        {},
        element("caption", { class: "unseen" }, `Parts of the ${CLUSTER}`),
        element("thead", {}, element("tr", {}, ...[clusterNoun(other), plural(POINT), `of this ${CLUSTER}`, "also there"].map((head, i) => element("th", { scope: "col", class: i === 1 || i === 2 ? "n" : null }, head)))),
        element("tbody", {}, ...cells.slice(0, MOST).map(row)),
      ),
    ),
    cells.length > MOST ? element("p", { class: "note" }, `${counted(cells.length - MOST, "smaller part")} not listed.`) : null,
    component.points?.length ? element("details", {}, element("summary", {}, capital(plural(POINT))), pointDiff(review.worked(component), { only: concerned })) : null,
  );
  const drawIt = () => graph(holder, found, `${named(name)} and its neighbours`);
  return { panel, drawIt };
};

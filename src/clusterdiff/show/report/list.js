// The list of components.
const worst = greatest(data.components.map((c) => c.loss[0]));
const COLUMNS = [
  { key: "kind", title: "kind", value: (c) => KINDS.indexOf(c.kind), first: -1 },
  { key: "names", title: plural(CLUSTER), value: (c) => (c.true[0] ? shown(c.true[0][0]).toLocaleLowerCase() : ""), first: 1 },
  { key: "size", title: plural(POINT), value: (c) => c.size, first: -1, class: "n" },
  { key: "score", title: "score", value: (c) => c.score, first: 1, class: "n score-column" },
  ...costColumn((c) => review.costOf(c)),
  { key: "loss", title: `${plural(POINT)} ${LOST}`, value: (c) => review.lossOf(c)[0], first: -1, class: "loss" },
];

// Without those that stand for a single point in none of the clusters.
const nameList = (side, all, total) => {
  const out = [];
  const clusters = all.filter((cluster) => !cluster[4]);
  clusters.slice(0, 3).forEach((cluster, i) => {
    if (i) out.push(", ");
    out.push(chipped(side, hit(cluster[0], 40)));
  });
  if (total > Math.min(3, clusters.length)) out.push(` +${compact.format(total - Math.min(3, clusters.length))}`);
  return out;
};

// The parts of a loss; those for lost points only where there may be such.
const bar = (parts) => {
  const shown = PARTS.slice(0, data.uneven ? 4 : 2);
  const told = shown.map(([, name], i) => `${number(parts[i])} to ${name}`).join(", ");
  let x = 0;
  const rects = shown.map(([kind], i) => {
    const width = worst ? (100 * parts[i]) / worst : 0;
    x += width;
    return drawn("rect", { class: kind, x: x - width, y: 0, width, height: 10 });
  });
  return drawn("svg", { class: "bar", viewBox: "0 0 100 10", preserveAspectRatio: "none", role: "img", "aria-label": told }, ...rects);
};

const lossCell = (component) => {
  const [loss, ...parts] = review.lossOf(component);
  return element("div", {}, element("data", { value: loss, title: `${number(loss)} of S_H` }, lostPoints(loss)), loss ? bar(parts) : null);
};

// Where there is room the list is on the left, and one component is open on the right; else several are, in the list.
const panes = matchMedia("(min-width: 70rem)");
const open = (component) => {
  if (panes.matches) state.open.clear();
  state.open.add(component.id);
};
const besides = (component) => {
  for (const row of document.querySelectorAll("#list .row")) {
    const chosen = Boolean(component) && row.dataset.id === String(component.id);
    row.classList.toggle("open", chosen);
    row.querySelector("button").setAttribute("aria-expanded", String(chosen));
  }
  $("pane").hidden = !component;
  if (!component) return;
  const detail = element("div", { class: "detail", id: `detail-${component.id}` });
  $("pane").replaceChildren(detail);
  $("pane").scrollTop = 0;
  fill(detail, component);
};
const toggle = (component, row, opened) => {
  if (panes.matches) {
    open(component);
    besides(component);
    return;
  }
  const button = row.querySelector("button");
  const next = row.nextElementSibling;
  if (next && next.classList.contains("detail")) next.remove();
  row.classList.toggle("open", opened);
  button.setAttribute("aria-expanded", String(opened));
  if (opened) {
    state.open.add(component.id);
    // Narrow screens leave a column out.
    const columns = [...$("list").tHead.rows[0].cells].filter((head) => head.offsetParent !== null);
    const cell = element("td", { colspan: columns.length });
    row.after(element("tr", { class: "detail", id: `detail-${component.id}` }, cell));
    fill(cell, component);
  } else {
    state.open.delete(component.id);
  }
};

const rowOf = (component) => {
  const button = element("button", { type: "button", class: `k-${component.kind}`, "aria-expanded": "false" }, component.kind);
  const row = element(
    "tr",
    // Not the name that the address has, or the browser would scroll there after the page did.
    { class: "row", id: `row-${component.id}`, "data-id": component.id },
    element("td", { class: "kind" }, button),
    element(
      "td",
      { class: "names" },
      ...nameList("true", component.true, component.counts[0]),
      element("span", { class: "arrow", "aria-label": "became" }, "→"),
      ...nameList("pred", component.pred, component.counts[1]),
    ),
    element("td", { class: "n" }, compact.format(component.size)),
    element("td", { class: "n score-column" }, number(component.score)),
    ...costCell(review.costOf(component)),
    element("td", { class: "loss" }, lossCell(component)),
  );
  row.addEventListener("click", (event) => {
    // Selecting text in a row must not open it.
    if (String(getSelection()) && !event.target.closest("button")) return;
    toggle(component, row, !state.open.has(component.id));
  });
  return row;
};

const draw = () => {
  const found = matching();
  const body = $("list").tBodies[0];
  body.replaceChildren();
  for (const component of found.slice(0, state.shown)) {
    const row = rowOf(component);
    body.append(row);
    if (!panes.matches && state.open.has(component.id)) toggle(component, row, true);
  }
  if (panes.matches) besides(found.find((component) => component.id === [...state.open].at(-1)) ?? found[0]);
  else $("pane").replaceChildren();
  if (!panes.matches) $("pane").hidden = true;
  $("found").textContent = foundInWords(found);
  keepAddress();
  $("more").hidden = found.length <= state.shown;
  for (const head of $("list").tHead.rows[0].cells) {
    const sorted = head.dataset.key === state.sort;
    if (sorted) head.setAttribute("aria-sort", state.direction > 0 ? "ascending" : "descending");
    else head.removeAttribute("aria-sort");
  }
};

for (const column of COLUMNS) {
  const button = element(
    "button",
    {
      type: "button",
      onclick: () => {
        if (state.sort === column.key) state.direction = -state.direction;
        else Object.assign(state, { sort: column.key, direction: column.first });
        draw();
      },
    },
    column.title,
  );
  $("list").tHead.rows[0].append(element("th", { scope: "col", class: column.class, "data-key": column.key }, button));
}
$("more").addEventListener("click", () => {
  state.shown += PAGE;
  draw();
});

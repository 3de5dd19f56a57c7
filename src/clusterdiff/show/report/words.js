// Repairs in words, as Python tells them: a list of texts and of names, which are users' own.
const NAMED_POINTS = 5;
const A_CLUSTER = `${/^[aeiou]/.test(CLUSTER) ? "an" : "a"} ${CLUSTER}`;
const andList = (items, limit = 4) => {
  const out = [];
  const some = items.length > limit ? items.slice(0, limit) : items;
  some.forEach((item, i) => {
    if (i) out.push(i === items.length - 1 ? " and " : ", ");
    out.push(...item);
  });
  if (items.length > limit) out.push(` and ${compact.format(items.length - limit)} more`);
  return out;
};
const called = (value, side) => ({ name: named(value, 80), side });
// Text has no chips: a number does not say whose it is.
const unclear = (word) => word.side === "true" && !/\p{L}/u.test(word.name);
const inWords = (words) => words.map((word) => (typeof word === "string" ? word : unclear(word) ? `true ${CLUSTER} ${word.name}` : word.name)).join("");
const asNodes = (words) => words.map((word) => (typeof word === "string" ? word : word.side ? chipped(word.side, label(word.name)) : label(word.name)));

// A story as Python tells it: names of true and predicted clusters begin and end with signs that no text has.
const storyText = (sentence) => sentence.replace(/[\ue000-\ue002]/g, "");
const storyNodes = (sentence) =>
  sentence.split(/([\ue000\ue001][^\ue002]*\ue002?)/).filter(Boolean).map((part) =>
    /^[\ue000\ue001]/.test(part) ? chipped(part[0] === "\ue000" ? "true" : "pred", label(storyText(part))) : part);

// The cells of a component for the review. Of a cell whose points are in several groups, the further parts come last.
const cellRows = (component) => {
  if (!component.rows) {
    component.rows = component.cells.map((row) => [...row]);
    for (const part of component.parts || []) {
      const [, cell, size, mass, own] = part;
      const row = component.rows[cell];
      row[2] -= size;
      if (data.weighted) [row[3], row[4]] = [row[3] - mass, row[4] - own];
      part.row = component.rows.length;
      component.rows.push([row[0], row[1], size, ...(data.weighted ? [mass, own] : [])]);
    }
  }
  return component.rows;
};
// The points of some cells, all that the page holds of them: [cell, name, attribute…], or [cell, name] of further ones.
const pointsIn = (component, cells) => {
  if (!component.byCell) {
    component.byCell = cellRows(component).map(() => []);
    const elsewhere = new Map((component.parts || []).flatMap((part) => part[5].map((place) => [place, part.row])));
    (component.points || []).forEach((point, place) => component.byCell[elsewhere.get(place) ?? point[0]].push(point));
    for (const [cell, names] of Object.entries(component.names || {})) for (const name of names) component.byCell[cell].push([Number(cell), name]);
  }
  return cells.flatMap((cell) => component.byCell[cell]);
};
const lostOf = (component, side, clusters) => (component.lost || []).filter((point) => point[0] === side && clusters.includes(point[1]));

const clusterOf = ({ names }, id) => [called(names.get(id), "pred")];
const truthOf = ({ component }, t) => [called(component.true[t][0], "true")];
const namesOf = (found, count) => {
  const first = found.slice(0, NAMED_POINTS);
  if (!first.length) return [];
  const more = count - first.length;
  return [" (", ...first.flatMap((point, i) => [i ? ", " : "", called(point[1])]), more ? ` and ${compact.format(more)} more` : "", ")"];
};

const wordsOf = (work, { operation, t, p, from, to, preds }) => {
  const { component, engine } = work;
  if (operation === "split") {
    const cells = [...engine.preds.get(p).cells.values()].sort((a, b) => b.set.mass - a.set.mass || a.t - b.t);
    const parts = cells.map((cell) => [...truthOf(work, cell.t), ` (${points(cell.set.size)})`]);
    return ["split ", ...clusterOf(work, p), ` into ${compact.format(cells.length)} parts: `, ...andList(parts)];
  }
  if (operation === "merge") {
    const count = preds.reduce((sum, id) => sum + engine.truths[t].cells.get(id).set.size, 0);
    return ["merge ", ...andList(preds.map((id) => clusterOf(work, id))), `: ${points(count)} of `, ...truthOf(work, t)];
  }
  if (operation === "move") {
    const cell = engine.truths[t].cells.get(from);
    const found = pointsIn(component, cell.of);
    return [
      `move ${points(cell.set.size)} of `, ...truthOf(work, t), ...namesOf(found, cell.set.size),
      " from ", ...clusterOf(work, from), " to ", ...clusterOf(work, to),
    ];
  }
  const named = (found, count) => namesOf(found.map((point) => point.slice(1)), count);
  if (operation === "remove") {
    const { lost, strays } = engine.preds.get(p);
    return [`remove ${points(lost.size)}`, ...named(lostOf(component, "pred", strays), lost.size), " from ", ...clusterOf(work, p)];
  }
  const { size } = engine.truths[t].lost;
  const where = to === null ? [`${A_CLUSTER} of ${size === 1 ? "its" : "their"} own`] : clusterOf(work, to);
  return [`add ${points(size)}`, ...named(lostOf(component, "true", [t]), size), " of ", ...truthOf(work, t), " to ", ...where];
};

// How many points come into another cluster, are added or are removed.
const affected = ({ engine }, { operation, t, p, from, preds }) => {
  if (operation === "split") {
    const sizes = [...engine.preds.get(p).cells.values()].sort((a, b) => b.set.mass - a.set.mass || a.t - b.t);
    return sizes.slice(1).reduce((sum, cell) => sum + cell.set.size, 0);
  }
  if (operation === "merge") return preds.slice(1).reduce((sum, id) => sum + engine.preds.get(id).shared.size, 0);
  if (operation === "move") return engine.truths[t].cells.get(from).set.size;
  return operation === "add" ? engine.truths[t].lost.size : engine.preds.get(p).lost.size;
};

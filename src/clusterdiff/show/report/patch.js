// Accepted repairs as a patch. What they come to is written, not how they came about: every cluster that changed is
// split into its pieces, and the pieces are merged. A cluster is named by all of its points; where the page has only
// some of them, the command that wrote the page left its name (`component.named`).
const patching = (() => {
  class NoPatch extends Error {}
  const MORE = "A page written with --full has more.";

  // The text of a point, which must be the user's very own.
  const textOf = (value) => {
    if (typeof value === "boolean") return value ? "True" : "False";
    if (!Array.isArray(value)) return String(value);
    if (value[1]) return value[0];
    throw new NoPatch(`The name “${named(value, 40)}” is too long, or neither text nor a number: a patch cannot hold it.`);
  };
  const lacking = (held, size) => new NoPatch(`A patch names points, and this file has ${compact.format(held)} of ${points(size)} of one part. ${MORE}`);

  // ---- the pieces of predicted clusters: cells, what the truth lacks, and the rest, of which the page has no names

  const left = (component, kind, at) => {
    const [member, size, digest] = component.named?.[kind]?.[at] || [];
    return member === undefined ? null : { member, size, digest };
  };
  const piece = (size, values, name) => {
    const isHeld = values.length === size;
    const texts = () => {
      if (!isHeld) throw lacking(values.length, size);
      return values.map(textOf);
    };
    return { size, isHeld, texts, to: undefined, name: () => (isHeld ? namedByPoints(texts()) : name) };
  };
  const piecesOf = (component, engine) => {
    const rows = cellRows(component);
    const isPart = (i) => (component.parts || []).some(({ 1: cell, row }) => cell === i || row === i);
    const cells = rows.map((row, i) => piece(row[2], pointsIn(component, [i]).map((point) => point[1]), isPart(i) ? null : left(component, "cells", i)));
    const strays = component.pred.map((row, p) => {
      const count = data.uneven ? row[5] : 0;
      return count ? piece(count, lostOf(component, "pred", [p]).map((point) => point[2]), null) : null;
    });
    const rests = component.pred.map((_, p) => {
      const name = left(component, "rest", p);
      return name || component.outside?.pred[p] ? piece(name?.size ?? Infinity, [], name) : null;
    });
    for (const pred of engine.preds.values()) {
      for (const cell of pred.cells.values()) for (const i of cell.of) cells[i].to = pred.id;
      for (const p of pred.strays) if (strays[p]) strays[p].to = pred.id;
      for (const p of pred.beyond) rests[p].to = pred.id;
    }
    return component.pred.map((_, p) => {
      const own = cells.filter((_cell, i) => rows[i][1] === p);
      if (strays[p]) {
        if (strays[p].to === undefined) strays[p].to = null; // removed
        own.push(strays[p]);
      }
      return { pieces: own, rest: rests[p] };
    });
  };

  // ---- one predicted cluster: what is split off, and what stays; each group of pieces goes to one cluster

  const grouped = ({ pieces, rest }) => {
    const groups = new Map();
    for (const one of pieces) groups.set(one.to, [...(groups.get(one.to) || []), one]);
    const sizeOf = ([to, group]) => (to === null ? -1 : group.reduce((sum, one) => sum + one.size, 0));
    const stays = [...groups].sort((a, b) => sizeOf(b) - sizeOf(a));
    if (!stays.length) return { groups, stays: null };
    const unheld = stays.filter(([, group]) => group.some((one) => !one.isHeld));
    // What the page has no names of cannot be split off: it stays, with what has no place of its own.
    const [to] = (rest?.to !== undefined ? [rest.to] : null) || unheld[0] || stays[0];
    if (rest) {
      rest.to = to;
      groups.set(to, [...(groups.get(to) || []), rest]);
    }
    return { groups, stays: to };
  };
  const nameOf = (group) => {
    if (group.every((one) => one.isHeld)) return namedByPoints(group.flatMap((one) => one.texts()));
    return group.length === 1 ? group[0].name() : null;
  };

  const operationsOf = ({ component, engine }) => {
    const out = { split: [], add: [], merge: [], remove: [] };
    const into = new Map(); // what each cluster is made of, by name
    const put = (to, name) => into.set(to, [...(into.get(to) || []), name]);
    const added = [...engine.preds.values()].flatMap((pred) => [...pred.cells.values()].filter((cell) => cell.found).map((cell) => [pred.id, cell.t]));
    const all = piecesOf(component, engine).map((one) => ({ ...one, ...grouped(one) }));
    const sources = new Map();
    for (const { groups } of all) for (const to of groups.keys()) sources.set(to, (sources.get(to) || 0) + 1);
    for (const [to] of added) sources.set(to, (sources.get(to) || 0) + 1);
    all.forEach(({ groups, stays, pieces, rest }, p) => {
      const isMerged = sources.get(stays) > 1 && stays !== null;
      const whole = () => {
        const name = rest ? left(component, "pred", p) : (nameOf(pieces) ?? left(component, "pred", p));
        if (!name) throw new NoPatch(`A patch names clusters by all of their points, and this file has only a part of one. ${MORE}`);
        return name;
      };
      if (groups.size < 2) {
        if (isMerged) put(stays, whole());
        if (stays === null) out.remove.push({ remove: pieces.flatMap((one) => one.texts()) });
        return;
      }
      const off = [...groups].filter(([to]) => to !== stays);
      const parts = off.map(([to, group]) => {
        const texts = group.flatMap((one) => one.texts());
        if (to === null) out.remove.push({ remove: texts });
        else put(to, namedByPoints(texts));
        return texts;
      });
      if (isMerged) {
        let staying = groups.get(stays);
        if (!nameOf(staying)) {
          // What can be named is split off as well, so that the name of what is left is known.
          const apart = staying.filter((one) => one.isHeld);
          for (const one of apart) {
            parts.push(one.texts());
            put(stays, one.name());
          }
          staying = staying.filter((one) => !one.isHeld);
        }
        const name = nameOf(staying);
        if (!name) throw new NoPatch(`A patch names clusters by all of their points, and this file has only a part of two that are left of one. ${MORE}`);
        put(stays, name);
      }
      out.split.push({ split: whole(), off: parts });
    });
    for (const [to, t] of added) {
      const found = piece(component.true[t][5], lostOf(component, "true", [t]).map((point) => point[2]), null).texts();
      out.add.push({ add: found, to: null });
      put(to, namedByPoints(found));
    }
    for (const [to, names] of into) if (names.length > 1 && to !== null) out.merge.push({ merge: names });
    return out;
  };

  // The patch as the text of a file, or why there is none: { text } or { reason }.
  return () => {
    if (data.patch.refused) return { reason: data.patch.refused };
    if (!groups.areHeld(review.decisions)) return { reason: "This file does not hold all of an accepted group. It is exported as a judgement, which “clusterdiff apply” takes as well." };
    try {
      const done = review.repaired().map(operationsOf);
      const lines = ["split", "add", "merge", "remove"].flatMap((kind) => done.flatMap((one) => one[kind])).map((one) => JSON.stringify(one));
      return { text: `{"format": "clusterdiff patch", "version": 2, "operations": [${lines.map((line) => `\n    ${line}`).join(",")}\n]}\n` };
    } catch (error) {
      if (error instanceof NoPatch) return { reason: error.message };
      throw error;
    }
  };
})();

// What if: a component's cells, the operations on its predicted clusters, and what each would gain. It knows no page.
//
// With s and t the split and merge scores, the mass kept is the sum of m·s·t over the cells. U of a predicted cluster is
// the sum of m·s over its cells, W of a true one the sum of m·t. A score is N/G: N sums g over the cluster's cells, and
// G is g of the whole. An operation changes few of these sums, so its gain is a matter of a few additions.
//
// What is given: `unit`, what weights are measured against; `uneven`, whether a side may lack points; `cells`, each
// { t, p, size, mass, entropy }, where entropy is the sum of w·log(w / unit); `truths` and `preds`, one for each cluster.
// A cluster may have `lost`, the points that the other side lacks. A page may hold some clusters of a large component
// only: a true cluster of which cells are left out has its `known` score and shares of the loss, and no operation is
// offered on it; a predicted one has `outside`, sums over the cells left out.
const whatIf = ({ unit, uneven, cells: given, truths: givenTruths, preds: givenPreds }) => {
  const ROUNDING = 1e-12;
  const NOTHING = { size: 0, mass: 0, entropy: 0 };
  const NOWHERE = { ...NOTHING, kept: 0, parts: 0, through: 0, split: 0, missing: 0 };
  const plus = (a, b) => ({ size: a.size + b.size, mass: a.mass + b.mass, entropy: a.entropy + b.entropy });
  const minus = (a, b) => ({ size: a.size - b.size, mass: a.mass - b.mass, entropy: a.entropy - b.entropy });
  // What there is to lose in splitting a set. Where all points but one weigh nothing, rounding must not say otherwise.
  const g = (set) => {
    if (set.size < 2 || set.mass <= 0) return 0;
    const value = set.mass * Math.log(set.mass / unit) - set.entropy;
    return value > ROUNDING * set.mass ? value : 0;
  };
  const ratio = (part, whole, parts) => (parts < 2 || whole <= 0 ? 1 : Math.min(Math.max(part, 0) / whole, 1));
  const scoreOf = (kept, shared, lost, parts) =>
    lost.size ? ratio(kept, g(plus(shared, lost)), 2) : ratio(kept, g(shared), parts);

  const truths = givenTruths.map(({ known = null, lost = NOTHING }) => ({ cells: new Map(), lost, known }));
  const preds = new Map(
    givenPreds.map(({ outside = NOWHERE, lost = NOTHING }, id) => [id, { id, cells: new Map(), lost, strays: [id], outside }]),
  );
  let next = givenPreds.length;
  let gone = 0; // the mass of the spurious points that were removed

  const put = (cell) => {
    cell.g = g(cell.set);
    truths[cell.t].cells.set(cell.p, cell);
    preds.get(cell.p).cells.set(cell.t, cell);
  };
  const take = (cell) => {
    truths[cell.t].cells.delete(cell.p);
    preds.get(cell.p).cells.delete(cell.t);
  };
  // `of` are the given cells that a cell is made of, `found` says that the missing points are with them, and `strays` of a
  // predicted cluster are the given ones whose spurious points it has.
  given.forEach(({ t, p, size, mass, entropy }, i) => put({ t, p, set: { size, mass, entropy }, of: [i], found: false }));

  // All sums anew, so that no error adds up.
  const settle = () => {
    for (const truth of truths) {
      truth.shared = NOTHING;
      truth.kept = 0;
      for (const cell of truth.cells.values()) {
        truth.shared = plus(truth.shared, cell.set);
        truth.kept += cell.g;
      }
      truth.score = truth.known ? truth.known[0] : scoreOf(truth.kept, truth.shared, truth.lost, truth.cells.size);
      truth.through = 0;
    }
    for (const pred of preds.values()) {
      const { outside } = pred;
      pred.shared = outside;
      pred.kept = outside.kept;
      pred.through = outside.through;
      pred.parts = outside.parts + pred.cells.size;
      for (const cell of pred.cells.values()) {
        pred.shared = plus(pred.shared, cell.set);
        pred.kept += cell.g;
        pred.through += cell.set.mass * truths[cell.t].score;
      }
      pred.score = scoreOf(pred.kept, pred.shared, pred.lost, pred.parts);
      for (const cell of pred.cells.values()) truths[cell.t].through += cell.set.mass * pred.score;
    }
  };

  // ---- what is lost, as masses: [split, merge, missing, spurious]

  const halves = (kept, shared, lost, parts) => {
    const inner = ratio(kept, g(shared), parts);
    const rest = lost.size ? (shared.size ? ratio(g(shared), g(plus(shared, lost)), 2) : 0) : 1;
    return [((1 - inner) * (1 + rest)) / 2, ((1 - rest) * (1 + inner)) / 2];
  };
  const lost = () => {
    const sum = [0, 0, 0, 0];
    const sides = truths.map((x) => (x.known ? x.known.slice(1) : halves(x.kept, x.shared, x.lost, x.cells.size)));
    for (const truth of truths) sum[2] += truth.lost.mass;
    for (const pred of preds.values()) {
      const [merge, spurious] = halves(pred.kept, pred.shared, pred.lost, pred.parts);
      let [split, missing, kept] = [pred.outside.split, pred.outside.missing, pred.outside.mass + pred.outside.through];
      for (const cell of pred.cells.values()) {
        split += cell.set.mass * sides[cell.t][0];
        missing += cell.set.mass * sides[cell.t][1];
        kept += cell.set.mass * (1 + truths[cell.t].score);
      }
      sum[0] += (split * (1 + pred.score)) / 2;
      sum[1] += (kept * merge) / 2;
      sum[2] += (missing * (1 + pred.score)) / 2;
      sum[3] += pred.lost.mass + (kept * spurious) / 2;
    }
    return sum;
  };

  // ---- gains, as masses

  // Cells of a true cluster are put together: `touched` are the predicted clusters before, `made` is what stands in their
  // place: { others, kept, shared, lost, parts, set }, where set has the points of the true cluster and others is U
  // without them.
  const change = (truth, touched, made, missing = truth.lost) => {
    let kept = truth.kept;
    let rest = truth.through;
    let before = 0;
    let parts = truth.cells.size;
    for (const pred of touched) {
      const cell = truth.cells.get(pred.id);
      kept -= cell.g;
      rest -= cell.set.mass * pred.score;
      parts -= 1;
      before += pred.score * pred.through;
    }
    let shared = truth.shared;
    if (missing !== truth.lost) shared = plus(shared, truth.lost);
    for (const one of made) {
      if (!one.set.size) continue;
      kept += g(one.set);
      parts += 1;
    }
    const score = scoreOf(kept, shared, missing, parts);
    let after = 0;
    for (const one of made) after += scoreOf(one.kept, one.shared, one.lost, one.parts) * (one.others + one.set.mass * score);
    return after - before + rest * (score - truth.score);
  };
  const others = (pred, truth) => pred.through - truth.cells.get(pred.id).set.mass * truth.score;

  const united = (truth, cells, more = NOTHING) => {
    const touched = cells.map((cell) => preds.get(cell.p));
    const one = { others: 0, kept: 0, shared: more, lost: NOTHING, parts: 1, set: more };
    touched.forEach((pred, i) => {
      one.others += others(pred, truth);
      one.kept += pred.kept - cells[i].g;
      one.shared = plus(one.shared, pred.shared);
      one.lost = plus(one.lost, pred.lost);
      one.parts += pred.parts - 1;
      one.set = plus(one.set, cells[i].set);
    });
    one.kept += g(one.set);
    return change(truth, touched, [one], more === NOTHING ? truth.lost : NOTHING);
  };
  const moved = (truth, cell, home) => {
    const [from, to] = [preds.get(cell.p), preds.get(home.p)];
    const set = plus(cell.set, home.set);
    const left = {
      others: others(from, truth),
      kept: from.kept - cell.g,
      shared: minus(from.shared, cell.set),
      lost: from.lost,
      parts: from.parts - 1,
      set: NOTHING,
    };
    const host = {
      others: others(to, truth),
      kept: to.kept - home.g + g(set),
      shared: plus(to.shared, cell.set),
      lost: to.lost,
      parts: to.parts,
      set,
    };
    return change(truth, [from, to], [left, host]);
  };

  // ---- the operations that Python lists: { operation, gain, … }; `gain` is a mass, and `gone` what leaves the whole

  const key = ({ operation, t, preds: many, from, to, p }) =>
    [operation, ...{ split: [p], merge: [t, many], move: [t, from, to], add: [t, to], remove: [p] }[operation]].join(":");
  const ordered = (cells) => cells.sort((a, b) => b.set.mass - a.set.mass || a.p - b.p || a.t - b.t);

  const isPure = (cell) => preds.get(cell.p).parts === 1;
  // The first is a true cluster's home: the predicted cluster with its largest cell.
  const largestFirst = (a, b) => b.set.mass - a.set.mass || isPure(b) - isPure(a) || a.p - b.p;
  const home = (truth) => [...truth.cells.values()].sort(largestFirst)[0];

  // A part goes where it gains most: so many of the largest are tried, as in Python.
  const tried = uneven ? 4 : 8;
  const best = (targets, gainOf) =>
    targets.map((target) => [target, gainOf(target)]).reduce((most, one) => (one[1] > most[1] ? one : most));

  const repairs = () => {
    const found = [];
    const offer = (operation, gain, what) => found.push({ operation, gain, gone: 0, ...what, key: key({ operation, ...what }) });
    for (const pred of preds.values()) {
      if (pred.outside.parts) continue;
      if (pred.cells.size > 1) offer("split", pred.through * (1 - pred.score), { p: pred.id });
      if (pred.lost.size) {
        const score = pred.cells.size ? ratio(pred.kept, g(pred.shared), pred.cells.size) : 0;
        offer("remove", pred.through * (score - pred.score), { p: pred.id, gone: pred.lost.mass });
      }
    }
    truths.forEach((truth, t) => {
      if (truth.known) return;
      if (!truth.cells.size) {
        if (truth.lost.size) offer("add", truth.lost.mass, { t, to: null });
        return;
      }
      const cells = [...truth.cells.values()].sort(largestFirst);
      const [first] = cells;
      if (truth.lost.size) offer("add", united(truth, [first], truth.lost), { t, to: first.p });
      const pure = cells.filter(isPure);
      const mixed = cells.filter((cell) => !isPure(cell));
      const named = (several) => ({ t, preds: several.map((cell) => cell.p) });
      if (pure.length > 1) offer("merge", united(truth, pure), named(pure));
      if (pure.length && mixed.length) {
        const [host, gain] = best(mixed.slice(0, tried), (cell) => united(truth, [cell, ...pure]));
        offer("merge", gain, named([host, ...pure]));
      }
      if (cells.length < 2) return;
      for (const cell of cells) {
        if (isPure(cell) && !preds.get(cell.p).lost.size) continue;
        const others = uneven ? cells.slice(0, tried + 1) : [first, pure[0], ...mixed.slice(0, tried)];
        const targets = others.filter((other) => other && other !== cell).slice(0, uneven ? tried : undefined);
        const [to, gain] = best(targets, (other) => moved(truth, cell, other));
        offer("move", gain, { t, from: cell.p, to: to.p });
      }
    });
    return found;
  };

  // ---- doing them; returns the parts, each with its cluster before and after, its given cells, the given clusters whose
  // spurious points are with them, and the true cluster whose missing points were found

  const known = (id) => {
    const pred = preds.get(id);
    if (!pred) throw new RangeError(`there is no cluster ${id}`);
    return pred;
  };
  const joined = (a, b, p) => ({ t: a.t, p, set: plus(a.set, b.set), of: [...a.of, ...b.of], found: a.found || b.found });
  const fresh = () => {
    preds.set(next, { id: next, cells: new Map(), lost: NOTHING, strays: [], outside: NOWHERE });
    return next++;
  };
  const lose = (pred, { lost: points, strays }) => {
    pred.lost = plus(pred.lost, points);
    pred.strays = [...pred.strays, ...strays];
  };
  const clean = (pred) => Object.assign(pred, { lost: NOTHING, strays: [] });
  const rehouse = (cell, p) => {
    take(cell);
    const there = preds.get(p).cells.get(cell.t);
    put(there ? joined(there, cell, p) : { ...cell, p });
  };
  const DO = {
    split: ({ p }) => {
      const pred = known(p);
      const cells = ordered([...pred.cells.values()]);
      const parts = cells.map((cell, i) => {
        if (i) rehouse(cell, fresh());
        return { from: p, to: i ? next - 1 : p, cells: cell.of, strays: [] };
      });
      if (pred.lost.size) {
        parts.push({ from: p, to: fresh(), cells: [], strays: pred.strays });
        lose(preds.get(next - 1), pred);
        clean(pred);
      }
      return parts;
    },
    merge: ({ preds: [to, ...rest] }) => {
      const target = known(to);
      return rest.map((from) => {
        const pred = known(from);
        const cells = [...pred.cells.values()];
        for (const cell of cells) rehouse(cell, to);
        lose(target, pred);
        const { outside } = pred;
        if (outside.parts) target.outside = Object.fromEntries(Object.keys(NOWHERE).map((x) => [x, target.outside[x] + outside[x]]));
        preds.delete(from);
        return { from, to, cells: cells.flatMap((cell) => cell.of), strays: pred.lost.size ? pred.strays : [] };
      });
    },
    move: ({ t, from, to }) => {
      const cell = truths[t].cells.get(known(from).id);
      if (!cell) throw new RangeError(`cluster ${from} has no point of ${t}`);
      rehouse(cell, known(to).id);
      return [{ from, to, cells: cell.of, strays: [] }];
    },
    add: ({ t, to }) => {
      const truth = truths[t];
      const p = to === null ? fresh() : known(to).id;
      const cell = truth.cells.get(p);
      const set = cell ? plus(cell.set, truth.lost) : truth.lost;
      put({ t, p, set, of: cell ? cell.of : [], found: true });
      truth.lost = NOTHING;
      return [{ from: null, to: p, cells: [], strays: [], found: t }];
    },
    remove: ({ p }) => {
      const pred = known(p);
      const { strays } = pred;
      gone += pred.lost.mass;
      clean(pred);
      if (!pred.cells.size) preds.delete(p);
      return [{ from: p, to: null, cells: [], strays }];
    },
  };
  const apply = (repair) => {
    const parts = DO[repair.operation](repair);
    settle();
    return parts;
  };

  settle();
  return { repairs, apply, lost, home, gone: () => gone, preds, truths };
};

// What if: a component's cells, the operations on its predicted clusters, and what each would gain. It knows no page.
//
// With s and t the split and merge scores, the mass kept is the sum of m·s·t over the cells. U of a predicted cluster is
// the sum of m·s over its cells, W of a true one the sum of m·t. A score is N/G: N sums g over the cluster's cells, and
// G is g of the whole. An operation changes few of these sums, so its gain is a matter of a few additions.
//
// What is given: `unit`, what weights are measured against; `cells`, each
// { t, p, size, mass, entropy }, where entropy is the sum of w·log(w / unit); `truths` and `preds`, one for each cluster.
// A cluster may have `lost`, the points that the other side lacks. A page may hold some clusters of a large component
// only: a true cluster of which cells are left out has its `known` score and shares of the loss, and no operation is
// offered on it; a predicted one has `outside`, sums over the cells left out.
const whatIf = ({ unit, cells: given, truths: givenTruths, preds: givenPreds }) => {
  const ROUNDING = 1e-12;
  const NOTHING = { size: 0, mass: 0, entropy: 0 };
  const NOWHERE = { ...NOTHING, kept: 0, parts: 0, through: 0, split: 0, missing: 0, squares: 0 };
  const plus = (a, b) => ({ size: a.size + b.size, mass: a.mass + b.mass, entropy: a.entropy + b.entropy });
  const minus = (a, b) => ({ size: a.size - b.size, mass: a.mass - b.mass, entropy: a.entropy - b.entropy });
  // What there is to lose in splitting a set. Where all points but one weigh nothing, rounding must not say otherwise.
  const content = (size, mass, entropy) => {
    if (size < 2 || mass <= 0) return 0;
    const value = mass * Math.log(mass / unit) - entropy;
    return value > ROUNDING * mass ? value : 0;
  };
  const g = (set) => content(set.size, set.mass, set.entropy);
  const ratio = (part, whole, parts) => (parts < 2 || whole <= 0 ? 1 : Math.min(Math.max(part, 0) / whole, 1));
  // `whole` is g of the cluster with what it lost: one that lost a point is in parts, even if it has but one cell.
  const scoreOf = (kept, whole, lost, parts) => ratio(kept, whole, lost.size ? 2 : parts);

  const truths = givenTruths.map(({ known = null, lost = NOTHING }) => ({ cells: new Map(), lost, known }));
  const preds = new Map(
    givenPreds.map(({ outside = NOWHERE, lost = NOTHING }, id) => [id, { id, cells: new Map(), lost, strays: [id], outside, beyond: outside.parts ? [id] : [] }]),
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
  // predicted cluster are the given ones whose spurious points it has, `beyond` those of which it has cells left out.
  const joined = (a, b, p) => ({ t: a.t, p, set: plus(a.set, b.set), of: [...a.of, ...b.of], found: a.found || b.found });
  // Parts of one cell may be given apart.
  const join = (cell) => {
    const there = preds.get(cell.p).cells.get(cell.t);
    put(there ? joined(there, cell, cell.p) : cell);
  };
  const partOf = (i, p) => {
    const { t, size, mass, entropy } = given[i];
    return { t, p, set: { size, mass, entropy }, of: [i], found: false };
  };
  given.forEach(({ p }, i) => join(partOf(i, p)));

  // All sums again, so that no error adds up; whatever has changed is marked.
  const note = (cluster, sums) => {
    cluster.changed ||= !cluster.sums || sums.some((sum, i) => sum !== cluster.sums[i]);
    cluster.sums = sums;
  };
  const sumUp = (cluster, { size, mass, entropy }, kept) => {
    for (const cell of cluster.cells.values()) {
      size += cell.set.size;
      mass += cell.set.mass;
      entropy += cell.set.entropy;
      kept += cell.g;
    }
    cluster.shared = { size, mass, entropy };
    cluster.kept = kept;
  };
  const settle = () => {
    for (const truth of truths) {
      sumUp(truth, NOTHING, 0);
      truth.whole = g(plus(truth.shared, truth.lost));
      truth.score = truth.known ? truth.known[0] : scoreOf(truth.kept, truth.whole, truth.lost, truth.cells.size);
      truth.through = 0;
    }
    for (const pred of preds.values()) {
      const { outside } = pred;
      sumUp(pred, outside, outside.kept);
      pred.parts = outside.parts + pred.cells.size;
      pred.through = outside.through;
      for (const cell of pred.cells.values()) pred.through += cell.set.mass * truths[cell.t].score;
      pred.score = scoreOf(pred.kept, g(plus(pred.shared, pred.lost)), pred.lost, pred.parts);
      for (const cell of pred.cells.values()) truths[cell.t].through += cell.set.mass * pred.score;
      note(pred, [pred.kept, pred.through, pred.score, pred.parts, pred.shared.mass, pred.lost.size]);
    }
    for (const truth of truths) {
      note(truth, [truth.kept, truth.through, truth.score, truth.cells.size, truth.lost.size]);
      for (const cell of truth.cells.values()) truth.changed ||= preds.get(cell.p).changed;
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

  // What each cell is charged, as a mass: what a cluster lost is shared by its cells that left the largest one, by mass.
  const charges = () => {
    const found = new Map();
    const charge = (cells, lossOf) => {
      const most = Math.max(...cells.map((cell) => cell.set.mass));
      const ties = cells.filter((cell) => cell.set.mass === most).length;
      const off = cells.map((cell) => cell.set.mass * (cell.set.mass === most ? 1 - 1 / ties : 1));
      const whole = off.reduce((sum, mass) => sum + mass, 0);
      if (!(whole > 0)) return;
      const cost = cells.reduce((sum, cell) => sum + lossOf(cell), 0);
      cells.forEach((cell, i) => found.set(cell, (found.get(cell) ?? 0) + (off[i] * cost) / whole));
    };
    for (const truth of truths) {
      const [split] = halves(truth.kept, truth.shared, truth.lost, truth.cells.size);
      charge([...truth.cells.values()], ({ p, set }) => (set.mass * split * (1 + preds.get(p).score)) / 2);
    }
    for (const pred of preds.values()) {
      const [merge] = halves(pred.kept, pred.shared, pred.lost, pred.parts);
      charge([...pred.cells.values()], ({ t, set }) => (set.mass * merge * (1 + truths[t].score)) / 2);
    }
    return found;
  };

  // ---- gains, as masses

  // What a true cluster's own points keep in the clusters that an operation leaves alone.
  const rest = (truth, cells) => cells.reduce((sum, cell) => sum - cell.set.mass * preds.get(cell.p).score, truth.through);
  const others = (pred, truth, cell) => pred.through - cell.set.mass * truth.score;

  // The predicted clusters of some cells of a true cluster are made one, and `more` of its points are added to them.
  const united = (truth, cells, more = NOTHING) => {
    let [set, shared, lostThere] = [more, more, NOTHING];
    let [apart, kept, through, parts, before] = [truth.kept, 0, 0, 1, 0];
    for (const cell of cells) {
      const pred = preds.get(cell.p);
      set = plus(set, cell.set);
      shared = plus(shared, pred.shared);
      lostThere = plus(lostThere, pred.lost);
      apart -= cell.g;
      kept += pred.kept - cell.g;
      through += others(pred, truth, cell);
      parts += pred.parts - 1;
      before += pred.score * pred.through;
    }
    const one = g(set);
    const missing = more === NOTHING ? truth.lost : NOTHING;
    const s = scoreOf(apart + one, truth.whole, missing, truth.cells.size - cells.length + 1);
    const t = scoreOf(kept + one, g(plus(shared, lostThere)), lostThere, parts);
    return t * (through + set.mass * s) - before + rest(truth, cells) * (s - truth.score);
  };
  // g of a predicted cluster with what it lost, after a cell came (1) or went (-1).
  const wholeAfter = ({ shared: a, lost: b }, { size, mass, entropy }, sign) =>
    content(a.size + b.size + sign * size, a.mass + b.mass + sign * mass, a.entropy + b.entropy + sign * entropy);
  // A cell is put to another one of its true cluster.
  const moved = (truth, cell, home) => {
    const [from, to] = [preds.get(cell.p), preds.get(home.p)];
    const { size, mass, entropy } = cell.set;
    const one = content(size + home.set.size, mass + home.set.mass, entropy + home.set.entropy);
    const s = scoreOf(truth.kept - cell.g - home.g + one, truth.whole, truth.lost, truth.cells.size - 1);
    const left = scoreOf(from.kept - cell.g, wholeAfter(from, cell.set, -1), from.lost, from.parts - 1);
    const host = scoreOf(to.kept - home.g + one, wholeAfter(to, cell.set, 1), to.lost, to.parts);
    const before = from.score * from.through + to.score * to.through;
    const after = left * others(from, truth, cell) + host * (others(to, truth, home) + (mass + home.set.mass) * s);
    return after - before + (truth.through - mass * from.score - home.set.mass * to.score) * (s - truth.score);
  };

  // ---- the operations that Python lists: { operation, gain, … }; `gain` is a mass, and `gone` what leaves the whole

  const KEYS = {
    split: ({ p }) => `split:${p}`,
    merge: ({ t, preds: several }) => `merge:${t}:${several}`,
    move: ({ t, from, to }) => `move:${t}:${from}:${to}`,
    add: ({ t, to }) => `add:${t}:${to ?? ""}`,
    remove: ({ p }) => `remove:${p}`,
  };
  const ordered = (cells) => cells.sort((a, b) => b.set.mass - a.set.mass || a.p - b.p || a.t - b.t);

  const isPure = (cell) => preds.get(cell.p).parts === 1;
  const isClean = (cell) => isPure(cell) && !preds.get(cell.p).lost.size;
  // The first is a true cluster's home: the predicted cluster with its largest cell.
  const largestFirst = (a, b) => b.set.mass - a.set.mass || isClean(b) - isClean(a) || a.p - b.p;
  const home = (truth) => [...truth.cells.values()].sort(largestFirst)[0];

  // A part goes where it gains most: so many of the largest are tried, as in Python.
  const tried = 8;
  const best = (targets, but, gainOf) => {
    let [found, gain] = [null, 0];
    for (const target of targets) {
      if (!target || target === but) continue;
      const would = gainOf(target);
      if (found === null || would > gain) [found, gain] = [target, would];
    }
    return [found, gain];
  };

  const offered = (operation, gain, what) => ({ operation, gain, gone: 0, ...what, key: KEYS[operation](what) });
  const ofPred = (pred) => {
    const found = [];
    if (pred.outside.parts) return found;
    if (pred.cells.size > 1) found.push(offered("split", pred.through * (1 - pred.score), { p: pred.id }));
    if (pred.lost.size) {
      const score = pred.cells.size ? ratio(pred.kept, g(pred.shared), pred.cells.size) : 0;
      found.push(offered("remove", pred.through * (score - pred.score), { p: pred.id, gone: pred.lost.mass }));
    }
    return found;
  };
  const ofTruth = (truth, t) => {
    if (truth.known) return [];
    if (!truth.cells.size) return truth.lost.size ? [offered("add", truth.lost.mass, { t, to: null })] : [];
    const found = [];
    const cells = [...truth.cells.values()].sort(largestFirst);
    const [first] = cells;
    const pure = cells.filter(isPure);
    const hosts = cells.filter((cell) => !isPure(cell));
    const clean = pure.filter(isClean);
    const unclean = cells.filter((cell) => !isClean(cell));
    const places = [first, clean[0], ...unclean.slice(0, tried)];
    if (truth.lost.size) {
      const [to, gain] = best(places, null, (cell) => united(truth, [cell], truth.lost));
      // No worse than in a cluster of their own, if there is one of the true cluster alone.
      const own = clean.length ? -Infinity : united(truth, [], truth.lost);
      found.push(own > gain ? offered("add", own, { t, to: null }) : offered("add", gain, { t, to: to.p }));
    }
    if (cells.length < 2) return found;
    const together = (several) => ({ t, preds: several.map((cell) => cell.p) });
    const before = found.length;
    if (pure.length > 1) found.push(offered("merge", united(truth, pure), together(pure)));
    for (const cell of unclean) {
      const [to, gain] = best(places, cell, (other) => moved(truth, cell, other));
      found.push(offered("move", gain, { t, from: cell.p, to: to.p }));
    }
    if (pure.length && hosts.length) {
      // With its home, unless another gains more than anything else.
      const merged = (host) => offered("merge", united(truth, [host, ...pure]), together([host, ...pure]));
      const atHome = isPure(first) ? [] : [merged(first)];
      const most = [...found.slice(before), ...atHome].reduce((gain, one) => Math.max(gain, one.gain), -Infinity);
      const [host, gain] = best(hosts.slice(0, tried), null, (cell) => united(truth, [cell, ...pure]));
      found.push(...(gain > most + ROUNDING * (truth.shared.mass + truth.lost.mass) ? [merged(host)] : atHome));
    }
    return found;
  };
  // Only what has changed is recomputed.
  const repairs = () => {
    for (const pred of preds.values()) if (pred.changed || !pred.offers) pred.offers = ofPred(pred);
    truths.forEach((truth, t) => {
      if (truth.changed || !truth.offers) truth.offers = ofTruth(truth, t);
    });
    for (const cluster of [...preds.values(), ...truths]) cluster.changed = false;
    return [...[...preds.values()].flatMap((pred) => pred.offers), ...truths.flatMap((truth) => truth.offers)];
  };

  // ---- doing them; returns the parts, each with its cluster before and after, its given cells, the given clusters whose
  // spurious points are with them, and the true cluster whose missing points were found

  const known = (id) => {
    const pred = preds.get(id);
    if (!pred) throw new RangeError(`there is no cluster ${id}`);
    return pred;
  };
  const fresh = () => {
    preds.set(next, { id: next, cells: new Map(), lost: NOTHING, strays: [], outside: NOWHERE, beyond: [] });
    return next++;
  };
  const lose = (pred, { lost: points, strays }) => {
    pred.lost = plus(pred.lost, points);
    pred.strays = [...pred.strays, ...strays];
  };
  const clean = (pred) => Object.assign(pred, { lost: NOTHING, strays: [] });
  const rehouse = (cell, p) => {
    take(cell);
    join({ ...cell, p });
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
        target.beyond.push(...pred.beyond);
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
    // Given cells go to predicted clusters, [cell, cluster] each, whatever cells they have become part of; null is a new
    // cluster, one for each true cluster. Clusters that are left empty are gone.
    gather: ({ moves }) => {
      const own = new Map();
      return moves.map(([i, to]) => {
        const { t } = given[i];
        const cell = [...truths[t].cells.values()].find(({ of }) => of.includes(i));
        if (to === null && !own.has(t)) own.set(t, fresh());
        const target = to ?? own.get(t);
        const part = partOf(i, target);
        take(cell);
        if (cell.of.length > 1 || cell.found) put({ ...cell, set: minus(cell.set, part.set), of: cell.of.filter((at) => at !== i) });
        join(part);
        const left = preds.get(cell.p);
        if (!left.cells.size && !left.lost.size && !left.outside.parts) preds.delete(cell.p);
        return { from: cell.p, to: target, cells: [i], strays: [] };
      });
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
  // With `more` operations to come, the sums are left for the last.
  const apply = (repair, more = false) => {
    const parts = DO[repair.operation](repair);
    if (!more) settle();
    return parts;
  };

  settle();
  return { repairs, apply, lost, charges, home, gone: () => gone, preds, truths };
};

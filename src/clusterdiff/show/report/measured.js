// The measure that the review tells: S_H, or another that follows from a few sums over cells and clusters.
//
// `data.measure.sums` has them for the whole: n, `all` pairs of points and those together in `true`, `pred` and `both`
// clusterings; x·log(x) over true and predicted clusters and over cells (`true_log`, `pred_log`, `both_log`); and m²/a
// and m²/b over cells (`recall`, `precision`).
const measured = (() => {
  const share = (part, whole) => (whole > 0 ? part / whole : 1);
  const mean = (a, b) => (a > 0 && b > 0 ? (2 * a * b) / (a + b) : 0);
  // What is less than rounding is nothing.
  const less = ({ n }, a, b) => (a - b > 1e-12 * n ? a - b : 0);
  const split = (s) => less(s, s.true_log, s.both_log);
  const merge = (s) => less(s, s.pred_log, s.both_log);
  const entropy = (s, of) => less(s, s.n * Math.log(s.n), s[of]);
  const homogeneity = (s) => (merge(s) ? 1 - merge(s) / entropy(s, "true_log") : 1);
  const completeness = (s) => (split(s) ? 1 - split(s) / entropy(s, "pred_log") : 1);
  const precision = (s) => share(s.both, s.pred);
  const recall = (s) => share(s.both, s.true);
  const FORMULAS = {
    rand: (s) => share(s.all + 2 * s.both - s.true - s.pred, s.all),
    ari: (s) => share(2 * (s.both * s.all - s.true * s.pred), (s.true + s.pred) * s.all - 2 * s.true * s.pred),
    "pairs.precision": precision,
    "pairs.recall": recall,
    "pairs.f1": (s) => mean(precision(s), recall(s)),
    jaccard: (s) => share(s.both, s.true + s.pred - s.both),
    fowlkes_mallows: (s) => (s.true || s.pred ? (s.true && s.pred ? s.both / Math.sqrt(s.true * s.pred) : 0) : 1),
    "b3.precision": (s) => s.precision / s.n,
    "b3.recall": (s) => s.recall / s.n,
    "b3.f1": (s) => mean(s.precision / s.n, s.recall / s.n),
    vi: (s) => (split(s) + merge(s)) / s.n,
    "vi.split": (s) => split(s) / s.n,
    "vi.merge": (s) => merge(s) / s.n,
    homogeneity,
    completeness,
    v_measure: (s) => mean(homogeneity(s), completeness(s)),
    nmi: (s) => {
      const below = entropy(s, "true_log") + entropy(s, "pred_log");
      return below ? 1 - (split(s) + merge(s)) / below : 1;
    },
  };

  // ---- sums of some cells [m, a] and predicted clusters [b, the sum of m²]

  const logged = (x) => (x > 0 ? x * Math.log(x) : 0);
  const pairs = (x) => (x * (x - 1)) / 2;
  const summed = (cells, clusters) => {
    const out = { both: 0, pred: 0, both_log: 0, pred_log: 0, recall: 0, precision: 0 };
    for (const [m, a] of cells) {
      out.both += pairs(m);
      out.both_log += logged(m);
      out.recall += (m * m) / a;
    }
    for (const [b, squares] of clusters) {
      if (!b) continue;
      out.pred += pairs(b);
      out.pred_log += logged(b);
      out.precision += squares / b;
    }
    return out;
  };
  const plus = (sums, more, sign = 1) => {
    const out = { ...sums };
    for (const [name, value] of Object.entries(more)) out[name] += sign * value;
    return out;
  };

  const square = (cell) => cell.set.mass ** 2;
  const squaresOf = (pred) => [...pred.cells.values()].reduce((sum, cell) => sum + square(cell), pred.outside.squares || 0);
  const sizeOf = (engine, t) => engine.truths[t].shared.mass;
  const asCell = (engine) => (cell) => [cell.set.mass, sizeOf(engine, cell.t)];
  const asCluster = (pred) => [pred.shared.mass, squaresOf(pred)];
  const ofComponent = (engine) => {
    const preds = [...engine.preds.values()];
    return summed(preds.flatMap((pred) => [...pred.cells.values()].map(asCell(engine))), preds.map(asCluster));
  };
  // The sums of a component that is set right.
  const right = (engine) => {
    const sizes = engine.truths.map((_, t) => sizeOf(engine, t)).filter(Boolean);
    return summed(sizes.map((a) => [a, a]), sizes.map((a) => [a, a * a]));
  };

  // What an operation changes: [cells and clusters before, after].
  const CHANGES = {
    split: (engine, { p }) => {
      const pred = engine.preds.get(p);
      return [[[], [asCluster(pred)]], [[], [...pred.cells.values()].map((cell) => [cell.set.mass, square(cell)])]];
    },
    merge: (engine, { t, preds }) => {
      const clusters = preds.map((id) => engine.preds.get(id));
      const cells = preds.map((id) => engine.truths[t].cells.get(id));
      const mass = cells.reduce((sum, cell) => sum + cell.set.mass, 0);
      const squares = clusters.reduce((sum, pred, i) => sum + squaresOf(pred) - square(cells[i]), mass ** 2);
      const size = clusters.reduce((sum, pred) => sum + pred.shared.mass, 0);
      return [[cells.map(asCell(engine)), clusters.map(asCluster)], [[[mass, sizeOf(engine, t)]], [[size, squares]]]];
    },
    move: (engine, { t, from, to }) => {
      const clusters = [from, to].map((id) => engine.preds.get(id));
      const cells = [from, to].map((id) => engine.truths[t].cells.get(id));
      const [moved, home] = cells.map((cell) => cell.set.mass);
      const [left, host] = clusters.map((pred, i) => squaresOf(pred) - square(cells[i]));
      const after = [[clusters[0].shared.mass - moved, left], [clusters[1].shared.mass + moved, host + (moved + home) ** 2]];
      return [[cells.map(asCell(engine)), clusters.map(asCluster)], [[[moved + home, sizeOf(engine, t)]], after]];
    },
  };
  const changeOf = (engine, repair) => {
    repair.change ||= (([before, after]) => plus(summed(...after), summed(...before), -1))(CHANGES[repair.operation](engine, repair));
    return repair.change;
  };

  // ---- the measure

  const { name = "S_H", sums = null, similarity = true } = data.measure || {};
  const formula = sums ? FORMULAS[name] : null;
  const sign = similarity ? 1 : -1;
  // What it lost to splits and merges, on both ways from truth over the cells to the prediction.
  const lossOf = (s) => {
    const best = similarity ? 1 : 0;
    const now = formula(s);
    const split = formula({ ...s, pred: s.both, pred_log: s.both_log, precision: s.n });
    const merged = formula({ ...s, true: s.both, true_log: s.both_log, recall: s.n });
    return [best - split + merged - now, split - now + best - merged].map((part) => (Math.abs(part) > 1e-13 ? (sign * part) / 2 : 0));
  };
  const LOST = formula ? lossOf(sums).reduce((a, b) => a + b, 0) : data.loss[0];
  return {
    // Whether the review tells another measure than S_H, and what it is called.
    other: Boolean(formula),
    name: formula ? name : "S_H",
    score: formula ? data.measure.score : data.score,
    lost: LOST,
    sums,
    formula,
    lossOf,
    ofComponent,
    right,
    changeOf,
    plus,
    gain: (now, then) => sign * (formula(then) - formula(now)),
  };
})();
const SCORE_NAME = measured.name;

// Components as accepted decisions leave them, in the form of those that came with the page.
const asNow = (() => {
  // What a cluster loses, as a mass: its points' own, and those that the other side lacks.
  const lostBy = ({ shared, lost, score, through }) => shared.mass - score * through + lost.mass;
  const shareOf = (mass, of) => (mass > 1e-12 * of.shared.mass ? mass / data.total : 0);

  const remade = ({ component, engine, names }) => {
    // Of a true cluster that is held in part, cells that are not here lose what they lost before.
    const before = component.outside ? review.fresh(component).truths : [];
    const left = (truth, t, loss) => Math.max(0, loss + (lostBy(truth) - lostBy(before[t])) / data.total);
    const ids = [...engine.preds.keys()];
    const place = new Map(ids.map((id, at) => [id, at]));
    const truths = component.true.map(([name, size, score, loss, single], t) => {
      const truth = engine.truths[t];
      return [name, size, truth.known ? score : truth.score, truth.known ? left(truth, t, loss) : shareOf(lostBy(truth), truth), single, truth.lost.size];
    });
    const preds = ids.map((id) => {
      const pred = engine.preds.get(id);
      const size = pred.shared.size + pred.lost.size;
      return [names.get(id), size, pred.score, shareOf(lostBy(pred), pred), size > 1 ? 0 : (component.pred[id]?.[4] ?? 0), pred.lost.size];
    });
    const cells = ids.flatMap((id) => [...engine.preds.get(id).cells.values()].map(({ t, set }) => [t, place.get(id), set.size]));
    // What a cluster would gain in another measure is known only where nothing changed, or nothing is left to gain.
    const same = (row, old) => Boolean(old) && old[1] === row[1] && Math.abs(old[3] - row[3]) < 1e-6 * old[3];
    const cost = (rows, old, costs, at) => rows.map((row, i) => (row[3] ? (same(row, old[at(i)]) ? costs[at(i)] : null) : 0));
    const costs = component.costs && [cost(truths, component.true, component.costs[0], (i) => i), cost(preds, component.pred, component.costs[1], (i) => ids[i])];
    return { ...component, true: truths, pred: preds, cells, costs, byCluster: undefined, places: { pred: ids.map((id) => (id < component.pred.length ? id : null)) } };
  };
  // A component that groups put right where the page does not hold it: known once nothing is left to fix.
  const settled = (component) => {
    const rows = component.true.map(([name, size, , , single]) => [name, size, 1, 0, single, 0]);
    const cells = rows.map(([, size], t) => [t, t, size]);
    return { ...component, true: rows, pred: rows.map(([name, size]) => [name, size, 1, 0, 1, 0]), cells, costs: component.costs && [rows.map(() => 0), rows.map(() => 0)], byCluster: undefined, beyond: true };
  };

  return (component) => {
    if (groups.locked(component, review.decisions)) return review.isLeft() ? component : settled(component);
    const work = review.repairedOf(component);
    if (!work) return component;
    if (work.madeOf !== work.lost) Object.assign(work, { madeOf: work.lost, now: remade(work) });
    return work.now;
  };
})();

// The review: which repairs were accepted or rejected, what the score is then, and what is left to decide.
const review = (() => {
  // A browser may keep nothing for a file; the review then lasts as long as the page.
  const text = $("data").textContent;
  let sum = 0x811c9dc5;
  for (let i = 0; i < text.length; i += 1) sum = Math.imul(sum ^ text.charCodeAt(i), 0x01000193);
  const PLACE = `clusterdiff-review-${(sum >>> 0).toString(16)}-${text.length}`;
  const GAIN = 1e-14; // what is less is rounding

  const engines = new Map();
  const listeners = [];
  const decisions = [];

  // ---- what the page holds, as the engine wants it

  const bag = (row, at) => ({ size: row[at], mass: row[at + (data.weighted ? 1 : 0)], entropy: data.weighted ? row[at + 2] : 0 });
  const OUTSIDE = ["parts", "size", "mass", "entropy", "kept", "through", "split", "missing"];
  const made = (component) => {
    const side = (rows, more) => rows.map((row, i) => ({ ...(data.uneven ? { lost: bag(row, 5) } : {}), ...more(i) }));
    const left = component.outside || { true: {}, pred: {} };
    return whatIf({
      unit: data.unit,
      uneven: data.uneven,
      cells: component.cells.map((row) => ({ t: row[0], p: row[1], ...bag(row, 2) })),
      truths: side(component.true, (i) => ({ known: left.true[i] })),
      preds: side(component.pred, (i) =>
        left.pred[i] ? { outside: Object.fromEntries(OUTSIDE.map((name, at) => [name, left.pred[i][at]])) } : {},
      ),
    });
  };
  const worked = (component) => {
    if (!engines.has(component.id)) {
      const engine = made(component);
      const names = new Map(component.pred.map((row, i) => [i, row[0]]));
      const first = engine.lost();
      engines.set(component.id, { component, engine, names, first, lost: first, repairs: engine.repairs() });
    }
    return engines.get(component.id);
  };

  // ---- names of new clusters: whole numbers go on after the largest, others get a number after their origin's name

  const { numbers, fresh } = data.patch;
  let counters = new Map();
  const freshName = (origin, counted = counters) => {
    const of = numbers ? null : plainText(origin);
    const next = counted.get(of) ?? BigInt(plainText(fresh));
    counted.set(of, next + 1n);
    if (!numbers) return `${of}.${next}`;
    return next < 2n ** 53n ? Number(next) : [String(next), 1];
  };

  // ---- the whole

  const totals = () => {
    let mass = data.total;
    const parts = data.loss.slice(1).map((part) => part * data.total);
    for (const { engine, first, lost } of engines.values()) {
      if (lost === first) continue;
      mass -= engine.gone();
      lost.forEach((part, i) => {
        parts[i] += part - first[i];
      });
    }
    const loss = parts.map((part) => (mass > 0 && part > 1e-13 * mass ? part / mass : 0));
    return { mass, loss, score: 1 - loss.reduce((a, b) => a + b, 0) };
  };
  const gainOf = (repair, { mass, score }) => {
    const rest = mass - repair.gone;
    if (!repair.gone) return repair.gain / mass;
    return (rest > 0 ? (score * mass + repair.gain) / rest : 1) - score;
  };

  // ---- deciding

  const rejected = () => new Set(decisions.filter((one) => !one.accepted).map((one) => `${one.component.id}/${one.repair.key}`));
  const listed = (work, whole, without) =>
    work.repairs
      .map((repair) => ({ component: work.component, repair, gain: gainOf(repair, whole) }))
      .filter((one) => one.gain > GAIN && !without.has(`${one.component.id}/${one.repair.key}`));
  // What is left to decide, best first: of one component, or of all that the page holds.
  const remaining = (component) => {
    const whole = totals();
    const without = rejected();
    const among = component ? [component] : data.components.filter((one) => one.loss[0] > 0);
    return among.flatMap((one) => listed(worked(one), whole, without)).sort((a, b) => b.gain - a.gain);
  };

  // The given cells of a predicted cluster, and whether it has others that the page does not hold.
  const heldOf = (engine, id) => {
    const pred = engine.preds.get(id);
    return pred && { cells: [...pred.cells.values()].flatMap((cell) => cell.of), outside: pred.outside.parts > 0 };
  };
  const carryOut = (work, repair) => {
    const { engine, names, component } = work;
    const held = new Map([repair.p, repair.from, repair.to, ...(repair.preds || [])].map((id) => [id, heldOf(engine, id)]));
    const parts = engine.apply(repair);
    for (const { from, to, found } of parts) {
      if (to !== null && !names.has(to)) names.set(to, freshName(found === undefined ? names.get(from) : component.true[found][0]));
    }
    work.repairs = engine.repairs();
    work.lost = engine.lost();
    return { parts, held, names: new Map(names) };
  };
  const decide = (component, repair, accepted) => {
    const work = worked(component);
    const gain = gainOf(repair, totals());
    const one = { component, repair, accepted, gain, words: wordsOf(work, repair), before: new Map(counters) };
    if (accepted) {
      Object.assign(one, { affected: affected(work, repair) }, carryOut(work, repair));
    }
    one.score = totals().score;
    decisions.push(one);
    return one;
  };
  // What was done to a component before, done again; new clusters keep the names that they had got.
  const again = (component) => {
    const { engine, names, first } = { ...engines.get(component.id), engine: made(component) };
    const mine = decisions.filter((one) => one.accepted && one.component === component);
    mine.forEach((one, i) => engine.apply(one.repair, i < mine.length - 1));
    const called = mine.length ? mine.at(-1).names : new Map([...names].filter(([id]) => id < component.pred.length));
    const lost = mine.length ? engine.lost() : first;
    engines.set(component.id, { component, engine, names: new Map(called), first, lost, repairs: engine.repairs() });
  };
  const undo = () => {
    const last = decisions.pop();
    if (!last) return null;
    if (last.accepted) {
      again(last.component);
      counters = last.before;
    }
    keep();
    return last;
  };
  const putBack = (one) => {
    decisions.splice(decisions.indexOf(one), 1);
    keep();
  };

  // ---- remembering

  const keep = () => {
    const told = decisions.map((one) => [one.component.id, one.repair.key, Number(one.accepted)]);
    try {
      if (told.length) remembered?.setItem(PLACE, JSON.stringify(told));
      else remembered?.removeItem(PLACE);
    } catch {
      // There is no room: the review lasts as long as the page.
    }
    for (const listen of listeners) listen();
  };
  const recall = () => {
    let told = [];
    try {
      told = JSON.parse(remembered?.getItem(PLACE) || "[]");
    } catch {
      return;
    }
    for (const [id, key, accepted] of told) {
      const component = components.get(id);
      const repair = component && worked(component).repairs.find((one) => one.key === key);
      if (!repair) return;
      decide(component, repair, Boolean(accepted));
    }
  };

  return {
    decisions,
    worked,
    remaining,
    totals,
    accept: (component, repair) => {
      const one = decide(component, repair, true);
      keep();
      return one;
    },
    reject: (component, repair) => {
      const one = decide(component, repair, false);
      keep();
      return one;
    },
    undo,
    putBack,
    recall,
    listen: (listener) => listeners.push(listener),
    kept: () => remembered !== null,
  };
})();

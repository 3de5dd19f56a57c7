// The review: which repairs were accepted or rejected, what the score is then, and what is left to decide.
const review = (() => {
  // A browser may keep nothing for a file; the review then lasts as long as the page.
  const text = $("data").textContent;
  let sum = 0x811c9dc5;
  for (let i = 0; i < text.length; i += 1) sum = Math.imul(sum ^ text.charCodeAt(i), 0x01000193);
  const PLACE = `clusterdiff-review-${(sum >>> 0).toString(16)}-${text.length}`;
  const GAIN = measured.other ? 1e-12 : 1e-14; // what is less is rounding

  const engines = new Map();
  const listeners = [];
  const decisions = [];
  // Judgements that came with the page (`given`) or from a file; what was taken back of them is withdrawn.
  const loaded = [];
  let facts = factsOf([]);

  // ---- what the page holds, as the engine wants it

  const bag = (row, at) => ({ size: row[at], mass: row[at + (data.weighted ? 1 : 0)], entropy: data.weighted ? row[at + 2] : 0 });
  const OUTSIDE = ["parts", "size", "mass", "entropy", "kept", "through", "split", "missing", "squares"];
  const made = (component) => {
    const side = (rows, more) => rows.map((row, i) => ({ ...(data.uneven ? { lost: bag(row, 5) } : {}), ...more(i) }));
    const left = component.outside || { true: {}, pred: {} };
    return whatIf({
      unit: data.unit,
      uneven: data.uneven,
      cells: cellRows(component).map((row) => ({ t: row[0], p: row[1], ...bag(row, 2) })),
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
      const sums = measured.other ? measured.ofComponent(engine) : null;
      engines.set(component.id, { component, engine, names, first, lost: first, firstSums: sums, sums, repairs: engine.repairs() });
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
    const { loss: elsewhere, gone, sums: beyond } = groups.rest(decisions);
    let mass = data.total - gone;
    const parts = data.loss.slice(1).map((part, i) => part * data.total + elsewhere[i]);
    for (const { engine, first, lost } of engines.values()) {
      if (lost === first) continue;
      mass -= engine.gone();
      lost.forEach((part, i) => {
        parts[i] += part - first[i];
      });
    }
    if (measured.other) {
      let sums = measured.plus(measured.sums, beyond);
      for (const work of engines.values()) if (work.lost !== work.first) sums = measured.plus(measured.plus(sums, work.sums), work.firstSums, -1);
      return { mass, sums, loss: measured.lossOf(sums), score: measured.formula(sums) };
    }
    const loss = parts.map((part) => (mass > 0 && part > 1e-13 * mass ? part / mass : 0));
    return { mass, loss, score: 1 - loss.reduce((a, b) => a + b, 0) };
  };
  const gainOf = (work, repair, { mass, sums, score }) => {
    if (measured.other) return measured.gain(sums, measured.plus(sums, measured.changeOf(work.engine, repair)));
    const rest = mass - repair.gone;
    if (!repair.gone) return repair.gain / mass;
    return (rest > 0 ? (score * mass + repair.gain) / rest : 1) - score;
  };

  // ---- deciding

  const placeOf = (component, repair) => `${component.id}/${repair.key}`;
  const rejected = () => new Set(decisions.filter((one) => !one.accepted).map((one) => placeOf(one.component, one.repair)));
  const forbids = (work) => {
    if (!judging.concerned(facts, work.component)) return () => false;
    return (repair) => judging.forbidden(facts, work, repair);
  };
  const listed = (work, whole, without) => {
    const isForbidden = forbids(work);
    if (groups.locked(work.component, decisions)) return [];
    return work.repairs
      .map((repair) => ({ component: work.component, repair, gain: gainOf(work, repair, whole) }))
      .filter((one) => one.gain > GAIN && !without.has(placeOf(one.component, one.repair)) && !isForbidden(one.repair));
  };
  const costly = () => data.components.filter((one) => one.loss[0] > 0);
  // Greatest gain first; of gains on the same step, each 10% below the one before, the repair that moves fewest points.
  const inOrder = (found) => {
    const most = found.reduce((gain, one) => Math.max(gain, one.gain), 0);
    for (const one of found) {
      one.step = Math.floor(Math.log(one.gain / most) / Math.log(0.9));
      one.affected = affected(worked(one.component), one.repair);
    }
    return found.sort((a, b) => a.step - b.step || a.affected - b.affected || b.gain - a.gain);
  };
  // What is left to decide, best first: of one component, or of all that the page holds.
  const remaining = (component) => {
    const whole = totals();
    const without = rejected();
    const among = component ? [component] : costly();
    return inOrder(among.flatMap((one) => listed(worked(one), whole, without)));
  };

  const carryOut = (work, repair) => {
    const { engine, names, component } = work;
    const parts = engine.apply(repair);
    for (const { from, to, found } of parts) {
      if (to !== null && !names.has(to)) names.set(to, freshName(found === undefined ? names.get(from) : component.true[found][0]));
    }
    work.repairs = engine.repairs();
    work.lost = engine.lost();
    if (measured.other) work.sums = measured.ofComponent(engine);
    return { parts, names: new Map(names) };
  };
  // `from` is the author of loaded judgements that decided it; undefined if it was decided here.
  const decide = (component, repair, accepted, { at = new Date().toISOString(), from } = {}) => {
    const work = worked(component);
    const gain = gainOf(work, repair, totals());
    const one = { component, repair, accepted, gain, at, from, words: wordsOf(work, repair), claims: judging.claimsOf(work, repair, accepted) };
    if (accepted) {
      Object.assign(one, { affected: affected(work, repair) }, carryOut(work, repair));
    }
    one.score = totals().score;
    decisions.push(one);
    return one;
  };
  const own = () => decisions.filter((one) => one.from === undefined);
  const claimed = () => own().flatMap((one) => one.claims);
  const learn = () => {
    facts = factsOf([...loaded, ...claimed()]);
  };
  // Decide and remember it, unless loaded judgements say otherwise: then it is the judgement that does.
  const settle = (component, repair, accepted) => {
    const claims = judging.claimsOf(worked(component), repair, accepted);
    const { clash } = factsOf([...loaded, ...claimed(), ...claims]);
    if (clash) return { clash };
    const one = decide(component, repair, accepted);
    learn();
    keep();
    return one;
  };

  // Put a group right, the next in turn: where the page holds all of a component it is done here, elsewhere its effect
  // is known. `from` is as above.
  const decideGroup = (number, { at = new Date().toISOString(), from } = {}) => {
    const before = totals().score;
    for (const component of groups.components(number)) {
      const work = worked(component);
      groups.carryOut(work, number, (to, t) => work.names.set(to, freshName(component.true[t][0])));
      work.repairs = work.engine.repairs();
      work.lost = work.engine.lost();
      if (measured.other) work.sums = measured.ofComponent(work.engine);
    }
    const one = { group: number, accepted: true, at, from, claims: groups.claimsOf(number), affected: data.groups[number].points };
    one.words = [`group: ${data.groups[number].words}`];
    decisions.push(one);
    one.score = totals().score;
    one.gain = Math.abs(one.score - before);
    return one;
  };
  // Accept a group, with those above it; { open } are single repairs that have to be undone first.
  const settleGroup = (number) => {
    const open = groups.hindered(number, decisions);
    if (open.length) return { open };
    const first = groups.accepted(decisions);
    const claims = data.groups.slice(first, number + 1).flatMap((_, i) => groups.claimsOf(first + i));
    const { clash } = factsOf([...loaded, ...claimed(), ...claims]);
    if (clash) return { clash };
    for (let next = first; next <= number; next += 1) decideGroup(next);
    learn();
    keep();
    return decisions.at(-1);
  };

  // All of some decisions, done again from the start; those that need one which is not among them are left out.
  const replay = (told) => {
    engines.clear();
    decisions.length = 0;
    counters = new Map();
    let lost = 0;
    for (const [id, key, accepted, at, from] of told) {
      if (id === "group") {
        if (groups.accepted(decisions) === key && data.groups[key]) decideGroup(key, { at, from: from ?? undefined });
        else lost += 1;
        continue;
      }
      const component = components.get(id);
      const repair = component && worked(component).repairs.find((one) => one.key === key);
      if (repair) decide(component, repair, Boolean(accepted), { at, from: from ?? undefined });
      else lost += 1;
    }
    learn();
    return lost;
  };
  const toldOf = (one) => one.group !== undefined ? ["group", one.group, 1, one.at, one.from ?? null] : [one.component.id, one.repair.key, Number(one.accepted), one.at, one.from ?? null];
  // What loaded judgements say of a repair is taken back with the decision: those that were made of it; else those within
  // its points, or, if it still follows from others, all that touch them.
  const withdraw = (one) => {
    if (one.group !== undefined) {
      for (const judgement of loaded) if (judgement.group >= one.group) judgement.withdrawn = true;
      return;
    }
    const made = loaded.filter(({ repair, at }) => repair && at === one.at && repair[0] === one.component.id && repair[1] === one.repair.key);
    for (const judgement of made) judgement.withdrawn = true;
    learn();
    if (made.length) return;
    const work = worked(one.component);
    const points = new Set(one.claims.flatMap((claim) => claim.groups.flat()));
    const inside = (judgement) => judgement.groups.flat().filter((point) => points.has(point)).length;
    for (const least of [2, 1]) {
      for (const judgement of loaded) if (inside(judgement) >= least) judgement.withdrawn = true;
      learn();
      const repair = work.repairs.find(({ key }) => key === one.repair.key);
      if (!repair || !(judging.demanded(facts, work, repair) || judging.forbidden(facts, work, repair))) return;
    }
  };
  // Any decision can be taken back; returns it, and how many went with it because they were about what it had made.
  const undo = (one = decisions.at(-1)) => {
    if (!one) return null;
    const lost = replay(decisions.filter((other) => other !== one).map(toldOf));
    if (one.from !== undefined) withdraw(one);
    keep();
    return { ...one, lost };
  };

  // ---- judgements of others

  // Decisions of a page like this one, in their order: a judgement says of which repair it was made.
  const retrace = (judgements) => {
    for (const { group, withdrawn, by, at } of judgements) {
      if (!withdrawn && group !== undefined && group === groups.accepted(decisions) && !groups.hindered(group, decisions).length) decideGroup(group, { at, from: by ?? "" });
    }
    const made = new Map();
    for (const one of judgements) {
      if (!one.repair || one.withdrawn) continue;
      const key = JSON.stringify([one.repair, one.by, one.at]);
      made.set(key, [...(made.get(key) || []), one]);
    }
    for (const mine of made.values()) {
      const [{ repair: [id, key, accepted], by, at }] = mine;
      const component = components.get(id);
      const repair = component && worked(component).repairs.find((one) => one.key === key);
      if (repair && judging.isMadeOf(worked(component), repair, Boolean(accepted), mine)) decide(component, repair, Boolean(accepted), { at, from: by ?? "" });
    }
  };
  // What loaded judgements decide of the repairs that are offered: accepted if they say all that it claims, and what
  // comes then; rejected if they forbid it.
  const follow = () => {
    const authors = new Map();
    for (const { by, groups: told, withdrawn } of loaded) {
      if (withdrawn || by == null) continue;
      for (const point of told.flat()) authors.set(point, (authors.get(point) ?? new Set()).add(by));
    }
    const who = (component) => [...new Set([...pointsHere(component)].flatMap((point) => [...(authors.get(point) ?? [])]))].join(", ");
    // What decisions of a page rule out is not listed: it comes back with them.
    const retraced = new Set(decisions.map((one) => one.component));
    for (const component of facts.some ? costly() : []) {
      if (!judging.concerned(facts, component)) continue;
      const work = worked(component);
      const decided = rejected();
      const isOpen = (repair, whole) => gainOf(work, repair, whole) > GAIN && !decided.has(placeOf(component, repair));
      for (;;) {
        const whole = totals();
        const open = work.repairs.filter((repair) => isOpen(repair, whole));
        const demanded = open.filter((repair) => judging.demanded(facts, work, repair) && !judging.forbidden(facts, work, repair));
        const next = demanded.sort((a, b) => gainOf(work, b, whole) - gainOf(work, a, whole))[0];
        if (next) {
          decide(component, next, true, { from: who(component) });
          continue;
        }
        for (const repair of retraced.has(component) ? [] : open) if (judging.forbidden(facts, work, repair)) decide(component, repair, false, { from: who(component) });
        break;
      }
    }
  };
  const pointsHere = (component) => {
    component.texts ||= new Set(pointsIn(component, component.cells.map((_, i) => i)).map((point) => plainText(point[1])));
    return component.texts;
  };
  // Load the judgements of a file: { added } says how many are new; { clash } which of them contradicts others, or what
  // was decided here: then nothing is loaded.
  const load = (judgements) => {
    const known = new Set(loaded.map((one) => JSON.stringify(one.line)));
    const news = judgements.filter((one) => !known.has(JSON.stringify(one.line)));
    const { clash } = factsOf([...loaded, ...news, ...claimed()]);
    if (clash) return { clash };
    loaded.push(...news);
    learn();
    const before = decisions.length;
    retrace(news);
    follow();
    keep();
    return { added: news.length, decided: decisions.length - before };
  };

  // ---- remembering

  const keep = () => {
    const files = loaded.filter((one) => !one.given).map((one) => one.line);
    const withdrawn = loaded.flatMap((one, i) => (one.withdrawn && !one.line.withdrawn ? [i] : []));
    const told = { decisions: decisions.map(toldOf), files, withdrawn };
    try {
      if (decisions.length || loaded.length) remembered?.setItem(PLACE, JSON.stringify(told));
      else remembered?.removeItem(PLACE);
    } catch {
      // There is no room: the review lasts as long as the page.
    }
    for (const listen of listeners) listen();
  };
  const recall = () => {
    loaded.push(...judging.given());
    let told = null;
    try {
      told = JSON.parse(remembered?.getItem(PLACE) || "null");
      if (told) loaded.push(...judging.parsed(told.files.map((line) => JSON.stringify(line)).join("\n")));
    } catch {
      told = null;
    }
    for (const i of told?.withdrawn || []) loaded[i].withdrawn = true;
    learn();
    if (told) {
      replay(told.decisions);
      return;
    }
    retrace(loaded);
    follow();
  };

  // ---- what leaves the page

  // The components in which repairs were accepted, as they are now.
  const isRepaired = (work) => work.lost !== work.first;
  const repaired = () => [...engines.values()].filter(isRepaired);
  const repairedOf = (component) => [engines.get(component.id)].find((work) => work && isRepaired(work));
  // What a component loses now: [total, split, merge, missing, spurious], as shares of the whole.
  const lossOf = (component) => {
    const work = engines.get(component.id);
    if (groups.locked(component, decisions) && !isLeft()) return component.loss.map(() => 0);
    if (!work || work.lost === work.first) return component.loss;
    const parts = work.lost.map((part, i) => component.loss[i + 1] + (part - work.first[i]) / data.total).map((part) => (part > 1e-13 ? part : 0));
    return [parts.reduce((sum, part) => sum + part, 0), ...parts];
  };
  // What a component would gain in another measure: known where nothing was decided, or nothing is left.
  const costOf = (component) => {
    const [loss] = lossOf(component);
    return loss === component.loss[0] ? component.cost : loss > ROUNDING ? null : 0;
  };
  const isLeft = () => Math.abs(totals().loss.reduce((sum, part) => sum + part, 0)) >= 1e-12;

  // Loaded judgements as they came, and a line or more for each decision that was made here; `left` counts those that
  // have no form as a judgement, `references` the lines that name cells.
  const lines = (by) => {
    const mine = own().flatMap((one) =>
      one.group !== undefined ? groups.linesOf(one, by) : one.claims.map((claim, i, all) =>
        judging.lineOf(one.component, claim, {
          id: `${by || "review"} ${one.at}${all.length > 1 ? `.${i + 1}` : ""}`,
          ...(by ? { by } : {}),
          at: one.at,
          repair: [one.component.id, one.repair.key, Number(one.accepted)],
          why: `${one.accepted ? "accepted" : "rejected"}: ${inWords(one.words)}`,
        }),
      ),
    );
    const theirs = loaded.map((one) => (one.withdrawn ? { ...one.line, withdrawn: true } : one.line));
    return {
      text: [...theirs, ...mine].map((line) => `${JSON.stringify(line)}\n`).join(""),
      count: theirs.length + mine.length,
      left: own().filter((one) => (one.group === undefined ? !one.claims.length : data.groups[one.group].missing || data.groups[one.group].spurious)).length,
      references: [...theirs, ...mine].filter((line) => line.cells || (line.digest && !line.groups)).length,
    };
  };

  return {
    decisions,
    worked,
    fresh: made,
    repaired,
    repairedOf,
    lossOf,
    costOf,
    isLeft,
    remaining,
    totals,
    accept: (component, repair) => settle(component, repair, true),
    reject: (component, repair) => settle(component, repair, false),
    acceptGroup: settleGroup,
    undo,
    recall,
    load,
    lines,
    listen: (listener) => listeners.push(listener),
    kept: () => remembered !== null,
  };
})();

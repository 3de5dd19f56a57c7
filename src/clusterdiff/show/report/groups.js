// Groups of points that are put right whole: what accepting them does, here and where the page does not hold their points.
const groups = (() => {
  const NOTHING = { loss: [0, 0, 0, 0], gone: 0, sums: {}, shapes: {} };
  // They are accepted in their order: each gain is the one after those above.
  const accepted = (decisions) => decisions.filter((one) => one.group !== undefined).length;
  // What the accepted ones change in components that the page does not hold whole.
  const rest = (decisions) => data.groups[accepted(decisions) - 1]?.rest || NOTHING;
  // A component of which the page holds a part is put right without it, so no single repair of it may come in between.
  const locked = (component, decisions) => (component.locks || []).some((number) => number < accepted(decisions));
  const hindered = (number, decisions) =>
    decisions.filter((one) => one.accepted && one.component?.locks?.some((lock) => lock <= number));

  const hasLost = (component) => data.uneven && [...component.true, ...component.pred].some((row) => row[5] > 0);
  const components = (number) => {
    const { missing, spurious } = data.groups[number];
    return data.components.filter((one) => one.grouped && (groupOf(one).includes(number) || ((missing || spurious) && hasLost(one))));
  };
  // The group of each row of cells, and the row where the points of each true cluster belong, if there is one.
  const groupOf = (component) => (component.groupOf ||= [...component.grouped, ...(component.parts || []).map(([group]) => group)]);
  const homesOf = (component) => {
    component.homes ||= new Map(component.cells.flatMap(([t], i) => (component.grouped[i] < 0 ? [[t, i]] : [])));
    return component.homes;
  };

  // The points of a group go to where the rest of their true cluster is, or to a cluster of their own.
  const carryOut = (work, number, name) => {
    const { component, engine } = work;
    const { missing, spurious } = data.groups[number];
    work.own ||= new Map();
    cellRows(component);
    const holding = (t, i) => [...engine.truths[t].cells.values()].find(({ of }) => of.includes(i)).p;
    const homeOf = (t) => {
      if (homesOf(component).has(t)) return holding(t, homesOf(component).get(t));
      return engine.preds.has(work.own.get(t)) ? work.own.get(t) : null;
    };
    const called = (to, t) => {
      if (to === null || work.names.has(to)) return;
      name(to, t);
      work.own.set(t, to);
    };
    const moves = groupOf(component).flatMap((group, i) => {
      const [t] = component.rows[i];
      return group === number && holding(t, i) !== homeOf(t) ? [[i, homeOf(t)]] : [];
    });
    engine.apply({ operation: "gather", moves }, true).forEach(({ to }, at) => called(to, component.rows[moves[at][0]][0]));
    engine.truths.forEach((truth, t) => {
      if (missing && truth.lost.size) for (const { to } of engine.apply({ operation: "add", t, to: homeOf(t) }, true)) called(to, t);
    });
    for (const pred of spurious ? [...engine.preds.values()] : []) if (pred.lost.size) engine.apply({ operation: "remove", p: pred.id }, true);
    engine.apply({ operation: "gather", moves: [] }); // all sums, once
  };

  // What accepting a group claims: the points of a true cluster that it moves belong to the rest of it, and not to those
  // that they leave behind. None, unless the page holds all of its points.
  const claimsOf = (number) => {
    const isHeld = (component) => groupOf(component).every((group, i) => group !== number || judging.holds(component, [i]));
    const touched = components(number);
    if (judging.refused || data.groups[number].beyond || !touched.every(isHeld)) return [];
    const claims = touched.flatMap((component) => {
      const rows = cellRows(component);
      const [moved, inside] = [new Map(), new Map()];
      rows.forEach(([t, p], i) => {
        inside.set(p, [...(inside.get(p) || []), i]);
        if (groupOf(component)[i] === number) moved.set(t, [...(moved.get(t) || []), i]);
      });
      return [...moved].flatMap(([t, cells]) => {
        const home = homesOf(component).get(t);
        const together = home === undefined ? cells : [...cells, home];
        const left = new Set(cells.map((i) => rows[i][1]));
        const behind = [...left].flatMap((p) => inside.get(p)).filter((i) => rows[i][0] !== t);
        return behind.length ? behind.map((i) => judging.claim(component, [together, [i]])) : [judging.claim(component, [together])];
      });
    });
    return claims.every(({ component, cells }) => judging.holds(component, cells.flat())) ? claims : [];
  };
  // Whether the page holds all components of the accepted groups whole.
  const areHeld = (decisions) => {
    const number = accepted(decisions) - 1;
    return number < 0 || data.groups[number].beyond === 0;
  };
  // A group leaves as judgements, or by its number, and `clusterdiff judgements --expand` names its points.
  const linesOf = ({ group, at, claims }, by) => {
    if (judging.refused) return [];
    const { words, digest } = data.groups[group];
    const line = (more) => ({
      id: `${by || "review"} ${at} group ${group + 1}${more}`,
      ...(by ? { by } : {}),
      at,
      why: `accepted: ${words}`,
      group,
      digest,
      measure: data.measure?.name ?? "S_H",
    });
    if (!claims.length) return [{ ...line(""), comparison: judging.comparison }];
    return claims.map((claim, i) => judging.lineOf(claim.component, claim, line(claims.length > 1 ? `.${i + 1}` : "")));
  };

  return { accepted, rest, locked, hindered, components, carryOut, areHeld, claimsOf, linesOf };
})();

// Groups as people see them: what is left of them to accept, on the first tab and in the review.
const groupsPanel = (() => {
  const asNumber = number;
  const buttons = (number, say, next) => {
    const done = groups.accepted(review.decisions);
    if (number < done) return [element("span", { class: "done" }, "accepted")];
    if (!review.isLeft()) return [];
    if (number > done && next) return []; // one at a time, where there is little room
    const text = number > done ? "Accept with those above" : "Accept";
    const accept = () => {
      const one = review.acceptGroup(number);
      if (one.open) {
        say(`Not accepted: ${counted(one.open.length, "single repair")} of the same component ${one.open.length === 1 ? "was" : "were"} accepted before. Undo ${one.open.length === 1 ? "it" : "them"} first.`);
        return;
      }
      if (one.clash) {
        say(`Not accepted: ${judgementsPanel.calledOf(one.clash)} contradicts it. Withdraw that one first.`);
        return;
      }
      say(`Accepted: ${data.groups[number].words}. ${SCORE_NAME} is now ${asNumber(one.score)}.`);
    };
    return [element("button", { type: "button", class: "accept-group", "aria-label": `${text}: ${data.groups[number].words}`, onclick: accept }, text)];
  };
  const draw = (say) => {
    for (const row of document.querySelectorAll("[data-group]")) {
      const number = Number(row.dataset.group);
      row.classList.toggle("settled", number < groups.accepted(review.decisions) || !review.isLeft());
      const place = row.querySelector(".verdict");
      place.replaceChildren(...buttons(number, say, place.classList.contains("next")));
    }
  };
  return { draw };
})();

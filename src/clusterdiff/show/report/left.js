// What accepted repairs leave of the loss: on the strip, in the patterns and in the list of components.
const leftPanel = (() => {
  const NONE = 1e-12;
  const sum = (parts) => parts.reduce((all, part) => all + part, 0);
  const scaled = (parts, by) => parts.map((part) => part * by);
  const plus = (parts, more) => parts.map((part, i) => part + (more[i] ?? 0));

  // ---- shapes: masses of [split, merge, missing, spurious] by line of the patterns

  // What changed in a tangle concerns its edits, by what they cost.
  const EDITS = Object.entries(data.shapes).map(([key, { tangled }]) => [key, sum(tangled)]);
  const TANGLED = sum(EDITS.map(([, loss]) => loss));
  const linesOf = (shape) => (shape === "tangle" ? EDITS.map(([key, loss]) => [key, loss / TANGLED]) : [[shape, 1]]);
  const shapesNow = () => {
    const now = new Map(Object.entries(data.shapes).map(([key, { loss }]) => [key, loss]));
    const add = (shape, parts) => {
      const key = now.has(shape) ? shape : now.has("rarer") ? "rarer" : [...now.keys()].at(-1);
      now.set(key, plus(now.get(key), parts));
    };
    for (const [shape, parts] of Object.entries(groups.rest(review.decisions).shapes)) add(shape, parts);
    for (const { component, lost, first } of review.repaired()) {
      const change = plus(lost, scaled(first, -1));
      for (const [shape, share] of linesOf(component.shape)) add(shape, scaled(change, share));
    }
    return now;
  };
  // Of other measures than S_H, in proportion, so that the lines add up to what is left.
  const sharesNow = (left) => {
    const lost = data.loss[0] * data.total;
    const now = shapesNow();
    const lines = new Map([...now].map(([key, parts]) => [key, Math.max(0, sum(parts) / lost)]));
    if (!data.measure) return lines;
    const told = new Map([...lines].map(([key, share]) => {
      const before = sum(data.shapes[key].loss) / lost;
      return [key, before > 0 ? (data.shapes[key].share * share) / before : 0];
    }));
    const whole = sum([...told.values()]);
    return new Map([...told].map(([key, share]) => [key, whole > 0 ? (share * left) / whole : 0]));
  };

  // ---- drawing

  // The parts of a bar, each so many times as wide as it was.
  const stretch = (svg, factors) => {
    let x = 0;
    [...(svg?.children ?? [])].forEach((rect, i) => {
      rect.dataset.width ??= rect.getAttribute("width");
      const width = rect.dataset.width * Math.max(0, factors[i] ?? factors.at(-1));
      rect.setAttribute("x", x);
      rect.setAttribute("width", width);
      x += width;
    });
  };
  const ofShapes = (left) => {
    const shares = sharesNow(left);
    for (const line of document.querySelectorAll(".shapes li")) {
      const { share: before } = data.shapes[line.dataset.line];
      const now = shares.get(line.dataset.line) ?? 0;
      const told = line.querySelector("b.n");
      told.textContent = percent(now < NONE ? 0 : now);
      told.dataset.value = now;
      told.title = now === before ? "" : `${percent(before)} before the review`;
      line.classList.toggle("settled", now < NONE);
      stretch(line.querySelector("svg.bar"), [before > 0 ? now / before : 0]);
    }
  };
  const ofStrip = (loss, accepted) => {
    const shares = document.querySelector("#strip .shares");
    if (!shares || (data.measure && !measured.other)) return;
    const before = PARTS.map(([kind]) => Number($(`loss-${kind}`)?.dataset.value ?? 0));
    const whole = sum(before);
    const factors = [];
    PARTS.forEach(([kind], i) => {
      const output = $(`loss-${kind}`);
      if (!output) return;
      const part = accepted ? loss[i] : before[i];
      output.closest(".part").querySelector("b").textContent = percent(Math.abs(part) < NONE ? 0 : part / whole);
      factors.push(before[i] ? part / before[i] : 0);
    });
    stretch(shares.querySelector("svg"), factors);
    shares.title = accepted ? "What is left of the loss, as shares of the loss before the review" : "";
  };
  const ofComponents = () => {
    for (const row of document.querySelectorAll("#list .row")) {
      const component = components.get(Number(row.dataset.id));
      row.querySelector("td.loss").replaceChildren(lossCell(component));
      row.querySelector("td.cost")?.replaceWith(...costCell(review.costOf(component)));
      row.classList.toggle("settled", component.loss[0] > 0 && review.lossOf(component)[0] < NONE);
    }
  };
  // Confusions that are no more: no point of the true cluster is in the predicted one.
  const ofConfusions = () => {
    const lines = [...document.querySelectorAll(".confusions li")];
    if (!lines.length) return;
    const there = new Set();
    for (const { true: truths, pred, cells } of data.components.map(asNow)) for (const [t, p] of cells) there.add(JSON.stringify([truths[t][0], pred[p][0]]));
    for (const line of lines) line.classList.toggle("settled", !there.has(JSON.stringify(JSON.parse(line.dataset.cell))));
  };
  // Slices add up over all points, of which the page has some: once nothing is left, all are right.
  const ofSlices = (fixed) => {
    for (const row of document.querySelectorAll("#slices tbody tr")) {
      const [, score, loss] = row.querySelectorAll("td.n");
      for (const [cell, right] of [[score, 1], [loss.firstChild, 0]]) {
        cell.dataset.before ??= cell.textContent;
        cell.textContent = fixed ? number(right) : cell.dataset.before;
      }
      const bar = row.querySelector("svg");
      stretch(bar, [...bar.children].map(() => Number(!fixed)));
    }
  };
  const state = { accepted: 0, rest: 0, left: 0 };
  const SHOWS = {
    components: "Losses, repairs, lists and maps show what is left; descriptions and derivations show the comparison before the review.",
    patterns: "Shapes and groups show what is left; rates of who is hit are those before the review.",
    slices: "Slices show the comparison before the review.",
    measures: "Other measures are those before the review.",
    papers: "Scores and texts are those before the review.",
    heat: "The map shows what is left; shares of confusions are of the loss before the review.",
  };
  const isPart = () => data.components.some((component) => groups.locked(component, review.decisions));
  // What is left, and what the tab that is shown says of it.
  const tell = (name = tabs.find((tab) => tab.getAttribute("aria-selected") === "true")?.hash.slice(1)) => {
    const { accepted, rest, left } = state;
    const note = $("after-review");
    note.hidden = !accepted;
    if (!accepted) return;
    const isTold = { slices: () => rest > 0, patterns: () => $("hit-before"), heat: () => document.querySelector(".confusions") }[name];
    const shows = isTold && !isTold() ? "" : (SHOWS[name] ?? "");
    const part = rest && /clusters|heat|components/.test(name) && isPart() ? "Components that this file holds in part are shown as before." : "";
    const first = `With ${counted(accepted, "decision")} accepted, ${rest ? `${percent(left)} of the loss is left` : "nothing is left to fix"}.`;
    note.textContent = [first, shows, part].filter(Boolean).join(" ");
  };
  const draw = () => {
    const { loss } = review.totals();
    const accepted = review.decisions.filter((one) => one.accepted).length;
    const rest = Math.abs(sum(loss)) < NONE ? 0 : sum(loss);
    const left = measured.lost ? rest / measured.lost : 0;
    Object.assign(state, { accepted, rest, left });
    ofShapes(left);
    ofStrip(loss, accepted);
    ofComponents();
    ofConfusions();
    ofSlices(Boolean(accepted) && !rest);
    document.body.classList.toggle("reviewed", Boolean(accepted));
    document.body.classList.toggle("all-fixed", Boolean(accepted) && !rest);
    if ($("hit-before")) $("hit-before").hidden = !accepted;
    tell();
  };
  return { draw, tell };
})();

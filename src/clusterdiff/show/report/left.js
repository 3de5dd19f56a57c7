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
    shares.title = accepted ? "Remaining loss, as shares of the loss before the review" : "";
  };
  const ofComponents = () => {
    for (const row of document.querySelectorAll("#list .row")) {
      const component = components.get(Number(row.dataset.id));
      row.querySelector("td.loss").replaceChildren(lossCell(component));
      row.querySelector("td.cost")?.replaceWith(...costCell(review.costOf(component)));
      row.classList.toggle("settled", component.loss[0] > 0 && review.lossOf(component)[0] < NONE);
    }
  };
  // The cells that left their clusters, in a component that the page holds whole.
  const confused = (component, engine, names) => {
    const name = (t) => component.true[t][0];
    const most = ({ cells }) => [...cells.values()].reduce((largest, cell) => (cell.set.mass > largest.set.mass ? cell : largest)).t;
    return [...engine.charges()].filter(([, charge]) => charge > NONE * data.total).map(([{ t, p, set }, charge]) => {
      const mostly = most(engine.preds.get(p));
      const key = JSON.stringify([name(t), names.get(p)]);
      return { key, truth: name(t), pred: names.get(p), size: set.size, of: component.true[t][1], mostly: mostly === t ? null : name(mostly), charge };
    });
  };
  const confusions = (() => {
    const list = document.querySelector(".confusions");
    if (!list) return null;
    const lines = [...list.children];
    const more = list.parentElement.querySelector(".more");
    const shares = lines.map((line) => Number(line.dataset.share));
    const rest = Number(more?.dataset.share ?? 0);
    return { list, lines, shares, more, rest, whole: sum(shares) + rest, told: [...(more?.childNodes ?? [])] };
  })();
  // What another measure than S_H charges a cell, as a multiple: those that are not listed are alike.
  const rates = () => {
    if (confusions.rates) return confusions.rates;
    const { lines, shares, rest } = confusions;
    const namesOf = (component) => new Map(component.pred.map(([name], p) => [p, name]));
    const before = new Map(data.components.flatMap((one) => confused(one, review.fresh(one), namesOf(one))).map(({ key, charge }) => [key, charge]));
    const found = new Map(lines.map((line, i) => {
      const key = JSON.stringify(JSON.parse(line.dataset.cell));
      return [key, shares[i] / before.get(key)];
    }));
    const others = sum([...before].map(([key, charge]) => (found.has(key) ? 0 : charge)));
    confusions.rates = { of: (key) => found.get(key) ?? (others > 0 ? rest / others : 1) };
    return confusions.rates;
  };
  // Costliest first. Of other measures than S_H, in proportion, so that the lines add up to what is left.
  const confusionsNow = (left) => {
    const rows = data.components.filter((one) => review.lossOf(one)[0] > NONE).flatMap((one) => {
      const { engine, names } = review.worked(one);
      return confused(one, engine, names);
    });
    const told = data.measure ? rows.map(({ key, charge }) => charge * rates().of(key)) : rows.map(({ charge }) => charge);
    const by = data.measure ? (left * confusions.whole) / sum(told) : 1 / (review.totals().mass * measured.lost);
    return rows.map((row, i) => ({ ...row, share: told[i] * by })).sort((a, b) => b.share - a.share);
  };
  const confusionLine = ({ share, size, of, truth, pred, mostly }) =>
    element("li", {}, element("b", { class: "n" }, percent(share)), " ", element("span", {},
      `${compact.format(size)} of ${points(of)} of `, chipped("true", label(named(truth, 40))), size === 1 ? " is in " : " are in ", chipped("pred", label(named(pred, 40))),
      ...(mostly === null ? [", apart from the rest"] : [", which is mostly ", chipped("true", label(named(mostly, 40)))])));
  // Where nothing is left, the lines of before stand there as settled.
  const ofConfusions = (left, accepted) => {
    if (!confusions || isPart()) return;
    const { list, lines, shares, more, told } = confusions;
    const now = accepted && left > NONE ? confusionsNow(left) : [];
    lines.forEach((line, i) => {
      line.querySelector("b").textContent = percent(accepted ? 0 : shares[i]);
      line.classList.toggle("settled", Boolean(accepted));
    });
    list.replaceChildren(...(now.length ? now.slice(0, lines.length).map(confusionLine) : lines));
    if (!more) return;
    const rest = now.slice(lines.length);
    more.hidden = Boolean(accepted) && !rest.length;
    more.replaceChildren(...(accepted ? [element("b", {}, percent(sum(rest.map((row) => row.share)))), ` ${counted(rest.length, "more confusion")}.`] : told));
  };
  // Slices add up over all points, of which the page has some: once nothing is left, all are right.
  const ofSlices = (fixed) => {
    for (const row of document.querySelectorAll("#slices tbody tr")) {
      const [, score, loss] = row.querySelectorAll("td.n");
      for (const [cell, right] of [[score, number(1)], [loss.firstChild, lostPoints(0)]]) {
        cell.dataset.before ??= cell.textContent;
        cell.textContent = fixed ? right : cell.dataset.before;
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
    heat: "The map shows what is left, and shares of confusions are of the loss before the review.",
  };
  const isPart = () => data.components.some((component) => groups.locked(component, review.decisions));
  // What is left, and what the tab that is shown says of it.
  const tell = (name = tabs.find((tab) => tab.getAttribute("aria-selected") === "true")?.hash.slice(1)) => {
    const { accepted, rest, left } = state;
    const note = $("after-review");
    note.hidden = !accepted;
    if (!accepted) return;
    const isTold = { slices: () => rest > 0, patterns: () => $("hit-before"), heat: () => confusions !== null }[name];
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
    ofConfusions(left, accepted);
    ofSlices(Boolean(accepted) && !rest);
    document.body.classList.toggle("reviewed", Boolean(accepted));
    document.body.classList.toggle("all-fixed", Boolean(accepted) && !rest);
    if ($("hit-before")) $("hit-before").hidden = !accepted;
    tell();
  };
  return { draw, tell };
})();

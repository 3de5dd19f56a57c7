// The review as people see it: what is left to decide, with the points in question, and what was decided.
const reviewPanel = (() => {
  const PAGE_OF = 25;
  const section = $("review");
  const view = { current: null, evidence: true, shown: PAGE_OF };
  const keyOf = ({ component, repair }) => `${component.id}/${repair.key}`;
  const say = (text) => {
    $("review-said").textContent = text;
  };

  // ---- one repair

  const concerned = ({ operation, p, from, to, preds }) =>
    ({ split: [p], merge: preds, move: [from, to], add: [to], remove: [p] })[operation];
  const evidence = (one) => {
    const work = review.worked(one.component);
    const { repair } = one;
    const name = (id) => inWords(clusterOf(work, id));
    const moving = (cluster, part) => {
      if (repair.operation === "move") return cluster.id === repair.from && part.cell?.t === repair.t ? `→ ${name(repair.to)}` : "";
      if (repair.operation === "merge") return cluster.id === repair.preds[0] ? "" : `→ ${name(repair.preds[0])}`;
      if (repair.operation === "split") return part.kind === "merge" ? `→ ${A_CLUSTER} of its own` : "";
      if (repair.operation === "add") return cluster.id !== null ? "" : repair.to === null ? `→ ${A_CLUSTER} of ${part.count === 1 ? "its" : "their"} own` : `→ ${name(repair.to)}`;
      return part.kind === "spurious" ? "→ removed" : "";
    };
    return pointDiff(work, { only: concerned(repair), missing: repair.operation === "add" ? repair.t : null, moving });
  };
  const figures = (one) => {
    const share = measured.lost ? one.gain / measured.lost : 0;
    return `${points(affected(review.worked(one.component), one.repair))}, ${percent(Math.min(share, 1))} of the loss`;
  };
  const gain = (one) => {
    const asPoints = !data.weighted && !measured.other;
    return element("data", { value: one.gain, title: `${change(one.gain)} in ${SCORE_NAME}` }, asPoints ? `+${amount(massed(one.gain))} ${plural(POINT)}` : `+${number(one.gain)}`);
  };
  const verdicts = (one, after) => {
    const told = inWords(wordsOf(review.worked(one.component), one.repair));
    const button = (text, verdict, letter) =>
      element(
        "button",
        { type: "button", class: verdict, "aria-label": `${text}: ${told}`, title: `${text} (${letter})`, onclick: () => decide(one, verdict, after) },
        text,
      );
    return [button("Accept", "accept", "a"), button("Reject", "reject", "r")];
  };
  const decide = (one, verdict, after) => {
    const done = review[verdict](one.component, one.repair);
    if (done.clash) {
      say(`Not ${verdict === "accept" ? "accepted" : "rejected"}: ${judgementsPanel.calledOf(done.clash)} contradicts it. Withdraw that one first.`);
      return;
    }
    const score = verdict === "accept" ? ` ${SCORE_NAME} is now ${number(done.score)}.` : "";
    say(`${verdict === "accept" ? "Accepted" : "Rejected"}: ${inWords(done.words)}.${score} ${counted(left, "repair")} left.`);
    after();
  };

  // ---- what is left

  let items = [];
  const focusOn = (index) => {
    if (!items.length) {
      (left ? $("only-with") : $("undo")).focus();
      return;
    }
    view.current = keyOf(items[Math.max(0, Math.min(index, items.length - 1))]);
    draw();
    const item = section.querySelector("li[aria-current] .accept");
    item.focus({ preventScroll: true });
    item.closest("li").scrollIntoView({ block: "nearest" });
  };
  const at = () => items.findIndex((one) => keyOf(one) === view.current);
  const itemOf = (one, index) => {
    const current = keyOf(one) === view.current;
    const open = current && view.evidence && Boolean(one.component.points);
    const pointsButton = element(
      "button",
      {
        type: "button",
        class: "look",
        "aria-expanded": String(open),
        title: `Show the ${plural(POINT)} (p)`,
        "aria-label": `${capital(plural(POINT))}: ${inWords(wordsOf(review.worked(one.component), one.repair))}`,
        onclick: () => {
          view.evidence = !open;
          view.current = keyOf(one);
          draw();
          section.querySelector("li[aria-current] .look").focus();
        },
      },
      capital(plural(POINT)),
    );
    return element(
      "li",
      { class: "todo", "aria-current": current ? "true" : null },
      element(
        "div",
        { class: "asked" },
        element("p", {}, ...asNodes(wordsOf(review.worked(one.component), one.repair)), " ", gain(one)),
        element("p", { class: "note" }, figures(one), " · ", element("a", { class: "op", href: `#component-${one.component.id}` }, "component")),
      ),
      element("div", { class: "verdicts" }, ...verdicts(one, () => focusOn(index)), one.component.points ? pointsButton : null),
      open ? evidence(one) : null,
    );
  };

  // ---- what was decided

  const decidedOf = (one) =>
    element(
      "li",
      { class: one.accepted ? "accepted" : "rejected" },
      element("b", {}, one.accepted ? "accepted" : "rejected"),
      " ",
      ...asNodes(one.words),
      " ",
      one.accepted ? gain(one) : "",
      one.from ? element("span", { class: "note" }, ` by ${shown(one.from, 40)}`) : "",
      " ",
      element(
        "button",
        {
          type: "button",
          "aria-label": `${one.accepted ? "Undo" : "Put back"}: ${inWords(one.words)}`,
          onclick: () => {
            undone(one);
            $("decided").querySelector("summary").focus();
          },
        },
        one.accepted ? "Undo" : "Put back",
      ),
    );
  const undone = (one) => {
    const back = review.undo(one);
    if (!back) return null;
    const more = back.lost ? ` ${counted(back.lost, "later decision")} that depended on it went with it.` : "";
    say(`${back.accepted ? "Undone" : "Put back"}: ${inWords(back.words)}.${more} ${SCORE_NAME} is now ${number(review.totals().score)}.`);
    return back;
  };
  const undo = () => {
    const last = undone();
    if (!last) return;
    view.current = last.component ? keyOf(last) : null;
    if (document.activeElement !== $("undo")) focusOn(at());
    else draw();
  };

  // The strip says so too.
  const glance = (accepted, score) => {
    const what = data.measure && !measured.other ? `${SCORE_NAME} ` : "";
    $("with-accepted").textContent = accepted ? `→ ${what}${number(score)} with ${counted(accepted, groups.accepted(review.decisions) ? "decision" : "repair")}` : "";
  };

  const tally = () => {
    const { score, loss } = review.totals();
    const accepted = exporting.accepted().length;
    const rejected = review.decisions.length - accepted;
    const now = $("score-now");
    now.textContent = number(score);
    now.dataset.value = score;
    $("score-change").textContent = accepted ? `${change(score - measured.score)} from ${number(measured.score)}` : "";
    $("loss-now").replaceChildren(
      ...PARTS.slice(0, loss.length).filter((_, i) => i < 2 || data.uneven).map(([kind, name], i) =>
        element("span", { class: `part ${kind}` }, `lost to ${name} `, element("output", { "data-part": kind, "data-value": loss[i] }, number(loss[i]))),
      ),
    );
    glance(accepted, score);
    const held = data.rest.components ? counted(data.components.length, "component") : "";
    $("progress").textContent = `${compact.format(accepted)} accepted, ${compact.format(rejected)} rejected, ${compact.format(left)} left to decide${held ? ` in the ${held} that this file holds` : ""}.`;
    const { reason } = accepted || data.patch.refused ? exporting.patch() : {};
    $("no-patch").textContent = reason ? `No patch: ${reason}${groups.accepted(review.decisions) ? "" : " The CSV file has the same repairs."}` : "";
    $("no-patch").hidden = !reason;
    $("undo").disabled = !review.decisions.length;
    judgementsPanel.draw();
    for (const id of ["as-patch", "as-csv", "as-words"]) $(id).disabled = !accepted || (id === "as-patch" && Boolean(reason));
  };

  // What is left, and what of it has all the words in the box.
  let left = 0;
  const wanted = () => {
    const words = $("only-with").value.trim().toLocaleLowerCase().split(/\s+/).filter(Boolean);
    const all = review.remaining();
    left = all.length;
    const has = (one) => {
      const text = inWords(wordsOf(review.worked(one.component), one.repair)).toLocaleLowerCase();
      return words.every((word) => text.includes(word));
    };
    return words.length ? all.filter(has) : all;
  };
  const draw = () => {
    items = wanted();
    if (at() < 0) view.current = items.length ? keyOf(items[0]) : null;
    view.shown = Math.max(view.shown, at() + 1);
    $("to-decide").replaceChildren(...items.slice(0, view.shown).map(itemOf));
    $("more-to-decide").hidden = items.length <= view.shown;
    $("nothing-to-decide").textContent = left ? "No remaining repair has these words." : "Nothing is left to decide.";
    $("nothing-to-decide").hidden = items.length > 0;
    $("decided").hidden = !review.decisions.length;
    $("decisions").replaceChildren(...review.decisions.map(decidedOf));
    for (const bench of document.querySelectorAll(".workbench")) benches.get(bench)();
    tally();
    groupsPanel.draw(say);
    leftPanel.draw();
  };

  // ---- the repairs and the points of one component, where it is opened

  const OF_COMPONENT = 5;
  const benches = new WeakMap();
  const workbench = (component, withPoints) => {
    const bench = element("div", { class: "workbench" });
    const refresh = () => {
      const left = review.remaining(component);
      const after = () => (bench.querySelector(".accept") || $(bench.closest(".detail").id.replace("detail", "row")).querySelector("button")).focus();
      const rows = left.slice(0, OF_COMPONENT).map((one) =>
        element("p", { class: "fix" }, ...asNodes(wordsOf(review.worked(component), one.repair)), " ", gain(one), " ", element("span", { class: "inline" }, ...verdicts(one, after))),
      );
      const more = left.length - rows.length;
      if (component.loss[0] > 0 && section) {
        bench.replaceChildren(
          element("h3", {}, left.length === 1 ? "Repair" : "Repairs"),
          ...(rows.length ? rows : [element("p", { class: "note" }, "None is left.")]),
          more > 0 ? element("p", { class: "note" }, `${counted(more, "more repair")} in the review.`) : "",
        );
      }
      if (withPoints && component.points && component.points.length + component.lost.length) bench.append(element("h3", {}, capital(plural(POINT))), pointTable(component));
    };
    benches.set(bench, refresh);
    refresh();
    return bench;
  };

  // ---- keys

  const keys = {
    j: () => focusOn(section.contains(document.activeElement) ? at() + 1 : at()),
    k: () => focusOn(at() - 1),
    a: () => section.querySelector("li[aria-current] .accept")?.click(),
    r: () => section.querySelector("li[aria-current] .reject")?.click(),
    p: () => section.querySelector("li[aria-current] .look")?.click(),
    u: undo,
  };
  const press = (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey || event.target.closest("input, textarea, select")) return;
    if (!section.checkVisibility() || !Object.hasOwn(keys, event.key)) return;
    event.preventDefault();
    keys[event.key]();
  };
  const come = (event) => {
    const item = event.target.closest("#to-decide > li");
    if (!item || item.hasAttribute("aria-current")) return;
    section.querySelector("li[aria-current]")?.removeAttribute("aria-current");
    item.setAttribute("aria-current", "true");
    view.current = keyOf(items[[...item.parentElement.children].indexOf(item)]);
  };

  const start = () => {
    if (!section) return; // nothing is to be repaired
    review.recall();
    review.listen(draw);
    document.addEventListener("keydown", press);
    section.addEventListener("focusin", come);
    $("undo").addEventListener("click", undo);
    $("only-with").addEventListener("input", () => {
      view.shown = PAGE_OF;
      draw();
    });
    $("more-to-decide").addEventListener("click", () => {
      view.shown += PAGE_OF;
      draw();
    });
    $("as-patch").addEventListener("click", () => download("review.json", "application/json", exporting.patch().text));
    $("as-csv").addEventListener("click", () => {
      download("review.csv", "text/csv", exporting.csv());
      const risky = exporting.formulas();
      $("formulas").textContent = risky ? `${counted(risky, "value")} in the CSV would be interpreted as formulas by a spreadsheet.` : "";
    });
    $("as-words").addEventListener("click", async () => {
      const done = await exporting.copy(exporting.words());
      say(done ? `${counted(exporting.accepted().length, "repair")} copied.` : "This browser does not allow the page to copy.");
    });
    judgementsPanel.start(say);
    $("not-kept").hidden = review.kept();
    $("listed").hidden = true;
    section.hidden = false;
    if (review.decisions.length) draw();
    else {
      groupsPanel.draw(say);
      drawers.set("repairs", draw);
    }
  };
  return { start, workbench };
})();

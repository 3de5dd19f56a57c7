// One case at a time, its versions side by side: which is right? Answers by keyboard, kept by the browser, and in a file.
const SHOWN = 200;
const cellsOf = (point) => [
  element("th", { scope: "row" }, label(named(point))),
  ...(data.records[String(point)] ?? []).map((value) => element("td", {}, label(value))),
];
const heads = (...first) =>
  element("thead", {}, element("tr", {}, ...[...first, "record", ...data.columns].map((name) => element("th", { scope: "col" }, label(name)))));
const groupBox = (points, at) =>
  element("div", { class: "group scroll", tabindex: "0", role: "group", "aria-label": `cluster ${at + 1}` },
    element("table", {}, heads(), element("tbody", {}, ...points.slice(0, SHOWN).map((point) => element("tr", {}, ...cellsOf(point))))),
    points.length > SHOWN ? element("p", { class: "note" }, `… and ${compact.format(points.length - SHOWN)} more`) : null);

// An answer is one of the page's choices; "own" has the groups that were typed. What a page says of itself:
//   cases, keyOf(one)      what is to be decided, and a text that no two cases share
//   store, given           where the browser keeps answers, and those that came with the page, by key
//   noun                   what an answer is called
//   choices                [answer, key, words]; open(one, answer) says whether a case can have it
//   versions(one)          [answer, heading, note, groups], side by side
//   points(one), start(one)  whom one's own groups are of, and how they begin
//   sign(answer)           an answer as it is kept
//   tally(done, all)       how far one is; tell(one) what else the page says of a case
//   file                   name, type, write(answers), read(text) gives [key, answer] pairs
const deciding = (page) => {
  const { cases, keyOf, file } = page;
  let answers = { ...page.given };
  let place = 0;
  try {
    Object.assign(answers, JSON.parse(remembered?.getItem(page.store) ?? "{}"));
  } catch {
    answers = { ...page.given };
  }
  const keep = () => {
    try {
      remembered?.setItem(page.store, JSON.stringify(answers));
    } catch {
      $("loaded").textContent = `Your browser keeps nothing for this page: download the ${plural(page.noun)} before you close it.`;
    }
  };
  const answered = (one) => answers[keyOf(one)]?.answer;

  const version = (one) => ([side, heading, note, groups]) =>
    element("section", { class: `version${answered(one) === side ? " chosen" : ""}`, "aria-label": heading },
      element("h2", {}, `${heading} `, element("small", {}, note)),
      ...groups.map(groupBox));
  const ownGroups = (one) => {
    const said = answers[keyOf(one)]?.groups ?? page.start(one);
    const number = new Map(said.flatMap((points, at) => points.map((point) => [String(point), at + 1])));
    const inputs = new Map();
    const changed = () => {
      const groups = new Map();
      for (const [point, input] of inputs) {
        const typed = input.value.trim();
        groups.set(typed, [...(groups.get(typed) ?? []), point]);
      }
      answers[keyOf(one)] = { ...page.sign("own"), groups: [...groups.values()] };
      keep();
      tell();
    };
    const rows = page.points(one).map((point, at) => {
      const input = element("input", { value: number.get(String(point)) ?? said.length + at + 1, "aria-label": `cluster of ${named(point)}`, onchange: changed });
      inputs.set(point, input);
      return element("tr", {}, element("td", {}, input), ...cellsOf(point));
    });
    $("groups").replaceChildren(heads("cluster"), element("tbody", {}, ...rows));
    if (answered(one) !== "own") changed();
  };

  const tell = () => {
    const one = cases[place];
    $("place").textContent = `${compact.format(place + 1)} of ${compact.format(cases.length)}`;
    $("done").textContent = page.tally(compact.format(cases.filter(answered).length), cases.length);
    for (const button of $("answers").children) {
      button.setAttribute("aria-pressed", String(button.dataset.answer === answered(one)));
      button.hidden = !page.open(one, button.dataset.answer);
    }
    $("own").hidden = answered(one) !== "own";
    page.tell(one);
  };
  const show = () => {
    const one = cases[place];
    $("versions").replaceChildren(...page.versions(one).map(version(one)));
    if (answered(one) === "own") ownGroups(one);
    tell();
    history.replaceState(null, "", `#${place + 1}`);
  };
  const go = (to) => {
    place = Math.min(cases.length - 1, Math.max(0, to));
    show();
  };
  const choose = (answer) => {
    const one = cases[place];
    if (!page.open(one, answer)) return;
    if (answer === "own") {
      ownGroups(one);
      show();
      return;
    }
    answers[keyOf(one)] = page.sign(answer);
    keep();
    go(place + 1);
  };
  const clear = () => {
    delete answers[keyOf(cases[place])];
    keep();
    show();
  };
  for (const [answer, , words] of page.choices) $("answers").append(element("button", { type: "button", "data-answer": answer, onclick: () => choose(answer) }, words));
  $("back").addEventListener("click", () => go(place - 1));
  $("next").addEventListener("click", () => go(place + 1));
  document.addEventListener("keydown", (event) => {
    if (event.target.matches("input") || event.ctrlKey || event.metaKey || event.altKey) return;
    const choice = page.choices.find(([, key]) => key === event.key);
    if (choice) choose(choice[0]);
    else if (event.key === "j") go(place + 1);
    else if (event.key === "k") go(place - 1);
    else if (event.key === "z") clear();
  });

  $("download").addEventListener("click", () => download(file.name, file.type, file.write(answers)));
  $("load").addEventListener("change", async (event) => {
    const [chosen] = event.target.files;
    if (!chosen) return;
    try {
      const known = new Set(cases.map(keyOf));
      const taken = file.read(await chosen.text()).filter(([key]) => known.has(key));
      Object.assign(answers, Object.fromEntries(taken));
      keep();
      go(cases.findIndex((one) => !answered(one)));
      $("loaded").textContent = `${counted(taken.length, page.noun)} of ${chosen.name} taken over.`;
    } catch (error) {
      $("loaded").textContent = `${chosen.name} cannot be read: ${error.message}.`;
    }
  });
  go((Number(location.hash.slice(1)) || 1) - 1);
};

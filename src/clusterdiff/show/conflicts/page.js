// The page of a merge: a decision for every conflict, which leaves as the file that `merge --decisions` reads.
const { conflicts } = data;
const SIDES = ["base", "ours", "theirs"];
const SHOWN = 200;
const CHOICES = [["base", "1", "Base"], ["ours", "2", "Ours"], ["theirs", "3", "Theirs"], ["merge", "m", "One cluster"], ["own", "o", "Own clusters"]];
const text = (point) => String(point);
const keyOf = ({ kind, points }) => JSON.stringify([kind, ...points.map(text).sort()]);
// Conflicts of another merge must not be taken for these.
const store = `clusterdiff-merge-${conflicts.map(keyOf).join().split("").reduce((sum, sign) => Math.imul(sum ^ sign.codePointAt(0), 0x01000193) >>> 0, 0x811c9dc5)}`;
let decisions = Object.fromEntries(conflicts.filter((one) => one.decision !== null).map((one) => [keyOf(one), one.decision]));
let place = 0;
try {
  decisions = { ...decisions, ...JSON.parse(remembered?.getItem(store) ?? "{}") };
} catch {
  // What was kept cannot be read: the file's own decisions stand.
}
const keep = () => {
  try {
    remembered?.setItem(store, JSON.stringify(decisions));
  } catch {
    $("loaded").textContent = "Your browser keeps nothing for this page: download the decisions before you close it.";
  }
};
const decided = (one) => decisions[keyOf(one)];
const answered = (one) => (Array.isArray(decided(one)) ? "own" : decided(one));
// Removed records cannot be put into clusters of one's own: a side decides.
const open = (one, answer) => one.kind !== "removed" || SIDES.includes(answer);

// ---- one conflict

const cellsOf = (point) => [element("th", { scope: "row" }, label(named(point))), ...(data.records[text(point)] ?? []).map((value) => element("td", {}, label(value)))];
const heads = (first) => element("thead", {}, element("tr", {}, ...[...first, "record", ...data.columns].map((name) => element("th", { scope: "col" }, label(name)))));
const groupBox = (points, at) =>
  element("div", { class: "group scroll", tabindex: "0", role: "group", "aria-label": `cluster ${at + 1}` },
    element("table", {}, heads([]), element("tbody", {}, ...points.slice(0, SHOWN).map((point) => element("tr", {}, ...cellsOf(point))))),
    points.length > SHOWN ? element("p", { class: "note" }, `… and ${compact.format(points.length - SHOWN)} more`) : null);
const alike = (one, side) => side !== "base" && JSON.stringify(one[side]) === JSON.stringify(one.base);
const version = (one, side) =>
  element("section", { class: `version${decided(one) === side ? " chosen" : ""}`, "aria-label": side },
    element("h2", {}, `${side[0].toUpperCase()}${side.slice(1)} `, element("small", { class: "alike" }, alike(one, side) ? "as in base" : counted(one[side].length, "cluster"))),
    ...one[side].map(groupBox));

const ownGroups = (one) => {
  const said = Array.isArray(decided(one)) ? decided(one) : one.base;
  const number = new Map(said.flatMap((points, at) => points.map((point) => [text(point), at + 1])));
  const inputs = new Map();
  const changed = () => {
    const groups = new Map();
    for (const [point, input] of inputs) {
      const key = input.value.trim();
      if (!groups.has(key)) groups.set(key, []);
      groups.get(key).push(point);
    }
    decisions[keyOf(one)] = [...groups.values()];
    keep();
    tell();
  };
  const rows = one.points.map((point, at) => {
    const input = element("input", { value: number.get(text(point)) ?? said.length + at + 1, "aria-label": `cluster of ${named(point)}`, onchange: changed });
    inputs.set(point, input);
    return element("tr", {}, element("td", {}, input), ...cellsOf(point));
  });
  $("groups").replaceChildren(heads(["cluster"]), element("tbody", {}, ...rows));
  if (answered(one) !== "own") changed();
};

// ---- decisions

const tell = () => {
  const one = conflicts[place];
  const done = conflicts.filter(decided).length;
  $("place").textContent = `${compact.format(place + 1)} of ${compact.format(conflicts.length)}`;
  $("kind").textContent = `${one.kind}: ${data.words[one.kind]}`;
  $("done").textContent = `${compact.format(done)} of ${counted(conflicts.length, "conflict")} decided.`;
  for (const button of $("answers").children) {
    button.setAttribute("aria-pressed", String(button.dataset.answer === answered(one)));
    button.hidden = !open(one, button.dataset.answer);
  }
  $("own").hidden = answered(one) !== "own";
};
const show = () => {
  const one = conflicts[place];
  $("versions").replaceChildren(...SIDES.map((side) => version(one, side)));
  if (answered(one) === "own") ownGroups(one);
  tell();
  history.replaceState(null, "", `#${place + 1}`);
};
const go = (to) => {
  place = Math.min(conflicts.length - 1, Math.max(0, to));
  show();
};
const choose = (answer) => {
  const one = conflicts[place];
  if (!open(one, answer)) return;
  if (answer === "own") {
    ownGroups(one);
    show();
    return;
  }
  decisions[keyOf(one)] = answer;
  keep();
  if (place < conflicts.length - 1) go(place + 1);
  else show();
};
const clear = () => {
  delete decisions[keyOf(conflicts[place])];
  keep();
  show();
};
for (const [answer, , called] of CHOICES) $("answers").append(element("button", { type: "button", "data-answer": answer, onclick: () => choose(answer) }, called));
$("back").addEventListener("click", () => go(place - 1));
$("next").addEventListener("click", () => go(place + 1));
document.addEventListener("keydown", (event) => {
  if (event.target.matches("input") || event.ctrlKey || event.metaKey || event.altKey) return;
  const choice = CHOICES.find(([, key]) => key === event.key);
  if (choice) choose(choice[0]);
  else if (event.key === "j") go(place + 1);
  else if (event.key === "k") go(place - 1);
  else if (event.key === "z") clear();
});

// ---- files

$("download").addEventListener("click", () => {
  const whole = { format: data.format, version: data.version, conflicts: conflicts.map((one) => ({ ...one, decision: decided(one) ?? null })) };
  const place = URL.createObjectURL(new Blob([`${JSON.stringify(whole, null, 1)}\n`], { type: "application/json" }));
  element("a", { href: place, download: "decisions.json" }).click();
  URL.revokeObjectURL(place);
});
$("load").addEventListener("change", async (event) => {
  const [file] = event.target.files;
  if (!file) return;
  try {
    const read = JSON.parse(await file.text());
    if (read.format !== data.format) throw new Error("it does not hold conflicts of a merge");
    const known = new Set(conflicts.map(keyOf));
    const taken = read.conflicts.filter((one) => one.decision !== null && known.has(keyOf(one)));
    for (const one of taken) decisions[keyOf(one)] = one.decision;
    keep();
    $("loaded").textContent = `${counted(taken.length, "decision")} of ${file.name} taken over.`;
    go(Math.max(0, conflicts.findIndex((one) => !decided(one))));
  } catch (error) {
    $("loaded").textContent = `${file.name} cannot be read: ${error.message}.`;
  }
});
go((Number(location.hash.slice(1)) || 1) - 1);

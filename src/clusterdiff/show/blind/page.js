// The page of a review. Nothing here says which version is the old one: that is in the header of the file alone.
const lines = data.lines;
const store = `clusterdiff-review-${data.header.digests.join("-")}-${data.header.seed}`;
const SHOWN = 200;
const CHOICES = [
  ["1", "1", "Version 1 is right"], ["2", "2", "Version 2 is right"], ["own", "o", "Own groups"],
  ["neither", "n", "Neither"], ["unsure", "u", "Unsure"],
];
let answers = {};
let place = 0;
try {
  answers = JSON.parse(remembered?.getItem(store) ?? "{}");
} catch {
  answers = {};
}
const keep = () => {
  try {
    remembered?.setItem(store, JSON.stringify(answers));
  } catch {
    $("loaded").textContent = "Your browser keeps nothing for this page: download the answers before you close it.";
  }
};

// ---- one component

const cells = (point) => [element("th", { scope: "row" }, label(point)),
  ...(data.records[point] ?? []).map((value) => element("td", {}, label(value)))];
const heads = (first) => element("thead", {}, element("tr", {},
  ...[...first, "record", ...data.columns].map((name) => element("th", { scope: "col" }, label(name)))));
const groupBox = (points, number) => element("div", { class: "group scroll" },
  element("table", { "aria-label": `cluster ${number}` }, heads([]),
    element("tbody", {}, ...points.slice(0, SHOWN).map((point) => element("tr", {}, ...cells(point))))),
  points.length > SHOWN ? element("p", { class: "note" }, `… and ${points.length - SHOWN} more`) : null);
const version = (side, line) => element("section",
  { class: `version${answers[line.id]?.answer === side ? " chosen" : ""}`, "aria-label": `version ${side}` },
  element("h2", {}, `Version ${side}`),
  ...line.shown[side].map((points, i) => groupBox(points, i + 1)));

const ownGroups = (line) => {
  const said = answers[line.id]?.groups ?? line.shown["1"];
  const number = new Map(said.flatMap((points, i) => points.map((point) => [point, i + 1])));
  const inputs = new Map();
  const changed = () => {
    const groups = new Map();
    for (const [point, input] of inputs) {
      const key = input.value.trim();
      if (!groups.has(key)) groups.set(key, []);
      groups.get(key).push(point);
    }
    answers[line.id] = { ...signed("own"), groups: [...groups.values()] };
    keep();
    tell();
  };
  const rows = line.shown["1"].flat().map((point) => {
    const input = element("input", { value: number.get(point) ?? "1", "aria-label": `group of ${point}`, onchange: changed });
    inputs.set(point, input);
    return element("tr", {}, element("td", {}, input), ...cells(point));
  });
  $("groups").replaceChildren(heads(["group"]), element("tbody", {}, ...rows));
  if (answers[line.id]?.answer !== "own") changed();
};

// ---- answers

const signed = (answer) => ({ answer, by: $("by").value.trim() || undefined, at: new Date().toISOString() });
const tell = () => {
  const line = lines[place], answer = answers[line.id]?.answer;
  const done = lines.filter((one) => answers[one.id]).length;
  $("place").textContent = `${place + 1} of ${lines.length}`;
  $("done").textContent = `${done} of ${lines.length} answered.`;
  for (const button of $("answers").children) button.setAttribute("aria-pressed", button.dataset.answer === answer);
  $("own").hidden = answer !== "own";
};
const show = () => {
  const line = lines[place];
  $("versions").replaceChildren(version("1", line), version("2", line));
  if (answers[line.id]?.answer === "own") ownGroups(line);
  tell();
};
const go = (step) => {
  place = Math.min(lines.length - 1, Math.max(0, place + step));
  show();
};
const choose = (answer) => {
  const line = lines[place];
  if (answer === "own") {
    ownGroups(line);
    show();
    return;
  }
  answers[line.id] = signed(answer);
  keep();
  if (place < lines.length - 1) go(1);
  else show();
};
const clear = () => {
  delete answers[lines[place].id];
  keep();
  show();
};
for (const [answer, , text] of CHOICES) {
  $("answers").append(element("button", { type: "button", "data-answer": answer, onclick: () => choose(answer) }, text));
}
$("back").addEventListener("click", () => go(-1));
$("next").addEventListener("click", () => go(1));
document.addEventListener("keydown", (event) => {
  if (event.target.matches("input") || event.ctrlKey || event.metaKey || event.altKey) return;
  const choice = CHOICES.find(([, key]) => key === event.key);
  if (choice) choose(choice[0]);
  else if (event.key === "j") go(1);
  else if (event.key === "k") go(-1);
  else if (event.key === "z") clear();
});

// ---- files

$("download").addEventListener("click", () => {
  const text = [data.header, ...lines.map((line) => ({ ...line, ...answers[line.id] }))].map((one) => JSON.stringify(one));
  const address = URL.createObjectURL(new Blob([`${text.join("\n")}\n`], { type: "application/jsonl" }));
  element("a", { href: address, download: "review.jsonl" }).click();
  URL.revokeObjectURL(address);
});
$("load").addEventListener("change", async (event) => {
  const [file] = event.target.files;
  if (!file) return;
  try {
    const [header, ...read] = (await file.text()).trim().split("\n").map((line) => JSON.parse(line));
    if (header.seed !== data.header.seed || String(header.digests) !== String(data.header.digests)) throw new Error("it is of another review");
    let taken = 0;
    for (const { id, answer, groups, by, at } of read) {
      if (!answer || !lines.some((line) => line.id === id)) continue;
      answers[id] = { answer, by, at, ...(answer === "own" ? { groups } : {}) };
      taken += 1;
    }
    keep();
    $("loaded").textContent = `${taken} answers of ${file.name} are taken over.`;
    place = Math.max(0, lines.findIndex((line) => !answers[line.id]));
    show();
  } catch (error) {
    $("loaded").textContent = `${file.name} cannot be read: ${error.message}.`;
  }
});
show();

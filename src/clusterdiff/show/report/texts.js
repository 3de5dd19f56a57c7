// The text of a document with its mentions: brackets, coloured by what became of each, and the entities behind them.
const BECAME = { own: "right", split: "split off", merge: "merged in", mixed: "split off and merged in", missing: "missing", spurious: "spurious" };
const textOf = ({ words, starts, marks, entities }) => {
  const [opening, closing] = [words.map(() => []), words.map(() => [])];
  const inner = words.map(() => null); // the shortest mention around each word
  for (const mark of marks) {
    const [first, last] = [Math.max(0, mark[0]), Math.min(mark[1], words.length - 1)];
    if (last < first) continue;
    opening[first].push(mark);
    closing[last].push(mark);
    for (let at = first; at <= last; at++) if (!inner[at] || inner[at][1] - inner[at][0] > last - first) inner[at] = mark;
  }
  const told = ([, , became, , t, p]) => {
    const name = (side, at) => (at ? `${data.letters[side]} ${at}: ${entities[side][at - 1]}` : `no ${data.sides[side]} ${CLUSTER}`);
    return `${BECAME[became]}; ${name(0, t)}; ${name(1, p)}`;
  };
  const numbers = ([, , , , t, p]) => [t && `${data.letters[0]}${t}`, p && `${data.letters[1]}${p}`].filter(Boolean).join(" ");
  const sentences = [];
  const begins = new Set(starts);
  words.forEach((word, at) => {
    if (!at || begins.has(at)) sentences.push(element("p"));
    const line = sentences.at(-1);
    // Those that end later open first, and close last.
    for (const mark of opening[at].sort((a, b) => b[1] - a[1])) line.append(element("b", { class: `edge ${mark[2]}`, title: told(mark), "aria-hidden": "true" }, "["));
    line.append(inner[at] ? element("span", { class: inner[at][2] }, word) : word);
    for (const mark of closing[at].sort((a, b) => b[0] - a[0])) {
      const link = components.has(mark[3]) ? { href: `#component-${mark[3]}` } : {};
      line.append(element("b", { class: `edge ${mark[2]}`, "aria-hidden": "true" }, "]"), element("a", { class: `entity ${mark[2]}`, title: told(mark), "aria-label": told(mark), ...link }, numbers(mark)));
    }
    line.append(" ");
  });
  return sentences;
};

if ($("text")) {
  const rows = [...$("documents").rows];
  const read = (at) => {
    const one = data.documents[at];
    $("text").replaceChildren(...(one.words ? textOf(one) : [element("p", { class: "note" }, "This file does not have its words.")]));
    $("text").scrollTop = 0;
    rows.forEach((row, i) => row.querySelector("button").setAttribute("aria-pressed", String(i === at)));
  };
  rows.forEach((row, at) => {
    const [head] = row.cells;
    head.replaceChildren(element("button", { type: "button", "aria-pressed": "false", onclick: () => read(at) }, ...head.childNodes));
  });
  drawers.set("papers", () => rows.length && read(0));
}

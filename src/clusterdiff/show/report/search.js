// Which components are listed: search and filters. Search is for records: a point or a cluster that has all the words.
const sought = () => $("search").value.trim().toLocaleLowerCase().split(/\s+/).filter(Boolean);
const recordText = (values) => values.map((value) => shown(value, Infinity)).join("\n").toLocaleLowerCase();
const holds = (values, words) => {
  const text = recordText(values);
  return words.every((word) => text.includes(word));
};

// The records of a component as text, made when they are first searched: its clusters, and its points with their clusters.
const recordsOf = (component) => {
  if (!component.records) {
    const name = (side, at) => component[side][at][0];
    const alone = (cell, values) => [...values, name("true", component.cells[cell][0]), name("pred", component.cells[cell][1])];
    component.records = [
      ...["true", "pred"].flatMap((side) => component[side].map((cluster) => recordText([cluster[0]]))),
      ...(component.points || []).map(([cell, ...values]) => recordText(alone(cell, values))),
      ...Object.entries(component.names || {}).flatMap(([cell, names]) => names.map((point) => recordText(alone(cell, [point])))),
      ...(component.lost || []).map(([side, at, ...values]) => recordText([...values, name(side, at)])),
    ];
  }
  return component.records;
};
const recordsWith = (component, words) =>
  words.length ? recordsOf(component).filter((text) => words.every((word) => text.includes(word))).length : 0;

const filters = () => ({ least: Number($("least").value) || 0, most: Number($("most").value) || Infinity });
const passes = (component) => {
  const { least, most } = filters();
  if (state.shape && !data.samples[state.shape].includes(component.id)) return false;
  return (!state.kinds.size || state.kinds.has(component.kind)) && component.size >= least && component.size <= most;
};
const matching = () => {
  const words = sought();
  const column = COLUMNS.find((c) => c.key === state.sort);
  const found = data.components.filter((c) => passes(c) && (!words.length || recordsWith(c, words)));
  const rank = new Map(found.map((c) => [c, column.value(c)]));
  return found.sort((a, b) => {
    const x = rank.get(a);
    const y = rank.get(b);
    return (x < y ? -1 : x > y ? 1 : 0) * state.direction || b.loss[0] - a.loss[0];
  });
};

// What was found, in words: what was searched for, what the filters leave, and what this file does not have.
const quotedWords = (words) => words.map((word) => `“${word}”`).join(" and ");
const held = () => {
  const named = (c) => Object.values(c.names || {}).reduce((sum, names) => sum + names.length, 0);
  const known = data.components.reduce((sum, c) => sum + (c.points || []).length + (c.lost || []).length + named(c), 0);
  if (!data.rest.components && known >= data.n) return "";
  const all = data.components.length + data.rest.components;
  const some = data.rest.components ? `${compact.format(data.components.length)} of ${compact.format(all)} components` : "all components";
  return `${some} and ${compact.format(known)} of ${points(data.n)}`;
};
const foundInWords = (found) => {
  const words = sought();
  const all = data.components.length;
  const { least, most } = filters();
  const only = [
    state.shape ? `a random sample of “${sampled()}”` : "",
    KINDS.filter((kind) => state.kinds.has(kind)).join(" or "),
    least || most < Infinity ? (most < Infinity ? `of ${compact.format(least || 1)} to ${points(most)}` : `of at least ${points(least)}`) : "",
  ].filter(Boolean).join(", ");
  const lost = found.reduce((sum, c) => sum + c.loss[0], 0);
  const components = `${compact.format(found.length)} component${found.length === 1 ? "" : "s"}`;
  const filtered = only ? `Only ${only}: ` : "";
  if (!words.length) {
    // What a file does not hold stands above the list.
    if (found.length === all && !only) return data.rest.components ? "" : components;
    return `${filtered}${compact.format(found.length)} of ${data.rest.components ? "the " : ""}${counted(all, "component")}${data.rest.components ? " in this file" : ""}, ${share(lost, data.loss[0])} of the ${LOSS}`;
  }
  const hits = found.reduce((sum, c) => sum + recordsWith(c, words), 0);
  if (hits) {
    const records = `${compact.format(hits)} record${hits === 1 ? "" : "s"}`;
    return `${filtered}${records} with ${quotedWords(words)} in ${components}`;
  }
  const hidden = data.components.filter((c) => !passes(c) && recordsWith(c, words)).length;
  if (hidden) return `${filtered}nothing with ${quotedWords(words)}; the filters hide ${compact.format(hidden)} component${hidden === 1 ? "" : "s"} that ${hidden === 1 ? "has" : "have"} it`;
  const holding = held();
  return holding ? `No record of this file, which holds ${holding}, has ${quotedWords(words)}.` : `No record has ${quotedWords(words)}.`;
};

const sampled = () => document.querySelector(`.shapes [data-shape="${CSS.escape(state.shape)}"] a`)?.textContent ?? state.shape;

// A filter shows what it says; none pressed shows all.
const sayKinds = () => {
  for (const button of $("kinds").children) button.setAttribute("aria-pressed", String(state.kinds.has(button.dataset.kind)));
};
for (const kind of KINDS) {
  if (!data.components.some((c) => c.kind === kind)) continue;
  $("kinds").append(
    element(
      "button",
      {
        type: "button",
        class: `k-${kind}`,
        "aria-pressed": "false",
        "data-kind": kind,
        title: `Show only ${kind} components: ${compact.format(data.kinds[kind])} in all`,
        onclick: () => {
          if (!state.kinds.delete(kind)) state.kinds.add(kind);
          sayKinds();
          restart();
        },
      },
      `${kind} `,
      element("small", {}, compact.format(data.kinds[kind])),
    ),
  );
}

// ---- the address

const keepAddress = () => {
  const { place } = address.read();
  address.write(place, {
    q: $("search").value.trim(),
    shape: state.shape,
    kind: KINDS.filter((kind) => state.kinds.has(kind)).join(","),
    from: $("least").value,
    to: $("most").value,
    sort: state.sort === SORTED.sort && state.direction === SORTED.direction ? "" : `${state.direction < 0 ? "-" : ""}${state.sort}`,
  });
};
const readAddress = () => {
  const { asked } = address.read();
  $("search").value = asked.get("q") || "";
  $("least").value = asked.get("from") || "";
  $("most").value = asked.get("to") || "";
  state.shape = Object.hasOwn(data.samples, asked.get("shape") || "") ? asked.get("shape") : "";
  state.kinds = new Set((asked.get("kind") || "").split(",").filter((kind) => KINDS.includes(kind)));
  const [, minus, key] = /^(-?)(\w+)$/.exec(asked.get("sort") || "") || [];
  Object.assign(state, COLUMNS.some((column) => column.key === key) ? { sort: key, direction: minus ? -1 : 1 } : SORTED);
  sayKinds();
};
const restart = () => {
  state.shown = PAGE;
  draw();
};
for (const id of ["search", "least", "most"]) $(id).addEventListener("input", restart);
$("tools").addEventListener("submit", (event) => event.preventDefault());
const clearFilters = () => {
  for (const id of ["search", "least", "most"]) $(id).value = "";
  state.kinds = new Set();
  state.shape = "";
  sayKinds();
  Object.assign(state, SORTED);
};
$("tools").addEventListener("reset", () => {
  clearFilters();
  restart();
});

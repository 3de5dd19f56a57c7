// Which components are listed: search and filters.
for (const component of data.components) {
  const words = [component.kind, ...component.true.map((c) => shown(c[0])), ...component.pred.map((c) => shown(c[0]))];
  for (const point of component.points || []) words.push(...point.slice(1).map((value) => shown(value)));
  component.text = words.join("\n").toLocaleLowerCase();
}
const matching = () => {
  const wanted = $("search").value.trim().toLocaleLowerCase().split(/\s+/).filter(Boolean);
  const least = Number($("least").value) || 0;
  const most = Number($("most").value) || Infinity;
  const column = COLUMNS.find((c) => c.key === state.sort);
  const found = data.components.filter(
    (c) =>
      state.kinds.has(c.kind) &&
      c.size >= least &&
      c.size <= most &&
      wanted.every((word) => c.text.includes(word)),
  );
  const rank = new Map(found.map((c) => [c, column.value(c)]));
  return found.sort((a, b) => {
    const x = rank.get(a);
    const y = rank.get(b);
    return (x < y ? -1 : x > y ? 1 : 0) * state.direction || b.loss[0] - a.loss[0];
  });
};
for (const kind of KINDS) {
  const count = data.components.filter((c) => c.kind === kind).length;
  if (!count) continue;
  $("kinds").append(
    element(
      "button",
      {
        type: "button",
        class: `k-${kind}`,
        "aria-pressed": "true",
        "data-kind": kind,
        onclick: (event) => {
          const pressed = !state.kinds.has(kind);
          if (pressed) state.kinds.add(kind);
          else state.kinds.delete(kind);
          event.currentTarget.setAttribute("aria-pressed", String(pressed));
          draw();
        },
      },
      kind,
    ),
  );
}
const restart = () => {
  state.shown = PAGE;
  draw();
};
for (const id of ["search", "least", "most"]) $(id).addEventListener("input", restart);
$("tools").addEventListener("submit", (event) => event.preventDefault());
$("tools").addEventListener("reset", () => {
  state.kinds = new Set(KINDS);
  for (const button of $("kinds").children) button.setAttribute("aria-pressed", "true");
  Object.assign(state, { sort: "loss", direction: -1 });
  setTimeout(restart);
});

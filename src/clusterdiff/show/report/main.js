// Links to components, and the start.
// A link such as #component-12 opens that component, even if a filter hides it.
const follow = () => {
  const match = /^component-(\d+)$/.exec(address.read().place);
  const component = match && data.components.find((c) => c.id === Number(match[1]));
  if (!component) return;
  state.open.add(component.id);
  if (!matching().slice(0, state.shown).includes(component)) {
    $("tools").reset();
    state.shown = Math.max(PAGE, data.components.indexOf(component) + 1);
    Object.assign(state, SORTED, { kinds: new Set() });
  }
  draw();
  const row = $(`component-${component.id}`);
  row.scrollIntoView({ block: "start" });
  row.querySelector("button").focus({ preventScroll: true });
};
addEventListener("hashchange", () => {
  readAddress();
  draw();
  follow();
});

let width = innerWidth;
addEventListener("resize", () => {
  if (innerWidth === width) return;
  width = innerWidth;
  draw();
});

$("tools").hidden = $("list").hidden = false;
reviewing.start();
readAddress();
draw();
follow();

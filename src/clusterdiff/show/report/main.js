// Links inside the page, and the start.
document.addEventListener("click", (event) => {
  const link = event.target.closest('a[href^="#"]');
  if (!link || event.ctrlKey || event.metaKey || event.shiftKey) return;
  event.preventDefault();
  address.go(link.hash.slice(1));
  // What a tab shows is already in sight.
  if (panels.has(link.hash.slice(1)) && !tabs.includes(link)) $("tabs").scrollIntoView();
});

// A link such as #component-12 opens that component, even if a filter hides it.
const follow = () => {
  const { place } = address.read();
  const { component } = address.looked();
  showTab(panels.has(place) ? place : "components");
  if (!component) return;
  state.open.add(component.id);
  if (!matching().includes(component)) clearFilters();
  state.shown = Math.max(state.shown, matching().indexOf(component) + 1);
  draw();
  const row = $(`component-${component.id}`);
  row.scrollIntoView({ block: "start" });
  row.querySelector("button").focus({ preventScroll: true });
};
address.follow(() => {
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
reviewPanel.start();
readAddress();
draw();
follow();
if (panels.has(address.read().place)) $("tabs").scrollIntoView();

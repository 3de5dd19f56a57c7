// Links inside the page, and the start.
document.addEventListener("click", (event) => {
  const link = event.target.closest('a[href^="#"]');
  if (!link || event.ctrlKey || event.metaKey || event.shiftKey) return;
  event.preventDefault();
  address.go(link.hash.slice(1));
});
// A line that has a link is as good as the link.
for (const line of document.querySelectorAll(".shapes li[data-shape]")) {
  line.addEventListener("click", (event) => {
    if (!event.target.closest("a") && !String(getSelection())) line.querySelector("a").click();
  });
}

// A link such as #component-12 opens that component, even if a filter hides it.
const follow = () => {
  const { place } = address.read();
  const { component, cluster, absent } = address.looked();
  showTab(panels.has(place) ? place : component || absent ? "components" : tabs[0].hash.slice(1));
  $("absent").hidden = !absent;
  $("absent").textContent = absent ? `Component ${absent} is not in this file. ${held() ? `It holds ${held()}; --full writes more.` : "This comparison has no component of that number."}` : "";
  // Drawings are as wide as what they are in: the list is drawn where it is seen.
  if (!component) {
    draw();
    // What a tab shows begins right beneath the tabs.
    if ($("top").getBoundingClientRect().top < 0) $("top").scrollIntoView({ behavior: "instant" });
    return;
  }
  open(component);
  if (!matching().includes(component)) clearFilters();
  state.shown = Math.max(state.shown, matching().indexOf(component) + 1);
  draw();
  const row = $(`row-${component.id}`);
  row.scrollIntoView({ block: panes.matches ? "nearest" : "start", behavior: "instant" });
  const panel = cluster && $(`cluster-${component.id}`);
  if (panel) reveal(panel);
  row.querySelector("button").focus({ preventScroll: true });
};
address.follow(() => {
  readAddress();
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
follow();
panes.addEventListener("change", draw);

// The sections as tabs; without a script they are all there, one below the other.
const tabs = [...document.querySelectorAll("#tabs a")];
const panels = new Map(tabs.map((tab) => [tab.hash.slice(1), document.querySelector(tab.hash)]));
const drawers = new Map(); // what is drawn when a tab is shown for the first time, or after a decision, by section
const drawnTabs = new Set();
const drawTab = (name) => {
  if (!drawers.has(name) || drawnTabs.has(name)) return;
  drawnTabs.add(name);
  drawers.get(name)();
};
const redraw = (...names) => {
  for (const name of names) {
    drawnTabs.delete(name);
    if ($(`tab-${name}`)?.getAttribute("aria-selected") === "true") drawTab(name);
  }
};

const showTab = (name) => {
  for (const tab of tabs) {
    const chosen = tab.hash === `#${name}`;
    tab.setAttribute("aria-selected", String(chosen));
    tab.tabIndex = chosen ? 0 : -1;
    panels.get(tab.hash.slice(1)).hidden = !chosen;
    // Among many tabs on a phone, the chosen one is in sight.
    if (chosen) $("tabs").scrollLeft = tab.offsetLeft - $("tabs").offsetLeft - ($("tabs").clientWidth - tab.offsetWidth) / 2;
  }
  drawTab(name);
  leftPanel.tell(name);
};

$("tabs").setAttribute("role", "tablist");
for (const tab of tabs) {
  const name = tab.hash.slice(1);
  tab.setAttribute("role", "tab");
  tab.id = `tab-${name}`;
  tab.setAttribute("aria-controls", name);
  const panel = panels.get(name);
  panel.setAttribute("role", "tabpanel");
  panel.setAttribute("aria-labelledby", tab.id);
}
$("tabs").addEventListener("keydown", (event) => {
  const step = { ArrowRight: 1, ArrowLeft: -1, Home: -Infinity, End: Infinity }[event.key];
  if (!step) return;
  event.preventDefault();
  const at = tabs.indexOf(event.target);
  const next = Math.abs(step) === 1 ? (at + step + tabs.length) % tabs.length : step > 0 ? tabs.length - 1 : 0;
  tabs[next].focus();
  address.go(tabs[next].hash.slice(1));
});

// On paper all sections and lists are there: what nobody has looked at yet is drawn now, at the width that it would have.
const closed = new Set();
addEventListener("beforeprint", () => {
  for (const list of document.querySelectorAll("main details.events:not([open])")) closed.add(list);
  for (const list of closed) list.open = true;
  for (const name of drawers.keys()) {
    const panel = panels.get(name);
    const { hidden } = panel;
    panel.hidden = false;
    drawTab(name);
    panel.hidden = hidden;
  }
});
addEventListener("afterprint", () => {
  for (const list of closed) list.open = false;
  closed.clear();
});

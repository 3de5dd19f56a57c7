// Light and dark: as the system has it until the reader chooses, and what was chosen stays.
const theme = $("theme");
const root = document.documentElement;
const system = matchMedia("(prefers-color-scheme: dark)");
const dark = () => (root.dataset.theme ? root.dataset.theme === "dark" : system.matches);
const sayTheme = () => {
  theme.textContent = dark() ? "Light" : "Dark";
};
// A browser may refuse to remember anything for a file; the choice then lasts as long as the page.
const remembered = (() => {
  try {
    return localStorage;
  } catch {
    return null;
  }
})();
const kept = remembered?.getItem("clusterdiff-theme");
if (kept === "light" || kept === "dark") root.dataset.theme = kept;
theme.addEventListener("click", () => {
  root.dataset.theme = dark() ? "light" : "dark";
  remembered?.setItem("clusterdiff-theme", root.dataset.theme);
  sayTheme();
});
system.addEventListener("change", sayTheme);
theme.hidden = false;
sayTheme();

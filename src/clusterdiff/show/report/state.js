// What the page shows now.
const KINDS = ["same", "split", "merge", "mixed", "missing", "spurious"];
const PARTS = [["split", "splits"], ["merge", "merges"], ["missing", `missing ${plural(data.nouns[0])}`], ["spurious", `spurious ${plural(data.nouns[0])}`]];
const PAGE = 100;
const [POINT, CLUSTER] = data.nouns;
// A new release is no error.
const [LOSS, LOST] = data.regime === "releases" ? ["change", "changed"] : ["loss", "lost"];
const points = (count) => counted(count, POINT);
const state = { ...SORTED, kinds: new Set(), shape: "", shown: PAGE, open: new Set() };
// Losses and gains in points: what S_H lost, times all points. Other measures have none, and are told as they are.
const massed = (loss) => loss * data.total;
const amount = (value) => {
  const size = Math.abs(value);
  if (!size) return "0";
  if (size >= 9.995) return grouped(fixed(value, size < 99.95 ? 1 : 0).replace(/\.0$/, ""));
  return size >= 0.01 ? String(Number(value.toPrecision(2))) : number(value);
};
const lostPoints = (loss) => (data.weighted ? number(loss) : amount(massed(loss)));
// A cluster's name, marked with its side.
const chipped = (side, name) => {
  const at = side === "true" ? 0 : 1;
  return element("span", { class: `chip ${side[0]}`, title: `${data.sides[at]} ${CLUSTER}` }, element("b", {}, data.letters[at]), " ", name);
};
const components = new Map(data.components.map((component) => [component.id, component]));

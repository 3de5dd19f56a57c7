// What the page shows now.
const KINDS = ["same", "split", "merge", "mixed", "missing", "spurious"];
const PARTS = [["split", "splits"], ["merge", "merges"], ["missing", `missing ${plural(data.nouns[0])}`], ["spurious", `spurious ${plural(data.nouns[0])}`]];
const PAGE = 100;
const [POINT, CLUSTER] = data.nouns;
const points = (count) => counted(count, POINT);
const state = { ...SORTED, kinds: new Set(), shown: PAGE, open: new Set() };
const components = new Map(data.components.map((component) => [component.id, component]));

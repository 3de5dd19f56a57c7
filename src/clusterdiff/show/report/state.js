// What the page shows now.
const KINDS = ["same", "split", "merge", "mixed", "missing", "spurious"];
const PARTS = [["split", "splits"], ["merge", "merges"], ["missing", "missing points"], ["spurious", "spurious points"]];
const PAGE = 100;
const state = { sort: "loss", direction: -1, kinds: new Set(), shown: PAGE, open: new Set() };
const components = new Map(data.components.map((component) => [component.id, component]));

// What the page shows now.
const KINDS = ["same", "split", "merge", "mixed", "missing", "spurious"];
const PAGE = 100;
const PARTS = [["split", "splits"], ["merge", "merges"], ["missing", "missing points"], ["spurious", "spurious points"]];
const state = { sort: "loss", direction: -1, kinds: new Set(), shown: PAGE, open: new Set() };

// What the page shows now, and the address that says so: `#place?key=value&…`, where a place is a section or a component.
const KINDS = ["same", "split", "merge", "mixed", "missing", "spurious"];
const PARTS = [["split", "splits"], ["merge", "merges"], ["missing", "missing points"], ["spurious", "spurious points"]];
const PAGE = 100;
const state = { sort: "loss", direction: -1, kinds: new Set(KINDS), shown: PAGE, open: new Set() };
const components = new Map(data.components.map((component) => [component.id, component]));

const address = (() => {
  const followers = [];
  const read = () => {
    const [place, query = ""] = location.hash.slice(1).split("?");
    return { place: place || "components", query: new URLSearchParams(query) };
  };
  const write = (place, query, how) => {
    const text = query.toString();
    history[how](null, "", `#${place}${text ? `?${text}` : ""}`);
  };
  const tell = () => followers.forEach((follower) => follower());
  addEventListener("popstate", tell);
  return {
    // The section or component that is looked at: "components", "component-12".
    get place() {
      return read().place;
    },
    // The component that is looked at, if it is on the page.
    get component() {
      const match = /^component-(\d+)$/.exec(read().place);
      return match ? components.get(Number(match[1])) : undefined;
    },
    get: (key) => read().query.get(key),
    // What was typed or chosen: the address follows, the way back does not. An empty value takes the key out.
    set: (key, value) => {
      const { place, query } = read();
      if (value === null || value === "") query.delete(key);
      else query.set(key, value);
      write(place, query, "replaceState");
    },
    // To another place; whoever follows the address hears of it, also on the way back.
    go: (place) => {
      write(place, read().query, place === read().place ? "replaceState" : "pushState");
      tell();
    },
    follow: (follower) => followers.push(follower),
  };
})();

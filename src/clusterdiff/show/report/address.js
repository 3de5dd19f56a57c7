// The address has what the page shows: a place, then search and filters, as in #component-12?q=miller&kind=mixed.
// A place is a section, a component, or a cluster in a component: #component-12-true-0.
const address = (() => {
  const followers = [];
  const read = () => {
    const [place, query = ""] = location.hash.slice(1).split("?");
    return { place, asked: new URLSearchParams(query) };
  };
  // The place may bring its own query, as links to samples do.
  const parted = (to) => {
    const [place, query = ""] = to.split("?");
    return query ? [place, new URLSearchParams(query)] : [place, read().asked];
  };
  const put = (place, query, how) => {
    const hash = `#${place}${String(query) ? `?${query}` : ""}`;
    if (hash === "#" ? location.hash : hash !== location.hash) history[how](null, "", hash);
  };
  // `asked` are names and values; what is empty is left out.
  const write = (place, asked) =>
    put(place, new URLSearchParams(Object.entries(asked).filter(([, value]) => value !== "" && value !== undefined)), "replaceState");
  const tell = () => followers.forEach((follower) => follower());
  // To another place, with what was searched for; whoever follows the address hears of it, also on the way back.
  const go = (to) => {
    put(...parted(to), "pushState");
    tell();
  };
  // The component that is looked at, if it is on the page, and perhaps a cluster of it.
  const looked = () => {
    const [named, id, side, at] = /^component-(\d+)(?:-(true|pred)-(\d+))?$/.exec(read().place) || [];
    const component = components.get(Number(id));
    const cluster = component?.[side]?.[Number(at)] ? { side, at: Number(at) } : undefined;
    return { component, cluster, absent: named && !component ? id : undefined };
  };
  addEventListener("popstate", tell);
  return { read, write, go, looked, follow: (follower) => followers.push(follower) };
})();

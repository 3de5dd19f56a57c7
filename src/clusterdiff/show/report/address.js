// The address has what the page shows: a place, then search and filters, as in #component-12?q=miller&kind=mixed.
const address = (() => {
  const read = () => {
    const [place, query = ""] = location.hash.slice(1).split("?");
    return { place, asked: new URLSearchParams(query) };
  };
  // `asked` are names and values; what is empty is left out.
  const write = (place, asked) => {
    const query = new URLSearchParams(Object.entries(asked).filter(([, value]) => value !== "" && value !== undefined));
    const hash = `#${place}${String(query) ? `?${query}` : ""}`;
    if (hash === "#" ? location.hash : hash !== location.hash) history.replaceState(null, "", hash);
  };
  return { read, write };
})();

// Numbers for people: the one formatter of every page.
const compact = new Intl.NumberFormat("en-US");
const number = (value) => {
  const size = Math.abs(value);
  if (size && size < 5e-5) return String(Number(value.toPrecision(2)));
  return size >= 1000 ? compact.format(Math.round(value)) : value.toFixed(4);
};
const points = (count) => `${compact.format(count)} point${count === 1 ? "" : "s"}`;

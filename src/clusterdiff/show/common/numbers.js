// Numbers for people: the one formatter of every page, which writes what wording.py writes.
const compact = new Intl.NumberFormat("en-US");

// Python rounds ties to even, `toFixed` upwards. No double has a tie and further digits beyond the thirtieth.
const fixed = (value, digits) => {
  const text = value.toFixed(digits);
  const exact = value.toFixed(digits + 30);
  const rest = exact.slice(exact.length - 30);
  if (!/^50*$/.test(rest) || "02468".includes(text.at(-1))) return text;
  return exact.slice(0, -30).replace(/\.$/, "");
};
const grouped = (text) => text.replace(/\B(?=(\d{3})+$)/g, ",");

// A value, without the rounding by which it misses 0 or 1; and 0 without a sign.
const ROUNDING = 1e-12;
const exactly = (value) => {
  const near = Math.abs(value) < 2 ? Math.round(value) + 0 : value;
  return Math.abs(value - near) < ROUNDING ? near : value;
};

// A score, a loss or a distance: four decimals, and never 0 or 1 for what is neither.
const number = (given, decimals = 4) => {
  const value = exactly(given);
  const size = Math.abs(value);
  if (size >= 1000 || (size > 1 && Number.isInteger(value))) return grouped(fixed(value, 0));
  let digits = decimals;
  let text = fixed(value, digits);
  if (size && Number(text) === 0) {
    const [mantissa, power] = value.toExponential(1).split("e");
    return `${mantissa}e${Number(power)}`;
  }
  while (size !== 1 && Math.abs(Number(text)) === 1 && digits < 17) text = fixed(value, ++digits);
  return text;
};

// What a score gains or loses, with its sign.
const change = (value) => `${exactly(value) > 0 ? "+" : ""}${number(value)}`;

// A share with two significant digits, without claiming all or nothing by rounding.
const percent = (given) => {
  const share = exactly(given);
  if (share === 0 || share === 1) return `${100 * share}%`;
  let text = "";
  for (let digits = 0; digits < 5; digits++) {
    text = fixed(share * 100, digits);
    const said = Number(text);
    if (said !== 100 && Math.abs(said) * 10 ** digits >= 10) return `${text}%`;
  }
  if (Number(text) === 100) return "over 99.9999%";
  return Number(text) === 0 ? "under 0.0001%" : `${text}%`;
};

// Of any number of values: a call takes no more than some ten thousands.
const greatest = (values) => values.reduce((most, value) => Math.max(most, value), 0);

const plural = (noun) => (/[^aeiou]y$/.test(noun) ? `${noun.slice(0, -1)}ies` : `${noun}s`);
const counted = (count, noun) => `${compact.format(count)} ${count === 1 ? noun : plural(noun)}`;

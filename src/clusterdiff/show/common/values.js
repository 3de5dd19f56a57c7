// Users' values, which the data has as they are: what cannot be seen is spelt out, and long text is cut.
const WIDTH = 200;
const UNSEEN = /(?![ \u200c\u200d])[\p{C}\p{Z}]/gu;
const NAMED = { "\n": "\\n", "\r": "\\r", "\t": "\\t" };
const spelt = (sign) => {
  const code = sign.codePointAt(0);
  const [letter, digits] = code < 0x100 ? ["x", 2] : code < 0x10000 ? ["u", 4] : ["U", 8];
  return NAMED[sign] || `\\${letter}${code.toString(16).padStart(digits, "0")}`;
};
// A value as text. `[text]` is one that only its text is known of; a third entry is the length of what was cut.
const plainText = (value) => (value === null ? "" : Array.isArray(value) ? value[0] : value === true ? "True" : value === false ? "False" : String(value));
const shown = (value, width = WIDTH) => {
  const letters = [...plainText(value)];
  const text = letters.slice(0, width).join("").replace(UNSEEN, spelt);
  const length = Math.max((Array.isArray(value) && value[2]) || 0, letters.length);
  return length > width ? `${text}… (${compact.format(length)} characters)` : text;
};
// A name must be seen, even if it is empty or has blanks at its ends.
const named = (value, width) => shown(value, width).replace(/^ +| +$/g, (blanks) => "␣".repeat(blanks.length)) || '""';

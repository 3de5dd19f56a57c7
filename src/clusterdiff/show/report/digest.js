// What a patch calls a cluster: its least point, its size, and a hash of its points, sorted by code point as Python does.
const namedByPoints = (() => {
  const primes = [];
  for (let n = 2; primes.length < 64; n += 1) if (primes.every((prime) => n % prime)) primes.push(n);
  const fraction = (x) => ((x % 1) * 2 ** 32) | 0;
  const START = primes.slice(0, 8).map((prime) => fraction(prime ** (1 / 2)));
  const ROUND = primes.map((prime) => fraction(prime ** (1 / 3)));
  const turned = (x, by) => (x >>> by) | (x << (32 - by));

  // SHA-256 of ASCII text, as hexadecimal digits.
  const sha256 = (text) => {
    const bytes = [...text].map((letter) => letter.charCodeAt(0));
    const bits = bytes.length * 8;
    bytes.push(0x80);
    while (bytes.length % 64 !== 56) bytes.push(0);
    for (let shift = 56; shift >= 0; shift -= 8) bytes.push(Math.floor(bits / 2 ** shift) % 256);
    let hash = START.slice();
    const words = new Int32Array(64);
    for (let at = 0; at < bytes.length; at += 64) {
      for (let i = 0; i < 16; i += 1) {
        const b = at + 4 * i;
        words[i] = (bytes[b] << 24) | (bytes[b + 1] << 16) | (bytes[b + 2] << 8) | bytes[b + 3];
      }
      for (let i = 16; i < 64; i += 1) {
        const x = words[i - 15];
        const y = words[i - 2];
        const s0 = turned(x, 7) ^ turned(x, 18) ^ (x >>> 3);
        const s1 = turned(y, 17) ^ turned(y, 19) ^ (y >>> 10);
        words[i] = words[i - 16] + s0 + words[i - 7] + s1;
      }
      let [a, b, c, d, e, f, g, h] = hash;
      for (let i = 0; i < 64; i += 1) {
        const s1 = turned(e, 6) ^ turned(e, 11) ^ turned(e, 25);
        const one = (h + s1 + ((e & f) ^ (~e & g)) + ROUND[i] + words[i]) | 0;
        const s0 = turned(a, 2) ^ turned(a, 13) ^ turned(a, 22);
        const two = (s0 + ((a & b) ^ (a & c) ^ (b & c))) | 0;
        [h, g, f, e, d, c, b, a] = [g, f, e, (d + one) | 0, c, b, a, (one + two) | 0];
      }
      hash = [a, b, c, d, e, f, g, h].map((x, i) => (x + hash[i]) | 0);
    }
    return hash.map((x) => (x >>> 0).toString(16).padStart(8, "0")).join("");
  };

  const byCodePoint = (one, other) => {
    const [a, b] = [[...one], [...other]];
    const at = a.findIndex((letter, i) => letter !== b[i]);
    if (at < 0) return a.length - b.length;
    return at >= b.length ? 1 : a[at].codePointAt(0) - b[at].codePointAt(0);
  };
  const ascii = (text) =>
    JSON.stringify(text).replace(/[\u0080-\uffff]/g, (letter) => `\\u${letter.charCodeAt(0).toString(16).padStart(4, "0")}`);

  return (texts) => {
    const sorted = [...texts].sort(byCodePoint);
    return { member: sorted[0], size: sorted.length, digest: sha256(`[${sorted.map(ascii).join(", ")}]`).slice(0, 16) };
  };
})();

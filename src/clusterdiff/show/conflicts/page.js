// The page of a merge: a decision for every conflict, which leaves as the file that `merge --decisions` reads.
const { conflicts, format, version } = data;
const SIDES = ["base", "ours", "theirs"];
const keyOf = ({ kind, points }) => JSON.stringify([kind, ...points.map(String).sort()]);
// In the file a decision is a side, "merge", or the groups themselves.
const toAnswer = (decision) => (Array.isArray(decision) ? { answer: "own", groups: decision } : { answer: decision });
const toDecision = (answer) => (answer?.answer === "own" ? answer.groups : answer?.answer) ?? null;
const decidedOf = (found) => found.filter((one) => one.decision !== null).map((one) => [keyOf(one), toAnswer(one.decision)]);
const alike = (one, side) => side !== "base" && JSON.stringify(one[side]) === JSON.stringify(one.base);
deciding({
  cases: conflicts,
  keyOf,
  // Conflicts of another merge must not be taken for these.
  store: `clusterdiff-merge-${conflicts.map(keyOf).join().split("").reduce((sum, sign) => Math.imul(sum ^ sign.codePointAt(0), 0x01000193) >>> 0, 0x811c9dc5)}`,
  given: Object.fromEntries(decidedOf(conflicts)),
  noun: "decision",
  choices: [["base", "1", "Base"], ["ours", "2", "Ours"], ["theirs", "3", "Theirs"], ["merge", "m", "One cluster"], ["own", "o", "Own clusters"]],
  // Removed records cannot be put into clusters of one's own: a side decides.
  open: (one, answer) => one.kind !== "removed" || SIDES.includes(answer),
  versions: (one) => SIDES.map((side) => [side, side[0].toUpperCase() + side.slice(1), alike(one, side) ? "as in base" : counted(one[side].length, "cluster"), one[side]]),
  points: (one) => one.points,
  start: (one) => one.base,
  sign: (answer) => ({ answer }),
  tally: (done, all) => `${done} of ${counted(all, "conflict")} decided.`,
  tell: (one) => {
    $("kind").textContent = `${one.kind}: ${data.words[one.kind]}`;
  },
  file: {
    name: "decisions.json",
    type: "application/json",
    write: (answers) => `${JSON.stringify({ format, version, conflicts: conflicts.map((one) => ({ ...one, decision: toDecision(answers[keyOf(one)]) })) }, null, 1)}\n`,
    read: (text) => {
      const read = JSON.parse(text);
      if (read.format !== format) throw new Error("it does not hold conflicts of a merge");
      return decidedOf(read.conflicts);
    },
  },
});

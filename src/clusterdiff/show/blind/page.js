// The page of a review. Nothing here says which version is the old one: that is in the header of the file alone.
const { header, lines } = data;
deciding({
  cases: lines,
  keyOf: (line) => String(line.id),
  store: `clusterdiff-review-${header.digests.join("-")}-${header.seed}`,
  given: {},
  noun: "answer",
  choices: [
    ["1", "1", "Version 1 is right"], ["2", "2", "Version 2 is right"], ["own", "o", "Own clusters"],
    ["neither", "n", "Neither"], ["unsure", "u", "Unsure"],
  ],
  open: () => true,
  versions: (line) => ["1", "2"].map((side) => [side, `Version ${side}`, counted(line.shown[side].length, "cluster"), line.shown[side]]),
  points: (line) => line.shown["1"].flat(),
  start: (line) => line.shown["1"],
  sign: (answer) => ({ answer, by: $("by").value.trim() || undefined, at: new Date().toISOString() }),
  tally: (done, all) => `${done} of ${compact.format(all)} answered.`,
  tell: () => {},
  file: {
    name: "review.jsonl",
    type: "application/jsonl",
    write: (answers) => `${[header, ...lines.map((line) => ({ ...line, ...answers[line.id] }))].map((one) => JSON.stringify(one)).join("\n")}\n`,
    read: (text) => {
      const [first, ...read] = text.trim().split("\n").map((line) => JSON.parse(line));
      if (first.seed !== header.seed || String(first.digests) !== String(header.digests)) throw new Error("it is of another review");
      return read
        .filter(({ answer }) => answer)
        .map(({ id, answer, groups, by, at }) => [String(id), { answer, by, at, ...(answer === "own" ? { groups } : {}) }]);
    },
  },
});

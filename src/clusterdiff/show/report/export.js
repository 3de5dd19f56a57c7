// How accepted repairs leave the page: as a patch for `clusterdiff apply`, as CSV, in words.
const exporting = (() => {
  const accepted = () => review.decisions.filter((one) => one.accepted);

  // A row for every point that comes into another cluster; `points` counts those of which the page has no name.
  const HEAD = ["repair", "operation", "gain", "score", plural(POINT), POINT, data.sides[0], "from", "to", ...data.attributes];
  const quoted = (value) => (/[",\r\n]/.test(value) ? `"${value.replaceAll('"', '""')}"` : value);
  const rowsOf = (one, number) => {
    if (one.group !== undefined) return [[number + 1, "group", one.gain, one.score, data.groups[one.group].points, ...HEAD.slice(5).map(() => "")]];
    const { component, repair, names } = one;
    const name = (id) => (id === null ? "" : plainText(names.get(id)));
    return one.parts.flatMap((part) => {
      if (part.from === part.to) return [];
      const rows = (held, size, t) => {
        const left = size - held.length;
        const truth = t === null ? "" : plainText(component.true[t][0]);
        const row = (count, [point, ...values]) => [
          number + 1, repair.operation, one.gain, one.score, count, plainText(point), truth, name(part.from), name(part.to),
          ...data.attributes.map((_, i) => plainText(values[i] ?? null)),
        ];
        return [...held.map((values) => row(1, values)), ...(left ? [row(left, [null])] : [])];
      };
      const lost = (side, at) => rows(lostOf(component, side, [at]).map((point) => point.slice(2)), component[side][at][5], side === "true" ? at : null);
      return [
        ...part.cells.flatMap((cell) => {
          const held = pointsIn(component, [cell]).map((point) => point.slice(1));
          const [t, , size] = cellRows(component)[cell];
          return rows(held, size, t);
        }),
        ...part.strays.flatMap((at) => lost("pred", at)),
        ...(part.found === undefined ? [] : lost("true", part.found)),
      ];
    });
  };
  const rows = () => [HEAD, ...accepted().flatMap(rowsOf)];
  const csv = () => rows().map((row) => row.map((value) => quoted(String(value))).join(",")).join("\r\n") + "\r\n";
  // Values that a spreadsheet would run; they are written as they are.
  const formulas = () => rows().flat().filter((value) => typeof value === "string" && /^[=+\-@\t\r]/.test(value)).length;

  const words = () =>
    [
      `${SCORE_NAME} ${number(measured.score)} → ${number(review.totals().score)}`,
      ...accepted().map((one, i) => `${i + 1}. ${inWords(one.words)} (+${number(one.gain)})`),
    ].join("\n") + "\n";

  // The clipboard may be refused to a file; an old way works then.
  const copy = async (text) => {
    try {
      await navigator.clipboard.writeText(text);
      return true;
    } catch {
      const box = element("textarea", { class: "unseen", "aria-hidden": "true" });
      box.value = text;
      document.body.append(box);
      box.select();
      const done = document.execCommand("copy");
      box.remove();
      return done;
    }
  };

  return { patch: patching, csv, formulas, words, copy, accepted };
})();

// How accepted repairs leave the page: as a patch for `clusterdiff apply`, as CSV, in words.
const exporting = (() => {
  class NoPatch extends Error {}

  // The text of a point, which must be the user's very own.
  const textOf = (value) => {
    if (typeof value === "boolean") return value ? "True" : "False";
    if (!Array.isArray(value)) return String(value);
    if (value[1]) return value[0];
    throw new NoPatch(`The name “${named(value, 40)}” is too long, or neither text nor a number: a patch cannot hold it.`);
  };
  const textsOfAll = (component, cells) => {
    const held = pointsIn(component, cells).map((point) => point[1]);
    const size = cells.reduce((sum, cell) => sum + component.cells[cell][2], 0);
    if (held.length < size) {
      throw new NoPatch(
        `A patch names clusters by all of their points, and this file has ${compact.format(held.length)} of ${points(size)} of one part. A page written with --full has more.`,
      );
    }
    return held.map(textOf);
  };
  const accepted = () => review.decisions.filter((one) => one.accepted);

  const operations = ({ repair, parts, held, component }) => {
    const cluster = (cells) => namedByPoints(textsOfAll(component, cells));
    const whole = (id) => {
      const { cells, outside } = held.get(id);
      if (outside) throw new NoPatch("A patch names clusters by all of their points, and this file has only a part of one. A page written with --full has more.");
      return cluster(cells);
    };
    const splitOff = (from, off) => ({ split: whole(from), off: off.map((cells) => textsOfAll(component, cells)) });
    if (repair.operation === "split") return [splitOff(repair.p, parts.slice(1).map((part) => part.cells))];
    if (repair.operation === "merge") return [{ merge: repair.preds.map(whole) }];
    const { cells } = parts[0];
    return [splitOff(repair.from, [cells]), { merge: [whole(repair.to), cluster(cells)] }];
  };

  // The patch as the text of a file, or why there is none: { text } or { reason }.
  const patch = () => {
    if (data.patch.refused) return { reason: data.patch.refused };
    try {
      const lines = accepted().flatMap(operations).map((one) => JSON.stringify(one));
      return { text: `{"format": "clusterdiff patch", "version": 2, "operations": [${lines.map((line) => `\n    ${line}`).join(",")}\n]}\n` };
    } catch (error) {
      if (error instanceof NoPatch) return { reason: error.message };
      throw error;
    }
  };

  // A row for every point that comes into another cluster; `points` counts those of which the page has no name.
  const HEAD = ["repair", "operation", "gain", "score", plural(POINT), POINT, data.sides[0], "from", "to", ...data.attributes];
  const quoted = (value) => (/[",\r\n]/.test(value) ? `"${value.replaceAll('"', '""')}"` : value);
  const rowsOf = (one, number) => {
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
          return rows(held, component.cells[cell][2], component.cells[cell][0]);
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

  const download = (name, type, text) => {
    const address = URL.createObjectURL(new Blob([text], { type }));
    const link = element("a", { href: address, download: name });
    document.body.append(link);
    link.click();
    link.remove();
    setTimeout(() => URL.revokeObjectURL(address), 10_000);
  };
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

  return { patch, csv, formulas, words, download, copy, accepted };
})();

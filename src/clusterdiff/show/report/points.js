// The points of a component as a diff: by predicted cluster, strays tinted and by true cluster, what differs marked.
const SHORT = 80; // a longer value is shown in part, until it is asked for
const GROUPS = 40; // so many clusters of a component at first
const ROWS = 40; // and so many points of a part
const NAMES = 200; // of which there are only names

// A text whose search hits are marked.
const highlighted = (text, words) => {
  if (!words.length) return [text];
  const lower = text.toLocaleLowerCase();
  if (lower.length !== text.length) return [text]; // some letters have no lower case of the same length
  const out = [];
  let from = 0;
  while (from < text.length) {
    let [at, length] = [-1, 0];
    for (const word of words) {
      const found = lower.indexOf(word, from);
      if (found >= 0 && (at < 0 || found < at || (found === at && word.length > length))) [at, length] = [found, word.length];
    }
    if (at < 0) break;
    if (at > from) out.push(text.slice(from, at));
    out.push(element("mark", {}, text.slice(at, at + length)));
    from = at + length;
  }
  if (from < text.length) out.push(text.slice(from));
  return out;
};
const hit = (value, width) => element("bdi", {}, ...highlighted(named(value, width), sought()));

// A value beside those of other points: if none of them has it, the words that they lack are marked, or all of it.
const beside = (text, { values, words: theirs } = { values: null }, words) => {
  if (!values || !values.size || values.has(text)) return highlighted(text, words);
  const tokens = text.split(/(\s+)/);
  const lacks = (token) => token.trim() && !theirs.has(token.toLocaleLowerCase());
  const differs = (token) => element("span", { class: "differs" }, ...highlighted(token, words));
  if (!tokens.some(lacks)) return [differs(text)];
  return tokens.flatMap((token) => (lacks(token) ? [differs(token)] : highlighted(token, words)));
};
const valueNode = (value, others, words) => {
  if (value === null) return element("span", { class: "absent", "aria-label": "no value" }, "–");
  const text = shown(value, Infinity);
  const letters = [...text];
  const length = Math.max(letters.length, (Array.isArray(value) && value[2]) || 0); // the file may have less of it
  if (length <= SHORT) return element("bdi", {}, ...beside(text, others, words));
  const node = element("bdi", {});
  const draw = (open) => {
    const button = element(
      "button",
      { type: "button", class: "unfold", "aria-expanded": String(open), onclick: () => { draw(!open); node.querySelector("button").focus(); } },
      open ? "less" : `${compact.format(length - SHORT)} more`,
    );
    const part = open ? text + (length > letters.length ? `… (${compact.format(length)} characters)` : "") : `${letters.slice(0, SHORT).join("")}…`;
    node.replaceChildren(...beside(part, others, words), " ", button);
  };
  const late = letters.slice(SHORT).join("").toLocaleLowerCase();
  draw(words.some((word) => late.includes(word)));
  return node;
};

// Of each attribute, the values of some points and their words. With `usual`, only what more than half of them have.
const valuesOf = (rows, usual = false) =>
  data.attributes.map((_, i) => {
    const counts = new Map();
    for (const row of rows) if (row[i + 1] !== null && row.length > 1) counts.set(shown(row[i + 1], Infinity), (counts.get(shown(row[i + 1], Infinity)) || 0) + 1);
    const values = [...counts].filter(([, count]) => !usual || 2 * count > rows.length).map(([text]) => text);
    return { values: new Set(values), words: new Set(values.flatMap((text) => text.toLocaleLowerCase().split(/\s+/))) };
  });

// The predicted clusters as they are now: { id, size, parts: [{ kind, words, count, rows }] }. A row is [name, attribute…].
// `only` are the wanted ones, if not all; `missing` is the true cluster whose missing points are wanted then.
const clustersNow = (work, only, missing) => {
  const { component, engine } = work;
  const rowsOf = (cell) => [
    ...pointsIn(component, cell.of).map((point) => point.slice(1)),
    ...(cell.found ? lostOf(component, "true", [cell.t]) : []).map((point) => point.slice(2)),
  ];
  const homes = new Map();
  const homeOf = (t) => {
    if (!homes.has(t)) homes.set(t, engine.truths[t].known ? null : engine.home(engine.truths[t]));
    return homes.get(t);
  };
  const out = [];
  const wanted = only ? only.map((id) => engine.preds.get(id)).filter(Boolean) : engine.preds.values();
  for (const pred of wanted) {
    const cells = [...pred.cells.values()].sort((a, b) => b.set.mass - a.set.mass || (homeOf(b.t) === b) - (homeOf(a.t) === a) || a.t - b.t);
    const parts = cells.map((cell, i) => {
      const at = homeOf(cell.t);
      const elsewhere = at && at !== cell ? ["; most of it is in ", ...clusterOf(work, at.p)] : [];
      const kind = i ? "merge" : elsewhere.length ? "split" : "own";
      const words = [`${points(cell.set.size)} of `, ...truthOf(work, cell.t)];
      return { kind, cell, at, count: cell.set.size, rows: rowsOf(cell), words, elsewhere };
    });
    if (pred.lost.size) {
      const rows = lostOf(component, "pred", pred.strays).map((point) => point.slice(2));
      parts.push({ kind: "spurious", count: pred.lost.size, rows, words: [`${points(pred.lost.size)}: spurious`] });
    }
    // Strays are compared with the cluster's own points, split-off parts with those where most of their cluster is.
    const [own] = parts;
    const [among, theirs] = own?.cell ? [valuesOf(own.rows, own.kind === "own"), valuesOf(own.rows)] : [null, null];
    for (const part of parts) part.others = part !== own ? theirs : own.kind === "split" ? valuesOf(rowsOf(own.at)) : among;
    out.push({ id: pred.id, name: clusterOf(work, pred.id), size: pred.shared.size + pred.lost.size, parts });
  }
  engine.truths.forEach((truth, t) => {
    if (!truth.lost.size || (only && t !== missing)) return;
    const rows = lostOf(component, "true", [t]).map((point) => point.slice(2));
    const words = [`${points(truth.lost.size)} of `, ...truthOf(work, t)];
    out.push({ id: null, t, name: null, size: truth.lost.size, parts: [{ kind: "missing", count: truth.lost.size, rows, words }] });
  });
  return out;
};

const partRows = (part, words, moves) => {
  const width = 1 + data.attributes.length;
  const tint = moves ? `${part.kind} moves` : part.kind;
  const left = part.count - part.rows.length;
  const note = left ? ` (${compact.format(part.rows.length)} shown)` : "";
  const head = element(
    "tr",
    { class: `part ${tint}` },
    element("th", { scope: "rowgroup", colspan: width }, ...asNodes(part.words), ...(moves ? [element("b", {}, ` ${moves}`)] : asNodes(part.elsewhere || [])), note),
  );
  const name = (row) => element("bdi", {}, ...highlighted(named(row[0]), words));
  const inLine = (rows) => rows.flatMap((row, i) => [i ? ", " : "", name(row)]);
  const inRows = (rows) =>
    rows.map((row) =>
      element(
        "tr",
        { class: tint },
        element("th", { scope: "row" }, name(row)),
        ...row.slice(1).map((value, i) => element("td", {}, valueNode(value, part.others?.[i], words))),
      ),
    );
  // Those that were searched for come first.
  const found = words.length ? (row) => holds(row, words) : () => false;
  const rows = words.length ? [...part.rows].sort((a, b) => found(b) - found(a)) : part.rows;
  const out = [head];
  const [full, bare] = [true, false].map((wanted) => rows.filter((row) => row.length > 1 === wanted));
  const rest = (some, most, put) => {
    const left = some.slice(most);
    const button = element("button", { type: "button", class: "unfold", onclick: () => put(button, left) }, `${compact.format(left.length)} more`);
    return left.length ? [" ", button] : [];
  };
  out.push(...inRows(full.slice(0, ROWS)));
  const further = rest(full, ROWS, (button, left) => button.closest("tr").replaceWith(...inRows(left)));
  if (further.length) out.push(element("tr", { class: tint }, element("td", { colspan: width }, ...further)));
  if (bare.length) {
    const names = rest(bare, NAMES, (button, left) => button.replaceWith(", ", ...inLine(left)));
    out.push(element("tr", { class: tint }, element("td", { class: "names", colspan: width }, ...inLine(bare.slice(0, NAMES)), ...names)));
  }
  return out;
};

// `only` are the clusters to be shown, with the `missing` points of a true one; `moving` says what a repair would do with
// a part.
const pointDiff = (work, { only = null, missing = null, moving = () => "" } = {}) => {
  const words = sought();
  const found = (cluster) => words.length > 0 && cluster.parts.some((part) => part.rows.some((row) => holds(row, words)));
  const clusters = clustersNow(work, only, missing).sort((a, b) => found(b) - found(a));
  const body = (cluster) => {
    const title = cluster.name ? [...asNodes(cluster.name), ` · ${points(cluster.size)}`] : ["not found"];
    return element(
      "tbody",
      {},
      element("tr", { class: "cluster" }, element("th", { scope: "rowgroup", colspan: 1 + data.attributes.length }, ...title)),
      ...cluster.parts.flatMap((part) => partRows(part, words, moving(cluster, part))),
    );
  };
  const table = element(
    "table",
    { class: "points" },
    element("caption", { class: "unseen" }, `${capital(plural(POINT))} by ${clusterNoun("pred")}`),
    element("thead", { class: data.attributes.length ? null : "unseen" }, element("tr", {}, ...[POINT, ...data.attributes].map((head) => element("th", { scope: "col" }, label(head))))),
    ...clusters.slice(0, GROUPS).map(body),
  );
  const more = element(
    "button",
    {
      type: "button",
      onclick: () => {
        table.append(...clusters.slice(GROUPS).map(body));
        more.remove();
      },
    },
    `Show ${counted(clusters.length - GROUPS, `more ${CLUSTER}`)}`,
  );
  return element("div", { class: "scroll", tabindex: "0", role: "group", "aria-label": capital(plural(POINT)) }, table, clusters.length > GROUPS ? more : null);
};

const pointTable = (component) => {
  const work = review.worked(component);
  const done = review.decisions.filter((one) => one.accepted && one.component === component).length;
  return element(
    "div",
    {},
    element(
      "p",
      { class: "tints" },
      `By ${clusterNoun("pred")}${done ? `, after ${compact.format(done)} accepted repair${done === 1 ? "" : "s"}` : ""}. `,
      element("span", { class: "tint merge" }, "Strays"),
      ` belong to another ${clusterNoun("true")}; `,
      element("span", { class: "tint split" }, "split-off parts"),
      ` belong where most of their ${CLUSTER} is.`,
      ...(data.attributes.length ? [" ", element("span", { class: "differs" }, "Underlined values"), " differ from their neighbours'."] : []),
    ),
    pointDiff(work),
  );
};

"use strict";
(() => {
  const data = JSON.parse(document.getElementById("data").textContent);
  const $ = (id) => document.getElementById(id);
  const KINDS = ["same", "split", "merge", "mixed", "missing", "spurious"];
  const PAGE = 100;
  const SVG = "http://www.w3.org/2000/svg";
  const compact = new Intl.NumberFormat("en-US");

  // Labels come from users: they enter the page as text, never as markup.
  const element = (name, properties = {}, ...children) => {
    const node = document.createElement(name);
    for (const [key, value] of Object.entries(properties)) {
      if (value === undefined || value === null) continue;
      if (key === "class") node.className = value;
      else if (key.startsWith("on")) node.addEventListener(key.slice(2), value);
      else node.setAttribute(key, value);
    }
    node.append(...children.filter((child) => child !== null));
    return node;
  };
  const drawn = (name, attributes = {}, ...children) => {
    const node = document.createElementNS(SVG, name);
    for (const [key, value] of Object.entries(attributes)) node.setAttribute(key, value);
    node.append(...children);
    return node;
  };
  const label = (text) => element("bdi", {}, text);
  const number = (value) => {
    const size = Math.abs(value);
    if (size && size < 5e-5) return String(Number(value.toPrecision(2)));
    return size >= 1000 ? compact.format(Math.round(value)) : value.toFixed(4);
  };
  const points = (count) => `${compact.format(count)} point${count === 1 ? "" : "s"}`;

  // ---- the list

  const worst = Math.max(...data.components.map((c) => c.loss[0]), 0);
  for (const component of data.components) {
    const words = [component.kind, ...component.true.map((c) => c[0]), ...component.pred.map((c) => c[0])];
    for (const point of component.points || []) words.push(...point.slice(1));
    component.text = words.join("\n").toLocaleLowerCase();
  }
  const COLUMNS = [
    { key: "kind", title: "kind", value: (c) => KINDS.indexOf(c.kind), first: -1 },
    { key: "names", title: "clusters", value: (c) => (c.true[0] ? c.true[0][0].toLocaleLowerCase() : ""), first: 1 },
    { key: "size", title: "points", value: (c) => c.size, first: -1, class: "n" },
    { key: "score", title: "score", value: (c) => c.score, first: 1, class: "n score-column" },
    { key: "loss", title: "loss", value: (c) => c.loss[0], first: -1, class: "loss" },
  ];
  const state = { sort: "loss", direction: -1, kinds: new Set(KINDS), shown: PAGE, open: new Set() };

  const matching = () => {
    const wanted = $("search").value.trim().toLocaleLowerCase().split(/\s+/).filter(Boolean);
    const least = Number($("least").value) || 0;
    const most = Number($("most").value) || Infinity;
    const column = COLUMNS.find((c) => c.key === state.sort);
    const found = data.components.filter(
      (c) =>
        state.kinds.has(c.kind) &&
        c.size >= least &&
        c.size <= most &&
        wanted.every((word) => c.text.includes(word)),
    );
    const rank = new Map(found.map((c) => [c, column.value(c)]));
    return found.sort((a, b) => {
      const x = rank.get(a);
      const y = rank.get(b);
      return (x < y ? -1 : x > y ? 1 : 0) * state.direction || b.loss[0] - a.loss[0];
    });
  };

  const clusterName = ([name, , , single]) => (single ? element("i", {}, "none") : label(name));

  // Without those that stand for a single point in none of the clusters.
  const nameList = (all, total) => {
    const out = [];
    const clusters = all.filter((cluster) => !cluster[3]);
    clusters.slice(0, 3).forEach((cluster, i) => {
      if (i) out.push(", ");
      out.push(label(cluster[0].length > 40 ? `${cluster[0].slice(0, 39)}…` : cluster[0]));
    });
    if (total > Math.min(3, clusters.length)) out.push(` +${compact.format(total - Math.min(3, clusters.length))}`);
    return out;
  };

  const PARTS = [["split", "splits"], ["merge", "merges"], ["missing", "missing points"], ["spurious", "spurious points"]];

  // The parts of a loss; those for lost points only where there may be such.
  const bar = (parts) => {
    const shown = PARTS.slice(0, data.uneven ? 4 : 2);
    const told = shown.map(([, name], i) => `${number(parts[i])} to ${name}`).join(", ");
    let x = 0;
    const rects = shown.map(([kind], i) => {
      const width = worst ? (100 * parts[i]) / worst : 0;
      x += width;
      return drawn("rect", { class: kind, x: x - width, y: 0, width, height: 10 });
    });
    return drawn("svg", { class: "bar", viewBox: "0 0 100 10", preserveAspectRatio: "none", role: "img", "aria-label": told }, ...rects);
  };

  const toggle = (component, row, open) => {
    const button = row.querySelector("button");
    const next = row.nextElementSibling;
    if (next && next.classList.contains("detail")) next.remove();
    row.classList.toggle("open", open);
    button.setAttribute("aria-expanded", String(open));
    if (open) {
      state.open.add(component.id);
      // Narrow screens leave a column out.
      const columns = [...$("list").tHead.rows[0].cells].filter((head) => head.offsetParent !== null);
      const cell = element("td", { colspan: columns.length });
      row.after(element("tr", { class: "detail", id: `detail-${component.id}` }, cell));
      fill(cell, component);
    } else {
      state.open.delete(component.id);
    }
  };

  const rowOf = (component) => {
    const button = element("button", { type: "button", class: `k-${component.kind}`, "aria-expanded": "false" }, component.kind);
    const row = element(
      "tr",
      { class: "row", id: `component-${component.id}`, "data-id": component.id },
      element("td", { class: "kind" }, button),
      element(
        "td",
        { class: "names" },
        ...nameList(component.true, component.counts[0]),
        element("span", { class: "arrow", "aria-label": "became" }, "→"),
        ...nameList(component.pred, component.counts[1]),
      ),
      element("td", { class: "n" }, compact.format(component.size)),
      element("td", { class: "n score-column" }, number(component.score)),
      element(
        "td",
        { class: "loss" },
        element(
          "div",
          {},
          element("data", { value: component.loss[0] }, component.loss[0] ? number(component.loss[0]) : "0"),
          component.loss[0] ? bar(component.loss.slice(1)) : null,
        ),
      ),
    );
    row.addEventListener("click", (event) => {
      // Selecting text in a row must not open it.
      if (String(getSelection()) && !event.target.closest("button")) return;
      toggle(component, row, !state.open.has(component.id));
    });
    return row;
  };

  const draw = () => {
    const found = matching();
    const body = $("list").tBodies[0];
    body.replaceChildren();
    for (const component of found.slice(0, state.shown)) {
      const row = rowOf(component);
      body.append(row);
      if (state.open.has(component.id)) toggle(component, row, true);
    }
    const all = data.components.length;
    const lost = found.reduce((sum, c) => sum + c.loss[0], 0);
    $("found").textContent =
      found.length === all
        ? `${compact.format(all)} component${all === 1 ? "" : "s"}`
        : `${compact.format(found.length)} of ${compact.format(all)} components, ${number(lost)} of the loss`;
    $("more").hidden = found.length <= state.shown;
    for (const head of $("list").tHead.rows[0].cells) {
      const sorted = head.dataset.key === state.sort;
      if (sorted) head.setAttribute("aria-sort", state.direction > 0 ? "ascending" : "descending");
      else head.removeAttribute("aria-sort");
    }
  };

  // ---- one component

  const fill = (cell, component) => {
    cell.append(...component.story.map((sentence) => element("p", { class: "story" }, label(sentence))));
    const holder = element("div", { class: "graph" });
    if (component.loss[0] > 0 && component.cells.length) {
      cell.append(
        element("h3", {}, "Derivation"),
        legend(),
        holder,
      );
      graph(holder, component);
      if (component.counts[2] > component.cells.length) {
        cell.append(
          element("p", { class: "note" }, `An excerpt around the costliest ${data.sides[0]} cluster: ${component.cells.length} of ${compact.format(component.counts[2])} cells.`),
        );
      }
      const fixes = component.repairs.map((repair) =>
        element("p", { class: "fix" }, label(repair.sentence), " ", element("data", { value: repair.gain }, `+${number(repair.gain)}`)),
      );
      if (fixes.length) cell.append(element("h3", {}, fixes.length > 1 ? "Repairs" : "Repair"), ...fixes);
    }
    if (component.points && component.points.length + component.lost.length) cell.append(element("h3", {}, "Points"), pointTable(component));
  };

  const legend = () => {
    const item = (kind, text) =>
      element("span", {}, drawn("svg", { viewBox: "0 0 10 10", "aria-hidden": "true" }, drawn("rect", { class: `ribbon ${kind}`, width: 10, height: 10 })), text);
    return element(
      "p",
      { class: "legend" },
      item("split", "lost to a split"),
      item("merge", "lost to a merge"),
      item("none", "nothing lost"),
      element("span", {}, "widths show numbers of points"),
    );
  };

  const pointTable = (component) => {
    const heads = ["point", `${data.sides[0]} cluster`, `${data.sides[1]} cluster`, ...data.attributes];
    const row = (t, p, values) =>
      element(
        "tr",
        {},
        element("th", { scope: "row" }, label(values[0])),
        element("td", {}, t === null ? element("i", {}, "spurious") : clusterName(component.true[t])),
        element("td", {}, p === null ? element("i", {}, "not found") : clusterName(component.pred[p])),
        ...values.slice(1).map((value) => element("td", {}, label(value))),
      );
    const rows = component.points.map(([at, ...values]) => row(component.cells[at][0], component.cells[at][1], values));
    rows.push(...component.lost.map(([t, p, ...values]) => row(t, p, values)));
    const left = component.size - rows.length;
    return element(
      "div",
      { class: "scroll" },
      element(
        "table",
        { class: "points" },
        element("thead", {}, element("tr", {}, ...heads.map((head) => element("th", { scope: "col" }, label(head))))),
        element("tbody", {}, ...rows),
      ),
      left > 0 ? element("p", { class: "note" }, `${points(left)} more ${left === 1 ? "is" : "are"} not listed.`) : null,
    );
  };

  // The derivation graph: true clusters above, cells between, predicted clusters below.
  const graph = (holder, component) => {
    const gap = 14;
    const inner = 3;
    const least = 8;
    const cells = component.cells.map(([t, p, size, split, merge], i) => ({ t, p, size, split, merge, i }));
    const side = (clusters, key) =>
      clusters.map(([name, size, score], i) => ({ name, size, score, cells: cells.filter((c) => c[key] === i) }));
    const above = side(component.true, "t");
    const below = side(component.pred, "p");
    // A predicted cluster stands below the middle of what it is made of.
    const centre = (cluster) => cluster.cells.reduce((sum, c) => sum + c.t * c.size, 0) / cluster.cells.reduce((sum, c) => sum + c.size, 0);
    const order = below.map((_, i) => i).sort((a, b) => centre(below[a]) - centre(below[b]) || a - b);
    const rank = new Map(order.map((p, i) => [p, i]));
    for (const cluster of above) cluster.cells.sort((a, b) => rank.get(a.p) - rank.get(b.p));

    const total = cells.reduce((sum, c) => sum + c.size, 0);
    const gaps = gap * Math.max(above.length, below.length) + inner * cells.length;
    const need = gaps + least * cells.length;
    const width = Math.max(holder.clientWidth || 320, Math.min(need, 4000));
    const usable = Math.max(width - gaps - 2, least * cells.length);
    const extra = Math.max(0, usable - least * cells.length);
    for (const cell of cells) cell.width = least + (extra * cell.size) / total;
    const spread = (clusters, key) => {
      const taken = cells.reduce((sum, c) => sum + c.width, 0) + inner * (cells.length - clusters.length);
      const between = clusters.length > 1 ? Math.min((width - 2 - taken) / (clusters.length - 1), 60) : 0;
      let x = (width - taken - between * (clusters.length - 1)) / 2;
      for (const cluster of clusters) {
        cluster.x = x;
        for (const cell of cluster.cells) {
          cell[key] = x;
          x += cell.width + inner;
        }
        x -= inner;
        cluster.width = x - cluster.x;
        x += between;
      }
    };
    spread(above, "xt");
    for (const cluster of below) cluster.cells.sort((a, b) => a.xt - b.xt);
    spread(order.map((p) => below[p]), "xp");

    const top = 44;
    const middle = top + 80;
    const bottom = middle + 80;
    for (const cell of cells) cell.x = (cell.xt + cell.xp) / 2;
    // Cells keep their order; a sweep pushes apart those that would overlap.
    const line = [...cells].sort((a, b) => a.x - b.x);
    line.forEach((cell, i) => { if (i) cell.x = Math.max(cell.x, line[i - 1].x + line[i - 1].width + inner); });
    const over = line.length ? Math.max(0, line.at(-1).x + line.at(-1).width - width + 1) : 0;
    let limit = width;
    for (const cell of [...line].reverse()) {
      cell.x = Math.max(0, Math.min(cell.x, limit - cell.width - (over ? 1 : 0)));
      limit = cell.x - inner;
    }

    const svg = drawn("svg", { width, role: "img", "aria-label": component.story.join(" ") });
    const ribbon = (x0, y0, x1, y1, w, kind, share, title) => {
      const mid = (y0 + y1) / 2;
      const path = `M${x0},${y0}C${x0},${mid} ${x1},${mid} ${x1},${y1}h${w}C${x1 + w},${mid} ${x0 + w},${mid} ${x0 + w},${y0}Z`;
      return drawn("path", { class: `ribbon ${kind}`, d: path, "fill-opacity": kind === "none" ? 1 : 0.35 + 0.65 * share }, drawn("title", {}, title));
    };
    for (const cell of cells) {
      const s = above[cell.t].score;
      const t = below[cell.p].score;
      svg.append(
        ribbon(cell.xt, top + 8, cell.x, middle, cell.width, s < 1 ? "split" : "none", 1 - s, `${points(cell.size)} of ${above[cell.t].name}: ${number(cell.split)} lost to the split`),
        ribbon(cell.x, middle + 8, cell.xp, bottom, cell.width, t < 1 ? "merge" : "none", 1 - t, `${points(cell.size)} in ${below[cell.p].name}: ${number(cell.merge)} lost to the merge`),
      );
    }
    for (const cell of cells) {
      svg.append(drawn("rect", { class: "cell", x: cell.x, y: middle, width: cell.width, height: 8, rx: 2 }, drawn("title", {}, `${points(cell.size)} of ${above[cell.t].name} in ${below[cell.p].name}`)));
      const text = compact.format(cell.size);
      if (cell.width > 7 * text.length + 4) svg.append(drawn("text", { class: "small", x: cell.x + cell.width / 2, y: middle + 21, "text-anchor": "middle" }, text));
    }
    // Returns the last of the lines that was needed.
    const named = (clusters, y, lines) => {
      const free = lines.map(() => -Infinity);
      let last = 0;
      for (const cluster of [...clusters].sort((a, b) => a.x - b.x)) {
        svg.append(drawn("rect", { class: "node", x: cluster.x, y, width: cluster.width, height: 8, rx: 2 }, drawn("title", {}, `${cluster.name}: ${points(cluster.size)}`)));
        // Names stand in two lines, so that neighbours do not run into each other; what does not fit is left to the title.
        const at = free.findIndex((end) => cluster.x >= end);
        if (at < 0) continue;
        const room = Math.max(cluster.width, 110);
        const letters = Math.max(3, Math.floor(room / 7));
        const letter = [...cluster.name];
        const short = letter.length > letters ? `${letter.slice(0, letters - 1).join("")}…` : cluster.name;
        const start = Math.min(cluster.x, Math.max(0, width - 7 * [...short].length - 8));
        const text = drawn("text", { x: start, y: lines[at], direction: "ltr", "unicode-bidi": "isolate" }, short, drawn("title", {}, `${cluster.name}: ${points(cluster.size)}`));
        svg.append(text);
        free[at] = start + 7 * [...short].length + 12;
        last = Math.max(last, at);
      }
      return last;
    };
    const upper = named(above, top, [top - 8, top - 24]);
    const lower = named(below, bottom, [bottom + 22, bottom + 38]);
    const from = upper ? 6 : 22;
    const height = bottom + (lower ? 44 : 28) - from;
    svg.setAttribute("height", height);
    svg.setAttribute("viewBox", `0 ${from} ${width} ${height}`);
    holder.replaceChildren(svg);
  };

  // ---- tools

  for (const kind of KINDS) {
    const count = data.components.filter((c) => c.kind === kind).length;
    if (!count) continue;
    $("kinds").append(
      element(
        "button",
        {
          type: "button",
          class: `k-${kind}`,
          "aria-pressed": "true",
          "data-kind": kind,
          onclick: (event) => {
            const pressed = !state.kinds.has(kind);
            if (pressed) state.kinds.add(kind);
            else state.kinds.delete(kind);
            event.currentTarget.setAttribute("aria-pressed", String(pressed));
            draw();
          },
        },
        kind,
      ),
    );
  }
  for (const column of COLUMNS) {
    const button = element(
      "button",
      {
        type: "button",
        onclick: () => {
          if (state.sort === column.key) state.direction = -state.direction;
          else Object.assign(state, { sort: column.key, direction: column.first });
          draw();
        },
      },
      column.title,
    );
    $("list").tHead.rows[0].append(element("th", { scope: "col", class: column.class, "data-key": column.key }, button));
  }
  const restart = () => {
    state.shown = PAGE;
    draw();
  };
  for (const id of ["search", "least", "most"]) $(id).addEventListener("input", restart);
  $("tools").addEventListener("submit", (event) => event.preventDefault());
  $("tools").addEventListener("reset", () => {
    state.kinds = new Set(KINDS);
    for (const button of $("kinds").children) button.setAttribute("aria-pressed", "true");
    Object.assign(state, { sort: "loss", direction: -1 });
    setTimeout(restart);
  });
  $("more").addEventListener("click", () => {
    state.shown += PAGE;
    draw();
  });

  document.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const typing = event.target.closest("input");
    if (event.key === "/" && !typing) {
      event.preventDefault();
      $("search").focus();
      return;
    }
    const row = event.target.closest("#list .row, #list .detail");
    if (!row) return;
    const rows = [...document.querySelectorAll("#list .row")];
    const own = row.classList.contains("row") ? row : row.previousElementSibling;
    if (event.key === "ArrowDown" || event.key === "ArrowUp") {
      const next = rows[rows.indexOf(own) + (event.key === "ArrowDown" ? 1 : -1)];
      if (next) {
        event.preventDefault();
        next.querySelector("button").focus();
      }
    } else if (event.key === "Escape" && own.classList.contains("open")) {
      toggle(data.components.find((c) => String(c.id) === own.dataset.id), own, false);
      own.querySelector("button").focus();
    }
  });

  // A link such as #component-12 opens that component, even if a filter hides it.
  const follow = () => {
    const match = /^#component-(\d+)$/.exec(location.hash);
    const component = match && data.components.find((c) => c.id === Number(match[1]));
    if (!component) return;
    state.open.add(component.id);
    if (!matching().slice(0, state.shown).includes(component)) {
      $("tools").reset();
      state.shown = Math.max(PAGE, data.components.indexOf(component) + 1);
      Object.assign(state, { sort: "loss", direction: -1, kinds: new Set(KINDS) });
    }
    draw();
    const row = $(`component-${component.id}`);
    row.scrollIntoView({ block: "start" });
    row.querySelector("button").focus({ preventScroll: true });
  };
  addEventListener("hashchange", follow);

  let width = innerWidth;
  addEventListener("resize", () => {
    if (innerWidth === width) return;
    width = innerWidth;
    draw();
  });

  // ---- light and dark

  const dark = () => (document.documentElement.dataset.theme || (matchMedia("(prefers-color-scheme: dark)").matches ? "dark" : "light")) === "dark";
  const theme = $("theme");
  const say = () => {
    theme.textContent = dark() ? "Light" : "Dark";
  };
  theme.addEventListener("click", () => {
    document.documentElement.dataset.theme = dark() ? "light" : "dark";
    say();
  });
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", say);
  say();

  theme.hidden = $("tools").hidden = $("list").hidden = false;
  draw();
  follow();
})();

// The derivation graph: true clusters above, cells between, predicted clusters below. What one side lacks ends halfway.
const graph = (holder, component, told) => {
  const gap = 14;
  const inner = 3;
  const least = 8;
  const cells = component.cells.map(([t, p, size], i) => ({ t, p, size, i }));
  const side = (clusters, key) =>
    clusters.map(([name, size, , , , beyond], i) => ({ name: named(name), size, lost: (component.whole && beyond) || 0, cells: cells.filter((c) => c[key] === i) }));
  const above = side(component.true, "t");
  const below = side(component.pred, "p");
  // A predicted cluster stands below the middle of what it is made of.
  const centre = (cluster) => cluster.cells.reduce((sum, c) => sum + c.t * c.size, 0) / cluster.cells.reduce((sum, c) => sum + c.size, 0);
  const order = below.map((_, i) => i).sort((a, b) => centre(below[a]) - centre(below[b]) || a - b);
  const rank = new Map(order.map((p, i) => [p, i]));
  for (const cluster of above) cluster.cells.sort((a, b) => rank.get(a.p) - rank.get(b.p));

  const lostOf = (clusters) => clusters.reduce((sum, cluster) => sum + cluster.lost, 0);
  const endsOf = (clusters) => clusters.filter(({ lost }) => lost).length;
  const total = cells.reduce((sum, c) => sum + c.size, 0) + Math.max(lostOf(above), lostOf(below));
  const parts = cells.length + Math.max(endsOf(above), endsOf(below));
  const gaps = gap * Math.max(above.length, below.length) + inner * parts;
  const need = gaps + least * parts;
  const width = Math.max(holder.clientWidth || 320, Math.min(need, 4000));
  const usable = Math.max(width - gaps - 2, least * parts);
  const extra = Math.max(0, usable - least * parts);
  for (const cell of cells) cell.width = least + (extra * cell.size) / total;
  for (const cluster of [...above, ...below]) cluster.end = cluster.lost && least + (extra * cluster.lost) / total;
  const spread = (clusters, key) => {
    const ends = clusters.reduce((sum, cluster) => sum + cluster.end, 0);
    const taken = cells.reduce((sum, c) => sum + c.width, ends) + inner * (cells.length + endsOf(clusters) - clusters.length);
    const between = clusters.length > 1 ? Math.min((width - 2 - taken) / (clusters.length - 1), 60) : 0;
    let x = (width - taken - between * (clusters.length - 1)) / 2;
    for (const cluster of clusters) {
      cluster.x = x;
      for (const cell of cluster.cells) {
        cell[key] = x;
        x += cell.width + inner;
      }
      if (cluster.lost) x += cluster.end + inner;
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

  const svg = drawn("svg", { width, role: "img", "aria-label": told });
  const ribbon = (x0, y0, x1, y1, w, kind, share, title) => {
    const mid = (y0 + y1) / 2;
    const path = `M${x0},${y0}C${x0},${mid} ${x1},${mid} ${x1},${y1}h${w}C${x1 + w},${mid} ${x0 + w},${mid} ${x0 + w},${y0}Z`;
    return drawn("path", { class: `ribbon ${kind}`, d: path, "fill-opacity": kind === "none" ? 1 : 0.35 + 0.65 * share }, drawn("title", {}, title));
  };
  // The largest part of a cluster stayed; of several as large, each did half.
  const away = (cluster, cell) => {
    const most = Math.max(...cluster.cells.map((one) => one.size));
    return cell.size < most ? 1 : 1 - 1 / cluster.cells.filter((one) => one.size === most).length;
  };
  for (const cell of cells) {
    const [s, t] = [away(above[cell.t], cell), away(below[cell.p], cell)];
    svg.append(
      ribbon(cell.xt, top + 8, cell.x, middle, cell.width, s ? "split" : "none", s, `${points(cell.size)} of the ${compact.format(above[cell.t].size)} of ${above[cell.t].name}`),
      ribbon(cell.x, middle + 8, cell.xp, bottom, cell.width, t ? "merge" : "none", t, `${points(cell.size)} of the ${compact.format(below[cell.p].size)} in ${below[cell.p].name}`),
    );
  }
  const end = (cluster, y, kind, text) => {
    if (!cluster.lost) return;
    const x = cluster.x + cluster.width - cluster.end;
    svg.append(drawn("rect", { class: `ribbon ${kind}`, x, y, width: cluster.end, height: 30 }, drawn("title", {}, text)));
  };
  for (const cluster of above) end(cluster, top + 8, "missing", `${points(cluster.lost)} of ${cluster.name} not found`);
  for (const cluster of below) end(cluster, bottom - 30, "spurious", `${points(cluster.lost)} in ${cluster.name} ${cluster.lost === 1 ? "is" : "are"} spurious`);
  for (const cell of cells) {
    svg.append(drawn("rect", { class: "cell", x: cell.x, y: middle, width: cell.width, height: 8, rx: 2 }, drawn("title", {}, `${points(cell.size)} of ${above[cell.t].name} in ${below[cell.p].name}`)));
    const text = compact.format(cell.size);
    if (cell.width > 7 * text.length + 4) svg.append(drawn("text", { class: "small", x: cell.x + cell.width / 2, y: middle + 21, "text-anchor": "middle" }, text));
  }
  // Returns the last of the lines that was needed.
  const labelled = (clusters, letter, y, lines) => {
    const free = lines.map(() => -Infinity);
    let last = 0;
    for (const cluster of [...clusters].sort((a, b) => a.x - b.x)) {
      svg.append(drawn("rect", { class: "node", x: cluster.x, y, width: cluster.width, height: 8, rx: 2 }, drawn("title", {}, `${cluster.name}: ${points(cluster.size)}`)));
      const room = Math.max(cluster.width, 110);
      const most = Math.max(3, Math.floor(room / 7) - 2);
      const letters = [...cluster.name];
      const short = letters.length > most ? `${letters.slice(0, most - 1).join("")}…` : cluster.name;
      const wide = 7 * [...short].length + 16;
      const start = Math.min(cluster.x, Math.max(0, width - wide - 8));
      // Names stand in two lines, so that neighbours do not run into each other; those without room are only titles.
      const at = free.findIndex((end) => start >= end);
      if (at < 0) continue;
      const side = drawn("tspan", { class: "side" }, `${letter} `);
      const text = drawn("text", { x: start, y: lines[at], direction: "ltr", "unicode-bidi": "isolate" }, side, short, drawn("title", {}, `${cluster.name}: ${points(cluster.size)}`));
      svg.append(text);
      free[at] = start + wide + 12;
      last = Math.max(last, at);
    }
    return last;
  };
  const upper = labelled(above, data.letters[0], top, [top - 8, top - 24]);
  const lower = labelled(below, data.letters[1], bottom, [bottom + 22, bottom + 38]);
  const from = upper ? 6 : 22;
  const height = bottom + (lower ? 44 : 28) - from;
  svg.setAttribute("height", height);
  svg.setAttribute("viewBox", `0 ${from} ${width} ${height}`);
  holder.replaceChildren(svg);
};

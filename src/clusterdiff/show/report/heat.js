// The heat map of true against predicted clusters: white where there is nothing, and it zooms.
const ARRANGED = { same: "most of its row and column", split: "split off", merge: "merged in", mixed: "split off and merged in" };

// Names in their natural order, 2 before 10.
const natural = new Intl.Collator("en", { numeric: true });

// All rows and columns of few clusters: rows in the order of their names, columns where most of them is.
const inOrder = (chosen) => {
  const rows = chosen.flatMap((component) => component.true.map((row, at) => ({ component, at, row })));
  rows.sort((a, b) => natural.compare(shown(a.row[0]), shown(b.row[0])));
  const places = new Map(rows.map(({ row }, place) => [row, place]));
  const columns = chosen.flatMap((component) =>
    component.pred.map((column, at) => {
      const [first] = cellsOf(component, "pred")[at];
      const home = first === undefined ? Infinity : places.get(component.true[component.cells[first][0]]);
      return { component, at, row: column, home };
    }),
  );
  columns.sort((a, b) => a.home - b.home || b.row[1] - a.row[1]);
  return [rows, columns];
};
// Rows and columns of some components: the costliest rows first, a column where most of it is.
const costliest = (chosen) => {
  const [rows, columns] = [[], []];
  for (const component of chosen) {
    const order = component.true.map((_, at) => at).sort((a, b) => component.true[b][3] - component.true[a][3] || a - b);
    const rank = new Map(order.map((at, i) => [at, i]));
    const home = component.pred.map((_, at) => {
      const [first] = cellsOf(component, "pred")[at];
      return first === undefined ? Infinity : rank.get(component.cells[first][0]);
    });
    const across = component.pred.map((_, at) => at).sort((a, b) => home[a] - home[b] || component.pred[b][1] - component.pred[a][1] || a - b);
    rows.push(...order.map((at) => ({ component, at, row: component.true[at] })));
    columns.push(...across.map((at) => ({ component, at, row: component.pred[at] })));
  }
  return [rows, columns];
};
const arranged = (chosen) => {
  const [rows, columns] = data.regime === "few" ? inOrder(chosen) : costliest(chosen);
  const [down, across] = [rows, columns].map((side) => new Map(side.map(({ row }, place) => [row, place])));
  const cells = chosen.flatMap((component) =>
    component.cells.map(([t, p, size], at) => {
      const ofRow = cellsOf(component, "true")[t][0] === at;
      const ofColumn = cellsOf(component, "pred")[p][0] === at;
      const kind = ofRow ? (ofColumn ? "same" : "merge") : ofColumn ? "split" : "mixed";
      return { component, t, p, size, kind, row: down.get(component.true[t]), column: across.get(component.pred[p]), share: size / component.true[t][1] };
    }),
  );
  // The strongest are drawn last, so that none of them is lost where many share a pixel.
  cells.sort((a, b) => a.share - b.share);
  const told = (side) => side.map(({ row }) => ({ name: row[0], size: row[1] }));
  return { rows: told(rows), columns: told(columns), cells };
};
// What stands above the map on a page, and the sizes of columns below it, in two lines where they are wide.
const ABOVE = 246;
const BELOW = 36;
const heatMap = (holder, chosen) => {
  holder.stop?.();
  const { rows, columns, cells } = arranged(chosen);
  if (!cells.length) {
    holder.replaceChildren(element("p", { class: "note" }, "There is nothing to draw: the two sides share no point."));
    return;
  }
  const byRow = [...cells].sort((a, b) => a.row - b.row || a.column - b.column);
  const byColumn = [...cells].sort((a, b) => a.column - b.column || a.row - b.row);
  const byPlace = new Map(cells.map((cell) => [cell.row * columns.length + cell.column, cell]));
  const view = { x: 0, y: 0, w: columns.length, h: rows.length };
  let current = null;
  const ending = new AbortController();
  const { signal } = ending;

  const canvas = element("canvas", {
    tabindex: "0",
    role: "application",
    "aria-label": `Heat map of ${counted(rows.length, clusterNoun("true"))} and ${counted(columns.length, clusterNoun("pred"))}. Arrows go from cell to cell, plus and minus zoom, 0 shows all, Enter opens the component.`,
  });
  const said = element("p", { class: "note said", role: "status", "aria-live": "polite" });
  const button = (text, act) => element("button", { type: "button", onclick: act }, text);
  const swatch = (kind) => element("span", {}, drawn("svg", { viewBox: "0 0 10 10", "aria-hidden": "true" }, drawn("rect", { class: kind, width: 10, height: 10 })), ARRANGED[kind]);
  holder.replaceChildren(
    element("p", { class: "legend" }, element("span", { class: "zoom" }, button("Zoom in", () => zoom(2)), button("Zoom out", () => zoom(0.5)), button("Whole map", () => zoom(0))), ...Object.keys(ARRANGED).filter((kind) => cells.some((cell) => cell.kind === kind)).map(swatch), element("span", {}, "the stronger the colour, the larger the share of the row")),
    element("div", { class: "map" }, canvas),
    said,
  );

  // ---- drawing

  const colour = (name) => getComputedStyle(root).getPropertyValue(`--${name}`).trim();
  const box = {};
  const measure = () => {
    const wide = holder.clientWidth || 320;
    const few = Math.max(rows.length, columns.length) <= 100;
    const longest = (side) => greatest(side.map(({ name }) => [...named(name)].length));
    const most = wide < 520 ? 84 : 170;
    box.left = few ? Math.min(most, Math.max(60, 24 + 7 * longest(rows))) : most;
    box.top = few ? Math.min(wide < 520 ? 70 : 100, 24 + 7 * longest(columns)) : wide < 520 ? 70 : 100;
    box.margin = 14 + 7 * compact.format(greatest(rows.map(({ size }) => size))).length;
    const cellMost = few ? 64 : 40;
    // As large as fits beneath strip and tabs.
    const tall = Math.max(260, Math.min(innerHeight - ABOVE - box.top - BELOW, 900));
    box.w = Math.min(wide - box.left - box.margin - 2, columns.length * cellMost);
    box.h = Math.min(few ? Math.min(tall, (1.6 * box.w * rows.length) / columns.length) : Math.max(260, Math.min(box.w, tall)), rows.length * cellMost);
    const scale = devicePixelRatio || 1;
    const [width, height] = [box.left + box.w + box.margin + 2, box.top + box.h + BELOW];
    canvas.width = width * scale;
    canvas.height = height * scale;
    canvas.style.width = `${width}px`;
    canvas.style.height = `${height}px`;
    return scale;
  };
  // As much of a name as there is room for.
  const cut = (pen, name, room) => {
    const text = named(name);
    if (pen.measureText(text).width <= room) return text;
    const letters = [...text].slice(0, Math.ceil(room / 2));
    while (letters.length > 1 && pen.measureText(`${letters.join("")}…`).width > room) letters.pop();
    return `${letters.join("")}…`;
  };
  const paint = () => {
    const scale = measure();
    const pen = canvas.getContext("2d");
    pen.setTransform(scale, 0, 0, scale, 0, 0);
    pen.clearRect(0, 0, canvas.width, canvas.height);
    const [dx, dy] = [box.w / view.w, box.h / view.h];
    pen.fillStyle = colour("panel");
    pen.fillRect(box.left, box.top, box.w, box.h);
    pen.save();
    pen.beginPath();
    pen.rect(box.left, box.top, box.w, box.h);
    pen.clip();
    if (Math.min(dx, dy) >= 8) {
      pen.strokeStyle = colour("line");
      pen.lineWidth = 1;
      pen.beginPath();
      for (let i = Math.ceil(view.x); i < view.x + view.w; i++) pen.rect(box.left + (i - view.x) * dx, box.top, 0, box.h);
      for (let i = Math.ceil(view.y); i < view.y + view.h; i++) pen.rect(box.left, box.top + (i - view.y) * dy, box.w, 0);
      pen.stroke();
    }
    const fills = Object.fromEntries(Object.keys(ARRANGED).map((kind) => [kind, colour(kind)]));
    for (const cell of cells) {
      if (cell.column + 1 < view.x || cell.column > view.x + view.w || cell.row + 1 < view.y || cell.row > view.y + view.h) continue;
      pen.globalAlpha = strength(cell);
      pen.fillStyle = fills[cell.kind];
      pen.fillRect(box.left + (cell.column - view.x) * dx, box.top + (cell.row - view.y) * dy, Math.max(dx, 1.5), Math.max(dy, 1.5));
    }
    pen.globalAlpha = 1;
    if (dx >= 12 && dy >= 12) counts(pen, dx, dy);
    if (current) {
      pen.strokeStyle = colour("ink");
      pen.lineWidth = 2;
      const [w, h] = [Math.max(dx, 9), Math.max(dy, 9)];
      pen.strokeRect(box.left + (current.column + 0.5 - view.x) * dx - w / 2, box.top + (current.row + 0.5 - view.y) * dy - h / 2, w, h);
    }
    pen.restore();
    pen.strokeStyle = colour("muted");
    pen.lineWidth = 1;
    pen.strokeRect(box.left + 0.5, box.top + 0.5, box.w, box.h);
    lettered(pen, dx, dy);
    margins(pen, dx, dy);
    pen.font = "600 12px system-ui, sans-serif";
    pen.fillStyle = colour("ink");
    pen.textAlign = "right";
    pen.fillText(`${data.letters[0]} ↓ ${data.letters[1]} →`, box.left - 6, box.top - 8);
  };
  const strength = (cell) => 0.14 + 0.86 * cell.share;
  // How light a colour is, as contrast has it (WCAG 2); a canvas spells every colour in the same way.
  const channels = (pen, name) => {
    pen.fillStyle = colour(name);
    return [1, 3, 5].map((at) => parseInt(pen.fillStyle.slice(at, at + 2), 16));
  };
  const lightness = (rgb) => {
    const [r, g, b] = rgb.map((x) => (x <= 10 ? x / 255 / 12.92 : ((x / 255 + 0.055) / 1.055) ** 2.4));
    return 0.2126 * r + 0.7152 * g + 0.0722 * b;
  };
  const contrast = (a, b) => (Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05);
  // The number in every cell, in the colour that can be read best on it.
  const counts = (pen, dx, dy) => {
    const [panel, ink] = [channels(pen, "panel"), channels(pen, "ink")];
    const fills = Object.fromEntries(Object.keys(ARRANGED).map((kind) => [kind, channels(pen, kind)]));
    const on = (cell) => {
      const behind = lightness(fills[cell.kind].map((x, i) => panel[i] + strength(cell) * (x - panel[i])));
      return contrast(lightness(panel), behind) > contrast(lightness(ink), behind) ? "panel" : "ink";
    };
    pen.font = `${dx < 30 ? 10 : 13}px system-ui, sans-serif`;
    pen.textAlign = "center";
    pen.textBaseline = "middle";
    for (const cell of cells) {
      const [x, y] = [box.left + (cell.column + 0.5 - view.x) * dx, box.top + (cell.row + 0.5 - view.y) * dy];
      if (x < box.left || x > box.left + box.w || y < box.top || y > box.top + box.h) continue;
      const text = compact.format(cell.size);
      if (pen.measureText(text).width > dx - 2) continue;
      pen.fillStyle = colour(on(cell));
      pen.fillText(text, x, y);
    }
  };
  // How large rows and columns are, on the right and below.
  const margins = (pen, dx, dy) => {
    pen.font = "11px system-ui, sans-serif";
    pen.fillStyle = colour("muted");
    pen.textBaseline = "middle";
    pen.textAlign = "right";
    if (dy >= 13) {
      for (let i = Math.max(0, Math.floor(view.y)); i < Math.min(rows.length, view.y + view.h); i++) {
        const y = box.top + (i + 0.5 - view.y) * dy;
        if (y > box.top && y < box.top + box.h) pen.fillText(compact.format(rows[i].size), box.left + box.w + box.margin - 4, y);
      }
    }
    pen.textAlign = "center";
    const lines = Math.ceil((pen.measureText(compact.format(greatest(columns.map(({ size }) => size)))).width + 4) / dx);
    if (lines <= 2) {
      for (let i = Math.max(0, Math.floor(view.x)); i < Math.min(columns.length, view.x + view.w); i++) {
        const x = box.left + (i + 0.5 - view.x) * dx;
        if (x > box.left && x < box.left + box.w) pen.fillText(compact.format(columns[i].size), x, box.top + box.h + 12 + 13 * (i % lines));
      }
    }
  };
  const lettered = (pen, dx, dy) => {
    pen.font = "12px system-ui, sans-serif";
    pen.fillStyle = colour("ink");
    pen.textBaseline = "middle";
    pen.textAlign = "right";
    if (dy >= 13) {
      for (let i = Math.max(0, Math.floor(view.y)); i < Math.min(rows.length, view.y + view.h); i++) {
        const y = box.top + (i + 0.5 - view.y) * dy;
        if (y > box.top && y < box.top + box.h) pen.fillText(cut(pen, rows[i].name, box.left - 10), box.left - 6, y);
      }
    } else {
      pen.fillStyle = colour("muted");
      pen.fillText(compact.format(rows.length), box.left - 6, box.top + box.h / 2 - 8);
      pen.fillText(data.sides[0], box.left - 6, box.top + box.h / 2 + 8);
    }
    pen.textAlign = "left";
    if (dx >= 13) {
      pen.fillStyle = colour("ink");
      for (let i = Math.max(0, Math.floor(view.x)); i < Math.min(columns.length, view.x + view.w); i++) {
        const x = box.left + (i + 0.5 - view.x) * dx;
        if (x < box.left || x > box.left + box.w) continue;
        pen.save();
        pen.translate(x, box.top - 6);
        pen.rotate(-Math.PI / 2);
        pen.fillText(cut(pen, columns[i].name, box.top - 10), 0, 0);
        pen.restore();
      }
    } else {
      pen.fillStyle = colour("muted");
      pen.textAlign = "center";
      pen.fillText(`${compact.format(columns.length)} ${data.sides[1]}`, box.left + box.w / 2, box.top - 12);
    }
  };

  // ---- moving

  const inside = () => {
    view.w = Math.min(Math.max(view.w, Math.min(4, columns.length)), columns.length);
    view.h = Math.min(Math.max(view.h, Math.min(4, rows.length)), rows.length);
    view.x = Math.min(Math.max(view.x, 0), columns.length - view.w);
    view.y = Math.min(Math.max(view.y, 0), rows.length - view.h);
  };
  const zoom = (factor, x = current ? current.column + 0.5 : view.x + view.w / 2, y = current ? current.row + 0.5 : view.y + view.h / 2) => {
    if (!factor) Object.assign(view, { x: 0, y: 0, w: columns.length, h: rows.length });
    else Object.assign(view, { x: x - (x - view.x) / factor, y: y - (y - view.y) / factor, w: view.w / factor, h: view.h / factor });
    inside();
    paint();
  };
  const look = (cell) => {
    current = cell;
    if (cell.column < view.x || cell.column + 1 > view.x + view.w) view.x = cell.column + 0.5 - view.w / 2;
    if (cell.row < view.y || cell.row + 1 > view.y + view.h) view.y = cell.row + 0.5 - view.h / 2;
    inside();
    tell(cell);
    paint();
  };
  const tell = ({ component, t, p, size }) => {
    const [truth, pred] = [component.true[t], component.pred[p]];
    said.replaceChildren(
      `${points(size)} of the ${compact.format(truth[1])} of `, chipped("true", label(named(truth[0], 60))), " in ", chipped("pred", label(named(pred[0], 60))), `, which has ${compact.format(pred[1])}.`,
    );
    canvas.title = said.textContent;
  };
  const open = (cell) => address.go(`component-${cell.component.id}-true-${cell.t}`);
  const placed = (event) => {
    const area = canvas.getBoundingClientRect();
    return [view.x + ((event.clientX - area.left - box.left) / box.w) * view.w, view.y + ((event.clientY - area.top - box.top) / box.h) * view.h];
  };
  // The cell at a place, or the nearest one where they are small.
  const nearest = (x, y) => {
    const there = byPlace.get(Math.floor(y) * columns.length + Math.floor(x));
    if (there) return there;
    const reach = [(5 * view.w) / box.w, (5 * view.h) / box.h];
    let best = null;
    let least = 1;
    for (const cell of cells) {
      const [across, down] = [Math.abs(cell.column + 0.5 - x) / reach[0], Math.abs(cell.row + 0.5 - y) / reach[1]];
      if (Math.max(across, down) < least) [best, least] = [cell, Math.max(across, down)];
    }
    return best;
  };

  let from = null;
  canvas.addEventListener("pointerdown", (event) => {
    from = { x: event.clientX, y: event.clientY, view: { ...view }, moved: false };
  });
  canvas.addEventListener("pointermove", (event) => {
    if (!from) {
      const cell = nearest(...placed(event));
      if (cell) tell(cell);
      return;
    }
    const [right, down] = [event.clientX - from.x, event.clientY - from.y];
    if (Math.abs(right) + Math.abs(down) < 5) return;
    from.moved = true;
    Object.assign(view, { x: from.view.x - (right / box.w) * view.w, y: from.view.y - (down / box.h) * view.h });
    inside();
    paint();
  });
  addEventListener("pointerup", (event) => {
    if (from && !from.moved && event.target === canvas) {
      const cell = nearest(...placed(event));
      if (cell) look(cell);
    }
    from = null;
  }, { signal });
  canvas.addEventListener("dblclick", (event) => zoom(2.5, ...placed(event)));
  canvas.addEventListener(
    "wheel",
    (event) => {
      if (!event.ctrlKey && !event.metaKey) return; // the page scrolls
      event.preventDefault();
      zoom(event.deltaY < 0 ? 1.25 : 0.8, ...placed(event));
    },
    { passive: false },
  );
  canvas.addEventListener("keydown", (event) => {
    const [order, step] = { ArrowRight: [byRow, 1], ArrowLeft: [byRow, -1], ArrowDown: [byColumn, 1], ArrowUp: [byColumn, -1] }[event.key] || [];
    if (order) look(current ? order[(order.indexOf(current) + step + order.length) % order.length] : byRow[0]);
    else if (event.key === "+" || event.key === "=") zoom(2);
    else if (event.key === "-") zoom(0.5);
    else if (event.key === "0") zoom(0);
    else if (event.key === "Enter" && current) open(current);
    else return;
    event.preventDefault();
    event.stopPropagation();
  });
  // A map that is drawn again leaves no one behind that draws the old one.
  const observers = [new ResizeObserver(paint), new MutationObserver(paint)];
  observers[0].observe(holder);
  observers[1].observe(root, { attributeFilter: ["data-theme"] });
  system.addEventListener("change", paint, { signal });
  holder.stop = () => {
    for (const observer of observers) observer.disconnect();
    ending.abort();
  };
};

drawers.set("heat", () => heatMap($("heat-map"), data.components.map(asNow).filter((component) => !component.beyond)));

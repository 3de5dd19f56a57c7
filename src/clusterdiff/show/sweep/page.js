// The page of a sweep.
const count = data.thresholds.length;
// A measure may have no value at a threshold.
const told = (value) => (value === null ? "–" : number(value));

// ---- the charts: places run with the slider, so that clusters grow to the right whatever the thresholds are

const WIDE = 460, HEIGHT = 300, LEFT = 38, RIGHT = 12, TOP = 12, BOTTOM = 40;
const across = (share) => LEFT + share * (WIDE - LEFT - RIGHT);
const up = (share) => HEIGHT - BOTTOM - share * (HEIGHT - TOP - BOTTOM);
const low = Math.min(...data.thresholds), high = Math.max(...data.thresholds);
const placed = (i) => {
  const share = high > low ? (data.thresholds[i] - low) / (high - low) : 0.5;
  return data.down ? 1 - share : share;
};
const path = (values) => {
  let text = "", open = false;
  for (let i = 0; i < count; i++) {
    if (values[i] === null) { open = false; continue; }
    const x = across(placed(i)).toFixed(2), y = up(values[i]).toFixed(2);
    text += !open ? `M${x} ${y}` : data.steps ? `H${x}V${y}` : `L${x} ${y}`;
    open = true;
  }
  return text;
};
const area = (values) => `${path(values)}V${up(0).toFixed(2)}H${across(placed(0)).toFixed(2)}Z`;
const frame = (title, ...children) =>
  drawn("svg", { class: "chart", viewBox: `0 0 ${WIDE} ${HEIGHT}`, role: "img", "aria-label": title },
    drawn("path", { class: "axis", d: `M${across(0)} ${up(1)}V${up(0)}H${across(1)}` }), ...children);
const text = (x, y, anchor, content) => drawn("text", { x, y, "text-anchor": anchor }, content);

// Distances, and scores that exceed 1, are drawn as shares of their largest value.
const largest = (measure) => Math.max(...measure.values.filter((v) => v !== null), 1e-300);
const shared = (measure) => !measure.similarity || largest(measure) > 1.000001;
const scaled = (measure) => {
  const most = shared(measure) ? largest(measure) : 1;
  return measure.values.map((v) => (v === null ? null : Math.max(v, 0) / most));
};
const lines = data.measures.map((m, i) => drawn("path", { class: `line-${Math.min(i, 4)}`, d: path(scaled(m)) }));
const cursor = drawn("line", { class: "cursor", y1: up(0), y2: up(1) });
const scores = frame("Scores at every threshold",
  drawn("path", { class: "area-split", d: area(data.split) }), drawn("path", { class: "area-merge", d: area(data.merge) }),
  ...lines, cursor,
  ...[0, 0.5, 1].map((v) => text(LEFT - 6, up(v) + 4, "end", String(v))),
  text(across(0), HEIGHT - 22, "start", data.called[0]), text(across(1), HEIGHT - 22, "end", data.called[count - 1]),
  text((across(0) + across(1)) / 2, HEIGHT - 4, "middle", data.over));

const most = Math.min(1, Math.max(...data.split, ...data.merge, 0.05) * 1.05);
const side = Math.min(WIDE - LEFT - RIGHT, HEIGHT - TOP - BOTTOM);
const right = (v) => LEFT + (v / most) * side, above = (v) => HEIGHT - BOTTOM - (v / most) * side;
const curve = data.merge.map((x, i) => `${i ? "L" : "M"}${right(x).toFixed(2)} ${above(data.split[i]).toFixed(2)}`).join("");
const equal = [];
for (let lost = 0.1; lost < Math.min(1.05, 2 * most); lost += 0.1) {
  const from = Math.min(lost, most), to = lost - from;
  equal.push(drawn("path", { class: "equal", d: `M${right(to)} ${above(from)}L${right(from)} ${above(to)}` }));
}
const dot = drawn("circle", { class: "dot", r: 6 });
const trade = drawn("svg", { class: "chart", viewBox: `0 0 ${WIDE} ${HEIGHT}`, role: "img",
  "aria-label": "Loss to splits against loss to merges" },
  drawn("path", { class: "axis", d: `M${LEFT} ${above(most)}V${above(0)}H${right(most)}` }), ...equal,
  drawn("path", { class: "line-0", d: curve }), dot,
  text(LEFT - 6, above(0) + 4, "end", "0"), text(LEFT - 6, above(most) + 12, "end", most.toFixed(2)),
  text(right(most), HEIGHT - 22, "end", most.toFixed(2)),
  text((LEFT + right(most)) / 2, HEIGHT - 4, "middle", "lost to merges"), text(LEFT + 24, TOP + 12, "start", "lost to splits"));

const swatch = (mark) => drawn("svg", { class: "key", viewBox: "0 0 16 16", "aria-hidden": "true" }, mark);
const legend = element("p", { class: "legend" },
  ...data.measures.map((m, i) => element("span", {},
    swatch(drawn("line", { class: `line-${Math.min(i, 4)}`, x1: 0, x2: 16, y1: 8, y2: 8 })),
    measureLabel(m.name), shared(m) ? " (share of its largest)" : "")),
  ...["split", "merge"].map((kind) => element("span", {},
    swatch(drawn("rect", { class: kind, x: 0, y: 3, width: 16, height: 10 })), `lost to ${kind}s`)));
$("charts").append(
  element("figure", {}, scores, legend),
  element("figure", {}, trade, element("figcaption", {}, "Towards the lower left ", measureLabel("S_H"), " grows; on a grey line it stays the same.")));

// ---- the slider

const slider = $("slider");
// It moves by the axis that the curves are drawn on; arrows go from threshold to threshold.
const TICKS = 10_000;
slider.max = String(TICKS);
let current = 0;
const nearestTo = (share) => {
  let best = 0;
  for (let i = 1; i < count; i++) if (Math.abs(placed(i) - share) < Math.abs(placed(best) - share)) best = i;
  return best;
};
const figure = (kind, called, shown) =>
  element("p", { class: kind }, element("span", { class: "label" }, called), " ", element("output", {}, shown));
const show = (i) => {
  current = i;
  slider.value = String(Math.round(placed(i) * TICKS));
  history.replaceState(null, "", `#${encodeURIComponent(data.called[i])}`);
  slider.setAttribute("aria-valuetext", `${data.over} ${data.called[i]}, ${compact.format(data.clusters[i])} clusters`);
  $("threshold").textContent = data.called[i];
  $("now").replaceChildren(
    ...data.measures.map((m, j) => figure(j ? "" : "first", measureLabel(m.name), told(m.values[i]))),
    figure("split", "lost to splits", number(data.split[i])),
    figure("merge", "lost to merges", number(data.merge[i])),
    figure("", "clusters", compact.format(data.clusters[i])));
  const page = data.pages[i];
  $("diff").replaceChildren(
    page
      ? element("a", { href: page }, `Open the diff at this ${data.steps ? "threshold" : data.over}`)
      : `The diff here is written by --pages DIR --at ${data.called[i]}.`);
  $("diff").hidden = !page && !data.steps;
  const x = across(placed(i));
  cursor.setAttribute("x1", x);
  cursor.setAttribute("x2", x);
  dot.setAttribute("cx", right(data.merge[i]));
  dot.setAttribute("cy", above(data.split[i]));
};
slider.addEventListener("input", () => show(nearestTo(Number(slider.value) / TICKS)));
slider.addEventListener("keydown", (event) => {
  const step = { ArrowRight: 1, ArrowUp: 1, ArrowLeft: -1, ArrowDown: -1, PageUp: 10, PageDown: -10, Home: -Infinity, End: Infinity }[event.key];
  if (!step) return;
  event.preventDefault();
  show(Math.min(count - 1, Math.max(0, current + step)));
});
$("steps").append(...data.measures.map((m) =>
  element("button", { type: "button", onclick: () => show(m.best) }, "best ", measureLabel(m.name))));
$("dial").hidden = false;

// The chart can be clicked: the nearest threshold is shown.
scores.addEventListener("click", (event) => {
  const box = scores.getBoundingClientRect();
  show(nearestTo(((event.clientX - box.left) / box.width * WIDE - LEFT) / (WIDE - LEFT - RIGHT)));
});

const asked = data.called.indexOf(decodeURIComponent(location.hash.slice(1)));
show(asked >= 0 ? asked : data.measures.length ? data.measures[0].best : 0);

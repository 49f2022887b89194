// The page of a report.
const report = hwc.data;
const CAUSES = {
  busy: "#3b82c4", ring: "#c65353", data: "#e08a2c", slot: "#8c6bb1", input: "#b3a11f",
  special: "#4fa06a", output: "#3aa6a6", dependence: "#d177b0", any: "#8d6e5a", idle: "",
};
const LIMITS = {
  reads: "#3b82c4", writes: "#e08a2c", lanes: "#4fa06a", "special functions": "#c65353",
  "set-up and latency": "#8d6e5a", "the kernel before": "#d177b0", "waits between engines": "#8c6bb1",
};
const SYMBOLS = ["circle", "square", "diamond", "triangle-up", "x", "cross", "star"];
const count = (n) => n.toLocaleString("en");
const percent = (x) => `${(100 * x).toFixed(1)} %`;
const told = (cause) => (cause === "busy" || cause === "idle" ? cause : cause === "any" ? "waits" : `waits: ${cause}`);
const legend = () => ({ orientation: "h", traceorder: "normal", x: 0, y: 1.02, yanchor: "bottom", font: { size: hwc.narrow() ? 10 : 12 } });
// A finger on a plot scrolls the page: only wide screens zoom.
const still = () => (hwc.narrow() ? { fixedrange: true } : {});
const escaped = (text) => text.replaceAll("&", "&amp;").replaceAll("<", "&lt;");

const markerSize = (p, most) => 10 + 16 * Math.sqrt(p.cycles / most);

// Where the label of each point goes, so that it covers no point and no other label; "" if nowhere.
function labels(points, [low, high], [bottom, top], most) {
  const plot = document.getElementById("roofline-plot"), margin = hwc.narrow() ? [60, 170] : [100, 130];
  const [width, height] = [plot.clientWidth - margin[0], plot.clientHeight - margin[1]];
  const at = (v, from, to) => Math.log(Math.max(v, from) / from) / Math.log(to / from);
  const dots = points.map((p) => ({ x: at(p.x, low, high) * width, y: -at(p.y, bottom, top) * height, r: markerSize(p, most) / 2 }));
  const taken = dots.map(({ x, y, r }) => [x - r, y - r, x + r, y + r]);
  return points.map((p, i) => {
    const { x, y, r } = dots[i], w = 4 + 4 * String(p.n).length, h = 8;
    const centres = { "bottom center": [x, y + r + h], "top center": [x, y - r - h], "middle right": [x + r + w, y], "middle left": [x - r - w, y] };
    for (const [place, [cx, cy]] of Object.entries(centres)) {
      const box = [cx - w, cy - h, cx + w, cy + h];
      if (taken.some((t, j) => j !== i && t[0] < box[2] && box[0] < t[2] && t[1] < box[3] && box[1] < t[3])) continue;
      taken.push(box);
      return place;
    }
    return "";
  });
}

function roofline() {
  const points = report.roofline;
  const xs = points.map((p) => p.x).filter((x) => x > 0);
  const low = Math.min(0.1, ...xs) / 1.6, high = Math.max(10, ...xs) * 1.6;
  const lowest = Math.min(0.05, low, ...points.map((p) => p.y).filter((y) => y > 0)) / 1.5;
  const most = Math.max(1, ...points.map((p) => p.cycles));
  const places = points.length <= 12 ? labels(points, [low, high], [lowest, 1.6], most) : [];
  const names = Object.keys(LIMITS).filter((name) => points.some((p) => p.limit === name));
  const data = [{
    x: [low, 1, high], y: [low, 1, 1], mode: "lines", name: "roofline",
    line: { color: hwc.color("text"), width: 2 }, hoverinfo: "skip",
  }];
  names.forEach((name) => {
    const own = points.filter((p) => p.limit === name);
    data.push({
      x: own.map((p) => p.x), y: own.map((p) => p.y), mode: places.length ? "markers+text" : "markers", name,
      text: own.map((p) => (places[points.indexOf(p)] ? String(p.n) : "")), textposition: own.map((p) => places[points.indexOf(p)] || "bottom center"), cliponaxis: false,
      marker: {
        color: LIMITS[name], symbol: SYMBOLS[Object.keys(LIMITS).indexOf(name)], opacity: 0.85,
        size: own.map((p) => markerSize(p, most)), line: { color: hwc.color("page"), width: 1 },
      },
      customdata: own.map((p) => `${p.n}: ${escaped(p.name)}<br>${count(p.cycles)} cycles, ${percent(p.roofline)} of the roofline<br>${count(p.bytes)} bytes, at best limited by ${p.bound}<br>limited by ${p.limit}`),
      hovertemplate: "%{customdata}<extra></extra>",
    });
  });
  const ticks = (a, b) => { const t = []; for (let e = Math.ceil(Math.log10(a)); e <= Math.floor(Math.log10(b)); e++) t.push(10 ** e); return t; };
  const xt = ticks(low, high), yt = ticks(lowest, 1);
  return {
    data,
    layout: {
      xaxis: { type: "log", range: [Math.log10(low), Math.log10(high)], tickvals: xt, ticktext: xt.map(String), title: { text: "cycles of the vector pipe for each cycle of the bus" }, ...still() },
      yaxis: { type: "log", range: [Math.log10(lowest), Math.log10(1.6)], tickvals: yt, ticktext: yt.map((y) => `${+(100 * y).toPrecision(3)} %`), title: { text: hwc.narrow() ? "" : "share of the cycles with work", standoff: 12 }, ...still() },
      legend: legend(), margin: hwc.narrow() ? { l: 10, r: 15, t: 110, b: 60 } : { l: 70, r: 30, t: 60, b: 70 },
    },
  };
}

// Bars of causes: `rows` are [name, causes by name]; as `shares`, all are equally long.
function bars(rows, size, shares = false) {
  const whole = rows.map(([, c]) => (shares ? Object.values(c).reduce((a, b) => a + b, 0) || 1 : 1));
  const causes = Object.keys(CAUSES).filter((cause) => rows.some(([, c]) => c[cause]));
  return {
    data: causes.map((cause) => ({
      type: "bar", orientation: "h", name: told(cause),
      y: rows.map(([name]) => name), x: rows.map(([, c], i) => (c[cause] ?? 0) / whole[i]), customdata: rows.map(([, c]) => count(c[cause] ?? 0)),
      marker: { color: CAUSES[cause] || hwc.color("line") },
      hovertemplate: `%{y}<br>${told(cause)}: %{customdata} cycles<extra></extra>`,
    })),
    layout: {
      barmode: "stack", bargap: 0.25, legend: legend(), showlegend: true,
      xaxis: { title: { text: shares ? "share of the cycles" : "cycles" }, tickformat: shares ? ".0%" : "~s", ...still() },
      yaxis: { autorange: "reversed", type: "category", ...still() },
      margin: hwc.narrow() ? { l: 10, r: 15, t: 90, b: 60 } : { l: size, r: 30, t: 60, b: 60 },
    },
  };
}

const engines = () => bars(report.engines.map((e) => [e, report.causes[e]]), 80, true);

let engine = report.engines.includes("lane") && report.causes?.lane?.busy ? "lane" : "special";
function kernels() {
  const longest = hwc.narrow() ? 16 : 34;
  const short = (k) => { const t = `${k.n}: ${k.name}`; return t.length <= longest ? t : `${t.slice(0, longest - 1)}…`; };
  return bars(report.kernels.map((k) => [short(k), k.causes[engine]]), 120);
}

function timeline() {
  const { bars: all, kernels: spans, tracks, shares, texts, interval, cycles } = report.timeline;
  const data = [], rows = [...new Set(spans.map((s) => s[0])), ...tracks];
  // A span has as much of its name as fits.
  const pixels = document.getElementById("timeline-plot").clientWidth - 180;
  const label = (s) => {
    const name = s[3].replace(/^kernel /, ""), fits = (pixels * s[2]) / cycles / 7.5;
    return [name, name.split(":")[0]].find((t) => t.length <= fits) ?? "";
  };
  if (spans.length)
    data.push({
      type: "bar", orientation: "h", name: "a kernel", y: spans.map((s) => s[0]), base: spans.map((s) => s[1]), x: spans.map((s) => s[2]),
      marker: { color: "#7f8894", line: { color: hwc.color("panel"), width: 1 } },
      text: spans.map(label), textposition: "inside", insidetextanchor: "middle", constraintext: "none",
      textfont: { color: "#ffffff" }, textangle: 0,
      customdata: spans.map((s) => `${escaped(s[3])}<br>cycles ${count(s[1])} to ${count(s[1] + s[2])}`), hovertemplate: "%{customdata}<extra></extra>",
    });
  const causes = Object.keys(CAUSES).filter((cause) => all.some((b) => b[1] === cause));
  for (const cause of causes) {
    const own = all.filter((b) => b[1] === cause);
    data.push({
      type: "bar", orientation: "h", name: told(cause), y: own.map((b) => b[0]), base: own.map((b) => b[2]), x: own.map((b) => b[3]),
      width: cause === "busy" ? 0.8 : 0.4,
      marker: { color: CAUSES[cause], line: { color: hwc.color("panel"), width: cause === "busy" ? 0.6 : 0 } },
      customdata: own.map((b) => `${b[4] || told(cause)}<br>cycles ${count(b[2])} to ${count(b[2] + b[3])}`),
      hovertemplate: "%{y}<br>%{customdata}<extra></extra>",
    });
  }
  if (shares.length) {
    // Plotly cannot draw a heat map and bars on one axis, so each interval with work is a bar. The bar
    // reaches a pixel into the next one, which covers it: else the edges would look like gaps.
    const [panel, busy] = [hwc.color("panel"), CAUSES.busy].map((c) => [1, 3, 5].map((i) => parseInt(c.slice(i, i + 2), 16)));
    const mixed = (share) => `rgb(${panel.map((p, i) => Math.round(p + (busy[i] - p) * (0.12 + 0.88 * share))).join(", ")})`;
    const pixel = cycles / Math.max(1, pixels);
    const own = tracks.flatMap((track, t) => shares[t].map((share, i) => ({ track, share, i, text: texts[t][i] })).filter((b) => b.text !== "idle"));
    data.push({
      type: "bar", orientation: "h", showlegend: false, y: own.map((b) => b.track), base: own.map((b) => b.i * interval), x: own.map((b) => Math.min(interval + pixel, cycles - b.i * interval)), width: 0.8,
      marker: { color: own.map((b) => mixed(b.share)), line: { width: 0 } },
      customdata: own.map((b) => `cycles ${count(Math.round(b.i * interval))} to ${count(Math.round((b.i + 1) * interval))}<br>${b.text}`),
      hovertemplate: "%{y}<br>%{customdata}<extra></extra>",
    });
  }
  return {
    data,
    layout: {
      barmode: "overlay", bargap: 0.1, legend: legend(), showlegend: causes.length > 0,
      xaxis: { title: { text: "cycle" }, range: [0, cycles], tickformat: "~s", ...still() },
      yaxis: { type: "category", categoryorder: "array", categoryarray: rows, autorange: "reversed", tickvals: rows, ticktext: rows.map((r) => ({ "kernels a": "kernels", "kernels b": "" })[r] ?? r), ...still() },
      margin: hwc.narrow() ? { l: 10, r: 15, t: causes.length ? 90 : 20, b: 60 } : { l: 120, r: 30, t: causes.length ? 60 : 20, b: 60 },
    },
  };
}

if (report.roofline) hwc.plot("roofline-plot", roofline);
if (report.causes) hwc.plot("engines-plot", engines);
if (report.kernels) {
  document.getElementById("kernels-plot").style.height = `${11 + 1.7 * report.kernels.length}rem`;
  hwc.choose("engine-controls", "engine", report.engines.map((e) => [e, e]), engine, (e) => { engine = e; hwc.draw("kernels-plot"); });
  hwc.plot("kernels-plot", kernels);
}
if (report.timeline) {
  const rows = report.timeline.tracks.length + (report.timeline.kernels.length ? 2 : 0);
  document.getElementById("timeline-plot").style.height = `${10 + 2 * rows}rem`;
  hwc.plot("timeline-plot", timeline);
}

// A link to a kernel opens its code.
function open() {
  const found = location.hash.startsWith("#kernel-") && document.getElementById(location.hash.slice(1));
  if (found) {
    found.open = true;
    found.scrollIntoView();
    found.querySelector("summary").focus({ preventScroll: true });
  }
}
window.addEventListener("hashchange", open);
open();
// What is printed is open.
window.addEventListener("beforeprint", () => document.querySelectorAll("details").forEach((d) => { d.open = true; }));

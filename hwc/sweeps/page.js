// The page of a sweep. Points are numbered with targets first and the last size changing fastest.
const { targets, sizes, cycles, roofline, limit, limits, bound, bounds } = hwc.data;
const dimensions = [
  { name: "target", values: targets.map((t) => t.label) },
  ...sizes.map((s) => ({ name: s.name, values: s.values.map(String) })),
];
const shapes = sizes.reduce((n, s) => n * s.values.length, 1);
const colors = ["#3b82c4", "#e08a2c", "#4fa06a", "#c65353", "#8c6bb1", "#8d6e5a", "#d177b0", "#7f8894", "#b5b835"];
const ERROR = "cannot run";

const metrics = {
  cycles: { name: "cycles", values: cycles, log: true, text: (v) => v.toLocaleString("en") },
  roofline: { name: "share of the roofline", values: roofline, range: [0, 1], text: (v) => `${(100 * v).toFixed(1)} %` },
  limit: { name: "what limits", values: limit, labels: limits },
  bound: { name: "the largest resource", values: bound, labels: bounds },
};

function number(position) {
  return dimensions.reduce((n, d, i) => n * d.values.length + position[i], 0);
}

// ---- Heat map

const longest = dimensions.map((d, i) => i).sort((a, b) => (a === 0) - (b === 0) || dimensions[b].values.length - dimensions[a].values.length);
const axes = longest.slice(0, 2).sort((a, b) => a - b);
const map = { metric: "cycles", y: axes[0], x: axes[1] ?? 0, at: dimensions.map(() => 0) };

function heat() {
  const metric = metrics[map.metric];
  const [down, across] = [dimensions[map.y], dimensions[map.x]];
  const rows = [], texts = [];
  for (let j = 0; j < down.values.length; j++) {
    const row = [], text = [];
    for (let i = 0; i < across.values.length; i++) {
      const position = [...map.at];
      position[map.y] = j;
      position[map.x] = i;
      const point = number(position);
      const value = metric.values[point];
      row.push(value === null ? null : metric.log ? Math.log10(Math.max(value, 1)) : value);
      text.push(about(position, point));
    }
    rows.push(row);
    texts.push(text);
  }
  const trace = {
    type: "heatmap",
    x: across.values, y: down.values, z: rows, text: texts,
    hovertemplate: "%{text}<extra></extra>",
    hoverongaps: true, xgap: 1, ygap: 1,
    colorscale: "Viridis",
    colorbar: { title: { text: metric.name, side: hwc.narrow() ? "top" : "right" }, thickness: 14, outlinewidth: 0 },
  };
  if (hwc.narrow()) Object.assign(trace.colorbar, { orientation: "h", y: 1.02, yanchor: "bottom", x: 0.5, xanchor: "center", len: 0.9 });
  if (metric.range) [trace.zmin, trace.zmax] = metric.range;
  if (metric.log) {
    const found = rows.flat().filter((v) => v !== null);
    const [low, high] = [Math.floor(Math.min(...found)), Math.ceil(Math.max(...found))];
    const ticks = Array.from({ length: Math.max(0, high - low) + 1 || 0 }, (_, i) => low + i);
    Object.assign(trace.colorbar, { tickvals: ticks, ticktext: ticks.map((t) => (10 ** t).toLocaleString("en", { notation: "compact" })) });
  }
  if (metric.labels) {
    const count = Math.max(1, metric.labels.length);
    trace.zmin = -0.5;
    trace.zmax = count - 0.5;
    trace.colorscale = metric.labels.flatMap((_, i) => [[i / count, colors[i % colors.length]], [(i + 1) / count, colors[i % colors.length]]]);
    Object.assign(trace.colorbar, { tickvals: metric.labels.map((_, i) => i), ticktext: metric.labels.map((l) => (hwc.narrow() ? l.split(" ")[0] : l)), title: { text: "" } });
    if (!metric.labels.length) trace.colorscale = "Viridis";
  }
  const empty = rows.every((row) => row.every((v) => v === null));
  if (empty) trace.showscale = false;
  return {
    data: [trace],
    layout: {
      annotations: empty ? [{ text: "None of these points can run.", showarrow: false, xref: "paper", yref: "paper", x: 0.5, y: 0.5 }] : [],
      xaxis: { title: { text: across.name }, type: "category", tickangle: "auto" },
      yaxis: { title: { text: down.name }, type: "category", autorange: "reversed" },
    },
  };
}

function about(position, point) {
  const lines = dimensions.map((d, i) => `${d.name} ${d.values[position[i]]}`);
  if (cycles[point] === null) return [...lines, ERROR].join("<br>");
  for (const metric of Object.values(metrics)) {
    const value = metric.values[point];
    if (value !== null) lines.push(metric.labels ? `${metric.name}: ${metric.labels[value]}` : `${metric.name}: ${metric.text(value)}`);
  }
  return lines.join("<br>");
}

function mapControls() {
  document.getElementById("map-controls").replaceChildren();
  const names = dimensions.map((d, i) => [i, d.name]);
  hwc.choose("map-controls", "show", Object.entries(metrics).map(([k, m]) => [k, m.name]), map.metric, (v) => { map.metric = v; hwc.draw("map"); });
  if (dimensions.length > 2) {
    hwc.choose("map-controls", "across", names, map.x, (v) => turn("x", "y", Number(v)));
    hwc.choose("map-controls", "down", names, map.y, (v) => turn("y", "x", Number(v)));
  }
  dimensions.forEach((d, i) => {
    if (i !== map.x && i !== map.y && d.values.length > 1)
      hwc.choose("map-controls", d.name, d.values.map((v, k) => [k, v]), map.at[i], (v) => { map.at[i] = Number(v); hwc.draw("map"); });
  });
}

function turn(axis, other, dimension) {
  if (map[other] === dimension) map[other] = map[axis];
  map[axis] = dimension;
  mapControls();
  document.querySelectorAll("#map-controls select")[axis === "x" ? 1 : 2].focus();
  hwc.draw("map");
}

// ---- Cycles against cells

const ANY = -1;
const chosen = sizes.map(() => ANY);

// The geometric mean of the cycles over the chosen shapes that every target with results can run.
function means() {
  const usable = [];
  const runs = targets.map((_, t) => cycles.slice(t * shapes, (t + 1) * shapes).some((c) => c !== null));
  for (let s = 0; s < shapes; s++) {
    let rest = s, fits = true;
    for (let i = sizes.length - 1; i >= 0; i--) {
      const at = rest % sizes[i].values.length;
      rest = (rest - at) / sizes[i].values.length;
      fits = fits && (chosen[i] === ANY || chosen[i] === at);
    }
    if (fits && targets.every((_, t) => !runs[t] || cycles[t * shapes + s] !== null)) usable.push(s);
  }
  return {
    count: usable.length,
    values: targets.map((_, t) => {
      if (!runs[t] || !usable.length) return null;
      const sum = usable.reduce((n, s) => n + Math.log(Math.max(1, cycles[t * shapes + s])), 0);
      return Math.exp(sum / usable.length);
    }),
  };
}

function cost() {
  const { count, values } = means();
  const points = targets.map((t, i) => ({ ...t, cycles: values[i] })).filter((p) => p.cycles !== null && p.cells !== null);
  const text = {
    none: "None of the chosen shapes can run on all these targets, so there is nothing to draw.",
    unknown: "The cells of these targets are not known, so there is nothing to draw.",
    one: "One shape.",
    mean: `The geometric mean of the ${count.toLocaleString("en")} shapes that all these targets can run.`,
  }[count === 0 ? "none" : points.length === 0 ? "unknown" : count === 1 ? "one" : "mean"];
  document.getElementById("cost-count").textContent = text;
  for (const id of ["cost-plot", "cost-circles"]) document.getElementById(id).hidden = points.length === 0;
  const bases = [...new Set(points.map((p) => p.base))];
  const front = points
    .filter((p) => !points.some((o) => o !== p && o.cells <= p.cells && o.cycles <= p.cycles && (o.cells < p.cells || o.cycles < p.cycles)))
    .sort((a, b) => a.cells - b.cells);
  const traces = bases.map((base) => {
    const own = points.filter((p) => p.base === base);
    return {
      type: "scatter", mode: own.length > 1 && points.length > 30 || hwc.narrow() ? "markers" : "markers+text",
      name: base, x: own.map((p) => p.cells), y: own.map((p) => p.cycles),
      text: own.map((p) => p.short), textposition: "top center", textfont: { size: 11 }, cliponaxis: false,
      customdata: own.map((p) => [p.label, p.from]),
      marker: { size: 11, symbol: own.map((p) => (p.from === "synthesis" ? "circle" : "circle-open")), line: { width: 2 } },
      hovertemplate: "%{customdata[0]}<br>%{x:,} cells (%{customdata[1]})<br>%{y:,.0f} cycles<extra></extra>",
    };
  });
  if (front.length > 1)
    traces.unshift({ type: "scatter", mode: "lines", name: "no target is better in both", x: front.map((p) => p.cells), y: front.map((p) => p.cycles), line: { color: hwc.color("quiet"), dash: "dot", width: 1.5 }, hoverinfo: "skip" });
  return {
    data: traces,
    layout: {
      xaxis: { title: { text: "cells" }, type: "log", nticks: hwc.narrow() ? 5 : 12 },
      yaxis: { title: { text: "cycles" }, type: "log", nticks: 8 },
      legend: { orientation: "h", y: 1.02, yanchor: "bottom" },
      margin: hwc.narrow() ? { l: 10, r: 10, t: 60, b: 40 } : { l: 60, r: 30, t: 60, b: 60 },
    },
  };
}

// ---- What limits where

function shares() {
  const kinds = [...limits, ERROR];
  const traces = kinds.map((kind, k) => {
    const counts = targets.map((_, t) => {
      let n = 0;
      for (let s = 0; s < shapes; s++) {
        const point = t * shapes + s;
        n += cycles[point] === null ? kind === ERROR : limit[point] === k;
      }
      return n;
    });
    return {
      type: "bar", orientation: "h", name: kind,
      y: targets.map((t) => t.label), x: counts.map((n) => n / shapes), customdata: counts,
      marker: { color: kind === ERROR ? hwc.color("line") : colors[k % colors.length] },
      hovertemplate: `%{y}<br>${kind}: %{customdata:,} shapes, %{x:.1%}<extra></extra>`,
    };
  }).filter((t) => t.x.some((v) => v > 0));
  return {
    data: traces,
    layout: {
      barmode: "stack", bargap: 0.3,
      xaxis: { title: { text: "share of the shapes" }, tickformat: ".0%", range: [0, 1] },
      yaxis: { type: "category", autorange: "reversed", ticksuffix: "  " },
      legend: { orientation: "h", y: 1.02, yanchor: "bottom", traceorder: "normal" },
      margin: hwc.narrow() ? { l: 10, r: 15, t: 80, b: 40 } : { l: 60, r: 30, t: 60, b: 60 },
    },
  };
}

// A page of a sweep in which nothing ran has no plots.
if (cycles.some((c) => c !== null)) {
  mapControls();
  hwc.plot("map", heat);
  sizes.forEach((s, i) => {
    if (s.values.length > 1)
      hwc.choose("cost-controls", s.name, [[ANY, "all values"], ...s.values.map((v, k) => [k, String(v)])], ANY, (v) => { chosen[i] = Number(v); hwc.draw("cost-plot"); });
  });
  hwc.plot("cost-plot", cost);
  document.getElementById("shares").style.height = `${Math.max(16, 8 + 1.8 * targets.length)}rem`;
  hwc.plot("shares", shares);
}

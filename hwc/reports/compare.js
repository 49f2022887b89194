// The page that compares two calls.
const bars = hwc.data.bars;
const count = (n) => n.toLocaleString("en");

function differences() {
  const longest = hwc.narrow() ? 14 : 40;
  const name = (b) => { const t = `${b.numbers}: ${b.name}`; return t.length <= longest ? t : `${t.slice(0, longest - 1)}…`; };
  return {
    data: [{
      type: "bar", orientation: "h", y: bars.map((_, i) => i), x: bars.map((b) => b.b - b.a),
      marker: { color: bars.map((b) => hwc.color(b.b < b.a ? "better" : "worse")) },
      text: bars.map((b) => `${b.b > b.a ? "+" : "−"}${count(Math.abs(b.b - b.a))}`), textposition: "auto", constraintext: "none", cliponaxis: false,
      customdata: bars.map((b) => `${b.numbers}: ${b.name.replaceAll("&", "&amp;").replaceAll("<", "&lt;")}<br>from ${count(b.a)} to ${count(b.b)} cycles`),
      hovertemplate: "%{customdata}<extra></extra>",
    }],
    layout: {
      showlegend: false, bargap: 0.25,
      xaxis: { title: { text: "difference in cycles" }, tickformat: "~s", zerolinewidth: 2, fixedrange: hwc.narrow() },
      yaxis: { autorange: "reversed", tickvals: bars.map((_, i) => i), ticktext: bars.map(name), fixedrange: hwc.narrow() },
      margin: hwc.narrow() ? { l: 10, r: 50, t: 20, b: 60 } : { l: 140, r: 30, t: 20, b: 60 },
    },
  };
}

if (bars.length) {
  document.getElementById("bars").style.height = `${8 + 2 * bars.length}rem`;
  hwc.plot("bars", differences);
}

// What the pages share: data, plots that follow light and dark, and lists of choices.
const hwc = {
  data: JSON.parse(document.getElementById("data").textContent),
  plots: new Map(),
  narrow: () => window.innerWidth < 640,
  color: (name) => getComputedStyle(document.documentElement).getPropertyValue(`--${name}`).trim(),

  // Draws the plot in the element `id`; `make` returns {data, layout} and is called again by `draw`.
  plot(id, make) {
    hwc.plots.set(id, make);
    hwc.draw(id);
  },

  draw(id) {
    const { data, layout } = hwc.plots.get(id)();
    const axis = { gridcolor: hwc.color("line"), zerolinecolor: hwc.color("line"), linecolor: hwc.color("line"), automargin: true };
    const whole = {
      paper_bgcolor: "rgba(0,0,0,0)",
      plot_bgcolor: "rgba(0,0,0,0)",
      font: { color: hwc.color("text"), family: "inherit", size: hwc.narrow() ? 11 : 13 },
      hoverlabel: { bgcolor: hwc.color("panel"), bordercolor: hwc.color("line"), font: { color: hwc.color("text") }, align: "left" },
      margin: hwc.narrow() ? { l: 10, r: 10, t: 30, b: 40 } : { l: 60, r: 20, t: 40, b: 60 },
      colorway: ["#3b82c4", "#e08a2c", "#4fa06a", "#c65353", "#8c6bb1", "#8d6e5a", "#d177b0", "#7f8894"],
      ...layout,
      // Without the stand-off, the bottom of the panel cuts the title.
      xaxis: { ...axis, ...layout.xaxis, title: { standoff: 8, ...layout.xaxis?.title } },
      yaxis: { ...axis, ...layout.yaxis },
    };
    Plotly.react(id, data, whole, { responsive: true, displaylogo: false, displayModeBar: false });
  },

  drawAll() {
    for (const id of hwc.plots.keys()) hwc.draw(id);
  },

  // Adds a list of choices to the element `where`; `options` are [value, text] pairs.
  choose(where, name, options, value, changed) {
    const label = document.createElement("label");
    const list = document.createElement("select");
    label.append(name, list);
    for (const [each, text] of options) list.append(new Option(text, each, false, String(each) === String(value)));
    list.addEventListener("change", () => changed(list.value));
    document.getElementById(where).append(label);
    return list;
  },
};

window.matchMedia("(prefers-color-scheme: dark)").addEventListener("change", hwc.drawAll);
window.addEventListener("beforeprint", hwc.drawAll);

"use strict";

// Charts: each function takes numbers and a width and returns an element. Colours are CSS variables of the page, so
// that dark, light and print do not need separate drawings.
const charts = (() => {
  const tone = {robust: "var(--robust)", vulnerable: "var(--vulnerable)", "vulnerable (misclassified)": "var(--misclassified)",
                unknown: "var(--unknown)", "not reached": "var(--pending)"};
  const style = {background: "none", color: "var(--ink)", fontSize: "12px", fontFamily: "inherit"};
  const number = new Intl.NumberFormat("en-US");
  const grid = {stroke: "var(--line)", strokeOpacity: 1};

  // Shows the number of samples of each kind as one bar.
  function split(parts, width) {
    const shown = parts.filter(part => part.count > 0);
    return Plot.plot({
      width, height: 46, margin: 0, marginBottom: 0, style, x: {axis: null}, y: {axis: null},
      color: {domain: Object.keys(tone), range: Object.values(tone)},
      marks: [Plot.barX(shown, Plot.stackX({x: "count", fill: "kind", inset: .5, order: null, rx: 3,
                                            title: d => `${d.kind}: ${number.format(d.count)}`}))],
    });
  }

  // One bar per stage. Labels stand above the bars, so that both fit on narrow screens.
  function stages(rows, value, format, width) {
    const names = rows.map(row => row.name);
    const largest = d3.max(rows, row => row[value]) || 1;
    const band = 40;
    return Plot.plot({
      ariaLabel: rows.map(row => `${row.name}: ${format(row[value])}`).join("; "),
      width, height: names.length * band + 8, marginLeft: 0, marginRight: 76, marginTop: 0, marginBottom: 8, style,
      x: {axis: null, domain: [0, largest]}, y: {axis: null, domain: names, padding: 0},
      marks: [
        Plot.barX(rows, {x: value, y: "name", fill: row => tone[row.kind], insetTop: 20, insetBottom: 4, rx: 2}),
        Plot.text(rows, {x: 0, y: "name", text: "name", textAnchor: "start", dy: -10, fill: "currentColor"}),
        Plot.text(rows, {x: value, y: "name", text: row => format(row[value]), textAnchor: "start", dx: 6, dy: 8,
                         fill: "currentColor", fontWeight: 600}),
      ],
    });
  }

  // Counts in bins [low, high) on two logarithmic axes, with one row per kind that occurs.
  function histogram(rows, kinds, width, {ticks, tickFormat, label}) {
    const most = d3.max(rows, row => row.count) || 1, height = 300;
    const present = kinds.filter(kind => rows.some(row => row.kind === kind));
    return Plot.plot({
      ariaLabel: `Number of samples by ${label} and verdict`,
      width, height, marginLeft: 46, marginRight: 12, marginTop: 24, marginBottom: 38, style,
      x: {type: "log", axis: null},
      y: {type: "log", domain: [0.6, Math.max(10, most * 1.5)], ticks: powersUpTo(most), tickFormat: n => number.format(n),
          label: "samples", labelArrow: "none", tickSize: 0},
      fy: {domain: present, label: null, axis: null, padding: .26},
      marks: [
        Plot.gridY(powersUpTo(most), grid),
        Plot.rectY(rows, {x1: "low", x2: "high", y1: 0.6, y2: "count", fy: "kind", fill: row => tone[row.kind], inset: .5,
                          title: row => `${row.title}: ${number.format(row.count)} ${row.kind}`}),
        Plot.text(present, {fy: d => d, text: d => d, frameAnchor: "top-right", dy: -12, fill: d => tone[d], fontWeight: 600}),
        Plot.ruleY([0.6], {stroke: "currentColor"}),
        // A separate axis, because that of a logarithmic scale has no text for ticks that are not powers of ten.
        Plot.axisX(ticks, {text: tickFormat, label, labelAnchor: "center", labelArrow: "none", tickSize: 3}),
      ],
    });
  }

  function powersUpTo(most) {
    const powers = [1];
    while (powers[powers.length - 1] * 10 <= Math.max(10, most)) powers.push(powers[powers.length - 1] * 10);
    return powers;
  }

  // Points that would lie on top of each other are drawn once.
  function thinned(points, width, height) {
    const x = d3.scaleLinear(d3.extent(points, p => p.unstable), [0, width]);
    const y = d3.scaleLog(d3.extent(points, p => p.seconds), [0, height]);
    const seen = new Set();
    return points.filter(p => {
      const place = `${p.kind} ${Math.round(x(p.unstable) / 1.5)} ${Math.round(y(p.seconds) / 1.5)}`;
      return seen.has(place) ? false : seen.add(place);
    });
  }

  function scatter(points, kinds, width) {
    const height = 300;
    const shown = thinned(points, width, height);
    const [least, most] = d3.extent(points, p => Math.log10(p.seconds));
    const decades = d3.range(Math.floor(least), Math.ceil(most) + 1).map(k => 10 ** k);
    return Plot.plot({
      ariaLabel: "Undecided units and time of each sample",
      width, height, marginLeft: 52, marginRight: 14, marginTop: 24, marginBottom: 38, style,
      x: {label: "undecided units", labelAnchor: "center", labelArrow: "none", nice: true, zero: true, ticks: 5, tickSize: 3},
      y: {type: "log", label: "time", labelArrow: "none", domain: d3.extent(decades), ticks: decades, tickFormat: secondsTick, tickSize: 0},
      marks: [
        Plot.gridY(decades, grid),
        // Frequent kinds are drawn first, so that rare ones stay visible.
        kinds.map(kind => Plot.dot(shown.filter(p => p.kind === kind),
                                   {x: "unstable", y: "seconds", r: 2.6, fill: tone[kind], fillOpacity: .62})),
        Plot.tip(shown, Plot.pointer({x: "unstable", y: "seconds", fill: "var(--card)", stroke: "var(--soft)",
                                      title: p => `sample ${p.sample}, ${p.kind}\n${p.unstable} undecided units\n${p.time}`})),
      ],
    });
  }

  function secondsTick(seconds) {
    if (seconds >= 1) return `${d3.format("~r")(seconds)} s`;
    return seconds >= 1e-3 ? `${d3.format("~r")(seconds * 1e3)} ms` : `${d3.format("~r")(seconds * 1e6)} \u00b5s`;
  }

  // All digits: a format with a fixed precision would show 0.1 and 0.12 alike.
  const epsilonTick = epsilon => String(+epsilon.toPrecision(12));

  // Error against epsilon. The area between the bounds is unknown.
  function curve(points, names, width) {
    const range = names.map((_, k) => `var(--series-${k % 6 + 1})`);
    const found = points.filter(p => p.pgd !== null);
    return Plot.plot({
      ariaLabel: points.map(p => p.text.replace("\n", ", ")).join("; "),
      width, height: Math.min(380, Math.max(260, width * .4)), marginLeft: 50, marginRight: 24, marginTop: 16, marginBottom: 40, style,
      x: {label: "epsilon", labelAnchor: "center", labelArrow: "none", zero: true, ticks: width < 500 ? 4 : 8, tickFormat: epsilonTick, tickSize: 3},
      y: {label: null, zero: true, nice: true, tickFormat: v => `${d3.format("~r")(v)} %`, tickSize: 0, ticks: 6},
      color: {domain: names, range},
      marks: [
        Plot.gridY(grid),
        Plot.areaY(points, {x: "radius", y1: "lower", y2: "upper", z: "name", fill: "name", fillOpacity: .25}),
        Plot.line(points, {x: "radius", y: "upper", z: "name", stroke: "name", strokeWidth: 2}),
        Plot.line(points, {x: "radius", y: "lower", z: "name", stroke: "name", strokeWidth: 2}),
        Plot.line(found, {x: "radius", y: "pgd", z: "name", stroke: "name", strokeDasharray: "2 4"}),
        Plot.dot(points, {x: "radius", y: "upper", stroke: "name", fill: "var(--card)", r: 4, strokeWidth: 2}),
        Plot.dot(points, {x: "radius", y: "lower", fill: "name", r: 4}),
        Plot.tip(points, Plot.pointer({x: "radius", y: "upper", fill: "var(--card)", stroke: "var(--soft)", title: "text"})),
      ],
    });
  }

  // Units of one layer: active, inactive, undecided.
  function units(layer, width) {
    const parts = [["active", layer.active], ["inactive", layer.inactive], ["undecided", layer.unstable]].map(([kind, count]) => ({kind, count}));
    return Plot.plot({
      ariaLabel: parts.map(part => `${part.kind} ${part.count}`).join(", "),
      width, height: 14, margin: 0, style, x: {axis: null}, y: {axis: null},
      color: {domain: parts.map(part => part.kind), range: parts.map(part => `var(--${part.kind})`)},
      marks: [Plot.barX(parts, Plot.stackX({x: "count", fill: "kind", order: null,
                                            title: part => `${part.kind}: ${d3.format(",.1f")(part.count)}`}))],
    });
  }

  return {split, stages, histogram, scatter, curve, units, secondsTick, tone};
})();

"use strict";

// The page: shows one view (a store at one epsilon) at a time, and a comparison if there are several views.
(() => {
  const data = JSON.parse(document.getElementById("data").textContent);
  const views = data.stores.flatMap(store => store.levels.map(level => ({store, level})));
  const VERDICTS = ["robust", "vulnerable", "unknown"];  // in the order in which the data number them
  const VERDICT_OF = {holds: "robust", violated: "vulnerable", unknown: "unknown"};
  const CERTIFIED = ["", "accepted", "rejected"];  // in the order in which the data number them
  const MISCLASSIFIED = "vulnerable (misclassified)";
  const IMPLIED = ", at another epsilon";  // the end of the name of such a stage
  const GALLERY_STEP = 12, PAGE = 50;
  const MOST_BUTTONS = 8;  // more views than that are chosen from a list

  const byId = id => document.getElementById(id);
  const {whole, plural, percent, duration, roundedDown, roundedUp, fileName} = words;

  const chip = kind => element("span", {class: "chip", tone: charts.tone[kind]}, kind);
  const picture = (bytes, text) =>
    bytes ? element("img", {class: "pixels", src: `data:image/png;base64,${bytes}`, alt: text}) : null;
  const thumbnail = (store, sample, label) =>
    picture(store.thumbnails[sample], `sample ${sample}, label ${label}`);

  // The first entries of a list, which may have one per input.
  function listText(list, separator) {
    const entries = list.split(separator);
    return entries.slice(0, 4).join(", ") + (entries.length > 4 ? `, ... (${entries.length} in all)` : "");
  }
  // "0,1" for all inputs, or "0,1;-2,2" for each channel or input.
  const domainText = domain => listText(domain.split(";").map(range => `[${range.replace(",", ",\u00a0")}]`).join(";"), ";");

  // What is done to samples before the network gets them.
  function normalisationOf(setting) {
    if (!setting("mean")) return "";
    const several = [setting("mean"), setting("std")].some(list => list.includes(","));
    return several ? ", which takes (x \u2212 mean) / std," : `, which takes (x \u2212 ${setting("mean")}) / ${setting("std")},`;
  }

  // The question of a view in words.
  function questionOf({store, level}) {
    const setting = name => store.settings[name] ? store.settings[name].value : "";
    const name = fileName(store.runs.length ? store.runs[store.runs.length - 1].network : "the network");
    const set = fileName(store.runs.length ? store.runs[store.runs.length - 1].data.replace(/^[a-z0-9]+:/, "") : "the data set");
    const scaled = setting("eps-scale") ? ` times its own scale (${listText(setting("eps-scale"), ",")})` : "";
    const ball = {linf: `by at most ${level.epsilon}${scaled} in each coordinate`,
                  l1: `by at most ${level.epsilon} in total (l1 norm)`,
                  l2: `by at most ${level.epsilon} in Euclidean distance (l2 norm)`}[setting("norm")];
    const how = level.radius === null ? `by the perturbation ${level.epsilon}` : ball;
    const domain = setting("domain") === "none" || level.radius === null ? "" : `, within ${domainText(setting("domain"))},`;
    const target = setting("target");
    const aim = /^[0-9,]+$/.test(target) ? `the label ${target.replaceAll(",", " or ")}` : "another label";
    return `Of ${plural(level.counts.samples, "sample")} of ${set}: how many are misclassified, or can be changed ${how}${domain} ` +
           `so that ${name}${normalisationOf(setting)} gives them ${aim}?`;
  }

  const epsilonText = epsilon => `\u03b5\u00a0=\u00a0${epsilon}`;

  function viewName({store, level}) {
    const radius = level.radius === null ? level.epsilon : epsilonText(level.epsilon);
    return data.stores.length > 1 ? `${fileName(store.name)}, ${radius}` : radius;
  }

  // ---- The headline

  function drawOverview(view) {
    const {store, level} = view, counts = level.counts;
    byId("kicker").textContent = `Adversarial error ${level.radius === null ? `under ${level.epsilon}` : `at \u03b5 = ${level.epsilon}`}`;
    byId("headline").replaceChildren(...(counts.exact
      ? [percent(counts.error_lower), element("small", {}, element("span", {class: "exact"}, "exact"),
                                              `, ${whole(counts.vulnerable)} of ${whole(counts.samples)}`)]
      : [words.error(counts), element("small", {}, `open: ${words.open(counts)}`)]));
    byId("question").textContent = questionOf(view);
    document.title = `Plumb: ${byId("headline").textContent}`;
    byId("unfinished").hidden = counts.pending === 0;
    byId("unfinished").replaceChildren(...unfinishedText(level));
    const parts = partsOf(counts);
    byId("split").setAttribute("aria-label", parts.map(p => `${p.kind} ${p.count}`).join(", "));
    drawChart("split", width => charts.split(parts, width));
    byId("tiles").replaceChildren(...tilesOf(view).map(([title, value, more, kind]) =>
      element("div", {tone: kind ? charts.tone[kind] : null}, element("dt", {}, title),
              element("dd", {}, value, element("small", {}, more)))));
    byId("facts").replaceChildren(...factsOf(view).map(([name, value]) =>
      element("div", {}, element("dt", {}, name), element("dd", {}, value))));
  }

  function unfinishedText({counts}) {
    const reached = counts.looked_at === 0 ? `None of the ${plural(counts.samples, "sample")} has a result yet. They count`
      : `The run is not finished: ${whole(counts.looked_at)} of ${plural(counts.samples, "sample")} ${counts.looked_at === 1 ? "has" : "have"} a result here. The others count`;
    return [`${reached} towards the upper bound of the error. The same `, element("code", {}, "plumb accuracy"), " command continues the run."];
  }

  function partsOf(counts) {
    return [{kind: MISCLASSIFIED, count: counts.vulnerable_misclassified},
            {kind: "vulnerable", count: counts.vulnerable - counts.vulnerable_misclassified},
            {kind: "unknown", count: counts.unknown}, {kind: "not reached", count: counts.pending},
            {kind: "robust", count: counts.robust}];
  }

  // Vulnerable, unknown, not reached and robust add up to all samples.
  function tilesOf({store, level}) {
    const counts = level.counts, share = count => percent(count / counts.samples);
    const wrong = counts.vulnerable_misclassified;
    const tiles = [
      ["vulnerable", whole(counts.vulnerable), share(counts.vulnerable) + (wrong ? `, with the ${whole(wrong)} misclassified` : ""), "vulnerable"],
      ["unknown", whole(counts.unknown), counts.unknown ? share(counts.unknown)
        : !counts.looked_at ? "no sample was reached" : counts.pending ? "of those that were reached" : "every sample was decided", "unknown"],
      ...(counts.pending ? [["not reached", whole(counts.pending), share(counts.pending), "not reached"]] : []),
      ["robust", whole(counts.robust), share(counts.robust) +
        (counts.by_solver ? `, ${whole(counts.by_solver)} by a solver\u2019s claim` : counts.robust ? ", all by proof" : ""), "robust"],
      ["misclassified", counts.looked_at ? whole(counts.misclassified) : "\u2013", counts.looked_at
        ? `test error ${percent(counts.test_error)}${ofReached(counts.looked_at, counts)}` : "no sample was reached", MISCLASSIFIED]];
    if (isChecked(counts)) {
      tiles.push(["certified", whole(counts.certified_robust + counts.certified_vulnerable),
        `proven again by plumb-check: ${certifiedError(counts)}`]);
      if (counts.rejected) tiles.push(["certificates rejected", whole(counts.rejected), "these samples count as unknown", "unknown"]);
    }
    if (counts.pgd_tried) {
      const missed = level.missed_in_all ? whole(level.missed_in_all) : "none";
      tiles.push(["plain PGD finds", whole(counts.pgd_found), counts.pgd_tried === counts.samples
        ? `it would report ${share(counts.pgd_found)}; it missed ${missed}` : `of the ${whole(counts.pgd_tried)} samples it was tried on`]);
    }
    return [...tiles, timeTile(store, level)].filter(Boolean);
  }

  const isChecked = counts => counts.certified_robust + counts.certified_vulnerable + counts.rejected > 0;
  // The error as the accepted certificates prove it: whatever was not checked is open.
  const certifiedError = counts => {
    const proven = counts.certified_robust + counts.certified_vulnerable;
    const exact = proven === counts.samples;
    return `error ${words.error({...counts, exact, error_lower: counts.certified_vulnerable / counts.samples,
      vulnerable: counts.certified_vulnerable, unknown: counts.samples - proven, pending: 0})}`;
  };

  // Says that a number is over fewer samples than were asked about.
  const ofReached = (count, counts) => count < counts.samples ? ` of the ${whole(count)} that were reached` : "";
  const ofFewer = (count, counts) => count < counts.samples ? ` of ${whole(count)}` : "";

  // Where results follow from those of other epsilons, the time of one epsilon alone says little.
  function timeTile(store, level) {
    const counts = level.counts, here = d3.sum(level.stages, s => s.seconds);
    if (counts.looked_at === 0) return null;
    if (store.levels.length === 1) return ["time", duration(here), `on one core, for ${counts.pending ? `the ${whole(counts.looked_at)} samples that were reached` : "all samples"}`];
    const all = d3.sum(store.levels, other => d3.sum(other.stages, s => s.seconds));
    const others = counts.looked_at - counts.implied;
    const alone = others === 0 ? "here every result is implied"
      : `here ${duration(here)}${counts.implied ? `, ${whole(counts.implied)} of ${whole(counts.looked_at)} implied` : ""}`;
    return ["time", duration(all), `on one core, for all ${store.levels.length} epsilons; ${alone}`];
  }

  function factsOf({store, level}) {
    const facts = [["store", store.name]];
    // Perturbations have parameters of their own, and no norm.
    for (const name of ["network", "data", ...(level.radius === null ? [] : ["norm", "eps-scale"]), "domain", "mean", "std", "target", "perturbation"]) {
      if (store.settings[name]) facts.push([name, store.settings[name].shown]);
    }
    const each = pick => [...new Set(store.runs.map(pick).filter(Boolean))].join("; ");
    facts.push(["engine", each(run => run.solver ? `${run.engine} (${run.solver})` : run.engine)]);
    facts.push(["limit", each(run => run.timeout ? `${run.timeout} s per sample` : run.work_limit ? `${plural(run.work_limit, "work unit")} per sample` : "none")]);
    facts.push(["machine", each(run => run.machine)]);
    facts.push(["runs", store.runs.map(run => new Date(run.started * 1e3).toISOString().slice(0, 16).replace("T", " ")).slice(0, 4).join(", ") +
                        (store.runs.length > 4 ? `, and ${store.runs.length - 4} more` : "") + " UTC"]);
    return facts.filter(([, value]) => value);
  }

  // ---- Several views

  function drawComparison() {
    if (views.length < 2 || views.every(view => view.level.counts.looked_at === 0)) return;
    byId("compare").hidden = false;
    drawCurve();
    const count = (title, key) => ({title, cell: v => whole(v.level.counts[key])});
    const solved = v => v.level.counts.looked_at - v.level.counts.implied;
    const time = (title, key) => ({title, cell: v => solved(v) ? duration(v.level.seconds[key]) : ""});
    const columns = [
      {title: "test error", cell: v => v.level.counts.looked_at ? percent(v.level.counts.test_error) + ofFewer(v.level.counts.looked_at, v.level.counts) : ""},
      count("vulnerable", "vulnerable"), count("unknown", "unknown"), count("not reached", "pending"), count("robust", "robust"),
      {title: "PGD finds", cell: v => v.level.counts.pgd_tried ? whole(v.level.counts.pgd_found) + ofFewer(v.level.counts.pgd_tried, v.level.counts) : ""},
      count("implied", "implied"), {title: "solved", cell: v => whole(solved(v))},
      time("mean time", "mean"), time("99 %", "p99"), time("longest", "maximum"), count("samples", "samples"),
      {title: "network", words: true, cell: v => fileName(v.store.runs.length ? v.store.runs[0].network : "")},
      {title: "norm", words: true, cell: v => v.level.radius === null || !v.store.settings.norm ? "" : v.store.settings.norm.value},
    ];
    // A column that has the same text everywhere needs one line instead.
    const isSame = column => new Set(views.map(column.cell)).size === 1;
    // The rest of the question, where it differs.
    columns.push(...["domain", "eps-scale", "mean", "std", "target"].map(name => (
      {title: name, words: true, cell: v => v.store.settings[name] ? v.store.settings[name].shown : ""})).filter(column => !isSame(column)));
    const same = columns.filter(isSame).map(c => [c.title, c.cell(views[0])]).filter(([, text]) => text);
    byId("comparison-lead").textContent = same.length ? `The same in every row: ${same.map(([title, text]) => `${title} ${text}`).join(", ")}.` : "";
    byId("comparison").replaceChildren(plainTable([
      {title: "result", words: true, cell: v => element("button", {type: "button", onclick: () => choose(views.indexOf(v))}, viewName(v))},
      {title: "adversarial error", cell: v => words.error(v.level.counts)},
      ...columns.filter(column => !isSame(column))], views, v => ({"data-view": views.indexOf(v)})));
  }

  // One line per question without its radius; at epsilon 0 it shows the test error.
  function drawCurve() {
    const seen = new Map(), points = [];
    for (const {store, level} of views) {
      if (level.radius === null) continue;
      // Everything but the radius.
      const key = JSON.stringify(Object.entries(store.settings).filter(([name]) => name !== "eps").map(([name, {value}]) => [name, value]).sort());
      if (!seen.has(key)) seen.set(key, curveName(store, [...seen.values()]));
      points.push({radius: level.radius, ...pointOf(level, seen.get(key))});
    }
    for (const name of seen.values()) {
      const nearest = points.filter(p => p.name === name && p.complete).sort((a, b) => a.radius - b.radius)[0];
      if (!nearest || nearest.radius === 0) continue;
      const error = nearest.test;
      points.push({name, radius: 0, lower: error, upper: error, pgd: nearest.pgd === null ? null : error,
                   text: `${name}\n\u03b5 = 0: test error ${error.toFixed(2)} %`});
    }
    points.sort((a, b) => a.radius - b.radius);
    byId("curve").closest(".columns").hidden = new Set(points.map(p => p.radius)).size < 2;
    const names = [...seen.values()];
    drawChart("curve", width => charts.curve(points, names, width));
    const legend = names.length > 1 ? names.map((name, k) => element("span", {class: "chip spaced", tone: `var(--series-${k % 6 + 1})`}, name)) : [];
    const notes = [points.some(p => p.lower < p.upper) ? "shaded: between the two bounds of the error" : "",
                   points.some(p => p.pgd !== null) ? "dotted: what plain PGD finds" : ""].filter(Boolean);
    const note = element("p", {class: "empty", id: "curve-note"}, ...legend, notes.join("; "));
    const old = byId("curve-note");
    old ? old.replaceWith(note) : byId("curve").after(note);
  }

  // The network, and the settings in which the stores differ.
  function curveName(store, taken) {
    const shown = (of, name) => of.settings[name] ? of.settings[name].shown : "none";
    const differing = ["norm", "domain", "eps-scale", "mean", "std", "target"].filter(
      name => new Set(data.stores.map(other => shown(other, name))).size > 1);
    const network = fileName(store.runs.length ? store.runs[0].network : store.name);
    const question = [network, ...differing.map(name => `${name} ${shown(store, name)}`)].join(", ");
    return [question, `${question} (${fileName(store.name)})`, `${store.name}, ${question}`].find(name => !taken.includes(name));
  }

  function pointOf(level, name) {
    const counts = level.counts;
    const pgd = counts.pgd_tried === counts.samples && counts.samples ? 100 * counts.pgd_found / counts.samples : null;
    return {name, lower: 100 * counts.error_lower, upper: 100 * counts.error_upper, pgd, test: 100 * counts.test_error,
            complete: counts.pending === 0, text: `${name}\n\u03b5 = ${level.epsilon}: ${words.error(counts)}`};
  }

  // ---- Stages

  // Stages in their order: cheap ones before expensive ones, then what stayed open.
  function stageRows(level) {
    const rows = new Map();
    for (const stage of level.stages) {
      const kind = stage.reason.startsWith("misclassified") ? MISCLASSIFIED : VERDICT_OF[stage.verdict];
      const name = kind === MISCLASSIFIED ? kind
        : stage.reason.endsWith(IMPLIED) ? `${kind}, implied by another epsilon` : `${kind}${kind === "unknown" ? ":" : " by"} ${stage.reason}`;
      const row = rows.get(name) || {kind, name, samples: 0, seconds: 0};
      row.samples += stage.samples;
      row.seconds += stage.seconds;
      row.mean = row.seconds / row.samples;
      rows.set(name, row);
    }
    return [...rows.values()].sort((a, b) => (a.kind === "unknown") - (b.kind === "unknown") || a.mean - b.mean || b.samples - a.samples);
  }

  function drawStages({level}) {
    const rows = stageRows(level), all = d3.sum(rows, row => row.samples), time = d3.sum(rows, row => row.seconds);
    const largest = d3.greatest(rows, row => row.samples);
    byId("stages-lead").textContent = `Cheap stages come first and handle every sample; expensive stages handle the rest. ` +
      (all < level.counts.samples ? `${whole(all)} of ${plural(level.counts.samples, "sample")} were reached. ` : "") +
      `The largest group, \u201c${largest.name}\u201d, has ${percent(largest.samples / all)} of them and took ${time ? percent(largest.seconds / time) : "none"} of the time.`;
    drawChart("stage-samples", width => charts.stages(rows, "samples", whole, width));
    drawChart("stage-seconds", width => charts.stages(rows, "seconds", duration, width));
    let left = all;
    const lines = rows.map(row => ({...row, left: left -= row.samples}));
    byId("stage-table").replaceChildren(plainTable([
      {title: "stage", words: true, cell: row => element("span", {class: "chip", tone: charts.tone[row.kind]}, row.name)},
      {title: "samples", cell: row => whole(row.samples)},
      {title: "left after it", cell: row => whole(row.left)},
      {title: "total time", cell: row => duration(row.seconds)},
      {title: "per sample", cell: row => duration(row.mean)},
    ], lines));
  }

  // ---- Effort

  const kindOf = (columns, k) => columns.misclassified[k] && VERDICTS[columns.verdict[k]] === "vulnerable"
    ? MISCLASSIFIED : VERDICTS[columns.verdict[k]];
  const KINDS = ["robust", "vulnerable", "unknown"];  // misclassified samples need no solve

  function solvedRows(level) {
    const c = level.columns;
    return d3.range(c.sample.length).filter(k => c.implied_by[k] === null && kindOf(c, k) !== MISCLASSIFIED)
      .map(k => ({kind: kindOf(c, k), seconds: Math.max(c.seconds[k], 1e-6), nodes: c.nodes[k], unstable: c.unstable[k],
                  sample: c.sample[k], time: duration(c.seconds[k])}));
  }

  function binned(rows, edges, value, title) {
    const bins = [];
    for (const [kind, group] of d3.group(rows, row => row.kind)) {
      for (const bin of d3.bin().value(value).thresholds(edges).domain([edges[0], edges[edges.length - 1]])(group)) {
        if (bin.length) bins.push({kind, low: bin.x0, high: bin.x1, count: bin.length, title: title(bin)});
      }
    }
    return bins;
  }

  function drawEffort({level}) {
    const rows = solvedRows(level), counts = level.counts;
    const own = counts.looked_at - counts.implied;  // results of this epsilon itself, with the misclassified samples
    byId("effort-lead").textContent = rows.length === 0
      ? "Nothing was solved at this epsilon: every result is implied by another epsilon, or the sample is misclassified."
      : rows.length === counts.samples ? "" : `${plural(rows.length, "sample")} of ${whole(counts.samples)} were solved at this epsilon, and the charts show these. The others are ` +
        `${[counts.implied ? "implied by another epsilon" : "", own > rows.length ? "misclassified" : "", counts.pending ? "not reached" : ""].filter(Boolean).join(", or ")}.`;
    byId("effort-charts").hidden = rows.length === 0;
    byId("effort-table").hidden = own === 0;
    const none = "Bounds were not needed.";
    const [least, most] = rows.length ? d3.extent(rows, row => row.seconds) : [1, 1];
    const lowest = Math.floor(4 * Math.log10(least)), highest = Math.floor(4 * Math.log10(most)) + 1;
    const edges = d3.range(lowest, highest + 1).map(k => 10 ** (k / 4));
    const seconds = binned(rows, edges, row => row.seconds, bin => `${duration(bin.x0)} to ${duration(bin.x1)}`);
    drawChart("seconds", width => rows.length ? charts.histogram(seconds, KINDS, width, {
      ticks: d3.range(Math.ceil(lowest / 4), Math.floor(highest / 4) + 1).map(k => 10 ** k), tickFormat: charts.secondsTick, label: "time"}) : none);
    // Samples without any node have a bin of their own, left of 1.
    const NONE = Math.sqrt(0.125), largest = d3.max(rows, row => row.nodes) || 1;
    const nodeEdges = [0.125, ...d3.range(0, Math.floor(Math.log2(largest)) + 2).map(k => 2 ** k)];
    const nodes = binned(rows, nodeEdges, row => row.nodes === 0 ? NONE : row.nodes,
                         bin => bin.x0 < 1 ? "no search" : `${whole(bin.x0)} to ${whole(bin.x1 - 1)} subproblems`);
    drawChart("nodes", width => rows.length ? charts.histogram(nodes, KINDS, width, {
      ticks: [NONE, ...d3.range(0, Math.floor(Math.log10(largest)) + 1).map(k => 10 ** k)], tickFormat: n => n < 1 ? "none" : whole(n), label: "subproblems"}) : none);
    const points = rows.filter(row => row.unstable !== null);
    drawChart("scatter", width => points.length ? charts.scatter(points, KINDS, width) : none);
    const present = KINDS.filter(kind => points.some(p => p.kind === kind));
    byId("scatter").append(element("p", {class: "empty"}, present.map(kind =>
      element("span", {class: "chip spaced", tone: charts.tone[kind]}, kind))));
    byId("effort-table").replaceChildren(plainTable([
      {title: `per sample, of ${whole(own)}`, words: true, cell: row => row[0]},
      ...["mean", "median", "p90", "p99", "maximum"].map(key => ({
        title: {p90: "90 %", p99: "99 %"}[key] || key, cell: row => row[0] === "time" ? duration(row[1][key]) : whole(row[1][key])}))],
      [["time", level.seconds], ["subproblems", level.nodes]]));
  }

  // ---- The network

  function drawNetwork({store, level}) {
    const mean = new Intl.NumberFormat("en-US", {maximumFractionDigits: 1}).format;
    const known = level.layers.some(layer => layer.operation);
    const counted = level.layers.filter(layer => layer.counted);
    const total = kind => d3.sum(counted, layer => layer[kind]);
    const unitsInAll = total("active") + total("inactive") + total("unstable");
    byId("network-lead").textContent = !level.layer_samples
      ? "No sample needed bounds at this epsilon."
      : `On average over ${level.layer_samples < level.counts.samples ? `the ${whole(level.layer_samples)} of ${plural(level.counts.samples, "sample")} that needed bounds here` : plural(level.layer_samples, "sample")}, ${mean(total("unstable"))} of ${whole(Math.round(unitsInAll))} units are undecided within the region; ` +
        `the others are linear there, and proofs substitute them away.${known ? "" : " The network\u2019s file is not available: only layers with such units are listed."}`;
    byId("layers").replaceChildren(...level.layers.map((layer, k) => element("li", {},
      element("span", {class: "name"}, layer.name),
      element("span", {class: "soft"}, [layer.operation, layer.parameters ? `${whole(layer.parameters)} parameters` : ""].filter(Boolean).join(", ")),
      element("span", {class: "soft shape"}, layer.shape),
      layer.counted ? element("span", {class: "units"}, element("span", {class: "chart", id: `units-${k}`}),
        [["active", layer.active], ["inactive", layer.inactive], ["undecided", layer.unstable]].map(([kind, count]) =>
          element("span", {class: "chip key", tone: `var(--${kind})`}, `${mean(count)} ${kind}`))) : null)));
    level.layers.forEach((layer, k) => {
      if (layer.counted) drawChart(`units-${k}`, width => charts.units(layer, width));
    });
  }

  // ---- Examples

  function drawExamples({store, level}, shown = GALLERY_STEP) {
    const lead = level.adversarial === 0 ? `There is none${level.counts.pending ? " among the samples that were reached" : ""}.`
      : `${plural(level.gallery.length, "example")} of ${whole(level.adversarial)}: first those that plain PGD missed, if it was tried, then those in which the wrong label is furthest ahead.`;
    const missing = store.originals || level.adversarial === 0 ? null
      : element("span", {class: "notice"}, `Without the originals: ${store.notices.join("; ")}. Name the files to plumb report with `,
                element("code", {}, "--network"), " and ", element("code", {}, "--data"), ".");
    byId("examples-lead").replaceChildren(lead, ...(missing ? [missing] : []));
    byId("gallery").replaceChildren(...level.gallery.slice(0, shown).map(example => exampleCard(example, distanceName({store, level}))));
    byId("more").parentElement.hidden = shown >= level.gallery.length;
    byId("more").onclick = () => drawExamples({store, level}, shown + 2 * GALLERY_STEP);
  }

  // What the distance of a witness measures.
  function distanceName({store, level}) {
    const scaled = store.settings["eps-scale"] ? "scaled " : "";
    if (level.radius !== null) return `${scaled}${store.settings.norm ? store.settings.norm.value : ""} distance`.trim();
    const ball = /^(linf|l1|l2):[^+]*$/.exec(level.epsilon);
    return ball ? `${ball[1]} distance` : "largest change of an input";
  }

  function exampleCard(example, distance) {
    const cell = (bytes, title, text) => bytes ? element("div", {}, picture(bytes, `${title} of sample ${example.sample}`),
                                                         element("p", {}, element("b", {}, text), element("br"), title)) : null;
    const pictures = element("div", {class: "triple"},
      cell(example.original, "original", `label ${example.label}`),
      cell(example.perturbed, "perturbed", `becomes ${example.predicted}`),
      cell(example.difference, "difference", `\u00d7 ${+example.magnification.toPrecision(3)}`));
    const changes = example.changes.length ? plainTable([
      {title: "input", cell: c => c[0]}, {title: "original", cell: c => c[1] === null ? "" : +c[1].toPrecision(5)},
      {title: "perturbed", cell: c => +c[2].toPrecision(5)}], example.changes) : null;
    const rowClass = s => ({class: s[0] === example.label ? "from" : s[0] === example.predicted ? "to" : null});
    const before = example.scores.some(s => s[1] !== null);
    const scores = plainTable([
      {title: "label", cell: s => s[0]}, ...(before ? [{title: "score before", cell: s => s[1] === null ? "" : s[1]}] : []),
      {title: "score after", cell: s => s[2]}], example.scores, rowClass);
    const pgd = example.pgd === false ? ", missed by PGD" : "";
    return element("article", {class: "example"},
      element("h3", {}, `Sample ${example.sample}`, element("span", {}, `${distance} ${roundedUp(example.distance)}${pgd}`)),
      example.perturbed ? pictures : changes, scores,
      element("p", {class: "ahead"}, example.lead > 0 ? `${example.predicted} is ahead of ${example.label} by ${roundedDown(example.lead)}.`
        : `${example.predicted} and ${example.label} have the same score, to the last bit of a double.`));
  }

  // ---- Lists

  function listColumns({store, level}, extra) {
    const c = level.columns;
    const pictures = Object.keys(store.thumbnails).length
      ? [{title: "", cell: k => thumbnail(store, c.sample[k], c.label[k]) || ""}] : [];
    return [...pictures, {title: "sample", cell: k => whole(c.sample[k])}, {title: "label", cell: k => c.label[k]}, ...extra(c),
            {title: "undecided units", cell: k => c.unstable[k] === null ? "" : whole(c.unstable[k])},
            {title: "subproblems", cell: k => whole(c.nodes[k])}, {title: "time", cell: k => duration(c.seconds[k])}];
  }

  function drawList(id, view, list, lead, extra) {
    byId(`${id}-lead`).textContent = lead;
    byId(`${id}-table`).hidden = list.length === 0;
    byId(`${id}-table`).replaceChildren(plainTable(listColumns(view, extra), list));
  }

  function drawLists(view) {
    const {store, level} = view, counts = level.counts, texts = level.words;
    const first = (list, all) => list.length < all ? ` The first ${whole(list.length)} of ${whole(all)}:` : "";
    drawList("open", view, level.unknown, counts.unknown === 0
      ? `None: every sample${counts.pending ? ` of the ${whole(counts.looked_at)} that were reached` : ""} is decided.` : `The margin proven for each: a proof needs a positive one.${first(level.unknown, counts.unknown)}`,
      c => [{title: "why", words: true, wide: true, cell: k => texts[c.reason[k]]},
            {title: "margin at least", cell: k => roundedDown(c.margin[k])},
            {title: "labels excluded", cell: k => store.labels ? `${c.excluded[k]} of ${store.labels - 1}` : c.excluded[k]}]);
    byId("missed").hidden = counts.pgd_tried === 0;
    drawList("missed", view, level.missed, counts.vulnerable === 0 ? "None: no sample is known to be vulnerable here." : level.missed.length === 0
      ? `None: plain PGD finds every vulnerable sample here${counts.pgd_tried < counts.samples ? `, of the ${whole(counts.pgd_tried)} that it was tried on` : ""}. That there are no more is known only from the proofs.`
      : `Vulnerable, but plain PGD alone would have counted them as correct.${first(level.missed, level.missed_in_all)}`,
      c => [{title: "becomes", cell: k => c.predicted[k]}, {title: distanceName(view), cell: k => roundedUp(c.distance[k])},
            {title: "found by", words: true, cell: k => texts[c.reason[k]]}]);
    drawList("narrow", view, level.narrowest, level.narrowest.length === 0
      ? "No margin was proven at this epsilon itself."
      : "Robust, with the smallest proven margins. A search stops when the margin is proven positive, without measuring it.",
      c => [{title: "margin at least", cell: k => c.margin[k] === 0 ? "positive" : roundedDown(c.margin[k])},
            {title: "proven by", words: true, cell: k => texts[c.reason[k]] + (c.claimed[k] ? " (a solver\u2019s claim)" : "")}]);
  }

  // ---- All samples

  const table = new SampleTable(byId("sample-table"), byId("pager"), PAGE);

  function drawSamples(view) {
    const {level} = view, counts = level.counts;
    byId("samples-lead").textContent = counts.pending ? `The ${whole(counts.looked_at)} of ${plural(counts.samples, "sample")} that have a result.` : "";
    const c = level.columns, texts = level.words;
    const number = (title, values, cell, largestFirst = true) =>
      ({title, largestFirst, key: k => values[k], cell: k => values[k] === null ? "" : cell(values[k])});
    const columns = [
      number("sample", c.sample, whole, false), number("label", c.label, whole, false),
      {title: "verdict", words: true, key: k => kindOf(c, k), cell: k => chip(kindOf(c, k))},
      {title: "decided by", words: true, wide: true, key: k => texts[c.reason[k]],
       cell: k => texts[c.reason[k]] + (c.implied_by[k] === null ? "" : ` at ${epsilonText(texts[c.implied_by[k]])}`) + (c.claimed[k] ? " (a solver\u2019s claim)" : "")},
      number("becomes", c.predicted, whole, false), number(distanceName(view), c.distance, roundedUp, false),
      {...number("margin at least", c.margin, roundedDown, false),
       cell: k => c.margin[k] === 0 && c.verdict[k] === 0 ? "positive" : roundedDown(c.margin[k])}, number("undecided", c.unstable, whole),
      number("subproblems", c.nodes, whole), number("time", c.seconds, duration)];
    if (c.certified.some(found => found > 0)) {
      columns.push({title: "certificate", words: true, key: k => CERTIFIED[c.certified[k]], cell: k => CERTIFIED[c.certified[k]]});
    }
    const tried = c.pgd.some(found => found !== null);
    if (tried) columns.push({title: "PGD", words: true, key: k => c.pgd[k], cell: k => c.pgd[k] === null ? "" : c.pgd[k] ? "finds it" : "finds none"});
    byId("filter-pgd-box").hidden = !tried;
    fillFilters(level);
    const isFilled = column => c.sample.some((_, k) => column.key(k) !== null);
    table.show(columns.filter(isFilled), d3.range(c.sample.length));
    table.setFilter(filterOf(level));
    byId("filters").oninput = () => table.setFilter(filterOf(level));
    byId("filters").onreset = () => setTimeout(() => table.setFilter(filterOf(level)));
    byId("filters").onsubmit = event => event.preventDefault();
  }

  function fillFilters(level) {
    const c = level.columns;
    const fill = (id, all, options) => {
      const before = byId(id).value;
      byId(id).replaceChildren(element("option", {value: ""}, all), ...options.map(o => element("option", {value: String(o)}, String(o))));
      if (options.map(String).includes(before)) byId(id).value = before;
    };
    fill("filter-verdict", "any", [...new Set(c.sample.flatMap((_, k) => verdictsOf(c, k)))].sort());
    fill("filter-label", "any", [...new Set(c.label)].sort((a, b) => a - b));
    fill("filter-reason", "anything", [...new Set(c.reason)].map(r => level.words[r]).sort());
    fill("filter-pgd", "any", ["finds it", "finds none", "missed it"]);
  }

  // The filters that a sample passes.
  const verdictsOf = (columns, k) => [...new Set([VERDICTS[columns.verdict[k]], kindOf(columns, k)])];

  function filterOf(level) {
    const c = level.columns;
    const verdict = byId("filter-verdict").value, label = byId("filter-label").value;
    const reason = byId("filter-reason").value, pgd = byId("filter-pgd").value;
    const range = /^\s*(\d+)\s*(?:[-:\u2013]\s*(\d+)\s*)?$/.exec(byId("filter-sample").value);
    return k => (!verdict || verdictsOf(c, k).includes(verdict)) && (!label || String(c.label[k]) === label) &&
      (!reason || level.words[c.reason[k]] === reason) &&
      (!pgd || (pgd === "finds it" ? c.pgd[k] === 1 : c.pgd[k] === 0 && (pgd === "finds none" || c.verdict[k] === 1))) &&
      (!range || (c.sample[k] >= +range[1] && c.sample[k] <= +(range[2] || range[1])));
  }

  // ---- Putting it together

  // Charts are drawn as wide as their container, and again when its width changes.
  const drawn = new Map();
  function drawChart(id, make) {
    drawn.set(id, {make, width: 0});
    redraw(id);
  }
  function redraw(id) {
    const place = byId(id), chart = drawn.get(id);
    if (!place) return void drawn.delete(id);
    const width = Math.floor(place.clientWidth);
    if (width === 0 || width === chart.width) return;
    chart.width = width;
    const made = chart.make(width);
    const below = [...place.children].filter(child => child.matches("p.empty"));
    place.replaceChildren(typeof made === "string" ? element("p", {class: "empty"}, made) : made, ...(typeof made === "string" ? [] : below));
  }
  let waiting = 0;
  addEventListener("resize", () => {
    cancelAnimationFrame(waiting);
    waiting = requestAnimationFrame(() => [...drawn.keys()].forEach(redraw));
  });

  function choose(index) {
    const view = views[index];
    const isEmpty = view.level.counts.looked_at === 0;
    for (const id of ["stages", "effort", "network", "examples", "open", "missed", "narrow", "samples"]) byId(id).hidden = isEmpty;
    drawOverview(view);
    if (!isEmpty) {
      drawStages(view);
      drawEffort(view);
      drawNetwork(view);
      drawExamples(view);
      drawLists(view);
      drawSamples(view);
    }
    byId("views").querySelectorAll("button").forEach((button, k) => button.setAttribute("aria-pressed", k === index));
    byId("views").querySelectorAll("select").forEach(list => { list.value = String(index); });
    document.querySelectorAll("[data-view]").forEach(row => row.classList.toggle("chosen", +row.dataset.view === index));
    drawNavigation();
  }

  function drawNavigation() {
    const sections = [...document.querySelectorAll("main > section")].filter(section => !section.hidden && section.querySelector("h2"));
    const names = {compare: "Side by side", stages: "Stages", effort: "Effort", network: "Network", examples: "Examples",
                   open: "Unknown", missed: "PGD", narrow: "Margins", samples: "Samples"};
    byId("nav").replaceChildren(...sections.map(s => element("li", {}, element("a", {href: `#${s.id}`}, names[s.id]))));
  }

  // Buttons for a few views, a list for many: they stand above the headline.
  function drawViews() {
    byId("views").hidden = false;
    if (views.length <= MOST_BUTTONS) {
      byId("views").replaceChildren(element("p", {}, "Show"), ...views.map((view, k) =>
        element("button", {type: "button", "aria-pressed": "false", onclick: () => choose(k)}, viewName(view))));
      return;
    }
    const list = element("select", {id: "view-list", onchange: () => choose(+list.value)}, views.map((view, k) =>
      element("option", {value: String(k)}, `${viewName(view)}: ${words.error(view.level.counts)}`)));
    byId("views").replaceChildren(element("label", {}, `Show one of ${views.length} `, list));
  }

  if (views.length > 1) drawViews();
  document.querySelectorAll(".scroller").forEach(showScrolling);
  const versions = [...new Set(data.stores.flatMap(store => store.runs.map(run => run.version)))];
  byId("made").textContent = `Made by plumb report from ${data.stores.map(store => store.name).join(", ")}; solved by Plumb ${versions.join(", ")}.`;
  drawComparison();
  choose(0);
})();

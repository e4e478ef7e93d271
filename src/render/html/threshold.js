// The threshold chosen by looking: what each one would give on the data of the report.

const chart = { width: 560, height: 200, left: 56, bottom: 30, top: 12, right: 12 };

// The strictest point whose threshold is at least the given one still holds: points go from strict
// to mild, and one is met by rows whose probability is at least its threshold.
function pointAt(threshold) {
  const points = data.thresholds.points;
  let best = points[0];
  for (const point of points) {
    if (point[0] !== null && point[0] < threshold) break;
    best = point;
  }
  return best;
}

function costOf([, hits, alarms], costs) {
  return (data.thresholds.positive - hits) * costs.missed + alarms * costs.alarm;
}

function leastCost(costs) {
  return data.thresholds.points.reduce((a, b) => (costOf(b, costs) < costOf(a, costs) ? b : a));
}

// A threshold of null is one above every probability.
function thresholdText(point) {
  return point[0] === null ? "above 1" : shortNumber(point[0], 3);
}

function costChart(costs, threshold) {
  const points = data.thresholds.points;
  const most = points.reduce((a, b) => Math.max(a, costOf(b, costs)), 0) || 1;
  const x = (value) => chart.left + (chart.width - chart.left - chart.right) * Math.min(1, value ?? 1);
  const y = (cost) => chart.top + (chart.height - chart.top - chart.bottom) * (1 - cost / most);
  // A cost holds from the next milder threshold up to its own.
  const steps = [];
  let from = 0;
  for (const point of [...points].reverse()) {
    const cost = y(costOf(point, costs));
    const to = Math.min(1, point[0] ?? 1);
    steps.push(`${x(from)},${cost}`, `${x(to)},${cost}`);
    from = to;
  }
  return draw("svg", { viewBox: `0 0 ${chart.width} ${chart.height}`, class: "plain", role: "img", "aria-label": "Cost against the threshold" },
    draw("line", { class: "rule", x1: chart.left, x2: chart.width - chart.right, y1: y(0), y2: y(0) }),
    draw("polyline", { class: "line", points: steps.join(" ") }),
    draw("line", { class: "here", x1: x(threshold), x2: x(threshold), y1: chart.top, y2: y(0) }),
    draw("text", { x: chart.left - 6, y: chart.top + 10, "text-anchor": "end" }, shortNumber(most, 3)),
    draw("text", { x: chart.left - 6, y: y(0), "text-anchor": "end" }, "0"),
    draw("text", { x: chart.left, y: chart.height - 10 }, "0"),
    draw("text", { x: chart.width - chart.right, y: chart.height - 10, "text-anchor": "end" }, "1"),
    draw("text", { x: (chart.left + chart.width) / 2, y: chart.height - 8, "text-anchor": "middle" }, "threshold"));
}

function thresholdTable(point) {
  const { positive, negative } = data.thresholds;
  const [, hits, alarms] = point;
  const yes = data.classes[data.positive];
  const no = data.classes[1 - data.positive];
  const row = (name, ...values) => make("tr", {}, make("th", { scope: "row" }, name), ...values.map((value) => make("td", { class: "number" }, shortNumber(value, 6))));
  return make("table", { class: "confusion" },
    make("caption", {}, "Confusion matrix at this threshold"),
    make("thead", {}, make("tr", {}, ...["actual \\ predicted", yes, no].map((text, i) => make("th", { scope: "col", class: i > 0 ? "number" : null }, text)))),
    make("tbody", {}, row(yes, hits, positive - hits), row(no, alarms, negative - alarms)));
}

function startThreshold() {
  if (!data.thresholds) return;
  const yes = data.classes[data.positive];
  const costs = { missed: data.thresholds.missed, alarm: data.thresholds.alarm };
  const result = make("div", { "aria-live": "polite", id: "threshold-result" });
  const decided = data.thresholds.decided;
  const slider = make("input", { type: "range", min: 0, max: 1, step: 0.005, value: decided });
  const shown = make("output", {});
  const state = { threshold: decided }; // exact, where the slider has steps
  const update = () => {
    const { threshold } = state;
    const text = threshold > 1 ? "above 1" : shortNumber(threshold, 4);
    shown.textContent = threshold === decided ? `${text}, as the model decides` : text;
    const point = pointAt(threshold);
    const { positive, negative } = data.thresholds;
    const all = positive + negative;
    const [, hits, alarms] = point;
    const facts = make("dl", { class: "tiles" });
    const add = (name, value) => facts.append(make("div", {}, make("dt", {}, name), make("dd", {}, make("b", {}, value))));
    add("Cost", shortNumber(costOf(point, costs), 6));
    add("Error", percent((positive - hits + alarms) / all));
    add("Recall", positive > 0 ? percent(hits / positive) : "–");
    add("False positive rate", negative > 0 ? percent(alarms / negative) : "–");
    add("Precision", hits + alarms > 0 ? percent(hits / (hits + alarms)) : "–");
    const best = leastCost(costs);
    result.replaceChildren(facts, make("div", { class: "pair" }, costChart(costs, threshold), thresholdTable(point)),
      make("p", { class: "note" }, `Least cost, ${shortNumber(costOf(best, costs), 6)}, at threshold ${thresholdText(best)}. The rows of this report choose it: measure it on others.`));
  };
  const costBox = (key) => {
    const box = make("input", { type: "number", min: 0, step: "any", value: costs[key] });
    box.addEventListener("input", () => {
      costs[key] = Math.max(0, Number(box.value)) || 0;
      update();
    });
    return box;
  };
  const moveTo = (threshold) => {
    state.threshold = threshold;
    slider.value = threshold;
    update();
  };
  slider.addEventListener("input", () => moveTo(Number(slider.value)));
  show("threshold-tools",
    make("p", {}, `${yes} is predicted where its probability is at least the threshold.`),
    make("div", { class: "tools" },
      make("div", { class: "field grow" }, labelled("Threshold", slider, "field grow"), shown),
      labelled(`Cost of a missed ${cut(yes, 24)}`, costBox("missed")),
      labelled(`Cost of a false ${cut(yes, 24)}`, costBox("alarm")),
      button("Least cost", () => moveTo(leastCost(costs)[0] ?? 1.01)),
      button("As the model decides", () => moveTo(decided))),
    result);
  moveTo(decided);
}

// The form that asks the tree. The answer has the same bits as the model's.

const mostEnumerated = 10; // inputs: 2^10 answers per reason

const askForm = { fields: [], cells: () => askForm.fields.map((field) => field.cell()) };

function numberField(input) {
  const step = (input.high - input.low) / 200;
  // Enough to tell two steps apart, however small or far from zero they are.
  const largest = Math.max(Math.abs(input.low), Math.abs(input.high));
  const digits = Math.min(17, Math.max(3, 2 + Math.ceil(Math.log10(largest / step))));
  const box = make("input", { type: "number", step: "any", placeholder: "missing" });
  const slider = make("input", {
    type: "range", min: input.low, max: input.high, step, "aria-label": `${input.name}, slider`,
  });
  box.addEventListener("input", () => {
    if (box.value !== "") slider.value = box.value;
    changedForm();
  });
  slider.addEventListener("input", () => {
    const value = Number(Number(slider.value).toPrecision(digits));
    box.value = String(Math.min(input.high, Math.max(input.low, value)));
    changedForm();
  });
  return {
    element: make("div", { class: "field" }, labelled(input.name, box, ""), slider),
    cell: () => (box.value === "" ? NaN : Number(box.value)),
    set(cell) {
      box.value = Number.isNaN(cell) ? "" : String(cell);
      if (!Number.isNaN(cell)) slider.value = String(cell);
    },
  };
}

function levelField(input) {
  const list = make("select", { onchange: changedForm });
  for (const [code, level] of input.levels.entries()) list.append(make("option", { value: code }, level));
  list.append(make("option", { value: "" }, "(missing or another one)"));
  return {
    element: make("div", { class: "field" }, labelled(input.name, list, "")),
    cell: () => (list.value === "" ? NaN : Number(list.value)),
    set(cell) {
      list.value = Number.isNaN(cell) ? "" : String(cell);
    },
  };
}

function setForm(cells) {
  for (const [i, field] of askForm.fields.entries()) field.set(cells[i]);
  changedForm();
}

// What reasons are about: of two classes the positive one, else the one that is answered.
function explained(answer) {
  if (!isClassifier) return { place: 0, name: data.target };
  const place = data.classes.length === 2 ? data.positive : answer.answered;
  return { place, name: `P(${data.classes[place]})` };
}

// Shapley values of the inputs against the typical row: the mean, over all orders in which the
// inputs change from typical to given, of what each changes the answer by. They sum to the
// difference of the two answers.
function shapleyEffects(changed, cells, typical, value) {
  const count = changed.length;
  const values = new Float64Array(2 ** count);
  for (let set = 0; set < values.length; set += 1) {
    const mixed = typical.slice();
    changed.forEach((input, bit) => {
      if ((set >> bit) & 1) mixed[input] = cells[input];
    });
    values[set] = value(mixed);
  }
  const weights = [1 / count]; // by the size of the set: s! (n - s - 1)! / n!
  for (let s = 1; s < count; s += 1) weights.push((weights[s - 1] * s) / (count - s));
  return changed.map((input, bit) => {
    let effect = 0;
    for (let set = 0; set < values.length; set += 1) {
      if ((set >> bit) & 1) continue;
      let size = 0;
      for (let rest = set; rest > 0; rest &= rest - 1) size += 1;
      effect += weights[size] * (values[set | (1 << bit)] - values[set]);
    }
    return { input, effect };
  });
}

function reasonsOf(cells, answer) {
  const { place, name } = explained(answer);
  const value = (mixed) => answerOf(mixed).values[place];
  const typical = typicalCells();
  const changed = [...cells.keys()].filter((i) => !Object.is(cells[i], typical[i]));
  const exact = changed.length <= mostEnumerated;
  const effects = exact
    ? shapleyEffects(changed, cells, typical, value)
    : changed.map((input) => {
        const without = cells.slice();
        without[input] = typical[input];
        return { input, effect: answer.values[place] - value(without) };
      });
  effects.sort((a, b) => Math.abs(b.effect) - Math.abs(a.effect));
  return { name, base: value(typical), effects, exact, typical };
}

function answerElement(answer) {
  if (!isClassifier) {
    const value = answer.values[0];
    return make(
      "p",
      { class: "answer-value", "data-answer": value },
      make("span", {}, data.target),
      make("b", { title: String(value) }, shortNumber(value, 6)),
    );
  }
  const order = [...answer.values.keys()].sort((a, b) => answer.values[b] - answer.values[a]);
  const list = make("ul", { class: "chances" });
  for (const k of order.slice(0, 8)) {
    const width = `${100 * answer.values[k]}%`;
    const bar = make("span", { class: "bar", "aria-hidden": "true" });
    bar.style.setProperty("--width", width);
    bar.style.setProperty("--colour", data.colours[k]);
    list.append(
      make("li", {}, make("span", {}, data.classes[k]), bar,
        make("span", { title: String(answer.values[k]) }, percent(answer.values[k]))),
    );
  }
  return make(
    "div",
    { "data-answer": answer.values.join(" "), "data-class": answer.answered },
    make("p", { class: "answer-value" }, make("span", {}, data.target), make("b", {}, data.classes[answer.answered])),
    list,
  );
}

function pathElement(path) {
  const ends = path.filter(([node, share]) => {
    const below = childrenOf(node);
    return below.length === 0 || !path.some(([other]) => below.includes(other)) && share > 0;
  });
  ends.sort((a, b) => b[1] - a[1]);
  if (ends.length === 1) {
    const texts = textsTo(ends[0][0]);
    const list = make("ol", { class: "path" }, ...texts.map((text) => make("li", {}, text)));
    return texts.length > 0 ? list : make("p", {}, "The tree is one leaf.");
  }
  const shown = ends.slice(0, 5).map(([node, share]) =>
    make("li", {}, make("b", {}, percent(share)), ` to node ${node}: ${textsTo(node).join(" and ")}`));
  if (ends.length > 5) shown.push(make("li", {}, `${ends.length - 5} more parts`));
  return make("ul", { class: "path" }, ...shown);
}

function reasonsElement(cells, reasons) {
  const rows = reasons.effects.filter(({ effect }) => effect !== 0).slice(0, 8).map(({ input, effect }) =>
    make("tr", {},
      make("th", { scope: "row" }, data.inputs[input].name),
      make("td", {}, cellText(data.inputs[input], cells[input])),
      make("td", {}, cellText(data.inputs[input], reasons.typical[input])),
      make("td", { class: effect > 0 ? "number effect-up" : "number effect-down" }, (effect > 0 ? "+" : "−") + shortNumber(Math.abs(effect), 3))));
  const note = reasons.exact
    ? `Shapley values against the typical row, whose ${reasons.name} is ${shortNumber(reasons.base)}: the effects sum to the difference.`
    : "Each effect is what the answer would lose if this one input were typical; they need not sum to the whole difference.";
  if (rows.length === 0) return make("p", {}, "The answer is that of the typical row.");
  const head = ["input", "value", "typical", `effect on ${reasons.name}`];
  return make("div", {},
    make("table", {}, make("thead", {}, make("tr", {}, ...head.map((text) => make("th", { scope: "col" }, text)))), make("tbody", {}, ...rows)),
    make("p", { class: "note" }, note));
}

function changedForm() {
  const cells = askForm.cells();
  const answer = answerOf(cells);
  askForm.answer.replaceChildren(
    answerElement(answer),
    make("h3", {}, "Path"),
    pathElement(model.pathArray(cells)),
    make("h3", {}, "Reasons"),
    reasonsElement(cells, reasonsOf(cells, answer)),
  );
  if (treeView.follows === "form") followCells(cells);
}

function startForm() {
  askForm.fields = data.inputs.map((input) => (input.levels ? levelField(input) : numberField(input)));
  askForm.answer = make("div", { class: "answer-panel", "aria-live": "polite", role: "group", "aria-label": "Answer" });
  const order = [...data.inputs.keys()].sort((a, b) => data.inputs[b].importance - data.inputs[a].importance);
  const rows = choice("Start from", [["", "typical values"], ...rowChoices()], (value) =>
    setForm(value === "" ? typicalCells() : cellsOfRow(data.rows[Number(value)])));
  askForm.rowList = rows.list;
  const form = make("form", { "aria-label": "Values of the inputs", onsubmit: (event) => event.preventDefault() },
    rows.field,
    ...order.map((i) => askForm.fields[i].element),
    make("p", { class: "note" }, "An empty number is a missing value."));
  show("ask-form", form, askForm.answer);
  setForm(typicalCells());
}

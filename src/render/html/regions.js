// What the tree answers over two inputs, all others as they are in the form.

const regionCells = 90;
const regionSize = 450;
const regionSlice = 25; // milliseconds of painting per frame

function colourParts(text) {
  return [1, 3, 5].map((place) => parseInt(text.slice(place, place + 2), 16));
}

function mixed(from, to, share) {
  return from.map((part, i) => part + (to[i] - part) * share);
}

// Classes by their colour, paler where the tree is less sure; numbers from low to high.
function regionColour(answer, range, colours) {
  const middle = [236, 236, 236];
  if (isClassifier) {
    const sure = answer.values[answer.answered];
    return mixed(middle, colours.classes[answer.answered], 0.25 + 0.6 * Math.max(0, sure));
  }
  const share = range.high > range.low ? (answer.values[0] - range.low) / (range.high - range.low) : 0.5;
  return share < 0.5 ? mixed(colours.low, middle, 2 * share) : mixed(middle, colours.high, 2 * share - 1);
}

// Squares of the grid, coarse ones first, so that something is seen at once.
function* regionSquares() {
  for (const size of [9, 3, 1]) {
    for (let j = 0; j < regionCells; j += size) {
      for (let i = 0; i < regionCells; i += size) yield { i, j, size };
    }
  }
}

// A picture takes thousands of answers: some in each frame, until it is there or another is wanted.
function paintRegions(canvas, across, up) {
  const context = canvas.getContext("2d");
  const [x, y] = [data.inputs[across], data.inputs[up]];
  const cells = askForm.cells();
  const colours = {
    classes: data.colours.map(colourParts), low: colourParts(data.low_colour), high: colourParts(data.high_colour),
  };
  const scale = regionSize / regionCells;
  const squares = regionSquares();
  const paintSquare = ({ i, j, size }) => {
    cells[across] = x.low + ((x.high - x.low) * (i + size / 2)) / regionCells;
    cells[up] = y.low + ((y.high - y.low) * (regionCells - j - size / 2)) / regionCells;
    const colour = regionColour(answerOf(cells), treeView.range, colours);
    context.fillStyle = `rgb(${colour.map(Math.round).join(",")})`;
    context.fillRect(i * scale, j * scale, size * scale, size * scale);
  };
  const paintSome = () => {
    const end = performance.now() + regionSlice;
    let next = squares.next();
    for (; !next.done; next = squares.next()) {
      paintSquare(next.value);
      if (performance.now() >= end) break;
    }
    paintRows(context, across, up);
    canvas.dataset.painted = String(next.done === true);
    if (!next.done) canvas.waiting = requestAnimationFrame(paintSome);
  };
  cancelAnimationFrame(canvas.waiting);
  paintSome();
}

function paintRows(context, across, up) {
  const place = (input, cell) => (regionSize * (cell - input.low)) / (input.high - input.low);
  for (const row of data.rows) {
    const [a, b] = [row.cells[across], row.cells[up]];
    if (a === null || b === null) continue;
    context.beginPath();
    context.arc(place(data.inputs[across], a), regionSize - place(data.inputs[up], b), 3.5, 0, 7);
    const known = isClassifier && row.observed !== undefined && row.observed !== null;
    context.fillStyle = known ? data.colours[row.observed] : "#1f2328";
    context.fill();
    context.strokeStyle = "#ffffff";
    context.stroke();
  }
}

function regionLegend() {
  if (!isClassifier) {
    return make("p", { class: "note" }, `From ${shortNumber(treeView.range.low)} (blue) to ${shortNumber(treeView.range.high)} (orange).`);
  }
  return make("ul", { class: "legend" }, ...data.classes.slice(0, 12).map((name, k) => {
    const mark = make("span", { class: "swatch", "aria-hidden": "true" });
    mark.style.setProperty("--colour", data.colours[k]);
    return make("li", {}, mark, name);
  }));
}

function startRegions() {
  if (document.getElementById("regions-tools") === null) return;
  const numeric = [...data.inputs.keys()].filter((i) => !data.inputs[i].levels);
  numeric.sort((a, b) => data.inputs[b].importance - data.inputs[a].importance);
  const names = numeric.map((i) => [String(i), data.inputs[i].name]);
  const canvas = make("canvas", { width: regionSize, height: regionSize, role: "img" });
  const axis = { across: make("p", { class: "axis-name" }), up: make("p", { class: "axis-name up" }) };
  const state = { across: numeric[0], up: numeric[1] };
  const rangeText = (input) => `${input.name}: ${shortNumber(input.low)} to ${shortNumber(input.high)}`;
  const describe = () => {
    canvas.setAttribute("aria-label", `Answers over ${data.inputs[state.across].name} and ${data.inputs[state.up].name}`);
    axis.across.textContent = `→ ${rangeText(data.inputs[state.across])}`;
    axis.up.textContent = `↑ ${rangeText(data.inputs[state.up])}`;
  };
  const update = () => {
    describe();
    paintRegions(canvas, state.across, state.up);
  };
  const list = (label, key) => {
    const made = choice(label, names, (value) => {
      state[key] = Number(value);
      update();
    });
    made.list.value = String(state[key]);
    return made.field;
  };
  show("regions-tools",
    make("div", { class: "tools" }, list("Across", "across"), list("Up", "up"), button("Other inputs as in the form", update)),
    axis.up, canvas, axis.across, regionLegend());
  document.getElementById("regions-picture").classList.add("paper-only");
  describe();
  // Painting takes many answers: not before somebody looks.
  const watcher = new IntersectionObserver((entries) => {
    if (!entries.some((entry) => entry.isIntersecting)) return;
    watcher.disconnect();
    update();
  });
  watcher.observe(canvas);
}

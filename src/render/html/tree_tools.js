// What stands over the tree: zoom, folding, the search, and the row that is followed.

function searchTree(text, status) {
  const wanted = text.trim().toLowerCase();
  const places = new Set(
    [...data.inputs.keys()].filter((place) => data.inputs[place].name.toLowerCase().includes(wanted)),
  );
  treeView.found = new Set();
  if (wanted !== "") {
    data.nodes.forEach((node, index) => {
      if ((node.inputs ?? []).some((place) => places.has(place))) treeView.found.add(index);
    });
  }
  status.textContent = wanted === "" ? "" : `${treeView.found.size} splits ask for it`;
  for (const [index, item] of treeView.cards) item.classList.toggle("found", treeView.found.has(index));
}

// The next node that was found, opened.
function nextFound() {
  const found = [...treeView.found].sort((a, b) => a - b);
  if (found.length === 0) return;
  const next = found.find((node) => node > treeView.current) ?? found[0];
  reveal(next);
  drawTree();
  select(next, true);
}

// Parts of less than a hundredth are left folded.
function followCells(cells) {
  treeView.shares = new Map(cells === null ? [] : model.pathArray(cells));
  for (const [node, share] of treeView.shares) {
    if (node > 0 && share >= 0.01) reveal(node);
  }
  drawTree();
  const ends = [...treeView.shares].filter(([node]) => childrenOf(node).length === 0);
  ends.sort((a, b) => b[1] - a[1]);
  if (ends.length > 0 && treeView.places.has(ends[0][0])) select(ends[0][0], false);
}

function followChoice() {
  const texts = [["", "no row"], ["form", "the row in the form below"], ...rowChoices()];
  return choice("Follow", texts, (value) => {
    treeView.follows = value;
    if (value === "") followCells(null);
    else followCells(value === "form" ? askForm.cells() : cellsOfRow(data.rows[Number(value)]));
  });
}

function openAll(open) {
  treeView.folded = open ? new Set() : new Set(data.nodes.keys());
  drawTree();
}

function startTree() {
  const values = data.nodes.map((node) => node.value);
  if (!isClassifier) {
    treeView.range = {
      low: values.reduce((a, b) => Math.min(a, b)),
      high: values.reduce((a, b) => Math.max(a, b)),
    };
  }
  treeView.svg = draw("svg", { role: "tree", "aria-label": "Tree; arrow keys move, Enter folds", class: "tree" });
  treeView.frame = make("div", { class: "tree-frame" }, treeView.svg);
  treeView.details = make("div", { class: "details", "aria-live": "polite" });
  const status = make("span", { role: "status" });
  const search = make("input", { type: "search", oninput: () => searchTree(search.value, status) });
  search.addEventListener("keydown", (event) => {
    if (event.key === "Enter") nextFound();
  });
  const follow = followChoice();
  treeView.followList = follow.list;
  show(
    "tree-tools",
    make(
      "div",
      { role: "group", "aria-label": "Zoom and fold" },
      button("−", () => zoomTo(treeView.zoom / 1.25), { "aria-label": "Zoom out" }),
      button("+", () => zoomTo(treeView.zoom * 1.25), { "aria-label": "Zoom in" }),
      button("Fit", zoomToFit),
      button("Unfold all", () => openAll(true)),
      button("Fold all", () => openAll(false)),
    ),
    labelled("Find an input", search),
    button("Next", nextFound),
    status,
    follow.field,
  );
  show("tree-view", treeView.frame, treeView.details);
  document.getElementById("tree-picture").classList.add("paper-only");
  listenToTree(treeView.svg);
  letDrag(treeView.frame);
  treeView.frame.addEventListener("scroll", drawShownSoon, { passive: true });
  new ResizeObserver(drawShownSoon).observe(treeView.frame);
  foldDeepParts();
  drawTree();
  zoomToFit();
  if (treeView.zoom < 0.6) zoomTo(0.6);
  showDetails(0);
}

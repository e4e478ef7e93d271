// The tree to look into: folded, searched, and followed by one row. Only what the frame shows is
// drawn, so that thousands of nodes are no more work than some dozens.

const card = { width: 196, height: 56, across: 64, down: 14, margin: 16 };
const mostOpen = 24; // ends that are open at first
const beyond = 200; // pixels around the frame that are drawn as well

const treeView = {
  folded: new Set(),
  zoom: 1,
  current: 0,
  shares: new Map(), // of the row that is followed, by node
  found: new Set(), // by the search
  places: new Map(),
  order: [],
  cards: new Map(), // elements by node
  edges: new Map(), // elements by the node they lead to
  waits: false, // for the next frame, to draw what was scrolled to
};

function childrenOf(node) {
  const children = data.nodes[node].children;
  if (!children) return [];
  return Array.from({ length: children[1] }, (_, i) => children[0] + i);
}

// The heaviest nodes are opened first.
function foldDeepParts() {
  treeView.folded = new Set(data.nodes.keys());
  const waiting = [0];
  let ends = 1;
  while (waiting.length > 0) {
    waiting.sort((a, b) => data.nodes[b].share - data.nodes[a].share);
    const node = waiting.shift();
    const children = childrenOf(node);
    if (children.length === 0) continue;
    if (ends + children.length - 1 > mostOpen) break;
    treeView.folded.delete(node);
    ends += children.length - 1;
    waiting.push(...children);
  }
}

function isFolded(node) {
  return treeView.folded.has(node) && childrenOf(node).length > 0;
}

// Ends stand below each other; a parent is beside the middle of its children.
function layOut() {
  treeView.places.clear();
  treeView.order = [];
  const step = card.height + card.down;
  let ends = 0;
  let deepest = 0;
  const stack = [{ node: 0, depth: 0, left: false }];
  while (stack.length > 0) {
    const { node, depth, left } = stack.pop();
    const children = isFolded(node) ? [] : childrenOf(node);
    const x = card.margin + depth * (card.width + card.across);
    if (left) {
      const first = treeView.places.get(children[0]).y;
      const last = treeView.places.get(children[children.length - 1]).y;
      treeView.places.set(node, { x, y: (first + last) / 2, depth });
      continue;
    }
    treeView.order.push(node);
    deepest = Math.max(deepest, depth);
    if (children.length === 0) {
      treeView.places.set(node, { x, y: card.margin + ends * step, depth });
      ends += 1;
      continue;
    }
    stack.push({ node, depth, left: true });
    for (const child of children.reverse()) stack.push({ node: child, depth: depth + 1, left: false });
  }
  treeView.width = 2 * card.margin + deepest * (card.width + card.across) + card.width + 24;
  treeView.height = 2 * card.margin + Math.max(1, ends) * step - card.down;
}

function answerText(node) {
  if (isClassifier) return `${data.classes[node.class]} ${percent(node.certainty)}`;
  return `${shortNumber(node.value)} ± ${shortNumber(node.sd, 3)}`;
}

function questionText(node) {
  return node.inputs.map((place) => data.inputs[place].name).join(", ");
}

function leavesBelow(node) {
  let leaves = 0;
  const stack = [node];
  while (stack.length > 0) {
    const children = childrenOf(stack.pop());
    if (children.length === 0) leaves += 1;
    stack.push(...children);
  }
  return leaves;
}

function barOf(node) {
  const bar = draw("g", { transform: `translate(10,${card.height - 11})` });
  const room = card.width - 20;
  if (isClassifier) {
    let x = 0;
    node.shares.forEach((share, k) => {
      if (share * room < 0.25) return;
      bar.append(draw("rect", { x, width: share * room, height: 5, fill: data.colours[k] }));
      x += share * room;
    });
  } else {
    const { low, high } = treeView.range;
    const share = high > low ? (node.value - low) / (high - low) : 0.5;
    bar.append(draw("rect", { width: room, height: 5, class: "track" }));
    bar.append(draw("circle", { cx: share * room, cy: 2.5, r: 4.5, class: "value" }));
  }
  return bar;
}

// What a card shows, in this order.
function cardTexts(index) {
  const node = data.nodes[index];
  const inner = childrenOf(index).length > 0;
  const share = treeView.shares.get(index) ?? 0;
  return {
    condition: index === 0 ? "all rows" : node.text,
    second: inner ? `asks ${questionText(node)}` : answerText(node),
    part: share > 0 && share < 1 ? percent(share) : "",
    hidden: isFolded(index) ? `${leavesBelow(index)} leaves` : "",
  };
}

// A name begins with what is shown, for those who speak to the page; what was cut comes after it.
function cardLabel(index, texts) {
  const shown = [cut(texts.condition, 26), cut(texts.second, 22), texts.part, texts.hidden];
  const cutOff = [texts.condition, texts.second].filter((text) => !shown.includes(text));
  return [shown.filter((text) => text !== "").join(" "), ...cutOff, data.nodes[index].rows, `node ${index}`].join("; ");
}

function handleOf(index, texts) {
  const folded = isFolded(index);
  return draw(
    "g",
    { class: "handle", transform: `translate(${card.width},${card.height / 2})` },
    draw("circle", { r: 9 }),
    draw("path", { d: folded ? "M-4,0 H4 M0,-4 V4" : "M-4,0 H4" }),
    draw("text", { x: 14, y: 4 }, texts.hidden),
  );
}

// Its brothers need not be drawn, so that a card says which of them it is.
function placeAmongSiblings(index) {
  if (index === 0) return { position: 1, size: 1 };
  const [first, count] = data.nodes[data.nodes[index].parent].children;
  return { position: index - first + 1, size: count };
}

function cardOf(index) {
  const node = data.nodes[index];
  const { x, y, depth } = treeView.places.get(index);
  const inner = childrenOf(index).length > 0;
  const texts = cardTexts(index);
  const { position, size } = placeAmongSiblings(index);
  const classes = ["node"];
  if (!inner) classes.push("leaf");
  if ((treeView.shares.get(index) ?? 0) > 0) classes.push("followed");
  if (treeView.found.has(index)) classes.push("found");
  return draw(
    "g",
    {
      class: classes.join(" "),
      transform: `translate(${x},${y})`,
      role: "treeitem",
      "aria-level": depth + 1,
      "aria-posinset": position,
      "aria-setsize": size,
      "aria-label": cardLabel(index, texts),
      "aria-expanded": inner ? !isFolded(index) : null,
      "aria-selected": index === treeView.current,
      tabindex: index === treeView.current ? 0 : -1,
      "data-node": index,
    },
    draw("rect", { class: "card", width: card.width, height: card.height, rx: 6 }),
    draw("text", { x: 10, y: 18, class: "condition" }, cut(texts.condition, 26)),
    " ", // words of two texts are two words
    draw("text", { x: 10, y: 36, class: inner ? "asks" : "answer" }, cut(texts.second, 22)),
    " ",
    draw("text", { x: card.width - 10, y: 36, class: "rows" }, texts.part),
    " ",
    barOf(node),
    inner ? handleOf(index, texts) : null,
  );
}

function edgeTo(index) {
  const from = treeView.places.get(data.nodes[index].parent);
  const to = treeView.places.get(index);
  const [x1, y1, x2, y2] = [from.x + card.width, from.y + card.height / 2, to.x, to.y + card.height / 2];
  const half = (x1 + x2) / 2;
  return draw("path", {
    class: (treeView.shares.get(index) ?? 0) > 0 ? "branch followed" : "branch",
    "stroke-width": 1 + 9 * Math.sqrt(data.nodes[index].share),
    d: `M${x1},${y1} C${half},${y1} ${half},${y2} ${x2},${y2}`,
  });
}

function drawTree() {
  layOut();
  if (!treeView.places.has(treeView.current)) treeView.current = 0;
  treeView.cards.clear();
  treeView.edges.clear();
  treeView.edgeGroup = draw("g", { "aria-hidden": true });
  treeView.nodeGroup = draw("g", { role: "none" });
  treeView.svg.replaceChildren(treeView.edgeGroup, treeView.nodeGroup);
  zoomTo(treeView.zoom);
}

// What the frame shows of the drawing, in its own pixels, and a margin around it.
function shownPart() {
  const { frame, zoom } = treeView;
  const [left, top] = [frame.scrollLeft / zoom, frame.scrollTop / zoom];
  return {
    left: left - beyond, right: left + frame.clientWidth / zoom + beyond,
    top: top - beyond, bottom: top + frame.clientHeight / zoom + beyond,
  };
}

function isWithin(part, left, top, right, bottom) {
  return right >= part.left && left <= part.right && bottom >= part.top && top <= part.bottom;
}

// The card that has the focus stays, wherever it is.
function isCardShown(part, index) {
  const { x, y } = treeView.places.get(index);
  return index === treeView.current || isWithin(part, x, y, x + card.width, y + card.height);
}

function isEdgeShown(part, index) {
  if (index === 0) return false;
  const from = treeView.places.get(data.nodes[index].parent);
  const to = treeView.places.get(index);
  return isWithin(part, from.x, Math.min(from.y, to.y), to.x + card.width, Math.max(from.y, to.y) + card.height);
}

// Elements of what is shown, without those of what is not; cards stay in the order of the tree.
function keepShown(elements, group, shown, element) {
  for (const [index, old] of elements) {
    if (shown.has(index)) continue;
    old.remove();
    elements.delete(index);
  }
  let before = null;
  for (const index of [...shown].reverse()) {
    let one = elements.get(index);
    if (one === undefined) {
      one = element(index);
      elements.set(index, one);
      group.insertBefore(one, before);
    }
    before = one;
  }
}

function drawShown() {
  treeView.waits = false;
  const part = shownPart();
  const cards = new Set();
  const edges = new Set();
  for (const index of treeView.order) {
    if (isCardShown(part, index)) cards.add(index);
    if (isEdgeShown(part, index)) edges.add(index);
  }
  keepShown(treeView.edges, treeView.edgeGroup, edges, edgeTo);
  keepShown(treeView.cards, treeView.nodeGroup, cards, cardOf);
}

function drawShownSoon() {
  if (treeView.waits) return;
  treeView.waits = true;
  requestAnimationFrame(drawShown);
}

function zoomTo(zoom) {
  treeView.zoom = Math.min(3, Math.max(0.1, zoom));
  treeView.svg.setAttribute("viewBox", `0 0 ${treeView.width} ${treeView.height}`);
  treeView.svg.setAttribute("width", treeView.width * treeView.zoom);
  treeView.svg.setAttribute("height", treeView.height * treeView.zoom);
  drawShown();
}

function zoomToFit() {
  const room = treeView.frame.clientWidth / treeView.width;
  zoomTo(Math.min(1, room, window.innerHeight * 0.7 / treeView.height));
}

// The frame shows the whole card.
function bringIntoFrame(node) {
  const { frame, zoom } = treeView;
  const { x, y } = treeView.places.get(node);
  const edge = 12;
  const moved = (at, size, from, room) => {
    if (from < at) return Math.max(0, from - edge);
    return from + size > at + room ? from + size + edge - room : at;
  };
  frame.scrollLeft = moved(frame.scrollLeft, (card.width + 60) * zoom, x * zoom, frame.clientWidth);
  frame.scrollTop = moved(frame.scrollTop, card.height * zoom, y * zoom, frame.clientHeight);
}

function select(node, focus) {
  const before = treeView.cards.get(treeView.current);
  before?.setAttribute("tabindex", "-1");
  before?.setAttribute("aria-selected", "false");
  treeView.current = node;
  bringIntoFrame(node);
  drawShown();
  const item = treeView.cards.get(node);
  item.setAttribute("tabindex", "0");
  item.setAttribute("aria-selected", "true");
  showDetails(node);
  if (!focus) return;
  item.focus({ preventScroll: true });
  item.scrollIntoView({ block: "nearest", inline: "nearest" });
}

function toggle(node, focus = true) {
  if (childrenOf(node).length === 0) return;
  if (!treeView.folded.delete(node)) treeView.folded.add(node);
  treeView.current = node;
  drawTree();
  select(node, focus);
}

function reveal(node) {
  for (let at = data.nodes[node].parent; ; at = data.nodes[at].parent) {
    treeView.folded.delete(at);
    if (at === 0) break;
  }
}

function showDetails(index) {
  const node = data.nodes[index];
  const facts = make("dl", {});
  const add = (name, ...values) => facts.append(make("div", {}, make("dt", {}, name), ...values.map((v) => make("dd", {}, v))));
  add("Condition", ...(index === 0 ? ["all rows"] : textsTo(index)));
  add("Training rows", `${node.rows} (${percent(node.share)})`);
  if (isClassifier) {
    add("Answer", `${data.classes[node.class]} (${percent(node.certainty)})`);
    const shares = node.shares.map((share, k) => [share, k]).filter(([share]) => share > 0);
    shares.sort((a, b) => b[0] - a[0]);
    add("Classes", ...shares.slice(0, 8).map(([share, k]) => `${data.classes[k]} ${percent(share)}`));
  } else {
    add("Answer", `${shortNumber(node.value)} ± ${shortNumber(node.sd)}`);
  }
  if (node.formula) add("Formula", ...node.formula);
  const share = treeView.shares.get(index);
  if (share !== undefined) add("Followed row", `${percent(share)} of it comes here`);
  treeView.details.replaceChildren(make("h3", {}, `Node ${index}`), facts);
}

const treeKeys = {
  ArrowRight(node, children) {
    if (isFolded(node)) toggle(node);
    else if (children.length > 0) select(children[0], true);
  },
  ArrowLeft(node, children) {
    if (children.length > 0 && !isFolded(node)) toggle(node);
    else select(data.nodes[node].parent, true);
  },
  ArrowDown: (node) => moveBy(node, 1),
  ArrowUp: (node) => moveBy(node, -1),
  Home: () => select(0, true),
  End: () => select(treeView.order[treeView.order.length - 1], true),
  Enter: (node) => toggle(node),
  " ": (node) => toggle(node),
};

function moveBy(node, step) {
  const next = treeView.order[treeView.order.indexOf(node) + step];
  if (next !== undefined) select(next, true);
}

function nodeOf(event) {
  const item = event.target.closest("[data-node]");
  return item === null ? null : Number(item.dataset.node);
}

// The mouse drags what fingers scroll.
function letDrag(frame) {
  let from = null;
  frame.addEventListener("pointerdown", (event) => {
    if (event.pointerType !== "mouse" || event.button !== 0) return;
    from = { x: event.clientX + frame.scrollLeft, y: event.clientY + frame.scrollTop };
  });
  window.addEventListener("pointermove", (event) => {
    if (from === null) return;
    frame.scrollLeft = from.x - event.clientX;
    frame.scrollTop = from.y - event.clientY;
  });
  window.addEventListener("pointerup", () => {
    from = null;
  });
  frame.addEventListener("wheel", (event) => {
    if (!event.ctrlKey) return;
    event.preventDefault();
    zoomTo(treeView.zoom * (event.deltaY < 0 ? 1.15 : 1 / 1.15));
  }, { passive: false });
}

function listenToTree(svg) {
  svg.addEventListener("click", (event) => {
    const node = nodeOf(event);
    if (node === null) return;
    if (event.target.closest(".handle")) toggle(node);
    else select(node, true);
  });
  svg.addEventListener("dblclick", (event) => {
    const node = nodeOf(event);
    if (node !== null && !event.target.closest(".handle")) toggle(node);
  });
  svg.addEventListener("pointerover", (event) => {
    const node = nodeOf(event);
    if (node !== null) showDetails(node);
  });
  svg.addEventListener("focusin", (event) => {
    const node = nodeOf(event);
    if (node !== null) showDetails(node);
  });
  svg.addEventListener("keydown", (event) => {
    const node = nodeOf(event);
    const act = treeKeys[event.key];
    if (node === null || act === undefined || event.ctrlKey || event.altKey || event.metaKey) return;
    event.preventDefault();
    act(node, childrenOf(node));
  });
}

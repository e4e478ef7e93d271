// Runs in the page that pictures.py writes: looks at the boxes of all texts of every picture, as
// the browser draws them, and leaves what is wrong as JSON in #found.
"use strict";

const SLACK = 0.75; // pixels: rounding of glyphs

function overlap(a, b) {
  const width = Math.min(a.right, b.right) - Math.max(a.left, b.left);
  const height = Math.min(a.bottom, b.bottom) - Math.max(a.top, b.top);
  return width > SLACK && height > SLACK;
}

function inside(inner, outer) {
  return (
    inner.left >= outer.left - SLACK &&
    inner.right <= outer.right + SLACK &&
    inner.top >= outer.top - SLACK &&
    inner.bottom <= outer.bottom + SLACK
  );
}

// A line of text is higher than its letters: the empty parts above and below may touch.
function inked(box) {
  const spare = Math.min(box.width, box.height) * 0.18;
  const upright = box.width >= box.height;
  return {
    left: box.left + (upright ? 0 : spare),
    right: box.right - (upright ? 0 : spare),
    top: box.top + (upright ? spare : 0),
    bottom: box.bottom - (upright ? spare : 0),
  };
}

function faults(picture) {
  const svg = picture.querySelector("svg");
  const frame = svg.getBoundingClientRect();
  const texts = [...svg.querySelectorAll("text")].map((element) => ({
    words: [...element.childNodes].filter((node) => node.nodeType === 3).map((node) => node.data).join(""),
    box: inked(element.getBoundingClientRect()),
    card: element.closest("g.node")?.querySelector("rect.box").getBoundingClientRect(),
  }));
  const found = [];
  for (const text of texts) {
    if (!inside(text.box, frame)) found.push(`leaves the picture: ${text.words}`);
    if (text.card && !inside(text.box, text.card)) found.push(`leaves its card: ${text.words}`);
  }
  texts.sort((a, b) => a.box.left - b.box.left);
  for (let i = 0; i < texts.length; ++i) {
    for (let k = i + 1; k < texts.length && texts[k].box.left < texts[i].box.right; ++k) {
      if (overlap(texts[i].box, texts[k].box)) {
        found.push(`overlap: ${texts[i].words} | ${texts[k].words}`);
      }
    }
  }
  const cards = [...svg.querySelectorAll("rect.box")].map((card) => card.getBoundingClientRect());
  for (let i = 0; i < cards.length; ++i) {
    for (let k = 0; k < i; ++k) if (overlap(cards[i], cards[k])) found.push("cards overlap");
  }
  return { texts: texts.length, found };
}

const report = {};
for (const picture of document.querySelectorAll("figure")) report[picture.id] = faults(picture);
document.getElementById("found").textContent = JSON.stringify(report);

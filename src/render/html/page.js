"use strict";
// What all parts of the page use. Texts of the model and its data become text nodes, never markup.

const data = JSON.parse(document.getElementById("page-data").textContent);
const model = globalThis.softwood_model;
const isClassifier = data.classes !== undefined && data.classes.length > 0;

function fill(element, attributes, children) {
  for (const [name, value] of Object.entries(attributes ?? {})) {
    if (name.startsWith("on")) element.addEventListener(name.slice(2), value);
    else if (name.startsWith("aria-") && value !== null) element.setAttribute(name, String(value));
    else if (value === true) element.setAttribute(name, "");
    else if (value !== false && value !== null) element.setAttribute(name, String(value));
  }
  element.append(...children.filter((child) => child !== null));
  return element;
}

function make(tag, attributes, ...children) {
  return fill(document.createElement(tag), attributes, children);
}

function draw(tag, attributes, ...children) {
  return fill(document.createElementNS("http://www.w3.org/2000/svg", tag), attributes, children);
}

function show(id, ...children) {
  const place = document.getElementById(id);
  if (place === null) return null;
  place.hidden = false;
  place.replaceChildren(...children);
  return place;
}

function shortNumber(value, digits = 4) {
  if (!Number.isFinite(value)) return "–";
  return String(Number(value.toPrecision(digits)));
}

function percent(share) {
  return `${(100 * share).toFixed(1)} %`;
}

function cut(text, most) {
  const characters = Array.from(text);
  return characters.length <= most ? text : `${characters.slice(0, most - 1).join("")}…`;
}

// A label and the control that it names.
function labelled(text, control, className = "field") {
  return make("label", { class: className }, make("span", {}, text), control);
}

function button(text, action, more = {}) {
  return make("button", { type: "button", onclick: action, ...more }, text);
}

function choice(label, texts, action) {
  const list = make("select", { onchange: () => action(list.value) });
  for (const [value, text] of texts) list.append(make("option", { value }, text));
  return { list, field: labelled(label, list) };
}

// Cells are numbers in the order of data.inputs: a level by its index, NaN where it is missing.
function cellsOfRow(row) {
  return row.cells.map((cell) => (cell === null ? NaN : cell));
}

function typicalCells() {
  return data.inputs.map((input) => (input.typical === null ? NaN : input.typical));
}

function cellText(input, cell) {
  if (Number.isNaN(cell)) return "missing";
  return input.levels ? input.levels[cell] : shortNumber(cell, 6);
}

// The model's own answer: the class and its probabilities, or the number.
function answerOf(cells) {
  if (!isClassifier) return { values: [model.predictArray(cells)] };
  const answered = model.classes.indexOf(model.predictArray(cells));
  return { values: model.predictProbaArray(cells), answered };
}

// From the root's child to the node.
function textsTo(node) {
  const texts = [];
  for (let at = node; at > 0; at = data.nodes[at].parent) texts.unshift(data.nodes[at].text);
  return texts;
}

function rowChoices() {
  return data.rows.map((row, place) => [
    String(place),
    row.target === undefined ? `row ${row.number}` : `row ${row.number}: ${cut(row.target, 40)}`,
  ]);
}

#include "render/export/templates.h"

namespace softwood::render {

const std::string_view javascript_usage_template = R"js(@{heading}
@if script
// A script that defines one global object, @{name}.
//
@else
// An ECMAScript module.
//
//     import * as @{name} from "./@{file}.mjs";
@end
//     const row = @{example};
@if classes
//     @{name}.predict(row); // one of @{name}.classes
//     @{name}.predictProba(row); // probabilities, in the order of @{name}.classes
@else
//     @{name}.predict(row); // a number
@end
//
// A row is an object or Map of the names in `inputs` to cells; other names in it are ignored. Cells
// are numbers (booleans count as 0 and 1) or, for inputs with levels, texts. null and NaN are
// missing values, and so are texts that are not among the levels. A name that is not there (or is
// undefined) and a cell of another type are a TypeError.
@if classes
// predictArray(cells) and predictProbaArray(cells) take an array of numbers in the order of inputs:
@else
// predictArray(cells) takes an array of numbers in the order of inputs:
@end
// NaN is missing, a text is its index among the levels, as level(input, text) gives it.
// Answers have the same bits as those of the model that this was exported from.
)js";

const std::string_view javascript_template = R"js(
@{export}const inputs = [
@{inputs}];
@if classes
@{classes}
@end

// The tree as tables. Nodes are numbered breadth first, and the children of a node follow each
// other; a leaf has no condition (-1).
@{tables}
@if costs
// Of the answer in the column for the class in the row.
@{costs}
@end
const levelCodes = inputs.map(
  (input) => new Map((input.levels ?? []).map((text, code) => [text, code])),
);

function textOf(value) {
  return typeof value === "string" ? JSON.stringify(value) : String(value);
}

// A cell as a number: texts by their index among the levels, NaN where it is missing.
function cellOf(input, value) {
  const name = JSON.stringify(inputs[input].name);
  if (value === undefined) throw new TypeError(`the row has no ${name}`);
  if (value === null || Number.isNaN(value)) return NaN;
@if texts
@if numbers
  if (inputs[input].levels !== null) {
    if (typeof value === "string") return levelCodes[input].get(value) ?? NaN;
    throw new TypeError(`column ${name} takes texts, not ${textOf(value)}`);
  }
@else
  if (typeof value === "string") return levelCodes[input].get(value) ?? NaN;
  throw new TypeError(`column ${name} takes texts, not ${textOf(value)}`);
@end
@end
@if numbers
  if (typeof value === "number") return value;
  if (typeof value === "boolean" || typeof value === "bigint") return Number(value);
  throw new TypeError(`column ${name} takes numbers, not ${textOf(value)}`);
@end
}

function cellsOf(row) {
  if (row === null || typeof row !== "object" || Array.isArray(row)) {
    throw new TypeError("a row is an object or Map of column names");
  }
  return inputs.map((input, i) => {
    if (row instanceof Map) return cellOf(i, row.get(input.name));
    return cellOf(i, Object.hasOwn(row, input.name) ? row[input.name] : undefined);
  });
}

function arrayOf(cells) {
  if (cells === null || typeof cells !== "object" || cells.length !== inputs.length) {
    throw new TypeError(`a row has ${inputs.length} cells`);
  }
  return inputs.map((input, i) => {
    const cell = cells[i];
    if (typeof cell !== "number") {
      throw new TypeError(`cell ${i} is not a number: ${textOf(cell)}`);
    }
@if texts
    if (input.levels !== null) return levelCell(input, cell);
@end
    return cell;
  });
}

@if texts
function levelCell(input, cell) {
  return Number.isInteger(cell) && cell >= 0 && cell < input.levels.length ? cell : NaN;
}

@end
// What stands for a text in arrays: its index among the levels of an input, NaN if it has none.
@{export}function level(input, text) {
  return levelCodes[input].get(text) ?? NaN;
}

@if exp
const expSeries = [
  1 / 6227020800, 1 / 479001600, 1 / 39916800, 1 / 3628800, 1 / 362880, 1 / 40320,
  1 / 5040, 1 / 720, 1 / 120, 1 / 24, 1 / 6, 0.5,
];
// 2^n from n = -540 on.
const powersOfTwo = new Float64Array(1081);
powersOfTwo[540] = 1;
for (let n = 1; n <= 540; n += 1) {
  powersOfTwo[540 + n] = powersOfTwo[540 + n - 1] * 2;
  powersOfTwo[540 - n] = powersOfTwo[540 - n + 1] / 2;
}

// exp from plain operations, which have the same bits everywhere.
function exp(x) {
  if (Number.isNaN(x)) return x;
  const held = x < -746 ? -746 : x > 710 ? 710 : x;
  const n = held * 1.4426950408889634 + 6755399441055744 - 6755399441055744;
  const high = held - n * 0.6931471803691238;
  const low = n * 1.9082149292705877e-10;
  const r = high - low;
  const lost = high - r - low;
  let series = 0;
  for (const coefficient of expSeries) series = series * r + coefficient;
  const sum = 1 + r;
  const rest = 1 - sum + r + (lost + r * r * series);
  const half = 0.5 * n + 6755399441055744 - 6755399441055744;
  return (sum + rest) * powersOfTwo[540 + half] * powersOfTwo[540 + n - half];
}

@end
@if asinh
const logSeries = [2 / 21, 2 / 19, 2 / 17, 2 / 15, 2 / 13, 2 / 11, 2 / 9, 2 / 7, 2 / 5, 2 / 3];
const bits = new DataView(new ArrayBuffer(8));

// log(u + error) + more * log(2) for u >= 1 and a small error of it.
function log(u, error, more) {
  bits.setFloat64(0, u);
  const high = bits.getUint32(0);
  let k = (high >>> 20) - 1022;
  bits.setUint32(0, (high & 0xfffff) | 0x3fe00000);
  let fraction = bits.getFloat64(0);
  if (fraction < 0.7071067811865476) {
    fraction *= 2;
    k -= 1;
  }
  const f = fraction - 1;
  const s = f / (2 + f);
  const s2 = s * s;
  let series = 0;
  for (const coefficient of logSeries) series = series * s2 + coefficient;
  const halfSquare = 0.5 * f * f;
  const n = k + more;
  const low = n * 1.9082149292705877e-10 + error / u;
  const rest = halfSquare - (s * (halfSquare + s2 * series) + low);
  return n * 0.6931471803691238 - (rest - f);
}

function asinhOfSize(size) {
  if (!(size < Infinity)) return size;
  if (size >= 268435456) return log(size, 0, 1);
  const square = size * size;
  const y = size + square / (1 + Math.sqrt(1 + square));
  const u = 1 + y;
  return log(u, u >= 2 ? 1 - (u - y) : y - (u - 1), 0);
}

function asinh(x) {
  const value = asinhOfSize(Math.abs(x));
  return x < 0 || Object.is(x, -0) ? -value : value;
}

@end
@if softmax
function softmax(values) {
  let top = values[0];
  for (const value of values) if (top < value) top = value;
  let sum = 0;
  const powers = values.map((value) => exp(value - top));
  for (const power of powers) sum += power;
  return powers.map((power) => power / sum);
}

@end
@if terms
function termOf(term, cells) {
  const x = cells[termInput[term]];
@if squares products asinh level_terms
  const code = termCode[term];
@end
@if squares
  if (code === 1) return x * x;
@end
@if products
  if (code === 2) return x * cells[termOther[term]];
@end
@if asinh
  if (code === 3) return asinh((x - termCentre[term]) / termScale[term]);
@end
@if level_terms
  if (code === 4 && !Number.isNaN(x)) return x === termOther[term] ? 1 : 0;
@end
  return x;
}

@end
@if ramps
function ramp(under, below, above) {
  if (under > 0) return under >= below ? 1 : 0.5 + (0.5 * under) / below;
  if (under < 0) return -under >= above ? 0 : 0.5 + (0.5 * under) / above;
  return 0.5;
}

@end
// The share of a row that goes to child 0, the rest going to child 1; 1 - c where all of it goes to
// child c; NaN where the condition can't be computed.
function conditionWeight(condition, cells) {
@if codes
  const code = conditionCode[condition];
@end
@if levels
  if (code === 1) {
    const cell = cells[conditionInput[condition]];
    const child = Number.isNaN(cell) ? -1 : levelChild[conditionFirst[condition] + cell];
    return child >= 0 ? 1 - child : NaN;
  }
@end
@if sums
  if (code >= 2) {
    const first = conditionFirst[condition];
    const end = first + conditionCount[condition];
    let score = 0;
    for (let term = first; term < end; term += 1) {
      score += termCoefficient[term] * termOf(term, cells);
    }
    const cut = conditionCut[condition];
    if (Number.isNaN(score)) return NaN;
@if ramps
    if (code === 3) {
      return ramp(cut - score, conditionBelow[condition], conditionAbove[condition]);
    }
@end
@if logistic
    if (code === 4) return 1 / (1 + exp(score - cut));
@end
    return score <= cut ? 1 : 0;
  }
@end
@if thresholds
  const x = cells[conditionInput[condition]];
  if (Number.isNaN(x)) return NaN;
  return x <= conditionCut[condition] ? 1 : 0;
@else
  return NaN;
@end
}

// By the node's condition, its surrogates and typical values; NaN: by its rule.
@if impute
function nodeWeight(node, cells, filled) {
@else
function nodeWeight(node, cells) {
@end
  const condition = nodeCondition[node];
@if surrogates impute
  let weight = conditionWeight(condition, cells);
@else
  return conditionWeight(condition, cells);
@end
@if surrogates
  const last = condition + nodeSurrogates[node];
  for (let next = condition + 1; next <= last && Number.isNaN(weight); next += 1) {
    weight = conditionWeight(next, cells);
  }
@end
@if impute
  if (Number.isNaN(weight) && nodeMissing[node] === 4) {
    weight = conditionWeight(condition, filled);
  }
@end
@if surrogates impute
  return weight;
@end
}

@if formulas
// null where one is not finite.
function outputsOf(formula, filled) {
  const terms = [];
  for (let i = 0; i < formulaTerms[formula]; i += 1) {
    terms.push(termOf(formulaFirstTerm[formula] + i, filled));
  }
  const outputs = [];
  for (let i = 0; i < formulaOutputs[formula]; i += 1) {
    let place = outputFirst[formulaFirstOutput[formula] + i];
    let sum = coefficients[place];
    for (const term of terms) {
      place += 1;
      sum += coefficients[place] * term;
    }
    if (!Number.isFinite(sum)) return null;
    outputs.push(sum);
  }
  return outputs;
}

@end
@if formulas
function addAnswer(mixed, node, share, filled) {
  const formula = nodeFormula[node];
  const outputs = formula >= 0 ? outputsOf(formula, filled) : null;
  if (outputs !== null) {
@if classes
@if scores
    const values = outputs;
@else
    const values = softmax(outputs);
@end
    values.forEach((value, i) => {
      mixed[outputClass[formulaFirstOutput[formula] + i]] += share * value;
    });
@else
    mixed[0] += share * clamp(outputs[0], formulaLow[formula], formulaHigh[formula]);
@end
    return;
  }
@else
function addAnswer(mixed, node, share) {
@end
  const first = nodeAnswer[node] * @{outputs};
  for (let k = 0; k < @{outputs}; k += 1) mixed[k] += share * answers[first + k];
}

@if clamp
function clamp(value, low, high) {
  return value < low ? low : high < value ? high : value;
}

@end
@if marks
function isMark(input, cell) {
  return marks.subarray(markFirst[input], markFirst[input + 1]).some((mark) => mark === cell);
}

@end
@if paths
// Adds to `path`, where there is one, each node that the row comes to and the share of it there.
function answer(@{answered}, path) {
@else
function answer(@{answered}) {
@end
@if marks
  const cells = given.map((cell, i) => (isMark(i, cell) ? NaN : cell));
@end
@if scores
  let mixed = new Array(@{outputs}).fill(0);
@else
  const mixed = new Array(@{outputs}).fill(0);
@end
@if filled
  const filled = cells.map((cell, i) => (Number.isNaN(cell) ? typical[i] : cell));
@end
@if divides
  // Nodes in ascending order, with the share of the row that is there.
  const reached = [0];
  const parts = [1];
  const follow = (node, part) => {
    if (part > @{smallest_share}) {
      reached.push(node);
      parts.push(part);
    }
  };
  for (let at = 0; at < reached.length; at += 1) {
    const node = reached[at];
    const share = parts[at];
    const child = nodeChild[node];
    if (child < 0) {
      addAnswer(@{add_arguments});
      continue;
    }
    const weight = nodeWeight(@{weight_arguments});
    if (weight > 0 && weight < 1) {
      follow(child, share * weight);
      follow(child + 1, share * (1 - weight));
    } else if (!Number.isNaN(weight)) {
      follow(child + 1 - weight, share);
@if shares
    } else if (nodeMissing[node] === 1) {
      const first = nodeMissingChild[node];
      for (let c = 0; c < nodeChildren[node]; c += 1) follow(child + c, share * shares[first + c]);
@end
@if stay
    } else if (nodeMissing[node] === 2) {
      addAnswer(@{add_arguments});
@end
    } else {
      follow(child + nodeMissingChild[node], share);
    }
  }
@if paths
  reached.forEach((node, at) => path?.push([node, parts[at]]));
@end
@else
  const share = 1;
  let node = 0;
@if paths
  path?.push([node, share]);
@end
  while (nodeChild[node] >= 0) {
    const weight = nodeWeight(@{weight_arguments});
    if (!Number.isNaN(weight)) {
      node = nodeChild[node] + 1 - weight;
@if stay
    } else if (nodeMissing[node] === 2) {
      break;
@end
    } else {
      node = nodeChild[node] + nodeMissingChild[node];
    }
@if paths
    path?.push([node, share]);
@end
  }
  addAnswer(@{add_arguments});
@end
@if scores
  mixed = softmax(mixed);
@end
@if limits
  mixed[0] = clamp(mixed[0], @{mixing_low}, @{mixing_high});
@end
  return mixed;
}

@if classes
// The index of the class.
function decide(probabilities) {
@if threshold
  return probabilities[@{threshold_class}] >= @{threshold} ? @{threshold_class} : @{other_class};
@else
  let best = 0;
@if costs
  let least = 0;
  for (let predicted = 0; predicted < @{outputs}; predicted += 1) {
    let cost = 0;
    for (let actual = 0; actual < @{outputs}; actual += 1) {
      cost += probabilities[actual] * costs[actual * @{outputs} + predicted];
    }
    if (predicted === 0 || cost < least * @{cost_factor}) {
      best = predicted;
      least = cost;
    }
  }
@else
  for (let k = 1; k < @{outputs}; k += 1) {
    if (probabilities[k] > probabilities[best]) best = k;
  }
@end
  return best;
@end
}

// The probabilities of the classes, in the order of `classes`.
@{export}function predictProba(row) {
  return answer(cellsOf(row));
}

// The class.
@{export}function predict(row) {
  return classes[decide(answer(cellsOf(row)))];
}

@{export}function predictProbaArray(cells) {
  return answer(arrayOf(cells));
}

@{export}function predictArray(cells) {
  return classes[decide(answer(arrayOf(cells)))];
}
@else
// The number.
@{export}function predict(row) {
  return answer(cellsOf(row))[0];
}

@{export}function predictArray(cells) {
  return answer(arrayOf(cells))[0];
}
@end
@if paths

// The nodes that a row comes to, ascending, each with the share of the row that does.
@{export}function pathArray(cells) {
  const path = [];
  answer(arrayOf(cells), path);
  return path;
}
@end
)js";

}  // namespace softwood::render

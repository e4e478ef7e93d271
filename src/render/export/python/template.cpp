#include "render/export/templates.h"

namespace softwood::render {

const std::string_view python_template = R"py(@{heading}
# A module without dependencies, for Python 3.8 and later. Save it as @{name}.py:
#
#     import @{name}
#     row = @{example}
@if classes
#     @{name}.predict(row)  # one of CLASSES
#     @{name}.predict_proba(row)  # probabilities, in the order of CLASSES
@else
#     @{name}.predict(row)  # a number
@end
#     columns = {name: [row[name], row[name]] for name in @{name}.INPUTS}
#     @{name}.predict_batch(columns)  # many rows at once, by NumPy
@if classes
#     @{name}.predict_proba_batch(columns)  # a row of probabilities per row
@end
#
# A row is a mapping of the names in INPUTS to cells; other names in it are ignored. Cells are
# numbers or, for the names in LEVELS, texts. None and NaN are missing values, and so are texts that
# are not in LEVELS. A name that is not there is a KeyError, a cell of another type a TypeError.
# Batches have a sequence or array of cells per name. Answers have the same bits as those of the
# model that this was exported from.
"""Answers of a decision tree; the comment above says which."""

@if exp asinh
import math as _math
@end

_NAN = float("nan")
@if infinity
_INFINITY = float("inf")
@end

@{inputs}
@{levels}
@if classes
@{classes}
@end

# The tree as tables. Nodes are numbered breadth first, and the children of a node follow each
# other; a leaf has no condition (-1).
@{tables}
@if costs
# Of the answer in the column for the class in the row.
@{costs}
@end
@if texts
_CODES = {name: {text: code for code, text in enumerate(texts)} for name, texts in LEVELS.items()}
@end


def _cell(name, value):
    """A cell as a number: texts by their place among the levels, NaN where it is missing."""
    if value is None:
        return _NAN
@if texts
    if name in _CODES and isinstance(value, str):
        return float(_CODES[name].get(value, _NAN))
@end
    if not isinstance(value, (str, bytes, bytearray)):
        try:
            number = float(value)
@if texts
            if name not in _CODES or number != number:
                return number
@else
            return number
@end
        except (TypeError, ValueError, OverflowError):
            pass
@if texts
    kind = "texts" if name in _CODES else "numbers"
    raise TypeError(f"column {name!r} takes {kind}, not {value!r}")
@else
    raise TypeError(f"column {name!r} takes numbers, not {value!r}")
@end


def _cells(row):
    cells = []
    for name in INPUTS:
        try:
            value = row[name]
        except KeyError:
            raise KeyError(f"the row has no {name!r}") from None
        except (TypeError, IndexError):
            raise TypeError(
                f"a row is a mapping of column names, not a {type(row).__name__}"
            ) from None
        cells.append(_cell(name, value))
    return cells


@if exp
_EXP_SERIES = (
    1 / 6227020800, 1 / 479001600, 1 / 39916800, 1 / 3628800, 1 / 362880, 1 / 40320,
    1 / 5040, 1 / 720, 1 / 120, 1 / 24, 1 / 6, 0.5,
)


def _exp(x):
    """exp from plain operations, which have the same bits everywhere."""
    if x != x:
        return x
    held = min(max(x, -746.0), 710.0)
    n = (held * 1.4426950408889634 + 6755399441055744.0) - 6755399441055744.0
    high, low = held - n * 0.6931471803691238, n * 1.9082149292705877e-10
    r = high - low
    lost = (high - r) - low
    series = 0.0
    for coefficient in _EXP_SERIES:
        series = series * r + coefficient
    total = 1 + r
    rest = ((1 - total) + r) + (lost + r * r * series)
    half = (0.5 * n + 6755399441055744.0) - 6755399441055744.0
    return (total + rest) * _math.ldexp(1.0, int(half)) * _math.ldexp(1.0, int(n - half))


@end
@if asinh
_LOG_SERIES = (2 / 21, 2 / 19, 2 / 17, 2 / 15, 2 / 13, 2 / 11, 2 / 9, 2 / 7, 2 / 5, 2 / 3)


def _log(u, error, more):
    """log(u + error) + more * log(2) for u >= 1 and a small error of it."""
    fraction, k = _math.frexp(u)
    if fraction < 0.7071067811865476:
        fraction, k = 2 * fraction, k - 1
    f = fraction - 1
    s = f / (2 + f)
    s2 = s * s
    series = 0.0
    for coefficient in _LOG_SERIES:
        series = series * s2 + coefficient
    half_square = 0.5 * f * f
    n = k + more
    low = n * 1.9082149292705877e-10 + error / u
    rest = half_square - (s * (half_square + s2 * series) + low)
    return n * 0.6931471803691238 - (rest - f)


def _asinh(x):
    size = abs(x)
    if not size < _INFINITY:
        return x
    if size >= 268435456.0:
        return _math.copysign(_log(size, 0.0, 1), x)
    square = size * size
    y = size + square / (1 + _math.sqrt(1 + square))
    u = 1 + y
    return _math.copysign(_log(u, 1 - (u - y) if u >= 2 else y - (u - 1), 0), x)


@end
@if softmax
def _softmax(values):
    top = values[0]
    for value in values:
        if top < value:
            top = value
    values = [_exp(value - top) for value in values]
    total = 0.0
    for value in values:
        total += value
    return [value / total for value in values]


@end
@if terms
def _term(term, cells):
    x = cells[_TERM_INPUT[term]]
@if squares products asinh level_terms
    code = _TERM_CODE[term]
@end
@if squares
    if code == 1:
        return x * x
@end
@if products
    if code == 2:
        return x * cells[_TERM_OTHER[term]]
@end
@if asinh
    if code == 3:
        return _asinh((x - _TERM_CENTRE[term]) / _TERM_SCALE[term])
@end
@if level_terms
    if code == 4:
        return x if x != x else 1.0 if x == _TERM_OTHER[term] else 0.0
@end
    return x


@end
@if ramps
def _ramp(under, below, above):
    if under > 0:
        return 1.0 if under >= below else 0.5 + 0.5 * under / below
    if under < 0:
        return 0.0 if -under >= above else 0.5 + 0.5 * under / above
    return 0.5


@end
def _weight(condition, cells):
    """The share of a row that goes to child 0, the rest going to child 1; 1 - c where all of it
    goes to child c; NaN where the condition can't be computed."""
@if codes
    code = _CONDITION_CODE[condition]
@end
@if levels
    if code == 1:
        x = cells[_CONDITION_INPUT[condition]]
        child = -1 if x != x else _LEVEL_CHILD[_CONDITION_FIRST[condition] + int(x)]
        return 1.0 - child if child >= 0 else _NAN
@end
@if sums
    if code >= 2:
        first = _CONDITION_FIRST[condition]
        score = 0.0
        for term in range(first, first + _CONDITION_COUNT[condition]):
            score += _TERM_COEFFICIENT[term] * _term(term, cells)
        cut = _CONDITION_CUT[condition]
        if score != score:
            return score
@if ramps
        if code == 3:
            return _ramp(cut - score, _CONDITION_BELOW[condition], _CONDITION_ABOVE[condition])
@end
@if logistic
        if code == 4:
            return 1 / (1 + _exp(score - cut))
@end
        return 1.0 if score <= cut else 0.0
@end
@if thresholds
    x = cells[_CONDITION_INPUT[condition]]
    return x if x != x else 1.0 if x <= _CONDITION_CUT[condition] else 0.0
@else
    return _NAN
@end


def _node_weight(node, cells, filled):
    """By the node's condition, its surrogates and typical values; NaN: by its rule."""
    condition = _NODE_CONDITION[node]
    weight = _weight(condition, cells)
@if surrogates
    last = condition + _NODE_SURROGATES[node]
    surrogate = condition
    while weight != weight and surrogate < last:
        surrogate += 1
        weight = _weight(surrogate, cells)
@end
@if impute
    if weight != weight and _NODE_MISSING[node] == 4:
        weight = _weight(condition, filled)
@end
    return weight


def _add_answer(mixed, node, share, filled):
@if formulas
    formula = _NODE_FORMULA[node]
    outputs = _outputs(formula, filled) if formula >= 0 else None
    if outputs is not None:
@if classes
@if scores
@else
        outputs = _softmax(outputs)
@end
        first = _FORMULA_FIRST_OUTPUT[formula]
        for place, value in enumerate(outputs):
            mixed[_OUTPUT_CLASS[first + place]] += share * value
@else
        low, high = _FORMULA_LOW[formula], _FORMULA_HIGH[formula]
        value = outputs[0]
        mixed[0] += share * (low if value < low else high if high < value else value)
@end
        return
@end
    first = _NODE_ANSWER[node] * @{outputs}
    for k in range(@{outputs}):
        mixed[k] += share * _ANSWERS[first + k]


@if formulas
def _outputs(formula, filled):
    """None where one is not finite."""
    first = _FORMULA_FIRST_TERM[formula]
    terms = [_term(term, filled) for term in range(first, first + _FORMULA_TERMS[formula])]
    outputs = []
    first = _FORMULA_FIRST_OUTPUT[formula]
    for output in range(first, first + _FORMULA_OUTPUTS[formula]):
        place = _OUTPUT_FIRST[output]
        total = _COEFFICIENTS[place]
        for term in terms:
            place += 1
            total += _COEFFICIENTS[place] * term
        if not -_INFINITY < total < _INFINITY:
            return None
        outputs.append(total)
    return outputs


@end
@if marks
def _is_mark(place, cell):
    """Whether a cell of the input in this place counts as missing."""
    return cell in _MARKS[_MARK_FIRST[place]:_MARK_FIRST[place + 1]]


@end
def _answer(cells):
@if marks
    cells = [_NAN if _is_mark(place, cell) else cell for place, cell in enumerate(cells)]
@end
    mixed = [0.0] * @{outputs}
@if filled
    filled = [typical if cell != cell else cell for cell, typical in zip(cells, _TYPICAL)]
@else
    filled = cells
@end
@if divides
    reached = [(0, 1.0)]  # nodes in ascending order, with the share of the row that is there
    for node, share in reached:
        child = _NODE_CHILD[node]
        if child < 0:
            _add_answer(mixed, node, share, filled)
            continue
        weight = _node_weight(node, cells, filled)
        if 0 < weight < 1:
            for part in (share * weight, share * (1 - weight)):
                if part > @{smallest_share}:
                    reached.append((child, part))
                child += 1
        elif weight == weight:
            reached.append((child + 1 - int(weight), share))
@if shares
        elif _NODE_MISSING[node] == 1:
            first = _NODE_MISSING_CHILD[node]
            for place in range(first, first + _NODE_CHILDREN[node]):
                if share * _SHARES[place] > @{smallest_share}:
                    reached.append((child, share * _SHARES[place]))
                child += 1
@end
@if stay
        elif _NODE_MISSING[node] == 2:
            _add_answer(mixed, node, share, filled)
@end
        else:
            reached.append((child + _NODE_MISSING_CHILD[node], share))
@else
    node = 0
    while _NODE_CHILD[node] >= 0:
        weight = _node_weight(node, cells, filled)
        if weight == weight:
            node = _NODE_CHILD[node] + 1 - int(weight)
@if stay
        elif _NODE_MISSING[node] == 2:
            break
@end
        else:
            node = _NODE_CHILD[node] + _NODE_MISSING_CHILD[node]
    _add_answer(mixed, node, 1.0, filled)
@end
@if scores
    mixed = _softmax(mixed)
@end
@if limits
    mixed[0] = (
        @{mixing_low} if mixed[0] < @{mixing_low}
        else @{mixing_high} if @{mixing_high} < mixed[0]
        else mixed[0]
    )
@end
    return mixed


@if classes
def _decide(probabilities):
    """The number of the class."""
@if threshold
    return @{threshold_class} if probabilities[@{threshold_class}] >= @{threshold} else @{other_class}
@else
@if costs
    best, least = 0, 0.0
    for answer in range(@{outputs}):
        cost = 0.0
        for actual in range(@{outputs}):
            cost += probabilities[actual] * _COSTS[actual * @{outputs} + answer]
        if answer == 0 or cost < least * @{cost_factor}:
            best, least = answer, cost
    return best
@else
    best = 0
    for k in range(1, @{outputs}):
        if probabilities[k] > probabilities[best]:
            best = k
    return best
@end
@end


def predict_proba(row):
    """The probabilities of the classes, in the order of CLASSES."""
    return _answer(_cells(row))


def predict(row):
    """The class."""
    return CLASSES[_decide(predict_proba(row))]
@else
def predict(row):
    """The number."""
    return _answer(_cells(row))[0]
@end
)py";

}  // namespace softwood::render

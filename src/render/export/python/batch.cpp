#include "render/export/templates.h"

namespace softwood::render {

// The functions of the module again, each over the cells of many rows: same operations, same order.
const std::string_view python_batch_template = R"py(

# The same over arrays. `np` is NumPy, which is imported when it is needed; cells[i] are those of
# input i in all rows.


def _column(np, name, values):
    cells = np.asarray(values)
    if cells.ndim != 1:
        raise TypeError(f"column {name!r} is not a sequence of cells")
    if cells.dtype.kind in "mM":
        raise TypeError(f"column {name!r} has dates or times, which the tree does not take")
    if cells.dtype.kind in "biuf" and name not in LEVELS:
        return cells.astype(np.float64)
    if not isinstance(values, (list, tuple)):
        values = cells.tolist()  # not of lists, because asarray makes one type of all cells
    types = set(map(type, values))
@if numbers
    if types <= {int, float, bool, type(None)} and name not in LEVELS:
        try:
            return np.array(values, dtype=np.float64)
        except OverflowError:
            pass  # _cell says which
@end
@if texts
    if types <= {str, type(None)} and name in LEVELS:
        codes = _CODES[name]
        return np.array([codes.get(value, _NAN) for value in values], dtype=np.float64)
@end
    return np.array([_cell(name, value) for value in values], dtype=np.float64)


def _columns(np, columns):
    cells = []
    for name in INPUTS:
        try:
            values = columns[name]
        except KeyError:
            raise KeyError(f"there is no column {name!r}") from None
        cells.append(_column(np, name, values))
        if len(cells[-1]) != len(cells[0]):
            raise ValueError(
                f"column {name!r} has {len(cells[-1])} rows, {INPUTS[0]!r} has {len(cells[0])}"
            )
    return cells


@if exp
def _power_of_two_batch(np, n_and_magic):
    """2^n for the whole number n in the low bits of n + 1.5 * 2^52."""
    bits = n_and_magic.view(np.uint64)
    return ((bits + np.uint64(1023)) << np.uint64(52)).view(np.float64)


def _exp_batch(np, x):
    held = np.where(x < -746.0, -746.0, np.where(x > 710.0, 710.0, x))
    n_and_magic = held * 1.4426950408889634 + 6755399441055744.0
    n = n_and_magic - 6755399441055744.0
    high, low = held - n * 0.6931471803691238, n * 1.9082149292705877e-10
    r = high - low
    lost = (high - r) - low
    series = 0.0
    for coefficient in _EXP_SERIES:
        series = series * r + coefficient
    total = 1 + r
    rest = ((1 - total) + r) + (lost + r * r * series)
    half_and_magic = 0.5 * n + 6755399441055744.0
    other_and_magic = (n - (half_and_magic - 6755399441055744.0)) + 6755399441055744.0
    powers = [_power_of_two_batch(np, power) for power in (half_and_magic, other_and_magic)]
    return (total + rest) * powers[0] * powers[1]


@end
@if asinh
def _log_batch(np, u, error, more):
    fraction, k = np.frexp(u)
    small = fraction < 0.7071067811865476
    f = np.where(small, 2 * fraction, fraction) - 1
    n = np.where(small, k - 1, k) + more
    s = f / (2 + f)
    s2 = s * s
    series = 0.0
    for coefficient in _LOG_SERIES:
        series = series * s2 + coefficient
    half_square = 0.5 * f * f
    low = n * 1.9082149292705877e-10 + error / u
    rest = half_square - (s * (half_square + s2 * series) + low)
    return n * 0.6931471803691238 - (rest - f)


def _asinh_batch(np, x):
    size = np.abs(x)
    large = size >= 268435456.0
    held = np.where(large, 1.0, size)
    square = held * held
    y = held + square / (1 + np.sqrt(1 + square))
    u = 1 + y
    error = np.where(large, 0.0, np.where(u >= 2, 1 - (u - y), y - (u - 1)))
    value = _log_batch(np, np.where(large, size, u), error, np.where(large, 1.0, 0.0))
    return np.where(size < _INFINITY, np.copysign(value, x), x)


@end
@if softmax
def _softmax_batch(np, values):
    """Of each row."""
    values = _exp_batch(np, values - values.max(axis=1, keepdims=True))
    total = np.zeros(len(values))
    for k in range(values.shape[1]):
        total += values[:, k]
    return values / total[:, None]


@end
@if terms
def _term_batch(np, term, cells, rows):
    x = cells[_TERM_INPUT[term]][rows]
@if squares products asinh level_terms
    code = _TERM_CODE[term]
@end
@if squares
    if code == 1:
        return x * x
@end
@if products
    if code == 2:
        return x * cells[_TERM_OTHER[term]][rows]
@end
@if asinh
    if code == 3:
        return _asinh_batch(np, (x - _TERM_CENTRE[term]) / _TERM_SCALE[term])
@end
@if level_terms
    if code == 4:
        return np.where(np.isnan(x), x, np.where(x == _TERM_OTHER[term], 1.0, 0.0))
@end
    return x


@end
@if ramps
def _ramp_batch(np, under, below, above):
    left = np.where(under >= below, 1.0, 0.5 + 0.5 * under / below)
    right = np.where(-under >= above, 0.0, 0.5 + 0.5 * under / above)
    return np.where(under > 0, left, np.where(under < 0, right, 0.5))


@end
def _weight_batch(np, condition, cells, rows):
@if codes
    code = _CONDITION_CODE[condition]
@end
@if levels
    if code == 1:
        x = cells[_CONDITION_INPUT[condition]][rows]
        known = ~np.isnan(x)
        places = _CONDITION_FIRST[condition] + x[known].astype(np.int64)
        child = _level_children(np)[places]
        weight = np.full(len(x), _NAN)
        weight[known] = np.where(child >= 0, 1.0 - child, _NAN)
        return weight
@end
@if sums
    if code >= 2:
        first = _CONDITION_FIRST[condition]
        score = np.zeros(len(rows))
        for term in range(first, first + _CONDITION_COUNT[condition]):
            score += _TERM_COEFFICIENT[term] * _term_batch(np, term, cells, rows)
        cut = _CONDITION_CUT[condition]
        weight = np.where(score <= cut, 1.0, 0.0)
@if ramps
        if code == 3:
            below, above = _CONDITION_BELOW[condition], _CONDITION_ABOVE[condition]
            weight = _ramp_batch(np, cut - score, np.float64(below), np.float64(above))
@end
@if logistic
        if code == 4:
            weight = 1 / (1 + _exp_batch(np, score - cut))
@end
        return np.where(np.isnan(score), score, weight)
@end
@if thresholds
    x = cells[_CONDITION_INPUT[condition]][rows]
    return np.where(np.isnan(x), x, np.where(x <= _CONDITION_CUT[condition], 1.0, 0.0))
@else
    return np.full(len(rows), _NAN)
@end


@if levels
_level_children_array = None


def _level_children(np):
    global _level_children_array
    if _level_children_array is None:
        _level_children_array = np.array(_LEVEL_CHILD, dtype=np.int64)
    return _level_children_array


@end
def _node_weight_batch(np, node, cells, filled, rows):
    condition = _NODE_CONDITION[node]
    weight = _weight_batch(np, condition, cells, rows)
@if surrogates
    for surrogate in range(condition + 1, condition + 1 + _NODE_SURROGATES[node]):
        unknown = np.isnan(weight)
        if not unknown.any():
            break
        weight[unknown] = _weight_batch(np, surrogate, cells, rows[unknown])
@end
@if impute
    if _NODE_MISSING[node] == 4:
        unknown = np.isnan(weight)
        weight[unknown] = _weight_batch(np, condition, filled, rows[unknown])
@end
    return weight


def _add_answer_batch(np, mixed, node, rows, share, filled):
@if formulas
    formula = _NODE_FORMULA[node]
    if formula >= 0:
        outputs = _outputs_batch(np, formula, filled, rows)
        finite = np.isfinite(outputs).all(axis=1)
        by_formula, outputs, part = rows[finite], outputs[finite], share[finite]
        rows, share = rows[~finite], share[~finite]
@if classes
@if scores
@else
        outputs = _softmax_batch(np, outputs)
@end
        first = _FORMULA_FIRST_OUTPUT[formula]
        for place in range(outputs.shape[1]):
            mixed[by_formula, _OUTPUT_CLASS[first + place]] += part * outputs[:, place]
@else
        low, high = _FORMULA_LOW[formula], _FORMULA_HIGH[formula]
        value = outputs[:, 0]
        value = np.where(value < low, low, np.where(high < value, high, value))
        mixed[by_formula, 0] += part * value
@end
@end
    first = _NODE_ANSWER[node] * @{outputs}
    for k in range(@{outputs}):
        mixed[rows, k] += share * _ANSWERS[first + k]


@if formulas
def _outputs_batch(np, formula, filled, rows):
    first = _FORMULA_FIRST_TERM[formula]
    terms = range(first, first + _FORMULA_TERMS[formula])
    terms = [_term_batch(np, term, filled, rows) for term in terms]
    first = _FORMULA_FIRST_OUTPUT[formula]
    count = _FORMULA_OUTPUTS[formula]
    outputs = np.empty((len(rows), count))
    for output in range(count):
        place = _OUTPUT_FIRST[first + output]
        total = np.full(len(rows), _COEFFICIENTS[place])
        for term in terms:
            place += 1
            total += _COEFFICIENTS[place] * term
        outputs[:, output] = total
    return outputs


@end
def _child_weight(np, weight, child):
    """What goes to one child, of the numbers that _weight gives."""
    if child == 0:
        return np.where(weight > 0, weight, 0.0)
    if child == 1:
        return np.where(weight >= 0, 1 - weight, 0.0)
    return np.where(weight == 1 - child, 1.0, 0.0)


def _descend_batch(np, cells, filled, count):
    mixed = np.zeros((count, @{outputs}))
    reached = [(0, np.arange(count), np.ones(count))]
    for place, (node, rows, share) in enumerate(reached):
        reached[place] = None  # it may be large
        child = _NODE_CHILD[node]
        if child < 0:
            _add_answer_batch(np, mixed, node, rows, share, filled)
            continue
        weight = _node_weight_batch(np, node, cells, filled, rows)
        unknown = np.isnan(weight)
@if shares stay
        rule = _NODE_MISSING[node]
@if shares
        divided = rule == 1
@else
        divided = False
@end
@if stay
        if rule == 2 and unknown.any():
            _add_answer_batch(np, mixed, node, rows[unknown], share[unknown], filled)
        if rule not in (1, 2):
@else
        if not divided:
@end
            weight[unknown] = 1.0 - _NODE_MISSING_CHILD[node]
@else
        weight[unknown] = 1.0 - _NODE_MISSING_CHILD[node]
@end
        for c in range(_NODE_CHILDREN[node]):
            part = share * _child_weight(np, weight, c)
@if shares
            if divided:
                part[unknown] = share[unknown] * _SHARES[_NODE_MISSING_CHILD[node] + c]
@end
            followed = part > @{smallest_share}
            if followed.any():
                reached.append((child + c, rows[followed], part[followed]))
    return mixed


def _answer_batch(np, columns):
    cells = _columns(np, columns)
@if marks
    for place, (first, end) in enumerate(zip(_MARK_FIRST, _MARK_FIRST[1:])):
        cells[place] = np.where(np.isin(cells[place], _MARKS[first:end]), _NAN, cells[place])
@end
    with np.errstate(all="ignore"):
@if filled
        filled = [np.where(np.isnan(x), typical, x) for x, typical in zip(cells, _TYPICAL)]
@else
        filled = cells
@end
        mixed = _descend_batch(np, cells, filled, len(cells[0]))
@if scores
        mixed = _softmax_batch(np, mixed)
@end
@if limits
        low, high = @{mixing_low}, @{mixing_high}
        mixed = np.where(mixed < low, low, np.where(high < mixed, high, mixed))
@end
    return mixed


@if classes
def _decide_batch(np, probabilities):
@if threshold
    return np.where(probabilities[:, @{threshold_class}] >= @{threshold}, @{threshold_class}, @{other_class})
@else
    best = np.zeros(len(probabilities), dtype=np.int64)
@if costs
    for answer in range(@{outputs}):
        cost = np.zeros(len(probabilities))
        for actual in range(@{outputs}):
            cost += probabilities[:, actual] * _COSTS[actual * @{outputs} + answer]
        if answer == 0:
            least = cost
        else:
            cheaper = cost < least * @{cost_factor}
            best[cheaper] = answer
            least = np.where(cheaper, cost, least)
@else
    most = probabilities[:, 0]
    for k in range(1, @{outputs}):
        better = probabilities[:, k] > most
        best[better] = k
        most = np.where(better, probabilities[:, k], most)
@end
    return best
@end


def predict_proba_batch(columns):
    """predict_proba of many rows: an array with a row per row and a column per class. `columns` is
    a mapping of the names in INPUTS to sequences or arrays of cells. Needs NumPy."""
    import numpy as np

    return _answer_batch(np, columns)


def predict_batch(columns):
    """predict of many rows: an array of texts. `columns` is a mapping of the names in INPUTS to
    sequences or arrays of cells. Needs NumPy."""
    import numpy as np

    return np.array(CLASSES, dtype=object)[_decide_batch(np, _answer_batch(np, columns))]
@else
def predict_batch(columns):
    """predict of many rows: an array of numbers. `columns` is a mapping of the names in INPUTS to
    sequences or arrays of cells. Needs NumPy."""
    import numpy as np

    return _answer_batch(np, columns)[:, 0]
@end
)py";

}  // namespace softwood::render

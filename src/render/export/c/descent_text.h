// The functions of trees that compute, in C and C++ alike; see code.h for the words in them. What
// stands between @ is filled in by descent.cpp, which leaves out what a tree does not need.
#pragma once

#include <string_view>

namespace softwood::render::descent_text {

inline constexpr std::string_view cell = R"(
/* The cell of an input; NaN: missing@TELLS@. */
INLINE double $cell(const @INNER@ *row, int32_t input@FILLED@)
{
  double x = row[input];
@MARKCOUNT@@CHECK@  return x;
}
)";

inline constexpr std::string_view check_level =
    R"(  if ($level_counts[input] > 0 && !(x >= 0 && x < CAST<double>($level_counts[input]))) x = $nan;
)";
inline constexpr std::string_view check_marks =
    R"(  for (m = $mark_first[input]; m < $mark_first[input + 1]; ++m) if (x == $marks[m]) x = $nan;
)";
inline constexpr std::string_view fill_typical = "  if (filled && x != x) x = $typical[input];\n";

inline constexpr std::string_view term = R"(
/* A term of a sum; NaN: a cell is missing. */
FUNCTION double $term(const @INNER@ *row, int32_t t@FILLED@)
{
  EXACT
  const double x = $cell(row, $term_input[t]@PASSED@);
@CASES@}
)";

// By TermCode.
inline constexpr std::string_view term_cases[] = {
    "    case 0: return x;\n", "    case 1: return x * x;\n",
    "    case 2: return x * $cell(row, $term_other[t]@PASSED@);\n",
    "    case 3: return $asinh((x - $term_centre[t]) / $term_scale[t]);\n",
    "    case 4: return x != x ? x : x == CAST<double>($term_other[t]) ? 1 : 0;\n"};

inline constexpr std::string_view ask = R"(
/* The child that a condition sends the row to; -1: a cell is missing, or a level was not
   seen here@DIVIDES@. */
FUNCTION int32_t $ask(const @INNER@ *row, int32_t c@FIRST@@FILLED@)
{
  EXACT
@PARTSOFASK@}
)";

inline constexpr std::string_view ask_threshold =
    R"(  if ($condition_code[c] == 0) { /* the cell is at most the cut */
    const double x = $cell(row, $condition_input[c]@PASSED@);
    return x != x ? -1 : x <= $condition_cut[c] ? 0 : 1;
  }
)";
inline constexpr std::string_view ask_levels =
    R"(  if ($condition_code[c] == 1) { /* a child per level */
    const double x = $cell(row, $condition_input[c]@PASSED@);
    return x != x ? -1 : $level_child[$condition_first[c] + CAST<int32_t>(x)];
  }
)";
inline constexpr std::string_view ask_sum = R"(  { /* a sum of terms */
    const int32_t begin = $condition_first[c], end = begin + $condition_count[c];
    const double cut = $condition_cut[c];
    double s = 0;
    int32_t t;
    for (t = begin; t < end; ++t) s += $term_coefficient[t] * $term(row, t@PASSED@);
    if (s != s) return -1;
@LINKS@  }
)";
inline constexpr std::string_view link_ramp =
    R"(    if ($condition_code[c] == 3) { /* a ramp from 1 over 1/2 at the cut to 0 */
      const double under = cut - s, below = $condition_below[c], above = $condition_above[c];
      if (under > 0) *first = under >= below ? 1 : 0.5 + 0.5 * under / below;
      else if (under < 0) *first = -under >= above ? 0 : 0.5 + 0.5 * under / above;
      else *first = 0.5;
      return -2;
    }
)";
inline constexpr std::string_view link_logistic =
    R"(    if ($condition_code[c] == 4) { /* a logistic gate */
      *first = 1 / (1 + $exp(s - cut));
      return -2;
    }
)";
inline constexpr std::string_view link_step = "    return s <= cut ? 0 : 1;\n";

inline constexpr std::string_view choose = R"(
/* The child that a node sends the row to, by its condition, by the first surrogate that can be
   computed, or by its rule for missing values@DIVIDES@. */
FUNCTION int32_t $choose(const @INNER@ *row, int32_t node@FIRST@)
{
  const int32_t c = $node_condition[node];
  int32_t child = $ask(row, c@PASSFIRST@@UNFILLED@);
@SURROGATES@  if (child != -1) return child;
@RULES@  return $node_missing_child[node];
}
)";
inline constexpr std::string_view try_surrogates = R"(  int32_t k;
  for (k = 1; child == -1 && k <= $node_surrogates[node]; ++k) {
    child = $ask(row, c + k@PASSFIRST@@UNFILLED@);
  }
)";
inline constexpr std::string_view rule_shares =
    "  if ($node_missing[node] == 1) return -3; /* divided by shares */\n";
inline constexpr std::string_view rule_stay =
    "  if ($node_missing[node] == 2) return -4; /* the node answers */\n";
inline constexpr std::string_view rule_impute =
    R"(  if ($node_missing[node] == 4) { /* with typical values */
    child = $ask(row, c@PASSFIRST@, 1);
    if (child != -1) return child;
  }
)";

inline constexpr std::string_view softmax = R"(
/* exp of each number divided by their sum. */
FUNCTION void $softmax(double *numbers, int32_t count)
{
  EXACT
  double top = numbers[0], sum = 0;
  int32_t k;
  for (k = 1; k < count; ++k) if (top < numbers[k]) top = numbers[k];
  for (k = 0; k < count; ++k) {
    numbers[k] = $exp(numbers[k] - top);
    sum += numbers[k];
  }
  for (k = 0; k < count; ++k) numbers[k] /= sum;
}
)";

inline constexpr std::string_view outputs_of = R"(
/* The outputs of a formula: constant + sum of coefficient * term. 0: one is not finite. */
FUNCTION int $outputs_of(const @INNER@ *row, int32_t formula, double *sums)
{
  EXACT
  const int32_t first = $formula_first_output[formula], count = @FORMULACOUNT@;
  int32_t o;
  for (o = 0; o < count; ++o) sums[o] = $coefficients[$output_first[first + o]];
@TERMS@  for (o = 0; o < count; ++o) if (!(sums[o] - sums[o] == 0)) return 0;
  return 1;
}
)";

inline constexpr std::string_view add_terms = R"(  {
    const int32_t terms = $formula_terms[formula];
    int32_t t;
    for (t = 0; t < terms; ++t) {
      const double x = $term(row, $formula_first_term[formula] + t, 1);
      for (o = 0; o < count; ++o) sums[o] += $coefficients[$output_first[first + o] + 1 + t] * x;
    }
  }
)";

inline constexpr std::string_view add = R"(
/* Adds share times what a node answers. */
FUNCTION void $add(@ROWARGUMENT@int32_t node, double share, double *out)
{
  EXACT
  const int32_t answer = $node_answer[node];
  int32_t k;
@FORMULA@  for (k = 0; k < @OUTPUTS@; ++k) out[k] += share * $answers[answer * @OUTPUTS@ + k];
}
)";
// By what formulas give: one number, probabilities, or scores.
inline constexpr std::string_view add_formula = R"(  const int32_t formula = $node_formula[node];
  double sums[@WIDTH@];
  if (formula >= 0 && $outputs_of(row, formula, sums)) {
@FORMULAKIND@    return;
  }
)";
inline constexpr std::string_view add_number =
    R"(    const double low = $formula_low[formula], high = $formula_high[formula];
    *out += share * (sums[0] < low ? low : high < sums[0] ? high : sums[0]);
)";
inline constexpr std::string_view add_probabilities =
    R"(    $softmax(sums, $formula_outputs[formula]);
    for (k = 0; k < $formula_outputs[formula]; ++k) {
      out[$output_class[$formula_first_output[formula] + k]] += share * sums[k];
    }
)";
inline constexpr std::string_view add_scores =
    R"(    for (k = 0; k < @OUTPUTS@; ++k) out[k] += share * sums[k];
)";

// In single precision answers are rounded last.
inline constexpr std::string_view round_answer = R"(
PUBLIC void $predict(const CELL *row, CELL *out)
{
  double numbers[@OUTPUTS@];
  int32_t k;
  $answer(row, numbers);
  for (k = 0; k < @OUTPUTS@; ++k) out[k] = CAST<CELL>(numbers[k]);
}
)";

inline constexpr std::string_view fill = R"(
@ANSWER@(const CELL *row, double *out)
{
  EXACT
@MAPPED@@DECLARATIONS@  int32_t k;
  for (k = 0; k < @OUTPUTS@; ++k) out[k] = 0;
@MAP@@DESCEND@@FINISH@}
)";
// asinh terms of rows that reach many nodes are cells of their own: each is computed once.
inline constexpr std::string_view declare_mapped = R"(  double cells[@ALLCELLS@];
)";
inline constexpr std::string_view map_cells = R"(  for (k = 0; k < @INPUTS@; ++k) cells[k] = row[k];
  for (k = 0; k < @MAPS@; ++k) {
    const double x = $cell(cells, $map_input[k]@UNFILLED@);
    cells[@INPUTS@ + k] = $asinh((x - $map_centre[k]) / $map_scale[k]);
  }
)";
inline constexpr std::string_view declare_hard = "  int32_t node = 0;\n";
inline constexpr std::string_view descend_hard = R"(  while ($node_child[node] >= 0) {
    const int32_t child = $choose(@ROW@, node);
@STAY@    node = $node_child[node] + child;
  }
  $add(@ROWPASSED@node, 1, out);
)";
inline constexpr std::string_view descend_nowhere = R"(  $add(@ROWPASSED@node, 1, out);
)";
inline constexpr std::string_view declare_queue =
    R"(  /* Nodes that the row reaches with the shares of it that do, in their order: a ring. */
  double ring_shares[@QUEUE@];
  @NODETYPE@ ring_nodes[@QUEUE@];
  int32_t from = 0, to = 1, waiting = 1;
)";
inline constexpr std::string_view descend_queue = R"(  ring_shares[0] = 1;
  ring_nodes[0] = 0;
  while (waiting > 0) {
    const int32_t node = ring_nodes[from], first_child = $node_child[node];
    const double share = ring_shares[from];
    double @FIRSTVARIABLE@part;
    int32_t child = -4, begin = 0, end;
    from = from + 1 == @QUEUE@ ? 0 : from + 1;
    waiting -= 1;
    if (first_child >= 0) child = $choose(@ROW@, node@FIRSTADDRESS@);
    if (child == -4) {
      $add(@ROWPASSED@node, share, out);
      continue;
    }
    if (child >= 0) begin = child;
    end = child >= 0 ? child + 1 : @PARTS@;
    for (k = begin; k < end; ++k) {
      part = child >= 0 ? share : @WEIGHT@;
      if (!(part > @SMALLEST@)) continue;
      ring_shares[to] = part;
      ring_nodes[to] = CAST<@NODETYPE@>(first_child + k);
      to = to + 1 == @QUEUE@ ? 0 : to + 1;
      waiting += 1;
    }
  }
)";
inline constexpr std::string_view finish_limits =
    "  *out = *out < @LOW@ ? @LOW@ : @HIGH@ < *out ? @HIGH@ : *out;\n";
inline constexpr std::string_view finish_scores = "  $softmax(out, @OUTPUTS@);\n";

inline constexpr std::string_view decide = R"(
PUBLIC int $class(const CELL *row)
{
  EXACT
  double p[@OUTPUTS@];
@HOW@}
)";
inline constexpr std::string_view decide_threshold = R"(  @ASKANSWER@(row, p);
  return p[@CLASS@] >= @THRESHOLD@ ? @CLASS@ : @OTHER@;
)";
inline constexpr std::string_view decide_largest = R"(  int best = 0, k;
  @ASKANSWER@(row, p);
  for (k = 1; k < @OUTPUTS@; ++k) if (p[k] > p[best]) best = k;
  return best;
)";
inline constexpr std::string_view decide_costs =
    R"(  /* The least expected cost; a later class must be cheaper by more than rounding. */
  double cost, least = 0;
  int best = 0, answer, actual;
  @ASKANSWER@(row, p);
  for (answer = 0; answer < @OUTPUTS@; ++answer) {
    cost = 0;
    for (actual = 0; actual < @OUTPUTS@; ++actual) {
      cost += p[actual] * $costs[actual * @OUTPUTS@ + answer];
    }
    if (answer == 0 || cost < least * (1 - @ROUNDING@)) {
      best = answer;
      least = cost;
    }
  }
  return best;
)";

inline constexpr std::string_view fill_rows = R"(
PUBLIC void $predict_rows(const CELL *rows, size_t count, CELL *out)
{
  size_t r;
  for (r = 0; r < count; ++r) $predict(rows + r * @INPUTS@u, out + r * @OUTPUTS@u);
}
)";

}  // namespace softwood::render::descent_text

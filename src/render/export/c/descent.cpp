// Trees that compute: sums, soft gates, divided rows, formulas of leaves. The text of a function is
// put together from the parts that the tree needs.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/text.h"
#include "render/export/c/code.h"
#include "render/export/tables.h"

namespace softwood::render {
namespace {

constexpr std::string_view cell = R"(
/* The cell of an input; NaN: missing@TELLS@. */
INLINE REAL $cell(const REAL *row, int32_t input@FILLED@)
{
  REAL x = row[input];
@CHECK@  return x;
}
)";

constexpr std::string_view check_level = R"(  const int32_t levels = $level_counts[input];
  if (levels > 0 && !(x >= 0 && x < CAST<REAL>(levels))) x = $nan;
)";
constexpr std::string_view fill_typical = "  if (filled && x != x) x = $typical[input];\n";

constexpr std::string_view term = R"(
/* A term of a sum; NaN: a cell is missing. */
FUNCTION REAL $term(const REAL *row, int32_t t@FILLED@)
{
  EXACT
  const REAL x = $cell(row, $term_input[t]@PASSED@);
@CASES@}
)";

// By TermCode.
constexpr std::string_view term_cases[] = {
    "    case 0: return x;\n", "    case 1: return x * x;\n",
    "    case 2: return x * $cell(row, $term_other[t]@PASSED@);\n",
    "    case 3: return $asinh((x - $term_centre[t]) / $term_scale[t]);\n",
    "    case 4: return x != x ? x : x == CAST<REAL>($term_other[t]) ? 1 : 0;\n"};

constexpr std::string_view ask = R"(
/* The child that a condition sends the row to; -1: a cell is missing, or a level was not
   seen here@DIVIDES@. */
FUNCTION int32_t $ask(const REAL *row, int32_t c@FIRST@@FILLED@)
{
  EXACT
@PARTSOFASK@}
)";

constexpr std::string_view ask_threshold =
    R"(  if ($condition_code[c] == 0) { /* the cell is at most the cut */
    const REAL x = $cell(row, $condition_input[c]@PASSED@);
    return x != x ? -1 : x <= $condition_cut[c] ? 0 : 1;
  }
)";
constexpr std::string_view ask_levels = R"(  if ($condition_code[c] == 1) { /* a child per level */
    const REAL x = $cell(row, $condition_input[c]@PASSED@);
    return x != x ? -1 : $level_child[$condition_first[c] + CAST<int32_t>(x)];
  }
)";
constexpr std::string_view ask_sum = R"(  { /* a sum of terms */
    const int32_t begin = $condition_first[c], end = begin + $condition_count[c];
    const REAL cut = $condition_cut[c];
    REAL s = 0;
    int32_t t;
    for (t = begin; t < end; ++t) s += $term_coefficient[t] * $term(row, t@PASSED@);
    if (s != s) return -1;
@LINKS@  }
)";
constexpr std::string_view link_ramp =
    R"(    if ($condition_code[c] == 3) { /* a ramp from 1 over 1/2 at the cut to 0 */
      const REAL under = cut - s, below = $condition_below[c], above = $condition_above[c];
      if (under > 0) *first = under >= below ? 1 : 0.5_R + 0.5_R * under / below;
      else if (under < 0) *first = -under >= above ? 0 : 0.5_R + 0.5_R * under / above;
      else *first = 0.5_R;
      return -2;
    }
)";
constexpr std::string_view link_logistic =
    R"(    if ($condition_code[c] == 4) { /* a logistic gate */
      *first = 1 / (1 + $exp(s - cut));
      return -2;
    }
)";
constexpr std::string_view link_step = "    return s <= cut ? 0 : 1;\n";

constexpr std::string_view choose = R"(
/* The child that a node sends the row to, by its condition, by the first surrogate that can be
   computed, or by its rule for missing values@DIVIDES@. */
FUNCTION int32_t $choose(const REAL *row, int32_t node@FIRST@)
{
  const int32_t c = $node_condition[node];
  int32_t child = $ask(row, c@PASSFIRST@@UNFILLED@);
@SURROGATES@  if (child != -1) return child;
@RULES@  return $node_missing_child[node];
}
)";
constexpr std::string_view try_surrogates = R"(  int32_t k;
  for (k = 1; child == -1 && k <= $node_surrogates[node]; ++k) child = $ask(row, c + k@PASSFIRST@@UNFILLED@);
)";
constexpr std::string_view rule_shares =
    "  if ($node_missing[node] == 1) return -3; /* divided by shares */\n";
constexpr std::string_view rule_stay =
    "  if ($node_missing[node] == 2) return -4; /* the node answers */\n";
constexpr std::string_view rule_impute =
    R"(  if ($node_missing[node] == 4) { /* with typical values */
    child = $ask(row, c@PASSFIRST@, 1);
    if (child != -1) return child;
  }
)";

constexpr std::string_view softmax = R"(
/* exp of each number divided by their sum. */
FUNCTION void $softmax(REAL *numbers, int32_t count)
{
  EXACT
  REAL top = numbers[0], sum = 0;
  int32_t k;
  for (k = 1; k < count; ++k) if (top < numbers[k]) top = numbers[k];
  for (k = 0; k < count; ++k) {
    numbers[k] = $exp(numbers[k] - top);
    sum += numbers[k];
  }
  for (k = 0; k < count; ++k) numbers[k] /= sum;
}
)";

constexpr std::string_view outputs_of = R"(
/* The outputs of a formula: constant + sum of coefficient * term. 0: one is not finite. */
FUNCTION int $outputs_of(const REAL *row, int32_t formula, REAL *sums)
{
  EXACT
  const int32_t first = $formula_first_output[formula], count = @FORMULACOUNT@;
  int32_t o;
  for (o = 0; o < count; ++o) sums[o] = $coefficients[$output_first[first + o]];
@TERMS@  for (o = 0; o < count; ++o) if (!(sums[o] - sums[o] == 0)) return 0;
  return 1;
}
)";

constexpr std::string_view add_terms = R"(  {
    const int32_t terms = $formula_terms[formula];
    int32_t t;
    for (t = 0; t < terms; ++t) {
      const REAL x = $term(row, $formula_first_term[formula] + t, 1);
      for (o = 0; o < count; ++o) sums[o] += $coefficients[$output_first[first + o] + 1 + t] * x;
    }
  }
)";

constexpr std::string_view add = R"(
/* Adds share times what a node answers. */
FUNCTION void $add(@ROWARGUMENT@int32_t node, REAL share, REAL *out)
{
  EXACT
  const int32_t answer = $node_answer[node];
  int32_t k;
@FORMULA@  for (k = 0; k < @OUTPUTS@; ++k) out[k] += share * $answers[answer * @OUTPUTS@ + k];
}
)";
// By what formulas give: one number, probabilities, or scores.
constexpr std::string_view add_formula = R"(  const int32_t formula = $node_formula[node];
  REAL sums[@WIDTH@];
  if (formula >= 0 && $outputs_of(row, formula, sums)) {
@FORMULAKIND@    return;
  }
)";
constexpr std::string_view add_number =
    R"(    const REAL low = $formula_low[formula], high = $formula_high[formula];
    *out += share * (sums[0] < low ? low : high < sums[0] ? high : sums[0]);
)";
constexpr std::string_view add_probabilities = R"(    $softmax(sums, $formula_outputs[formula]);
    for (k = 0; k < $formula_outputs[formula]; ++k) {
      out[$output_class[$formula_first_output[formula] + k]] += share * sums[k];
    }
)";
constexpr std::string_view add_scores =
    R"(    for (k = 0; k < @OUTPUTS@; ++k) out[k] += share * sums[k];
)";

constexpr std::string_view fill = R"(
PUBLIC void $predict(const REAL *row, REAL *out)
{
  EXACT
@DECLARATIONS@  int32_t k;
  for (k = 0; k < @OUTPUTS@; ++k) out[k] = 0;
@DESCEND@@FINISH@}
)";
constexpr std::string_view declare_hard = "  int32_t node = 0;\n";
constexpr std::string_view descend_hard = R"(  while ($node_child[node] >= 0) {
    const int32_t child = $choose(row, node);
@STAY@    node = $node_child[node] + child;
  }
  $add(@ROWPASSED@node, 1, out);
)";
constexpr std::string_view descend_nowhere = R"(  $add(@ROWPASSED@node, 1, out);
)";
constexpr std::string_view declare_queue =
    R"(  /* Nodes that the row reaches with the shares of it that do, in their order: a ring. */
  REAL shares[@QUEUE@];
  @NODETYPE@ nodes[@QUEUE@];
  int32_t from = 0, to = 1, waiting = 1;
)";
constexpr std::string_view descend_queue = R"(  shares[0] = 1;
  nodes[0] = 0;
  while (waiting > 0) {
    const int32_t node = nodes[from], first_child = $node_child[node];
    const REAL share = shares[from];
    REAL @FIRSTVARIABLE@part;
    int32_t child = -4, begin = 0, end;
    from = from + 1 == @QUEUE@ ? 0 : from + 1;
    waiting -= 1;
    if (first_child >= 0) child = $choose(row, node@FIRSTADDRESS@);
    if (child == -4) {
      $add(@ROWPASSED@node, share, out);
      continue;
    }
    if (child >= 0) begin = child;
    end = child >= 0 ? child + 1 : @PARTS@;
    for (k = begin; k < end; ++k) {
      part = child >= 0 ? share : @WEIGHT@;
      if (!(part > @SMALLEST@)) continue;
      shares[to] = part;
      nodes[to] = CAST<@NODETYPE@>(first_child + k);
      to = to + 1 == @QUEUE@ ? 0 : to + 1;
      waiting += 1;
    }
  }
)";
constexpr std::string_view finish_limits =
    "  *out = *out < @LOW@ ? @LOW@ : @HIGH@ < *out ? @HIGH@ : *out;\n";
constexpr std::string_view finish_scores = "  $softmax(out, @OUTPUTS@);\n";

constexpr std::string_view decide = R"(
PUBLIC int $class(const REAL *row)
{
  EXACT
  REAL p[@OUTPUTS@];
@HOW@}
)";
constexpr std::string_view decide_threshold = R"(  $predict(row, p);
  return p[@CLASS@] >= @THRESHOLD@ ? @CLASS@ : @OTHER@;
)";
constexpr std::string_view decide_largest = R"(  int best = 0, k;
  $predict(row, p);
  for (k = 1; k < @OUTPUTS@; ++k) if (p[k] > p[best]) best = k;
  return best;
)";
constexpr std::string_view decide_costs =
    R"(  /* The least expected cost; a later class must be cheaper by more than rounding. */
  REAL cost, least = 0;
  int best = 0, answer, actual;
  $predict(row, p);
  for (answer = 0; answer < @OUTPUTS@; ++answer) {
    cost = 0;
    for (actual = 0; actual < @OUTPUTS@; ++actual) cost += p[actual] * $costs[actual * @OUTPUTS@ + answer];
    if (answer == 0 || cost < least * (1 - @ROUNDING@)) {
      best = answer;
      least = cost;
    }
  }
  return best;
)";

constexpr std::string_view fill_rows = R"(
PUBLIC void $predict_rows(const REAL *rows, size_t count, REAL *out)
{
  size_t r;
  for (r = 0; r < count; ++r) $predict(rows + r * @INPUTS@u, out + r * @OUTPUTS@u);
}
)";

// Nodes that wait at most, when a row reaches all of them.
size_t queue_length(const CodeTables& tables) {
  int32_t last = 0, most = 1;
  for (int32_t i = 0; i < static_cast<int32_t>(tables.node_child.size()); ++i) {
    const auto at = static_cast<size_t>(i);
    if (tables.node_child[at] >= 0) last = tables.node_child[at] + tables.node_children[at] - 1;
    most = std::max(most, last - i);
  }
  return static_cast<size_t>(most);
}

bool holds(const std::vector<int32_t>& codes, int32_t code) {
  return std::find(codes.begin(), codes.end(), code) != codes.end();
}

// "if (...) {" becomes "{".
std::string without_test(std::string text) {
  const size_t begin = text.find_first_not_of(' ');
  return text.replace(begin, text.find('{') - begin, "");
}

// The parts of a function of which one is taken by code: the last one needs no test.
std::string by_code(const std::vector<std::string>& parts) {
  std::string text;
  for (size_t i = 0; i < parts.size(); ++i) {
    text += i + 1 < parts.size() ? parts[i] : without_test(parts[i]);
  }
  return text;
}

class Writer {
 public:
  Writer(CodeWriter& out, const LoweredTree& tree, const ExportOptions& options)
      : out_(out), tree_(tree), options_(options), tables_(code_tables(tree)) {
    for (const LoweredInput& input : tree.inputs) {
      level_counts_.push_back(static_cast<int32_t>(input.levels.size()));
    }
    has_typical_ = tables_.has_imputation || (tables_.has_formulas && !tables_.term_code.empty());
    has_shares_ = !tables_.shares.empty();
    width_ = tables_.formula_outputs.empty() ? 0
                                             : *std::max_element(tables_.formula_outputs.begin(),
                                                                 tables_.formula_outputs.end());
    queue_ = tables_.divides_rows ? queue_length(tables_) : 0;
    find_words();
  }

  size_t write() {
    write_tables();
    write_math(out_, tables_.needs_exp, tables_.has_asinh);
    if (!tables_.term_code.empty() || !tables_.condition_code.empty()) write(cell);
    if (!tables_.term_code.empty()) write(term);
    if (!tables_.condition_code.empty()) {
      write(ask);
      write(choose);
    }
    if (tables_.mixes_scores || (tables_.has_formulas && tree_.is_classifier())) write(softmax);
    if (tables_.has_formulas) write(outputs_of);
    write(add);
    write(fill);
    if (tree_.is_classifier()) write(decide);
    write(fill_rows);
    const size_t real = out_.single() ? 4 : 8;
    return queue_ * (real + (small_nodes() ? 2 : 4)) +
           real * (static_cast<size_t>(width_) + (tree_.is_classifier() ? tables_.outputs : 0));
  }

 private:
  void write(std::string_view text) { out_.code(text, words_); }
  bool small_nodes() const { return tree_.nodes.size() <= 0xFFFF; }

  void word(std::string name, std::string_view text) { words_.emplace_back(name, text); }

  void find_words() {
    find_conditions();
    find_rules();
    find_answers();
    const bool soft = tables_.has_soft_links;
    const bool filled = has_typical_;
    word("FIRSTVARIABLE", soft ? "first = 0, " : "");
    word("FIRSTADDRESS", soft ? ", &first" : "");
    word("PASSFIRST", soft ? ", first" : "");
    word("FIRST", soft ? ", REAL *first" : "");
    word("FILLED", filled ? ", int filled" : "");
    word("UNFILLED", filled ? ", 0" : "");
    word("PASSED", filled ? ", filled" : "");
    word("INPUTS", std::to_string(tables_.inputs));
    word("OUTPUTS", std::to_string(tables_.outputs));
    word("WIDTH", std::to_string(width_));
  }

  void find_conditions() {
    const auto& codes = tables_.condition_code;
    const bool levels = std::any_of(level_counts_.begin(), level_counts_.end(),
                                    [](int32_t count) { return count > 0; });
    word("CHECK",
         std::string(levels ? check_level : "") + std::string(has_typical_ ? fill_typical : ""));
    word("TELLS", levels ? ", also for numbers that are no level's" : "");
    std::vector<std::string> parts, links;
    if (holds(codes, 0)) parts.emplace_back(ask_threshold);
    if (holds(codes, 1)) parts.emplace_back(ask_levels);
    if (tables_.has_sums) parts.emplace_back(ask_sum);
    if (holds(codes, 3)) links.emplace_back(link_ramp);
    if (holds(codes, 4)) links.emplace_back(link_logistic);
    if (holds(codes, 2)) links.emplace_back(link_step);
    word("PARTSOFASK", by_code(parts));
    word("LINKS", holds(codes, 2) ? join(links, "") : by_code(links));
    word("DIVIDES",
         tables_.has_soft_links ? ";\n   -2: the row is divided, *first to child 0" : "");
    std::vector<std::string> cases;
    for (int32_t code = 0; code < 5; ++code) {
      if (holds(tables_.term_code, code)) {
        cases.emplace_back(term_cases[static_cast<size_t>(code)]);
      }
    }
    if (cases.size() == 1) {
      word("CASES", "  " + cases[0].substr(cases[0].find("return")));
    } else {
      word("CASES", "  switch ($term_code[t]) {\n" + join(cases, "") + "  }\n  return x;\n");
    }
  }

  void find_rules() {
    const auto& rules = tables_.node_missing;
    word("SURROGATES", tables_.has_surrogates ? try_surrogates : "");
    word("RULES", std::string(holds(rules, 1) ? rule_shares : "") +
                      std::string(holds(rules, 2) ? rule_stay : "") +
                      std::string(holds(rules, 4) ? rule_impute : ""));
    word("STAY", holds(rules, 2) ? "    if (child < 0) break;\n" : "");
  }

  void find_answers() {
    word("TERMS", tables_.term_code.empty() ? "  CAST<void>(row);\n" : add_terms);
    word("FORMULA", tables_.has_formulas ? add_formula : "");
    word("FORMULAKIND", !tree_.is_classifier() ? add_number
                        : tables_.mixes_scores ? add_scores
                                               : add_probabilities);
    word("FORMULACOUNT", tree_.is_classifier() ? "$formula_outputs[formula]" : "1");
    word("ROWARGUMENT", tables_.has_formulas ? "const REAL *row, " : "");
    word("ROWPASSED", tables_.has_formulas ? "row, " : "");
    const bool divides = tables_.divides_rows;
    word("DECLARATIONS", divides ? declare_queue : declare_hard);
    word("DESCEND", divides                          ? descend_queue
                    : tables_.condition_code.empty() ? descend_nowhere
                                                     : descend_hard);
    word("FINISH", tables_.mixes_scores                           ? finish_scores
                   : tables_.has_limits && !tree_.is_classifier() ? finish_limits
                                                                  : "");
    word("NODETYPE", small_nodes() ? "uint16_t" : "int32_t");
    word("QUEUE", std::to_string(queue_));
    word("SMALLEST", out_.number(tree_.smallest_share));
    const std::string gate = "share * (k == 0 ? first : 1 - first)";
    const std::string part = "share * $shares[$node_missing_child[node] + k]";
    const bool soft = tables_.has_soft_links;
    word("PARTS", !has_shares_ ? "2"
                  : !soft      ? "$node_children[node]"
                               : "child == -2 ? 2 : $node_children[node]");
    word("WEIGHT", !has_shares_ ? gate : !soft ? part : "child == -2 ? " + gate + " : " + part);
    word("LOW", out_.number(tree_.mixing.low));
    word("HIGH", out_.number(tree_.mixing.high));
    const bool by_threshold = !std::isnan(options_.threshold);
    word("HOW", by_threshold                   ? decide_threshold
                : tree_.decision.costs.empty() ? decide_largest
                                               : decide_costs);
    word("CLASS", std::to_string(options_.threshold_class));
    word("OTHER", std::to_string(1 - std::min(options_.threshold_class, 1U)));
    word("THRESHOLD", out_.number(options_.threshold));
    word("ROUNDING", out_.number(tree_.decision.cost_rounding));
  }

  void numbers(std::string_view name, const std::vector<int32_t>& values) {
    if (!values.empty()) out_.table(name, std::span<const int32_t>(values));
  }
  void numbers(std::string_view name, const std::vector<double>& values) {
    if (!values.empty()) out_.table(name, std::span<const double>(values));
  }
  void comment(std::string_view text) { out_.raw(fmt::format("\n/* {} */\n", text)); }

  void write_tables() {
    write_nodes();
    if (!tables_.condition_code.empty()) write_conditions();
    if (!tables_.term_code.empty()) write_terms();
    if (tables_.has_formulas) write_formulas();
    if (std::any_of(level_counts_.begin(), level_counts_.end(), [](int32_t n) { return n > 0; })) {
      comment("Levels of the inputs; 0: a number.");
      numbers("level_counts", level_counts_);
    }
    if (has_typical_) {
      comment("What stands for missing cells, by input; NaN: nothing.");
      numbers("typical", tables_.typical);
    }
    if (tree_.is_classifier() && !tree_.decision.costs.empty() && std::isnan(options_.threshold)) {
      comment("What errors cost: a row per actual class, a column per answer.");
      numbers("costs", tree_.decision.costs);
    }
  }

  void write_nodes() {
    const CodeTables& t = tables_;
    const bool splits = !t.condition_code.empty();
    comment("Nodes, breadth first. -1 in node_child: a leaf.");
    if (splits) {
      numbers("node_child", t.node_child);
      if (has_shares_) numbers("node_children", t.node_children);
      numbers("node_condition", t.node_condition);
      if (t.has_surrogates) {
        comment("Surrogates: the conditions that follow the node's own.");
        numbers("node_surrogates", t.node_surrogates);
      }
      comment(
          "Rows with missing values: the child; 1: divided by shares from there on; 2: the node\n"
          "   answers; 4: typical values, then the child.");
      if (holds(t.node_missing, 1) || holds(t.node_missing, 2) || holds(t.node_missing, 4)) {
        numbers("node_missing", t.node_missing);
      }
      numbers("node_missing_child", t.node_missing_child);
      if (has_shares_) numbers("shares", t.shares);
    }
    comment("The row of the answers by node; -1: no row ends there.");
    numbers("node_answer", t.node_answer);
    if (t.has_formulas) numbers("node_formula", t.node_formula);
    comment(t.mixes_scores ? "Logarithms of probabilities, each different row once."
                           : "Answers, each different row once.");
    numbers("answers", t.answers);
  }

  void write_conditions() {
    const CodeTables& t = tables_;
    const auto& codes = t.condition_code;
    const bool plain = holds(codes, 0) || holds(codes, 1);
    const bool cuts = holds(codes, 0) || t.has_sums;
    comment(
        "Conditions. 0: the cell is at most the cut; 1: a child per level; sums: 2: at most the\n"
        "   cut, 3: a ramp, 4: a logistic gate.");
    if (std::any_of(codes.begin(), codes.end(), [&](int32_t c) { return c != codes[0]; })) {
      numbers("condition_code", codes);
    }
    if (plain) numbers("condition_input", t.condition_input);
    if (holds(codes, 1) || t.has_sums) numbers("condition_first", t.condition_first);
    if (t.has_sums) numbers("condition_count", t.condition_count);
    if (cuts) write_cuts();
    if (holds(codes, 3)) {
      numbers("condition_below", t.condition_below);
      numbers("condition_above", t.condition_above);
    }
    if (holds(codes, 1)) {
      comment("Children by level; -1: not seen there.");
      numbers("level_child", t.level_child);
    }
  }

  // Cells of single precision are on the same side of a cut rounded down.
  void write_cuts() {
    std::vector<std::string> items;
    for (size_t c = 0; c < tables_.condition_cut.size(); ++c) {
      items.push_back(out_.number(tables_.condition_cut[c], tables_.condition_code[c] == 0));
    }
    out_.code(fmt::format("TABLE REAL $condition_cut[{}] = {{\n", items.size()));
    out_.raw(CodeWriter::lines(items) + "};\n");
  }

  void write_terms() {
    const CodeTables& t = tables_;
    const auto& codes = t.term_code;
    comment(
        "Terms. 0: x; 1: x * x; 2: x * other; 3: asinh((x - centre) / scale); 4: 1 for the level.");
    if (std::any_of(codes.begin(), codes.end(), [&](int32_t c) { return c != codes[0]; })) {
      numbers("term_code", codes);
    }
    numbers("term_input", t.term_input);
    if (holds(codes, 2) || holds(codes, 4)) numbers("term_other", t.term_other);
    if (t.has_asinh) {
      numbers("term_centre", t.term_centre);
      numbers("term_scale", t.term_scale);
    }
    if (t.has_sums) numbers("term_coefficient", t.term_coefficient);
  }

  void write_formulas() {
    const CodeTables& t = tables_;
    comment(
        "Formulas of leaves: terms and outputs; an output is a constant and a number per term.");
    if (!t.term_code.empty()) {
      numbers("formula_terms", t.formula_terms);
      numbers("formula_first_term", t.formula_first_term);
    }
    if (tree_.is_classifier()) numbers("formula_outputs", t.formula_outputs);
    numbers("formula_first_output", t.formula_first_output);
    if (!tree_.is_classifier()) {
      numbers("formula_low", t.formula_low);
      numbers("formula_high", t.formula_high);
    } else if (!t.mixes_scores) {
      numbers("output_class", t.output_class);
    }
    numbers("output_first", t.output_first);
    numbers("coefficients", t.coefficients);
  }

  CodeWriter& out_;
  const LoweredTree& tree_;
  const ExportOptions& options_;
  CodeTables tables_;
  std::vector<int32_t> level_counts_;
  bool has_typical_ = false, has_shares_ = false;
  int32_t width_ = 0;
  size_t queue_ = 0;
  CodeWriter::Words words_;
};

}  // namespace

size_t write_descent(CodeWriter& out, const LoweredTree& tree, const ExportOptions& options) {
  return Writer(out, tree, options).write();
}

}  // namespace softwood::render

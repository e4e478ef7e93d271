#include "render/export/sql/expression.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/text.h"
#include "lower/condition.h"
#include "render/export/marks.h"

namespace softwood::render {
namespace {

// Sums are written in groups of this many terms: databases limit the nesting of expressions, of
// which every term of a plain sum is a level (SQLite and DuckDB: 1000).
constexpr size_t most_terms = 400;
// Scalar MIN and MAX of SQLite take up to 127 arguments.
constexpr size_t most_arguments = 100;

// Where overflow is an error: sizes of what is added, and smallest size of products.
constexpr double largest_term = 1e290, smallest_term = 1e-290;
// A coefficient that is smaller by this factor than another one of its sum adds nothing.
constexpr double nothing_beside = 1e-100;

std::string function_of(const std::string& function, std::vector<std::string> all) {
  while (all.size() > 1) {
    std::vector<std::string> groups;
    for (size_t from = 0; from < all.size(); from += most_arguments) {
      const size_t count = std::min(most_arguments, all.size() - from);
      groups.push_back(count == 1 ? all[from]
                                  : fmt::format("{}({})", function,
                                                join(std::span(all).subspan(from, count), ", ")));
    }
    all = std::move(groups);
  }
  return all[0];
}

std::vector<double> coefficients_of(const std::vector<LoweredTerm>& terms) {
  std::vector<double> all;
  for (const LoweredTerm& term : terms) all.push_back(term.coefficient);
  return all;
}

}  // namespace

std::string sql_coalesce(const std::vector<std::string>& all) {
  return all.size() == 1 ? all[0] : fmt::format("COALESCE({})", join(all, ", "));
}

bool is_soft(const LoweredCondition& condition) {
  const auto* const score = std::get_if<LoweredScore>(&condition);
  return score != nullptr && score->link != LinkKind::step;
}

bool is_soft(const LoweredSplit& split) {
  const auto& surrogates = split.missing.surrogates;
  return is_soft(split.condition) ||
         std::any_of(surrogates.begin(), surrogates.end(),
                     [](const LoweredSurrogate& one) { return is_soft(one.condition); });
}

SqlExpressions::SqlExpressions(const LoweredTree& tree, const SqlDialect& dialect,
                               std::string prefix)
    : tree_(tree), dialect_(dialect), prefix_(std::move(prefix)), ranges_(tree.inputs.size()) {
  for (const LoweredNode& node : tree.nodes) {
    uses_typical_ |= node.formula.has_value() ||
                     (node.split && node.split->missing.action == MissingAction::impute);
  }
  if (dialect.range_errors) find_ranges();
}

// --- Numbers -------------------------------------------------------------------------------------

std::string SqlExpressions::number(double value) const {
  if (std::isinf(value)) return (value < 0 ? "-" : "") + dialect_.infinity;
  return dialect_.literal(value == 0 ? 0 : value);  // not -0
}

// Below 1e-130 nothing is left of a probability, and PostgreSQL takes underflow as an error.
std::string SqlExpressions::exp(const std::string& x) const {
  if (!dialect_.range_errors) return fmt::format("EXP({})", x);
  return fmt::format("CASE WHEN {0} > {1} THEN EXP({0}) WHEN {0} <= {1} THEN {2} END", x,
                     number(-300), number(0));
}

std::string SqlExpressions::is_finite(const std::string& x) const {
  const double largest = std::numeric_limits<double>::max();
  return fmt::format("{} BETWEEN {} AND {}", x, number(-largest), number(largest));
}

std::string SqlExpressions::greatest(const std::vector<std::string>& all) const {
  return function_of(dialect_.greatest, all);
}

std::string SqlExpressions::least(const std::vector<std::string>& all) const {
  return function_of(dialect_.least, all);
}

std::string SqlExpressions::sum(const std::vector<std::string>& terms) {
  if (terms.size() <= most_terms) return join(terms, " + ");
  std::vector<std::string> groups;
  for (size_t from = 0; from < terms.size(); from += most_terms) {
    const size_t count = std::min(most_terms, terms.size() - from);
    groups.push_back("(" + join(std::span(terms).subspan(from, count), " + ") + ")");
  }
  return sum(groups);
}

// --- Cells ---------------------------------------------------------------------------------------

std::string SqlExpressions::level_value(uint32_t input, size_t level) const {
  const LoweredInput& from = tree_.inputs[input];
  if (from.kind == InputKind::ordinal) return number(static_cast<double>(level));
  return sql_string(from.levels[level]);
}

std::string SqlExpressions::typical_value(uint32_t input) const {
  const LoweredInput& from = tree_.inputs[input];
  if (from.kind == InputKind::nominal) return sql_string(from.levels[size_t(from.typical)]);
  return number(from.typical);
}

std::vector<SqlColumn> SqlExpressions::cells(const std::string& table) const {
  std::vector<SqlColumn> columns;
  for (const LoweredInput& input : tree_.inputs) {
    const std::string name = sql_identifier(input.name);
    const std::string from = table + "." + name;
    const std::string text =
        fmt::format("CAST({} AS {}){}", from, dialect_.text, dialect_.collation);
    std::string expression = fmt::format("CAST({} AS {})", from, dialect_.real);
    const std::vector<double> marks = marked_cells(tree_, input);
    std::vector<std::string> levels;
    std::string cases;
    for (size_t k = 0; k < input.levels.size(); ++k) {
      const auto code = static_cast<double>(k);
      if (std::find(marks.begin(), marks.end(), code) != marks.end()) continue;
      levels.push_back(sql_string(input.levels[k]));
      cases += fmt::format(" WHEN {} THEN {}", levels.back(), number(code));
    }
    if (input.kind == InputKind::nominal) {
      expression = levels.empty() ? fmt::format("CAST(NULL AS {})", dialect_.text)
                                  : fmt::format("CASE WHEN {0} IN ({1}) THEN {0} END", text,
                                                join(levels, ", "));
    } else if (input.kind == InputKind::ordinal) {
      expression = levels.empty() ? fmt::format("CAST(NULL AS {})", dialect_.real)
                                  : fmt::format("CASE {}{} END", text, cases);
    } else if (dialect_.has_nan) {
      expression = fmt::format("NULLIF({}, CAST('NaN' AS {}))", expression, dialect_.real);
    } else if (dialect_.has_typed_cells) {
      // Text counts as a number if it is one; SQLite would take any other for 0.
      // Not dates, versions or several numbers: 2020-01-02, 1.2.3, 1 2, e5.
      expression = fmt::format(
          "CASE WHEN TYPEOF({0}) IN ('integer', 'real') OR (TRIM({0}) GLOB '*[0-9]*' AND TRIM({0}) "
          "NOT GLOB '*[^-+.eE0-9]*' AND TRIM({0}) NOT GLOB '*[0-9.][-+]*' AND TRIM({0}) NOT GLOB "
          "'*[-+][-+]*' AND TRIM({0}) NOT GLOB '*.*.*' AND TRIM({0}) NOT GLOB '*[eE]*[eE.]*' AND "
          "TRIM({0}) NOT GLOB '[eE]*' AND TRIM({0}) NOT GLOB '[-+][eE]*' AND TRIM({0}) NOT GLOB "
          "'.[eE]*' AND TRIM({0}) NOT GLOB '*[-+eE]') THEN {1} END",
          from, expression);
    }
    if (input.kind == InputKind::numeric) {
      for (const double mark : marks) {
        expression = fmt::format("NULLIF({}, {})", expression, number(mark));
      }
    }
    columns.push_back({name, expression});
  }
  return columns;
}

void SqlExpressions::find_range(const LoweredTerm& term, double coefficient) {
  if (term.kind == TermKind::level || coefficient == 0) return;
  const auto narrow = [&](uint32_t input) {
    Range& range = ranges_[input];
    const double size = std::fabs(coefficient);
    double high = largest_term / std::max(1.0, size), low = smallest_term / std::min(1.0, size);
    if (term.kind == TermKind::square || term.kind == TermKind::product) {
      high = std::sqrt(high);
      low = std::sqrt(low);
    }
    range.high = range.in_sums ? std::min(range.high, high) : high;
    range.low = std::max(range.low, low);
    range.in_sums = true;
  };
  narrow(term.input);
  if (term.kind == TermKind::product) narrow(term.second);
}

void SqlExpressions::find_ranges() {
  const auto add = [this](const std::vector<LoweredTerm>& terms,
                          const std::vector<double>& factors) {
    double largest = 0;
    for (const double factor : factors) largest = std::max(largest, std::fabs(factor));
    for (size_t t = 0; t < terms.size(); ++t) {
      if (std::fabs(factors[t]) > largest * nothing_beside) find_range(terms[t], factors[t]);
    }
  };
  const auto add_condition = [&](const LoweredCondition& condition) {
    const auto* const score = std::get_if<LoweredScore>(&condition);
    if (score == nullptr || is_threshold(*score)) return;
    add(score->terms, coefficients_of(score->terms));
  };
  for (const LoweredNode& node : tree_.nodes) {
    if (node.formula) {
      for (const LoweredOutput& output : node.formula->outputs) {
        add(node.formula->terms, output.coefficients);
      }
    }
    if (!node.split) continue;
    add_condition(node.split->condition);
    for (const LoweredSurrogate& one : node.split->missing.surrogates) add_condition(one.condition);
  }
}

std::vector<SqlColumn> SqlExpressions::derived() const {
  std::vector<SqlColumn> columns;
  for (uint32_t i = 0; i < tree_.inputs.size(); ++i) {
    const std::string x = sql_identifier(tree_.inputs[i].name);
    std::string held = x;
    if (ranges_[i].in_sums) {
      held = fmt::format(
          "CASE WHEN {0} > {1} THEN {2} WHEN {0} < {3} THEN {4} WHEN ABS({0}) < {5} THEN {6} "
          "ELSE {0} END",
          x, number(ranges_[i].high), number(HUGE_VAL), number(-ranges_[i].high), number(-HUGE_VAL),
          number(ranges_[i].low), number(0));
      columns.push_back({name(fmt::format("h{}", i)), held});
    }
    if (uses_typical_ && !std::isnan(tree_.inputs[i].typical)) {
      columns.push_back(
          {name(fmt::format("f{}", i)), fmt::format("COALESCE({}, {})", held, typical_value(i))});
    }
  }
  return columns;
}

std::string SqlExpressions::cell(uint32_t input, bool typical) const {
  if (typical && !std::isnan(tree_.inputs[input].typical)) return name(fmt::format("f{}", input));
  return sql_identifier(tree_.inputs[input].name);
}

std::string SqlExpressions::cell_in_sums(uint32_t input, bool typical) const {
  const bool filled = typical && !std::isnan(tree_.inputs[input].typical);
  return ranges_[input].in_sums && !filled ? name(fmt::format("h{}", input)) : cell(input, typical);
}

// --- Sums ----------------------------------------------------------------------------------------

std::string SqlExpressions::term(const LoweredTerm& term, bool typical) const {
  const std::string x = cell_in_sums(term.input, typical);
  switch (term.kind) {
    case TermKind::value:
      return x;
    case TermKind::square:
      return fmt::format("({0} * {0})", x);
    case TermKind::product:
      return fmt::format("({} * {})", x, cell_in_sums(term.second, typical));
    case TermKind::asinh:
      return fmt::format("ASINH(({} - {}) / {})", x, number(term.centre), number(term.scale));
    case TermKind::level:
      break;  // levels_product
  }
  return x;
}

std::string SqlExpressions::product(double coefficient, const LoweredTerm& what,
                                    bool typical) const {
  const std::string x = term(what, typical);
  return coefficient == 1 ? x : fmt::format("{} * {}", number(coefficient), x);
}

std::string SqlExpressions::levels_product(const std::vector<LoweredTerm>& terms,
                                           const std::vector<double>& coefficients, size_t from,
                                           size_t to, bool typical) const {
  const uint32_t input = terms[from].input;
  const std::string x = cell(input, typical);
  std::string text = "CASE";
  for (size_t t = from; t < to; ++t) {
    text += fmt::format(" WHEN {} = {} THEN {}", x, level_value(input, terms[t].level),
                        number(coefficients[t]));
  }
  return text + fmt::format(" WHEN {} IS NOT NULL THEN {} END", x, number(0));
}

std::vector<std::string> SqlExpressions::products(const std::vector<LoweredTerm>& terms,
                                                  const std::vector<double>& coefficients,
                                                  bool typical) const {
  double largest = 0;
  for (const double coefficient : coefficients) largest = std::max(largest, std::fabs(coefficient));
  std::vector<std::string> all;
  for (size_t t = 0; t < terms.size();) {
    size_t end = t + 1;
    if (terms[t].kind == TermKind::level) {
      const auto continues = [&](size_t i) {
        return terms[i].kind == TermKind::level && terms[i].input == terms[t].input &&
               std::none_of(terms.begin() + int64_t(t), terms.begin() + int64_t(i),
                            [&](const LoweredTerm& one) { return one.level == terms[i].level; });
      };
      while (end < terms.size() && continues(end)) ++end;
      all.push_back(levels_product(terms, coefficients, t, end, typical));
    } else if (dialect_.range_errors && std::fabs(coefficients[t]) <= largest * nothing_beside) {
      std::string missing = cell(terms[t].input, typical) + " IS NOT NULL";
      if (terms[t].kind == TermKind::product) {
        missing += " AND " + cell(terms[t].second, typical) + " IS NOT NULL";
      }
      all.push_back(fmt::format("CASE WHEN {} THEN {} END", missing, number(0)));
    } else {
      all.push_back(product(coefficients[t], terms[t], typical));
    }
    t = end;
  }
  return all;
}

std::string SqlExpressions::score(const LoweredScore& score, bool typical) const {
  if (is_threshold(score)) return cell(score.terms[0].input, typical);
  const std::vector<std::string> all = products(score.terms, coefficients_of(score.terms), typical);
  const bool may_be_nan = all.size() > 1 || score.terms[0].kind == TermKind::product;
  if (!may_be_nan || !dialect_.has_nan) return sum(all);
  return fmt::format("NULLIF({}, CAST('NaN' AS {}))", sum(all), dialect_.real);
}

std::string SqlExpressions::output(const LoweredFormula& formula,
                                   const LoweredOutput& output) const {
  std::vector<std::string> all = products(formula.terms, output.coefficients, true);
  all.insert(all.begin(), number(output.constant));
  return sum(all);
}

// --- Conditions ----------------------------------------------------------------------------------

std::string SqlExpressions::level_list(const LoweredLevels& levels, uint32_t child) const {
  std::vector<std::string> names;
  for (size_t k = 0; k < levels.child_of_level.size(); ++k) {
    if (levels.child_of_level[k] == static_cast<int32_t>(child)) {
      names.push_back(level_value(levels.input, k));
    }
  }
  return join(names, ", ");
}

// NULL where the level goes to no child.
std::string SqlExpressions::asks_levels(const LoweredLevels& levels, uint32_t child,
                                        bool typical) const {
  const std::string x = cell(levels.input, typical);
  const auto& all = levels.child_of_level;
  const auto here =
      static_cast<size_t>(std::count(all.begin(), all.end(), static_cast<int32_t>(child)));
  const auto nowhere = static_cast<size_t>(std::count(all.begin(), all.end(), -1));
  if (here == 0) {
    // No level goes there, but the condition can be computed.
    const std::string known =
        nowhere == 0 ? x + " IS NOT NULL"
                     : fmt::format("{} NOT IN ({})", x, level_list(levels, uint32_t(-1)));
    return fmt::format("CASE WHEN {} THEN FALSE END", known);
  }
  const bool two = levels.children == 2 && all.size() - here - nowhere < here;
  if (nowhere == 0) {
    if (two && here < all.size()) {
      return fmt::format("{} NOT IN ({})", x, level_list(levels, 1 - child));
    }
    return fmt::format("{} IN ({})", x, level_list(levels, child));
  }
  return fmt::format("CASE WHEN {0} IN ({1}) THEN TRUE WHEN {0} NOT IN ({2}) THEN FALSE END", x,
                     level_list(levels, child), level_list(levels, uint32_t(-1)));
}

// Three answers: NULL where the condition can't be computed.
std::string SqlExpressions::asks(const LoweredCondition& condition, uint32_t child,
                                 bool typical) const {
  if (const auto* const levels = std::get_if<LoweredLevels>(&condition)) {
    return asks_levels(*levels, child, typical);
  }
  const auto& score = std::get<LoweredScore>(condition);
  return fmt::format("{} {} {}", this->score(score, typical), child == 0 ? "<=" : ">",
                     number(score.cut));
}

template <typename Write>
std::vector<std::string> SqlExpressions::alternatives(const LoweredSplit& split,
                                                      const Write& write) const {
  std::vector<std::string> all{write(split.condition, false)};
  for (const LoweredSurrogate& one : split.missing.surrogates) {
    all.push_back(write(one.condition, false));
  }
  if (split.missing.action == MissingAction::impute) all.push_back(write(split.condition, true));
  return all;
}

namespace {

// The child for rows without a value; none: the rule is another one.
std::optional<uint32_t> child_of_missing(const LoweredSplit& split) {
  switch (split.missing.action) {
    case MissingAction::child:
    case MissingAction::impute:
      return split.missing.child;
    case MissingAction::own_child:
      return split.children - 1;
    case MissingAction::shares:
    case MissingAction::stay:
      break;
  }
  return {};
}

}  // namespace

std::string SqlExpressions::goes_to(const LoweredSplit& split, uint32_t child) const {
  const uint32_t asked = condition_children(split.condition);
  std::vector<std::string> all =
      alternatives(split, [&](const LoweredCondition& condition, bool typical) {
        return asks(condition, child < asked ? child : 0, typical);
      });
  if (child >= asked) return "(" + sql_coalesce(all) + ") IS NULL";
  if (child_of_missing(split) == child) all.emplace_back("TRUE");
  return sql_coalesce(all);
}

std::string SqlExpressions::number_of_child(const LoweredCondition& condition, bool typical) const {
  std::string text = "CASE";
  for (uint32_t c = 0; c < condition_children(condition); ++c) {
    const auto* const levels = std::get_if<LoweredLevels>(&condition);
    const std::string list = levels != nullptr ? level_list(*levels, c) : "";
    if (levels != nullptr && list.empty()) continue;
    text += fmt::format(" WHEN {} THEN {}",
                        levels != nullptr
                            ? fmt::format("{} IN ({})", cell(levels->input, typical), list)
                            : asks(condition, c, typical),
                        c);
  }
  return text == "CASE" ? "NULL" : text + " END";
}

std::string SqlExpressions::child_number(const LoweredSplit& split) const {
  std::vector<std::string> all =
      alternatives(split, [&](const LoweredCondition& condition, bool typical) {
        return number_of_child(condition, typical);
      });
  if (const auto child = child_of_missing(split)) all.push_back(fmt::format("{}", *child));
  return sql_coalesce(all);
}

std::string SqlExpressions::ramp(const LoweredScore& score, bool typical) const {
  const std::string under =
      fmt::format("({} - ({}))", number(score.cut), this->score(score, typical));
  const auto side = [&](double width, const char* sign, const char* beyond, double end) {
    std::string text;
    const std::string size = sign[0] == '<' ? "-" + under : under;
    if (width == 0)
      return fmt::format(" WHEN {} {} {} THEN {}", under, sign, number(0), number(end));
    text += fmt::format(" WHEN {} {} {} THEN {}", size, beyond, number(width), number(end));
    if (dialect_.range_errors) {
      text += fmt::format(" WHEN {} > {} AND {} < {} THEN {}", size, number(0), size,
                          number(width * 1e-18), number(0.5));
    }
    return text + fmt::format(" WHEN {} {} {} THEN {} + {} * ({} / {})", under, sign, number(0),
                              number(0.5), number(0.5), under, number(width));
  };
  return "CASE" + side(score.below, ">", ">=", 1) + side(score.above, "<", ">=", 0) +
         fmt::format(" WHEN {} = {} THEN {} END", under, number(0), number(0.5));
}

std::string SqlExpressions::weight(const LoweredCondition& condition, bool typical) const {
  if (!is_soft(condition)) {
    return fmt::format("CASE WHEN {} THEN {} WHEN {} THEN {} END", asks(condition, 0, typical),
                       number(1), asks(condition, 1, typical), number(0));
  }
  const auto& score = std::get<LoweredScore>(condition);
  if (score.link == LinkKind::ramp) return ramp(score, typical);
  const std::string over = fmt::format("{} - {}", this->score(score, typical), number(score.cut));
  // 1 / (1 + exp(x)) = 1/2 - 1/2 tanh(x / 2), which neither overflows nor underflows.
  if (dialect_.range_errors) return fmt::format("0.5 - 0.5 * TANH(0.5 * ({}))", over);
  return fmt::format("{} / ({} + EXP({}))", number(1), number(1), over);
}

std::string SqlExpressions::first_weight(const LoweredSplit& split) const {
  std::vector<std::string> all = alternatives(
      split,
      [&](const LoweredCondition& condition, bool typical) { return weight(condition, typical); });
  const auto child = child_of_missing(split);
  if (child && *child < 2) all.push_back(number(*child == 0 ? 1 : 0));
  return sql_coalesce(all);
}

}  // namespace softwood::render

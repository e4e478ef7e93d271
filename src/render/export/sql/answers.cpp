#include "render/export/sql/answers.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/math.h"
#include "tree/costs.h"

namespace softwood::render {

std::vector<double> mixed_without_formula(const LoweredTree& tree, uint32_t node) {
  std::vector<double> answer = tree.nodes[node].answer;
  if (tree.mixing.kind == MixingKind::scores) {
    for (double& probability : answer) probability = math::log(probability);
  }
  return answer;
}

std::optional<std::vector<double>> constant_mixed(const LoweredTree& tree, uint32_t node) {
  const std::optional<LoweredFormula>& formula = tree.nodes[node].formula;
  if (!formula) return mixed_without_formula(tree, node);
  if (!formula->terms.empty()) return {};
  std::vector<double> outputs;
  for (const LoweredOutput& output : formula->outputs) outputs.push_back(output.constant);
  const bool finite = std::all_of(outputs.begin(), outputs.end(),
                                  [](double output) { return std::isfinite(output); });
  if (!finite) return mixed_without_formula(tree, node);
  if (!tree.is_classifier()) {
    return std::vector<double>{std::clamp(outputs[0], formula->low, formula->high)};
  }
  if (tree.mixing.kind == MixingKind::scores) return outputs;
  math::softmax(outputs);
  std::vector<double> answer(tree.target.classes.size(), 0.0);
  for (size_t o = 0; o < outputs.size(); ++o) {
    answer[formula->outputs[o].class_index] = outputs[o];
  }
  return answer;
}

std::vector<double> final_answer(const LoweredTree& tree, std::vector<double> mixed) {
  if (tree.mixing.kind == MixingKind::scores) math::softmax(mixed);
  if (!tree.is_classifier()) mixed[0] = std::clamp(mixed[0], tree.mixing.low, tree.mixing.high);
  return mixed;
}

namespace {

bool has_threshold(const LoweredTree& tree, const ExportOptions& options) {
  return tree.target.classes.size() == 2 && !std::isnan(options.threshold);
}

// The first class for which a condition holds; `conditions` has all but the last one's.
std::string first_class(const LoweredTree& tree, const std::vector<std::string>& conditions) {
  const std::vector<std::string>& classes = tree.target.classes;
  if (conditions.empty()) return sql_string(classes[0]);
  std::string text = "CASE";
  for (size_t k = 0; k < conditions.size(); ++k) {
    text += fmt::format("\n    WHEN {} THEN {}", conditions[k], sql_string(classes[k]));
  }
  return text + fmt::format("\n    ELSE {}\n  END", sql_string(classes.back()));
}

// Expected costs of the answers, in columns.
std::vector<std::string> cost_columns(const SqlExpressions& sql, SqlStatement& statement,
                                      const std::vector<std::string>& answers) {
  const std::vector<double>& costs = sql.tree().decision.costs;
  const size_t classes = answers.size();
  std::vector<std::string> names;
  for (size_t predicted = 0; predicted < classes; ++predicted) {
    std::vector<std::string> terms{sql.number(0)};
    for (size_t actual = 0; actual < classes; ++actual) {
      const double cost = costs[actual * classes + predicted];
      if (cost != 0) terms.push_back(fmt::format("{} * {}", answers[actual], sql.number(cost)));
    }
    names.push_back(sql.name(fmt::format("cost{}", predicted)));
    statement.add({names.back(), SqlExpressions::sum(terms)});
  }
  statement.end_step();
  return names;
}

std::string class_column(const SqlExpressions& sql, const ExportOptions& options,
                         SqlStatement& statement, const std::vector<std::string>& answers) {
  const LoweredTree& tree = sql.tree();
  if (has_threshold(tree, options)) {
    return fmt::format("CASE WHEN {} >= {} THEN {} ELSE {} END", answers[options.threshold_class],
                       sql.number(options.threshold),
                       sql_string(tree.target.classes[options.threshold_class]),
                       sql_string(tree.target.classes[1 - options.threshold_class]));
  }
  std::vector<std::string> conditions;
  if (tree.decision.costs.empty()) {
    const std::string top = sql.name("top");
    statement.add({top, sql.greatest(answers)});
    statement.end_step();
    for (const std::string& one : answers) conditions.push_back(fmt::format("{} = {}", one, top));
  } else {
    const std::vector<std::string> costs = cost_columns(sql, statement, answers);
    const std::string least = sql.name("least");
    statement.add({least, sql.least(costs)});
    statement.end_step();
    const std::string factor = sql.number(1 - tree.decision.cost_rounding);
    for (const std::string& one : costs) {
      conditions.push_back(fmt::format("{} * {} <= {}", one, factor, least));
    }
  }
  conditions.pop_back();
  return first_class(tree, conditions);
}

}  // namespace

size_t answered_class(const LoweredTree& tree, const ExportOptions& options,
                      const std::vector<double>& probabilities) {
  if (!has_threshold(tree, options)) return cheapest_answer(probabilities, tree.decision.costs);
  const uint32_t of = options.threshold_class;
  return probabilities[of] >= options.threshold ? of : 1 - of;
}

std::vector<std::string> answer_names(const LoweredTree& tree) {
  std::vector<std::string> names{"prediction"};
  for (const std::string& name : tree.target.classes) names.push_back("proba_" + name);
  return names;
}

std::vector<SqlColumn> answer_columns(const SqlExpressions& sql, const ExportOptions& options,
                                      SqlStatement& statement,
                                      const std::vector<std::string>& answers) {
  const LoweredTree& tree = sql.tree();
  const std::vector<std::string> names = answer_names(tree);
  if (!tree.is_classifier()) return {{sql_identifier(names[0]), answers[0]}};
  std::vector<SqlColumn> columns{
      {sql_identifier(names[0]), class_column(sql, options, statement, answers)}};
  for (size_t k = 0; k < answers.size(); ++k) {
    columns.push_back({sql_identifier(names[k + 1]), answers[k]});
  }
  return columns;
}

std::vector<std::string> softmax_columns(const SqlExpressions& sql, SqlStatement& statement,
                                         const std::vector<std::string>& scores) {
  const std::string largest = sql.name("largest");
  // GREATEST of several databases overlooks NULL.
  statement.add({largest, fmt::format("CASE WHEN {} IS NOT NULL THEN {} END", scores[0],
                                      sql.greatest(scores))});
  statement.end_step();
  std::vector<std::string> parts, probabilities;
  for (size_t k = 0; k < scores.size(); ++k) {
    parts.push_back(sql.name(fmt::format("e{}", k)));
    statement.add({parts.back(), sql.exp(fmt::format("({} - {})", scores[k], largest))});
    statement.drop(scores[k]);
  }
  statement.end_step();
  const std::string all = sql.name("all");
  statement.add({all, SqlExpressions::sum(parts)});
  statement.end_step();
  for (const std::string& part : parts) probabilities.push_back(part + " / " + all);
  return probabilities;
}

}  // namespace softwood::render

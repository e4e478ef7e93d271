#include "render/export/sql/answers.h"

#include <fmt/format.h>

#include <cmath>

namespace softwood::render {

namespace {

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
  if (!std::isnan(options.threshold)) {
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

// The tree, its rules, the importance of its inputs and the cost-complexity table, for programs.
#include <algorithm>
#include <cmath>

#include "render/json.h"
#include "render/renderer.h"
#include "render/text/answers.h"
#include "render/text/condition.h"
#include "render/text/impurity.h"
#include "render/text/paths.h"

namespace softwood::render {
namespace {

Json input_names(const LoweredTree& tree, const std::vector<uint32_t>& inputs) {
  Json names = Json::array();
  for (const uint32_t input : inputs) names.push_back(tree.inputs[input].name);
  return names;
}

Json score_json(const LoweredTree& tree, const LoweredScore& score) {
  Json object;
  object["kind"] = is_threshold(score) ? "threshold" : "score";
  object["inputs"] = input_names(tree, term_inputs(score.terms));
  object["cut"] = json_number(score.cut);
  if (!is_threshold(score)) object["sum"] = sum_text(tree, score, no_limit);
  if (const auto soft = soft_range(score)) {
    object["soft"] = {{"low", json_number(soft->low)}, {"high", json_number(soft->high)}};
  }
  return object;
}

Json levels_json(const LoweredTree& tree, const LoweredLevels& levels) {
  Json object;
  object["kind"] = "levels";
  object["inputs"] = Json::array({tree.inputs[levels.input].name});
  object["levels"] = Json::array();
  const LevelsByChild by_child(levels);
  for (uint32_t child = 0; child < levels.children; ++child) {
    object["levels"].push_back(level_names(tree, levels.input, by_child.of(child)));
  }
  return object;
}

// Structured, and as text: that of the first child.
Json condition_json(const LoweredTree& tree, const LoweredCondition& condition) {
  const auto* const score = std::get_if<LoweredScore>(&condition);
  Json object = score != nullptr ? score_json(tree, *score)
                                 : levels_json(tree, std::get<LoweredLevels>(condition));
  object["text"] = condition_text(tree, condition, 0);
  return object;
}

const char* action_name(MissingAction action) {
  switch (action) {
    case MissingAction::child:
      return "child";
    case MissingAction::shares:
      return "shares";
    case MissingAction::stay:
      return "stay";
    case MissingAction::own_child:
      return "own_child";
    case MissingAction::impute:
      return "impute";
  }
  return "child";
}

// Where rows without a value go, after the surrogates: `node` where that is one.
Json missing_json(const LoweredSplit& split) {
  const LoweredMissing& missing = split.missing;
  const bool own = missing.action == MissingAction::own_child;
  const bool one =
      own || missing.action == MissingAction::child || missing.action == MissingAction::impute;
  const uint32_t child = own ? split.children - 1 : missing.child;
  Json object;
  object["action"] = action_name(missing.action);
  object["node"] = one ? Json(split.first_child + child) : Json(nullptr);
  if (missing.action == MissingAction::shares) object["shares"] = missing.shares;
  return object;
}

Json split_json(const LoweredTree& tree, const LoweredNode& node) {
  const LoweredSplit& split = *node.split;
  Json object;
  object["condition"] = condition_json(tree, split.condition);
  object["children"] = Json::array();
  for (uint32_t c = 0; c < split.children; ++c) object["children"].push_back(split.first_child + c);
  object["decrease"] = json_number(split.decrease);
  object["gain"] = json_number(split.gain);
  if (tree.origin.by_gain_ratio) {
    const GainRatio ratio = gain_ratio_of(tree, node);
    object["gain_before_correction"] = json_number(ratio.plain_gain);
    object["split_information"] = json_number(ratio.split_information);
    object["gain_ratio"] = json_number(ratio.ratio);
  }
  object["alpha"] = json_number(split.alpha);
  object["statistic"] = json_number(split.statistic);
  object["p"] = json_number(std::exp(split.log_p));
  object["missing"] = missing_json(split);
  object["missing_weight"] = json_number(split.missing.weight);
  object["surrogates"] = Json::array();
  for (const LoweredSurrogate& surrogate : split.missing.surrogates) {
    object["surrogates"].push_back({{"condition", condition_json(tree, surrogate.condition)},
                                    {"agreement", json_number(surrogate.agreement)},
                                    {"adjusted", json_number(surrogate.adjusted)}});
  }
  object["competitors"] = Json::array();
  for (const LoweredCompetitor& competitor : split.competitors) {
    object["competitors"].push_back({{"condition", condition_json(tree, competitor.condition)},
                                     {"gain", json_number(competitor.gain)}});
  }
  return object;
}

Json impurity_json(const LoweredTree& tree, const LoweredNode& node) {
  Json object;
  for (const Impurity& impurity : impurities_of(tree, node)) {
    object[impurity.key] = json_number(impurity.value);
  }
  return object;
}

Json prediction_json(const LoweredTree& tree, const NodeAnswers& answers, uint32_t i) {
  if (!tree.is_classifier()) return json_number(answers.number(i));
  return tree.target.classes[answers.decided(i)];
}

Json formula_json(const LoweredTree& tree, const LoweredNode& node) {
  return node.formula ? Json(formula_lines(tree, *node.formula, no_limit)) : Json(nullptr);
}

Json node_json(const LoweredTree& tree, const NodeAnswers& answers, EdgeTexts& edges, uint32_t i) {
  const LoweredNode& node = tree.nodes[i];
  Json object;
  object["node"] = i;
  object["parent"] = i == 0 ? Json(nullptr) : Json(node.parent);
  object["depth"] = node.depth;
  object["condition"] = i == 0 ? Json(nullptr) : Json(edges.of(i));
  object["weight"] = json_number(node.weight);
  object["share"] = json_number(node.share);
  object["prediction"] = prediction_json(tree, answers, i);
  if (tree.is_classifier()) {
    const auto of = answers.of(i);
    object["probabilities"] = std::vector<double>(of.begin(), of.end());
    object["class_weights"] = node.class_weights;
  } else {
    object["mean"] = json_number(node.mean);
    object["deviance"] = json_number(node.deviation);
  }
  object["impurity"] = impurity_json(tree, node);
  object["risk"] = json_number(node.risk);
  object["formula"] = formula_json(tree, node);
  object["split"] = node.split ? split_json(tree, node) : Json(nullptr);
  return object;
}

Json rule_json(const LoweredTree& tree, const NodeAnswers& answers, PathConditions& paths,
               uint32_t i) {
  Json object;
  object["node"] = i;
  object["conditions"] = paths.of(i);
  object["prediction"] = prediction_json(tree, answers, i);
  object["formula"] = formula_json(tree, tree.nodes[i]);
  object["weight"] = json_number(tree.nodes[i].weight);
  if (tree.is_classifier()) object["confidence"] = json_number(answers.share(i));
  return object;
}

Json importance_json(const LoweredTree& tree) {
  Json object = Json::object();
  std::vector<const LoweredInput*> order;
  for (const LoweredInput& input : tree.inputs) order.push_back(&input);
  std::stable_sort(order.begin(), order.end(), [](const LoweredInput* a, const LoweredInput* b) {
    return a->importance > b->importance;
  });
  for (const LoweredInput* const input : order) {
    object[input->name] = json_number(input->importance);
  }
  return object;
}

Json complexity_json(const LoweredTree& tree) {
  if (!tree.complexity) return nullptr;
  const LoweredComplexity& table = *tree.complexity;
  Json list = Json::array();
  for (size_t i = 0; i < table.trees.size(); ++i) {
    const LoweredPruning& row = table.trees[i];
    list.push_back({{"cp", json_number(row.alpha)},
                    {"splits", row.splits},
                    {"error", json_number(row.error)},
                    {"xerror", json_number(row.cv_error)},
                    {"xstd", json_number(row.cv_deviation)},
                    {"chosen", i == table.chosen}});
  }
  return list;
}

}  // namespace

std::string tree_json(const LoweredTree& tree, const RenderOptions& /*options*/) {
  const NodeAnswers answers(tree);
  const LoweredOrigin& origin = tree.origin;
  Json object;
  object["target"] = tree.target.name;
  object["task"] = tree.is_classifier() ? "classification" : "regression";
  object["classes"] = tree.target.classes;
  if (tree.target.classes.size() == 2) {
    object["positive"] = tree.target.classes[tree.target.positive];
  }
  object["method"] = origin.method.empty() ? Json(nullptr) : Json(origin.method);
  object["recipe"] = origin.recipe;
  if (!origin.chosen.empty()) object["chosen"] = origin.chosen;
  object["gain_name"] = origin.gain_name.empty() ? Json(nullptr) : Json(origin.gain_name);
  object["nodes"] = tree.nodes.size();
  object["leaves"] = tree.leaves;
  object["depth"] = tree.depth;
  object["parameters"] = tree.parameters;
  object["importance"] = importance_json(tree);
  object["complexity"] = complexity_json(tree);
  EdgeTexts edges(tree);
  PathConditions paths(tree);
  object["tree"] = Json::array();
  object["rules"] = Json::array();
  for (uint32_t i = 0; i < tree.nodes.size(); ++i) {
    object["tree"].push_back(node_json(tree, answers, edges, i));
    if (tree.nodes[i].is_leaf()) object["rules"].push_back(rule_json(tree, answers, paths, i));
  }
  return json_text(object) + "\n";
}

}  // namespace softwood::render

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/text.h"
#include "lower/condition.h"
#include "render/export/node_answers.h"
#include "render/export/pmml/models.h"

namespace softwood::render::pmml {
namespace {

std::string simple(const std::string& field, const char* comparison, const std::string& value) {
  return element("SimplePredicate", {{"field", field}, {"operator", comparison}, {"value", value}});
}

std::string is_missing(const std::string& field) {
  return element("SimplePredicate", {{"field", field}, {"operator", "isMissing"}});
}

std::string compound(const char* link, const std::vector<std::string>& parts) {
  if (parts.size() == 1) return parts[0];
  return element("CompoundPredicate", {{"booleanOperator", link}}, join(parts, ""));
}

// Evaluators read quotes and backslashes in arrays in different ways.
bool fits_in_array(const std::string& level) {
  return !level.empty() && std::all_of(level.begin(), level.end(), [](char c) {
    return static_cast<unsigned char>(c) >= ' ' && c != '"' && c != '\\';
  });
}

std::string one_of(const std::string& field, const std::vector<std::string>& levels) {
  std::vector<std::string> parts;
  if (levels.size() > 1 && std::all_of(levels.begin(), levels.end(), fits_in_array)) {
    for (const std::string& level : levels) parts.push_back('"' + escaped(level) + '"');
    const std::string array = element(
        "Array", {{"type", "string"}, {"n", std::to_string(levels.size())}}, join(parts, " "));
    return element("SimpleSetPredicate", {{"field", field}, {"booleanOperator", "isIn"}}, array);
  }
  for (const std::string& level : levels) parts.push_back(simple(field, "equal", level));
  return compound("or", parts);
}

class TreeNodes {
 public:
  TreeNodes(const LoweredTree& tree, const Routes& routes, const ExportOptions& options,
            Fields& fields)
      : tree_(tree), routes_(routes), options_(options), fields_(fields) {}

  std::string text() {
    open_.push_back({0, "<True/>", 1, false});
    while (!open_.empty()) {
      const Piece piece = std::move(open_.back());
      open_.pop_back();
      // Deep trees would be blanks above all.
      constexpr size_t most_blanks = 60;
      const std::string margin(std::min(piece.depth, most_blanks), ' ');
      if (piece.is_end) {
        text_ += margin + "</Node>\n";
      } else {
        write(piece, margin);
      }
    }
    return std::move(text_);
  }

 private:
  // A condition as predicates on one field.
  struct Question {
    std::string field;
    std::vector<std::string> predicates;  // by child
    std::string unseen;                   // levels that count as missing; empty: none
  };

  // What is still to be written, the next one last. Trees may be deeper than a stack of calls.
  struct Piece {
    uint32_t node;
    std::string predicate;
    size_t depth;
    bool is_end;  // of the node
  };

  void write(const Piece& piece, const std::string& margin) {
    const RouteNode& node = routes_.nodes[piece.node];
    Attributes attributes{{"id", std::to_string(piece.node)}};
    if (node.is_leaf()) {
      const LoweredNode& leaf = tree_.nodes[node.source];
      const std::vector<double> answer = hard_answer(tree_, leaf);
      attributes.emplace_back("score", score_of(answer));
      attributes.emplace_back("recordCount", number_text(leaf.weight));
      text_ += fmt::format("{}{}{}{}</Node>\n", margin, opened("Node", attributes), piece.predicate,
                           distribution(leaf, answer));
      return;
    }
    const std::vector<std::string> predicates = predicates_of(node);
    const auto missing = uint32_t(node.missing_child());
    attributes.emplace_back("defaultChild", std::to_string(node.first_child + missing));
    text_ += fmt::format("{}{}{}\n", margin, opened("Node", attributes), piece.predicate);
    open_.push_back({piece.node, {}, piece.depth, true});
    const auto add = [&](uint32_t c) {
      open_.push_back({node.first_child + c, predicates[c], piece.depth + 1, false});
    };
    // A child of missing values first: evaluators stop at the first predicate that is unknown.
    const bool own = asks_missing(node);
    for (uint32_t c = node.children; c-- > 0;) {
      if (!own || c != missing) add(c);
    }
    if (own) add(missing);
  }

  std::string score_of(const std::vector<double>& answer) const {
    if (!tree_.is_classifier()) return number_text(answer[0]);
    return tree_.target.classes[decided_class(tree_, options_, answer)];
  }

  std::string distribution(const LoweredNode& leaf, const std::vector<double>& answer) const {
    std::string text;
    if (!tree_.is_classifier()) return text;
    for (size_t k = 0; k < answer.size(); ++k) {
      text += element("ScoreDistribution", {{"value", tree_.target.classes[k]},
                                            {"recordCount", number_text(leaf.class_weights[k])},
                                            {"probability", number_text(answer[k])}});
    }
    return text;
  }

  // Whether the last child is for rows without a value alone.
  static bool asks_missing(const RouteNode& node) {
    return node.children > condition_children(*node.conditions[0].condition);
  }

  std::vector<std::string> predicates_of(const RouteNode& node) {
    std::vector<Question> questions;
    for (const RouteCondition& one : node.conditions) {
      questions.push_back(question(node, one, node.conditions.size() == 1));
    }
    std::vector<std::string> predicates;
    const uint32_t asked = condition_children(*node.conditions[0].condition);
    for (uint32_t c = 0; c < asked; ++c) {
      std::vector<std::string> parts;
      for (const Question& one : questions) parts.push_back(one.predicates[c]);
      predicates.push_back(compound("surrogate", parts));
    }
    if (asks_missing(node)) {
      std::vector<std::string> parts;
      for (const Question& one : questions) parts.push_back(is_missing(one.field));
      std::string none = compound("and", parts);
      if (!questions[0].unseen.empty()) none = compound("or", {none, questions[0].unseen});
      predicates.push_back(none);
    }
    return predicates;
  }

  Question question(const RouteNode& node, const RouteCondition& one, bool alone) {
    if (const auto* const levels = std::get_if<LoweredLevels>(one.condition)) {
      return level_question(node, *levels, one.typical, alone);
    }
    const auto& score = std::get<LoweredScore>(*one.condition);
    const LoweredInput& input = tree_.inputs[score.terms[0].input];
    if (is_threshold(score) && input.kind != InputKind::numeric) {
      // Levels in their order.
      LoweredLevels levels{score.terms[0].input, 2, {}};
      for (size_t l = 0; l < input.levels.size(); ++l) {
        levels.child_of_level.push_back(double(l) <= score.cut ? 0 : 1);
      }
      return level_question(node, levels, one.typical, alone);
    }
    Question asked;
    asked.field = is_threshold(score) ? input.name : fields_.score(score, one.typical);
    const std::string cut = number_text(score.cut);
    asked.predicates = {simple(asked.field, "lessOrEqual", cut),
                        simple(asked.field, "greaterThan", cut)};
    return asked;
  }

  // `alone`: no other condition is tried where a level was not seen. Conditions with typical values
  // are never alone and have levels that were not seen.
  Question level_question(const RouteNode& node, const LoweredLevels& levels, bool typical,
                          bool alone) {
    const LoweredInput& input = tree_.inputs[levels.input];
    std::vector<std::vector<std::string>> sets(levels.children);
    std::vector<std::string> unseen;
    for (size_t l = 0; l < levels.child_of_level.size(); ++l) {
      const int32_t child = levels.child_of_level[l];
      (child < 0 ? unseen : sets[size_t(child)]).push_back(input.levels[l]);
    }
    Question asked;
    if (!alone && !unseen.empty()) {
      asked.field = fields_.child_number(levels, typical);
      for (uint32_t c = 0; c < levels.children; ++c) {
        asked.predicates.push_back(simple(asked.field, "equal", std::to_string(c)));
      }
      return asked;
    }
    asked.field = input.name;
    const auto missing = size_t(node.missing_child());
    if (missing < sets.size()) {
      sets[missing].insert(sets[missing].end(), unseen.begin(), unseen.end());
    } else if (!unseen.empty()) {
      asked.unseen = one_of(input.name, unseen);
    }
    for (const std::vector<std::string>& set : sets) {
      asked.predicates.push_back(set.empty() ? nothing(input) : one_of(input.name, set));
    }
    return asked;
  }

  // False where there is a value, unknown where not.
  static std::string nothing(const LoweredInput& input) {
    const std::string& level = input.levels[0];
    return compound("and",
                    {simple(input.name, "equal", level), simple(input.name, "notEqual", level)});
  }

  const LoweredTree& tree_;
  const Routes& routes_;
  const ExportOptions& options_;
  Fields& fields_;
  std::string text_;
  std::vector<Piece> open_;
};

}  // namespace

std::string tree_nodes(const LoweredTree& tree, const Routes& routes, const ExportOptions& options,
                       Fields& fields) {
  return TreeNodes(tree, routes, options, fields).text();
}

}  // namespace softwood::render::pmml

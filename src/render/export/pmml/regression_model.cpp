#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "base/text.h"
#include "render/export/node_answers.h"
#include "render/export/pmml/models.h"

namespace softwood::render::pmml {
namespace {

using Strings = std::vector<std::string>;

std::string choice(const std::string& condition, const std::string& yes, const std::string& no) {
  return call("if", {condition, yes, no});
}

class Regression {
 public:
  Regression(const LoweredTree& tree, const Routes& routes, const ExportOptions& options,
             Fields& fields)
      : tree_(tree),
        routes_(routes),
        options_(options),
        fields_(fields),
        outputs_(tree.nodes[0].answer.size()),
        scores_(tree.mixing.kind == MixingKind::scores) {}

  RegressionTables result() {
    add_shares();
    predictors_.resize(outputs_);
    for (const uint32_t leaf : routes_.leaves()) add_leaf(leaf);
    RegressionTables result;
    const bool decides = !std::isnan(options_.threshold) || !tree_.decision.costs.empty();
    if (decides && tree_.is_classifier()) {
      result.probabilities = probability_fields();
      predictors_ = decision_predictors(result.probabilities);
    } else if (scores_) {
      // Not by normalizationMethod="softmax": evaluators overflow.
      const Strings fields = probability_fields();
      for (size_t k = 0; k < outputs_; ++k) predictors_[k] = {{fields[k], 1}};
    }
    for (size_t k = 0; k < outputs_; ++k) result.tables += table(k);
    return result;
  }

 private:
  struct Predictor {
    std::string field;
    double coefficient;
  };

  // The share of a row at every node. Children of one split have consecutive numbers.
  void add_shares() {
    shares_.assign(routes_.nodes.size(), "");
    for (uint32_t i = 0; i < routes_.nodes.size(); ++i) {
      if (!routes_.nodes[i].is_leaf()) add_children(i);
    }
  }

  void add_children(uint32_t index) {
    const RouteNode& node = routes_.nodes[index];
    Strings questions;
    for (const RouteCondition& one : node.conditions) questions.push_back(question(one));
    for (uint32_t c = 0; c < node.children; ++c) {
      std::string weight = number(node.otherwise[c]);
      for (size_t q = questions.size(); q-- > 0;) {
        const std::string asked = reference(questions[q]);
        weight = choice(call("isMissing", {asked}), weight,
                        part(*node.conditions[q].condition, asked, c));
      }
      const std::string above = shares_[index];
      std::string share = reference(fields_.add("weight", weight));
      if (!above.empty()) share = call("*", {reference(above), share});
      const std::string followed =
          choice(call("greaterThan", {share, number(tree_.smallest_share)}), share, number(0));
      shares_[node.first_child + c] = fields_.add("share", followed);
    }
  }

  // The field that is the weight of the first child, or the number of the child.
  std::string question(const RouteCondition& one) {
    if (const auto* const levels = std::get_if<LoweredLevels>(one.condition)) {
      return fields_.child_number(*levels, one.typical);
    }
    const auto& score = std::get<LoweredScore>(*one.condition);
    const std::string value = reference(fields_.score(score, one.typical));
    return fields_.add("first", known(value, Fields::weight(score, value)));
  }

  static std::string part(const LoweredCondition& condition, const std::string& asked,
                          uint32_t child) {
    if (std::holds_alternative<LoweredLevels>(condition)) {
      return choice(call("equal", {asked, number(child)}), number(1), number(0));
    }
    return child == 0 ? asked : child == 1 ? call("-", {number(1), asked}) : number(0);
  }

  void add_leaf(uint32_t index) {
    const LoweredNode& leaf = tree_.nodes[routes_.nodes[index].source];
    if (shares_[index].empty()) shares_[index] = fields_.add("share", number(1));  // a root alone
    if (const auto constants = constant_answer(tree_, leaf)) {
      for (size_t k = 0; k < outputs_; ++k) {
        if ((*constants)[k] != 0) predictors_[k].push_back({shares_[index], (*constants)[k]});
      }
      return;
    }
    const Strings answers = formula_answers(leaf);
    for (size_t k = 0; k < outputs_; ++k) {
      const std::string product = call("*", {reference(shares_[index]), answers[k]});
      predictors_[k].push_back({fields_.add("part", product), 1});
    }
  }

  // Expressions of what a leaf with a formula answers.
  Strings formula_answers(const LoweredNode& leaf) {
    const LoweredFormula& formula = *leaf.formula;
    Strings sums, sizes;
    for (const LoweredOutput& output : formula.outputs) {
      Strings parts{number(output.constant)};
      for (size_t t = 0; t < formula.terms.size(); ++t) {
        parts.push_back(
            call("*", {number(output.coefficients[t]), fields_.term(formula.terms[t], true)}));
      }
      sums.push_back(reference(fields_.add("output", sum(parts))));
      sizes.push_back(known(sums.back(), call("abs", {sums.back()})));
    }
    // Missing or infinite where one of them is.
    const std::string size = reference(fields_.add("size", balanced_sum(sizes)));
    const std::string finite =
        call("lessOrEqual", {size, number(std::numeric_limits<double>::max())});
    const std::string good =
        reference(fields_.add("good", choice(call("isMissing", {size}), number(0),
                                             choice(finite, number(1), number(0)))));
    const std::string is_good = call("equal", {good, number(1)});
    const Strings values = linked(formula, sums, is_good);
    const std::vector<double> constants = constants_of(tree_, leaf);
    Strings answers;
    for (size_t k = 0; k < outputs_; ++k) {
      answers.push_back(
          reference(fields_.add("answer", choice(is_good, values[k], number(constants[k])))));
    }
    return answers;
  }

  Strings linked(const LoweredFormula& formula, const Strings& sums, const std::string& is_good) {
    if (!tree_.is_classifier()) {
      const std::string held = call("max", {sums[0], number(formula.low)});
      return {call("min", {held, number(formula.high)})};
    }
    Strings values(outputs_, number(scores_ ? log_of_zero : 0));
    const Strings listed = scores_ ? sums : softmax(sums, is_good);
    for (size_t o = 0; o < sums.size(); ++o) values[formula.outputs[o].class_index] = listed[o];
    return values;
  }

  // `is_good`: where the values are not missing.
  Strings softmax(const Strings& values, const std::string& is_good) {
    const std::string top =
        values.size() == 1 ? values[0] : reference(fields_.add("top", call("max", values)));
    Strings powers, shares;
    for (const std::string& value : values) {
      powers.push_back(reference(
          fields_.add("power", call("if", {is_good, call("exp", {call("-", {value, top})})}))));
    }
    const std::string total = reference(fields_.add("total", balanced_sum(powers)));
    for (const std::string& power : powers) shares.push_back(call("/", {power, total}));
    return shares;
  }

  Strings probability_fields() {
    Strings sums;
    for (const std::vector<Predictor>& predictors : predictors_) {
      Strings parts;
      for (const Predictor& one : predictors) {
        parts.push_back(call("*", {number(one.coefficient), reference(one.field)}));
      }
      sums.push_back(
          reference(fields_.add("mixed", parts.empty() ? number(0) : balanced_sum(parts))));
    }
    if (scores_) sums = softmax(sums, call("isNotMissing", {sums[0]}));
    Strings names;
    for (const std::string& sum : sums) names.push_back(fields_.add("probability", sum));
    return names;
  }

  // What is largest for the class that is decided for.
  std::vector<std::vector<Predictor>> decision_predictors(const Strings& probabilities) {
    std::vector<std::vector<Predictor>> all(outputs_);
    if (!std::isnan(options_.threshold)) {
      const size_t chosen = options_.threshold_class;
      const std::string reached =
          call("greaterOrEqual", {reference(probabilities[chosen]), number(options_.threshold)});
      all[chosen] = {{fields_.add("chosen", choice(reached, number(1), number(0))), 1}};
      all[1 - chosen] = {{fields_.add("other", choice(reached, number(0), number(1))), 1}};
      return all;
    }
    Strings costs;
    for (size_t predicted = 0; predicted < outputs_; ++predicted) {
      Strings parts;
      for (size_t actual = 0; actual < outputs_; ++actual) {
        const double cost = tree_.decision.costs[actual * outputs_ + predicted];
        parts.push_back(call("*", {reference(probabilities[actual]), number(cost)}));
      }
      costs.push_back(reference(fields_.add("cost", sum(parts))));
    }
    // The first class that is cheapest but for rounding.
    const std::string least = reference(fields_.add("least", call("min", costs)));
    const double kept = 1 - tree_.decision.cost_rounding;
    std::string cheapest = number(double(outputs_ - 1));
    for (size_t k = outputs_ - 1; k-- > 0;) {
      const std::string reduced = call("*", {costs[k], number(kept)});
      cheapest = choice(call("lessOrEqual", {reduced, least}), number(double(k)), cheapest);
    }
    const std::string chosen = reference(fields_.add("cheapest", cheapest));
    for (size_t k = 0; k < outputs_; ++k) {
      const std::string is_chosen = call("equal", {chosen, number(double(k))});
      all[k] = {{fields_.add("chosen", choice(is_chosen, number(1), number(0))), 1}};
    }
    return all;
  }

  std::string table(size_t output) const {
    std::string content = "\n";
    for (const Predictor& one : predictors_[output]) {
      content += "   " +
                 element("NumericPredictor",
                         {{"name", one.field}, {"coefficient", number_text(one.coefficient)}}) +
                 "\n";
    }
    Attributes attributes{{"intercept", "0"}};
    if (tree_.is_classifier()) {
      attributes.emplace_back("targetCategory", tree_.target.classes[output]);
    }
    return "  " + element("RegressionTable", attributes, content + "  ") + "\n";
  }

  const LoweredTree& tree_;
  const Routes& routes_;
  const ExportOptions& options_;
  Fields& fields_;
  size_t outputs_;
  bool scores_;
  Strings shares_;                                  // names of fields by node; empty: 1
  std::vector<std::vector<Predictor>> predictors_;  // by output
};

}  // namespace

RegressionTables regression_tables(const LoweredTree& tree, const Routes& routes,
                                   const ExportOptions& options, Fields& fields) {
  return Regression(tree, routes, options, fields).result();
}

}  // namespace softwood::render::pmml

// Small models and random trees for tests.
#pragma once

#include <utility>
#include <vector>

#include "base/random.h"
#include "tree/model.h"

namespace softwood::testing {

// The well-known small tree of the iris data: three leaves, two thresholds.
inline Model iris_model() {
  Schema schema;
  for (const char* name : {"sepal_length", "sepal_width", "petal_length", "petal_width"}) {
    schema.features.push_back({name, Kind::numeric, {}});
  }
  schema.target = {"species", Kind::nominal, {"setosa", "versicolor", "virginica"}};
  Tree tree(Task::classification, 3);
  const auto fill = [&](NodeIndex i, double a, double b, double c) {
    tree.sums(i)[0] = a;
    tree.sums(i)[1] = b;
    tree.sums(i)[2] = c;
  };
  fill(0, 50, 50, 50);
  const NodeIndex first = tree.split(0, threshold_gate(2, 2.45), {});
  fill(first, 50, 0, 0);
  fill(first + 1, 0, 50, 50);
  Missing right;
  right.child = 1;
  const NodeIndex second = tree.split(first + 1, threshold_gate(3, 1.75), right);
  fill(second, 0, 49, 5);
  fill(second + 1, 0, 1, 45);
  tree.node(0).notes() = {1.0 / 3, 0.5};
  tree.node(2).notes().gain = 0.38969404186795487;
  Model model{schema, tree, {"cart", "grow | prune", 1, "0.1.0", "0123456789abcdef", 150}, {}};
  model.complexity = ComplexityTable{
      {{0.5, 0, 1.0, 1.14, 0.0523}, {0.44, 1, 0.5, 0.64, 0.0611}, {0.01, 2, 0.06, 0.09, 0.0291}},
      2,
      100,
      150};
  return model;
}

// A number and a nominal input, for models of leaves.
inline Schema leaf_schema(Task task) {
  Schema schema;
  schema.features = {{"a", Kind::numeric, {}}, {"colour", Kind::nominal, {"red", "blue"}}};
  schema.target = task == Task::regression ? Feature{"y", Kind::numeric, {}}
                                           : Feature{"class", Kind::nominal, {"no", "yes", "so"}};
  return schema;
}

// y = 3 + 0.5 a - 2 [colour = blue], from 0 to 9
inline LeafModel line_leaf() {
  LeafModel model;
  model.terms = {{TermForm::value, 0, 0, 1.0}, {TermForm::level, 1, 1, 1.0}};
  model.coefficients = {3, 0.5, -2};
  model.low = 0;
  model.high = 9;
  return model;
}

// Of the classes no and so.
inline LeafModel odds_leaf() {
  LeafModel model;
  model.link = LeafLink::softmax;
  model.terms = {{TermForm::value, 0, 0, 1.0}};
  model.classes = {0, 2};
  model.coefficients = {0, 0, 1, -0.5};
  return model;
}

// Two numeric features, one ordinal and two nominal ones.
inline Schema mixed_schema(Task task) {
  Schema schema;
  schema.features = {{"a", Kind::numeric, {}},
                     {"b", Kind::numeric, {}},
                     {"grade", Kind::ordinal, {"low", "mid", "high"}},
                     {"colour", Kind::nominal, {"red", "green", "blue", "dark \"grey\""}},
                     {"shape", Kind::nominal, {"round", "square"}}};
  schema.target = task == Task::regression
                      ? Feature{"y", Kind::numeric, {}}
                      : Feature{"class", Kind::nominal, {"no", "yes", "maybe"}};
  return schema;
}

inline Gate random_levels(const Schema& schema, uint32_t feature, uint32_t children,
                          Random& random) {
  LevelsGate gate;
  gate.feature = feature;
  gate.children = children;
  for (size_t l = 0; l < schema.features[feature].levels.size(); ++l) {
    gate.child_of_level.push_back(static_cast<int32_t>(random.below(children + 1)) - 1);
  }
  return gate;
}

inline Gate random_score(const Schema& schema, bool hard, Random& random) {
  ScoreGate gate;
  if (random.below(2) == 0) {
    gate = threshold_gate(static_cast<uint32_t>(random.below(3)), random.normal());
  } else {
    for (uint64_t terms = 1 + random.below(3); terms > 0; --terms) {
      Term term;
      term.form = static_cast<TermForm>(random.below(5));
      term.feature = static_cast<uint32_t>(random.below(3));
      if (term.form == TermForm::level) {
        term.feature = 2 + static_cast<uint32_t>(random.below(3));
        term.other =
            static_cast<uint32_t>(random.below(schema.features[term.feature].levels.size()));
      }
      if (term.form == TermForm::product) term.other = static_cast<uint32_t>(random.below(3));
      if (term.form == TermForm::asinh) {
        term.centre = random.normal();
        term.scale = 0.1 + random.uniform();
      }
      term.coefficient = random.normal();
      if (random.below(2) == 0) term.spread = random.uniform();
      gate.terms.push_back(term);
    }
    gate.cut = random.normal();
  }
  if (hard) return gate;
  gate.link.form = static_cast<LinkForm>(random.below(3));
  if (gate.link.form == LinkForm::ramp) {
    gate.link.below = random.below(4) == 0 ? 0 : random.uniform();
    gate.link.above = random.uniform();
  }
  return gate;
}

struct RandomTreeOptions {
  bool hard = false;             // only gates and rules that give single paths
  bool only_thresholds = false;  // and only plain thresholds with a child for missing values
  size_t splits = 12;
  bool only_levels = false;            // only gates over levels
  bool thresholds_and_levels = false;  // only plain thresholds and gates over levels
};

inline Missing random_missing(const Schema& schema, uint32_t children,
                              const RandomTreeOptions& options, Random& random) {
  Missing missing;
  if (options.only_thresholds) {
    missing.child = static_cast<uint32_t>(random.below(2));
    return missing;
  }
  switch (random.below(5)) {
    case 0:
      missing.child = static_cast<uint32_t>(random.below(children));
      break;
    case 3:
      missing.rule = MissingRule::own;
      break;
    case 4:
      missing.rule = MissingRule::impute;
      missing.child = static_cast<uint32_t>(random.below(children));
      break;
    case 1:
      missing.rule = MissingRule::stay;
      break;
    default:
      if (options.hard) break;
      missing.rule = MissingRule::shares;
      double left = 1;
      for (uint32_t c = 0; c + 1 < children; ++c) {
        missing.shares.push_back(left * random.uniform());
        left -= missing.shares.back();
      }
      missing.shares.push_back(left);
  }
  for (uint64_t s = random.below(3); s > 0; --s) {
    missing.surrogates.push_back({children == 2 && random.below(2) == 0
                                      ? random_score(schema, options.hard, random)
                                      : random_levels(schema, 4, children, random),
                                  random.uniform(), random.uniform()});
  }
  return missing;
}

// Of features that have a typical value in random_tree().
inline LeafModel random_leaf_model(const Schema& schema, Random& random) {
  LeafModel model;
  model.terms = {{TermForm::value, 0, 0, 1.0},
                 {TermForm::level, 3, static_cast<uint32_t>(random.below(4)), 1.0},
                 {TermForm::square, 2, 0, 1.0},
                 {TermForm::product, 0, 2, 1.0}};
  model.terms.resize(random.below(5));
  if (schema.task() == Task::classification) {
    model.link = LeafLink::softmax;
    model.classes = {0, 1, 2};
    if (random.below(2) == 0) model.classes.erase(model.classes.begin() + 1);
  } else {
    model.low = random.normal();
    model.high = model.low + random.uniform();
  }
  for (size_t i = 0; i < model.outputs() * (1 + model.terms.size()); ++i) {
    model.coefficients.push_back(random.below(4) == 0 ? 0.0 : random.normal());
  }
  return model;
}

inline Tree random_tree(const Schema& schema, const RandomTreeOptions& options, Random& random) {
  Tree tree(schema.task(), schema.classes());
  // One number, one without a value, and levels.
  if (!options.only_thresholds) tree.set_typical({0.25, missing_number, 1, 2, 0});
  for (size_t s = 0; s < options.splits; ++s) {
    const auto i = static_cast<NodeIndex>(random.below(tree.size()));
    if (!tree.node(i).is_leaf()) continue;
    Gate gate = threshold_gate(static_cast<uint32_t>(random.below(3)), random.normal());
    if (options.only_levels || (options.thresholds_and_levels && random.below(2) == 0)) {
      const auto feature = 3 + static_cast<uint32_t>(random.below(2));
      gate = random_levels(schema, feature, 2 + static_cast<uint32_t>(random.below(3)), random);
    } else if (!options.only_thresholds && !options.thresholds_and_levels) {
      gate = random.below(3) == 0
                 ? random_levels(schema, 3, 2 + static_cast<uint32_t>(random.below(3)), random)
                 : random_score(schema, options.hard, random);
    }
    const uint32_t children = gate_children(gate);
    tree.split(i, std::move(gate), random_missing(schema, children, options, random));
    if (random.below(2) == 0) {
      tree.node(i).notes() = {random.uniform(), random.uniform(), random.uniform(),
                              -random.uniform()};
    }
  }
  for (NodeIndex i = 0; i < tree.size(); ++i) {
    for (double& sum : tree.sums(i)) {
      sum = random.below(5) == 0 ? 0.0 : static_cast<double>(random.below(100)) * random.uniform();
    }
  }
  if (!options.only_thresholds && random.below(2) == 0) {
    LeafPlan plan = fitted_leaves(schema.task() == Task::regression ? "ridge" : "logistic");
    plan.penalty = 0.5;
    tree.set_leaf_plan(plan);
    for (NodeIndex i = 0; i < tree.size(); ++i) {
      if (tree.node(i).is_leaf() && random.below(2) == 0) {
        tree.node(i).model = Owned<LeafModel>(random_leaf_model(schema, random));
      }
    }
  }
  tree.canonicalise();
  return tree;
}

// Rows for mixed_schema, with missing cells and a target.
inline Table random_table(const Schema& schema, size_t rows, Random& random) {
  std::vector<Column> inputs;
  const auto column_of = [&](const Feature& feature, uint64_t missing_in_8) -> Column {
    ColumnDraft column(feature.kind);
    for (size_t i = 0; i < rows; ++i) {
      const bool missing = random.below(8) < missing_in_8;
      if (feature.kind == Kind::numeric) {
        column.numbers.push_back(missing ? missing_number : random.normal());
      } else {
        column.codes.push_back(missing ? missing_code
                                       : static_cast<int32_t>(random.below(feature.levels.size())));
      }
    }
    return column;
  };
  for (const Feature& feature : schema.features) inputs.push_back(column_of(feature, 1));
  return {schema, rows, std::move(inputs), column_of(schema.target, 0), {}};
}

}  // namespace softwood::testing

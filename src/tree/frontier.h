// What a choice among trees of many kinds found: how much they lose and how large they are.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <vector>

namespace softwood {

// A tree that is fitted to all rows.
struct SavedSize {
  size_t parameters = 0, leaves = 1;
  bool operator==(const SavedSize&) const = default;
};

// A recipe as held-out rows judged it. Sizes are means over the trees that were judged, rounded.
struct FrontierPoint {
  std::string recipe;
  size_t parameters = 0, leaves = 1;
  double loss = 0, standard_error = 0;
  size_t inputs_per_split = 0;  // most inputs that a split asks about
  bool hard = true;             // every row has one path
  bool constant_leaves = true;
  bool dominated = false;  // another is no larger and loses less; here because it was preferred
  std::optional<SavedSize> saved = {};  // none: no tree of all rows is kept
  bool operator==(const FrontierPoint&) const = default;
  // Of the tree that is kept, where there is one.
  size_t shown_parameters() const { return saved ? saved->parameters : parameters; }
  size_t shown_leaves() const { return saved ? saved->leaves : leaves; }
};

// Which point each preference takes.
struct FrontierChoices {
  size_t accuracy = 0, balanced = 0, readable = 0;
  bool operator==(const FrontierChoices&) const = default;
};

struct ExpectedLoss {
  double value = 0, standard_error = 0;
  bool operator==(const ExpectedLoss&) const = default;
};

struct Frontier {
  std::string metric;   // what `loss` is: logloss, error, cost, auc (1 - auc), mse, mae
  std::string figure;   // what `estimate` is: error, cost or mse, per row
  size_t rows = 0;      // that judged
  double baseline = 0;  // loss of the best constant answer
  // Of the chosen tree on new rows, corrected for the choice.
  double estimate = 0, standard_error = 0;
  std::optional<ExpectedLoss> expected_loss;  // the same by the metric; none: an older model
  size_t chosen = 0;
  FrontierChoices choices;
  std::vector<FrontierPoint> points;  // by parameters
  bool operator==(const Frontier&) const = default;
};

// Whether every point has the size of a saved tree.
bool has_saved_sizes(const Frontier& frontier);

// Of the model file.
void append_frontier_json(const Frontier& frontier, std::string& out);
Frontier frontier_from_json(const nlohmann::json& object);

}  // namespace softwood

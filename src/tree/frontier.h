// What a choice among trees of many kinds found: how much they lose and how large they are.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

namespace softwood {

// A recipe as held-out rows judged it. Sizes are means over the trees that were judged, rounded.
struct FrontierPoint {
  std::string recipe;
  size_t parameters = 0, leaves = 1;
  double loss = 0, standard_error = 0;
  size_t inputs_per_split = 0;  // most inputs that a split asks about
  bool hard = true;             // every row has one path
  bool constant_leaves = true;
  bool dominated = false;  // another is no larger and loses less; here because it was preferred
  bool operator==(const FrontierPoint&) const = default;
};

// Which point each preference takes.
struct FrontierChoices {
  size_t accuracy = 0, balanced = 0, readable = 0;
  bool operator==(const FrontierChoices&) const = default;
};

struct Frontier {
  std::string metric;   // what `loss` is: logloss, error, cost, auc (1 - auc), mse, mae
  std::string figure;   // what `estimate` is: error, cost or mse, per row
  size_t rows = 0;      // that judged
  double baseline = 0;  // loss of the best constant answer
  // Of the chosen tree on new rows, corrected for the choice.
  double estimate = 0, standard_error = 0;
  size_t chosen = 0;
  FrontierChoices choices;
  std::vector<FrontierPoint> points;  // by parameters
  bool operator==(const Frontier&) const = default;
};

// Of the model file.
void append_frontier_json(const Frontier& frontier, std::string& out);
Frontier frontier_from_json(const nlohmann::json& object);

}  // namespace softwood

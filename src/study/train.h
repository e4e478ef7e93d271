// From table to model.
#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "stages/recipe.h"
#include "study/class_costs.h"

namespace softwood {

struct TrainRequest {
  std::string method;  // empty: a recipe was given
  Recipe recipe;
  uint64_t seed = 1;
  const Table* validation = nullptr;
  ClassCosts class_costs = {};
  const Checkpoint* checkpoint = nullptr;
  std::vector<Run> runs = {};  // of stages that cross-validate; empty: they make their own
};

struct TrainOutcome {
  Model model;
  std::vector<std::pair<std::string, double>> seconds;
  Stopped stopped = Stopped::converged;
  bool other_rows = false;  // a rework on other rows than those the model was trained on
};

// A usage Error when the method can't learn such a target, with those that can. Recipes without a
// name are left to their stages.
void refuse_unfit_method(const std::string& method, const Recipe& recipe, const Schema& schema);

TrainOutcome train(const Table& table, const TrainRequest& request, const Parallel& parallel,
                   const Control& control);
// Whether these are the rows that the model was trained on; none where the model can't say.
std::optional<bool> are_training_rows(const Table& table, const Model& model);

// More stages on a finished model, with its own class_costs. Where the rows are others than those
// of its training and no validation rows are given, a first stage that prunes by rows prunes by
// these.
TrainOutcome rework(const Model& model, const Table& table, const TrainRequest& request,
                    const Parallel& parallel, const Control& control);

}  // namespace softwood

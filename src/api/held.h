// What the objects of the public face hold.
#pragma once

#include <memory>
#include <mutex>
#include <utility>
#include <vector>

#include "data/frame.h"
#include "data/table.h"
#include "softwood/data.h"
#include "softwood/model.h"
#include "study/lowered.h"
#include "tree/model.h"
#include "use/predict.h"

namespace softwood {

struct DataSet::Held {
  Table table;
  // By input: it was not read, and all its cells are missing. Empty: all were read.
  std::vector<bool> absent = {};
  UnknownCells unknown = {};  // cells that are missing because a model does not know their levels
};

struct TreeModel::Held {
  explicit Held(Model from)
      : model(std::move(from)),
        predictor(model.tree),
        used(features_used(model.tree, model.schema.features.size())) {}

  const LoweredTree& lowered() const {
    std::call_once(lowered_once, [this] { lowered_tree = lowered_with_recipe(model); });
    return lowered_tree;
  }

  const Model model;
  const Predictor predictor;     // of model.tree
  const std::vector<bool> used;  // by input: an answer may depend on it

 private:
  mutable std::once_flag lowered_once;
  mutable LoweredTree lowered_tree;
};

inline DataSet data_set(Table table, std::vector<bool> absent = {}, UnknownCells unknown = {}) {
  return DataSet(std::make_shared<const DataSet::Held>(
      DataSet::Held{std::move(table), std::move(absent), std::move(unknown)}));
}
inline TreeModel tree_model(Model model) {
  return TreeModel(std::make_shared<const TreeModel::Held>(std::move(model)));
}

}  // namespace softwood

// What the objects of the public face hold.
#pragma once

#include <memory>
#include <mutex>
#include <utility>

#include "data/frame.h"
#include "softwood/data.h"
#include "softwood/model.h"
#include "study/lowered.h"
#include "tree/model.h"
#include "use/predict.h"

namespace softwood {

struct DataSet::Held {
  Table table;
  UnknownCells unknown = {};  // cells that are missing because a model does not know their levels
};

struct TreeModel::Held {
  explicit Held(Model from) : model(std::move(from)), predictor(model.tree) {}

  const LoweredTree& lowered() const {
    std::call_once(lowered_once, [this] { lowered_tree = lowered_with_recipe(model); });
    return lowered_tree;
  }

  const Model model;
  const Predictor predictor;  // of model.tree

 private:
  mutable std::once_flag lowered_once;
  mutable LoweredTree lowered_tree;
};

inline DataSet data_set(Table table, UnknownCells unknown = {}) {
  return DataSet(
      std::make_shared<const DataSet::Held>(DataSet::Held{std::move(table), std::move(unknown)}));
}
inline TreeModel tree_model(Model model) {
  return TreeModel(std::make_shared<const TreeModel::Held>(std::move(model)));
}

}  // namespace softwood

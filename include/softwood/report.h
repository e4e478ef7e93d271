// One HTML file about a model: pictures and tables to read, and a form that asks the tree. It loads
// nothing from anywhere.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "softwood/data.h"
#include "softwood/model.h"
#include "softwood/train.h"

namespace softwood {

struct ReportSettings {
  size_t rows = 200;       // of the data that the page may hold; all else are aggregates
  std::string model_name;  // shown on the page; empty: none
  std::string data_name;
  int threads = 0;  // 0: as many as the machine has
};

// A page about a model. `data`: rows to measure it on, with known answers (those that
// TreeModel::evaluate takes) or without; null: what the model knows itself. `controls`: to stop it,
// which is an Error of kind `interrupted`.
std::string report(const TreeModel& model, const DataSet* data = nullptr,
                   const ReportSettings& settings = {}, const Controls* controls = nullptr);

// A model with the rows to compare it on, which have known answers: the same rows in the same order
// for all, as data of each model (DataSet::from_to_evaluate).
struct ReportedModel {
  std::string name;
  TreeModel model;
  DataSet data;
};

// A page that compares two to five models, with paired tests. A data Error where they do not answer
// the same question.
std::string comparison_report(const std::vector<ReportedModel>& models,
                              const ReportSettings& settings = {},
                              const Controls* controls = nullptr);

}  // namespace softwood

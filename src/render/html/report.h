// One HTML file about a model: pictures and tables to read, and a script of ours to ask the tree.
// It loads nothing from anywhere.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "base/control.h"
#include "base/parallel.h"
#include "data/table.h"
#include "softwood/lowered.h"
#include "tree/model.h"

namespace softwood::render {

struct ReportOptions {
  size_t rows = 200;              // of the data that the page may hold; all else are aggregates
  std::string model_name = {};    // of the file; empty: none is shown
  std::string data_name = {};     // of the file
  std::vector<bool> absent = {};  // by input: it was not read. Empty: all were
  // By row of the table: which row of the file it is, from 1. Empty: they are all there.
  std::vector<size_t> row_numbers = {};

  size_t row_number(RowIndex row) const {
    return row_numbers.empty() ? size_t{row} + 1 : row_numbers[row];
  }
};

struct ReportTask {
  const Model& model;
  const LoweredTree& tree;
  const Table* rows;  // null: no data were given
  const ReportOptions& options;
  const Parallel& parallel;
  const Control& control;
};
std::string report_page(const ReportTask& task);

// Models on the same rows, in the same order: each has them as a table of its own schema.
struct ComparedModel {
  std::string name;
  const Model& model;
  const LoweredTree& tree;
  const Table& rows;
  bool all_inputs = false;  // were read: rows of the training can be known
};
constexpr size_t most_compared = 5;
// A usage Error for less than two models or more than five, a data Error where they do not answer
// the same question.
std::string comparison_page(std::span<const ComparedModel> models, const ReportOptions& options,
                            const Parallel& parallel, const Control& control);

}  // namespace softwood::render

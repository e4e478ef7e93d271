// Holds the lowered form against the compiled descent.
#pragma once

#include <gtest/gtest.h>

#include "lower/lower.h"
#include "support/interpreter.h"
#include "use/predict.h"

namespace softwood::test {

// The interpreter gives the library's answers, classes and end nodes for every row, to the last
// bit.
inline void expect_lowered_answers(const Model& model, const Table& table) {
  const LoweredTree lowered = lower(model);
  const std::vector<RowIndex> rows = all_rows(table);
  const Predictions expected = predict(model.tree, table, rows, Parallel(1));
  const std::vector<NodeIndex> nodes = predict_nodes(model.tree, table, rows, Parallel(1));
  for (const RowIndex row : rows) {
    std::vector<double> cells;
    for (uint32_t f = 0; f < table.features(); ++f) cells.push_back(table.input(f).value(row));
    const Interpreter interpreter(lowered, cells);
    const auto answer = std::span(expected.answers).subspan(row * expected.width, expected.width);
    ASSERT_EQ(interpreter.answer(), std::vector<double>(answer.begin(), answer.end()))
        << "row " << row;
    if (lowered.is_classifier()) {
      ASSERT_EQ(interpreter.decided_class(), expected.top_class(row)) << "row " << row;
    }
    double most = 0;
    for (const auto& [node, share] : interpreter.ends()) most = std::max(most, share);
    ASSERT_EQ(interpreter.ends().at(nodes[row]), most) << "row " << row;
  }
}

}  // namespace softwood::test

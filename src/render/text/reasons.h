// Explanations in words: what speaks for an answer, and what would change it.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "softwood/explain.h"
#include "softwood/lowered.h"

namespace softwood::render {

// "48", "A11", "missing".
std::string cell_text(const LoweredInput& input, double cell);
// What an output is called: "P(bad)", "log odds of bad", "price".
std::string quantity_text(const LoweredTree& tree, AnswerScale scale, const std::string& output);
// A number of that quantity, and one with its sign: "0.140", "+0.140".
std::string quantity_number(AnswerScale scale, double value);
std::string effect_number(AnswerScale scale, double value);

// A row and one explained output of it. Of two classes, the other one is the same with all signs
// changed.
struct ExplainedRow {
  const LoweredTree& tree;
  const Explanation& explanation;
  size_t row = 0;     // of the explanation
  size_t output = 0;  // of the explanation
  bool other_class = false;
  std::span<const double> cells = {};    // of the row, one per input
  std::span<const double> typical = {};  // of the inputs; NaN: not known

  double effect(size_t input) const;
  double base() const;
  double answer() const;
  std::string name() const;  // of the quantity
  // Inputs with an effect, the largest first.
  std::vector<uint32_t> ranked() const;
};

// "duration 48 (typical 18): +0.140 to P(bad)", one line per reason, aligned and indented; what
// comes after the first `top` is summed up in a last line.
std::string reasons_text(const ExplainedRow& row, size_t top);

// "duration 48 -> 22; then P(bad) = 0.310", or that there is none.
std::string change_text(const LoweredTree& tree, const Change& change, const ChangeGoal& goal);

}  // namespace softwood::render

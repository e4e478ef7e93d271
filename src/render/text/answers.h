// What nodes answer, as the views show it.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "softwood/lowered.h"

namespace softwood::render {

// The answers of all nodes for people to read. A leaf that answers the same for every row shows
// that; in trees whose leaves have formulas the constants of other nodes answer nothing, and these
// show the plain shares of their rows.
class NodeAnswers {
 public:
  explicit NodeAnswers(const LoweredTree& tree);

  // Probabilities, or one number.
  std::span<const double> of(uint32_t node) const { return {&answers_[node * width_], width_}; }
  double number(uint32_t node) const { return answers_[node]; }  // regression
  size_t decided(uint32_t node) const;                           // classification
  // What a node says for its class: the probability that it answers, or for leaves that answer it
  // with certainty whatever their rows were, the share of those.
  double share(uint32_t node) const;
  // Weight of the node's training rows that are of another class than it answers.
  double errors(uint32_t node) const;

 private:
  const LoweredTree& tree_;
  size_t width_;
  std::vector<double> answers_;
};

// Standard deviation of the target at a node of a regression tree.
double standard_deviation(const LoweredNode& node);

// One line per output, as a person reads it: "y = 3 + 0.5*a - 2*b, from 0 to 9",
// "log odds of yes to no = 1 - 0.2*a", without terms "class = yes 73.1 %, no 26.9 %"; where scores
// are mixed "scores of yes 1, no 0; this leaf by itself: yes 73.1 %, no 26.9 %". At most
// `most_terms` terms per line.
std::vector<std::string> formula_lines(const LoweredTree& tree, const LoweredFormula& formula,
                                       size_t most_terms = 12);

// Leaves by what answers there.
struct FormulaCount {
  size_t constants = 0;  // formulas without terms: the same answer for every row
  size_t sums = 0;       // formulas whose answers depend on the row
  size_t all() const { return constants + sums; }
};
FormulaCount count_formulas(const LoweredTree& tree);

// How a row that reaches several leaves in part is answered: "its answer is their mean, weighted by
// these parts".
std::string mixing_text(const LoweredTree& tree);
// A paragraph under soft trees and those with trained leaves that says how to read their numbers;
// empty for others.
std::string reading_text(const LoweredTree& tree, size_t width);
// The last lines of layouts that have no place for formulas: how many are not shown, and how to
// read soft splits and trained leaves; empty where there are none.
std::string last_lines(const LoweredTree& tree, size_t width);

}  // namespace softwood::render

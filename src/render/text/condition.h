// Conditions as a person reads them.
#pragma once

#include <limits>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "lower/condition.h"

namespace softwood::render {

constexpr size_t no_limit = std::numeric_limits<size_t>::max();

// The condition of one child: "petal_width <= 0.8", "colour in {red, blue}",
// "0.5*a + 2*b^2 <= 3 (soft from 2.5 to 4)". The term with the largest effect comes first. In at
// most `room` columns where lists of levels and sums can be shortened to that.
std::string condition_text(const LoweredTree& tree, const LoweredCondition& condition,
                           uint32_t child, size_t room = no_limit);
// The same for a row of which only a part goes to the child:
// "x <= 3 (soft from 2 to 4; 62 % go this way)".
std::string condition_text_of_part(const LoweredTree& tree, const LoweredCondition& condition,
                                   uint32_t child, double part);

// The condition of a child of a node: "x <= 3", or "x <= 3 or missing" when training rows without a
// value went there; "x missing" of a child for missing values.
std::string branch_text(const LoweredTree& tree, const LoweredSplit& split, uint32_t child,
                        size_t room = no_limit);
// The same for one child after the other: the levels of a column are looked through once for all.
// Tree and split must stay.
class BranchTexts {
 public:
  // `levels`: those of the condition, if they are known already.
  BranchTexts(const LoweredTree& tree, const LoweredSplit& split,
              std::shared_ptr<const LevelsByChild> levels = nullptr);
  std::string of(uint32_t child, size_t room = no_limit) const;
  // Where the condition is one on levels.
  std::span<const uint32_t> levels(uint32_t child) const { return levels_->of(child); }

 private:
  const LoweredTree* tree_;
  const LoweredSplit* split_;
  std::shared_ptr<const LevelsByChild> levels_;  // none of a score
};
// The same for the branches of one node after the other, in any order.
class EdgeTexts {
 public:
  explicit EdgeTexts(const LoweredTree& tree) : tree_(tree) {}
  // The branch that leads to a node, which is not the root.
  std::string of(uint32_t node, size_t room = no_limit);
  BranchTexts branches(uint32_t parent);

 private:
  const LoweredTree& tree_;
  std::map<uint32_t, std::shared_ptr<const LevelsByChild>> levels_;  // of nodes with many children
};
std::string missing_text(const LoweredTree& tree, const LoweredCondition& condition);
// " or missing", " or missing (30 %)", or nothing, for a share of the rows without a value.
std::string or_missing(double share);
// Share of the rows without a value that go to the child. 0 unless training had such rows and
// nothing but the node's rule decided about them.
double missing_share(const LoweredTree& tree, const LoweredSplit& split, uint32_t child);

// Names of levels of an input.
std::vector<std::string> level_names(const LoweredTree& tree, uint32_t input,
                                     std::span<const uint32_t> levels);
// The condition that an input has one of these levels.
std::string levels_text(const LoweredTree& tree, uint32_t input, std::span<const uint32_t> levels,
                        size_t room = no_limit);
// The sum of a score; terms beyond `room` columns are counted only: "0.5*a - 2*b + ... 3 more".
std::string sum_text(const LoweredTree& tree, const LoweredScore& score, size_t room);
// "0.5*a - 2*b^2", or " + 0.5*a - 2*b^2" after something else.
std::string terms_text(const LoweredTree& tree, std::span<const LoweredTerm> terms, bool first);
// The score compares one ordinal input: its text names levels, not numbers.
bool names_levels(const LoweredTree& tree, const LoweredScore& score);

}  // namespace softwood::render

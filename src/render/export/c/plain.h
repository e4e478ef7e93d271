// Hard trees of thresholds and sets of levels as one table of nodes with three ways on: every rule
// for missing values, surrogates and branches per level become nodes of that form, so that the loop
// over it has one comparison and no special case.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <vector>

#include "softwood/lowered.h"

namespace softwood::render {

struct PlainNode {
  uint32_t input = 0;
  double cut = 0;
  // Sets of levels: where the bits begin in `sets`, and how many there are; 0: a threshold.
  uint32_t set = 0, levels = 0;
  // For x <= cut or a level of the set; for others; for missing cells and numbers that are no
  // level's. Numbers of nodes, and from the number of nodes on of answers.
  std::array<uint32_t, 3> next{};
};

struct PlainTables {
  std::vector<PlainNode> nodes;  // the root is the first; none: one answer for all rows
  std::vector<uint32_t> sets;    // level l of a set is bit l % 32 of its word l / 32
  size_t answers = 0;            // rows of `answer`, each different one once
  std::vector<double> answer;    // probabilities, or one number
  bool has_sets = false;
};

// None: rows may be divided, or nodes need arithmetic.
std::optional<PlainTables> plain_tables(const LoweredTree& tree);

}  // namespace softwood::render

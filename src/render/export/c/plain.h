// Hard trees of thresholds and sets of levels as one table of nodes with three ways on: every rule
// for missing values, surrogates and branches per level become nodes of that form, so that the loop
// over it has one comparison and no special case. The first two ways of a node follow each other:
// the comparison is added to a number, which takes less time than to look another one up.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "render/export/marks.h"
#include "softwood/lowered.h"

namespace softwood::render {

struct PlainNode {
  double cut = 0;
  // Sets of levels: where the bits begin in `sets`, and how many there are; 0: a threshold.
  uint32_t set = 0, levels = 0;
  uint32_t input = 0;
  // The node for x <= cut or a level of the set; the next one is for others.
  uint32_t child = 0;
  // For missing cells and numbers that are no level's.
  uint32_t missing = 0;
  // Ends: the row of `answer`. All their ways lead to themselves.
  uint32_t answer = 0;
};

struct PlainTables {
  std::vector<PlainNode> nodes;  // the root is the first
  std::vector<uint32_t> sets;    // level l of a set is bit l % 32 of its word l / 32
  size_t answers = 0;            // rows of `answer`, each different one once
  std::vector<double> answer;    // probabilities, or one number
  size_t steps = 0;              // on the longest way to an end
  bool has_sets = false;
  MarkTables marks;
};

// None: rows may be divided, nodes need arithmetic, or there are branches for very many levels.
std::optional<PlainTables> plain_tables(const LoweredTree& tree);

}  // namespace softwood::render

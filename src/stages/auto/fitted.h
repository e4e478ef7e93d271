// One recipe fitted to some rows, with all that is told where its tree is taken.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "stages/recipe.h"

namespace softwood::choice {

struct Fitted {
  Tree tree;
  std::optional<ComplexityTable> complexity = {};
  std::vector<Note> notes = {};
  double seconds = 0;      // as if nobody had done a part of the work before
  bool cut_short = false;  // by the budget: it is the best tree so far, of all these rows
};

// Whether a run ended with a tree that can be judged and taken: it came to its end, or the budget
// left a tree with a split that was fitted to all rows.
bool is_result(const Tree& tree, const StageReport& report);

// None where it was stopped without such a tree. Every Error but an interruption is passed on.
std::optional<Fitted> fit_recipe(const Context& context, const std::string& recipe,
                                 std::span<const RowIndex> rows, const Control& control);

}  // namespace softwood::choice

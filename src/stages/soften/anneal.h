// Soft thresholds by simulated annealing: Dvorak & Savicky, "Softening splits in decision trees
// using simulated annealing".
#pragma once

#include "stages/soften/annealer.h"
#include "stages/soften/annealing_objective.h"
#include "stages/stage.h"

namespace softwood::soften {

// A width that a call of the annealer can start from: s of section 4.
struct Start {
  NodeIndex node = 0;
  uint32_t side = 0;  // 0: the width below, and the first child's subtree
};
// All widths whose subtree is not a leaf; and those that no group of these would ever move (the
// root's towards a leaf, below two gates that can't be soft), which then move alone.
std::vector<Start> starts_of(const Tree& tree);

// `over=`
enum class AnnealOver { tree, sequence };
constexpr Named<AnnealOver> anneal_over_choices[] = {{"tree", AnnealOver::tree},
                                                     {"sequence", AnnealOver::sequence}};
// `choose=`: what the softened tree that stays has the least of.
enum class LeastOf { objective, error };
constexpr Named<LeastOf> least_of_choices[] = {{"objective", LeastOf::objective},
                                               {"error", LeastOf::error}};

struct Softened {
  Tree tree;
  double before = 0, after = 0;  // the objective of the tree as it was, and of the soft one
  size_t calls = 0;              // of the annealer
  Stopped stopped = Stopped::converged;
};

// Calls the annealer for one random group after the other, each from the best widths so far, until
// `patience` calls in a row have not lowered the objective (section 4).
Softened soften_tree(const Tree& tree, const Table& table, std::span<const RowIndex> rows,
                     const Annealing& how, size_t patience, Random random, const Control& control);

// temp=auto: the paper's 10 for each 12680 rows (two thirds of its 19020), and in regression in
// units of their variance, so that the annealer accepts alike whatever the size of the objective.
double usual_temp(const Tree& tree, const Table& table, std::span<const RowIndex> rows);

Tree by_annealing(Context& context, Tree tree);

}  // namespace softwood::soften

#include "stages/refine/refine.h"

#include <algorithm>

#include "fit/training_loss.h"
#include "gradient/tune.h"
#include "softwood/error.h"
#include "stages/kinds.h"
#include "stages/refine/alternating.h"
#include "stages/refine/gradient.h"
#include "tree/compiled.h"
#include "tree/edit.h"

namespace softwood::refine {

namespace {

bool has_soft_gates(const Tree& tree) {
  for (NodeIndex i = 0; i < tree.size(); ++i) {
    if (tree.node(i).is_leaf()) continue;
    if (!is_hard(tree.node(i).gate())) return true;
  }
  return false;
}

// Whether the gate decides for every row of the table, wherever the row comes from.
bool decides_for_all(const Gate& gate, const Table& table) {
  for (const uint32_t feature : gate_features(gate)) {
    if (table.input(feature).missing > 0) return false;
  }
  const LevelsGate* const levels = level_map(gate);
  if (levels == nullptr) return true;
  const Cells<int32_t>& codes = table.input(levels->feature).codes;
  return std::all_of(codes.begin(), codes.end(), [&](int32_t code) {
    return levels->child_of_level[static_cast<size_t>(code)] >= 0;
  });
}

// Rows are divided by soft gates and where they have no value. Gates of the latter kind keep to
// their input, so that no row without a value comes in by refining.
bool has_single_paths(Tree tree, const Table& table) {
  for (NodeIndex i = 0; i < tree.size(); ++i) {
    if (tree.node(i).is_leaf()) continue;
    Missing& missing = tree.node(i).missing();
    if (missing.rule == MissingRule::shares && decides_for_all(tree.node(i).gate(), table)) {
      missing = {};
    }
  }
  return Compiled(tree).single_path();
}

Tree by_alternation(Context& context, Tree tree) {
  if (!has_single_paths(tree, context.table())) {
    throw Error(ErrorKind::usage,
                "refine by=alternating is for trees that send every row along one path", {},
                has_soft_gates(tree)
                    ? "use by=gradient, or harden first"
                    : "use by=gradient, or grow with another treatment of missing values than "
                      "shares");
  }
  if (!tree.leaf_plan().has_trained_models()) {
    return alternate(context, std::move(tree));
  }
  // Gates are refined for leaves that answer with their rows, not for trained functions.
  Tree refined = alternate(context, without_leaf_models(tree));
  const auto loss = [&](const Tree& of) {
    return fit::training_loss(of, context.table(), context.rows, context.parallel);
  };
  if (loss(refined) < loss(tree)) return refined;
  context.control.say(
      "refine: the tree stays as it is; its leaves answer with functions that were trained, which "
      "is better than other gates with constants");
  return tree;
}

const std::vector<StageKind>& kinds() {
  static const std::vector<StageKind> table = {
      {"alternating", by_alternation},
      {"gradient", by_gradient},
  };
  return table;
}

}  // namespace

Tree run(Context& context, Tree tree) { return run_kind(kinds(), context, std::move(tree)); }

std::vector<OptionSpec> options() {
  return {
      {.name = "by",
       .type = OptionType::choice,
       .fallback = "alternating",
       .help = "alternating: every node in turn gets the gate that suits the subtrees below it "
               "best; gradient: all gates, made soft, and all leaves move together",
       .choices = kind_names(kinds())},
      {.name = "gates",
       .type = OptionType::choice,
       .fallback = "keep",
       .help = "keep: gates about one input ask for one, with by=alternating perhaps another; "
               "weighted sums may use all inputs with by=alternating, else their own; hyperplanes: "
               "any node may use all",
       .choices = names_of(hyperplane_choices)},
      {.name = "l1",
       .type = OptionType::real,
       .fallback = "0",
       .help = "lasso penalty on the coefficients of weighted sums, with inputs scaled to a "
               "standard deviation of 1 and the loss taken per row: larger values make more of "
               "them 0",
       .low = 0,
       .high = 1e6,
       .only_with = "by=alternating"},
      gradient::tuning_steps_option(),
      {.name = "decay",
       .type = OptionType::real,
       .fallback = "auto",
       .help = "how strongly weights are drawn to 0; auto: chosen on the held-out rows",
       .low = 0,
       .high = 100,
       .only_with = "by=gradient",
       .word = "auto"},
      {.name = "starts",
       .type = OptionType::integer,
       .fallback = "1",
       .help = "the tree as it is, and so many less one with gates moved about; the best on the "
               "held-out rows is kept",
       .low = 1,
       .high = 100,
       .only_with = "by=gradient"},
      gradient::hold_out_option(),
      {.name = "sharpen",
       .type = OptionType::real,
       .fallback = "none",
       .help = "gates become steeper, all but hard, as long as the mean loss on the held-out rows "
               "grows by at most this share of it; harden may follow",
       .low = 0,
       .high = 100,
       .only_with = "by=gradient",
       .word = "none"},
      {.name = "passes",
       .type = OptionType::integer,
       .fallback = "30",
       .help = "most times that all nodes are gone through",
       .low = 1,
       .high = 1e6,
       .only_with = "by=alternating"},
  };
}

}  // namespace softwood::refine

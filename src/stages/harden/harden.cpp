#include "stages/harden/harden.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/text.h"
#include "fit/training_loss.h"
#include "tree/edit.h"
#include "tree/recount.h"
#include "use/evaluate.h"

namespace softwood::harden {
namespace {

// Whether the sums are those of the same rows, but for rounding. Those of regression are weight,
// mean and squared deviations; a mean may be 0.
bool are_near(std::span<const double> a, std::span<const double> b, Task task) {
  constexpr double rounding = 1e-9;
  const bool numbers = task == Task::regression;
  for (size_t k = 0; k < a.size(); ++k) {
    double size = std::max(std::fabs(a[k]), std::fabs(b[k]));
    if (numbers && k == 1) size += std::sqrt(std::fabs(a[2]) / std::max(a[0], b[0]));
    if (!(std::fabs(a[k] - b[k]) <= rounding * size)) return false;
  }
  return true;
}

// Counts the rows that the tree was made with, to which validation rows may belong; false: others.
bool recount_own_rows(const Context& context, std::span<const double> sums, Tree& tree) {
  recount(tree, context.table(), context.rows);
  if (are_near(sums, tree.sums(0), tree.task())) return true;
  if (!context.validation) return false;
  std::vector<RowIndex> known;
  for (const RowIndex row : context.validation->rows) {
    if (!context.validation->table->target().is_missing(row)) known.push_back(row);
  }
  Tree with_validation = tree;
  count_rows(with_validation, *context.validation->table, known);
  if (!are_near(sums, with_validation.sums(0), tree.task())) return false;
  tree = std::move(with_validation);
  return true;
}

// The figure by which the answers for the context's rows are judged: cost, error or rmse.
struct Judged {
  const char* name = "error";
  double value = 0;
  std::string text;
};
Judged judged(const Context& context, const Tree& tree) {
  const Evaluation evaluation =
      evaluate(predict(tree, context.table(), context.rows, context.parallel), context.table(),
               context.rows, 0);
  if (tree.task() == Task::regression) {
    return {"rmse", evaluation.rmse, short_number(evaluation.rmse)};
  }
  if (std::isfinite(evaluation.cost)) {
    return {"cost", evaluation.cost, short_number(evaluation.cost)};
  }
  return {"error", evaluation.error, fmt::format("{:.1f} %", 100 * evaluation.error)};
}

// A warning where the hard tree is worse by more than a tenth, else a note.
void tell_change(const Context& context, const Judged& before, const Judged& after) {
  constexpr double allowed = 1.1;
  if (after.value > allowed * before.value) {
    context.control.warn(fmt::format(
        "harden: the hard tree answers worse, {} {} on these rows, the soft one {}; 'refine' after "
        "'harden' fits the hard gates to the rows",
        after.name, after.text, before.text));
    return;
  }
  context.control.say(
      fmt::format("harden: {} of the soft tree on these rows {}, of the hard one {}", after.name,
                  before.text, after.text));
}

Tree with_better_leaves(const Context& context, Tree tree) {
  if (!tree.leaf_plan().has_trained_models()) return tree;
  // Models that were trained to be mixed may be far off when one of them answers alone.
  Tree plain = without_leaf_models(tree);
  const auto loss = [&](const Tree& of) {
    return fit::training_loss(of, context.table(), context.rows, context.parallel);
  };
  return loss(plain) < loss(tree) ? plain : tree;
}

}  // namespace

Tree run(Context& context, Tree tree) {
  const Tree soft = tree;
  bool changed = false;
  const auto harden = [&](Gate& gate) {
    if (is_hard(gate)) return;
    gate = hardened(gate);
    changed = true;
  };
  for (NodeIndex i = 0; i < tree.size(); ++i) {
    if (tree.node(i).is_leaf()) continue;
    harden(tree.node(i).gate());
    for (Surrogate& surrogate : tree.node(i).missing().surrogates) harden(surrogate.gate);
  }
  if (!changed) return tree;
  const double before = tree.weight(0);
  const std::vector<double> sums(tree.sums(0).begin(), tree.sums(0).end());
  if (recount_own_rows(context, sums, tree)) {
    tree = without_empty_branches(tree);
  } else {
    context.control.warn(fmt::format(
        "harden: these are other rows than those that the tree was made with; its leaves now have "
        "the sums, and answers, of these alone (weight {}, before {})",
        short_number(tree.weight(0), 9), short_number(before, 9)));
  }
  tree = with_better_leaves(context, std::move(tree));
  tell_change(context, judged(context, soft), judged(context, tree));
  return tree;
}

std::vector<OptionSpec> options() { return {}; }

std::vector<TraitRule> traits() { return {{"", {.makes_hard = true}}}; }

}  // namespace softwood::harden

#include "stages/harden/harden.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/text.h"
#include "stages/soften/objective.h"
#include "tree/recount.h"

namespace softwood::harden {
namespace {

// Models that were trained to be mixed may be far off when one of them answers alone.
Tree without_models(Tree tree) {
  for (NodeIndex i = 0; i < tree.size(); ++i) tree.node(i).model.reset();
  tree.set_leaf_plan({});
  return tree;
}

// But for rounding.
bool are_near(std::span<const double> a, std::span<const double> b) {
  constexpr double rounding = 1e-9;
  for (size_t k = 0; k < a.size(); ++k) {
    const double size = std::max(std::fabs(a[k]), std::fabs(b[k]));
    if (!(std::fabs(a[k] - b[k]) <= rounding * size)) return false;
  }
  return true;
}

}  // namespace

Tree run(Context& context, Tree tree) {
  bool changed = false;
  const auto harden = [&](Gate& gate) {
    auto* const score = std::get_if<ScoreGate>(&gate);
    if (score == nullptr || score->link.form == LinkForm::step) return;
    score->link = {};
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
  recount(tree, context.table(), context.rows);
  if (!are_near(sums, tree.sums(0))) {
    context.control.warn(fmt::format(
        "harden: these are other rows than those that the tree was made with; its leaves now have "
        "the sums, and answers, of these alone (weight {}, before {})",
        short_number(tree.weight(0), 9), short_number(before, 9)));
  }
  const LeafForm form = tree.leaf_plan().form;
  if (form != LeafForm::trained && form != LeafForm::scores) return tree;
  Tree plain = without_models(tree);
  const auto loss = [&](const Tree& of) {
    return soften::training_loss(of, context.table(), context.rows, context.parallel);
  };
  return loss(plain) < loss(tree) ? plain : tree;
}

std::vector<OptionSpec> options() { return {}; }

}  // namespace softwood::harden

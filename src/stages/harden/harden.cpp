#include "stages/harden/harden.h"

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
  recount(tree, context.table(), context.rows);
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

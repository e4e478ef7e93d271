#include "stages/harden/harden.h"

#include "tree/recount.h"

namespace softwood::harden {

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
  if (changed) recount(tree, context.table(), context.rows);
  return tree;
}

std::vector<OptionSpec> options() { return {}; }

}  // namespace softwood::harden

#include "toys/toy_stage.h"

namespace softwood {
namespace {

// Every node whose children are the deepest leaves becomes a leaf.
Tree without_deepest_leaves(Tree tree) {
  const std::vector<NodeIndex> parents = parents_of(tree);
  std::vector<size_t> depth(tree.size(), 0);
  size_t deepest = 0;
  for (NodeIndex i = 1; i < tree.size(); ++i) {
    depth[i] = depth[parents[i]] + 1;
    deepest = std::max(deepest, depth[i]);
  }
  for (NodeIndex i = 0; i < depth.size(); ++i) {
    if (!tree.node(i).is_leaf() && depth[i] + 1 == deepest) tree.make_leaf(i);
  }
  tree.canonicalise();
  return tree;
}

Tree run(Context& context, Tree tree) {
  const long levels = context.options.integer("levels");
  for (long done = 0; done < levels; ++done) {
    if (const auto stop = context.control.should_stop()) {
      context.report.stopped = *stop;
      break;
    }
    tree = without_deepest_leaves(std::move(tree));
    context.control.report("shaving", static_cast<double>(done + 1), static_cast<double>(levels));
  }
  return tree;
}

}  // namespace

Stage toy_stage() {
  return {.name = "shave",
          .help = "takes the deepest leaves off",
          .options = {{.name = "levels",
                       .type = OptionType::integer,
                       .fallback = "1",
                       .help = "levels of leaves that are taken off",
                       .low = 1,
                       .high = 50}},
          .run = run,
          .anytime = true,
          .traits = {{"",
                      {.on_soft = Refusal{"shaves hard trees, and '{}' makes soft ones",
                                          "put 'harden' first"}}}},
          .foreign_words = {{"depth", "", "it is called 'levels' here"}}};
}

}  // namespace softwood

#include "render/svg/tree_layout.h"

#include <gtest/gtest.h>

#include "lower/lower.h"
#include "support/sample_models.h"

namespace softwood::render {
namespace {

LoweredTree random_lowered(uint64_t seed, size_t splits) {
  Random random(seed, "layout");
  const Schema schema = testing::mixed_schema(Task::classification);
  testing::RandomTreeOptions options;
  options.splits = splits;
  return lower(Model{schema, testing::random_tree(schema, options, random), {}, {}});
}

TreeLayout laid_out(const LoweredTree& tree, LayoutOptions options) {
  return layout_tree(tree, options, [](uint32_t node, bool) {
    return BoxSize{40.0 + 7.0 * (node % 5), 20.0 + 5.0 * (node % 3)};
  });
}

LayoutOptions everything() {
  LayoutOptions options;
  options.depth = options.most_ends = 1000000;
  return options;
}

bool overlap(const NodeBox& a, const NodeBox& b) {
  return a.x < b.x + b.width && b.x < a.x + a.width && a.y < b.y + b.height && b.y < a.y + a.height;
}

void expect_apart(const TreeLayout& layout) {
  for (size_t a = 0; a < layout.boxes.size(); ++a) {
    const NodeBox& box = layout.boxes[a];
    EXPECT_GE(box.x, -1e-9);
    EXPECT_GE(box.y, -1e-9);
    EXPECT_LE(box.x + box.width, layout.width + 1e-9);
    EXPECT_LE(box.y + box.height, layout.height + 1e-9);
    for (size_t b = a + 1; b < layout.boxes.size(); ++b) {
      ASSERT_FALSE(overlap(box, layout.boxes[b])) << a << " and " << b;
    }
  }
}

TEST(TreeLayout, KeepsBoxesApartAndParentsOverTheirChildren) {
  for (uint64_t seed = 0; seed < 20; ++seed) {
    const LoweredTree tree = random_lowered(seed, 40);
    for (const bool to_the_right : {false, true}) {
      LayoutOptions options = everything();
      options.to_the_right = to_the_right;
      const TreeLayout layout = laid_out(tree, options);
      ASSERT_EQ(layout.boxes.size(), tree.nodes.size());
      expect_apart(layout);
      const auto middle = [&](const NodeBox& box) {
        return to_the_right ? box.y + box.height / 2 : box.x + box.width / 2;
      };
      for (const NodeBox& box : layout.boxes) {
        if (tree.nodes[box.node].is_leaf()) continue;
        const LoweredSplit& split = *tree.nodes[box.node].split;
        const double first = middle(layout.boxes[split.first_child]);
        const double last = middle(layout.boxes[split.first_child + split.children - 1]);
        EXPECT_NEAR(middle(box), (first + last) / 2, 1e-9);
      }
    }
  }
}

TEST(TreeLayout, FoldsTheLightestPartsAndCountsTheirLeaves) {
  const LoweredTree tree = random_lowered(3, 200);
  LayoutOptions options = everything();
  options.most_ends = 20;
  const TreeLayout layout = laid_out(tree, options);
  expect_apart(layout);
  size_t leaves = 0, ends = 0;
  for (const NodeBox& box : layout.boxes) {
    const bool leaf = tree.nodes[box.node].is_leaf();
    leaves += leaf ? 1 : box.hidden_leaves;
    ends += leaf || box.folded ? 1 : 0;
  }
  EXPECT_EQ(leaves, tree.leaves);
  EXPECT_LE(ends, 20U);
  EXPECT_GE(ends, 15U);  // splits have at most five children
}

TEST(TreeLayout, StopsAtTheDepthThatIsAskedFor) {
  const LoweredTree tree = random_lowered(4, 100);
  LayoutOptions options = everything();
  options.depth = 2;
  for (const NodeBox& box : laid_out(tree, options).boxes) {
    EXPECT_LE(box.depth, 2U);
    EXPECT_EQ(box.folded, box.depth == 2 && !tree.nodes[box.node].is_leaf());
  }
}

}  // namespace
}  // namespace softwood::render

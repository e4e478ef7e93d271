#include "stats/code_tree.h"

#include <gtest/gtest.h>

#include <numeric>

#include "base/random.h"
#include "softwood/error.h"
#include "stats/histogram.h"

namespace softwood {
namespace {

// Two inputs of 5 and 3 bins; the second has levels.
const std::vector<FeatureBins> bins = {{5, {1, 2, 3, 4}}, {3, {}}};

CodeTree sample() {
  CodeTree tree;
  tree.splits = {{.node = 0,
                  .feature = 0,
                  .first_child = 1,
                  .children = 2,
                  .right = 2,
                  .missing = 0,
                  .child_of_code = {}},
                 {.node = 2,
                  .feature = 1,
                  .first_child = 3,
                  .children = 3,
                  .right = 0,
                  .missing = 0,
                  .child_of_code = {2, 0, 1, 2}},
                 {.node = 4,
                  .feature = 0,
                  .first_child = 6,
                  .children = 2,
                  .right = 4,
                  .missing = 1,
                  .child_of_code = {}}};
  return tree;
}

template <class Code>
std::vector<Code> random_codes(size_t rows) {
  Random random(1, "codes");
  std::vector<Code> codes;
  for (size_t i = 0; i < rows; ++i) {
    codes.push_back(static_cast<Code>(random.below(6)));
    codes.push_back(static_cast<Code>(random.below(4)));
  }
  return codes;
}

// Where the splits send a row, one after the other.
uint32_t end_of(const CodeTree& tree, const BinnedRows& rows, uint32_t slot) {
  uint32_t node = 0;
  for (const CodeSplit& split : tree.splits) {
    if (split.node != node) continue;
    const uint32_t code = rows.code(slot, split.feature);
    const bool is_missing = code == bins[split.feature].bins;
    uint32_t child = is_missing ? split.missing : static_cast<uint32_t>(code >= split.right);
    if (!split.child_of_code.empty()) child = split.child_of_code[code];
    node = split.first_child + child;
  }
  return node;
}

void expect_places(const BinnedRows& rows) {
  const CodeTree tree = sample();
  const std::vector<uint32_t> leaves = {7, 1, 5, 6};  // not 3
  const CodeWalk walk(tree, bins, leaves);
  std::vector<uint32_t> slots(rows.rows());
  std::iota(slots.begin(), slots.end(), 0U);
  slots.erase(slots.begin() + 3);
  const PlacedRows placed = walk.placed(rows, slots);
  for (size_t i = 0; i < leaves.size(); ++i) {
    std::vector<uint32_t> expected;
    for (const uint32_t slot : slots) {
      if (end_of(tree, rows, slot) == leaves[i]) expected.push_back(slot);
    }
    const auto found = placed.at(i);
    EXPECT_EQ(std::vector<uint32_t>(found.begin(), found.end()), expected) << leaves[i];
    EXPECT_FALSE(expected.empty());
  }
}

TEST(CodeTree, RowsEndWhereSplitsSendThem) {
  expect_places({2, random_codes<uint8_t>(203), {}});
  expect_places({2, {}, random_codes<uint32_t>(203)});
}

TEST(CodeTree, KnowsItsNodes) {
  const CodeTree tree = sample();
  EXPECT_EQ(tree.nodes(), 8U);
  EXPECT_EQ(tree.parents(), (std::vector<uint32_t>{0, 0, 0, 2, 2, 2, 4, 4}));
  EXPECT_EQ(tree.leaves(), (std::vector<bool>{false, true, false, true, false, true, true, true}));
  EXPECT_EQ(CodeTree().nodes(), 1U);
}

TEST(CodeTree, TakesFewBytes) {
  CodeTree tree;
  constexpr uint32_t splits = 1000;
  for (uint32_t i = 0; i < splits; ++i) {
    tree.splits.push_back({.node = i,
                           .feature = i % 20,
                           .first_child = 2 * i + 1,
                           .children = 2,
                           .right = 200,
                           .missing = 0,
                           .child_of_code = {}});
  }
  ByteWriter out;
  tree.write(out);
  const Bytes bytes = out.take();
  EXPECT_LE(bytes.size(), 8 * splits);
  ByteReader in(bytes);
  const CodeTree same = CodeTree::read(in);
  in.end();
  ASSERT_EQ(same.splits.size(), tree.splits.size());
  for (size_t i = 0; i < splits; ++i) {
    EXPECT_EQ(same.splits[i].node, tree.splits[i].node);
    EXPECT_EQ(same.splits[i].first_child, tree.splits[i].first_child);
    EXPECT_EQ(same.splits[i].right, tree.splits[i].right);
  }
}

TEST(CodeTree, RefusesWhatIsNoTreeOfTheseBins) {
  const auto refused = [](const CodeTree& tree, std::vector<uint32_t> leaves) {
    EXPECT_THROW(CodeWalk(tree, bins, leaves), Error);
  };
  refused(sample(), {2});     // a split
  refused(sample(), {8});     // no node
  refused(sample(), {1, 1});  // twice
  for (size_t i = 0; i < 6; ++i) {
    CodeTree tree = sample();
    if (i == 0) tree.splits[0].feature = 2;
    if (i == 1) tree.splits[0].right = 6;
    if (i == 2) tree.splits[0].missing = 2;
    if (i == 3) tree.splits[1].child_of_code[3] = 3;
    if (i == 4) tree.splits[1].child_of_code.pop_back();
    if (i == 5) tree.splits[2].first_child = 4;  // its own child
    refused(tree, {});
  }
  CodeTree far = sample();
  far.splits[0].first_child = 1U << 30;
  refused(far, {});
  ByteWriter out;
  out.wholes(std::vector<int64_t>{0, 0, 0, -1});
  const Bytes bytes = out.take();
  ByteReader in(bytes);
  EXPECT_THROW(CodeTree::read(in), Error);
}

}  // namespace
}  // namespace softwood

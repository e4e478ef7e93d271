// Cost-complexity pruning against dynamic programming over all pruned subtrees.
#include "fit/complexity.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "support/grow.h"
#include "support/names.h"
#include "support/tables.h"
#include "support/trees.h"

namespace softwood::fit {
namespace {

struct Cost {
  double value;   // R + alpha * leaves
  size_t leaves;  // fewest among those with this value
};

// The smallest cost of a pruned branch; alpha is a share of the root's risk.
Cost best_cost(const Tree& tree, NodeIndex node, double alpha) {
  const double root = tree.risk(0);
  const Cost leaf{tree.risk(node) + alpha * root, 1};
  if (tree.node(node).is_leaf()) return leaf;
  Cost branch{0, 0};
  for (uint32_t c = 0; c < tree.children(node); ++c) {
    const Cost child = best_cost(tree, tree.node(node).first_child + c, alpha);
    branch.value += child.value;
    branch.leaves += child.leaves;
  }
  // A branch that is only as good as the leaf is not the smallest best one.
  return branch.value < leaf.value - 1e-12 * root ? branch : leaf;
}

// The pruned tree has the smallest cost, and the fewest leaves among those with it.
void expect_optimal(const Tree& tree, double alpha) {
  const Tree pruned = pruned_at(tree, alpha);
  const Cost best = best_cost(tree, 0, alpha);
  const Shape shape = shape_of(pruned);
  EXPECT_NEAR(test::risk_of(pruned) + alpha * tree.risk(0) * static_cast<double>(shape.leaves),
              best.value, 1e-9 * tree.risk(0))
      << "alpha " << alpha;
  EXPECT_EQ(shape.leaves, best.leaves) << "alpha " << alpha;
}

std::vector<double> alphas_of(const Tree& tree) {
  std::vector<double> alphas;
  for (const ComplexityRow& row : complexity_table(tree).rows) alphas.push_back(row.cp);
  return alphas;
}

// The best answers are equal but for rounding: sums in another order may choose the other one.
bool is_tied(const Predictions& answers, size_t row) {
  if (answers.width < 2) return false;
  const double* const first = answers.answers.data() + row * answers.width;
  std::vector<double> sorted(first, first + answers.width);
  std::sort(sorted.begin(), sorted.end(), std::greater<>());
  return sorted[0] - sorted[1] < 1e-12;
}

struct Case {
  const char* recipe;
  size_t classes;
};
void PrintTo(const Case& c, std::ostream* out) {
  *out << c.recipe << ", " << c.classes << " classes";
}

class Complexity : public testing::TestWithParam<Case> {
 protected:
  static Table table(uint64_t seed) {
    Table made = test::random_table({.rows = 150,
                                     .classes = GetParam().classes,
                                     .numeric = 2,
                                     .nominal = 1,
                                     .distinct = 0,
                                     .missing = 0.05,
                                     .noise = 0.5},
                                    seed);
    if (seed % 2 == 0) return made;
    Random random(seed, "weights");
    std::vector<double> weights(made.rows());
    for (double& weight : weights) weight = 0.5 + random.uniform();
    return test::with_weights(made, weights);
  }
  static Tree noted_tree(uint64_t seed) {
    Tree tree = test::run(table(seed), GetParam().recipe);
    note_alphas(tree, Sequence::weakest_link);
    return tree;
  }
};
INSTANTIATE_TEST_SUITE_P(Trees, Complexity,
                         testing::Values(Case{"grow", 2}, Case{"grow", 4}, Case{"grow", 0},
                                         Case{"grow nominal=multiway", 3},
                                         Case{"grow criterion=entropy min-leaf=4", 3}),
                         test::ByText());

TEST_P(Complexity, PrunedTreesAreTheSmallestOfTheBest) {
  for (uint64_t seed = 0; seed < 12; ++seed) {
    const Tree tree = noted_tree(seed);
    const std::vector<double> alphas = alphas_of(tree);
    ASSERT_GT(alphas.size(), 3U);
    for (size_t i = 0; i < alphas.size(); ++i) {
      // Between two; where they are rounding noise apart there is nothing to decide.
      if (i > 0 && alphas[i - 1] > 1e-9) expect_optimal(tree, (alphas[i] + alphas[i - 1]) / 2);
    }
    expect_optimal(tree, alphas.front() * 1.01);  // the root alone
    expect_optimal(tree, 0);
    Random random(seed, "alphas");
    for (int i = 0; i < 20; ++i) {
      const double alpha = 0.2 * random.uniform() * random.uniform();
      // At a critical alpha rounding decides: keep away from it.
      if (std::none_of(alphas.begin(), alphas.end(),
                       [&](double a) { return std::abs(a - alpha) < 1e-7; })) {
        expect_optimal(tree, alpha);
      }
    }
  }
}

TEST_P(Complexity, SequenceIsNested) {
  for (uint64_t seed = 0; seed < 6; ++seed) {
    const Tree tree = noted_tree(seed);
    const std::vector<NodeIndex> parent = parents_of(tree);
    for (NodeIndex i = 1; i < tree.size(); ++i) {
      if (tree.node(i).is_leaf()) continue;
      EXPECT_LE(tree.node(i).notes().alpha, tree.node(parent[i]).notes().alpha) << "node " << i;
    }
    size_t leaves = 0;
    for (const double alpha : alphas_of(tree)) {
      const size_t now = shape_of(pruned_at(tree, alpha)).leaves;
      EXPECT_GT(now, leaves);
      leaves = now;
    }
  }
}

TEST_P(Complexity, TableSaysWhatPruningGives) {
  for (uint64_t seed = 0; seed < 6; ++seed) {
    const Tree tree = noted_tree(seed);
    const ComplexityTable table = complexity_table(tree);
    EXPECT_DOUBLE_EQ(table.root_error, tree.risk(0));
    EXPECT_DOUBLE_EQ(table.root_weight, tree.weight(0));
    EXPECT_EQ(table.rows.front().splits, 0U);
    EXPECT_DOUBLE_EQ(table.rows.front().error, 1);
    EXPECT_EQ(table.rows.back().cp, 0);
    for (size_t i = 0; i < table.rows.size(); ++i) {
      const ComplexityRow& row = table.rows[i];
      const Tree pruned = pruned_at(tree, row.cp);
      EXPECT_EQ(shape_of(pruned).leaves - 1, row.splits);
      EXPECT_NEAR(test::risk_of(pruned) / tree.risk(0), row.error, 1e-9);
      if (i + 1 == table.rows.size()) break;
      // Going on from row i costs exactly cp for each further leaf.
      const ComplexityRow& next = table.rows[i + 1];
      EXPECT_GT(row.cp, next.cp);
      EXPECT_NEAR(row.cp * static_cast<double>(next.splits - row.splits), row.error - next.error,
                  1e-9);
    }
  }
}

TEST_P(Complexity, ErrorsOfTheSequenceAreThoseOfPruningAndPredicting) {
  for (uint64_t seed = 0; seed < 6; ++seed) {
    Tree tree = noted_tree(seed);
    const Table other = test::part_of(table(seed + 2), [] {
      std::vector<RowIndex> rows;
      for (RowIndex row = 0; row < 100; ++row) rows.push_back(row);
      return rows;
    }());
    std::vector<double> alphas = {1e9, 0.7};
    for (const double alpha : alphas_of(tree)) alphas.push_back(alpha);
    alphas.push_back(0);
    std::sort(alphas.begin(), alphas.end(), std::greater<>());
    const auto rows = all_rows(other);
    double compared = 0, all_tied = 0;
    for (const bool general : {false, true}) {
      // Shares for missing values make rows end in several leaves: the general path.
      if (general) {
        for (NodeIndex i = 0; i < tree.size(); ++i) {
          if (tree.node(i).is_leaf()) continue;
          if (i % 4 == 3) {
            tree.node(i).missing().rule = MissingRule::stay;
            continue;
          }
          tree.node(i).missing().rule = MissingRule::shares;
          tree.node(i).missing().shares.assign(tree.children(i), 1.0 / tree.children(i));
        }
      }
      const SequenceErrors errors = sequence_errors(tree, alphas, other, rows, rows);
      ASSERT_EQ(errors.sum.size(), alphas.size());
      for (size_t i = 0; i < alphas.size(); ++i) {
        const Predictions answers = predict(pruned_at(tree, alphas[i]), other, rows, Parallel(1));
        double sum = 0, squares = 0, tied = 0;
        for (const RowIndex row : rows) {
          double loss = 0;
          tied += general && is_tied(answers, row) ? other.weight(row) : 0;
          if (GetParam().classes == 0) {
            loss = std::pow(other.target().numbers[row] - answers.answers[row], 2);
          } else {
            loss =
                static_cast<int32_t>(answers.top_class(row)) == other.target().codes[row] ? 0 : 1;
          }
          sum += other.weight(row) * loss;
          squares += other.weight(row) * loss * loss;
        }
        EXPECT_NEAR(errors.sum[i], sum, tied + 1e-9 * (1 + sum)) << "general " << general;
        EXPECT_NEAR(errors.squares[i], squares, tied + 1e-9 * (1 + squares));
        compared += other.rows();
        all_tied += tied;
      }
    }
    EXPECT_LT(all_tied, 0.1 * compared);
  }
}

TEST_P(Complexity, AlphasOfRpartAreNestedAndNeverAboveTheExactOnes) {
  for (uint64_t seed = 0; seed < 6; ++seed) {
    const Tree exact = noted_tree(seed);
    Tree tree = exact;
    note_alphas(tree, Sequence::rpart);
    const std::vector<NodeIndex> parent = parents_of(tree);
    for (NodeIndex i = 0; i < tree.size(); ++i) {
      if (tree.node(i).is_leaf()) continue;
      EXPECT_LE(tree.node(i).notes().alpha, tree.node(parent[i]).notes().alpha);
      EXPECT_LE(tree.node(i).notes().alpha, exact.node(i).notes().alpha + 1e-9);
    }
  }
}

}  // namespace
}  // namespace softwood::fit

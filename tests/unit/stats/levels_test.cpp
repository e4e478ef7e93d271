// Dividing the levels of a nominal input, against trying every division.
#include "stats/levels.h"

#include <gtest/gtest.h>

#include "base/random.h"
#include "stats/criterion/entropy.h"
#include "stats/criterion/gini.h"
#include "stats/criterion/mse.h"

namespace softwood::stats {
namespace {

// Sum over the children of weight * impurity: worked out anew for every division.
struct Reference {
  enum class Kind { gini, entropy, mse } kind;

  double impurity(const std::vector<double>& cell) const {
    if (kind == Kind::mse) return cell[0] > 0 ? -cell[1] * cell[1] / cell[0] : 0;
    const double weight = std::accumulate(cell.begin(), cell.end(), 0.0);
    double sum = 0;
    for (const double n : cell) {
      if (n > 0) sum += kind == Kind::gini ? n * (1 - n / weight) : -n * std::log2(n / weight);
    }
    return sum;
  }
  double weight(const std::vector<double>& cell) const {
    return kind == Kind::mse ? cell[0] : std::accumulate(cell.begin(), cell.end(), 0.0);
  }
};

std::vector<double> sum_of(std::span<const double> cells, size_t width, uint32_t child,
                           const std::vector<uint32_t>& child_of) {
  std::vector<double> sum(width);
  for (size_t level = 0; level < child_of.size(); ++level) {
    for (size_t k = 0; k < width; ++k) {
      if (child_of[level] == child) sum[k] += cells[level * width + k];
    }
  }
  return sum;
}

double improvement_of(std::span<const double> cells, size_t width, const Reference& reference,
                      const std::vector<uint32_t>& child_of, uint32_t children) {
  std::vector<uint32_t> all(child_of.size(), 0);
  double improvement = reference.impurity(sum_of(cells, width, 0, all));
  for (uint32_t c = 0; c < children; ++c) {
    improvement -= reference.impurity(sum_of(cells, width, c, child_of));
  }
  return improvement;
}

// The best improvement of all divisions in two with enough weight on both sides.
double best_of_all(std::span<const double> cells, size_t width, const Reference& reference,
                   double min_leaf) {
  const size_t levels = cells.size() / width;
  double best = 0;
  for (uint32_t in_right = 1; in_right + 1 < 1U << levels; ++in_right) {
    std::vector<uint32_t> child_of(levels);
    for (size_t level = 0; level < levels; ++level) child_of[level] = in_right >> level & 1U;
    if (reference.weight(sum_of(cells, width, 0, child_of)) < min_leaf ||
        reference.weight(sum_of(cells, width, 1, child_of)) < min_leaf) {
      continue;
    }
    best = std::max(best, improvement_of(cells, width, reference, child_of, 2));
  }
  return best;
}

std::vector<double> random_cells(size_t levels, size_t width, bool counts, Random& random) {
  std::vector<double> cells(levels * width);
  for (size_t level = 0; level < levels; ++level) {
    for (size_t k = 0; k < width; ++k) {
      cells[level * width + k] = static_cast<double>(random.below(8));
    }
    // Every level has some weight.
    cells[level * width] += 1;
    if (!counts) cells[level * width + 1] = 5 * random.normal();
  }
  return cells;
}

struct Found {
  double improvement;
  LevelSplit split;
};
template <class C>
Found find(const std::vector<double>& cells, size_t width, double min_leaf,
           NominalSplit kind = NominalSplit::subset) {
  const std::vector<uint32_t> all(cells.size() / width, 0);
  const std::vector<double> node = sum_of(cells, width, 0, all);
  std::vector<double> memory(2 * width + 2);
  Found found{0, best_level_split<C>(node, cells, width, kind, {min_leaf, {}}, memory.data())};
  found.improvement = C::improvement(found.split.score, node.data(), width);
  return found;
}

// What is reported is what the division gives, and it is the best there is.
template <class C>
void expect_best(size_t width, Reference reference, size_t rounds) {
  Random random(1, "levels");
  for (size_t round = 0; round < rounds; ++round) {
    const size_t levels = 2 + random.below(7);
    const auto cells = random_cells(levels, width, C::counts_classes, random);
    const double min_leaf = static_cast<double>(random.below(3) * 4);
    const Found found = find<C>(cells, width, min_leaf);
    const double best = best_of_all(cells, width, reference, min_leaf);
    ASSERT_NEAR(found.improvement, best, 1e-9) << "round " << round;
    if (found.split.score > 0) {
      ASSERT_NEAR(improvement_of(cells, width, reference, found.split.child, 2), best, 1e-9);
      ASSERT_GE(reference.weight(sum_of(cells, width, 0, found.split.child)), min_leaf);
      ASSERT_GE(reference.weight(sum_of(cells, width, 1, found.split.child)), min_leaf);
    }
  }
}

TEST(OrderedLevels, OfTwoClassesAreTheBestOfAllSubsetsByGini) {
  // Without min-leaf the best subset is a prefix of the order. A least weight may forbid it.
  Random random(1, "levels");
  for (size_t round = 0; round < 300; ++round) {
    const auto cells = random_cells(2 + random.below(9), 2, true, random);
    ASSERT_NEAR(find<BinaryGini>(cells, 2, 0).improvement,
                best_of_all(cells, 2, {Reference::Kind::gini}, 0), 1e-9);
  }
}

TEST(OrderedLevels, OfTwoClassesAreTheBestOfAllSubsetsByEntropy) {
  Random random(2, "levels");
  for (size_t round = 0; round < 300; ++round) {
    const auto cells = random_cells(2 + random.below(9), 2, true, random);
    ASSERT_NEAR(find<Entropy>(cells, 2, 0).improvement,
                best_of_all(cells, 2, {Reference::Kind::entropy}, 0), 1e-9);
  }
}

TEST(OrderedLevels, OfNumbersAreTheBestOfAllSubsets) {
  Random random(3, "levels");
  for (size_t round = 0; round < 300; ++round) {
    const auto cells = random_cells(2 + random.below(9), 2, false, random);
    ASSERT_NEAR(find<Mse>(cells, 2, 0).improvement,
                best_of_all(cells, 2, {Reference::Kind::mse}, 0), 1e-9);
  }
}

TEST(OrderedLevels, KeepTheLeastWeightOnBothSides) {
  Random random(4, "levels");
  for (size_t round = 0; round < 300; ++round) {
    const auto cells = random_cells(6, 2, true, random);
    const Found found = find<BinaryGini>(cells, 2, 10);
    if (!(found.split.score > 0)) continue;
    const Reference gini{Reference::Kind::gini};
    ASSERT_GE(gini.weight(sum_of(cells, 2, 0, found.split.child)), 10);
    ASSERT_GE(gini.weight(sum_of(cells, 2, 1, found.split.child)), 10);
    ASSERT_NEAR(found.improvement, improvement_of(cells, 2, gini, found.split.child, 2), 1e-9);
  }
}

// Levels a (37 yes, 1 no), b (2 yes, 3 no), c (7 yes): in the order of their shares of yes b comes
// before a, and {b} alone is too light. {a} | {b, c} has a gain of 0.0183, {c} | {a, b} of 0.0021.
TEST(OrderedLevels, AreDividedOtherwiseWhereTheLeastWeightForbidsThePrefix) {
  const std::vector<double> cells = {1, 37, 3, 2, 0, 7};
  const Found best = find<BinaryGini>(cells, 2, 7);
  EXPECT_NE(best.split.child[0], best.split.child[1]);
  EXPECT_EQ(best.split.child[1], best.split.child[2]);
  EXPECT_NEAR(best.improvement / 50, 0.0183, 5e-5);
  const Found prefix = find<BinaryGini>(cells, 2, 7, NominalSplit::prefix);
  EXPECT_EQ(prefix.split.child[0], prefix.split.child[1]);
  EXPECT_NEAR(prefix.improvement / 50, 0.0021, 5e-5);
}

TEST(OrderedLevels, AreTheBestOfAllSubsetsUnderALeastWeight) {
  expect_best<BinaryGini>(2, {Reference::Kind::gini}, 300);
  expect_best<Entropy>(2, {Reference::Kind::entropy}, 300);
  expect_best<Mse>(2, {Reference::Kind::mse}, 300);
}

TEST(ExchangedLevels, AreNoWorseThanPrefixesAndNearTheBest) {
  Random random(8, "levels");
  const Reference gini{Reference::Kind::gini};
  double found_sum = 0, prefix_sum = 0, best_sum = 0;
  for (size_t round = 0; round < 40; ++round) {
    auto cells = random_cells(exhaustive_levels + 2, 2, true, random);
    // One level has nearly half of the rows, so that few prefixes are allowed.
    const double heavy = std::accumulate(cells.begin(), cells.end(), 0.0);
    cells[0] += heavy / 3;
    cells[1] += heavy / 2;
    const double min_leaf = 0.8 * heavy;
    const Found found = find<BinaryGini>(cells, 2, min_leaf);
    const double best = best_of_all(cells, 2, gini, min_leaf);
    ASSERT_LE(found.improvement, best + 1e-9);
    ASSERT_NEAR(found.improvement, improvement_of(cells, 2, gini, found.split.child, 2), 1e-9);
    ASSERT_EQ(found.improvement > 0, best > 0);
    if (best > 0) {
      ASSERT_GE(gini.weight(sum_of(cells, 2, 0, found.split.child)), min_leaf);
      ASSERT_GE(gini.weight(sum_of(cells, 2, 1, found.split.child)), min_leaf);
    }
    const double prefix = find<BinaryGini>(cells, 2, min_leaf, NominalSplit::prefix).improvement;
    ASSERT_GE(found.improvement, prefix - 1e-9);
    found_sum += found.improvement;
    prefix_sum += prefix;
    best_sum += best;
  }
  EXPECT_GT(found_sum, 0.98 * best_sum);
  EXPECT_LT(prefix_sum, 0.9 * best_sum);
}

// Two levels that only together weigh enough are brought together, and a heavy one between them in
// the order of means is left alone.
TEST(ExchangedLevels, AreFoundWhereNoPrefixIsAllowed) {
  std::vector<double> cells = {90, 0, 4, -40, 4, 20};
  for (int level = 0; level < 9; ++level) cells.insert(cells.end(), {0.001, 0});
  const Found found = find<Mse>(cells, 2, 7);
  EXPECT_GT(found.improvement, 0);
  EXPECT_NE(found.split.child[0], found.split.child[1]);
  EXPECT_EQ(found.split.child[1], found.split.child[2]);
  EXPECT_EQ(find<Mse>(cells, 2, 7, NominalSplit::prefix).improvement, 0);
}

TEST(AllSubsets, OfMoreClassesFindTheBestByGini) {
  expect_best<Gini>(3, {Reference::Kind::gini}, 200);
  expect_best<Gini>(5, {Reference::Kind::gini}, 100);
}

TEST(AllSubsets, OfMoreClassesFindTheBestByEntropy) {
  expect_best<Entropy>(3, {Reference::Kind::entropy}, 200);
}

TEST(AllSubsets, AreTriedUpToTheDeclaredNumberOfLevels) {
  Random random(5, "levels");
  for (size_t round = 0; round < 10; ++round) {
    const auto cells = random_cells(exhaustive_levels, 3, true, random);
    ASSERT_NEAR(find<Gini>(cells, 3, 0).improvement,
                best_of_all(cells, 3, {Reference::Kind::gini}, 0), 1e-9);
  }
}

TEST(PrincipalOrder, IsNeverBetterThanAllSubsetsAndReportsWhatItFinds) {
  Random random(6, "levels");
  double found_sum = 0, best_sum = 0;
  for (size_t round = 0; round < 20; ++round) {
    const auto cells = random_cells(exhaustive_levels + 2, 3, true, random);
    const Found found = find<Gini>(cells, 3, 0);
    const double best = best_of_all(cells, 3, {Reference::Kind::gini}, 0);
    ASSERT_LE(found.improvement, best + 1e-9);
    ASSERT_NEAR(found.improvement,
                improvement_of(cells, 3, {Reference::Kind::gini}, found.split.child, 2), 1e-9);
    found_sum += found.improvement;
    best_sum += best;
  }
  EXPECT_GT(found_sum, 0.8 * best_sum);  // random levels are its hardest case
}

TEST(PrincipalOrder, SeparatesTwoGroupsOfLevels) {
  // Levels 0, 2, 4 … hold classes 0 and 1, the others class 2.
  std::vector<double> cells;
  for (int level = 0; level < 16; ++level) {
    const bool even = level % 2 == 0;
    cells.insert(cells.end(), {even ? 3.0 : 0.0, even ? 2.0 : 0.0, even ? 0.0 : 5.0});
  }
  const Found found = find<Gini>(cells, 3, 1);
  for (size_t level = 2; level < 16; ++level) {
    EXPECT_EQ(found.split.child[level], found.split.child[level % 2]);
  }
  EXPECT_NE(found.split.child[0], found.split.child[1]);
  EXPECT_NEAR(found.improvement, best_of_all(cells, 3, {Reference::Kind::gini}, 1), 1e-9);
}

TEST(Multiway, GivesEveryLevelAChildAndReportsTheImprovement) {
  Random random(7, "levels");
  for (size_t round = 0; round < 50; ++round) {
    const size_t levels = 2 + random.below(12);
    std::vector<uint32_t> own(levels);
    std::iota(own.begin(), own.end(), 0U);
    const auto counts = random_cells(levels, 4, true, random);
    const Found by_gini = find<Gini>(counts, 4, 1, NominalSplit::multiway);
    EXPECT_EQ(by_gini.split.child, own);
    EXPECT_EQ(by_gini.split.children, levels);
    EXPECT_NEAR(by_gini.improvement,
                improvement_of(counts, 4, {Reference::Kind::gini}, own, by_gini.split.children),
                1e-9);
    const auto sums = random_cells(levels, 2, false, random);
    const Found by_mse = find<Mse>(sums, 2, 1, NominalSplit::multiway);
    EXPECT_NEAR(by_mse.improvement,
                improvement_of(sums, 2, {Reference::Kind::mse}, own, by_mse.split.children), 1e-9);
  }
}

TEST(Multiway, IsRefusedWhenOneChildWouldBeTooLight) {
  const std::vector<double> cells = {5, 0, 0, 5, 1, 1};  // three levels of 5, 5 and 2 rows
  EXPECT_GT(find<BinaryGini>(cells, 2, 2, NominalSplit::multiway).split.score, 0);
  EXPECT_EQ(find<BinaryGini>(cells, 2, 3, NominalSplit::multiway).split.score, 0);
}

}  // namespace
}  // namespace softwood::stats

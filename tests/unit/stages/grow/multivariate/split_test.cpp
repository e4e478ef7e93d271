// The parts of multivariate splits, by values worked out by hand.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "softwood/error.h"
#include "stages/grow/multivariate/discriminant.h"
#include "stages/grow/multivariate/split.h"
#include "stages/grow/split.h"
#include "stages/recipe.h"
#include "support/tables.h"

namespace softwood::grow {
namespace {

using test::classes_table;
using test::codes;
using test::numbers;
using test::numbers_table;

// All rows of a table as one node.
struct Node {
  explicit Node(const Table& table)
      : rows(all_rows(table)),
        slots(rows.begin(), rows.end()),
        target(make_target(table, rows)),
        search(find_criterion(target)),
        cell(target.cell_width(), 0.0),
        data{table, target, *search, slots, rows, cell, control, 1, 0} {
    const std::vector<uint32_t> all(slots.size(), 0);
    search->add_to_cells(slots, all, cell.data());
    data.impurity = impurity_of(data);
  }

  static std::unique_ptr<SplitSearch> find_criterion(const Target& target) {
    const std::string name = target.task == Task::classification ? "gini" : "mse";
    for (const Criterion& criterion : criteria()) {
      if (criterion.name == name) return criterion.make(target);
    }
    return nullptr;
  }

  std::vector<RowIndex> rows;
  std::vector<uint32_t> slots;
  Target target;
  std::unique_ptr<SplitSearch> search;
  std::vector<double> cell;
  Control control;
  NodeSample data;
};

// Group 0: (0,0) (2,0) (0,1) (2,1); group 1: the same moved by (3,1). Within both groups the
// squared deviations are 4 and 1 and there is no covariance, so S_W = diag(8, 2); the means differ
// by (3, 1); S_W^-1 d = (3/8, 1/2).
Table two_boxes() {
  return classes_table({numbers({0, 2, 0, 2, 3, 5, 3, 5}), numbers({0, 0, 1, 1, 1, 1, 2, 2})},
                       {0, 0, 0, 0, 1, 1, 1, 1});
}

TEST(Discriminant, IsFishersDirectionInUnitsOfTheData) {
  const Table table = two_boxes();
  const Node node(table);
  const ScoreSplit split = discriminant_split(node.data);
  ASSERT_EQ(split.gate.terms.size(), 2U);
  EXPECT_NEAR(split.gate.terms[0].coefficient / split.gate.terms[1].coefficient, 3.0 / 4.0, 1e-12);
}

// Along (3, 4) the group means are (1, 0.5) -> 5 and (4, 1.5) -> 18: equal weights meet halfway.
TEST(Discriminant, CutsWhereTheGaussiansMeet) {
  const Table table = two_boxes();
  const Node node(table);
  const ScoreSplit split = discriminant_split(node.data);
  EXPECT_NEAR(split.gate.cut / split.gate.terms[0].coefficient, 11.5 / 3, 1e-12);
  EXPECT_GT(split.score, 0);
  // Weights 3 : 1 and variance 2: (1 + 5) / 2 + 2 log(3) / 4, where 3 exp(-(x-1)^2/4) =
  // exp(-(x-5)^2/4).
  const double cut = gaussian_cut(1, 5, 2, 3, 1);
  EXPECT_DOUBLE_EQ(cut, 3 + 0.5 * std::log(3.0));
  EXPECT_NEAR(3 * std::exp(-(cut - 1) * (cut - 1) / 4), std::exp(-(cut - 5) * (cut - 5) / 4),
              1e-12);
}

// The second column is the first one again: no scatter can be inverted, and the one principal
// component weighs both alike.
TEST(Discriminant, TakesPrincipalComponentsWhenColumnsRepeat) {
  const std::vector<double> x = {0, 1, 2, 5, 6, 7};
  const Table table = classes_table({numbers(x), numbers(x)}, {0, 0, 0, 1, 1, 1});
  const Node node(table);
  const ScoreSplit split = discriminant_split(node.data);
  ASSERT_EQ(split.gate.terms.size(), 2U);
  EXPECT_NEAR(split.gate.terms[0].coefficient, split.gate.terms[1].coefficient, 1e-9);
  EXPECT_NEAR(split.gate.cut / split.gate.terms[0].coefficient, 7, 1e-9);  // 2 * (1 + 6) / 2
}

// Four classes at 0, 1, 10 and 11: the groups that one cut can separate are the near pairs.
TEST(Discriminant, GroupsClassesByExchange) {
  const Table table =
      classes_table({numbers({0, 0.2, 1, 1.2, 10, 10.2, 11, 11.2})}, {0, 0, 2, 2, 1, 1, 3, 3});
  const Node node(table);
  const NodeMatrix matrix(node.data);
  const Scatter scatter = scatter_of(matrix);
  const Response response = grouped_classes(node.data, matrix, scatter, Fit::principal);
  EXPECT_EQ(response.group, (std::vector<uint8_t>{0, 0, 0, 0, 1, 1, 1, 1}));
}

// The nearest means put class 1 (many rows, wide) with class 0; the criterion wants it with class
// 2, which one exchange does.
TEST(Discriminant, ExchangesAClassThatStartsOnTheWrongSide) {
  std::vector<double> x;
  std::vector<int32_t> y;
  const auto add = [&](int32_t label, std::initializer_list<double> values) {
    for (const double value : values) {
      x.push_back(value);
      y.push_back(label);
    }
  };
  add(0, {0, 0, 0, 0, 0, 0});
  add(1, {4, 4, 4, 4, 4, 4});
  add(2, {9, 9});
  const Table table = classes_table({numbers(x)}, y);
  const Node node(table);
  const NodeMatrix matrix(node.data);
  const Response response = grouped_classes(node.data, matrix, scatter_of(matrix), Fit::principal);
  EXPECT_NE(response.group[0], response.group[6]);
  EXPECT_EQ(response.group[6], response.group[12]);
}

TEST(NodeMatrix, GatesInUnitsOfTheDataOrderRowsAsTheMatrixDoes) {
  const Table table =
      test::random_table({.rows = 60, .classes = 2, .numeric = 4, .nominal = 2}, 11);
  const Node node(table);
  NodeMatrix matrix(node.data);
  matrix.add_products(node.data, 40);
  const auto count = static_cast<Eigen::Index>(matrix.columns());
  ASSERT_GT(count, 8);
  Eigen::VectorXd direction(count);
  for (Eigen::Index j = 0; j < count; ++j) direction[j] = std::sin(1.0 + static_cast<double>(j));
  const Eigen::VectorXd expected = matrix.x() * direction / direction.cwiseAbs().maxCoeff();
  Eigen::Index largest = 0;
  direction.cwiseAbs().maxCoeff(&largest);
  const double sign = direction[largest] > 0 ? 1 : -1;
  std::vector<double> scores(node.rows.size());
  gate_scores(matrix.gate(direction), table, node.rows, scores);
  for (size_t i = 1; i < scores.size(); ++i) {
    const auto row = static_cast<Eigen::Index>(i);
    EXPECT_NEAR(scores[i] - scores[0], sign * (expected[row] - expected[0]), 1e-9);
  }
}

TEST(NodeMatrix, KeepsToTheNumberOfTerms) {
  const Table table =
      test::random_table({.rows = 400, .classes = 2, .numeric = 30, .nominal = 0}, 12);
  const Node node(table);
  NodeMatrix matrix(node.data, most_terms / 2);
  matrix.add_products(node.data, most_terms);
  EXPECT_EQ(matrix.columns(), most_terms);
  const ScoreGate gate =
      matrix.gate(Eigen::VectorXd::Ones(static_cast<Eigen::Index>(matrix.columns())));
  EXPECT_LE(gate.terms.size(), most_terms);
}

TEST(NodeMatrix, OneColumnIsAPlainThreshold) {
  const Table table = two_boxes();
  const Node node(table);
  const NodeMatrix matrix(node.data);
  EXPECT_TRUE(matrix.gate(-Eigen::VectorXd::Unit(2, 0)).is_threshold());
}

// Differences (0.1, 0.3) five times: sum of squares 5 * (0.01 + 0.09) = 0.5, deviations 5 * 2 *
// 0.01 = 0.1, f = 0.5 / 0.2 = 2.5. The F distribution with 10 and 5 degrees of freedom has its 95 %
// point at 4.735 (tables).
TEST(FiveByTwo, FollowsTheFDistribution) {
  std::vector<double> differences;
  for (int i = 0; i < 5; ++i) differences.insert(differences.end(), {0.1, 0.3});
  EXPECT_NEAR(five_by_two_p(differences), 0.162, 0.001);
  // (a, b) with 5 (a^2 + b^2) / (5 (b - a)^2) = 4.735: a = 0.5, b = 1 give 1.25 / 0.25 = 5.
  differences.clear();
  for (int i = 0; i < 5; ++i) differences.insert(differences.end(), {0.5, 1.0});
  const double p = five_by_two_p(differences);
  EXPECT_LT(p, 0.05);
  EXPECT_GT(p, 0.04);
  EXPECT_EQ(five_by_two_p(std::vector<double>(10, 0.0)), 1);
  EXPECT_EQ(five_by_two_p(std::vector<double>(10, 0.1)), 0);
}

// x0 + x1 > 0 decides, x2 and x3 are noise.
Table diagonal(size_t rows) {
  Random random(5, "diagonal");
  std::vector<std::vector<double>> x(4, std::vector<double>(rows));
  std::vector<int32_t> y(rows);
  for (size_t i = 0; i < rows; ++i) {
    for (auto& column : x) column[i] = random.normal();
    y[i] = x[0][i] + x[1][i] > 0 ? 1 : 0;
  }
  return classes_table({numbers(x[0]), numbers(x[1]), numbers(x[2]), numbers(x[3])}, y);
}

TEST(Oblique, NamesOnlyTheInputsThatMatter) {
  const Table table = diagonal(400);
  const Node node(table);
  const ScoreSplit split = oblique_split(node.data, {.l1 = 0.02, .jumps = 5, .seed = 1});
  ASSERT_EQ(split.gate.terms.size(), 2U);
  EXPECT_EQ(split.gate.terms[0].feature, 0U);
  EXPECT_EQ(split.gate.terms[1].feature, 1U);
  EXPECT_GT(node.search->improvement(split.score, node.cell), 0.95 * node.data.impurity);
}

TEST(Oblique, PaysForWeightsAsL1Says) {
  const Table table = diagonal(400);
  const Node node(table);
  EXPECT_EQ(oblique_split(node.data, {.l1 = 1, .jumps = 0, .seed = 1}).gate.terms.size(), 1U);
}

// How much of the variance of a column is between the classes, or explained by the number.
double strength_of(const NodeSample& node, const Eigen::VectorXd& column) {
  std::vector<double> sums(node.cell.size(), 0.0);
  double mean = 0, with_number = 0, explained = 0;
  if (node.target.task == Task::regression) {
    for (size_t i = 0; i < node.size(); ++i) {
      mean += node.number(i) / static_cast<double>(node.size());
    }
    for (size_t i = 0; i < node.size(); ++i) {
      with_number += column[static_cast<Eigen::Index>(i)] * (node.number(i) - mean);
    }
    return with_number * with_number;
  }
  for (size_t i = 0; i < node.size(); ++i) {
    sums[node.class_of(i)] += column[static_cast<Eigen::Index>(i)];
  }
  for (size_t k = 0; k < sums.size(); ++k) explained += sums[k] * sums[k] / node.cell[k];
  return explained;
}

// Levels are screened by their sums, before they are columns.
TEST(NodeMatrix, KeepsTheStrongestOfManyLevels) {
  for (const size_t classes : {3, 0}) {
    const Table table = test::random_table(
        {.rows = 700, .classes = classes, .numeric = 2, .nominal = 2, .levels = 40}, 3);
    const Node node(table);
    const NodeMatrix all(node.data, 1000), some(node.data, 15);
    ASSERT_GT(all.columns(), 70U);
    ASSERT_EQ(some.columns(), 15U);
    std::vector<double> strength;
    for (size_t j = 0; j < all.columns(); ++j) {
      strength.push_back(strength_of(node.data, all.x().col(static_cast<Eigen::Index>(j))));
    }
    std::vector<size_t> order(strength.size());
    std::iota(order.begin(), order.end(), 0U);
    std::sort(order.begin(), order.end(),
              [&](size_t a, size_t b) { return strength[a] > strength[b]; });
    order.resize(15);
    std::sort(order.begin(), order.end());
    for (size_t j = 0; j < order.size(); ++j) {
      EXPECT_TRUE(some.column(j).term == all.column(order[j]).term) << j;
      EXPECT_EQ(some.column(j).scale, all.column(order[j]).scale) << j;
    }
  }
}

// Rows come in pairs, mirrored at the origin: no direction of least squares leads anywhere.
TEST(Oblique, StartsElsewhereWhereClassesAreSymmetric) {
  Random random(7, "symmetric");
  std::vector<double> a, b;
  std::vector<int32_t> y;
  for (int pair = 0; pair < 100; ++pair) {
    const double u = random.normal(), v = random.normal();
    for (const double sign : {1.0, -1.0}) {
      a.push_back(sign * u);
      b.push_back(sign * v);
      y.push_back(std::abs(u - v) > 1.5 ? 1 : 0);
    }
  }
  const Table table = classes_table({numbers(a), numbers(b)}, y);
  const Node node(table);
  const ScoreSplit split = oblique_split(node.data, {.l1 = 0.02, .jumps = 5, .seed = 1});
  EXPECT_EQ(split.gate.terms.size(), 2U);
  EXPECT_GT(node.search->improvement(split.score, node.cell), 0.2 * node.data.impurity);
  const ScoreSplit more =
      oblique_split(node.data, {.l1 = 0.02, .jumps = 5, .restarts = 20, .seed = 1});
  EXPECT_GE(more.worth, split.worth) << "the same starts and others";
}

// Inside or outside of a circle: no line helps, squares do.
Table disc(size_t rows) {
  Random random(6, "disc");
  std::vector<double> a(rows), b(rows);
  std::vector<int32_t> y(rows);
  for (size_t i = 0; i < rows; ++i) {
    a[i] = 10 + 2 * random.uniform();
    b[i] = 2 * random.uniform() - 1;
    y[i] = (a[i] - 11) * (a[i] - 11) + b[i] * b[i] < 0.6 ? 1 : 0;
  }
  return classes_table({numbers(a), numbers(b)}, y);
}

TEST(Quadratic, FindsACircle) {
  const Table table = disc(500);
  const Node node(table);
  const ScoreSplit split = regularised_split(node.data, Terms::quadratic);
  EXPECT_GT(node.search->improvement(split.score, node.cell), 0.9 * node.data.impurity);
}

TEST(Omnivariate, TakesTheSimplestThatIsNotWorse) {
  const Table circle = disc(500), line = diagonal(500);
  EXPECT_EQ(choose_kind(Node(circle).data, 1), NodeKind::quadratic);
  EXPECT_EQ(choose_kind(Node(line).data, 1), NodeKind::linear);
  std::vector<double> x(200), noise(200);
  std::vector<int32_t> y(200);
  Random random(7, "threshold");
  for (size_t i = 0; i < x.size(); ++i) {
    x[i] = random.normal();
    noise[i] = random.normal();
    y[i] = x[i] > 0.3 ? 1 : 0;
  }
  const Table threshold = classes_table({numbers(x), numbers(noise)}, y);
  EXPECT_EQ(choose_kind(Node(threshold).data, 1), NodeKind::univariate);
}

Tree tree_of(const Table& table, const std::string& recipe, int threads) {
  Derived derived(table);
  const auto rows = all_rows(table);
  const Training training{derived, rows, std::nullopt, 3};
  return run_recipe(Recipe::parse(recipe), training, Parallel(threads), Control{}).tree;
}

// What a split gains does not depend on whether a row comes twice or weighs twice.
TEST(Multivariate, ARowOfWeightTwoIsTheRowTwice) {
  const Table base = test::random_table({.rows = 80, .classes = 3, .numeric = 3, .nominal = 1}, 21);
  std::vector<RowIndex> twice = all_rows(base);
  std::vector<double> weights(base.rows(), 1.0);
  for (RowIndex row = 0; row < base.rows(); row += 3) {
    twice.push_back(row);
    weights[row] = 2;
  }
  const Table weighted = test::with_weights(base, weights);
  const Table repeated = test::part_of(base, twice);
  for (const std::string way : {"linear-discriminant", "oblique", "quadratic"}) {
    SCOPED_TRACE(way);
    const std::string recipe = "grow split=" + way + " max-depth=2 min-leaf=4";
    const Tree a = tree_of(weighted, recipe, 1), b = tree_of(repeated, recipe, 1);
    ASSERT_EQ(a.size(), b.size());
    for (NodeIndex i = 0; i < a.size(); ++i) {
      for (size_t k = 0; k < a.width(); ++k) EXPECT_NEAR(a.sums(i)[k], b.sums(i)[k], 1e-9);
    }
  }
}

TEST(Multivariate, MissingValuesMustBeImputed) {
  EXPECT_THROW(tree_of(two_boxes(), "grow split=oblique missing=learned", 1), Error);
}

// Six inputs and four rows of weight 3: as many columns as the twelve rows that they stand for.
TEST(DiscriminantSplit, LimitsColumnsByTheWeightOfTheRows) {
  Random random(5, "columns");
  std::vector<Column> inputs;
  for (int f = 0; f < 6; ++f) {
    std::vector<double> x;
    for (int row = 0; row < 4; ++row) x.push_back(random.normal());
    inputs.push_back(numbers(x));
  }
  const Table table = classes_table(inputs, {0, 1, 1, 0});
  std::vector<RowIndex> copies;
  for (const RowIndex row : all_rows(table)) copies.insert(copies.end(), 3, row);
  const Table heavy = test::with_weights(table, {3, 3, 3, 3}), more = test::part_of(table, copies);
  const Node weighted(heavy), copied(more);
  const ScoreGate one = discriminant_split(weighted.data).gate;
  const ScoreGate other = discriminant_split(copied.data).gate;
  ASSERT_EQ(one.terms.size(), other.terms.size());
  EXPECT_GT(one.terms.size(), 4U);
  for (size_t t = 0; t < one.terms.size(); ++t) {
    EXPECT_NEAR(one.terms[t].coefficient, other.terms[t].coefficient, 1e-9);
  }
}

}  // namespace
}  // namespace softwood::grow

// feature-costs= and monotone=.
#include <gtest/gtest.h>

#include "softwood/error.h"
#include "support/grow.h"
#include "support/tables.h"
#include "support/trees.h"

namespace softwood {
namespace {

using test::classes_table;
using test::numbers;
using test::numbers_table;

// The first input divides 3 | 3 rows without an error, the second with one.
Table dear_and_cheap() {
  return classes_table({numbers({1, 2, 3, 4, 5, 6}), numbers({1, 2, 4, 3, 5, 6})},
                       {0, 0, 0, 1, 1, 1});
}

TEST(FeatureCosts, DivideTheImprovement) {
  for (const std::string search : {"exact", "binned"}) {
    const auto first = [&](const std::string& costs) {
      return test::feature_of(
          test::run(dear_and_cheap(), "grow max-depth=1 search=" + search + costs), 0);
    };
    // Gini goes from 3 to 0 by the first input, and by the second at best to 4 * 6/16 = 1.5: it is
    // chosen where the first costs more than twice as much.
    EXPECT_EQ(first(""), 0U);
    EXPECT_EQ(first(" feature-costs=x0:1.9"), 0U);
    EXPECT_EQ(first(" feature-costs=x0:2.1"), 1U);
    EXPECT_EQ(first(" feature-costs=x0:2.1,x1:2"), 0U);
  }
}

TEST(FeatureCosts, LeaveTheNoteOfTheGainAsItIs) {
  const Tree plain = test::run(dear_and_cheap(), "grow max-depth=1");
  const Tree dear = test::run(dear_and_cheap(), "grow max-depth=1 feature-costs=x0:1.5");
  EXPECT_EQ(plain.node(0).notes().gain, dear.node(0).notes().gain);
}

TEST(FeatureCosts, ThatMakeNoSenseAreRefused) {
  for (const char* costs :
       {"x0", "x9:2", "x0:0", "x0:-1", "x0:much", "x0:1,x0:2", ":2", "x0:inf"}) {
    EXPECT_THROW(test::run(dear_and_cheap(), std::string("grow feature-costs=") + costs), Error)
        << costs;
  }
  EXPECT_THROW(test::run(dear_and_cheap(), "grow criterion=gain-ratio feature-costs=x0:2"), Error);
}

TEST(Monotone, RefusesACutAgainstTheDirection) {
  const Table table = numbers_table({numbers({1, 2, 3, 4})}, {5, 5, 1, 1});
  EXPECT_EQ(test::run(table, "grow").size(), 3U);
  EXPECT_EQ(test::run(table, "grow monotone=x0:-").size(), 3U);
  EXPECT_EQ(test::run(table, "grow monotone=x0:+").size(), 1U);
}

TEST(Monotone, TakesTheBestCutInTheDirection) {
  // The best cut of all is 1 | 2 3 4 5 (from 9 down), the only rising one 1 2 3 4 | 5.
  const Table table = numbers_table({numbers({1, 2, 3, 4, 5})}, {9, 1, 1, 1, 4});
  EXPECT_EQ(test::cut_of(test::run(table, "grow max-depth=1"), 0), 1.5);
  const Tree rising = test::run(table, "grow monotone=x0:+");
  ASSERT_EQ(rising.size(), 3U);
  EXPECT_EQ(test::cut_of(rising, 0), 4.5);
}

TEST(Monotone, ThatMakesNoSenseIsRefused) {
  const Table three = classes_table({numbers({1, 2, 3})}, {0, 1, 2});
  EXPECT_THROW(test::run(three, "grow monotone=x0:+"), Error);
  const Table levels = classes_table({test::codes({0, 1, 0})}, {0, 1, 0});
  EXPECT_THROW(test::run(levels, "grow monotone=x0:+"), Error);
  for (const char* more : {"monotone=x0:up", "monotone=x5:+", "monotone=x0:+ search=binned",
                           "monotone=x0:+ missing=majority", "monotone=x0:+ leaf=laplace"}) {
    EXPECT_THROW(test::run(dear_and_cheap(), std::string("grow ") + more), Error) << more;
  }
}

// The rows with every value of the first two inputs in turn.
void expect_monotone(const Tree& tree, const Table& table, size_t feature, int direction) {
  std::vector<double> values;
  for (RowIndex row = 0; row < table.rows(); ++row) {
    const double value = table.input(feature).value(row);
    if (!std::isnan(value)) values.push_back(value);
  }
  std::sort(values.begin(), values.end());
  values.erase(std::unique(values.begin(), values.end()), values.end());
  std::vector<double> before;
  const size_t answer = tree.answer_width() - 1;  // the mean, or the second class
  for (const double value : values) {
    std::vector<Column> inputs;
    for (size_t f = 0; f < table.features(); ++f) inputs.push_back(table.input(f));
    if (inputs[feature].kind == Kind::numeric) {
      inputs[feature].numbers = std::vector<double>(table.rows(), value);
    } else {
      inputs[feature].codes = std::vector<int32_t>(table.rows(), static_cast<int32_t>(value));
    }
    const Table moved(table.schema(), table.rows(), std::move(inputs), table.target(), {});
    const Predictions now = predict(tree, moved, all_rows(moved), Parallel(1));
    std::vector<double> answers(table.rows());
    for (size_t i = 0; i < answers.size(); ++i) answers[i] = now.answers[i * now.width + answer];
    for (size_t i = 0; i < before.size(); ++i) {
      ASSERT_GE((answers[i] - before[i]) * direction, -1e-12) << "row " << i << " at " << value;
    }
    before = answers;
  }
}

TEST(Monotone, HoldsForTheWholeTreeWhateverTheData) {
  size_t splits = 0;
  for (uint64_t seed = 0; seed < 40; ++seed) {
    SCOPED_TRACE(seed);
    const Table table = test::random_table({.rows = 150,
                                            .classes = seed % 2 == 0 ? size_t{0} : size_t{2},
                                            .numeric = 3,
                                            .nominal = 1,
                                            .ordinal = 1,
                                            .distinct = seed % 3 == 0 ? uint64_t{0} : uint64_t{9},
                                            .missing = seed % 4 < 2 ? 0.0 : 0.15,
                                            .noise = 0.5},
                                           seed);
    const std::string how = seed % 5 == 0   ? " max-leaves=12"
                            : seed % 5 == 1 ? " missing=impute"
                            : seed % 5 == 2 ? " min-leaf=4"
                                            : "";
    const Tree tree = test::run(table, "grow monotone=x0:+,x1:-,x4:+" + how);
    splits += shape_of(tree).leaves - 1;
    expect_monotone(tree, table, 0, 1);
    expect_monotone(tree, table, 1, -1);
    expect_monotone(tree, table, 4, 1);
    const Tree pruned =
        test::run(table, "grow monotone=x0:+,x1:-,x4:+" + how + " | prune alpha=0.01");
    expect_monotone(pruned, table, 0, 1);
  }
  EXPECT_GT(splits, 400U);  // not by making no splits
}

TEST(Monotone, IsNotMetWithoutBeingAskedFor) {
  // The check finds trees that are not monotone.
  const Table table = test::random_table({.rows = 150, .classes = 0, .noise = 0.5}, 1);
  const Tree tree = test::run(table, "grow");
  const Predictions low = predict(tree, table, all_rows(table), Parallel(1));
  bool falls = false;
  std::vector<Column> inputs;
  for (size_t f = 0; f < table.features(); ++f) inputs.push_back(table.input(f));
  ColumnDraft first(inputs[0]);
  for (double& value : first.numbers) value += 0.25;
  inputs[0] = std::move(first);
  const Table moved(table.schema(), table.rows(), std::move(inputs), table.target(), {});
  const Predictions high = predict(tree, moved, all_rows(moved), Parallel(1));
  for (size_t i = 0; i < table.rows(); ++i) falls = falls || high.answers[i] < low.answers[i];
  EXPECT_TRUE(falls);
}

}  // namespace
}  // namespace softwood

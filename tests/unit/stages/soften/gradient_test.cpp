// soften by=gradient: what is not moved keeps its bits.
#include <gtest/gtest.h>

#include "support/grow.h"
#include "support/tables.h"
#include "support/trees.h"

namespace softwood {
namespace {

using test::classes_table;
using test::numbers;
using test::numbers_table;

// Whole numbers, so that rows lie on cuts at data points.
std::vector<Column> whole_inputs(Random& random, size_t rows) {
  std::vector<Column> inputs;
  for (int f = 0; f < 2; ++f) {
    std::vector<double> x;
    for (size_t row = 0; row < rows; ++row) x.push_back(static_cast<double>(random.below(12)));
    inputs.push_back(numbers(x));
  }
  return inputs;
}

const std::string grown = "grow cut-at=data-point max-leaves=6";

// Whether the tree was softened.
bool keeps_cuts(const Table& table, const std::string& move) {
  const Tree hard = test::run(table, grown);
  const Tree soft = test::run(table, grown + " | soften by=gradient steps=200 move=" + move);
  EXPECT_EQ(soft.size(), hard.size());
  bool any_soft = false;
  for (NodeIndex i = 0; i < hard.size(); ++i) {
    if (hard.node(i).is_leaf()) continue;
    EXPECT_EQ(test::cut_of(soft, i), test::cut_of(hard, i));
    any_soft = any_soft || linear_form(soft.node(i).gate())->link.form == LinkForm::ramp;
  }
  const Tree again =
      test::run(table, grown + " | soften by=gradient steps=200 move=" + move + " | harden");
  EXPECT_EQ(again.size(), hard.size());
  for (NodeIndex i = 0; i < hard.size(); ++i) {
    // The same rows; sums of targets are added up in another order.
    EXPECT_EQ(again.weight(i), hard.weight(i)) << "node " << i;
    EXPECT_NEAR(again.risk(i), hard.risk(i), 1e-9 * hard.risk(0)) << "node " << i;
  }
  return any_soft;
}

TEST(SoftenByGradient, KeepsCutsThatAreNotMoved) {
  Random random(3, "rows");
  const std::vector<Column> inputs = whole_inputs(random, 300);
  std::vector<int32_t> classes;
  std::vector<double> y;
  for (size_t row = 0; row < 300; ++row) {
    const double sum = inputs[0].numbers[row] + inputs[1].numbers[row] + 3 * random.normal();
    classes.push_back(sum > 11 ? 1 : 0);
    y.push_back(sum);
  }
  for (const char* move : {"ramps", "ramps,leaves"}) {
    const bool classes_soft = keeps_cuts(classes_table(inputs, classes), move);
    const bool numbers_soft = keeps_cuts(numbers_table(inputs, y), move);
    EXPECT_TRUE(classes_soft || numbers_soft) << move;
  }
}

TEST(SoftenByGradient, KeepsAnswersThatAreNotMoved) {
  Random random(4, "rows");
  const std::vector<Column> inputs = whole_inputs(random, 300);
  std::vector<int32_t> classes;
  for (size_t row = 0; row < 300; ++row) {
    const bool noisy = inputs[1].numbers[row] > 5;
    classes.push_back(inputs[0].numbers[row] + (noisy ? 2 * random.normal() : 0) > 6 ? 1 : 0);
  }
  const Table table = classes_table(inputs, classes);
  const Tree hard = test::run(table, grown);
  const Tree soft = test::run(table, grown + " | soften by=gradient steps=200 move=ramps");
  ASSERT_EQ(soft.size(), hard.size());
  const std::vector<double> answers = hard.answers();
  std::vector<double> outputs, answer(2);
  for (NodeIndex i = 0; i < hard.size(); ++i) {
    if (!soft.node(i).is_leaf() || !soft.node(i).model) continue;
    ASSERT_TRUE(leaf_model_answer(*soft.node(i).model, table, 0, {}, outputs, answer));
    for (size_t k = 0; k < 2; ++k) {
      EXPECT_NEAR(answer[k], answers[2 * i + k], 1e-15);
      if (answers[2 * i + k] == 0) {
        EXPECT_EQ(answer[k], 0);
      }
    }
  }
}

}  // namespace
}  // namespace softwood

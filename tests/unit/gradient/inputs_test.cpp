#include "gradient/inputs.h"

#include <gtest/gtest.h>

#include "support/tables.h"

namespace softwood::gradient {
namespace {

// Standardised inputs do not depend on the unit of the data.
TEST(Inputs, AreStandardisedInAnyUnit) {
  for (const double unit : {1.0, 1e160, 1e280, 1e-200}) {
    const Table table = test::classes_table(
        {test::numbers({1 * unit, 2 * unit, 3 * unit, 6 * unit})}, {0, 0, 1, 1});
    const std::vector<RowIndex> rows = all_rows(table);
    const Sample sample{&table, rows};
    const Inputs inputs(sample, std::vector<double>{2.5 * unit}, Map::none, Products::none);
    ASSERT_EQ(inputs.terms(), 1U) << unit;
    EXPECT_NEAR(inputs.column(0).centre / unit, 3, 1e-12);
    EXPECT_NEAR(inputs.column(0).scale / unit, std::sqrt(3.5), 1e-12);
  }
}

// Of 100 rows 92 are 0: the points divide the others, 1 to 8.
TEST(Inputs, HaveKnotsBesideAHeapOfEqualValues) {
  std::vector<double> x(92, 0.0);
  for (int i = 1; i <= 8; ++i) x.push_back(i);
  std::vector<int32_t> classes(100, 0);
  classes[99] = 1;
  const Table table = test::classes_table({test::numbers(x)}, classes);
  const std::vector<RowIndex> rows = all_rows(table);
  const std::vector<Term> terms = input_terms({&table, rows}, std::vector<double>{0}, Map::knots);
  std::vector<double> centres;
  for (const Term& term : terms) {
    EXPECT_EQ(term.form, TermForm::asinh);
    EXPECT_GT(term.scale, 0);
    centres.push_back(term.centre);
  }
  EXPECT_EQ(centres, (std::vector<double>{1, 3, 4, 6, 8}));
}

// Nothing is left beside two heaps: one term about the median.
TEST(Inputs, HaveOneTermWhereAllValuesAreHeaps) {
  std::vector<double> x(60, 0.0);
  x.resize(100, 1.0);
  std::vector<int32_t> classes(100, 0);
  classes[99] = 1;
  const Table table = test::classes_table({test::numbers(x)}, classes);
  const std::vector<RowIndex> rows = all_rows(table);
  EXPECT_EQ(input_terms({&table, rows}, std::vector<double>{0}, Map::knots).size(), 1U);
}

}  // namespace
}  // namespace softwood::gradient

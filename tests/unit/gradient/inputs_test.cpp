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

}  // namespace
}  // namespace softwood::gradient

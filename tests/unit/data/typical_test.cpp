#include "data/typical.h"

#include <gtest/gtest.h>

#include "softwood/error.h"
#include "support/interruption.h"
#include "support/tables.h"

namespace softwood {
namespace {

TEST(TypicalValues, AskWhetherToEndWithinAnInput) {
  constexpr size_t rows = 2 * rows_between_asks + 5;
  std::vector<double> x(rows);
  for (size_t i = 0; i < rows; ++i) x[i] = static_cast<double>(i * 7919 % rows);
  const Table table =
      test::classes_table({test::numbers(std::move(x))}, std::vector<int32_t>(rows, 0));
  const std::vector<RowIndex> all = all_rows(table);
  test::Interruption counter;
  EXPECT_EQ(typical_values(table, all, counter.control())[0], static_cast<double>(rows / 2));
  EXPECT_GE(counter.asked(), 6U);  // three blocks are read and sorted
  test::Interruption late(counter.asked());
  EXPECT_THROW(typical_values(table, all, late.control()), Error);
}

}  // namespace
}  // namespace softwood

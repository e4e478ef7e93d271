#include "data/sorted.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <limits>

#include "support/tables.h"

namespace softwood {
namespace {

// What sort_column promises, said plainly: by value, then by row; marks; missing rows at the end.
SortedColumn plain_sort(const Column& column) {
  const size_t rows = column.size();
  std::vector<uint32_t> known, missing;
  for (uint32_t row = 0; row < rows; ++row) {
    (column.is_missing(row) ? missing : known).push_back(row);
  }
  std::stable_sort(known.begin(), known.end(),
                   [&](uint32_t a, uint32_t b) { return column.value(a) < column.value(b); });
  SortedColumn sorted;
  sorted.known = known.size();
  for (size_t i = 0; i < known.size(); ++i) {
    const bool is_new = i == 0 || column.value(known[i]) != column.value(known[i - 1]);
    sorted.order.push_back(known[i] | (is_new ? new_value_mark : 0));
  }
  sorted.order.insert(sorted.order.end(), missing.begin(), missing.end());
  return sorted;
}

void expect_sorted(Column column) {
  column.missing = 0;
  const size_t rows = column.size();
  for (size_t row = 0; row < rows; ++row) column.missing += column.is_missing(row) ? 1 : 0;
  SortSpace space;
  const SortedColumn sorted = sort_column(column, space), plain = plain_sort(column);
  EXPECT_EQ(sorted.known, plain.known);
  EXPECT_EQ(sorted.order, plain.order);
}

TEST(SortColumn, SortsSmallAndLargeColumnsOfAllKindsOfNumbers) {
  for (const size_t rows : {0, 1, 2, 10, 2999, 3000, 20000}) {
    for (int kind = 0; kind < 12; ++kind) {
      Random random(rows, "sort", static_cast<uint64_t>(kind));
      std::vector<double> cells(rows);
      for (double& x : cells) {
        switch (kind) {
          case 0:
            x = random.normal();
            break;
          case 1:
            x = static_cast<double>(random.below(5));
            break;  // ties
          case 2:
            x = random.below(4) == 0 ? missing_number : random.normal();
            break;
          case 3:
            x = 1 + std::ldexp(static_cast<double>(random.below(1000)), -52);
            break;  // last bits
          case 4:
            x = std::ldexp(random.normal(), static_cast<int>(random.below(2000)) - 1000);
            break;
          case 5:
            x = random.below(2) == 0 ? 0.0 : -0.0;
            break;
          case 6:
            x = std::ldexp(static_cast<double>(random.below(7)), -1074);
            break;  // denormal
          case 7:
            x = std::round(random.normal() * 1e5) / 1e5;
            break;  // decimals, in two digits of the radix sort
          case 8:
            x = random.below(9) == 0 ? missing_number : std::round(random.normal() * 1e3) / 1e9;
            break;
          case 9:
            x = static_cast<double>(random.below(uint64_t{1} << 32)) / 10;
            break;  // three digits
          case 10:
            x = static_cast<double>(random.below(uint64_t{1} << 60)) / 10;
            break;  // too many for decimals
          default:
            x = random.below(3) == 0 ? std::numeric_limits<double>::max()
                                     : -1e308 * random.uniform();
        }
      }
      SCOPED_TRACE(std::to_string(rows) + " rows of kind " + std::to_string(kind));
      expect_sorted(test::numbers(cells));
    }
  }
}

TEST(SortColumn, SortsOrdinalColumnsByCode) {
  expect_sorted(test::codes({2, 0, -1, 1, 0, 2, -1}, Kind::ordinal));
}

TEST(SortColumn, SortsValuesThatDifferFarApartAndInTheLastBit) {
  // The range needs more than 32 bits, so near values share a reduced key.
  std::vector<double> cells;
  for (int i = 0; i < 4000; ++i) cells.push_back(i % 2 == 0 ? 1e300 : 1.0);
  for (int i = 0; i < 50; ++i)
    cells[static_cast<size_t>(i) * 2 + 1] = std::nextafter(1.0, i % 3 - 1.0);
  expect_sorted(test::numbers(cells));
}

TEST(Derived, SortsEveryColumnButNominalOnesOnce) {
  const Table table = test::classes_table(
      {test::numbers({3, 1, 2}), test::codes({0, 1, 0}), test::codes({1, 0, 1}, Kind::ordinal)},
      {0, 1, 0});
  Derived derived(table);
  const auto& sorted = derived.sorted(Parallel(1));
  ASSERT_EQ(sorted.size(), 3U);
  EXPECT_EQ(sorted[0].order, plain_sort(table.input(0)).order);
  EXPECT_TRUE(sorted[1].order.empty());
  EXPECT_EQ(sorted[2].order, plain_sort(table.input(2)).order);
  EXPECT_EQ(&derived.sorted(Parallel(2)), &sorted);
}

TEST(Middle, LiesBetweenAndNeverOnTheUpperValue) {
  EXPECT_EQ(middle(1, 2), 1.5);
  EXPECT_EQ(middle(-3, 3), 0);
  const double next = std::nextafter(1.0, 2.0);
  EXPECT_EQ(middle(1, next), 1);
  EXPECT_EQ(middle(next, std::nextafter(next, 2.0)), next);  // rounds to even: up
  const double most = std::numeric_limits<double>::max();
  EXPECT_EQ(middle(-most, most), 0);
  EXPECT_LT(middle(std::nextafter(most, 0.0), most), most);
}

}  // namespace
}  // namespace softwood

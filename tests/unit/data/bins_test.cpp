#include "data/bins.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "data/sorted.h"
#include "support/tables.h"

namespace softwood {
namespace {

FeatureBins bins_of(const std::vector<double>& cells, size_t most) {
  const Table table =
      test::numbers_table({test::numbers(cells)}, std::vector<double>(cells.size(), 1.0));
  return make_bins(table, all_rows(table), most, Parallel(1))[0];
}

TEST(Bins, GiveFewValuesABinEach) {
  const FeatureBins bins = bins_of({5, 1, 1, 1, 1, 1, 2, 5}, 3);
  EXPECT_EQ(bins.bins, 3U);
  EXPECT_EQ(bins.cuts, (std::vector<double>{1.5, 3.5}));
}

TEST(Bins, HoldAboutEqualNumbersOfRows) {
  std::vector<double> cells;
  for (int i = 0; i < 1000; ++i) cells.push_back(i * i);
  const FeatureBins bins = bins_of(cells, 10);
  ASSERT_EQ(bins.bins, 10U);
  for (size_t b = 0; b < bins.cuts.size(); ++b) {
    const auto below =
        std::count_if(cells.begin(), cells.end(), [&](double x) { return x <= bins.cuts[b]; });
    EXPECT_NEAR(static_cast<double>(below), 100.0 * static_cast<double>(b + 1), 1) << b;
  }
}

TEST(Bins, NeverDivideEqualValues) {
  // Half of the rows have one value: it takes a bin, the others share the rest.
  std::vector<double> cells(500, 0.0);
  for (int i = 0; i < 500; ++i) cells.push_back(i + 1);
  const FeatureBins bins = bins_of(cells, 6);
  EXPECT_LE(bins.bins, 6U);
  EXPECT_GE(bins.bins, 5U);
  EXPECT_EQ(bins.cuts.front(), 0.5);
  EXPECT_TRUE(std::is_sorted(bins.cuts.begin(), bins.cuts.end()));
}

// Bins by their definition, from all values sorted.
std::vector<double> cuts_by_sorting(std::vector<double> cells, size_t most) {
  std::sort(cells.begin(), cells.end());
  const auto total = static_cast<double>(cells.size());
  std::vector<double> cuts;
  double closed = 0;
  for (size_t i = 1; i < cells.size() && cuts.size() + 1 < most; ++i) {
    if (cells[i] == cells[i - 1]) continue;
    const double share = (total - closed) / static_cast<double>(most - cuts.size());
    if (static_cast<double>(i) - closed < share) continue;
    cuts.push_back(middle(cells[i - 1], cells[i]));
    closed = static_cast<double>(i);
  }
  return cuts;
}

TEST(Bins, AreExactQuantilesOfManyRowsInAnyOrder) {
  constexpr size_t rows = 150'000;
  for (const int shape : {0, 1, 2, 3}) {
    Random random(7, "bins", static_cast<uint64_t>(shape));
    std::vector<double> cells(rows);
    for (size_t i = 0; i < rows; ++i) {
      double& x = cells[i];
      x = random.normal();
      if (shape == 1) x = std::exp(5 * x);
      if (shape == 2) x = random.below(3) == 0 ? 0 : std::floor(1000 * x);
      if (shape == 3) x = static_cast<double>(i);  // sorted
    }
    const std::vector<double> expected = cuts_by_sorting(cells, 255);
    EXPECT_EQ(bins_of(cells, 255).cuts, expected) << shape;
    random.shuffle(cells);
    EXPECT_EQ(bins_of(cells, 255).cuts, expected) << shape;
  }
}

TEST(Bins, TakeWeightsForCopies) {
  constexpr size_t rows = 70'000;
  Random random(8, "bins");
  std::vector<double> cells, weights, copies;
  for (size_t i = 0; i < rows; ++i) {
    cells.push_back(random.normal());
    weights.push_back(static_cast<double>(random.below(3)));
    copies.insert(copies.end(), static_cast<size_t>(weights.back()), cells.back());
  }
  const Table table =
      test::numbers_table({test::numbers(cells)}, std::vector<double>(rows, 1.0), weights);
  std::vector<RowIndex> weighing;
  for (RowIndex row = 0; row < rows; ++row) {
    if (weights[row] > 0) weighing.push_back(row);
  }
  EXPECT_EQ(make_bins(table, weighing, 255, Parallel(1))[0].cuts, bins_of(copies, 255).cuts);
}

TEST(Bins, OfAConstantOrEmptyColumnAreOne) {
  EXPECT_EQ(bins_of({4, 4, 4}, 5).bins, 1U);
  EXPECT_EQ(bins_of({missing_number, missing_number}, 5).bins, 1U);
}

TEST(Bins, ComeFromTheGivenRowsAlone) {
  const Table table = test::numbers_table({test::numbers({1, 2, 3, 4})}, {0, 0, 0, 0});
  const std::vector<RowIndex> rows = {0, 2};
  EXPECT_EQ(make_bins(table, rows, 5, Parallel(1))[0].cuts, (std::vector<double>{2}));
}

TEST(Codes, CountTheCutsBelowEveryValue) {
  for (const size_t most : {2, 3, 17, 255, 256, 5000}) {
    for (uint64_t seed = 0; seed < 4; ++seed) {
      Random random(seed, "codes");
      std::vector<double> cells(6000);
      for (double& x : cells) {
        x = random.normal();
        if (seed == 1) x = std::ldexp(x, static_cast<int>(random.below(600)) - 300);  // uneven
        if (seed == 2) x = static_cast<double>(random.below(40));
        if (seed == 3) x = (x > 0 ? 1e308 : -1e308) * random.uniform();  // the range is infinite
        if (random.below(10) == 0) x = missing_number;
      }
      const Table table =
          test::numbers_table({test::numbers(cells)}, std::vector<double>(6000, 1.0));
      const auto rows = all_rows(table);
      const auto bins = make_bins(table, rows, most, Parallel(1));
      const BinnedRows binned(table, rows, bins, Parallel(2));
      EXPECT_EQ(binned.is_narrow(), bins[0].bins <= 255);
      for (size_t row = 0; row < cells.size(); ++row) {
        const auto& cuts = bins[0].cuts;
        const auto below =
            std::count_if(cuts.begin(), cuts.end(), [&](double cut) { return cut < cells[row]; });
        const uint32_t expected =
            table.input(0).is_missing(row) ? bins[0].bins : static_cast<uint32_t>(below);
        ASSERT_EQ(binned.code(row, 0), expected)
            << "most " << most << " seed " << seed << " row " << row;
      }
    }
  }
}

TEST(Codes, OfNominalCellsAreTheirLevels) {
  const Table table = test::classes_table({test::codes({2, 0, -1, 1})}, {0, 1, 0, 1});
  const auto rows = all_rows(table);
  const auto bins = make_bins(table, rows, 2, Parallel(1));
  EXPECT_EQ(bins[0].bins, 3U);  // all levels, whatever the limit
  const BinnedRows binned(table, rows, bins, Parallel(1));
  const uint32_t expected[] = {2, 0, 3, 1};
  for (size_t row = 0; row < 4; ++row) EXPECT_EQ(binned.code(row, 0), expected[row]);
}

}  // namespace
}  // namespace softwood

#include "data/summary.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "base/random.h"
#include "data/bins.h"
#include "softwood/error.h"
#include "support/mixed_table.h"
#include "support/tables.h"

namespace softwood {
namespace {

double sum_of(std::initializer_list<double> values) {
  ExactSum sum;
  for (const double value : values) sum.add(value);
  return sum.value();
}

TEST(ExactSum, LosesNothing) {
  EXPECT_EQ(sum_of({}), 0);
  EXPECT_EQ(sum_of({0.5, -2, 1e-300, 3}), 1.5);
  EXPECT_EQ(sum_of({1e300, 1, -1e300}), 1);
  EXPECT_EQ(sum_of({5e-324, 1, -1}), 5e-324);
  EXPECT_EQ(sum_of({-5e-324, -5e-324}), -1e-323);
  EXPECT_EQ(sum_of({1.7976931348623157e308, -1.7976931348623157e308, -0.1}), -0.1);
  EXPECT_EQ(sum_of({0x1p31, 0x1p32, 0x1p63, 0x1p-31}), 0x1p31 + 0x1p32 + 0x1p63);
  EXPECT_EQ(sum_of({-1e300, 1e299, -3}), -9e299);
}

TEST(ExactSum, OfPartsIsThatOfTheWhole) {
  Random random(1, "sum");
  std::vector<double> values(1000);
  for (double& value : values) value = random.normal() * std::pow(10, random.below(40));
  ExactSum whole, even, odd;
  for (size_t i = 0; i < values.size(); ++i) {
    whole.add(values[i]);
    (i % 2 == 0 ? even : odd).add(values[i]);
  }
  odd.merge(even);
  ByteWriter a, b;
  whole.write(a);
  odd.write(b);
  EXPECT_EQ(a.take(), b.take());
}

// The rows dealt over so many parts, each summarised by itself, merged in a random order and as a
// tree: not only one after the other.
Bytes merged(const Table& table, size_t parts, uint64_t seed) {
  Random random(seed, "merge");
  std::vector<std::vector<RowIndex>> rows(parts);
  for (const RowIndex row : all_rows(table)) rows[random.below(parts)].push_back(row);
  std::vector<TableSummary> open;
  for (const auto& part : rows) open.push_back(summarise(table, part, Parallel(1)));
  while (open.size() > 1) {
    random.shuffle(open);
    open[open.size() - 2].merge(TableSummary::from_bytes(open.back().to_bytes()));
    open.pop_back();
  }
  return open.front().to_bytes();
}

TEST(TableSummary, MergesInAnyOrderAndNumberToTheSameBytes) {
  std::vector<Table> tables;
  tables.push_back(test::mixed_table(3, 1, false));
  tables.push_back(test::mixed_table(0, 2, true));
  // More values than are counted one by one, each part by itself having fewer or more.
  std::vector<double> x(3 * ColumnSummary::most_values), y(x.size());
  Random random(3, "values");
  for (double& value : x) value = random.normal();
  tables.push_back(test::numbers_table({test::numbers(x)}, y));
  for (const Table& table : tables) {
    const Bytes whole = summarise(table, all_rows(table), Parallel(2)).to_bytes();
    for (const size_t parts : {1, 2, 3, 10}) {
      for (const uint64_t seed : {1, 2, 3}) EXPECT_EQ(merged(table, parts, seed), whole) << parts;
    }
  }
}

TEST(TableSummary, SaysWhatIsInTheColumns) {
  const Table table = test::numbers_table(
      {test::numbers({2, 1, missing_number, 2, -0.0, 0.0}), test::codes({1, 0, 1, -1, 1, 1})},
      {1, 2, 3, 4, 5, 6}, {1, 1, 1, 1, 0.5, 0.5});
  const TableSummary summary = summarise(table, all_rows(table), Parallel(1));
  EXPECT_EQ(summary.rows, 6U);
  const ColumnSummary& x = summary.inputs[0];
  EXPECT_EQ(x.missing, 1U);
  EXPECT_EQ(x.least, 0);
  EXPECT_EQ(x.largest, 2);
  ASSERT_EQ(x.values.size(), 3U);
  EXPECT_EQ(x.values[0].rows, 2U);
  EXPECT_EQ(x.values[2].rows, 2U);
  EXPECT_EQ(summary.inputs[1].levels, (std::vector<LevelCount>{{"l0", 1}, {"l1", 4}}));
  EXPECT_EQ(summary.inputs[1].missing, 1U);
  EXPECT_EQ(summary.weight.value(), 5);
  EXPECT_EQ(summary.target_sum.value(), 15.5);
}

TEST(ColumnSummary, BracketsAreInOrderAndBeginBelowTheirValues) {
  std::vector<double> values = {-1e300, -3, -1.1, -1, -1e-320, 0, 1e-320, 1, 1.03, 1.1, 2, 1e300};
  for (const double value : values) {
    const double bracket = ColumnSummary::bracket_of(value);
    EXPECT_LE(bracket, value);
    EXPECT_EQ(ColumnSummary::bracket_of(bracket), bracket) << value;
    EXPECT_GE(bracket, value - std::abs(value) / 16 - 1e-308) << value;
  }
  EXPECT_EQ(ColumnSummary::bracket_of(1.03), 1);
}

// What binning needs of a column is in its summary.
TEST(ColumnSummary, GivesTheBinsOfTheColumn) {
  const Table table = test::mixed_table(3, 5, false);
  const std::vector<RowIndex> rows = all_rows(table);
  const TableSummary summary = summarise(table, rows, Parallel(1));
  for (const size_t most : {2, 5, 16, 255}) {
    const std::vector<FeatureBins> bins = make_bins(table, rows, most, Parallel(1));
    for (size_t f = 0; f < table.features(); ++f) {
      if (table.input(f).kind != Kind::numeric) continue;
      EXPECT_EQ(bins_of_values(summary.inputs[f].values, most).cuts, bins[f].cuts);
    }
  }
}

TEST(TableSummary, SaysWhetherWeightsAreWhole) {
  const auto summary = [](bool quarters) {
    const Table table = test::mixed_table(3, 1, quarters);
    return summarise(table, all_rows(table), Parallel(1));
  };
  TableSummary whole = summary(false);
  EXPECT_TRUE(TableSummary::from_bytes(whole.to_bytes()).whole_weights);
  EXPECT_FALSE(TableSummary::from_bytes(summary(true).to_bytes()).whole_weights);
  whole.merge(summary(true));
  EXPECT_FALSE(whole.whole_weights);
}

TEST(TableSummary, RefusesOtherVersionsAndBytesThatAreCutShort) {
  const Table table = test::mixed_table(3, 1, false);
  const Bytes bytes = summarise(table, all_rows(table), Parallel(1)).to_bytes();
  for (size_t size = 0; size < bytes.size(); size += 1 + size / 8) {
    EXPECT_THROW(TableSummary::from_bytes(
                     {bytes.begin(), bytes.begin() + static_cast<std::ptrdiff_t>(size)}),
                 Error)
        << size;
  }
  Bytes longer = bytes;
  longer.push_back(std::byte{0});
  EXPECT_THROW(TableSummary::from_bytes(longer), Error);
  Bytes other = bytes;
  other[0] = std::byte{'X'};
  EXPECT_THROW(TableSummary::from_bytes(other), Error);
  Bytes later = bytes;
  later[4] = std::byte{3};
  try {
    TableSummary::from_bytes(later);
    FAIL();
  } catch (const Error& error) {
    EXPECT_NE(std::string(error.what()).find("version 3"), std::string::npos);
  }
}

TEST(TableSummary, OfOtherColumnsIsNotMerged) {
  const Table one = test::numbers_table({test::numbers({1})}, {1});
  const Table two = test::numbers_table({test::numbers({1}), test::numbers({1})}, {1});
  const Table three = test::numbers_table({test::codes({0})}, {1});
  const auto summary = [](const Table& table) {
    return summarise(table, all_rows(table), Parallel(1));
  };
  for (const Table* other : {&two, &three}) {
    TableSummary first = summary(one);
    EXPECT_THROW(first.merge(summary(*other)), Error);
  }
}

}  // namespace
}  // namespace softwood

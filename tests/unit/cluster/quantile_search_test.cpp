#include "cluster/quantile_search.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "base/random.h"
#include "data/quantiles.h"
#include "support/tables.h"

namespace softwood::cluster {
namespace {

struct Found {
  FeatureBins bins;
  double median = 0;
  size_t passes = 0;
};

// Asks parts of the values until the bins (of no most: the median) are known.
Found searched(const std::vector<double>& values, size_t most_bins, size_t parts) {
  std::vector<double> sample;
  for (size_t i = 0; i < values.size(); i += values.size() / 256) sample.push_back(values[i]);
  std::sort(sample.begin(), sample.end());
  const auto [least, largest] = std::minmax_element(values.begin(), values.end());
  CountQuestion question;
  question.columns = {
      ColumnQuestion::first(sample, *least, *largest, values.size(), parts, most_bins), {}};
  std::vector<Table> tables;
  for (size_t p = 0; p < parts; ++p) {
    std::vector<double> own;
    for (size_t i = p; i < values.size(); i += parts) own.push_back(values[i]);
    const size_t rows = own.size();
    tables.push_back(
        test::numbers_table({test::numbers(std::move(own))}, std::vector<double>(rows)));
  }
  Found found;
  while (question.columns[0].asked) {
    ++found.passes;
    RangeCounts all;
    for (const Table& table : tables) {
      RangeCounter counter(question);
      counter.add({&table, 1});
      const std::vector<RangeCounts> piece = counter.pieces(1);
      ByteWriter out;
      piece[0].write(out);
      const Bytes bytes = out.take();
      ByteReader in(bytes);
      const RangeCounts read = RangeCounts::read(in);
      if (all.columns.empty()) {
        all = read;
      } else {
        all.merge(read);
      }
    }
    const ColumnFinding finding = search_quantiles(question.columns[0], all.columns[0]);
    question.columns[0] = finding.question_after(question.columns[0]);
    found.bins = finding.bins;
    found.median = finding.median;
  }
  return found;
}

void expect_exact(const std::vector<double>& values, size_t most_passes) {
  std::vector<RowIndex> rows(values.size());
  for (size_t i = 0; i < rows.size(); ++i) rows[i] = static_cast<RowIndex>(i);
  const Column column = test::numbers(values);
  for (const size_t bins : {255, 16}) {
    const Found found = searched(values, bins, 3);
    EXPECT_EQ(found.bins.cuts, bins_by_quantiles(column, {}, rows, bins).cuts);
    EXPECT_LE(found.passes, most_passes);
  }
  const Found found = searched(values, 0, 2);
  EXPECT_EQ(found.median, weighted_median(column, {}, rows));
  EXPECT_LE(found.passes, most_passes);
}

constexpr size_t many = 500000;

TEST(QuantileSearch, EvenValuesTakeTwoPasses) {
  Random random(1, "values");
  std::vector<double> values;
  for (size_t i = 0; i < many; ++i) values.push_back(random.uniform());
  expect_exact(values, 2);
}

// Prices: many rows have one of few values, others have any.
TEST(QuantileSearch, HeavyValuesAmongOthersTakeFewPasses) {
  for (const size_t atoms : {1, 50}) {
    Random random(atoms, "values");
    std::vector<double> values;
    for (size_t i = 0; i < many; ++i) {
      const double price = static_cast<double>(random.below(atoms) + 1) * (100.0 / (atoms + 1.0));
      values.push_back(random.uniform() < 0.5 ? price : random.uniform() * 100);
    }
    expect_exact(values, 6);
  }
}

// No grid that a sample suggests fits these.
TEST(QuantileSearch, EndsWhateverTheValuesAre) {
  Random random(3, "values");
  std::vector<double> values, steps;
  for (size_t i = 0; i < many; ++i) {
    values.push_back(std::exp(40 * random.uniform() * random.uniform()));
    // Each value as often as its number says.
    steps.push_back(std::floor(std::sqrt(random.uniform()) * 3000) + 1e-9 * random.below(3));
  }
  expect_exact(values, 6);
  expect_exact(steps, 6);
}

}  // namespace
}  // namespace softwood::cluster

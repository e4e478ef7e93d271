#include "cluster/rank_sketch.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "base/random.h"

namespace softwood::cluster {
namespace {

constexpr size_t many = 400000, bins = 255;

std::vector<double> drawn(size_t rows, double power) {
  Random random(1, "values");
  std::vector<double> values(rows);
  for (double& value : values) value = std::pow(random.uniform(), power);
  return values;
}

RankSketch through_bytes(const RankSketch& sketch) {
  ByteWriter out;
  sketch.write(out);
  const Bytes bytes = out.take();
  ByteReader in(bytes);
  RankSketch read = RankSketch::read(in);
  in.end();
  return read;
}

// Of parts that have these values one after the other.
RankSketch sketch_of(const std::vector<double>& values, size_t parts) {
  RankSketch all;
  for (size_t p = 0; p < parts; ++p) {
    RankSketcher sketcher({});
    for (size_t i = values.size() * p / parts; i < values.size() * (p + 1) / parts; ++i) {
      sketcher.add(values[i]);
    }
    const RankSketch own = through_bytes(sketcher.take());
    if (p == 0) {
      all = own;
    } else {
      all.merge(own);
    }
  }
  return through_bytes(all);
}

// The values of the ranges that are listed.
std::vector<double> listed(const ColumnQuestion& question, const std::vector<double>& values) {
  std::vector<double> found;
  for (const double value : values) {
    const auto edge = std::lower_bound(question.edges.begin(), question.edges.end(), value);
    const auto range = static_cast<size_t>(edge - question.edges.begin());
    if (question.work[range] == RangeWork::list) found.push_back(value);
  }
  std::sort(found.begin(), found.end());
  return found;
}

void expect_bin_ends_listed(std::vector<double> values, size_t parts) {
  const ColumnQuestion question = sketch_of(values, parts).brackets(bins);
  ASSERT_TRUE(question.asked);
  const std::vector<double> found = listed(question, values);
  EXPECT_LT(found.size(), values.size() / 4);
  std::sort(values.begin(), values.end());
  size_t closed = 0;
  for (size_t left = bins; left > 1; --left) {
    closed += (values.size() - closed + left - 1) / left;
    EXPECT_TRUE(std::binary_search(found.begin(), found.end(), values[closed - 1])) << left;
  }
}

TEST(RankSketch, ListsTheValuesWhereBinsEnd) {
  for (const double power : {1.0, 8.0}) {
    for (const size_t parts : {1, 3, 40}) expect_bin_ends_listed(drawn(many, power), parts);
  }
}

// Each part has values of its own.
TEST(RankSketch, PartsMayHaveOtherValues) {
  std::vector<double> values = drawn(many, 1);
  for (size_t i = 0; i < values.size(); ++i) values[i] += static_cast<double>(i * 5 / many);
  expect_bin_ends_listed(std::move(values), 5);
}

TEST(RankSketch, PartsMayHaveFewRows) { expect_bin_ends_listed(drawn(100000, 1), 20); }

TEST(RankSketch, FindsTheMedian) {
  std::vector<double> values = drawn(many, 2);
  const ColumnQuestion question = sketch_of(values, 7).brackets(0);
  ASSERT_TRUE(question.asked);
  const std::vector<double> found = listed(question, values);
  EXPECT_LT(found.size(), 200U);
  std::sort(values.begin(), values.end());
  EXPECT_TRUE(std::binary_search(found.begin(), found.end(), values[(many - 1) / 2]));
}

// Rows in order of their values: what comes first says nothing about the others.
TEST(RankSketch, AsksNothingWhereItIsTooCoarse) {
  std::vector<double> values = drawn(many, 1);
  std::sort(values.begin(), values.end());
  EXPECT_FALSE(sketch_of(values, 2).brackets(bins).asked);
  EXPECT_FALSE(RankSketch().brackets(bins).asked);
  EXPECT_FALSE(sketch_of(std::vector<double>(many, 1.0), 2).brackets(bins).asked);
}

// Differences of these are infinite, or zero.
TEST(RankSketch, TakesAnyNumbers) {
  Random random(2, "values");
  std::vector<double> values(many);
  for (double& value : values) {
    const double size = std::exp2(std::floor(random.uniform() * 2000) - 1050);
    value = (random.uniform() - 0.5) * size * 1.9e-8;
    if (random.uniform() < 0.01) value = value < 0 ? -1.7e308 : 1.7e308;
  }
  sketch_of(values, 3).brackets(bins);
}

TEST(RankSketch, ListsOfValuesAreExact) {
  std::vector<double> values = drawn(3000, 1);
  std::vector<ValueCount> counts;
  std::sort(values.begin(), values.end());
  for (const double value : values) counts.push_back({value, 1});
  RankSketch all = RankSketch::of_values(counts);
  all.merge(through_bytes(RankSketch::of_values(counts)));
  const ColumnQuestion question = all.brackets(4);
  ASSERT_TRUE(question.asked);
  EXPECT_LT(listed(question, values).size(), 60U);
}

// Bytes and work do not grow with the parts, and brackets stay narrow.
TEST(RankSketch, ManyPartsAreAsFewBytesAsSome) {
  constexpr size_t rows = 66000, parts = 48;
  const std::vector<double> values = drawn(rows * parts, 2);
  const RankSketch all = sketch_of(values, parts);
  ByteWriter out;
  all.write(out);
  EXPECT_LT(out.take().size(), size_t{16} << 20);
  const ColumnQuestion question = all.brackets(bins);
  ASSERT_TRUE(question.asked);
  EXPECT_LT(listed(question, values).size(), values.size() / 25);
  expect_bin_ends_listed(values, parts);
}

// Which are in order: the least ones alone say nothing about the others.
TEST(RankSketch, ValuesThatWereCountedBeforeSayWhereRowsAre) {
  constexpr size_t different = 4096, copies = 50;
  std::vector<ValueCount> before;
  for (size_t v = 0; v < different; ++v) before.push_back({static_cast<double>(v), copies});
  RankSketcher sketcher(before);
  sketcher.add(0.5);
  const ColumnQuestion question = sketcher.take().brackets(bins);
  ASSERT_TRUE(question.asked);
  std::vector<double> values = {0.5};
  for (size_t v = 0; v < different * copies; ++v) values.push_back(static_cast<double>(v / copies));
  EXPECT_LT(listed(question, values).size(), values.size() / 4);
}

TEST(RankSketch, RefusesBytesThatAreNoSketch) {
  struct Point {
    double value;
    uint64_t least, most;
  };
  const auto refused = [](const std::vector<double>& knots, uint64_t steps,
                          const std::vector<int64_t>& counts, const std::vector<Point>& points) {
    ByteWriter out;
    out.vector(knots);
    out.value(steps);
    out.wholes(counts);
    out.value(uint64_t{1});
    out.vector(points);
    const Bytes bytes = out.take();
    ByteReader in(bytes);
    try {
      RankSketch::read(in);
    } catch (const Error&) {
      return true;
    }
    return false;
  };
  const double nan = std::nan("");
  EXPECT_FALSE(refused({1, 2}, 1, {1, 1, 1}, {}));
  EXPECT_FALSE(refused({}, 0, {}, {{1, 1, 1}, {2, 2, 2}}));
  EXPECT_TRUE(refused({2, 1}, 1, {1, 1, 1}, {}));
  EXPECT_TRUE(refused({nan}, 1, {1, 1}, {}));
  EXPECT_TRUE(refused({1}, 1, {1}, {}));
  EXPECT_TRUE(refused({1, 2}, 1, {1, -1, 1}, {}));
  // The product of gaps and steps is no number of 64 bits.
  EXPECT_TRUE(refused({1, 2, 3}, (uint64_t{1} << 63) + 1, {1, 1, 1, 1}, {}));
  EXPECT_TRUE(refused({}, 0, {}, {{nan, 1, 1}}));
  EXPECT_TRUE(refused({}, 0, {}, {{2, 1, 1}, {1, 2, 2}}));
}

}  // namespace
}  // namespace softwood::cluster

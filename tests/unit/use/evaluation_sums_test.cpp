#include "use/evaluation_sums.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "base/random.h"
#include "softwood/error.h"

namespace softwood {
namespace {

struct Rows {
  Schema schema;
  std::vector<int32_t> codes;
  std::vector<double> numbers, weights, answers;

  size_t width() const { return std::max<size_t>(schema.classes(), 1); }
  size_t size() const { return weights.size(); }
  Table table(size_t begin, size_t end) const {
    const auto part = [&](const auto& cells) {
      using Cells = std::vector<typename std::decay_t<decltype(cells)>::value_type>;
      return cells.empty() ? Cells{}
                           : Cells(cells.begin() + static_cast<std::ptrdiff_t>(begin),
                                   cells.begin() + static_cast<std::ptrdiff_t>(end));
    };
    return {schema,
            end - begin,
            {},
            Column{schema.target.kind, part(numbers), part(codes), 0},
            part(weights)};
  }
  Predictions predictions(size_t begin, size_t end) const {
    const auto at = [&](size_t row) {
      return answers.begin() + static_cast<std::ptrdiff_t>(row * width());
    };
    return {end - begin, width(), {at(begin), at(end)}};
  }
  void swap(size_t a, size_t b) {
    if (!codes.empty()) std::swap(codes[a], codes[b]);
    if (!numbers.empty()) std::swap(numbers[a], numbers[b]);
    std::swap(weights[a], weights[b]);
    for (size_t c = 0; c < width(); ++c) {
      std::swap(answers[a * width() + c], answers[b * width() + c]);
    }
  }
};

// Rows of an unknown class (-1) among those with classes.
Rows some_rows(size_t classes, size_t count, size_t distinct, double mean = 0) {
  Rows rows;
  rows.schema.target = {"y", classes > 0 ? Kind::nominal : Kind::numeric, {}};
  rows.schema.weight = "w";
  for (size_t c = 0; c < classes; ++c) rows.schema.target.levels.push_back(std::to_string(c));
  Random random(classes + count, "rows");
  for (size_t i = 0; i < count; ++i) {
    rows.weights.push_back(static_cast<double>(random.below(4)));
    if (classes == 0) {
      rows.numbers.push_back(mean + random.normal());
      rows.answers.push_back(mean + 0.5 * random.normal());
      continue;
    }
    rows.codes.push_back(static_cast<int32_t>(random.below(classes + 1)) - 1);
    std::vector<double> own;
    for (size_t c = 0; c < classes; ++c) {
      own.push_back(1.0 + static_cast<double>(random.below(distinct)));
    }
    const double sum = std::accumulate(own.begin(), own.end(), 0.0);
    for (const double share : own) rows.answers.push_back(share / sum);
  }
  return rows;
}

EvaluationSums summed(const Rows& rows, size_t parts) {
  EvaluationSums all(rows.schema);
  for (size_t p = 0; p < parts; ++p) {
    const size_t begin = rows.size() * p / parts, end = rows.size() * (p + 1) / parts;
    EvaluationSums part(rows.schema);
    part.add(rows.predictions(begin, end), rows.table(begin, end));
    const Bytes bytes = part.to_bytes();
    all.merge(EvaluationSums::from_bytes(bytes, rows.schema));
  }
  return all;
}

TEST(EvaluationSums, GiveTheFiguresOfOneMachineInAnyOrder) {
  for (const size_t classes : {0, 2, 3}) {
    Rows rows = some_rows(classes, 500, 6, 1e6);
    const Table table = rows.table(0, rows.size());
    const Evaluation expected =
        evaluate(rows.predictions(0, rows.size()), table, all_rows(table), 1, {}, {});
    const Evaluation one = summed(rows, 1).figures(rows.schema, 1, {});
    Random random(1, "order");
    for (size_t i = rows.size() - 1; i > 0; --i) rows.swap(i, random.below(i + 1));
    const EvaluationSums sums = summed(rows, 7);
    EXPECT_FALSE(sums.has_ranges());
    const Evaluation found = sums.figures(rows.schema, 1, {});
    EXPECT_EQ(evaluation_figures(found), evaluation_figures(one));
    EXPECT_EQ(found.confusion, expected.confusion);
    EXPECT_EQ(found.unknown_answers, expected.unknown_answers);
    EXPECT_EQ(found.rows, expected.rows);
    const auto figures = evaluation_figures(found);
    for (const auto& [name, value] : evaluation_figures(expected)) {
      const auto own = std::find_if(figures.begin(), figures.end(),
                                    [&](const auto& figure) { return figure.first == name; });
      ASSERT_NE(own, figures.end()) << name;
      EXPECT_NEAR(own->second, value, 1e-9 * std::fabs(value)) << name;
    }
  }
}

TEST(EvaluationSums, CountManyProbabilitiesByRanges) {
  const Rows rows = some_rows(2, 2 * EvaluationSums::most_scores, 1000000000);
  const Table table = rows.table(0, rows.size());
  const Evaluation expected =
      evaluate(rows.predictions(0, rows.size()), table, all_rows(table), 1, {}, {});
  const EvaluationSums sums = summed(rows, 3);
  EXPECT_TRUE(sums.has_ranges());
  const Evaluation found = sums.figures(rows.schema, 1, {});
  EXPECT_NEAR(found.auc, expected.auc, 1e-4);
  EXPECT_EQ(found.auc, summed(rows, 2).figures(rows.schema, 1, {}).auc);
  EXPECT_EQ(found.error, expected.error);
}

TEST(EvaluationSums, GiveOneAreaHoweverRowsAreDivided) {
  // Of three classes each has a number of ranges that is no divisor of 65536; weights round.
  Rows rows = some_rows(3, 60000, 1000000000);
  Random random(1, "weights");
  for (double& weight : rows.weights) weight = random.uniform() * std::pow(10.0, random.below(9));
  const Evaluation one = summed(rows, 1).figures(rows.schema, 1, {});
  const Table table = rows.table(0, rows.size());
  const Evaluation expected =
      evaluate(rows.predictions(0, rows.size()), table, all_rows(table), 1, {}, {});
  EXPECT_NEAR(one.auc, expected.auc, 1e-4);
  for (const size_t parts : {2, 5, 20}) {
    EXPECT_TRUE(summed(rows, parts).has_ranges());
    EXPECT_EQ(summed(rows, parts).figures(rows.schema, 1, {}).auc, one.auc) << parts << " parts";
  }
}

TEST(ShortExactSum, IsThatOfAnyOrder) {
  std::vector<double> numbers;
  Random random(2, "numbers");
  for (size_t i = 0; i < 1000; ++i) {
    numbers.push_back(random.normal() * std::pow(10.0, static_cast<double>(random.below(40)) - 20));
  }
  ExactSum expected;
  for (const double number : numbers) expected.add(number);
  for (size_t order = 0; order < 5; ++order) {
    ShortExactSum one, other;
    for (size_t i = 0; i < numbers.size(); ++i) (i % 3 == 0 ? one : other).add(numbers[i]);
    one.merge(other);
    EXPECT_EQ(one.value(), expected.value());
    for (const double number : numbers) one.add(-number);
    EXPECT_EQ(one.value(), 0);
    random.shuffle(numbers);
  }
}

TEST(EvaluationSums, RefuseNoRowsAndNoWeight) {
  Rows rows = some_rows(2, 10, 5);
  EXPECT_THROW(EvaluationSums(rows.schema).figures(rows.schema, 1, {}), Error);
  rows.weights.assign(10, 0.0);
  EXPECT_THROW(summed(rows, 1).figures(rows.schema, 1, {}), Error);
}

}  // namespace
}  // namespace softwood

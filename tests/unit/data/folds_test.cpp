#include "data/folds.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>
#include <set>

#include "softwood/error.h"
#include "support/interruption.h"
#include "unit/data/reading.h"

namespace softwood::test {
namespace {

Table classes(const std::vector<int32_t>& codes) {
  Schema schema;
  schema.features = {{"x", Kind::numeric, {}}};
  schema.target = {"y", Kind::nominal, {"a", "b", "c"}};
  std::vector<double> x(codes.size());
  std::iota(x.begin(), x.end(), 0.0);
  return Table(schema, codes.size(), {{Kind::numeric, x, {}, 0}}, {Kind::nominal, {}, codes, 0},
               {});
}

Table uneven_classes() {
  std::vector<int32_t> codes;
  for (int i = 0; i < 103; ++i) codes.push_back(i % 10 == 0 ? 2 : i % 3 == 0 ? 1 : 0);
  return classes(codes);
}

TEST(Folds, EveryClassIsDealtOutEvenly) {
  const Table table = uneven_classes();
  const auto fold = stratified_folds(table, all_rows(table), 10, 7);
  for (int32_t code : {0, 1, 2}) {
    std::vector<int> count(10, 0);
    for (size_t row = 0; row < table.rows(); ++row) {
      if (table.target().codes[row] == code) ++count[fold[row]];
    }
    const auto [least, most] = std::minmax_element(count.begin(), count.end());
    EXPECT_LE(*most - *least, 1);
  }
  std::vector<int> size(10, 0);
  for (uint32_t f : fold) ++size[f];
  const auto [least, most] = std::minmax_element(size.begin(), size.end());
  EXPECT_LE(*most - *least, 1);
}

TEST(Folds, DependOnTheSeedAlone) {
  const Table table = uneven_classes();
  const auto rows = all_rows(table);
  EXPECT_EQ(stratified_folds(table, rows, 5, 1), stratified_folds(table, rows, 5, 1));
  EXPECT_NE(stratified_folds(table, rows, 5, 1), stratified_folds(table, rows, 5, 2));
}

TEST(Folds, DoNotDependOnTheOrderOfRows) {
  const Table table = uneven_classes();
  std::vector<RowIndex> rows = all_rows(table), turned(rows.rbegin(), rows.rend());
  auto fold = stratified_folds(table, turned, 5, 1);
  std::reverse(fold.begin(), fold.end());
  EXPECT_EQ(fold, stratified_folds(table, rows, 5, 1));
  auto part = stratified_part(table, turned, 0.3, 1);
  std::reverse(part.begin(), part.end());
  EXPECT_EQ(part, stratified_part(table, rows, 0.3, 1));
}

TEST(Folds, OfSomeRowsOnly) {
  const Table table = uneven_classes();
  const std::vector<RowIndex> rows = {5, 7, 9, 40, 41, 100};
  const auto fold = stratified_folds(table, rows, 3, 1);
  ASSERT_EQ(fold.size(), 6U);
  for (uint32_t f = 0; f < 3; ++f) EXPECT_EQ(std::count(fold.begin(), fold.end(), f), 2);
}

TEST(Part, HasItsShareOfEveryClass) {
  const Table table = uneven_classes();
  const auto rows = all_rows(table);
  for (const double share : {0.0, 0.1, 0.3333, 0.5, 0.9, 1.0}) {
    const auto inside = stratified_part(table, rows, share, 7);
    double all = 0;
    for (int32_t code : {0, 1, 2}) {
      double of_class = 0, taken = 0;
      for (const RowIndex row : rows) {
        if (table.target().codes[row] != code) continue;
        ++of_class;
        taken += inside[row];
      }
      EXPECT_LE(std::abs(taken - share * of_class), 1) << share;
      all += taken;
    }
    EXPECT_LE(std::abs(all - share * 103), 0.5);
  }
  EXPECT_EQ(stratified_part(table, rows, 0.5, 1), stratified_part(table, rows, 0.5, 1));
  EXPECT_NE(stratified_part(table, rows, 0.5, 1), stratified_part(table, rows, 0.5, 2));
}

TEST(Folds, TooFewRows) {
  const Table table = classes({0, 1, 2});
  expect_data_error([&] { stratified_folds(table, all_rows(table), 4, 1); }, {"3 rows", "4 folds"});
  EXPECT_THROW(stratified_folds(table, all_rows(table), 1, 1), Error);
}

TEST(Folds, RunsOfCrossValidation) {
  const Table table = uneven_classes();
  const auto runs = cross_validation_runs(table, 5, 2, 3);
  ASSERT_EQ(runs.size(), 10U);
  for (size_t repeat = 0; repeat < 2; ++repeat) {
    std::multiset<RowIndex> tested;
    for (size_t f = 0; f < 5; ++f) {
      const softwood::Run& run = runs[repeat * 5 + f];
      EXPECT_EQ(run.train.size() + run.test.size(), table.rows());
      EXPECT_TRUE(run.validation.empty());
      tested.insert(run.test.begin(), run.test.end());
    }
    const auto rows = all_rows(table);
    EXPECT_EQ(tested, std::multiset<RowIndex>(rows.begin(), rows.end()));
  }
  EXPECT_NE(runs[0].test, runs[5].test);
}

TEST(FoldsFile, WithZerosTheTestPartIsFixed) {
  const Table table = classes({0, 1, 0, 1, 0, 1});
  const FoldRuns result =
      runs_from_file(csv("r1,r2\n0,1\n1,0\n2,2\n1,1\n2,0\n0,2\n"), table, {}, 6);
  EXPECT_EQ(result.repeats, 2U);
  EXPECT_EQ(result.folds, 2U);
  ASSERT_EQ(result.runs.size(), 4U);
  EXPECT_EQ(result.runs[0].test, (std::vector<RowIndex>{0, 5}));
  EXPECT_EQ(result.runs[0].validation, (std::vector<RowIndex>{1, 3}));
  EXPECT_EQ(result.runs[0].train, (std::vector<RowIndex>{2, 4}));
  EXPECT_EQ(result.runs[1].validation, (std::vector<RowIndex>{2, 4}));
  EXPECT_EQ(result.runs[2].test, (std::vector<RowIndex>{1, 4}));
}

TEST(FoldsFile, WithoutZerosEveryPartIsTested) {
  const Table table = classes({0, 1, 0, 1});
  const FoldRuns result = runs_from_file(csv("r\n3\n1\n2\n1\n"), table, {});
  ASSERT_EQ(result.runs.size(), 3U);
  EXPECT_EQ(result.runs[0].test, (std::vector<RowIndex>{1, 3}));
  EXPECT_EQ(result.runs[0].train, (std::vector<RowIndex>{0, 2}));
  EXPECT_TRUE(result.runs[0].validation.empty());
}

TEST(FoldsFile, CountsLinesOfTheDataFile) {
  const Table table = classes({0, 1, 0});
  const std::vector<RowIndex> kept = {0, 2, 4};  // two rows had no target
  const FoldRuns result = runs_from_file(csv("r\n1\n9\n2\n9\n1\n"), table, kept, 5);
  ASSERT_EQ(result.runs.size(), 2U);
  EXPECT_EQ(result.runs[0].test, (std::vector<RowIndex>{0, 2}));
}

// Each column alone would fit; together they list 2.7e9 rows.
TEST(FoldsFile, ColumnsAreRefusedTogether) {
  const size_t rows = 30000;
  std::string text = "r,s,t\n";
  for (size_t row = 0; row < rows; ++row) {
    const std::string part = std::to_string(row + 1);
    text.append(part).append(",").append(part).append(",").append(part).append("\n");
  }
  const Table table = classes(std::vector<int32_t>(rows, 0));
  expect_data_error([&] { runs_from_file(csv(text), table, {}, rows); },
                    {"up to 't'", "too many parts for 30000 rows"});
}

TEST(FoldsFile, Errors) {
  const Table table = classes({0, 1, 0});
  const auto expect = [&](std::string_view text, const Texts& parts) {
    expect_data_error([&] { runs_from_file(csv(text), table, {}, 3); }, parts);
  };
  expect("r\n1\n2\n", {"data.csv", "2 lines of folds", "the data has 3 rows"});
  expect("r\n1\n2\n1\n2\n", {"4 lines of folds", "the data has 3 rows"});
  expect("r\n1\nx\n2\n", {"line 3", "column 'r'", "'x' is not a number"});
  expect("r\n1\n1.5\n2\n", {"line 3", "1.5 is not the number of a part"});
  expect("r\n1\n-1\n2\n", {"line 3", "-1"});
  expect("r,s\n1,1\n2,?\n1,2\n", {"line 3", "column 's'", "empty"});
  expect("r\n1\n1\n1\n", {"column 'r'", "without rows to train on"});
  expect("r\x1b[2J\n1\n1\n1\n", {"column 'r\\x1b[2J'", "without rows to train on"});
  expect("r\n0\n1\n1\n", {"without rows to train on"});
  expect("r,s\n1,1\n2,2\n1,3\n", {"column 's' gives 3 runs", "2"});
}

// There is no division before its end.
TEST(Folds, AskWhetherToEnd) {
  const Table table = uneven_classes();
  const std::vector<RowIndex> rows = all_rows(table);
  const auto divide = [&](const Control& control) {
    return std::pair(stratified_folds(table, rows, 3, 1, control),
                     stratified_part(table, rows, 0.3, 1, control));
  };
  Interruption counter;
  EXPECT_EQ(divide(counter.control()), divide({}));
  EXPECT_GE(counter.asked(), 2U);
  for (size_t from = 1; from <= counter.asked(); ++from) {
    Interruption interruption(from);
    EXPECT_THROW(divide(interruption.control()), Error) << from;
  }
}

}  // namespace
}  // namespace softwood::test

#include "gradient/inputs.h"

#include <gtest/gtest.h>

#include <cmath>

#include "softwood/error.h"
#include "support/interruption.h"
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

std::vector<Term> knots_of(const std::vector<double>& x) {
  std::vector<int32_t> classes(x.size(), 0);
  classes.back() = 1;
  const Table table = test::classes_table({test::numbers(x)}, classes);
  const std::vector<RowIndex> rows = all_rows(table);
  return input_terms({&table, rows}, std::vector<double>{0}, Map::knots);
}

// Few whole numbers may be codes: a bend between each two neighbours, however many rows have them,
// as sharp as the two are near.
TEST(Inputs, HaveBendsBetweenFewWholeNumbers) {
  std::vector<double> x(90, -1.0);
  x.insert(x.end(), {3, 1, 7, 1, 7});
  const std::vector<Term> terms = knots_of(x);
  ASSERT_EQ(terms.size(), 3U);
  const double centres[] = {0, 2, 5}, scales[] = {0.5, 0.5, 1};
  for (size_t t = 0; t < terms.size(); ++t) {
    EXPECT_EQ(terms[t].form, TermForm::asinh);
    EXPECT_EQ(terms[t].centre, centres[t]);
    EXPECT_EQ(terms[t].scale, scales[t]);
  }
}

// Twelve at most, and no others.
TEST(Inputs, TakeManyOrBrokenNumbersForNoCodes) {
  std::vector<double> x;
  for (int i = 0; i < 120; ++i) x.push_back(i % 12);
  EXPECT_EQ(knots_of(x).size(), 11U);
  x.push_back(12);
  EXPECT_EQ(knots_of(x).size(), 5U);
  for (double& value : x) value = std::fmod(value, 8);
  EXPECT_EQ(knots_of(x).size(), 7U);
  x.push_back(0.5);
  EXPECT_LE(knots_of(x).size(), 5U);
}

// The distance between them is beyond the numbers.
TEST(Inputs, HaveNoBendsBetweenNumbersThatAreTooFarApart) {
  for (const Term& term : knots_of({-1.7e308, -1e308, 0, 1e308, 1.7e308, 1.7e308})) {
    EXPECT_TRUE(term.form == TermForm::value ||
                (std::isfinite(term.centre) && std::isfinite(term.scale)));
  }
}

// Of 100 rows 92 are 0: the points divide the others, 1.5 to 8.5.
TEST(Inputs, HaveKnotsBesideAHeapOfEqualValues) {
  std::vector<double> x(92, 0.0);
  for (int i = 1; i <= 8; ++i) x.push_back(i + 0.5);
  const std::vector<Term> terms = knots_of(x);
  std::vector<double> centres;
  for (const Term& term : terms) {
    EXPECT_EQ(term.form, TermForm::asinh);
    EXPECT_GT(term.scale, 0);
    centres.push_back(term.centre);
  }
  EXPECT_EQ(centres, (std::vector<double>{1.5, 3.5, 4.5, 6.5, 8.5}));
}

// Nothing is left beside two heaps: one term about the median.
TEST(Inputs, HaveOneTermWhereAllValuesAreHeaps) {
  std::vector<double> x(60, 0.0);
  x.resize(100, 1.0);
  EXPECT_EQ(knots_of(x).size(), 1U);
}

// Means, deviations and the rows of a network take long where there are many cells.
TEST(Inputs, AskWhetherToEndForEveryMillionCells) {
  constexpr size_t rows = rows_between_asks / 2 + 5;
  std::vector<double> x(rows);
  for (size_t i = 0; i < rows; ++i) x[i] = static_cast<double>(i % 1000);
  const Table table =
      test::classes_table({test::numbers(x), test::numbers(x)}, std::vector<int32_t>(rows, 0));
  const std::vector<RowIndex> all = all_rows(table);
  const Sample sample{&table, all};
  const std::vector<double> typical = {500, 500};
  const std::vector<Term> terms = input_terms(sample, typical, Map::none);
  const auto make = [&](const Control& control) { return Inputs(sample, typical, terms, control); };
  test::Interruption of_moments;
  const Inputs inputs = make(of_moments.control());
  EXPECT_EQ(of_moments.asked(), 3U);  // in three passes
  test::Interruption last(3);
  EXPECT_THROW(make(last.control()), Error);
  test::Interruption first(1);
  EXPECT_THROW(inputs.rows<float>({&sample, 1}, {}, first.control()), Error);
  test::Interruption of_terms(2);
  EXPECT_THROW(input_terms(sample, typical, Map::asinh, of_terms.control()), Error);
}

}  // namespace
}  // namespace softwood::gradient

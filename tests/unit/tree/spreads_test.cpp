#include "tree/spreads.h"

#include <gtest/gtest.h>

#include <cmath>

#include "support/sample_models.h"

namespace softwood {
namespace {

// Inputs a and b of a regression without anything else.
Table two_inputs(std::vector<double> a, std::vector<double> b, std::vector<double> weights) {
  Schema schema;
  schema.features = {{"a", Kind::numeric, {}}, {"b", Kind::numeric, {}}};
  schema.target = {"y", Kind::numeric, {}};
  const size_t rows = a.size();
  std::vector<Column> inputs(2);
  inputs[0].numbers = std::move(a);
  inputs[1].numbers = std::move(b);
  ColumnDraft target;
  target.numbers.assign(rows, 0.0);
  return {schema, rows, std::move(inputs), std::move(target), std::move(weights)};
}

ScoreGate sum_of_products(double cut) {
  return {{{TermForm::value, 0, 0, 1}, {TermForm::product, 0, 1, 2}}, cut, {}};
}

const std::vector<Term>& terms_at(const Tree& tree, NodeIndex i) {
  return linear_form(tree.node(i).gate())->terms;
}

Tree tree_of_two_sums() {
  Tree tree(Task::regression, 0);
  // Of the rows (1, 1), (3, 1), (5, 1), (7, 10) the last goes right: 7 + 140 > 100.
  const NodeIndex first = tree.split(0, sum_of_products(100), {});
  tree.split(first, sum_of_products(5), {});
  return tree;
}

const std::vector<RowIndex> four = {0, 1, 2, 3};

TEST(Spreads, AreStandardDeviationsAmongTheRowsOfTheNode) {
  Tree tree = tree_of_two_sums();
  note_spreads(tree, two_inputs({1, 3, 5, 7}, {1, 1, 1, 10}, {}), four);
  EXPECT_NEAR(terms_at(tree, 0)[0].spread, std::sqrt(5.0), 1e-12);
  // a*b is 1, 3, 5, 70 with mean 19.75.
  EXPECT_NEAR(terms_at(tree, 0)[1].spread, std::sqrt((4900 + 35) / 4.0 - 19.75 * 19.75), 1e-12);
  // Only 1, 3, 5 reach the second sum.
  EXPECT_NEAR(terms_at(tree, 1)[0].spread, std::sqrt(8.0 / 3), 1e-12);
}

TEST(Spreads, ARowOfWeightTwoIsTheRowTwice) {
  Tree weighted = tree_of_two_sums();
  note_spreads(weighted, two_inputs({1, 3, 5, 7}, {1, 1, 1, 10}, {1, 2, 1, 1}), four);
  Tree twice = tree_of_two_sums();
  const std::vector<RowIndex> with_second_again = {0, 1, 2, 3, 4};
  note_spreads(twice, two_inputs({1, 3, 3, 5, 7}, {1, 1, 1, 1, 10}, {}), with_second_again);
  EXPECT_NEAR(terms_at(weighted, 0)[1].spread, terms_at(twice, 0)[1].spread, 1e-12);
  EXPECT_NEAR(terms_at(weighted, 1)[0].spread, terms_at(twice, 1)[0].spread, 1e-12);
}

TEST(Spreads, SoftGatesShareTheirRows) {
  Tree tree = tree_of_two_sums();
  tree.node(0).gate() = softened(tree.node(0).gate(), 1e9, 1e9);
  note_spreads(tree, two_inputs({1, 3, 5, 7}, {1, 1, 1, 1}, {}), four);
  // About half of every row goes each way.
  EXPECT_NEAR(terms_at(tree, 1)[0].spread, std::sqrt(5.0), 1e-6);
}

TEST(Spreads, MissingCellsAndSingleTermsAreLeftOut) {
  Tree tree(Task::regression, 0);
  const NodeIndex first = tree.split(0, sum_of_products(100), {});
  tree.split(first, threshold_gate(0, 2), {});
  note_spreads(tree, two_inputs({1, missing_number, 5, 7}, {1, 1, missing_number, 1}, {}), four);
  EXPECT_NEAR(terms_at(tree, 0)[0].spread, std::sqrt(25 - 169 / 9.0), 1e-12);  // 1, 5, 7
  EXPECT_NEAR(terms_at(tree, 0)[1].spread, 3, 1e-12);                          // 1 and 7
  EXPECT_EQ(terms_at(tree, 1)[0].spread, 0);
}

}  // namespace
}  // namespace softwood

// Data for a model: which columns are read, which must be there, and what must not be learned from.
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "api/held.h"
#include "softwood/softwood.h"

namespace softwood {
namespace {

using Texts = std::vector<std::string>;

// The answer follows from "b" first, then from "a"; "c" means nothing.
DataColumns rows(size_t count = 60) {
  std::vector<double> a(count), b(count), c(count);
  Texts y(count);
  for (size_t i = 0; i < count; ++i) {
    a[i] = static_cast<double>(i % 7);
    b[i] = static_cast<double>(i * 37 % 11);
    c[i] = static_cast<double>(i * 13 % 5);
    y[i] = (b[i] > 5) != (a[i] > 3) ? "yes" : "no";
  }
  return DataColumns().number("a", a).number("b", b).number("c", c).text("y", y);
}

DataColumns rows_of_another_class() {
  return DataColumns()
      .number("a", {1, 2, 3, 4})
      .number("b", {1, 2, 9, 9})
      .number("c", {0, 0, 0, 0})
      .text("y", {"yes", "no", "maybe", "maybe"});
}

TrainSettings recipe(const std::string& text) {
  TrainSettings settings;
  settings.recipe = text;
  return settings;
}

TreeModel grown(const std::string& text) {
  return train(DataSet::from(rows()), recipe(text)).model;
}

template <class Work>
std::string error_of(const Work& work) {
  try {
    work();
  } catch (const Error& error) {
    return error.what();
  }
  return "";
}

TEST(DataForAModel, IsNotReadByAnotherModelThatAsksAboutMore) {
  const TreeModel stump = grown("grow max-depth=1"), tree = grown("grow max-depth=3");
  const DataSet for_stump = DataSet::from_for(stump, rows());
  const DataSet for_tree = DataSet::from_for(tree, rows());
  EXPECT_EQ(stump.predict(for_stump), stump.predict(for_tree));
  EXPECT_EQ(error_of([&] { tree.predict(for_stump); }),
            "the data were made for another model and lack the column 'a'");
}

TEST(DataForAModel, MayHaveAnythingInColumnsThatItDoesNotAskAbout) {
  const TreeModel stump = grown("grow max-depth=1");
  const double infinite = std::numeric_limits<double>::infinity();
  const DataSet data = DataSet::from_for(
      stump, DataColumns().number("b", {1, 9}).number("c", {0, infinite}).text("d", {"", ""}));
  EXPECT_EQ(stump.predict_class(data), (Texts{"no", "yes"}));
  const TreeModel leaf = grown("grow max-depth=0");
  EXPECT_EQ(leaf.predict(DataSet::from_for(leaf, DataColumns().number("c", {0, infinite}))).size(),
            4U);
}

TEST(DataForAModel, SharesTheCellsOfColumnsThatAreNotRead) {
  const TreeModel stump = grown("grow max-depth=1");
  const DataSet data = DataSet::from_for(stump, rows());
  const Table& table = data.held().table;
  EXPECT_EQ(table.input(0).missing, data.rows());
  EXPECT_EQ(table.input(0).numbers.data(), table.input(2).numbers.data());
}

// A matrix of the first columns, row after row or column after column.
template <class T>
std::vector<T> cells_of(const DataColumns& columns, size_t width, bool by_rows) {
  const size_t rows = columns.rows();
  std::vector<T> cells(rows * width);
  for (size_t c = 0; c < width; ++c) {
    const auto* const from = static_cast<const double*>(columns.columns()[c].chunks[0].values);
    for (size_t row = 0; row < rows; ++row) {
      cells[by_rows ? row * width + c : c * rows + row] = static_cast<T>(from[row]);
    }
  }
  return cells;
}
template <class T>
NumberMatrix matrix_of(const std::vector<T>& cells, size_t width, bool by_rows,
                       std::span<const size_t> inputs) {
  const size_t rows = cells.size() / width;
  constexpr auto size = static_cast<ptrdiff_t>(sizeof(T));
  return {element_type<T>(),
          cells.data(),
          rows,
          width,
          by_rows ? static_cast<ptrdiff_t>(width) * size : size,
          by_rows ? size : static_cast<ptrdiff_t>(rows) * size,
          inputs};
}

// All answers of a matrix are those of named columns.
void expect_same_answers(const TreeModel& tree, const NumberMatrix& rows, const DataSet& data) {
  std::vector<double> answers(rows.rows * tree.answer_width());
  std::vector<uint32_t> codes(rows.rows), nodes(rows.rows), expected(rows.rows);
  for (const int threads : {1, 2}) {
    tree.predict(rows, answers, threads);
    EXPECT_EQ(answers, tree.predict(data));
    tree.predict_codes(rows, codes, threads);
    tree.predict_codes(data, expected);
    EXPECT_EQ(codes, expected);
    tree.leaf_numbers(rows, nodes, threads);
    tree.leaf_numbers(data, expected);
    EXPECT_EQ(nodes, expected);
  }
}

TEST(NumberMatrix, AnswersAsNamedColumnsDo) {
  const double missing = std::numeric_limits<double>::quiet_NaN();
  std::vector<double> a, b, c;  // single precision holds them
  for (int i = 0; i < 20000; ++i) {
    a.push_back(i % 10 + (i % 3) * 0.5);
    b.push_back(i % 999 == 998 ? missing : (i % 16) * 0.75);
    c.push_back(i);
  }
  const DataColumns holes = DataColumns().number("a", a).number("b", b).number("c", c);
  for (double& number : b) number = std::isnan(number) ? 1 : number;
  const DataColumns whole = DataColumns().number("a", a).number("b", b).number("c", c);
  const std::vector<size_t> inputs = {0, 1, 99};  // the third is not asked about
  for (const char* const text : {"grow max-depth=3", "grow missing=fractional max-depth=3",
                                 "grow max-depth=0", "grow max-depth=3 | soften by=interval"}) {
    const TreeModel tree = grown(text);
    for (const DataColumns& columns : {whole, holes}) {
      const DataSet data = DataSet::from_for(tree, columns);
      for (const bool by_rows : {true, false}) {
        const auto doubles = cells_of<double>(columns, 3, by_rows);
        expect_same_answers(tree, matrix_of(doubles, 3, by_rows, inputs), data);
        const auto floats = cells_of<float>(columns, 3, by_rows);
        expect_same_answers(tree, matrix_of(floats, 3, by_rows, inputs), data);
      }
    }
  }
}

TEST(NumberMatrix, RefusesInfiniteNumbersOfInputsThatAreAskedAbout) {
  const TreeModel tree = grown("grow max-depth=3");
  ASSERT_TRUE(tree.takes_numbers());
  EXPECT_EQ(tree.inputs_used(), (std::vector<bool>{true, true, false}));
  const double infinite = std::numeric_limits<double>::infinity();
  const std::vector<size_t> inputs = {0, 1, 2};
  std::vector<double> cells(30000 * 3, 1.0), answers(30000 * 2);
  cells[2] = infinite;
  EXPECT_EQ(error_of([&] { tree.predict(matrix_of(cells, 3, true, inputs), answers); }), "");
  cells[29000 * 3 + 1] = -infinite;
  cells[9000 * 3 + 1] = infinite;
  for (const int threads : {1, 2}) {
    try {
      tree.predict(matrix_of(cells, 3, true, inputs), answers, threads);
      FAIL() << "no error";
    } catch (const Error& error) {
      EXPECT_STREQ(error.what(), "inf is infinite");
      EXPECT_EQ(error.where(), "column 'b', row 9001");
    }
  }
}

TEST(NumberMatrix, MustFitTheModel) {
  const TreeModel tree = grown("grow max-depth=3");
  const std::vector<double> cells(3, 1.0);
  std::vector<double> answers(2);
  const std::vector<size_t> few = {0, 1}, far = {0, 3, 2};
  EXPECT_NE(error_of([&] { tree.predict(matrix_of(cells, 3, true, few), answers); }), "");
  EXPECT_EQ(error_of([&] { tree.predict(matrix_of(cells, 3, true, far), answers); }),
            "column 3 of a matrix that has 3");
  NumberMatrix whole = matrix_of(cells, 3, true, std::span(far).first(0));
  const std::vector<size_t> inputs = {0, 1, 2};
  whole.inputs = inputs;
  whole.type = ElementType::int64;
  EXPECT_NE(error_of([&] { tree.predict(whole, answers); }), "");
}

TEST(NumberMatrix, IsNotEnoughWhereThereAreLevelsOrMarks) {
  const DataColumns levels =
      DataColumns().text("a", {"u", "v", "u", "v"}).text("y", {"n", "y", "n", "y"});
  const TreeModel nominal = train(DataSet::from(levels), recipe("grow")).model;
  EXPECT_FALSE(nominal.takes_numbers());
  const std::vector<double> cells = {0};
  const std::vector<size_t> inputs = {0};
  std::vector<double> answers(2);
  EXPECT_NE(error_of([&] { nominal.predict(matrix_of(cells, 1, true, inputs), answers); }), "");
  DataSettings marked;
  marked.missing = {"-9"};
  EXPECT_FALSE(train(DataSet::from(rows(), marked), recipe("grow")).model.takes_numbers());
}

TEST(DataToEvaluate, AreTheTrainingDataWhereTheyHaveTheSameColumns) {
  const TreeModel stump = grown("grow max-depth=1");
  const DataSet data = DataSet::from(rows()), again = DataSet::from_to_evaluate(stump, rows());
  EXPECT_EQ(again.fingerprint(), data.fingerprint());
  const TrainResult one = rework(stump, data, recipe("refine")),
                    other = rework(stump, again, recipe("refine"));
  EXPECT_EQ(one.model.text(), other.model.text());
}

TEST(DataToEvaluate, WithoutSomeInputsCanNotBeLearnedFrom) {
  const TreeModel stump = grown("grow max-depth=1");
  const DataSet data = DataSet::from_to_evaluate(
      stump, DataColumns().number("b", {1, 9, 9}).text("y", {"no", "yes", "no"}));
  EXPECT_NEAR(stump.evaluate(data).at("error"), 1.0 / 3, 1e-12);
  const std::string expected = "the data to learn from lack the column 'a'";
  EXPECT_EQ(error_of([&] { rework(stump, data, recipe("prune")); }), expected);
  EXPECT_EQ(error_of([&] { train(data, recipe("grow")); }), expected);
  TrainSettings settings = recipe("grow | prune");
  settings.validation = data;
  EXPECT_EQ(error_of([&] { train(DataSet::from(rows()), settings); }), expected);
}

TEST(DataToEvaluate, CountByTheirWeightsAlsoWhereTheModelHasNone) {
  const TreeModel stump = grown("grow max-depth=1");
  const std::vector<double> weights = {9, 1};
  DataColumns columns = DataColumns().number("b", {9, 9}).text("y", {"yes", "no"});
  columns.weights({"weight", {chunk_of(weights)}});
  EXPECT_NEAR(stump.evaluate(DataSet::from_to_evaluate(stump, columns)).at("error"), 0.1, 1e-12);
}

TEST(DataToEvaluate, WithoutRowsAreAnErrorThatSaysSo) {
  const TreeModel stump = grown("grow max-depth=1");
  const DataSet none = DataSet::from_to_evaluate(stump, rows(0));
  EXPECT_EQ(error_of([&] { stump.evaluate(none); }), "there are no rows to evaluate");
  EXPECT_TRUE(stump.predict(none).empty());
}

TEST(RowsToLearnFrom, NeedATargetWhateverTheStage) {
  const TreeModel tree = grown("grow");
  const DataSet data = DataSet::from_for(tree, rows());
  for (const char* text : {"grow", "evolve generations=2", "grow-soft"}) {
    EXPECT_FALSE(error_of([&] { train(data, recipe(text)); }).empty()) << text;
  }
}

TEST(RowsToLearnFrom, AreOfClassesThatTheTreeKnows) {
  const DataSet data = DataSet::from(rows());
  const TreeModel tree = grown("grow");
  const std::string expected = "2 rows of a class that the model does not know";
  for (const char* text : {"grow", "grow search=binned", "evolve generations=2", "grow-soft"}) {
    const DataSet other = DataSet::from_like(data, rows_of_another_class());
    EXPECT_EQ(error_of([&] { train(other, recipe(text)); }), expected) << text;
  }
  for (const char* text : {"prune", "soften", "refine", "soften by=gradient steps=5"}) {
    const DataSet other = DataSet::from_to_evaluate(tree, rows_of_another_class());
    EXPECT_EQ(error_of([&] { rework(tree, other, recipe(text)); }), expected) << text;
  }
}

TEST(RowsToLearnFrom, MayBeJudgedByRowsOfOtherClasses) {
  const DataSet data = DataSet::from(rows());
  for (const char* text : {"grow | prune", "grow | prune by=reduced-error", "evolve generations=2",
                           "grow | soften by=gradient steps=5"}) {
    TrainSettings settings = recipe(text);
    settings.validation = DataSet::from_like(data, rows_of_another_class());
    EXPECT_GE(train(data, settings).model.nodes(), 1U) << text;
  }
}

}  // namespace
}  // namespace softwood

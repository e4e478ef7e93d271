// Texts of missing cells: kept by the model, found again in the rows that it answers.
#include <gtest/gtest.h>

#include <cmath>
#include <fstream>

#include "softwood/softwood.h"
#include "support/scratch.h"

namespace softwood {
namespace {

using Texts = std::vector<std::string>;

// -9 and "none" stand for what is not known; all such rows are of class b.
DataColumns marked() {
  DataColumns columns;
  columns.number("x", {1, 2, 3, 4, -9, -9, 1, 2, 3, 4});
  columns.text("level", {"p", "p", "q", "q", "none", "none", "p", "p", "q", "q"});
  columns.text("y", {"a", "a", "a", "a", "b", "b", "a", "a", "a", "a"});
  return columns;
}

TreeModel trained(const Texts& marks) {
  DataSettings settings;
  settings.missing = marks;
  const DataSet data = DataSet::from(marked(), settings);
  EXPECT_EQ(data.missing_marks(), marks);
  TrainSettings how;
  how.recipe = "grow missing=separate";
  return train(data, how).model;
}

TEST(MissingMarks, AreKeptByTheModelAndItsFile) {
  const Texts marks = {"none", "-9"};
  const TreeModel model = TreeModel::from_text(trained(marks).text());
  EXPECT_EQ(model.missing_marks(), marks);
  EXPECT_EQ(model.tree().missing_marks, marks);
  EXPECT_TRUE(trained({}).missing_marks().empty());
}

TEST(MissingMarks, AreFoundInRowsToAnswer) {
  const TreeModel model = trained({"none", "-9"});
  DataColumns rows;
  rows.number("x", {-9, std::nan(""), 2});
  rows.text("level", {"none", "", "p"});
  const std::vector<double> answers = model.predict(DataSet::from_for(model, rows));
  EXPECT_EQ(answers[0], answers[2]);
  EXPECT_EQ(answers[1], answers[3]);

  const test::ScratchFolder folder;
  const std::string path = folder.file("marked.csv");
  std::ofstream(path) << "x,level,y\n-9,none,b\n-9.0,none,b\n2,p,a\n";
  EXPECT_EQ(model.predict(DataSet::read_for(model, path)).front(), answers[0]);
  const DataSet known = DataSet::read_to_evaluate(model, path);
  EXPECT_EQ(known.missing_marks(), model.missing_marks());
  const std::vector<double> read = model.predict(known);
  EXPECT_EQ(read[0], read[2]);  // the mark is a number, however it is written
}

TEST(MissingMarks, ThatAFileHasTwiceAreRefused) {
  std::string text = trained({"none", "-9"}).text();
  const size_t at = text.find("\"-9\"]");
  ASSERT_NE(at, std::string::npos);
  text.replace(at, 4, "\"none\"");
  EXPECT_THROW(TreeModel::from_text(text), Error);
}

}  // namespace
}  // namespace softwood

#include "render/export/marks.h"

#include <gtest/gtest.h>

#include <cmath>

#include "base/text.h"
#include "render/export/exporter.h"
#include "render/export/self_test.h"

namespace softwood::render {
namespace {

LoweredInput input_of(std::string name, InputKind kind = InputKind::numeric,
                      std::vector<std::string> levels = {}) {
  LoweredInput input;
  input.name = std::move(name);
  input.kind = kind;
  input.levels = std::move(levels);
  return input;
}

// 2 x + 3 z <= 1.5, and a leaf on either side.
LoweredTree oblique_tree() {
  LoweredTree tree;
  tree.inputs = {input_of("x"), input_of("z")};
  tree.target = {"y", {}, 1};
  LoweredTerm first, second;
  first.coefficient = 2;
  second.input = 1;
  second.coefficient = 3;
  LoweredSplit split;
  split.condition = LoweredScore{{first, second}, 1.5, LinkKind::step, 0, 0};
  split.first_child = 1;
  split.children = 2;
  tree.nodes.resize(3);
  tree.nodes[0].split = split;
  for (size_t i = 0; i < 3; ++i) tree.nodes[i].answer = {static_cast<double>(i)};
  tree.leaves = 2;
  tree.depth = 1;
  return tree;
}

TEST(MarkedCells, AreNumbersOrLevels) {
  LoweredTree tree;
  tree.missing_marks = {"N/A", "7", "-9", "-9.0", "1e999", "-0", "low"};
  const LoweredInput number = input_of("x");
  EXPECT_EQ(marked_cells(tree, number), (std::vector<double>{-9, 0, 7}));
  EXPECT_FALSE(std::signbit(marked_cells(tree, number)[1]));
  const LoweredInput grade = input_of("grade", InputKind::ordinal, {"high", "7", "low", "-9.00"});
  EXPECT_EQ(marked_cells(tree, grade), (std::vector<double>{1, 2}));
  tree.inputs = {grade, input_of("other", InputKind::nominal, {"a"}), number};
  const MarkTables tables = mark_tables(tree);
  EXPECT_EQ(tables.first, (std::vector<int32_t>{0, 2, 2, 5}));
  EXPECT_EQ(tables.cells, (std::vector<double>{1, 2, -9, 0, 7}));
  tree.missing_marks = {"N/A"};
  EXPECT_TRUE(mark_tables(tree).empty());
  EXPECT_TRUE(mark_tables(tree).first.empty());
}

TEST(MarkedCells, AreInEveryFormat) {
  LoweredTree tree = oblique_tree();
  tree.missing_marks = {"-9", "77"};
  const auto text = [&](const char* format) {
    return export_tree(tree, find_exporter(format), {});
  };
  const auto holds = [](const std::string& all, const char* part) {
    return all.find(part) != std::string::npos;
  };
  EXPECT_TRUE(holds(text("c"), "tree_marks[4] = {\n    -9.0, 77.0, -9.0, 77.0}"));
  EXPECT_TRUE(holds(text("cpp"), "marks[4] = {\n    -9.0, 77.0, -9.0, 77.0}"));
  EXPECT_TRUE(holds(text("java"), "\"-9,77,-9,77,\""));
  EXPECT_TRUE(holds(text("javascript"), "const marks = new Float64Array([-9, 77, -9, 77]);"));
  EXPECT_TRUE(holds(text("python"), "_MARKS = (-9.0, 77.0, -9.0, 77.0)"));
  EXPECT_TRUE(holds(text("sql"), "AS REAL) END, -9.0), 77.0) AS \"x\""));
  EXPECT_TRUE(holds(text("pmml"), "<Value value=\"77\" property=\"missing\"/>"));
  const char* const equal =
      "\x22\x05"
      "Equal";  // an operator of that name
  EXPECT_TRUE(holds(text("onnx"), equal));
  tree.missing_marks = {"N/A"};  // no cell of a number holds it
  EXPECT_FALSE(holds(text("c"), "tree_marks"));
  EXPECT_FALSE(holds(text("onnx"), equal));
}

TEST(SelfTestRows, LieOnTheCutsOfSums) {
  const std::string text = self_test_rows(oblique_tree());
  size_t near = 0, below = 0, above = 0, marks = 0;
  for (const std::string_view line : split(text, '\n')) {
    const std::vector<std::string_view> cells = split(line, ',');
    double x = 0, z = 0;
    if (cells.size() != 2 || !parse_number(cells[0], x) || !parse_number(cells[1], z)) continue;
    const double score = 2 * x + 3 * z;
    if (std::fabs(score - 1.5) > 1e-14 * (std::fabs(2 * x) + std::fabs(3 * z) + 1)) continue;
    ++near;
    ++(score <= 1.5 ? below : above);
  }
  EXPECT_GT(near, 200U);
  EXPECT_GT(below, 20U);
  EXPECT_GT(above, 20U);
  LoweredTree tree = oblique_tree();
  tree.missing_marks = {"-12345"};
  for (const std::string_view line : split(self_test_rows(tree), '\n')) {
    marks += line.starts_with("-12345,") ? 1 : 0;
  }
  EXPECT_GT(marks, 20U);
}

}  // namespace
}  // namespace softwood::render

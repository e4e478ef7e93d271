#include <gtest/gtest.h>

#include <cmath>

#include "lower/lower.h"
#include "render/export/c/code.h"
#include "render/export/c/plain.h"
#include "render/export/exporter.h"
#include "support/interpreter.h"
#include "support/sample_models.h"

namespace softwood::render {
namespace {

LoweredTree iris() { return exported_tree(lower(testing::iris_model())); }

bool holds(const std::string& text, std::string_view part) {
  return text.find(part) != std::string::npos;
}

// The answer of a table for a row, as the exported loop finds it.
std::vector<double> walk(const PlainTables& tables, const std::vector<double>& row) {
  uint32_t at = 0;
  for (size_t step = 0; step < tables.steps; ++step) {
    const PlainNode& node = tables.nodes[at];
    const double x = row[node.input];
    if (node.levels > 0 ? !(x >= 0 && x < node.levels) : std::isnan(x)) {
      at = node.missing;
    } else if (node.levels > 0) {
      const auto level = static_cast<uint32_t>(x);
      at = node.child + (1 ^ ((tables.sets[node.set + level / 32] >> (level % 32)) & 1));
    } else {
      at = node.child + (x > node.cut ? 1 : 0);
    }
  }
  EXPECT_EQ(tables.nodes[at].child, at) << "not an end after all steps";
  const size_t width = tables.answer.size() / tables.answers;
  const auto begin = tables.answer.begin() + static_cast<long>(tables.nodes[at].answer * width);
  return {begin, begin + static_cast<long>(width)};
}

std::vector<double> random_row(const LoweredTree& tree, Random& random) {
  std::vector<double> row;
  for (const LoweredInput& input : tree.inputs) {
    if (random.below(4) == 0) {
      row.push_back(unknown_number);
    } else if (input.kind == InputKind::numeric) {
      row.push_back(random.normal());
    } else {
      row.push_back(static_cast<double>(random.below(input.levels.size())));
    }
  }
  return row;
}

TEST(CExport, StringsReadBackToTheSameBytes) {
  EXPECT_EQ(c_string("a\"b\\c?"
                     "?/"),
            R"("a\"b\\c\?\?/")");
  EXPECT_EQ(c_string("\n1"), R"("\0121")");  // three digits: the next one is not part of it
  EXPECT_EQ(c_string("ü"), R"("\303\274")");
}

TEST(CExport, NamesDoNotEndTheComment) {
  LoweredTree tree = iris();
  tree.target.name = "*/ int x; /*";
  const std::string text = c_export(tree, {});
  const std::string comment = text.substr(0, text.find("*/"));
  EXPECT_TRUE(holds(comment, "* / int x; / *"));
  EXPECT_TRUE(holds(comment, "0123456789abcdef"));  // the whole heading
  EXPECT_TRUE(holds(comment, "bytes of stack"));
}

TEST(CExport, HardTreesHoldNoArithmetic) {
  const std::string text = c_export(iris(), {});
  for (const char* part : {"exp", "softmax", "fp-contract", "ring", "sets"}) {
    EXPECT_FALSE(holds(text, std::string("tree_") + part)) << part;
  }
  EXPECT_FALSE(holds(text, "#pragma"));
  EXPECT_FALSE(holds(text, "math.h>\n"));
}

TEST(CExport, TheHeaderDeclaresWhatTheFileDefines) {
  ExportOptions options;
  options.name = "plant";
  const std::string header = c_header(iris(), options), text = c_export(iris(), options);
  for (const char* part :
       {"#define plant_INPUTS 2\n", "#define plant_OUTPUTS 3\n",
        "void plant_predict(const double *row, double *out)",
        "void plant_predict_rows(const double *rows, size_t count, double *out)",
        "int plant_class(const double *row)", "int plant_level(int input, const char *text)"}) {
    EXPECT_TRUE(holds(header, part)) << part;
    EXPECT_TRUE(holds(text, part)) << part;
  }
  EXPECT_TRUE(holds(text, "\"petal_length\", \"petal_width\""));
  EXPECT_FALSE(holds(text, "tree_"));
}

TEST(CExport, TheSameTreeGivesTheSameBytes) {
  EXPECT_EQ(c_export(iris(), {}), c_export(iris(), {}));
}

TEST(CExport, SinglePrecisionRoundsCutsDown) {
  LoweredTree tree = iris();
  std::get<LoweredScore>(tree.nodes[0].split->condition).cut = 0.1;  // the nearest float is above
  ExportOptions options;
  options.single_precision = true;
  const std::string text = c_export(tree, options);
  EXPECT_TRUE(holds(text, "{0.099999994f, "));
  EXPECT_TRUE(holds(text, "void tree_predict(const float *row, float *out)"));
  EXPECT_TRUE(holds(text, "rounded down"));
}

TEST(CExport, TheDecisionIsInTheTable) {
  ExportOptions options;
  LoweredTree tree = exported_tree(lower(testing::iris_model()));
  tree.decision.costs = {0, 1, 1, 1, 0, 100, 1, 1, 0};  // versicolor must not become virginica
  tree.decision.cost_rounding = 1e-12;
  EXPECT_TRUE(holds(c_export(iris(), options), "_classes[3] = {\n    0, 1, 2}"));
  EXPECT_TRUE(holds(c_export(tree, options), "_classes[3] = {\n    0, 1, 1}"));
}

TEST(PlainTables, AnswerAsTheTree) {
  size_t plain = 0;
  for (uint64_t seed = 0; seed < 300; ++seed) {
    Random random(seed, "plain tables");
    const Schema schema =
        testing::mixed_schema(seed % 2 == 0 ? Task::classification : Task::regression);
    testing::RandomTreeOptions options;
    options.hard = options.thresholds_and_levels = true;
    options.splits = 1 + random.below(20);
    const LoweredTree tree =
        lower(Model{schema, testing::random_tree(schema, options, random), {}, {}});
    const auto tables = plain_tables(tree);
    if (!tables) continue;
    ++plain;
    for (int row = 0; row < 50; ++row) {
      const std::vector<double> cells = random_row(tree, random);
      ASSERT_EQ(walk(*tables, cells), test::Interpreter(tree, cells).answer()) << seed;
    }
  }
  EXPECT_GT(plain, 20U);
}

// A set per branch of so many levels would take gigabytes.
TEST(PlainTables, AreNotMadeOfABranchForEachOfVeryManyLevels) {
  const auto branches = [](uint32_t count) {
    LoweredTree tree = iris();
    LoweredSplit& split = *tree.nodes[0].split;
    LoweredLevels levels;
    levels.input = 0;
    for (uint32_t level = 0; level < count; ++level) {
      levels.child_of_level.push_back(static_cast<int32_t>(level));
      tree.inputs[0].levels.push_back(std::to_string(level));
    }
    tree.inputs[0].kind = InputKind::nominal;
    split.condition = levels;
    split.first_child = static_cast<uint32_t>(tree.nodes.size());
    split.children = count;
    LoweredNode leaf = tree.nodes[1];
    leaf.split.reset();
    tree.nodes.insert(tree.nodes.end(), count, leaf);
    return tree;
  };
  EXPECT_TRUE(plain_tables(branches(100)));
  EXPECT_FALSE(plain_tables(branches(20000)));
}

TEST(PlainTables, ReversedThresholdsKeepTheirSide) {
  LoweredTree tree = iris();
  auto& score = std::get<LoweredScore>(tree.nodes[0].split->condition);
  score.terms[0].coefficient = -1;
  score.cut = -2.5;
  const auto tables = plain_tables(tree);
  ASSERT_TRUE(tables);
  for (const double x : {2.4, std::nextafter(2.5, 0), 2.5, std::nextafter(2.5, 3), 3.0}) {
    EXPECT_EQ(walk(*tables, {x, 1}), test::Interpreter(tree, {x, 1}).answer()) << x;
  }
}

}  // namespace
}  // namespace softwood::render

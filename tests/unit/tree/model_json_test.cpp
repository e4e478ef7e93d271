#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <utility>

#include "softwood/error.h"
#include "support/data.h"
#include "support/names.h"
#include "support/sample_models.h"
#include "tree/model.h"

namespace softwood {
namespace {

std::string file_text(const std::string& path_below_root) {
  const auto root = std::filesystem::path(test::records_folder) / "../../..";
  std::ifstream in(root / path_below_root, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

TEST(ModelJson, WritesTheGoldenFile) {
  const std::string text = model_to_text(testing::iris_model());
  EXPECT_EQ(text, file_text("tests/golden/iris.model.json"))
      << "If the change is wanted, the new file is:\n"
      << text;
}

TEST(ModelJson, TheDocumentedExampleIsTheGoldenFile) {
  EXPECT_NE(
      file_text("docs/reference/model-file.md").find(file_text("tests/golden/iris.model.json")),
      std::string::npos);
}

TEST(ModelJson, LoadsWhatItSaved) {
  const Model model = testing::iris_model();
  const Model loaded = model_from_text(model_to_text(model), "iris");
  EXPECT_EQ(loaded.schema, model.schema);
  EXPECT_EQ(loaded.provenance.recipe, "grow | prune");
  EXPECT_EQ(loaded.provenance.method, "cart");
  EXPECT_EQ(loaded.provenance.rows, 150U);
  EXPECT_EQ(loaded.tree.size(), 5U);
  EXPECT_EQ(loaded.tree.node(2).gate(), model.tree.node(2).gate());
  EXPECT_EQ(loaded.tree.node(2).missing(), model.tree.node(2).missing());
  EXPECT_EQ(loaded.tree.node(0).notes().alpha, 0.5);
  EXPECT_EQ(loaded.complexity->rows[1].xerror, 0.64);
}

TEST(ModelJson, WhatCouldNotBeReadIsNotWritten) {
  for (const double bad : {std::numeric_limits<double>::infinity(), missing_number}) {
    Model model = testing::iris_model();
    ScoreGate gate = threshold_gate(0, 2);
    gate.link = {LinkForm::ramp, 1, bad};
    model.tree.node(0).gate() = gate;
    try {
      model_to_text(model);
      FAIL() << "it was written";
    } catch (const Error& error) {
      EXPECT_EQ(error.kind(), ErrorKind::failure);
    }
  }
}

TEST(ModelJson, SaveLoadSaveGivesTheSameBytes) {
  Random random(1, "model json");
  for (int trial = 0; trial < 300; ++trial) {
    const Task task = trial % 2 == 0 ? Task::classification : Task::regression;
    Model model{testing::mixed_schema(task), Tree(task, 3), {}, {}};
    model.tree = testing::random_tree(model.schema, {}, random);
    model.provenance.seed = random.next();
    if (trial % 7 == 0) model.provenance.stopped = trial % 2 == 0 ? "budget" : "interrupt";
    if (trial % 4 == 0) {
      model.provenance.ranges.resize(model.schema.features.size());
      model.provenance.ranges[0] = {-1.5, 2};
    }
    if (trial % 4 == 0) model.schema.missing_marks = {"-9", "N/A"};
    if (trial % 3 == 0) model.schema.weight = "w \x01 \u00e9 \U0001F332";
    if (trial % 5 == 0) model.complexity = ComplexityTable{{{0.1, 0, 1}}, 0, 3, 7};
    const std::string text = model_to_text(model);
    const Model loaded = model_from_text(text, "random");
    EXPECT_EQ(model_to_text(loaded), text);
    for (NodeIndex i = 0; i < model.tree.size(); ++i) {
      ASSERT_EQ(loaded.tree.node(i).is_leaf(), model.tree.node(i).is_leaf());
      if (model.tree.node(i).is_leaf()) continue;
      EXPECT_EQ(loaded.tree.node(i).gate(), model.tree.node(i).gate());
      EXPECT_EQ(loaded.tree.node(i).missing(), model.tree.node(i).missing());
    }
  }
}

TEST(ModelJson, KeepsThePositiveClassAndTheMarksOfMissingCells) {
  Model model = testing::iris_model();
  model.schema.target.levels = {"no", "yes"};
  model.tree = Tree(Task::classification, 2);
  for (const size_t positive : {0, 1}) {
    model.schema.positive = positive;
    model.schema.missing_marks = {"-9", "N/A"};
    const std::string text = model_to_text(model);
    EXPECT_EQ(model_from_text(text, "two").schema, model.schema);
    for (const auto& [from, to] :
         {std::pair{"\"positive\": \"", "\"positive\": \"un"}, std::pair{"-9\"", "N/A\""},
          std::pair{"\"yes\"]", "\"yes\", \"maybe\"]"}}) {
      std::string wrong = text;
      wrong.replace(wrong.find(from), std::string(from).size(), to);
      EXPECT_THROW(model_from_text(wrong, "two"), Error) << to;
    }
  }
}

TEST(ModelJson, KeysMayComeInAnyOrder) {
  const std::string text = model_to_text(testing::iris_model());
  const size_t schema = text.find("\"schema\"");
  const size_t rest = text.find("\"complexity\"");
  std::string moved = text;
  moved.erase(schema, rest - schema);
  std::string part = text.substr(schema, rest - schema);
  part.erase(part.rfind(','));
  moved.insert(moved.rfind("\n}"), ",\n" + part);
  EXPECT_EQ(model_to_text(model_from_text(moved, "moved")), text);
}

TEST(ModelJson, SavesTreesThatAreNotInOrder) {
  Model model = testing::iris_model();
  const std::string text = model_to_text(model);
  Tree& tree = model.tree;
  tree.split(1, threshold_gate(0, 1), {});
  tree.make_leaf(1);
  EXPECT_EQ(model_to_text(model), text);
}

TEST(ModelJson, NotesThatAreNotFiniteAreLeftOut) {
  Model model = testing::iris_model();
  model.tree.node(0).notes() = {std::numeric_limits<double>::infinity(), no_note};
  const std::string text = model_to_text(model);
  EXPECT_EQ(text.find(": inf"), std::string::npos);
  EXPECT_EQ(text.find(": nan"), std::string::npos);
}

TEST(ModelJson, NamesMustBeUtf8) {
  Model model = testing::iris_model();
  model.schema.features[0].name = "caf\xe9";
  EXPECT_THROW(model_to_text(model), Error);
}

// What is replaced in the saved iris model, and what the error must say.
struct Wrong {
  const char* from;
  const char* to;
  const char* where;
  const char* message;
};

void PrintTo(const Wrong& wrong, std::ostream* out) {
  *out << wrong.message << ": " << (*wrong.to == '\0' ? wrong.from : wrong.to);
}

class WrongModel : public ::testing::TestWithParam<Wrong> {};

TEST_P(WrongModel, IsRefusedWithAReason) {
  const Wrong& wrong = GetParam();
  std::string text = model_to_text(testing::iris_model());
  const size_t place = text.find(wrong.from);
  ASSERT_NE(place, std::string::npos) << wrong.from;
  text.replace(place, std::string(wrong.from).size(), wrong.to);
  try {
    model_from_text(text, "m.json");
    FAIL() << "it was accepted";
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::model);
    EXPECT_EQ(error.where(), wrong.where);
    EXPECT_NE(std::string(error.what()).find(wrong.message), std::string::npos) << error.what();
  }
}

INSTANTIATE_TEST_SUITE_P(
    ModelJson, WrongModel,
    ::testing::Values(
        Wrong{"softwood-tree", "hardwood", "m.json", "'format'"},
        Wrong{"\"version\": 2,\n", "\"version\": 3,\n", "m.json", "version 3"},
        Wrong{"\"version\": 2,\n", "\"version\": 0,\n", "m.json", "version 0"},
        Wrong{"\"version\": 2,\n", "", "m.json", "'version' is missing"},
        Wrong{"\"version\": 2,\n", "\"version\": 2, \"colour\": 2,\n", "m.json", "'colour'"},
        Wrong{"\"version\": 2,\n", "\"version\": 2, \"version\": 2,\n", "m.json", "twice"},
        Wrong{"\"alpha\": 0.5", "\"log_p\": 0.1", "m.json, node 0", "p-value"},
        Wrong{"\"sums\": [50, 0, 0]", "\"sums\": [50, 0, 0], \"log_p\": -1", "m.json, node 1",
              "without a gate has 'log_p'"},
        Wrong{"\"seed\": 1", "\"seed\": -1", "m.json, provenance", "whole number"},
        Wrong{"\"seed\": 1", "\"seed\": 1, \"stopped\": \"late\"", "m.json, provenance",
              "budget or interrupt"},
        Wrong{"\"seed\": 1", "\"seed\": 1, \"ranges\": [[0, 1]]", "m.json, provenance",
              "one entry per input"},
        Wrong{"\"seed\": 1", "\"seed\": 1, \"ranges\": [[2, 1], null, null, null]",
              "m.json, provenance", "ends below its start"},
        Wrong{"\"seed\": 1", "\"seed\": 1.5", "m.json, provenance", "whole number"},
        Wrong{"\"recipe\": \"grow | prune\"", "\"recipe\": 7", "m.json, provenance", "text"},
        Wrong{"\"sepal_width\"", "\"sepal_length\"", "m.json, schema", "same name"},
        Wrong{"\"sepal_width\"", "\"species\"", "m.json, schema", "same name"},
        Wrong{"\"virginica\"", "\"setosa\"", "m.json, schema", "level twice"},
        Wrong{"\"kind\": \"numeric\"", "\"kind\": \"number\"", "m.json, schema", "unknown kind"},
        Wrong{"\"chosen\": 2", "\"chosen\": 3", "m.json, complexity", "chosen"},
        Wrong{"{\"node\": 1,", "{\"node\": 2,", "m.json, node 1", "not in order"},
        Wrong{"\"value\": \"petal_length\"", "\"value\": \"leg\"", "m.json, node 0", "leg"},
        Wrong{"\"value\": \"petal_length\"", "\"value\": 2", "m.json, node 0", "text"},
        Wrong{"\"cut\": 2.45", "\"cut\": \"2.45\"", "m.json, node 0", "number"},
        Wrong{"\"cut\": 2.45", "\"cut\": 1e999", "m.json", "too large"},
        Wrong{"\"cut\": 2.45", "\"cut\": NaN", "m.json", "JSON"},
        Wrong{"\"cut\": 2.45", "\"cut\": 2.45, \"ramp\": [1]", "m.json, node 0", "two"},
        Wrong{"\"cut\": 2.45", "\"cut\": 2.45, \"ramp\": [1, -1]", "m.json, node 0", "negative"},
        Wrong{"\"cut\": 2.45", "\"cut\": 2.45, \"slope\": 1", "m.json, node 0", "'slope'"},
        Wrong{"\"first\": 1", "\"first\": 0", "m.json, node 0", "begin at node 1"},
        Wrong{"\"first\": 3", "\"first\": 1", "m.json, node 2", "begin at node 3"},
        Wrong{"\"missing\": {\"child\": 0}, ", "", "m.json, node 0", "'missing' is missing"},
        Wrong{"\"child\": 0", "\"child\": 2", "m.json, node 0", "at most 1"},
        Wrong{"\"child\": 0", "\"shares\": [0.5, 0.6]", "m.json, node 0", "sum to 1"},
        Wrong{"\"child\": 0", "\"shares\": [1]", "m.json, node 0", "1 shares"},
        Wrong{"\"child\": 0", "\"stay\": false", "m.json, node 0", "'stay'"},
        Wrong{"\"child\": 0", "\"child\": 0, \"stay\": true", "m.json, node 0", "exactly one"},
        Wrong{"[50, 0, 0]", "[50, 0]", "m.json, node 1", "2 numbers instead of 3"},
        Wrong{"[50, 0, 0]", "[50, 0, -1]", "m.json, node 1", "negative"},
        Wrong{"[50, 0, 0]", "[50, 0, null]", "m.json, node 1", "number"},
        Wrong{",\n  {\"node\": 4, \"sums\": [0, 1, 45]}", "", "m.json", "lead to 5"},
        Wrong{"[0, 1, 45]}", "[0, 1, 45]}, {\"node\": 5, \"sums\": [0, 1, 45]}", "m.json, node 5",
              "no node before"},
        Wrong{"[0, 1, 45]}", "[0, 1, 45]}, 7", "m.json, node 5", "object"},
        Wrong{"[0, 1, 45]", "[0, 1, [[[[[[[[[[[[[45]]]]]]]]]]]]]", "m.json", "deeply"},
        Wrong{"\"sepal_width\"", "\"\xff\"", "m.json", "JSON"}),
    test::ByText());

TEST(ModelJson, NonsenseIsRefused) {
  for (const std::string& text :
       {std::string(), std::string("[]"), std::string("{}"), std::string("null"),
        std::string("{\"nodes\": [{}]}"), std::string(1000000, '['), std::string("\0\0", 2)}) {
    EXPECT_THROW(model_from_text(text, "nonsense"), Error);
  }
  const std::string text = model_to_text(testing::iris_model());
  for (size_t end = 0; end + 2 < text.size(); end += 7) {
    EXPECT_THROW(model_from_text(text.substr(0, end), "cut short"), Error);
  }
}

// Few bytes must not be able to ask for much memory.
TEST(ModelJson, PromisesOfManyNodesAreNotBelieved) {
  std::string levels, lists;
  for (int i = 0; i < 3000; ++i) {
    levels += (i > 0 ? ", \"" : "\"") + std::to_string(i) + "\"";
    lists += i > 0 ? ", []" : "[]";
  }
  const std::string text =
      R"({"format": "softwood-tree", "version": 1, "schema": {"features": [{"name": "f", "kind":
      "nominal", "levels": ["a"]}], "target": {"name": "t", "kind": "nominal", "levels": [)" +
      levels + R"(]}}, "nodes": [{"node": 0, "gate": {"kind": "levels", "feature": "f",
      "children": [)" +
      lists + R"(]}, "missing": {"child": 0}, "first": 1, "sums": []}]})";
  try {
    model_from_text(text, "m");
    FAIL() << "it was accepted";
  } catch (const Error& error) {
    EXPECT_STREQ(error.what(), "the gates lead to more nodes than the file can hold");
  }
}

TEST(SlowModelJson, LargeTreesAreReadBack) {
  Random random(1, "large");
  Model model{testing::mixed_schema(Task::classification), Tree(Task::classification, 3), {}, {}};
  Tree& tree = model.tree;
  for (NodeIndex i = 0; tree.size() < 300000; ++i) {
    tree.split(i, threshold_gate(static_cast<uint32_t>(random.below(3)), random.normal()), {});
  }
  const std::string text = model_to_text(model);
  EXPECT_EQ(model_to_text(model_from_text(text, "large")), text);
}

}  // namespace
}  // namespace softwood

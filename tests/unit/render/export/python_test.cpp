#include <gtest/gtest.h>

#include "lower/lower.h"
#include "render/export/exporter.h"
#include "support/sample_models.h"

namespace softwood::render {
namespace {

std::string python_of(const Model& model) {
  return export_tree(lower(model), find_exporter("python"), {});
}

bool has(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

TEST(PythonExport, NamesInputsLevelsAndClasses) {
  const std::string text = python_of(testing::iris_model());
  EXPECT_TRUE(has(text, "INPUTS = (\"petal_length\", \"petal_width\")\n"));
  EXPECT_TRUE(has(text, "LEVELS = {}\n"));
  EXPECT_TRUE(has(text, "CLASSES = (\"setosa\", \"versicolor\", \"virginica\")\n"));
  EXPECT_TRUE(has(text, "_CONDITION_CUT = (2.45, 1.75)\n"));
  EXPECT_TRUE(text.starts_with("# tree: a decision tree that answers the class 'species'"));
  EXPECT_TRUE(has(text, "# Seed: 1; 150 training rows with fingerprint 0123456789abcdef.\n"));
}

TEST(PythonExport, HasOnlyWhatTheTreeNeeds) {
  const std::string text = python_of(testing::iris_model());
  for (const char* part : {"_exp", "_asinh", "_softmax", "_term", "import math", "_INFINITY"}) {
    EXPECT_FALSE(has(text, part)) << part;
  }
  EXPECT_FALSE(has(text, "@")) << "a mark of the template";
}

TEST(PythonExport, RegressionHasNoProbabilities) {
  Random random(7, "export");
  const Schema schema = testing::mixed_schema(Task::regression);
  const Model model{schema, testing::random_tree(schema, {}, random), {}, {}};
  const std::string text = python_of(model);
  EXPECT_TRUE(has(text, "def predict(row):"));
  EXPECT_TRUE(has(text, "def predict_batch(columns):"));
  EXPECT_FALSE(has(text, "predict_proba"));
  EXPECT_FALSE(has(text, "CLASSES"));
}

TEST(PythonExport, NamesCannotEndTheirLiteralOrTheComment) {
  Model model = testing::iris_model();
  model.schema.features[2].name = "\"\"\"\nimport os";
  const std::string text = python_of(model);
  EXPECT_TRUE(has(text, R"(INPUTS = ("\"\"\"\nimport os", "petal_width"))"));
  EXPECT_FALSE(has(text, "\nimport os"));
}

TEST(PythonExport, TheSameModelGivesTheSameBytes) {
  EXPECT_EQ(python_of(testing::iris_model()), python_of(testing::iris_model()));
}

}  // namespace
}  // namespace softwood::render

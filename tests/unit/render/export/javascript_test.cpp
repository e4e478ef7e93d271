#include <gtest/gtest.h>

#include "lower/lower.h"
#include "render/export/exporter.h"
#include "support/sample_models.h"

namespace softwood::render {
namespace {

std::string javascript_of(const Model& model, const std::string& module,
                          const std::string& name = "tree") {
  ExportOptions options;
  options.module = module;
  options.name = name;
  return export_tree(lower(model), find_exporter("javascript"), options);
}

bool has(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

TEST(JavaScriptExport, OfAModuleExportsByName) {
  const std::string text = javascript_of(testing::iris_model(), "esm");
  for (const char* part :
       {"export const inputs = [\n", "  { name: \"petal_length\", levels: null },\n",
        "export const classes = [\"setosa\", \"versicolor\", \"virginica\"];\n",
        "export function predict(row) {", "export function predictProba(row) {",
        "export function predictArray(cells) {", "export function predictProbaArray(cells) {",
        "const conditionCut = new Float64Array([2.45, 1.75]);\n"}) {
    EXPECT_TRUE(has(text, part)) << part;
  }
}

TEST(JavaScriptExport, OfAScriptDefinesOneObject) {
  const std::string text = javascript_of(testing::iris_model(), "script", "model");
  EXPECT_TRUE(has(text, "globalThis.model = (() => {\n  \"use strict\";\n"));
  EXPECT_TRUE(text.ends_with("predictProbaArray };\n})();\n"));
  EXPECT_FALSE(has(text, "export const"));
  EXPECT_FALSE(has(text, "export function"));
  EXPECT_TRUE(
      has(javascript_of(testing::iris_model(), "script", "class"), "globalThis.class_tree = "));
}

TEST(JavaScriptExport, NoNameEndsTheElementOfAPage) {
  Model model = testing::iris_model();
  model.schema.features[2].name = "</script><!--";
  model.schema.target.levels[1] = "</SCRIPT>";
  const std::string text = javascript_of(model, "script");
  EXPECT_FALSE(has(text, "</"));
  EXPECT_FALSE(has(text, "<!--"));
  EXPECT_TRUE(has(text, R"("\u003c/SCRIPT>")"));
}

TEST(JavaScriptExport, UsesNoFunctionThatRoundsOtherwiseElsewhere) {
  const Schema schema = testing::mixed_schema(Task::classification);
  for (uint64_t seed = 0; seed < 20; ++seed) {
    Random random(seed, "export");
    const Model model{schema, testing::random_tree(schema, {}, random), {}, {}};
    const std::string text = javascript_of(model, "esm");
    for (const char* part : {"Math.exp", "Math.log", "Math.asinh", "Math.pow", "**"}) {
      EXPECT_FALSE(has(text, part)) << part;
    }
    EXPECT_FALSE(has(text, "@")) << "a mark of the template";
  }
}

}  // namespace
}  // namespace softwood::render

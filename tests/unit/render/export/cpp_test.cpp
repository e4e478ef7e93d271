#include <gtest/gtest.h>

#include "lower/lower.h"
#include "render/export/c/code.h"
#include "render/export/exporter.h"
#include "softwood/error.h"
#include "support/sample_models.h"

namespace softwood::render {
namespace {

LoweredTree with_inputs(const std::vector<std::string>& names) {
  LoweredTree tree = lower(testing::iris_model());
  tree.inputs.clear();
  for (const std::string& name : names) tree.inputs.emplace_back().name = name;
  return tree;
}

TEST(CppExport, FieldsAreIdentifiersAndUnique) {
  const LoweredTree tree = with_inputs({"petal length", "petal-length", "class", "1st", "", "größe",
                                        "Row", "_Upper", "a__b", "petal_length_2", "linux"});
  EXPECT_EQ(cpp_fields(tree),
            (std::vector<std::string>{"petal_length", "petal_length_3", "class_", "x1st", "input",
                                      "gr_e", "Row_", "Upper", "a_b", "petal_length_2", "linux_"}));
}

TEST(CppExport, FieldsSayWhatTheyStandFor) {
  LoweredTree tree = exported_tree(lower(testing::iris_model()));
  tree.inputs[0].name = "petal \"length\"\n*/";
  tree.inputs[1].kind = InputKind::numeric;
  const std::string text = cpp_export(tree, {});
  EXPECT_NE(
      text.find("  std::optional<double> petal_length;  // \"petal \\\"length\\\"\\012*/\"\n"),
      std::string::npos);
  EXPECT_NE(text.find("  std::optional<double> petal_width;\n"), std::string::npos);
  EXPECT_NE(text.find("inline constexpr struct node nodes[5]"), std::string::npos);
}

TEST(CppExport, DataMayHoldWhatTheWriterReplaces) {
  LoweredTree tree = exported_tree(lower(testing::iris_model()));
  tree.target.classes[0] = "$x @NAME@ CELL";
  const std::string text = cpp_export(tree, {});
  EXPECT_NE(text.find("{\"$x @NAME@ CELL\", 14}"), std::string::npos);
  EXPECT_NE(c_export(tree, {}).find("\"$x @NAME@ CELL\""), std::string::npos);
}

TEST(CppExport, KeywordsAreNoNamespaces) {
  ExportOptions options;
  options.name = "class";
  EXPECT_THROW(cpp_export(lower(testing::iris_model()), options), Error);
}

}  // namespace
}  // namespace softwood::render

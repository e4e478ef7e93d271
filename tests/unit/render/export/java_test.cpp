#include <gtest/gtest.h>

#include <algorithm>

#include "base/text.h"
#include "lower/lower.h"
#include "render/export/exporter.h"
#include "support/sample_models.h"

namespace softwood::render {
namespace {

std::string java_of(const LoweredTree& tree, const std::string& name = "tree") {
  ExportOptions options;
  options.name = name;
  return export_tree(tree, find_exporter("java"), options);
}

bool has(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

TEST(JavaExport, IsAClassWithTheNameAsJavaWritesIt) {
  const std::string text = java_of(lower(testing::iris_model()), "iris");
  for (const char* part :
       {"public final strictfp class Iris {", "private Iris() {",
        "public static String predict(Map<String, ?> row) {",
        "public static String predict(double[] cells) {",
        "public static double[] predictProba(Map<String, ?> row) {", "Save it as Iris.java",
        "\"setosa\\nversicolor\\nvirginica\\n\"", "\"2.45,1.75,\""}) {
    EXPECT_TRUE(has(text, part)) << part;
  }
}

TEST(JavaExport, IsAsciiWhateverNamesHold) {
  Model model = testing::iris_model();
  model.schema.features[2].name = "Größe \\u000a */ 🌲\n";
  const std::string text = java_of(lower(model));
  EXPECT_TRUE(std::all_of(text.begin(), text.end(), [](char c) { return c > 0; }));
  // Within the text that holds all names, line breaks and backslashes are escaped once more.
  EXPECT_TRUE(has(text, R"("Gr\u00f6\u00dfe \\\\u000a */ \ud83c\udf32\\n\npetal_width\n")"));
  EXPECT_FALSE(has(text, " \\u000a")) << "ends a line wherever it stands";
}

// A chain of splits.
LoweredTree long_tree(size_t splits) {
  LoweredTree tree = lower(testing::iris_model());
  const LoweredNode leaf = tree.nodes[1], split = tree.nodes[0];
  tree.nodes.assign(2 * splits + 1, leaf);
  for (size_t s = 0; s < splits; ++s) {
    LoweredNode& node = tree.nodes[s == 0 ? 0 : 2 * s];
    node = split;
    node.split->first_child = static_cast<uint32_t>(2 * s + 1);
    auto& score = std::get<LoweredScore>(node.split->condition);
    score.cut = 1 / static_cast<double>(s + 1);
  }
  return tree;
}

// The sizes of constants: literals that are joined by "+" are one.
std::vector<size_t> constants_of(const std::string& text) {
  std::vector<size_t> sizes;
  for (const std::string_view line : split(text, '\n')) {
    const std::string_view code = trim(line);
    const bool goes_on = code.starts_with("+ \"");
    if (!goes_on && !code.starts_with("\"")) continue;
    if (!goes_on) sizes.push_back(0);
    sizes.back() += code.size();
  }
  return sizes;
}

TEST(JavaExport, ConstantsOfLargeTreesAreInPieces) {
  const std::vector<size_t> sizes = constants_of(java_of(long_tree(20000)));
  EXPECT_GT(sizes.size(), 20U);
  EXPECT_LT(*std::max_element(sizes.begin(), sizes.end()), 65536U);
}

TEST(JavaExport, LinesStayReadable) {
  for (const std::string_view line : split(java_of(long_tree(300)), '\n')) {
    EXPECT_LE(line.size(), 100U) << line;
  }
}

}  // namespace
}  // namespace softwood::render

#include <gtest/gtest.h>

#include "lower/lower.h"
#include "render/export/exporter.h"
#include "support/sample_models.h"

namespace softwood::render {
namespace {

LoweredTree iris() { return exported_tree(lower(testing::iris_model())); }

bool holds(const std::string& text, std::string_view part) {
  return text.find(part) != std::string::npos;
}

TEST(DotExport, EveryNodeAndEveryEdgeIsThere) {
  const LoweredTree tree = iris();
  const std::string text = dot_export(tree, {});
  for (size_t i = 0; i < tree.nodes.size(); ++i) {
    EXPECT_TRUE(holds(text, "\n  n" + std::to_string(i) + " [fillcolor=")) << i;
    if (i > 0) {
      const std::string edge =
          "\n  n" + std::to_string(tree.nodes[i].parent) + " -> n" + std::to_string(i) + " [label=";
      EXPECT_TRUE(holds(text, edge)) << i;
    }
  }
}

TEST(DotExport, TextCannotEndALabel) {
  LoweredTree tree = iris();
  tree.target.classes[0] = "a<b> & \"c\"\n]";
  const std::string text = dot_export(tree, {});
  EXPECT_TRUE(holds(text, "a&lt;b&gt; &amp; &quot;c&quot;\\n]")) << text;
  // Before it stands a comment.
  EXPECT_FALSE(holds(text.substr(text.find("digraph")), "a<b>"));
}

TEST(DotExport, SoftGatesShowTheirRange) {
  LoweredTree tree = iris();
  auto& score = std::get<LoweredScore>(tree.nodes[0].split->condition);
  score.link = LinkKind::ramp;
  score.below = score.above = 0.5;
  EXPECT_TRUE(holds(dot_export(tree, {}), "(soft"));
}

}  // namespace
}  // namespace softwood::render

#include "render/export/source.h"

#include <gtest/gtest.h>

#include "lower/lower.h"
#include "support/sample_models.h"

namespace softwood::render {
namespace {

TEST(FilledTemplate, KeepsPartsWhoseFlagsAreSet) {
  const std::string_view text = R"(first
@if a b
one of both
@if c
all
@else
not c
@end
@else
none
@end
last)";
  EXPECT_EQ(filled_template(text, {"b"}, {}), "first\none of both\nnot c\nlast\n");
  EXPECT_EQ(filled_template(text, {"a", "c"}, {}), "first\none of both\nall\nlast\n");
  EXPECT_EQ(filled_template(text, {"c"}, {}), "first\nnone\nlast\n");
}

TEST(FilledTemplate, PutsValuesIn) {
  EXPECT_EQ(filled_template("x@{a}y@{b}\n@{lines}\nz\n", {},
                            {{"a", "1"}, {"b", "@{a}"}, {"lines", "2\n3\n"}}),
            "x1y@{a}\n2\n3\nz\n")
      << "values are not read again";
  EXPECT_THROW(filled_template("@{unknown}", {}, {}), std::out_of_range);
}

std::vector<std::string> table_names(const Model& model) {
  const LoweredTree tree = lower(model);
  const CodeTables tables = code_tables(tree);
  std::vector<std::string> names;
  for (const SourceTable& table : source_tables(tables, source_flags(tree, tables, {}))) {
    names.push_back(table.name);
  }
  return names;
}

TEST(SourceTables, AreThoseThatTheTreeNeeds) {
  const std::vector<std::string> plain = {"node_condition", "node_child", "node_missing_child",
                                          "node_answer",    "answers",    "condition_input",
                                          "condition_cut"};
  EXPECT_EQ(table_names(testing::iris_model()), plain);
}

TEST(SourceTables, OfARamp) {
  Model model = testing::iris_model();
  ScoreGate ramp = threshold_gate(0, 1);
  ramp.link.form = LinkForm::ramp;
  ramp.link.below = 1;
  model.tree.node(0).gate() = ramp;
  const std::vector<std::string> names = table_names(model);
  for (const char* name : {"condition_code", "condition_below", "term_input", "term_coefficient"}) {
    EXPECT_NE(std::find(names.begin(), names.end(), name), names.end()) << name;
  }
  EXPECT_EQ(std::find(names.begin(), names.end(), "level_child"), names.end());
}

TEST(SourceFlags, AThresholdReplacesCosts) {
  LoweredTree tree = lower(testing::iris_model());
  tree.decision.costs.assign(9, 1);
  const CodeTables tables = code_tables(tree);
  EXPECT_TRUE(source_flags(tree, tables, {}).contains("costs"));
  ExportOptions options;
  options.threshold = 0.5;
  const auto flags = source_flags(tree, tables, options);
  EXPECT_TRUE(flags.contains("threshold"));
  EXPECT_FALSE(flags.contains("costs"));
}

}  // namespace
}  // namespace softwood::render

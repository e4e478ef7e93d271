#include <gtest/gtest.h>

#include <cmath>

#include "lower/lower.h"
#include "render/export/exporter.h"
#include "render/export/pmml/xml.h"
#include "softwood/error.h"
#include "support/sample_models.h"

namespace softwood::render {
namespace {

std::string pmml_of(const Model& model, const ExportOptions& options = {}) {
  return pmml_export(exported_tree(lower(model)), options);
}

bool has(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

// Every element is closed where it should be.
void expect_balanced(std::string text) {
  text.erase(0, text.find("-->") + 3);
  std::vector<std::string> open;
  for (size_t at = 0; (at = text.find('<', at)) != std::string::npos; ++at) {
    const size_t end = text.find('>', at);
    ASSERT_NE(end, std::string::npos);
    const std::string tag = text.substr(at + 1, end - at - 1);
    if (tag.ends_with('/')) continue;
    if (tag.starts_with('/')) {
      ASSERT_FALSE(open.empty());
      EXPECT_EQ(tag.substr(1), open.back());
      open.pop_back();
    } else {
      open.push_back(tag.substr(0, tag.find(' ')));
    }
  }
  EXPECT_TRUE(open.empty());
}

TEST(PmmlExport, HardTreesAreTreeModels) {
  const std::string text = pmml_of(testing::iris_model());
  expect_balanced(text);
  EXPECT_TRUE(has(text,
                  "<TreeModel modelName=\"tree\" functionName=\"classification\" "
                  "missingValueStrategy=\"defaultChild\""));
  EXPECT_TRUE(has(text,
                  "<Node id=\"2\" defaultChild=\"4\"><SimplePredicate "
                  "field=\"petal_length\" operator=\"greaterThan\" value=\"2.45\"/>"));
  EXPECT_TRUE(has(text,
                  "<ScoreDistribution value=\"virginica\" recordCount=\"5\" "
                  "probability=\"0.09259259259259259\"/>"));
  EXPECT_TRUE(has(text, "<Extension name=\"fingerprint\" value=\"0123456789abcdef\"/>"));
  EXPECT_FALSE(has(text, "LocalTransformations"));
  EXPECT_EQ(text, pmml_of(testing::iris_model()));
}

TEST(PmmlExport, ThresholdsKeepAllDigits) {
  Model model = testing::iris_model();
  model.tree.node(0).gate() = threshold_gate(2, std::nextafter(0.1, 1));
  EXPECT_TRUE(has(pmml_of(model), "operator=\"lessOrEqual\" value=\"0.10000000000000002\""));
}

TEST(PmmlExport, SurrogatesAndOwnChildrenArePredicates) {
  Model model = testing::iris_model();
  Missing& missing = model.tree.node(0).missing();
  missing.surrogates = {{threshold_gate(0, 5.45), 0.9, 0.8}};
  const std::string text = pmml_of(model);
  expect_balanced(text);
  EXPECT_TRUE(has(text,
                  "<CompoundPredicate booleanOperator=\"surrogate\"><SimplePredicate "
                  "field=\"petal_length\" operator=\"lessOrEqual\" value=\"2.45\"/>"
                  "<SimplePredicate field=\"sepal_length\" operator=\"lessOrEqual\" "
                  "value=\"5.45\"/></CompoundPredicate>"));
  missing.surrogates.clear();
  missing.rule = MissingRule::stay;
  EXPECT_TRUE(
      has(pmml_of(model), "<SimplePredicate field=\"petal_length\" operator=\"isMissing\"/>"));
}

TEST(PmmlExport, SoftTreesAreSumsOverTheirLeaves) {
  Model model = testing::iris_model();
  ScoreGate soft = threshold_gate(2, 2.45);
  soft.link.form = LinkForm::logistic;
  model.tree.node(0).gate() = soft;
  const std::string text = pmml_of(model);
  expect_balanced(text);
  EXPECT_TRUE(has(text,
                  "<RegressionModel modelName=\"tree\" functionName=\"classification\" "
                  "normalizationMethod=\"none\">"));
  EXPECT_TRUE(has(text, "<RegressionTable intercept=\"0\" targetCategory=\"setosa\">"));
  EXPECT_TRUE(has(text, "<Apply function=\"exp\">"));
}

TEST(PmmlExport, ThresholdsOfClassesDecideTheScores) {
  ExportOptions options;
  Model model = testing::iris_model();
  model.schema.target.levels = {"no", "yes"};
  Tree tree(Task::classification, 2);
  const NodeIndex first = tree.split(0, threshold_gate(2, 2.45), {});
  tree.sums(0)[0] = 10;
  tree.sums(first)[0] = 7;
  tree.sums(first)[1] = 3;
  tree.sums(first + 1)[1] = 1;
  model.tree = tree;
  model.complexity.reset();
  EXPECT_TRUE(has(pmml_of(model), "<Node id=\"1\" score=\"no\""));
  options.threshold = 0.3;
  EXPECT_TRUE(has(pmml_of(model, options), "<Node id=\"1\" score=\"yes\""));
}

TEST(PmmlExport, NamesAreEscaped) {
  Model model = testing::iris_model();
  model.schema.features[2].name = "a<b & \"c\"\n-->";
  model.schema.features[3].name = "prediction";
  model.provenance.recipe = "grow -- --> prune";
  const std::string text = pmml_of(model);
  expect_balanced(text);
  EXPECT_TRUE(has(text, "<DataField name=\"a&lt;b &amp; &quot;c&quot;&#10;--&gt;\""));
  EXPECT_TRUE(has(text, "<OutputField name=\"prediction_\""));
  const size_t begin = text.find("<!--") + 4;
  const std::string comment = text.substr(begin, text.find("-->") - begin);
  EXPECT_FALSE(has(comment, "--"));
  EXPECT_TRUE(has(comment, "recipe"));
}

TEST(PmmlExport, RefusesCharactersThatXmlCannotHold) {
  Model model = testing::iris_model();
  model.schema.target.levels[1] = "versi\x01color";
  try {
    pmml_of(model);
    FAIL() << "nothing was refused";
  } catch (const Error& error) {
    EXPECT_TRUE(has(error.what(), "pmml cannot express the control character in "));
  }
}

TEST(PmmlXml, LongSumsDoNotNestDeep) {
  const std::vector<std::string> parts(64, pmml::number(1));
  size_t depth = 0, deepest = 0;
  const std::string text = pmml::balanced_sum(parts);
  for (size_t at = 0; (at = text.find('<', at)) != std::string::npos; ++at) {
    if (text.compare(at, 6, "<Apply") == 0) deepest = std::max(deepest, ++depth);
    if (text.compare(at, 7, "</Apply") == 0) --depth;
  }
  EXPECT_EQ(deepest, 6U);
}

}  // namespace
}  // namespace softwood::render

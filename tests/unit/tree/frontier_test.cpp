// The frontier in the model file.
#include <gtest/gtest.h>

#include "softwood/error.h"
#include "support/sample_models.h"
#include "tree/model.h"
#include "tree/shown_frontier.h"

namespace softwood {
namespace {

Model with_frontier() {
  Model model = testing::iris_model();
  Frontier frontier{"logloss", "error", 150, 1.0986, 0.04, 0.016, {{0.3, 0.02}}, 1, {1, 1, 0}, {}};
  frontier.points.push_back(
      {"grow max-leaves=3 min-leaf=5", 11, 3, 0.2, 0.03, 1, true, true, false});
  frontier.points.push_back(
      {"grow-soft shape=full", 40, 4, 0.1, 0.02, 4, false, false, true, {{44, 5}}});
  model.frontier = frontier;
  return model;
}

TEST(FrontierJson, LoadsWhatItSaved) {
  const Model model = with_frontier();
  const std::string text = model_to_text(model);
  const Model loaded = model_from_text(text, "test");
  EXPECT_EQ(loaded.frontier, model.frontier);
  EXPECT_EQ(model_to_text(loaded), text);
}

TEST(FrontierJson, ModelsWithoutOneHaveNone) {
  const Model model = testing::iris_model();
  EXPECT_EQ(model_to_text(model).find("frontier"), std::string::npos);
  EXPECT_FALSE(model_from_text(model_to_text(model), "test").frontier);
}

// Saved trees may have sizes in another order than those that were judged.
TEST(ShownFrontier, IsInTheOrderOfTheSizesThatItShows) {
  Frontier frontier;
  for (const double loss : {0.9, 0.5, 0.4}) {
    FrontierPoint point;
    point.parameters = frontier.points.size() + 2;
    point.loss = loss;
    frontier.points.push_back(point);
  }
  const auto numbers = [](const ShownFrontier& all) {
    std::vector<size_t> list;
    for (const ShownPoint& point : all.points) {
      if (!point.dominated) list.push_back(point.number);
    }
    return list;
  };
  frontier.points[1].saved = {9, 5};
  ASSERT_FALSE(shown(frontier).of_saved_trees);  // not every one is
  EXPECT_EQ(numbers(shown(frontier)), (std::vector<size_t>{0, 1, 2}));
  frontier.points[0].saved = {2, 1};
  frontier.points[2].saved = {4, 2};
  const ShownFrontier all = shown(frontier);
  ASSERT_TRUE(all.of_saved_trees);
  EXPECT_EQ(all.points[2].number, 1U);
  EXPECT_TRUE(all.points[2].dominated);
  EXPECT_EQ(numbers(all), (std::vector<size_t>{0, 2}));
}

void expect_refused(const std::string& from, const std::string& to, const std::string& message) {
  std::string text = model_to_text(with_frontier());
  const size_t at = text.find(from);
  ASSERT_NE(at, std::string::npos) << from;
  text.replace(at, from.size(), to);
  try {
    model_from_text(text, "test");
    FAIL() << "no error for " << to;
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::model);
    EXPECT_NE(error.text().find(message), std::string::npos) << error.text();
  }
}

TEST(FrontierJson, RefusesWhatIsNotRight) {
  expect_refused(R"("chosen": 1)", R"("chosen": 2)", "which has 2");
  expect_refused(R"("readable": 0)", R"("readable": 7)", "which has 2");
  expect_refused(R"("hard": true)", R"("hard": 1)", "true or false");
  expect_refused(R"("standard_error": 0.03)", R"("standard_error": -1)", "standard_error");
  expect_refused(R"("metric": "logloss")", R"("metric": 3)", "metric");
}

}  // namespace
}  // namespace softwood

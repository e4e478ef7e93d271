// Names in the picture of a frontier.
#include <gtest/gtest.h>

#include <regex>
#include <string>
#include <vector>

#include "base/parallel.h"
#include "render/svg/canvas.h"
#include "render/svg/plot.h"
#include "support/sample_models.h"

namespace softwood::render {
namespace {

std::string picture_of(const Frontier& frontier) {
  Model model = testing::iris_model();
  model.frontier = frontier;
  const LoweredTree tree;
  const PlotOptions options;
  const Parallel parallel(1);
  const Control control;
  return plot_frontier({model, tree, nullptr, options, parallel, control});
}

// Many points, close to each other, on all sides of those that have names.
Frontier crowded() {
  Frontier frontier{"logloss", "error", 150, 1, 0.04, 0.016, {}, 10, {10, 9, 3}, {}};
  for (size_t i = 0; i < 16; ++i) {
    const double at = static_cast<double>(i);
    frontier.points.push_back({"grow", 10 + i, 2, 0.5 - 0.01 * at, 0.002, 1, true, true, false});
    frontier.points.push_back({"grow", 10 + i, 2, 0.51 - 0.01 * at, 0.002, 1, true, true, true});
  }
  return frontier;
}

TEST(FrontierPlot, NamesCoverNoPoints) {
  const std::string text = picture_of(crowded());
  std::vector<Point> points;
  const std::regex circle(R"re(<circle cx="([0-9.]+)" cy="([0-9.]+)")re");
  for (std::sregex_iterator it(text.begin(), text.end(), circle), end; it != end; ++it) {
    points.push_back({std::stod((*it)[1]), std::stod((*it)[2])});
  }
  ASSERT_GE(points.size(), 32U);
  for (const std::string name : {"accuracy", "balanced", "readable"}) {
    SCOPED_TRACE(name);
    const std::regex pattern(R"re(<text x="([0-9.]+)" y="([0-9.]+)"[^>]*>)re" + name + "<");
    std::smatch found;
    ASSERT_TRUE(std::regex_search(text, found, pattern));
    const double x = std::stod(found[1]), y = std::stod(found[2]);
    const double end = x + text_width(name, 12);
    for (const Point& point : points) {
      EXPECT_FALSE(point.x > x && point.x < end && point.y > y - 10 && point.y < y + 3)
          << point.x << " " << point.y << " in " << x << " " << y;
    }
  }
}

TEST(FrontierPlot, SaysWhoseSizesTheyAreAndThatTheAxisIsLogarithmic) {
  Frontier frontier = crowded();
  EXPECT_NE(picture_of(frontier).find("of the trees that were judged, logarithmic scale"),
            std::string::npos);
  for (FrontierPoint& point : frontier.points) point.saved = {point.parameters + 7, 2};
  EXPECT_NE(picture_of(frontier).find("of the saved trees, logarithmic scale"), std::string::npos);
}

// Where a tree of all rows is larger than that of a part, the curve goes on to the right.
TEST(FrontierPlot, TheCurveNeverGoesBack) {
  Frontier frontier = crowded();
  for (size_t i = 0; i < frontier.points.size(); ++i) {
    FrontierPoint& point = frontier.points[i];
    point.saved = {point.parameters + (i % 3 == 0 ? 9 : 0), 2};
  }
  const std::string text = picture_of(frontier);
  std::smatch found;
  const std::regex pattern(R"re(<polyline points="([^"]*)"[^>]*class="curve")re");
  ASSERT_TRUE(std::regex_search(text, found, pattern)) << text;
  const std::string points = found[1];
  const std::regex pair(R"re(([0-9.]+),([0-9.]+))re");
  double x = -1, y = -1;
  for (std::sregex_iterator it(points.begin(), points.end(), pair), end; it != end; ++it) {
    EXPECT_GT(std::stod((*it)[1]), x);
    EXPECT_GT(std::stod((*it)[2]), y);  // downwards
    x = std::stod((*it)[1]);
    y = std::stod((*it)[2]);
  }
  EXPECT_GT(x, 0);
}

}  // namespace
}  // namespace softwood::render

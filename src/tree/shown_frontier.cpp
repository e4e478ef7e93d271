#include "tree/shown_frontier.h"

#include <algorithm>
#include <limits>

namespace softwood {

std::string loss_name(const std::string& metric) { return metric == "auc" ? "1 - auc" : metric; }

std::vector<std::string> preferences_of(const Frontier& frontier, size_t point) {
  const FrontierChoices& choices = frontier.choices;
  std::vector<std::string> names;
  if (choices.accuracy == point) names.emplace_back("accuracy");
  if (choices.balanced == point) names.emplace_back("balanced");
  if (choices.readable == point) names.emplace_back("readable");
  return names;
}

ShownFrontier shown(const Frontier& frontier) {
  const std::vector<FrontierPoint>& points = frontier.points;
  ShownFrontier result;
  result.of_saved_trees = has_saved_sizes(frontier);
  for (size_t i = 0; i < points.size(); ++i) {
    const SavedSize judged{points[i].parameters, points[i].leaves};
    result.points.push_back({i, result.of_saved_trees ? *points[i].saved : judged, false});
  }
  const auto loss = [&](const ShownPoint& point) { return points[point.number].loss; };
  std::stable_sort(
      result.points.begin(), result.points.end(), [&](const ShownPoint& a, const ShownPoint& b) {
        return a.size.parameters != b.size.parameters ? a.size.parameters < b.size.parameters
                                                      : loss(a) < loss(b);
      });
  double least = std::numeric_limits<double>::infinity();
  for (ShownPoint& point : result.points) {
    point.dominated = !(loss(point) < least);
    least = std::min(least, loss(point));
  }
  return result;
}

}  // namespace softwood

#include "render/svg/curves.h"

#include <algorithm>
#include <cmath>

namespace softwood::render {
namespace {

// How far a place is from the line through two others.
double distance(Point place, Point from, Point to) {
  const double dx = to.x - from.x, dy = to.y - from.y, length = std::hypot(dx, dy);
  if (length == 0) return std::hypot(place.x - from.x, place.y - from.y);
  return std::fabs(dx * (place.y - from.y) - dy * (place.x - from.x)) / length;
}

}  // namespace

std::vector<Point> roc_points(std::vector<ScoredRow> rows) {
  std::sort(rows.begin(), rows.end(),
            [](const ScoredRow& a, const ScoredRow& b) { return a.score > b.score; });
  double positive = 0, negative = 0;
  for (const ScoredRow& row : rows) {
    positive += row.positive;
    negative += row.negative;
  }
  std::vector<Point> points = {{0, 0}};
  double true_weight = 0, false_weight = 0;
  for (size_t i = 0; i < rows.size(); ++i) {
    true_weight += rows[i].positive;
    false_weight += rows[i].negative;
    if (i + 1 < rows.size() && rows[i + 1].score == rows[i].score) continue;
    points.push_back(
        {negative > 0 ? false_weight / negative : 0, positive > 0 ? true_weight / positive : 0});
  }
  return points;
}

std::vector<Point> thinned(const std::vector<Point>& places, double apart) {
  std::vector<Point> kept;
  for (size_t i = 0; i < places.size(); ++i) {
    if (i == 0 || std::hypot(places[i].x - kept.back().x, places[i].y - kept.back().y) >= apart) {
      kept.push_back(places[i]);
    } else if (i + 1 == places.size()) {
      if (kept.size() > 1) kept.pop_back();
      kept.push_back(places[i]);
    }
  }
  return kept;
}

std::vector<Point> last_per_column(const std::vector<Point>& places) {
  std::vector<Point> kept;
  for (const Point& place : places) {
    // The curve begins where its first point is.
    if (kept.size() > 1 && std::floor(kept.back().x) == std::floor(place.x)) {
      kept.back() = place;
    } else {
      kept.push_back(place);
    }
  }
  return kept;
}

std::vector<Point> simplified(const std::vector<Point>& places, double tolerance) {
  if (places.size() < 3) return places;
  std::vector<bool> kept(places.size(), false);
  kept.front() = kept.back() = true;
  std::vector<std::pair<size_t, size_t>> parts = {{0, places.size() - 1}};
  while (!parts.empty()) {
    const auto [from, to] = parts.back();
    parts.pop_back();
    size_t farthest = from;
    double most = tolerance;
    for (size_t i = from + 1; i < to; ++i) {
      const double off = distance(places[i], places[from], places[to]);
      if (off > most) {
        most = off;
        farthest = i;
      }
    }
    if (farthest == from) continue;
    kept[farthest] = true;
    parts.emplace_back(from, farthest);
    parts.emplace_back(farthest, to);
  }
  std::vector<Point> result;
  for (size_t i = 0; i < places.size(); ++i) {
    if (kept[i]) result.push_back(places[i]);
  }
  return result;
}

}  // namespace softwood::render

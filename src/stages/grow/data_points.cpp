#include "stages/grow/data_points.h"

#include <algorithm>

namespace softwood::grow {
namespace {

struct Place {
  double cut;
  NodeIndex node;
  bool operator<(const Place& other) const { return cut < other.cut; }
};

// The thresholds of each feature.
std::vector<std::vector<Place>> places_of(const Tree& tree, size_t features) {
  std::vector<std::vector<Place>> places(features);
  for (NodeIndex i = 0; i < tree.size(); ++i) {
    if (tree.node(i).is_leaf()) continue;
    const auto* score = std::get_if<ScoreGate>(&tree.node(i).gate());
    if (score == nullptr || !score->is_threshold() || score->cut == above_all_values) continue;
    places[score->terms[0].feature].push_back({score->cut, i});
  }
  return places;
}

}  // namespace

void move_cuts_to_data(Tree& tree, const Table& table, std::span<const RowIndex> rows,
                       const Parallel& parallel) {
  std::vector<std::vector<Place>> places = places_of(tree, table.features());
  parallel.each(places.size(), [&](size_t feature) {
    std::vector<Place>& here = places[feature];
    if (here.empty()) return;
    std::stable_sort(here.begin(), here.end());
    constexpr double none = -std::numeric_limits<double>::infinity();
    std::vector<double> largest(here.size(), none);  // not above the cut, but above the one before
    for (const RowIndex row : rows) {
      const double value = table.input(feature).value(row);
      // No cut is at or above a missing value (NaN), which compares with nothing.
      const auto at = std::lower_bound(here.begin(), here.end(), value,
                                       [](const Place& p, double v) { return !(p.cut >= v); });
      if (at == here.end()) continue;
      double& most = largest[static_cast<size_t>(at - here.begin())];
      most = std::max(most, value);
    }
    for (size_t i = 1; i < here.size(); ++i) largest[i] = std::max(largest[i], largest[i - 1]);
    for (size_t i = 0; i < here.size(); ++i) {
      if (largest[i] > none) std::get<ScoreGate>(tree.node(here[i].node).gate()).cut = largest[i];
    }
  });
}

}  // namespace softwood::grow

#include "stages/grow/data_points.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace softwood::grow {
namespace {

struct ThresholdNode {
  double cut;
  NodeIndex node;
  bool operator<(const ThresholdNode& other) const { return cut < other.cut; }
};

// The thresholds of each feature.
std::vector<std::vector<ThresholdNode>> places_of(const Tree& tree, size_t features) {
  std::vector<std::vector<ThresholdNode>> places(features);
  for (NodeIndex i = 0; i < tree.size(); ++i) {
    if (tree.node(i).is_leaf()) continue;
    const std::optional<Threshold> threshold = as_threshold(tree.node(i).gate());
    if (!threshold || threshold->cut == above_all_values) continue;
    places[threshold->feature].push_back({threshold->cut, i});
  }
  return places;
}

// A value halfway between two others may come out a little above their computed middle; it counts
// as not above, unless it could as well be the upper one of the two.
void move_cuts(Tree& tree, const Column& column, std::span<const RowIndex> rows,
               std::vector<ThresholdNode>& places) {
  constexpr double none = -std::numeric_limits<double>::infinity();
  double size = 0;
  for (const RowIndex row : rows) {
    const double value = std::abs(column.value(row));
    if (value > size) size = value;  // not for a missing one, which is NaN
  }
  const double rounding = 4 * std::numeric_limits<double>::epsilon() * size;
  std::stable_sort(places.begin(), places.end());
  // Of the values that belong to a place, not to one before it: the largest not above the cut, and
  // the largest that may be above only by rounding.
  std::vector<double> below(places.size(), none), at(places.size(), none);
  for (const RowIndex row : rows) {
    const double value = column.value(row);
    const auto place = std::lower_bound(
        places.begin(), places.end(), value, [&](const ThresholdNode& p, double v) {
          return !(p.cut + rounding >= v);  // a missing value belongs to no place
        });
    if (place == places.end()) continue;
    const auto i = static_cast<size_t>(place - places.begin());
    double& largest = value <= places[i].cut ? below[i] : at[i];
    largest = std::max(largest, value);
  }
  for (size_t i = 0; i < places.size(); ++i) {
    if (i > 0) {
      below[i] = std::max(below[i], below[i - 1]);
      double& largest = at[i - 1] <= places[i].cut ? below[i] : at[i];
      largest = std::max(largest, at[i - 1]);
    }
    if (below[i] == none) continue;
    Gate& gate = tree.node(places[i].node).gate();
    gate = with_cut(gate, at[i] - below[i] > 4 * rounding ? at[i] : below[i]);
  }
}

}  // namespace

void move_cuts_to_data(Tree& tree, const Table& table, std::span<const RowIndex> rows,
                       const Parallel& parallel, const Control& control) {
  std::vector<std::vector<ThresholdNode>> places = places_of(tree, table.features());
  parallel.each(places.size(), [&](size_t feature) {
    control.throw_if_interrupted();
    if (!places[feature].empty()) move_cuts(tree, table.input(feature), rows, places[feature]);
  });
}

}  // namespace softwood::grow

#include "stages/grow/gain_ratio.h"

#include <algorithm>
#include <cmath>

#include "stats/criterion/entropy.h"

namespace softwood::grow {

double least_side(double known_weight, size_t classes, double min_leaf) {
  constexpr double share = 0.1, most = 25;
  return std::max(min_leaf, std::min(most, share * known_weight / static_cast<double>(classes)));
}

size_t possible_cuts(const NodeData& data, std::span<const uint32_t> known, double least) {
  const double enough = least_weight(least);
  double total = 0;
  for (const uint32_t entry : known) total += data.weight(data.lists.slot(entry));
  size_t cuts = 0;
  double left = 0;
  for (size_t i = 0; i < known.size(); ++i) {
    if (i > 0 && is_new_value(known[i]) && left >= enough) {
      if (total - left < enough) break;
      ++cuts;
    }
    left += data.weight(data.lists.slot(known[i]));
  }
  return cuts;
}

double split_information(std::span<const double> parts, double node_weight) {
  double known = 0, sum = 0;
  for (const double part : parts) {
    known += part;
    sum += x_log_x(part);
  }
  // What is left only by rounding is no part.
  constexpr double rounding = 1e-9;
  const double missing = node_weight - known;
  if (missing > rounding * node_weight) sum += x_log_x(missing);
  return (x_log_x(node_weight) - sum) / node_weight;
}

std::vector<double> sides_of_cut(const NodeData& data, std::span<const uint32_t> known,
                                 size_t position) {
  std::vector<double> sides(2, 0.0);
  for (size_t i = 0; i < known.size(); ++i) {
    sides[i < position ? 0 : 1] += data.target.search_weight(data.lists.slot(known[i]));
  }
  return sides;
}

std::vector<char> features_in_average(const Table& table, double weight) {
  constexpr double many = 0.3;
  std::vector<char> in_average;
  for (size_t feature = 0; feature < table.features(); ++feature) {
    const auto levels = static_cast<double>(table.schema().features[feature].levels.size());
    const bool nominal = table.input(feature).kind == Kind::nominal;
    in_average.push_back(static_cast<char>(!nominal || levels < many * weight));
  }
  if (std::count(in_average.begin(), in_average.end(), 1) == 0) {
    std::fill(in_average.begin(), in_average.end(), 1);
  }
  return in_average;
}

Found* choose_by_gain_ratio(std::span<Found> found, std::span<const char> in_average,
                            double node_weight) {
  double sum = 0;
  size_t count = 0;
  for (const Found& one : found) {
    if (!one.possible || in_average[one.feature] == 0) continue;
    sum += one.score / node_weight;
    ++count;
  }
  if (count == 0) return nullptr;
  // J48 lets gains in that are this much below the average, and takes differences of ratios up to
  // the second number for rounding.
  constexpr double below = 1e-3, rounding = 1e-6;
  const double average = sum / static_cast<double>(count);
  Found* best = nullptr;
  double best_ratio = 0;
  for (Found& one : found) {
    const double gain = one.score / node_weight;
    if (!one.possible || gain < average - below || !(one.split_information > rounding)) continue;
    const double ratio = gain / one.split_information;
    if (ratio > best_ratio + rounding) {
      best = &one;
      best_ratio = ratio;
    }
  }
  return best;
}

}  // namespace softwood::grow

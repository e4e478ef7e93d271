#include "render/text/words.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numbers>
#include <vector>

#include "base/names.h"
#include "base/text.h"

#include "base/math.h"
#include "data/convert.h"

namespace softwood::render {

std::string size_text(const LoweredTree& tree) {
  return fmt::format("{}, {}, depth {}, {}", counted(tree.nodes.size(), "node"),
                     counted(tree.leaves, "leaf", "leaves"), tree.depth,
                     counted(tree.parameters, "parameter"));
}

std::string monotone_text(const LoweredTree& tree) {
  std::vector<std::string> rising, falling;
  for (const LoweredInput& input : tree.inputs) {
    if (input.monotone > 0) rising.push_back(shown_name(input.name, NamePlace::set));
    if (input.monotone < 0) falling.push_back(shown_name(input.name, NamePlace::set));
  }
  std::vector<std::string> parts;
  if (!rising.empty()) parts.push_back("never falls with " + join(rising, ", "));
  if (!falling.empty()) parts.push_back("never rises with " + join(falling, ", "));
  if (parts.empty()) return {};
  const LoweredTarget& target = tree.target;
  const std::string what =
      tree.is_classifier()
          ? "the share of " + shown_name(target.classes[target.positive], NamePlace::set)
          : shown_name(target.name, NamePlace::set);
  return what + " " + join(parts, " and ");
}

bool counts_weights(const LoweredTree& tree) {
  return !tree.origin.weight_column.empty() || !tree.origin.class_weights.empty();
}

std::string shown_weight(double weight) {
  constexpr double rounding = 1e-9, largest_whole = 1e15;
  const double whole = std::round(weight);
  if (std::abs(weight - whole) <= rounding * std::max(1.0, weight) && weight < largest_whole) {
    return fmt::format("{:.0f}", whole);
  }
  if (!(weight >= 1)) return fmt::format("{:.3g}", weight);
  if (weight >= 1e5) return fmt::format("{:.0f}", weight);
  // As the shortest text, so without zeros at the end.
  const double unit = weight < 1e4 ? 100 : 10;
  return fmt::format("{}", std::round(weight * unit) / unit);
}

std::string shown_rows(const LoweredTree& tree, double weight) {
  if (counts_weights(tree)) return "weight " + shown_weight(weight);
  return shown_weight(weight) + (weight == 1 ? " row" : " rows");
}

std::string shown_percent(double part, double all) {
  return fmt::format("{:.1f} %", all > 0 ? 100 * part / all : 0.0);
}

std::string p_value_text(double log_p) {
  constexpr double plain_from = 1e-3;
  if (std::isnan(log_p)) return "";
  if (log_p >= math::log(plain_from)) return fmt::format("{:.2g}", math::exp(log_p));
  const double log10_p = log_p / std::numbers::ln10;
  double exponent = std::floor(log10_p);
  double digits = std::round(std::pow(10, log10_p - exponent) * 10) / 10;
  if (digits >= 10) {
    digits /= 10;
    ++exponent;
  }
  return fmt::format("{:.1f}e{:.0f}", digits, exponent);
}

}  // namespace softwood::render

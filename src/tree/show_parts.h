// What the views of a tree share.
#pragma once

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numbers>
#include <span>
#include <string>

#include "tree/costs.h"
#include "tree/model.h"

namespace softwood {

// Text that is read line by line is not made wider than this.
constexpr size_t widest_text = 100;

// Standard deviation of the target at a node of a regression tree.
inline double spread_at(const Tree& tree, NodeIndex i) {
  const auto sums = tree.sums(i);
  return sums[0] > 0 ? std::sqrt(std::max(0.0, sums[2] / sums[0])) : 0.0;
}

// The class that node i answers, by tree.answers().
inline size_t answered_class(const Tree& tree, std::span<const double> answers, NodeIndex i) {
  const size_t width = tree.answer_width();
  return cheapest_answer(answers.subspan(i * width, width), tree.costs());
}

// A p-value of which the logarithm is known, to two digits: "0.035", "1.4e-30", "2.9e-1204".
inline std::string p_value_text(double log_p) {
  constexpr double plain_from = 1e-3;
  if (std::isnan(log_p)) return "";
  if (log_p >= std::log(plain_from)) return fmt::format("{:.2g}", std::exp(log_p));
  const double log10_p = log_p / std::numbers::ln10;
  double exponent = std::floor(log10_p);
  double digits = std::round(std::pow(10, log10_p - exponent) * 10) / 10;
  if (digits >= 10) {
    digits /= 10;
    ++exponent;
  }
  return fmt::format("{:.1f}e{:.0f}", digits, exponent);
}

inline bool has_soft_gates(const Model& model) {
  for (NodeIndex i = 0; i < model.tree.size(); ++i) {
    const Node& node = model.tree.node(i);
    if (!node.is_leaf() && gate_soft_range(node.gate(), model.schema)) return true;
  }
  return false;
}

}  // namespace softwood

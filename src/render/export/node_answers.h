// What nodes answer, and which class is decided for: worked out here for formats that write it
// down.
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "render/export/exporter.h"

namespace softwood::render {

// What a node answers to every row that ends there; none: its formula depends on the row. Where
// scores are mixed, the scores; the logarithm of 0 is `log_of_zero`.
std::optional<std::vector<double>> constant_answer(const LoweredTree& tree,
                                                   const LoweredNode& node);
// Without its formula.
std::vector<double> constants_of(const LoweredTree& tree, const LoweredNode& node);
// A share of 0 times -infinity would be NaN; the softmax of this is 0 as well.
constexpr double log_of_zero = -1e300;
// What is mixed turned into the answer of a row that ends in one node.
std::vector<double> final_answer(const LoweredTree& tree, std::vector<double> mixed);
// What a row that ends in this node alone is answered; the answer of the node is constant.
std::vector<double> hard_answer(const LoweredTree& tree, const LoweredNode& node);

// By the threshold of the options, by costs or by the largest probability.
size_t decided_class(const LoweredTree& tree, const ExportOptions& options,
                     std::span<const double> probabilities);

}  // namespace softwood::render

// The choice among features by gain ratio: Quinlan 1993, "C4.5: Programs for Machine Learning",
// and 1996, "Improved use of continuous attributes in C4.5", in the details of release 8
// as Weka's J48 has them.
//
// The best cut of a numeric feature is the one of most gain; its gain is then reduced by the bits
// that say which of the possible cuts it is, shared by the rows. Only tests of at least average
// gain compete, by gain / split information. Gains are bits per row of the node; that of a feature
// with missing values is multiplied by the share of the rows with a value, and the others are one
// more part of the split information.
#pragma once

#include <span>
#include <vector>

#include "stages/grow/splitter.h"

namespace softwood::grow {

// Least weight on each side of a cut: a tenth of the mean weight of a class, but between min_leaf
// and 25.
double least_side(double known_weight, size_t classes, double min_leaf);

// Number of cuts between different values that leave a weight of `least` on both sides; weights are
// those that the tree counts, as in the search of the cut.
size_t possible_cuts(const NodeData& data, std::span<const uint32_t> known, double least);

// - sum of p log2 p over the parts of a node, missing rows being what they leave of its weight.
double split_information(std::span<const double> parts, double node_weight);

// Weights of the rows with a value on both sides of a cut.
std::vector<double> sides_of_cut(const NodeData& data, std::span<const uint32_t> known,
                                 size_t position);

// Features whose gain counts for the average: all but nominal ones with nearly as many levels as
// there are rows, unless there are no others.
std::vector<char> features_in_average(const Table& table, double weight);

// The split to make, or null. Scores are gains summed over the node's weight.
Found* choose_by_gain_ratio(std::span<Found> found, std::span<const char> in_average,
                            double node_weight);

}  // namespace softwood::grow

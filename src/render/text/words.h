// Counts, weights and p-values as the views print them.
#pragma once

#include <string>
#include <string_view>

#include "softwood/lowered.h"

namespace softwood::render {

// Text that is read line by line is not made wider than this.
constexpr size_t widest_text = 100;

// "5 nodes, 3 leaves, depth 2, 7 parameters".
std::string size_text(const LoweredTree& tree);

// Weights stand where rows were given other weights than 1.
bool counts_weights(const LoweredTree& tree);
// A weight of rows: whole where it is but for rounding, else at most six digits, two after the
// point.
std::string shown_weight(double weight);
// "50 rows", "weight 38.5".
std::string shown_rows(const LoweredTree& tree, double weight);
// "9.3 %" of a part; of nothing "0.0 %".
std::string shown_percent(double part, double all);

// "the share of yes never falls with age and never rises with debt"; empty where no input is
// monotone.
std::string monotone_text(const LoweredTree& tree);

// A p-value of which the natural logarithm is known, to two digits: "0.035", "1.4e-30",
// "2.9e-1204"; empty for NaN.
std::string p_value_text(double log_p);

}  // namespace softwood::render

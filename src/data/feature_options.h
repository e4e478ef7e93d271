// Options of grow that name features: feature-costs=a:2,b:5 and monotone=a:+,b:-.
#pragma once

#include <cstdint>
#include <vector>

#include "base/options.h"
#include "data/schema.h"

namespace softwood {

// What it costs to know each feature, 1 where nothing is said. The improvement of a split is
// divided by it where features are compared, as rpart does with its `cost`.
std::vector<double> feature_costs(const Options& options, const Schema& schema);

// 1: the answer must not fall where the feature grows; -1: it must not rise; 0: it may do both.
// The answer is the mean or, of two classes, the share of the positive one. Empty when no feature
// is named.
std::vector<int8_t> monotone_directions(const Options& options, const Schema& schema);
// The same of what the sums of a node lead to: the mean, or the share of the second class.
std::vector<int8_t> monotone_directions_of_sums(const Options& options, const Schema& schema);

}  // namespace softwood

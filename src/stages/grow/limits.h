// When growing stops.
#pragma once

#include <limits>

#include "base/options.h"

namespace softwood::grow {

struct Limits {
  size_t max_depth, max_leaves;
  double min_split, min_leaf;

  explicit Limits(const Options& options)
      : max_depth(number_or_all(options, "max-depth")),
        max_leaves(number_or_all(options, "max-leaves")),
        min_split(options.real("min-split")),
        min_leaf(options.real("min-leaf")),
        min_decrease_(options.real("min-decrease")),
        per_row_of_all_(options.text("decrease-per") == "all-rows") {}

  // Before the first split is looked for.
  void set_root_weight(double weight) { root_weight_ = weight; }
  // Whether a split of a node of this weight improves enough.
  bool enough(double improvement, double weight) const {
    return improvement / (per_row_of_all_ ? root_weight_ : weight) >= min_decrease_;
  }

 private:
  static size_t number_or_all(const Options& options, std::string_view name) {
    return options.has_number(name) ? static_cast<size_t>(options.integer(name))
                                    : std::numeric_limits<size_t>::max();
  }

  double min_decrease_;
  bool per_row_of_all_;
  double root_weight_ = 0;
};

}  // namespace softwood::grow

// When growing stops.
#pragma once

#include <limits>

#include "base/options.h"

namespace softwood::grow {

struct Limits {
  size_t max_depth, max_leaves;
  double min_split, min_leaf, min_decrease;

  explicit Limits(const Options& options)
      : max_depth(number_or_all(options, "max-depth")),
        max_leaves(number_or_all(options, "max-leaves")),
        min_split(options.real("min-split")),
        min_leaf(options.real("min-leaf")),
        min_decrease(options.real("min-decrease")) {}

 private:
  static size_t number_or_all(const Options& options, std::string_view name) {
    return options.has_number(name) ? static_cast<size_t>(options.integer(name))
                                    : std::numeric_limits<size_t>::max();
  }
};

}  // namespace softwood::grow

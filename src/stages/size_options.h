// Limits of the size of a tree, for stages that make one.
#pragma once

#include "base/options.h"

namespace softwood {

inline OptionSpec max_depth_option() {
  return {.name = "max-depth",
          .type = OptionType::integer,
          .fallback = "none",
          .help = "most questions from the root to a leaf",
          .low = 0,
          .high = unbounded,
          .elsewhere = {"maxdepth"},
          .word = "none"};
}

inline OptionSpec max_leaves_option(std::string help) {
  return {.name = "max-leaves",
          .type = OptionType::integer,
          .fallback = "none",
          .help = std::move(help),
          .low = 1,
          .high = unbounded,
          .word = "none",
          .python = "max_leaf_nodes"};
}

}  // namespace softwood

// --class-weights, --priors and --costs: how much the classes count, and what wrong answers cost.
#pragma once

#include <string>
#include <vector>

#include "cli/arguments.h"
#include "study/train.h"

namespace softwood {

struct ClassCostOptions {
  std::vector<std::string> class_weights, priors;  // "class=number"; or class_weights "balanced"
  std::string costs;                               // a file

  void declare(Arguments& arguments);
  // What they mean for these classes; a usage Error when they do not fit them.
  ClassCosts read(const Schema& schema, const Parallel& parallel) const;
};

// A small CSV file: the first line names the answers, every other line a true class and what each
// answer costs then. Classes may be in any order; all must be there.
std::vector<double> read_costs(const std::string& path, const Schema& schema,
                               const Parallel& parallel);

}  // namespace softwood

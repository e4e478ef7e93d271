// Where the training of a new soft node begins: at the best hard split.
#pragma once

#include <optional>
#include <vector>

#include "stages/gradient/kernel.h"

namespace softwood::soft {

struct HardStart {
  size_t term = 0;
  double weight = 0, constant = 0;  // of the gate u = weight * x[term] + constant
  std::vector<double> left, right;  // what the leaves answer
};

// What a leaf answers when these shares of the rows reach it: the mean; or the logarithms of the
// class shares, with one row of each class more (two classes: the log odds of the second one).
std::vector<double> leaf_answer(gradient::Loss loss, size_t outputs,
                                const gradient::Rows<double>& rows,
                                const std::vector<double>& shares);

// The threshold on one term that leaves the least squared deviations of the target, or of the
// indicators of the classes, in two leaves, as a steep gate. Nothing when no term varies.
std::optional<HardStart> hard_start(gradient::Loss loss, size_t outputs,
                                    const gradient::Rows<double>& rows, size_t terms,
                                    const std::vector<double>& shares);

}  // namespace softwood::soft

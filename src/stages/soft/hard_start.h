// Where the training of a new soft node begins: at the best hard split.
#pragma once

#include <optional>
#include <vector>

#include "gradient/kernel.h"

namespace softwood::soft {

struct HardStart {
  double reach = 0;  // weight of the rows that reach the node
  size_t term = 0;
  double weight = 0, constant = 0;  // of the gate u = weight * x[term] + constant
  std::vector<double> left, right;  // where the leaves begin
};

// What a leaf answers when these shares of the rows reach it: the mean; or the logarithms of the
// class shares, with one row of each class more (two classes: the log odds of the second one).
std::vector<double> leaf_answer(gradient::Loss loss, size_t outputs,
                                const gradient::Rows<double>& rows,
                                const std::vector<double>& shares);
// All rows reach it.
std::vector<double> leaf_answer(gradient::Loss loss, size_t outputs,
                                const gradient::Rows<float>& rows);

// The threshold on one term that leaves the least squared deviations of the target, or of the
// indicators of the classes, in two leaves, as a gate with little slope; low values go to the left.
// As in the authors' program, leaves begin with the mean of the target, or with the shares of the
// classes as their scores (two classes: the share of the second one), not with logarithms of them.
// Nothing when no term varies.
std::optional<HardStart> hard_start(gradient::Loss loss, size_t outputs,
                                    const gradient::Rows<double>& rows, size_t terms,
                                    const std::vector<double>& shares);

}  // namespace softwood::soft

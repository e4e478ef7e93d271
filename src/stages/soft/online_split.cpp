#include "stages/soft/online_split.h"

#include <algorithm>
#include <cmath>

#include "base/math.h"

namespace softwood::soft {

using gradient::Loss;

double Split::gate(const double* x) const {
  double sum = weights.back();
  for (size_t t = 0; t + 1 < weights.size(); ++t) sum += weights[t] * x[t];
  return 1 / (1 + math::exp(-sum));
}

OnlineTraining::OnlineTraining(Loss loss, double momentum, const std::vector<double>& leaf,
                               Split start)
    : loss_(loss),
      momentum_(momentum),
      leaf_(leaf),
      split_(std::move(start)),
      last_{std::vector<double>(split_.weights.size(), 0.0),
            std::vector<double>(split_.left.size(), 0.0),
            std::vector<double>(split_.right.size(), 0.0)},
      outputs_(leaf.size()),
      errors_(leaf.size()) {}

void OnlineTraining::set_errors(double target) {
  if (loss_ == Loss::squared) {
    errors_[0] = outputs_[0] - target;
  } else if (loss_ == Loss::logistic) {
    errors_[0] = 1 / (1 + math::exp(-outputs_[0])) - target;
  } else {
    errors_ = outputs_;
    math::softmax(errors_);
    errors_[static_cast<size_t>(target)] -= 1;
  }
}

void OnlineTraining::step(const OnlineRow& row, double rate) {
  const double g = split_.gate(row.x);
  for (size_t k = 0; k < outputs_.size(); ++k) {
    outputs_[k] = row.outputs[k] + row.path * split_.change(g, k, leaf_);
  }
  set_errors(row.target);
  const double step = rate * row.path * row.weight;
  double by_gate = 0;
  for (size_t k = 0; k < outputs_.size(); ++k) {
    by_gate += errors_[k] * (split_.left[k] - split_.right[k]);
  }
  by_gate *= step * g * (1 - g);
  const size_t terms = split_.weights.size() - 1;
  const auto move = [momentum = momentum_](double& number, double& last, double by) {
    number += by + momentum * last;
    last = by;
  };
  for (size_t j = 0; j <= terms; ++j) {
    const double input = j < terms ? row.x[j] : 1;
    move(split_.weights[j], last_.weights[j], -by_gate * input);
  }
  for (size_t k = 0; k < outputs_.size(); ++k) {
    move(split_.left[k], last_.left[k], -step * errors_[k] * g);
    move(split_.right[k], last_.right[k], -step * errors_[k] * (1 - g));
  }
}

}  // namespace softwood::soft

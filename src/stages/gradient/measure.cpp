#include <algorithm>
#include <cmath>
#include <numeric>

#include "stages/gradient/kernel.h"

namespace softwood::gradient {

namespace {

// The loss of one row from its outputs, and whether the answer is wrong (numbers: squared error).
// `shares` are those of the classes where no single one is the target.
template <class Real>
void add_row(const Network& net, const std::vector<double>& out, double target, const Real* shares,
             double weight, Fit& fit) {
  if (net.loss == Loss::squared) {
    const double error = out[0] - target;
    fit.loss += weight * error * error / 2;
    fit.wrong += weight * error * error;
    return;
  }
  if (net.loss == Loss::logistic) {
    // -y log p - (1 - y) log(1 - p) for p = 1 / (1 + exp(-F)); y may lie between the classes.
    fit.loss += weight * (std::log1p(std::exp(-std::fabs(out[0]))) + std::max(out[0], 0.0) -
                          target * out[0]);
    fit.wrong += weight * ((out[0] > 0) != (target > 0.5) ? 1 : 0);
    return;
  }
  const auto own = static_cast<size_t>(target);
  const auto top = static_cast<size_t>(std::max_element(out.begin(), out.end()) - out.begin());
  fit.wrong += weight * (top != own ? 1 : 0);
  if (net.loss == Loss::softmax) {
    double sum = 0, wanted = shares == nullptr ? out[own] : 0;
    for (const double value : out) sum += std::exp(value - out[top]);
    for (size_t k = 0; shares != nullptr && k < out.size(); ++k)
      wanted += double{shares[k]} * out[k];
    fit.loss += weight * (std::log(sum) + out[top] - wanted);
  } else if (net.loss == Loss::mixed_log) {
    fit.loss -= weight * std::log(std::max(out[own], 1e-6));
  } else if (net.loss == Loss::mixed_exponential) {
    fit.loss += weight * std::exp(-4 * out[own]);
  } else {
    for (size_t k = 0; k < out.size(); ++k) {
      const double error = out[k] - (k == own ? 1 : 0);
      fit.loss += weight * error * error / 2;
    }
  }
}

}  // namespace

template <class Real>
Fit measure(const Network& net, const Real* parameters, const Rows<Real>& rows,
            std::vector<Real>* losses) {
  Kernel<Real> kernel(net);
  std::vector<uint32_t> all(rows.count);
  std::iota(all.begin(), all.end(), 0U);
  std::vector<double> out(net.outputs);
  Fit fit;
  double total = 0;
  for (size_t begin = 0; begin < rows.count; begin += block_rows) {
    const size_t count = std::min(block_rows, rows.count - begin);
    kernel.forward(parameters, rows, std::span(all).subspan(begin, count));
    for (size_t i = 0; i < count; ++i) {
      for (size_t k = 0; k < net.outputs; ++k) out[k] = kernel.output(k, i);
      const double before = fit.loss;
      const Real* const shares =
          rows.shares.empty() ? nullptr : &rows.shares[(begin + i) * net.outputs];
      add_row(net, out, rows.target[begin + i], shares, rows.weight[begin + i], fit);
      if (losses != nullptr) losses->push_back(static_cast<Real>(fit.loss - before));
      total += rows.weight[begin + i];
    }
  }
  if (total > 0) {
    fit.loss /= total;
    fit.wrong /= total;
  }
  return fit;
}

template Fit measure(const Network&, const float*, const Rows<float>&, std::vector<float>*);
template Fit measure(const Network&, const double*, const Rows<double>&, std::vector<double>*);

}  // namespace softwood::gradient

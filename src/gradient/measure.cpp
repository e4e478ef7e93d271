#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "base/math.h"
#include "gradient/kernel.h"

namespace softwood::gradient {

namespace {

// The loss of one row from its outputs, and whether the answer is wrong (regression: squared
// error). `shares` are those of the classes where no single one is the target.
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
    fit.loss += weight * (std::log1p(math::exp(-std::fabs(out[0]))) + std::max(out[0], 0.0) -
                          target * out[0]);
    fit.wrong += weight * ((out[0] > 0) != (target > 0.5) ? 1 : 0);
    return;
  }
  const auto own = static_cast<size_t>(target);
  const auto top = static_cast<size_t>(std::max_element(out.begin(), out.end()) - out.begin());
  fit.wrong += weight * (top != own ? 1 : 0);
  if (net.loss == Loss::softmax) {
    double sum = 0, wanted = shares == nullptr ? out[own] : 0;
    for (const double value : out) sum += math::exp(value - out[top]);
    for (size_t k = 0; shares != nullptr && k < out.size(); ++k)
      wanted += double{shares[k]} * out[k];
    fit.loss += weight * (math::log(sum) + out[top] - wanted);
  } else if (net.loss == Loss::mixed_log) {
    fit.loss -= weight * math::log(std::max(out[own], 1e-6));
  } else if (net.loss == Loss::mixed_exponential) {
    fit.loss += weight * math::exp(-4 * out[own]);
  } else {
    for (size_t k = 0; k < out.size(); ++k) {
      const double error = out[k] - (k == own ? 1 : 0);
      fit.loss += weight * error * error / 2;
    }
  }
}

std::vector<uint32_t> row_numbers(size_t count) {
  std::vector<uint32_t> list(count);
  std::iota(list.begin(), list.end(), 0U);
  return list;
}

// Of the leaves, from left to right: those of a subtree stand together.
std::vector<uint32_t> leaf_places(const Network& net) {
  std::vector<uint32_t> places(net.leaves), open = {0};
  uint32_t next = 0;
  while (!open.empty()) {
    const NetNode& node = net.nodes[open.back()];
    open.pop_back();
    if (node.leaf >= 0) places[static_cast<size_t>(node.leaf)] = next++;
    for (uint32_t c = node.children; c-- > 0;) open.push_back(node.first + c);
  }
  return places;
}

}  // namespace

std::string loss_text(Loss loss, double mean) {
  return loss == Loss::squared ? fmt::format("{:.4g} of the variance", 2 * mean)
                               : fmt::format("{:.4g}", mean);
}

template <class Real>
Fit measure(const Network& net, const Real* parameters, const Rows<Real>& rows,
            std::vector<Real>* losses, std::span<const uint32_t> order) {
  Kernel<Real> kernel(net);
  std::vector<uint32_t> all;
  if (order.empty()) {
    all = row_numbers(rows.count);
    order = all;
  }
  // Losses are summed in the order of the rows.
  std::vector<Real> outputs(rows.count * net.outputs);
  for (size_t begin = 0; begin < rows.count; begin += block_rows) {
    const auto chosen = order.subspan(begin, std::min(block_rows, rows.count - begin));
    kernel.forward(parameters, rows, chosen);
    for (size_t i = 0; i < chosen.size(); ++i) {
      for (size_t k = 0; k < net.outputs; ++k) {
        outputs[chosen[i] * net.outputs + k] = kernel.output(k, i);
      }
    }
  }
  return measure_outputs(net, std::span<const Real>(outputs), rows, losses);
}

template <class Real>
Fit measure_outputs(const Network& net, std::span<const Real> outputs, const Rows<Real>& rows,
                    std::vector<Real>* losses) {
  std::vector<double> out(net.outputs);
  Fit fit;
  double total = 0;
  for (size_t i = 0; i < rows.count; ++i) {
    std::copy_n(&outputs[i * net.outputs], net.outputs, out.begin());
    const double before = fit.loss;
    const Real* const shares = rows.shares.empty() ? nullptr : &rows.shares[i * net.outputs];
    add_row(net, out, rows.target[i], shares, rows.weight[i], fit);
    if (losses != nullptr) losses->push_back(static_cast<Real>(fit.loss - before));
    total += rows.weight[i];
  }
  if (total > 0) {
    fit.loss /= total;
    fit.wrong /= total;
  }
  return fit;
}

std::vector<uint32_t> by_leaf(const Network& net, const float* parameters,
                              const Rows<float>& rows) {
  std::vector<uint32_t> order = row_numbers(rows.count), place(rows.count);
  if (net.gates() < least_gates_to_skip) return order;
  const std::vector<uint32_t> places = leaf_places(net);
  Kernel<float> kernel(net);
  for (size_t begin = 0; begin < rows.count; begin += block_rows) {
    const size_t count = std::min(block_rows, rows.count - begin);
    kernel.forward(parameters, rows, std::span(order).subspan(begin, count));
    for (size_t i = 0; i < count; ++i) place[begin + i] = places[kernel.main_leaf(i)];
  }
  std::stable_sort(order.begin(), order.end(),
                   [&](uint32_t a, uint32_t b) { return place[a] < place[b]; });
  return order;
}

template Fit measure_outputs(const Network&, std::span<const float>, const Rows<float>&,
                             std::vector<float>*);
template Fit measure(const Network&, const float*, const Rows<float>&, std::vector<float>*,
                     std::span<const uint32_t>);
template Fit measure(const Network&, const double*, const Rows<double>&, std::vector<double>*,
                     std::span<const uint32_t>);

}  // namespace softwood::gradient

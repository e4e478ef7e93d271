// The backward pass of a soft tree beside a plain loop over rows and nodes.
#include <benchmark/benchmark.h>

#include <numeric>

#include "base/random.h"
#include "gradient/kernel.h"
#include "support/plain_network.h"

namespace softwood {
namespace {

using gradient::Kernel;
using gradient::Network;
using gradient::Rows;

constexpr size_t row_count = 100 * gradient::block_rows;

// The size of MAGIC: 10 inputs, a tree of depth 5, two classes.
Network network() { return gradient::full_network(5, 10, 1, false, gradient::Loss::logistic); }

template <class Real>
std::vector<Real> parameters(const Network& net) {
  Random random(1, "parameters");
  std::vector<Real> values(net.parameters());
  for (Real& value : values) value = static_cast<Real>(random.normal());
  return values;
}

template <class Real>
Rows<Real> random_rows(const Network& net) {
  Rows<Real> rows;
  rows.count = row_count;
  rows.stride = net.padded_terms();
  rows.cells.assign(row_count * rows.stride, Real(0));
  Random random(1, "rows");
  for (size_t i = 0; i < row_count; ++i) {
    for (size_t t = 0; t < net.terms; ++t) {
      rows.cells[i * rows.stride + t] = static_cast<Real>(random.normal());
    }
    rows.target.push_back(static_cast<Real>(random.below(2)));
    rows.weight.push_back(Real(1));
  }
  return rows;
}

std::vector<uint32_t> in_order() {
  std::vector<uint32_t> order(row_count);
  std::iota(order.begin(), order.end(), 0U);
  return order;
}

void count_rows(benchmark::State& state) {
  state.SetItemsProcessed(state.iterations() * static_cast<int64_t>(row_count));
}

void backward_by_kernel(benchmark::State& state) {
  const Network net = network();
  const std::vector<float> values = parameters<float>(net);
  const Rows<float> rows = random_rows<float>(net);
  const std::vector<uint32_t> order = in_order();
  std::vector<float> slopes(net.parameters(), 0.0F);
  Kernel<float> kernel(net);
  for (auto _ : state) {
    for (size_t i = 0; i < row_count; i += gradient::block_rows) {
      kernel.backward(values.data(), rows, std::span(order).subspan(i, gradient::block_rows),
                      slopes.data());
    }
  }
  count_rows(state);
}
BENCHMARK(backward_by_kernel);

void backward_by_a_plain_loop(benchmark::State& state) {
  const Network net = network();
  const std::vector<double> values = parameters<double>(net);
  const Rows<double> rows = random_rows<double>(net);
  const std::vector<uint32_t> order = in_order();
  std::vector<double> slopes(net.parameters(), 0.0);
  for (auto _ : state) test::PlainNetwork(net).backward(values, rows, order, slopes);
  count_rows(state);
}
BENCHMARK(backward_by_a_plain_loop);

}  // namespace
}  // namespace softwood

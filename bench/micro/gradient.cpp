// The backward pass of a soft tree beside a plain loop over rows and nodes.
#include <benchmark/benchmark.h>

#include <numeric>

#include "base/random.h"
#include "base/vectors.h"
#include "gradient/kernel.h"
#include "support/plain_network.h"

namespace softwood {
namespace {

using gradient::Kernel;
using gradient::Network;
using gradient::Rows;

#if defined(SOFTWOOD_HAS_AVX2_FUNCTIONS)
#define SOFTWOOD_AVX2_OR_PLAIN SOFTWOOD_AVX2
#else
#define SOFTWOOD_AVX2_OR_PLAIN
#endif

constexpr size_t row_count = 100 * gradient::block_rows;

// A tree of depth 5, two classes; MAGIC has 10 inputs.
Network network(size_t inputs = 10) {
  return gradient::full_network(5, inputs, 1, false, gradient::Loss::logistic);
}

// Multiplications and additions of one row forward and backward: scores of the gates and their
// slopes by input, and by node what gates, shares and their slopes take (gradient/pass.h).
double operations_per_row(const Network& net) {
  constexpr double per_gate = 30, per_leaf = 6;
  return static_cast<double>(4 * net.gates() * net.terms) +
         per_gate * static_cast<double>(net.gates()) + per_leaf * static_cast<double>(net.leaves);
}

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

// What the processor can do: products and sums of eight numbers at once, without waiting for
// memory or for each other. The library does not fuse them, so that all processors round alike.
SOFTWOOD_AVX2_OR_PLAIN void products_and_sums(benchmark::State& state) {
  constexpr size_t chains = 12, lanes = 8, steps = 4096;
  using Vec __attribute__((vector_size(lanes * sizeof(float)))) = float;
  Vec sums[chains] = {}, factor = 1.0F + Vec{};
  for (auto _ : state) {
    for (size_t step = 0; step < steps; ++step) {
      for (Vec& sum : sums) sum = sum * factor + factor;
    }
    benchmark::DoNotOptimize(sums);
    benchmark::DoNotOptimize(factor);
  }
  state.counters["operations"] = benchmark::Counter(2.0 * chains * lanes * steps,
                                                    benchmark::Counter::kIsIterationInvariantRate);
}
BENCHMARK(products_and_sums);

void backward_by_kernel(benchmark::State& state) {
  const Network net = network(static_cast<size_t>(state.range(0)));
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
  state.counters["operations"] =
      benchmark::Counter(operations_per_row(net) * static_cast<double>(row_count),
                         benchmark::Counter::kIsIterationInvariantRate);
}
BENCHMARK(backward_by_kernel)->ArgName("inputs")->Arg(10)->Arg(100);

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

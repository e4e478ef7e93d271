#include "explain/hybrids.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <numeric>

#include "base/random.h"
#include "explain/rows.h"

namespace softwood {
namespace {

// Rows that are answered at a time.
constexpr size_t block_rows = 16384;

// Means of the answers over the background for every coalition; coalition x outputs.
std::vector<double> coalition_means(const Hybrids& hybrids, const Table& table, RowIndex row) {
  const size_t coalitions = size_t{1} << hybrids.inputs().size();
  const size_t others = hybrids.background().rows(), outputs = hybrids.outputs();
  std::vector<double> means(coalitions * outputs, 0.0);
  const size_t at_a_time = std::max<size_t>(1, block_rows / others);
  for (size_t first = 0; first < coalitions; first += at_a_time) {
    const size_t count = std::min(at_a_time, coalitions - first);
    const std::vector<double> answers = hybrids.answers(
        table, row, count * others,
        [&](size_t p, size_t r) { return ((first + r / others) >> p & 1U) != 0; },
        [&](size_t r) { return r % others; });
    for (size_t c = 0; c < count; ++c) {
      double* const mean = &means[(first + c) * outputs];
      for (size_t i = 0; i < others * outputs; ++i) {
        mean[i % outputs] += answers[c * others * outputs + i];
      }
      for (size_t o = 0; o < outputs; ++o) mean[o] /= static_cast<double>(others);
    }
  }
  return means;
}

// What one order of the inputs says: the differences when they come in one after the other.
// `answers` are of the row with none, one, ... all inputs of its own.
void add_differences(std::span<const double> answers, std::span<const uint32_t> order,
                     size_t outputs, std::span<double> sums) {
  for (size_t step = 0; step < order.size(); ++step) {
    for (size_t o = 0; o < outputs; ++o) {
      sums[order[step] * outputs + o] +=
          answers[(step + 1) * outputs + o] - answers[step * outputs + o];
    }
  }
}

}  // namespace

std::vector<double> Hybrids::answers_of(std::vector<ColumnDraft> columns, size_t rows) const {
  const Table table =
      table_of_inputs(background_.schema(), rows, inputs_, finished(std::move(columns)));
  return quantity_.of_rows(predictor_, table, all_rows(table), Parallel(1));
}

std::vector<double> enumerated_values(const Hybrids& hybrids, const Table& table, RowIndex row) {
  const std::vector<double> means = coalition_means(hybrids, table, row);
  const size_t inputs = hybrids.inputs().size(), outputs = hybrids.outputs();
  // By the number of inputs that are there before: its factorial times that of those that come
  // after, divided by the factorial of all.
  std::vector<double> weights(inputs);
  for (size_t before = 0; before < inputs; ++before) {
    double orders = static_cast<double>(inputs);  // inputs * (inputs - 1 choose before)
    for (size_t i = 1; i <= before; ++i) {
      orders *= static_cast<double>(inputs - i) / static_cast<double>(i);
    }
    weights[before] = 1 / orders;
  }
  std::vector<double> values(inputs * outputs, 0.0);
  for (size_t p = 0; p < inputs; ++p) {
    const size_t own = size_t{1} << p;
    for (size_t coalition = 0; coalition < size_t{1} << inputs; ++coalition) {
      if ((coalition & own) != 0) continue;
      const double weight = weights[static_cast<size_t>(std::popcount(coalition))];
      for (size_t o = 0; o < outputs; ++o) {
        values[p * outputs + o] +=
            weight * (means[(coalition | own) * outputs + o] - means[coalition * outputs + o]);
      }
    }
  }
  return values;
}

SampledValues sampled_values(const Hybrids& hybrids, const Table& table, RowIndex row,
                             uint64_t seed) {
  constexpr size_t usual_pairs = 1000;
  const size_t inputs = hybrids.inputs().size(), outputs = hybrids.outputs();
  const size_t others = hybrids.background().rows();
  // Pairs of orders per background row; from two on their scatter says how sure the mean is.
  const size_t pairs = std::max<size_t>(2, (usual_pairs + others - 1) / others);
  const size_t width = inputs * outputs, steps = inputs + 1;
  SampledValues result{std::vector<double>(width, 0.0), std::vector<double>(width, 0.0)};
  for (size_t other = 0; other < others; ++other) {
    // Ranks of the inputs in each order, and the reverse of each.
    std::vector<std::vector<uint32_t>> orders, ranks;
    Random random(seed, "orders of inputs", other);
    for (size_t pair = 0; pair < pairs; ++pair) {
      std::vector<uint32_t> order(inputs);
      std::iota(order.begin(), order.end(), 0U);
      random.shuffle(order);
      orders.push_back(order);
      std::reverse(order.begin(), order.end());
      orders.push_back(order);
    }
    for (const std::vector<uint32_t>& order : orders) {
      std::vector<uint32_t>& rank = ranks.emplace_back(inputs);
      for (uint32_t step = 0; step < inputs; ++step) rank[order[step]] = step;
    }
    const std::vector<double> answers = hybrids.answers(
        table, row, orders.size() * steps,
        [&](size_t p, size_t r) { return ranks[r / steps][p] < r % steps; },
        [&](size_t) { return other; });
    std::vector<double> sum(width, 0.0), squares(width, 0.0);
    for (size_t pair = 0; pair < pairs; ++pair) {
      std::vector<double> both(width, 0.0);
      for (size_t k = 2 * pair; k < 2 * pair + 2; ++k) {
        add_differences(std::span(answers).subspan(k * steps * outputs, steps * outputs), orders[k],
                        outputs, both);
      }
      for (size_t i = 0; i < width; ++i) {
        sum[i] += both[i] / 2;
        squares[i] += both[i] * both[i] / 4;
      }
    }
    const auto count = static_cast<double>(pairs);
    for (size_t i = 0; i < width; ++i) {
      result.values[i] += sum[i] / count;
      const double variance = std::max(0.0, squares[i] - sum[i] * sum[i] / count) / (count - 1);
      result.standard_errors[i] += variance / count;
    }
  }
  for (size_t i = 0; i < width; ++i) {
    result.values[i] /= static_cast<double>(others);
    result.standard_errors[i] = std::sqrt(result.standard_errors[i]) / static_cast<double>(others);
  }
  return result;
}

}  // namespace softwood

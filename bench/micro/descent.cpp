// Rows down full trees of the same number of leaves: plain thresholds, gates over levels with two
// and with four children, and both in turn. `thresholds` is the time of plain thresholds, `speed`
// what part of their speed the other gates reach.
#include <benchmark/benchmark.h>

#include <algorithm>
#include <chrono>
#include <limits>

#include "base/random.h"
#include "tree/compiled.h"

namespace softwood {
namespace {

constexpr uint32_t columns = 10;  // of either kind
constexpr size_t levels = 8;
constexpr uint32_t depth = 10;  // of trees with two children

Table mixed_table(size_t rows) {
  Schema schema;
  schema.target = {"y", Kind::numeric, {}};
  std::vector<Column> inputs(2 * columns);
  for (uint32_t j = 0; j < inputs.size(); ++j) {
    Random random(1, "input", j);
    const bool nominal = j >= columns;
    schema.features.push_back({"x" + std::to_string(j), Kind::numeric, {}});
    if (nominal) {
      schema.features.back() = {schema.features.back().name, Kind::nominal, {}};
      for (size_t l = 0; l < levels; ++l)
        schema.features.back().levels.push_back(std::to_string(l));
      inputs[j].kind = Kind::nominal;
    }
    std::vector<int32_t> codes;
    std::vector<double> numbers;
    for (size_t i = 0; i < rows; ++i) {
      if (nominal) {
        codes.push_back(static_cast<int32_t>(random.below(levels)));
      } else {
        numbers.push_back(random.uniform());
      }
    }
    inputs[j].codes = std::move(codes);
    inputs[j].numbers = std::move(numbers);
  }
  Column target;
  target.numbers = std::vector<double>(rows, 0.0);
  return {std::move(schema), rows, std::move(inputs), std::move(target), {}};
}

enum class Gates { thresholds, two, four, mixed };

Gate random_gate(Gates gates, Random& random) {
  if (gates == Gates::thresholds || (gates == Gates::mixed && random.below(2) == 0)) {
    return threshold_gate(static_cast<uint32_t>(random.below(columns)),
                          0.25 + 0.5 * random.uniform());
  }
  const uint32_t children = gates == Gates::four ? 4 : 2;
  LevelsGate gate{columns + static_cast<uint32_t>(random.below(columns)), children, {}};
  for (uint32_t l = 0; l < levels; ++l) {
    gate.child_of_level.push_back(static_cast<int32_t>(l % children));
  }
  random.shuffle(gate.child_of_level);
  return gate;
}

Tree full_tree(Gates gates) {
  Random random(1, "tree");
  Tree tree(Task::regression, 0);
  const size_t leaves = size_t{1} << depth;
  for (NodeIndex i = 0; tree.size() - i < leaves; ++i)
    tree.split(i, random_gate(gates, random), {});
  return tree;
}

double best_seconds(const Compiled& compiled, const Table& table, std::span<const RowIndex> rows) {
  std::vector<NodeIndex> nodes(rows.size());
  double best = std::numeric_limits<double>::infinity();
  for (int i = 0; i < 10; ++i) {
    const auto start = std::chrono::steady_clock::now();
    compiled.end_nodes(table, rows, nodes);
    const std::chrono::duration<double> took = std::chrono::steady_clock::now() - start;
    best = std::min(best, took.count());
  }
  return best;
}

void descend_gates(benchmark::State& state, Gates gates) {
  const Table table = mixed_table(static_cast<size_t>(state.range(0)));
  const std::vector<RowIndex> rows = all_rows(table);
  const Tree plain = full_tree(Gates::thresholds), tree = full_tree(gates);
  const Compiled thresholds(plain), compiled(tree);
  std::vector<NodeIndex> nodes(rows.size());
  for (auto _ : state) {
    compiled.end_nodes(table, rows, nodes);
    benchmark::DoNotOptimize(nodes.data());
  }
  state.SetItemsProcessed(state.iterations() * state.range(0));
  const double of_thresholds = best_seconds(thresholds, table, rows);
  state.counters["thresholds"] = benchmark::Counter(of_thresholds);
  state.counters["speed"] = of_thresholds / best_seconds(compiled, table, rows);
}
BENCHMARK_CAPTURE(descend_gates, two_children, Gates::two)->Arg(100'000)->Arg(1'000'000);
BENCHMARK_CAPTURE(descend_gates, four_children, Gates::four)->Arg(100'000)->Arg(1'000'000);
BENCHMARK_CAPTURE(descend_gates, with_thresholds, Gates::mixed)->Arg(100'000)->Arg(1'000'000);

}  // namespace
}  // namespace softwood

// The parts that take most of the time of growing and predicting.
#include <benchmark/benchmark.h>

#include <algorithm>
#include <numeric>

#include "base/random.h"
#include "data/sorted.h"
#include "stages/grow/rows.h"
#include "stages/grow/split.h"
#include "stages/recipe.h"
#include "stats/split_search.h"
#include "tree/compiled.h"

namespace softwood {
namespace {

constexpr size_t columns = 20;

Table random_table(size_t rows) {
  Schema schema;
  schema.target = {"class", Kind::nominal, {"a", "b"}};
  std::vector<ColumnDraft> inputs(columns);
  for (size_t j = 0; j < columns; ++j) {
    schema.features.push_back({"x" + std::to_string(j), Kind::numeric, {}});
    Random random(1, "input", j);
    inputs[j].numbers.resize(rows);
    for (double& value : inputs[j].numbers) value = random.uniform();
  }
  Random random(1, "class");
  ColumnDraft target(Kind::nominal);
  target.codes.resize(rows);
  for (size_t i = 0; i < rows; ++i) {
    const bool upper = inputs[0].numbers[i] + inputs[1].numbers[i] * inputs[2].numbers[i] > 0.7;
    target.codes[i] = upper != (random.uniform() < 0.1) ? 1 : 0;
  }
  return Table(std::move(schema), rows, finished(std::move(inputs)), std::move(target), {});
}

void count_rows(benchmark::State& state) {
  state.SetItemsProcessed(state.iterations() * state.range(0));
}

void sort_one_column(benchmark::State& state) {
  const Table table = random_table(static_cast<size_t>(state.range(0)));
  SortSpace space;
  for (auto _ : state) benchmark::DoNotOptimize(sort_column(table.input(0), space));
  count_rows(state);
}
BENCHMARK(sort_one_column)->RangeMultiplier(10)->Range(10'000, 1'000'000);

void scan_one_column(benchmark::State& state) {
  const Table table = random_table(static_cast<size_t>(state.range(0)));
  const std::vector<RowIndex> rows = all_rows(table);
  const grow::Target target = grow::make_target(table, rows);
  std::vector<double> node(2);
  for (const int32_t code : table.target().codes) ++node[static_cast<size_t>(code)];
  const auto gini = std::find_if(stats::criteria().begin(), stats::criteria().end(),
                                 [](const stats::Criterion& c) { return c.name == "gini"; });
  const auto search = gini->make(target);
  Derived derived(table);
  const grow::RowLists lists(derived, false, rows, target, false, Parallel(1), {});
  const auto count = static_cast<uint32_t>(rows.size());
  const auto known = lists.known({0, count}, {0, count});
  grow::Scratch scratch;
  for (auto _ : state) {
    benchmark::DoNotOptimize(search->best_threshold(node, known, {}, 1, 0, scratch));
  }
  count_rows(state);
}
BENCHMARK(scan_one_column)->RangeMultiplier(10)->Range(10'000, 1'000'000);

// Half of the rows, chosen at random, go to either side.
void divide_one_list(benchmark::State& state) {
  const Table table = random_table(static_cast<size_t>(state.range(0)));
  const std::vector<RowIndex> rows = all_rows(table);
  Derived derived(table);
  const grow::Target target = grow::make_target(table, rows);
  grow::RowLists lists(derived, false, rows, target, false, Parallel(1), {});
  Random random(1, "side");
  uint32_t left = 0;
  for (const RowIndex slot : rows) {
    const uint32_t child = random.uniform() < 0.5 ? 0 : 1;
    lists.set_child(slot, child, true);
    left += 1 - child;
  }
  const auto count = static_cast<uint32_t>(rows.size());
  const std::vector<grow::Range> parts = {{0, left}, {left, count}};
  std::vector<uint32_t> buffer, bits, known(2);
  const grow::Sides sides = lists.sides({0, count}, bits);
  uint32_t feature = 0;
  for (auto _ : state) {
    lists.divide_list({0, count}, {feature, count}, parts, sides, buffer, known);
    feature = (feature + 1) % columns;
  }
  count_rows(state);
}
// So many iterations as there are columns: no list is divided twice.
BENCHMARK(divide_one_list)->RangeMultiplier(10)->Range(10'000, 1'000'000)->Iterations(columns);

void descend(benchmark::State& state) {
  const Table table = random_table(static_cast<size_t>(state.range(0)));
  const std::vector<RowIndex> rows = all_rows(table);
  Derived derived(table);
  const Recipe recipe = Recipe::parse("grow max-depth=10");
  const Tree tree = run_recipe(recipe, {derived, rows, {}, 1}, Parallel(2), Control{}).tree;
  const Compiled compiled(tree);
  std::vector<NodeIndex> nodes(rows.size());
  for (auto _ : state) {
    compiled.end_nodes(table, rows, nodes);
    benchmark::DoNotOptimize(nodes.data());
  }
  count_rows(state);
}
BENCHMARK(descend)->RangeMultiplier(10)->Range(10'000, 1'000'000);

}  // namespace
}  // namespace softwood

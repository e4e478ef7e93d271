#include "use/permutation.h"

#include <algorithm>
#include <bit>
#include <cmath>

#include "base/random.h"
#include "tree/costs.h"
#include "use/evaluate.h"

namespace softwood {
namespace {

// Row numbers in an order that is random for each key, yet the same wherever a row stands: by a
// hash of the values of its inputs and of the target. Rows that are equal may stand in any order.
std::vector<RowIndex> shuffled_rows(const Table& table, uint64_t key) {
  std::vector<uint64_t> hashes(table.rows(), mix64(key));
  const auto add = [&](const Column& column) {
    for (size_t row = 0; row < table.rows(); ++row) {
      hashes[row] = mix64(hashes[row] ^ std::bit_cast<uint64_t>(column.value(row)));
    }
  };
  for (size_t f = 0; f < table.features(); ++f) add(table.input(f));
  add(table.target());
  std::vector<RowIndex> order = all_rows(table);
  std::sort(order.begin(), order.end(),
            [&](RowIndex a, RowIndex b) { return hashes[a] < hashes[b]; });
  return order;
}

// The column with the cell of row to[i] in row from[i].
Column rearranged(const Column& column, std::span<const RowIndex> from,
                  std::span<const RowIndex> to) {
  ColumnDraft draft(column);
  for (size_t i = 0; i < from.size(); ++i) {
    if (column.kind == Kind::numeric) {
      draft.numbers[from[i]] = column.numbers[to[i]];
    } else {
      draft.codes[from[i]] = column.codes[to[i]];
    }
  }
  return draft;
}

Table with_input(const Table& table, size_t input, Column column) {
  std::vector<Column> inputs;
  inputs.reserve(table.features());
  for (size_t f = 0; f < table.features(); ++f) inputs.push_back(table.input(f));
  inputs[input] = std::move(column);
  return {table.schema(), table.rows(), std::move(inputs), table.target(), table.weights()};
}

double loss_of(const Predictor& predictor, const Tree& tree, const Table& table,
               std::span<const RowIndex> rows, std::span<const double> costs,
               const Parallel& parallel) {
  Predictions predictions{rows.size(), tree.answer_width(), {}, tree.costs()};
  predictions.answers.resize(rows.size() * tree.answer_width());
  predictor.answers(table, rows, predictions.answers, parallel);
  const Evaluation evaluation = evaluate(predictions, table, rows, 0, {}, costs);
  if (evaluation.task == Task::regression) return evaluation.mse;
  return std::isnan(evaluation.cost) ? evaluation.error : evaluation.cost / evaluation.weight;
}

}  // namespace

std::vector<InputImportance> permutation_importance(const Tree& tree, const Table& table,
                                                    size_t repeats, uint64_t seed,
                                                    const Parallel& parallel,
                                                    std::span<const double> costs) {
  const std::vector<RowIndex> rows = all_rows(table);
  const std::vector<bool> used = features_used(tree, table.features());
  const Predictor predictor(tree);
  const double before = loss_of(predictor, tree, table, rows, costs, parallel);
  std::vector<InputImportance> result;
  for (size_t f = 0; f < table.features(); ++f) {
    InputImportance& input = result.emplace_back();
    input.name = table.schema().features[f].name;
    if (!used[f]) continue;
    double sum = 0, squares = 0;
    for (size_t repeat = 0; repeat < repeats; ++repeat) {
      Random keys(seed, "permutation " + input.name, repeat);
      const std::vector<RowIndex> from = shuffled_rows(table, keys.next());
      const std::vector<RowIndex> to = shuffled_rows(table, keys.next());
      const Table shuffled = with_input(table, f, rearranged(table.input(f), from, to));
      const double loss = loss_of(predictor, tree, shuffled, rows, costs, parallel) - before;
      sum += loss;
      squares += loss * loss;
    }
    const auto count = static_cast<double>(repeats);
    input.mean = sum / count;
    input.sd =
        repeats > 1 ? std::sqrt(std::max(0.0, squares - sum * sum / count) / (count - 1)) : 0;
  }
  return result;
}

}  // namespace softwood

#include "use/permutation.h"

#include <algorithm>
#include <cmath>

#include "base/random.h"
#include "data/content.h"
#include "tree/costs.h"
#include "use/evaluate.h"

namespace softwood {
namespace {

// The shuffled input of `row` is that of `from`, for this weight.
struct Exchange {
  RowIndex row, from;
  double weight;
};

// Rows and their shuffled values lie along two lines, each as long as its weight: copies of a row
// and a row with their weight get the same values.
std::vector<Exchange> exchanges(const Table& table, std::span<const RowIndex> rows, Random& keys) {
  const std::vector<uint32_t> to = shuffled_by_content(table, rows, keys.next());
  const std::vector<uint32_t> from = shuffled_by_content(table, rows, keys.next());
  std::vector<Exchange> result;
  result.reserve(rows.size());
  size_t t = 0, f = 0;
  double to_left = 0, from_left = 0;
  while (true) {
    for (; t < rows.size() && !(to_left > 0); ++t) to_left = table.weight(to[t]);
    for (; f < rows.size() && !(from_left > 0); ++f) from_left = table.weight(from[f]);
    const double weight = std::min(to_left, from_left);
    if (!(weight > 0)) return result;
    result.push_back({to[t - 1], from[f - 1], weight});
    to_left -= weight;
    from_left -= weight;
  }
}

// With the cells of these rows.
Column taken(const Column& column, size_t rows, const auto& row_of) {
  ColumnDraft draft(column.kind);
  for (size_t i = 0; i < rows; ++i) {
    if (column.kind == Kind::numeric) {
      draft.numbers.push_back(column.numbers[row_of(i)]);
    } else {
      draft.codes.push_back(column.codes[row_of(i)]);
    }
  }
  return draft;
}

// The rows with one input shuffled. Inputs that the tree does not use are left missing.
Table shuffled(const Table& table, size_t input, const std::vector<bool>& used,
               const std::vector<Exchange>& exchanges) {
  const size_t rows = exchanges.size();
  const auto own = [&](size_t i) { return exchanges[i].row; };
  const auto other = [&](size_t i) { return exchanges[i].from; };
  const Column no_numbers{Kind::numeric, std::vector<double>(rows, missing_number), {}, rows};
  const Cells<int32_t> no_codes = std::vector<int32_t>(rows, missing_code);
  std::vector<Column> inputs;
  inputs.reserve(table.features());
  for (size_t f = 0; f < table.features(); ++f) {
    const Column& column = table.input(f);
    if (f == input) {
      inputs.push_back(taken(column, rows, other));
    } else if (used[f]) {
      inputs.push_back(taken(column, rows, own));
    } else if (column.kind == Kind::numeric) {
      inputs.push_back(no_numbers);
    } else {
      inputs.push_back({column.kind, {}, no_codes, rows});
    }
  }
  std::vector<double> weights;
  for (const Exchange& exchange : exchanges) weights.push_back(exchange.weight);
  return {table.schema(), rows, std::move(inputs), taken(table.target(), rows, own),
          std::move(weights)};
}

double loss_of(const Predictor& predictor, const Tree& tree, const Table& table,
               std::span<const double> costs, const Parallel& parallel) {
  const std::vector<RowIndex> rows = all_rows(table);
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
                                                    std::span<const double> costs,
                                                    const Control& control) {
  const std::vector<RowIndex> rows = all_rows(table);
  const std::vector<bool> used = features_used(tree, table.features());
  const Predictor predictor(tree);
  const double before = loss_of(predictor, tree, table, costs, parallel);
  std::vector<InputImportance> result;
  for (size_t f = 0; f < table.features(); ++f) {
    InputImportance& input = result.emplace_back();
    input.name = table.schema().features[f].name;
    if (!used[f]) continue;
    double sum = 0, squares = 0;
    for (size_t repeat = 0; repeat < repeats; ++repeat) {
      control.throw_if_interrupted();
      Random keys(seed, "permutation " + input.name, repeat);
      const Table other = shuffled(table, f, used, exchanges(table, rows, keys));
      const double loss = loss_of(predictor, tree, other, costs, parallel) - before;
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

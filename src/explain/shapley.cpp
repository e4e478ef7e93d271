#include "explain/shapley.h"

#include <algorithm>
#include <mutex>
#include <optional>

#include "explain/end_tables.h"
#include "explain/hybrids.h"
#include "explain/product_game.h"
#include "explain/rows.h"
#include "lower/condition.h"
#include "softwood/error.h"

namespace softwood {
namespace {

constexpr size_t lanes = ProductGame::lanes;

// Weights of all edges for many rows: blocks of `lanes` rows, the last one filled up with its last.
std::vector<std::vector<double>> weight_blocks(const PathTree& paths, const Table& table) {
  std::vector<std::vector<double>> blocks((table.rows() + lanes - 1) / lanes);
  for (size_t b = 0; b < blocks.size(); ++b) {
    blocks[b].resize(paths.edges().size() * lanes);
    for (size_t l = 0; l < lanes; ++l) {
      const size_t row = std::min(b * lanes + l, table.rows() - 1);
      paths.row_weights(table, static_cast<RowIndex>(row), blocks[b].data(), l, lanes);
    }
  }
  return blocks;
}

// Counts rows that are done, for the progress.
class Steps {
 public:
  Steps(size_t all, const Control& control) : all_(all), control_(control) {}
  void done(size_t rows) {
    control_.throw_if_interrupted();
    const std::lock_guard lock(mutex_);
    done_ += rows;
    control_.report("explaining", static_cast<double>(done_), static_cast<double>(all_));
  }

 private:
  size_t all_, done_ = 0;
  const Control& control_;
  std::mutex mutex_;
};

class Explainer {
 public:
  Explainer(const Table& table, std::span<const RowIndex> rows, Explanation& result)
      : table_(table),
        rows_(rows),
        result_(result),
        inputs_(result.feature_names.size()),
        outputs_(result.outputs.size()) {}

  void by_paths(const PathTree& paths, const Parallel& parallel, Steps& steps) {
    result_.base_values = paths.base();
    std::vector<double> training(paths.edges().size() * lanes);
    for (size_t l = 0; l < lanes; ++l) paths.training_weights(training.data(), l, lanes);
    constexpr size_t block_rows = 256;
    const Blocks blocks{rows_.size(), block_rows};
    // Tables that stay in the cache, and are made sooner than the rows are explained without.
    constexpr size_t most_numbers = size_t{1} << 16, numbers_per_row = 32;
    const std::optional<EndTables> tables =
        EndTables::make(paths, std::min(most_numbers, numbers_per_row * rows_.size()));
    parallel.each(blocks.blocks(), [&](size_t b) {
      if (tables && by_tables(paths, *tables, blocks.begin(b), blocks.end(b))) {
        steps.done(blocks.end(b) - blocks.begin(b));
        return;
      }
      ProductGame game(paths);
      std::vector<double> own(training.size());
      for (size_t i = blocks.begin(b); i < blocks.end(b); i += lanes) {
        const size_t count = std::min(lanes, blocks.end(b) - i);
        for (size_t l = 0; l < lanes; ++l) {
          paths.row_weights(table_, rows_[i + std::min(l, count - 1)], own.data(), l, lanes);
        }
        const std::span<const double> values = game.values(own.data(), training.data());
        for (size_t l = 0; l < count; ++l) {
          for (size_t v = 0; v < values.size() / lanes; ++v) {
            *value(i + l, paths.inputs(), v) = values[v * lanes + l];
          }
        }
      }
      steps.done(blocks.end(b) - blocks.begin(b));
    });
  }

  // False: a condition divides a row.
  bool by_tables(const PathTree& paths, const EndTables& tables, size_t begin, size_t end) {
    const size_t count = end - begin;
    std::vector<uint16_t> passes(paths.edges().size() * count);
    if (!paths.passes(table_, rows_.subspan(begin, count), passes.data())) return false;
    std::vector<double> values(paths.inputs().size() * outputs_ * count);
    tables.values(count, passes.data(), values.data());
    for (size_t v = 0; v < values.size() / count; ++v) {
      for (size_t i = 0; i < count; ++i) {
        *value(begin + i, paths.inputs(), v) = values[v * count + i];
      }
    }
    return true;
  }

  // The same games, one for every background row.
  void by_paths(const PathTree& paths, const Table& background, const Parallel& parallel,
                Steps& steps) {
    const std::vector<std::vector<double>> others = weight_blocks(paths, background);
    const auto count = static_cast<double>(background.rows());
    parallel.each(rows_.size(), [&](size_t i) {
      ProductGame game(paths);
      std::vector<double> own(paths.edges().size() * lanes);
      for (size_t l = 0; l < lanes; ++l) paths.row_weights(table_, rows_[i], own.data(), l, lanes);
      for (size_t b = 0; b < others.size(); ++b) {
        const std::span<const double> values = game.values(own.data(), others[b].data());
        const size_t used = std::min(lanes, background.rows() - b * lanes);
        for (size_t v = 0; v < values.size() / lanes; ++v) {
          for (size_t l = 0; l < used; ++l) {
            *value(i, paths.inputs(), v) += values[v * lanes + l] / count;
          }
        }
      }
      steps.done(1);
    });
  }

  void by_coalitions(const Hybrids& hybrids, uint64_t seed, const Parallel& parallel,
                     Steps& steps) {
    const bool sampled = hybrids.inputs().size() > most_enumerated_inputs;
    if (sampled) result_.standard_errors.resize(result_.values.size());
    parallel.each(rows_.size(), [&](size_t i) {
      if (sampled) {
        const SampledValues one = sampled_values(hybrids, table_, rows_[i], seed);
        for (size_t v = 0; v < one.values.size(); ++v) {
          double* const to = value(i, hybrids.inputs(), v);
          *to = one.values[v];
          result_.standard_errors[static_cast<size_t>(to - result_.values.data())] =
              one.standard_errors[v];
        }
      } else {
        const std::vector<double> one = enumerated_values(hybrids, table_, rows_[i]);
        for (size_t v = 0; v < one.size(); ++v) *value(i, hybrids.inputs(), v) = one[v];
      }
      steps.done(1);
    });
  }

 private:
  // Where number v (inputs x outputs) of row i goes.
  double* value(size_t i, const std::vector<uint32_t>& inputs, size_t v) {
    return &result_.values[(i * inputs_ + inputs[v / outputs_]) * outputs_ + v % outputs_];
  }

  const Table& table_;
  std::span<const RowIndex> rows_;
  Explanation& result_;
  size_t inputs_, outputs_;
};

std::vector<double> mean_over(const Quantity& quantity, const Predictor& predictor,
                              const Table& table) {
  const std::vector<double> all = quantity.of_rows(predictor, table, all_rows(table), Parallel(1));
  std::vector<double> means(quantity.outputs(), 0.0);
  for (size_t i = 0; i < all.size(); ++i) means[i % means.size()] += all[i];
  for (double& mean : means) mean /= static_cast<double>(table.rows());
  return means;
}

}  // namespace

std::vector<uint32_t> inputs_in_use(const LoweredTree& tree) {
  std::vector<bool> used(tree.inputs.size(), false);
  const auto mark = [&](const std::vector<uint32_t>& inputs) {
    for (const uint32_t input : inputs) used[input] = true;
  };
  for (const LoweredNode& node : tree.nodes) {
    if (node.formula) mark(term_inputs(node.formula->terms));
    if (node.is_leaf()) continue;
    mark(condition_inputs(node.split->condition));
    for (const LoweredSurrogate& surrogate : node.split->missing.surrogates) {
      mark(condition_inputs(surrogate.condition));
    }
  }
  std::vector<uint32_t> inputs;
  for (uint32_t f = 0; f < used.size(); ++f) {
    if (used[f]) inputs.push_back(f);
  }
  return inputs;
}

Explanation explain_rows(const ExplainedTree& tree, const Table& table,
                         std::span<const RowIndex> rows, const Table* background,
                         const ExplainSettings& settings, const Parallel& parallel,
                         const Control& control) {
  const Quantity quantity(tree.lowered, settings.scale);
  Explanation result;
  for (const LoweredInput& input : tree.lowered.inputs) result.feature_names.push_back(input.name);
  result.outputs = quantity.names();
  result.scale = quantity.scale();
  result.rows = rows.size();
  result.values.resize(rows.size() * result.feature_names.size() * result.outputs.size());
  result.answers = quantity.of_rows(tree.predictor, table, rows, parallel);

  const StoppableWork stoppable(control);
  Explainer explainer(table, rows, result);
  Steps steps(rows.size(), control);
  const std::optional<PathTree> paths = PathTree::make(tree.lowered, quantity);
  if (paths && background == nullptr) {
    explainer.by_paths(*paths, parallel, steps);
    return result;
  }
  std::optional<Table> chosen;
  if (background == nullptr) {
    background = &chosen.emplace(
        background_of(table, settings.background_rows, inputs_in_use(tree.lowered)));
  }
  if (background->rows() == 0) {
    throw Error(ErrorKind::data, "there are no background rows", {},
                "explanations of this tree compare rows with others");
  }
  result.method = ExplainMethod::interventional;
  result.background_rows = background->rows();
  result.base_values = mean_over(quantity, tree.predictor, *background);
  if (paths) {
    explainer.by_paths(*paths, *background, parallel, steps);
  } else {
    const Hybrids hybrids(tree.predictor, quantity, *background, inputs_in_use(tree.lowered));
    explainer.by_coalitions(hybrids, settings.seed, parallel, steps);
  }
  return result;
}

}  // namespace softwood

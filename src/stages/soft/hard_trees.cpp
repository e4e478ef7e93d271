#include "stages/soft/hard_trees.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/random.h"
#include "softwood/error.h"
#include "stages/recipe.h"
#include "stages/soft/constants.h"
#include "use/predict.h"

namespace softwood::soft {

namespace {

std::vector<RowIndex> own_rows(const Derived& derived, std::span<const Sample> samples) {
  std::vector<RowIndex> rows;
  for (const Sample& sample : samples) {
    if (sample.table == &derived.table()) {
      rows.insert(rows.end(), sample.rows.begin(), sample.rows.end());
    }
  }
  std::sort(rows.begin(), rows.end());
  return rows;
}

// Fewer where each takes long.
size_t random_trees(size_t cells) {
  return std::clamp(Constants::random_tree_cells / std::max<size_t>(1, cells),
                    Constants::least_random_trees, Constants::most_random_trees);
}

}  // namespace

// A recipe is how one stage asks for another: no stage knows what another is made of, and the table
// of stages has the defaults of all options that are not named here.
Tree greedy_tree(Derived& derived, std::span<const Sample> samples, size_t leaves,
                 const Parallel& parallel, const Control& control) {
  const std::vector<RowIndex> rows = own_rows(derived, samples);
  const Recipe recipe = Recipe::parse(
      fmt::format("grow max-leaves={} min-leaf={}", leaves, Constants::greedy_min_leaf));
  Tree tree = run_recipe(recipe, {derived, rows, std::nullopt}, parallel, control).tree;
  tree.canonicalise();
  return tree;
}

std::vector<double> answers_of_random_trees(Derived& derived, std::span<const Sample> samples,
                                            std::span<const Sample> asked, uint64_t seed,
                                            const Parallel& parallel, const Control& control) try {
  const std::vector<RowIndex> rows = own_rows(derived, samples);
  const Table& table = derived.table();
  const size_t trees = random_trees(rows.size() * (table.features() + table.schema().classes()));
  // Answers are kept until they are added, in order.
  const auto together = static_cast<size_t>(std::max(1, parallel.threads()));
  const Recipe recipe =
      Recipe::parse(fmt::format("grow split=random min-split={}", Constants::random_min_split));
  const Parallel alone;
  std::vector<double> mean;
  for (size_t first = 0; first < trees; first += together) {
    std::vector<std::vector<double>> answers(std::min(together, trees - first));
    if (control.should_stop()) return {};
    parallel.each(answers.size(), [&](size_t i) {
      const Training training{derived, rows, std::nullopt, mix64(seed ^ mix64(first + i))};
      const Tree tree = run_recipe(recipe, training, alone, control).tree;
      for (const Sample& sample : asked) {
        const Predictions own = predict(tree, *sample.table, sample.rows, alone);
        answers[i].insert(answers[i].end(), own.answers.begin(), own.answers.end());
      }
    });
    for (const std::vector<double>& own : answers) {
      mean.resize(own.size(), 0.0);
      for (size_t k = 0; k < own.size(); ++k) mean[k] += own[k] / static_cast<double>(trees);
    }
  }
  return mean;
} catch (const Error& error) {
  if (error.kind() != ErrorKind::interrupted) throw;
  return {};
}

}  // namespace softwood::soft

#include "study/stability.h"

#include <algorithm>
#include <cmath>
#include <mutex>

#include "base/random.h"
#include "data/content.h"
#include "data/draw.h"
#include "data/folds.h"
#include "data/sorted.h"
#include "lower/condition.h"
#include "study/cv.h"
#include "study/lowered.h"
#include "use/predict.h"

namespace softwood {
namespace {

const double* cut_of(const LoweredSplit& split) {
  const auto* const score = std::get_if<LoweredScore>(&split.condition);
  return score != nullptr && is_threshold(*score) ? &score->cut : nullptr;
}

// Whether the first child of the one split is rather the second of the other.
bool is_flipped(const LoweredSplit& one, const LoweredSplit& other) {
  const auto* const first = std::get_if<LoweredLevels>(&one.condition);
  const auto* const second = std::get_if<LoweredLevels>(&other.condition);
  if (first == nullptr || second == nullptr || first->children != 2) return false;
  size_t same = 0, different = 0;
  for (size_t l = 0; l < first->child_of_level.size(); ++l) {
    const int32_t a = first->child_of_level[l], b = second->child_of_level[l];
    if (a >= 0 && b >= 0) ++(a == b ? same : different);
  }
  return different > same;
}

// The folds in which a recipe prunes, 0: it does not cross-validate.
size_t pruning_folds(const Recipe& recipe) {
  for (const Step& step : recipe.steps()) {
    if (step.stage->name == "prune") return step.options.count("folds");
  }
  return 0;
}

// Copies of a row stand in one fold: a row that a tree was grown on says nothing of its error.
std::vector<Run> runs_of(std::span<const RowIndex> drawn, std::span<const uint32_t> fold_of,
                         size_t folds) {
  std::vector<Run> runs(folds);
  for (size_t fold = 0; fold < folds; ++fold) {
    for (RowIndex i = 0; i < drawn.size(); ++i) {
      (fold_of[drawn[i]] == fold ? runs[fold].test : runs[fold].train).push_back(i);
    }
  }
  std::erase_if(runs, [](const Run& run) { return run.test.empty() || run.train.empty(); });
  return runs;
}

// What the trees of all samples say of each node.
class Comparison {
 public:
  explicit Comparison(const LoweredTree& tree)
      : tree_(tree),
        same_place_(tree.nodes.size()),
        anywhere_(same_place_),
        cuts_(same_place_.size()) {}

  void add(const LoweredTree& other) {
    descend(other);
    for (size_t i = 0; i < tree_.nodes.size(); ++i) {
      if (tree_.nodes[i].is_leaf()) continue;
      const auto inputs = condition_inputs(tree_.nodes[i].split->condition);
      anywhere_[i] += std::any_of(other.nodes.begin(), other.nodes.end(), [&](const auto& node) {
        return node.split && condition_inputs(node.split->condition) == inputs;
      });
    }
  }

  std::vector<SplitStability> splits(size_t samples) {
    std::vector<SplitStability> all;
    for (uint32_t i = 0; i < tree_.nodes.size(); ++i) {
      if (tree_.nodes[i].is_leaf()) continue;
      SplitStability& split = all.emplace_back();
      split.node = i;
      split.same_place = static_cast<double>(same_place_[i]) / static_cast<double>(samples);
      split.anywhere = static_cast<double>(anywhere_[i]) / static_cast<double>(samples);
      std::vector<double>& cuts = cuts_[i];
      if (cuts.empty()) continue;
      std::sort(cuts.begin(), cuts.end());
      split.cut_low = cuts[(cuts.size() - 1) / 20];
      split.cut_high = cuts[cuts.size() - 1 - (cuts.size() - 1) / 20];
    }
    return all;
  }

 private:
  // Both trees from the root on, as far as they ask the same.
  void descend(const LoweredTree& other) {
    std::vector<std::pair<uint32_t, uint32_t>> open{{0, 0}};  // node here, its place in the other
    while (!open.empty()) {
      const auto [node, place] = open.back();
      open.pop_back();
      if (tree_.nodes[node].is_leaf() || other.nodes[place].is_leaf()) continue;
      const LoweredSplit& own = *tree_.nodes[node].split;
      const LoweredSplit& theirs = *other.nodes[place].split;
      if (condition_inputs(own.condition) != condition_inputs(theirs.condition)) continue;
      ++same_place_[node];
      if (cut_of(own) != nullptr && cut_of(theirs) != nullptr) {
        cuts_[node].push_back(*cut_of(theirs));
      }
      if (own.children != theirs.children) continue;
      const bool flipped = is_flipped(own, theirs);
      for (uint32_t c = 0; c < own.children; ++c) {
        const uint32_t twin = flipped && c < 2 ? 1 - c : c;
        open.emplace_back(own.first_child + c, theirs.first_child + twin);
      }
    }
  }

  const LoweredTree& tree_;
  std::vector<size_t> same_place_, anywhere_;
  std::vector<std::vector<double>> cuts_;
};

double target_deviation(const Table& table, double weight) {
  const Cells<double>& y = table.target().numbers;
  double sum = 0, squares = 0;
  for (RowIndex row = 0; row < table.rows(); ++row) sum += table.weight(row) * y[row];
  for (RowIndex row = 0; row < table.rows(); ++row) {
    squares += table.weight(row) * std::pow(y[row] - sum / weight, 2);
  }
  return std::sqrt(squares / std::max(weight - 1, weight / 2));
}

// Draws with replacement, each row as often as it weighs: a weight counts rows.
class BootstrapDraws {
 public:
  // `order`: the rows by content, so that draws do not depend on where they stand.
  BootstrapDraws(const Table& table, std::vector<uint32_t> order) : order_(std::move(order)) {
    for (const uint32_t row : order_) {
      whole_ = whole_ && table.weight(row) == std::floor(table.weight(row));
      until_.push_back((until_.empty() ? 0 : until_.back()) + table.weight(row));
    }
    constexpr double most_times = 10;  // as many as rows, or memory would not do
    const double most = most_times * static_cast<double>(order_.size());
    count_ = static_cast<size_t>(std::clamp(std::round(total()), 1.0, most));
  }

  double total() const { return until_.back(); }
  double weight_of_each() const {
    return std::round(total()) == static_cast<double>(count_)
               ? 1
               : total() / static_cast<double>(count_);
  }
  std::vector<RowIndex> draw(Random& random) const {
    std::vector<RowIndex> drawn(count_);
    for (RowIndex& row : drawn) {
      const double at = whole_ && total() < 9e15
                            ? static_cast<double>(random.below(static_cast<uint64_t>(total())))
                            : random.uniform() * total();
      const auto place = std::upper_bound(until_.begin(), until_.end(), at) - until_.begin();
      row = order_[std::min(static_cast<size_t>(place), order_.size() - 1)];
    }
    return drawn;
  }

 private:
  std::vector<uint32_t> order_;
  std::vector<double> until_;  // weight of the rows up to each
  bool whole_ = true;
  size_t count_ = 0;
};

}  // namespace

Stability bootstrap_stability(const Table& table, const TrainRequest& request, size_t samples,
                              const Parallel& parallel, const Control& control) {
  const std::vector<RowIndex> rows = all_rows(table);
  std::vector<uint32_t> order = content_order(table, rows, parallel, control);
  for (uint32_t& position : order) position &= ~new_value_mark;
  const BootstrapDraws draws(table, std::move(order));
  Stability result;
  const Model model = train(table, request, parallel, control.silent()).model;
  result.tree = lowered_with_recipe(model);
  result.samples = samples;
  const bool classify = table.schema().task() == Task::classification;
  const Predictions own = predict(model.tree, table, rows, parallel);

  const size_t folds = std::min(pruning_folds(request.recipe), rows.size());
  std::vector<uint32_t> fold_of;
  if (folds > 1) fold_of = stratified_folds(table, rows, folds, request.seed);
  std::vector<LoweredTree> trees(samples);
  std::vector<double> agreements(samples), squares(samples);
  std::mutex mutex;
  size_t done = 0;
  parallel.each(samples, [&](size_t s) {
    Random random(request.seed, "bootstrap sample", s);
    const std::vector<RowIndex> drawn = draws.draw(random);
    TrainRequest own_request = request;
    if (folds > 1) own_request.runs = runs_of(drawn, fold_of, folds);
    const Model sample = train(drawn_rows(table, drawn, draws.weight_of_each()), own_request,
                               Parallel(1), control.silent())
                             .model;
    control.throw_if_interrupted();
    trees[s] = lowered_with_recipe(sample);
    const Predictions theirs = predict(sample.tree, table, rows, Parallel(1));
    for (size_t i = 0; i < rows.size(); ++i) {
      const double weight = table.weight(rows[i]);
      if (classify) {
        agreements[s] += own.top_class(i) == theirs.top_class(i) ? weight : 0;
      } else {
        squares[s] += weight * std::pow(own.answers[i] - theirs.answers[i], 2);
      }
    }
    const std::lock_guard lock(mutex);
    control.report("bootstrap samples", static_cast<double>(++done), static_cast<double>(samples));
  });

  Comparison comparison(result.tree);
  std::vector<double> leaves;
  double sum = 0;
  for (size_t s = 0; s < samples; ++s) {
    comparison.add(trees[s]);
    leaves.push_back(static_cast<double>(trees[s].leaves));
    sum += (classify ? agreements[s] : squares[s]) / (draws.total() * static_cast<double>(samples));
  }
  result.splits = comparison.splits(samples);
  result.leaves = mean_sd(leaves).mean;
  result.leaves_deviation = mean_sd(leaves).sd;
  if (classify) {
    result.agreement = sum;
  } else {
    result.difference = std::sqrt(sum);
    result.relative_difference = result.difference / target_deviation(table, draws.total());
  }
  return result;
}

}  // namespace softwood

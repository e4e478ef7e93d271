// The best test of levels for the subtrees that a node has.
#include <algorithm>
#include <cmath>
#include <limits>

#include "stages/evolve/improve.h"

namespace softwood::evolve {
namespace {

// Of a node's children, so many at most are tried for each level.
constexpr size_t most_subtrees = 8;

}  // namespace

// By level and option: the loss of the rows in each of the subtrees, and last in a leaf of their
// own. Rows without a level are with those of the heaviest.
void Improver::fill_level_losses(std::span<const Gene> genes, RowSet at) {
  const size_t options = subtrees_.size() + 1;
  level_losses_.resize(tried_.size());
  for (size_t i = 0; i < tried_.size(); ++i) {
    level_losses_[i].assign((rows_.axes()[tried_[i]].values + 1) * options, 0.0);
  }
  for (size_t option = 0; option < subtrees_.size(); ++option) {
    std::fill(touched_.begin(), touched_.end(), Word{0});
    add_losses_of_all(genes, subtrees_[option], at, 1);
    each_bit(touched_.data(), rows_.words(), [&](size_t row) {
      for (size_t i = 0; i < tried_.size(); ++i) {
        level_losses_[i][rows_.axes()[tried_[i]].codes[row] * options + option] += difference_[row];
      }
      difference_[row] = 0;
    });
  }
  for (size_t i = 0; i < tried_.size(); ++i) {
    const Axis& axis = rows_.axes()[tried_[i]];
    const uint32_t heaviest = axis.any_missing ? router_.heaviest_level(at, axis) : 0;
    std::vector<double>& losses = level_losses_[i];
    for (size_t option = 0; option + 1 < options; ++option) {
      losses[heaviest * options + option] += losses[axis.values * options + option];
    }
    fill_leaf_losses(axis, at, heaviest, options, losses);
  }
}

void Improver::fill_leaf_losses(const Axis& axis, RowSet at, uint32_t heaviest, size_t options,
                                std::vector<double>& losses) {
  const size_t width = rows_.sums_width();
  cells_.assign(axis.values * width, 0.0);
  each_bit(router_.set(at.depth), rows_.words(), [&](size_t row) {
    const uint32_t code = axis.codes[row] == axis.values ? heaviest : axis.codes[row];
    rows_.add_row(row, &cells_[code * width]);
  });
  for (uint32_t level = 0; level < axis.values; ++level) {
    const double* const sums = &cells_[level * width];
    double& loss = losses[level * options + options - 1];
    // Levels without rows get no child.
    if (std::all_of(sums, sums + width, [](double sum) { return sum == 0; })) {
      loss = std::numeric_limits<double>::infinity();
      continue;
    }
    Gene leaf;
    fitness_.judge(sums, leaf);
    loss = leaf.loss;
  }
}

// What the test of an input and the best option for each of its levels cost, in loss.
double Improver::choose_options(size_t tried, double price, std::span<const double> option_price) {
  const Axis& axis = rows_.axes()[tried_[tried]];
  const size_t options = option_price.size();
  const double cost = fitness_.feature_costs[tried_[tried]];
  double total = price * (cost - (fitness_.complexity == Complexity::nodes ? 0 : 1));
  size_t present = 0;
  chosen_.assign(axis.values, options);
  for (uint32_t level = 0; level < axis.values; ++level) {
    const double* const losses = &level_losses_[tried][level * options];
    if (!std::isfinite(losses[options - 1])) continue;
    ++present;
    double least = std::numeric_limits<double>::infinity();
    for (size_t option = options; option-- > 0;) {  // a leaf, if as good
      if (losses[option] + option_price[option] >= least - margin_) continue;
      least = losses[option] + option_price[option];
      chosen_[level] = option;
    }
    total += least;
  }
  return present < 2 ? std::numeric_limits<double>::infinity() : total;
}

bool Improver::optimise_levels(Individual& tree, size_t node, uint32_t only, bool accept_worse) {
  const Genes& genes = tree.genes;
  if (genes[node].is_leaf()) return false;
  tried_.clear();
  for (const uint32_t f : nominal_) {
    if (only == no_feature || f == only) tried_.push_back(f);
  }
  if (tried_.empty()) return false;
  subtrees_.clear();
  each_child(genes, node, [&](size_t c) {
    if (!genes[c].is_leaf() && subtrees_.size() < most_subtrees) subtrees_.push_back(c);
  });
  const double price = fitness_.price(tree.loss);
  const auto price_of = [&](size_t i) {
    return price * fitness_.paid(std::span<const Gene>(genes).subspan(i, genes[i].size));
  };
  option_price_.clear();
  for (const size_t c : subtrees_) option_price_.push_back(price_of(c));
  option_price_.push_back(price * fitness_.paid(1, 1));
  const RowSet at = router_.go_to(genes, node);
  fill_level_losses(genes, at);
  double least = accept_worse ? std::numeric_limits<double>::infinity()
                              : tree.loss - loss_elsewhere(genes, node) + price_of(node) - margin_;
  size_t best = tried_.size();
  for (size_t i = 0; i < tried_.size(); ++i) {
    const double total = choose_options(i, price, option_price_);
    if (total < least - margin_) {
      least = total;
      best = i;
    }
  }
  if (best == tried_.size()) return false;
  choose_options(best, price, option_price_);
  draft_.assign(1, Gene{});
  draft_[0].feature = tried_[best];
  for (uint32_t level = 0; level < chosen_.size(); ++level) {
    if (chosen_[level] > subtrees_.size()) continue;  // no rows
    const size_t start = draft_.size();
    if (chosen_[level] == subtrees_.size()) {
      draft_.emplace_back();
    } else {
      const size_t c = subtrees_[chosen_[level]];
      const auto from = genes.begin() + static_cast<std::ptrdiff_t>(c);
      draft_.insert(draft_.end(), from, from + genes[c].size);
    }
    draft_[start].branch = level;
  }
  draft_[0].size = static_cast<uint32_t>(draft_.size());
  return try_draft(tree, node, at, accept_worse);
}

}  // namespace softwood::evolve

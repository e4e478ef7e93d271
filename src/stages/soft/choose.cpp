#include "stages/soft/choose.h"

#include <algorithm>

namespace softwood::soft {

using gradient::Map;
using gradient::Products;

namespace {

// Products of all pairs are tried with at most so many inputs, squares with any number.
constexpr size_t most_paired_inputs = 24;
constexpr double decays[] = {0, 0.01, 0.03, 0.1, 0.3, 1};
// With more outputs a leaf only the inputs themselves are tried.
constexpr size_t most_mapped_outputs = 16;
constexpr double usual_decay = 0.1;
constexpr size_t first_depth = 3;

std::vector<Settings> makes(const Workshop& workshop, const Wishes& wishes) {
  std::vector<Map> maps = {wishes.settings.map};
  // Levels are neither mapped nor multiplied.
  const size_t numeric = workshop.outputs() <= most_mapped_outputs ? workshop.numeric_inputs() : 0;
  if (wishes.any_map && numeric > 0) maps = {Map::none, Map::asinh};
  std::vector<Products> products = {wishes.settings.products};
  if (wishes.any_terms && numeric > 0) {
    products = {Products::none, Products::squares};
    if (numeric > 1 && numeric <= most_paired_inputs) products.push_back(Products::all);
  }
  std::vector<bool> leaves = {wishes.settings.linear_leaves};
  if (wishes.any_leaves) leaves = {false, true};
  std::vector<Settings> list;
  for (const Map map : maps) {
    for (const Products product : products) {
      // Products are made of the inputs themselves.
      if (map != Map::none && product != Products::none && products.size() > 1) continue;
      for (const bool linear : leaves) {
        list.push_back(wishes.settings);
        list.back().map = map;
        list.back().products = product;
        list.back().linear_leaves = linear;
      }
    }
  }
  return list;
}

class Choice {
 public:
  Choice(Workshop& workshop, const Wishes& wishes) : workshop_(workshop), wishes_(wishes) {}

  Fitted run() {
    Settings first = wishes_.settings;
    if (wishes_.any_depth) first.depth = workshop_.largest_depth(first_depth);
    if (wishes_.any_decay) first.schedule.decay = usual_decay;
    best_ = workshop_.fit_all({first}, wishes_.starts)[0];
    try_makes();
    if (wishes_.any_decay) try_decays(decays);
    if (wishes_.any_depth) try_depths();
    if (best_.settings.depth != first.depth) try_makes();
    if (wishes_.any_decay) try_neighbours();
    if (wishes_.any_depth && wishes_.allowance > 0) take_smaller();
    return std::move(best_);
  }

 private:
  void consider(const std::vector<Settings>& candidates) {
    if (candidates.empty() || workshop_.stopped()) return;
    for (Fitted& other : workshop_.fit_all(candidates, wishes_.starts)) {
      if (other.badness < best_.badness) best_ = std::move(other);
    }
  }

  void try_makes() {
    const Settings now = best_.settings;
    std::vector<Settings> candidates;
    for (Settings& other : makes(workshop_, wishes_)) {
      if (other.map == now.map && other.products == now.products &&
          other.linear_leaves == now.linear_leaves) {
        continue;
      }
      other.depth = now.depth;
      other.schedule = now.schedule;
      if (other.depth > 0 || other.linear_leaves) candidates.push_back(other);
    }
    consider(candidates);
  }

  void try_decays(std::span<const double> list) {
    std::vector<Settings> candidates;
    for (const double decay : list) {
      if (decay == best_.settings.schedule.decay) continue;
      candidates.push_back(best_.settings);
      candidates.back().schedule.decay = decay;
    }
    consider(candidates);
  }

  // Of depth 0 is a single leaf; with a linear model it is a linear or logistic regression.
  void try_depths() {
    std::vector<Settings> candidates;
    const size_t deepest = workshop_.largest_depth(wishes_.most_depth);
    for (size_t depth = 0; depth <= deepest; ++depth) {
      if (depth == best_.settings.depth) continue;
      candidates.push_back(best_.settings);
      candidates.back().depth = depth;
      if (depth == 0 && wishes_.any_leaves) candidates.back().linear_leaves = true;
    }
    consider(candidates);
  }

  void try_neighbours() {
    const double now = best_.settings.schedule.decay;
    const double near[] = {now / 1.7, now * 1.7};
    if (now > 0) try_decays(near);
  }

  // The smallest tree that is nearly as good as the best.
  void take_smaller() {
    std::vector<Settings> candidates;
    for (size_t depth = 0; depth < best_.settings.depth; ++depth) {
      candidates.push_back(best_.settings);
      candidates.back().depth = depth;
    }
    if (candidates.empty() || workshop_.stopped()) return;
    const double most = best_.badness * (1 + wishes_.allowance);
    for (Fitted& other : workshop_.fit_all(candidates, wishes_.starts)) {
      if (!(other.badness <= most)) continue;
      best_ = std::move(other);
      return;
    }
  }

  Workshop& workshop_;
  const Wishes& wishes_;
  Fitted best_;
};

}  // namespace

size_t usual_steps(size_t rows, size_t batch) {
  constexpr size_t passes = 150, most_by_row = 8, enough = 4000;
  return std::max(passes * rows / batch, std::clamp<size_t>(most_by_row * rows, 200, enough));
}

Fitted choose(Workshop& workshop, const Wishes& wishes) { return Choice(workshop, wishes).run(); }

}  // namespace softwood::soft

#include "stages/evolve/improve.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "tree/costs.h"

namespace softwood::evolve {

Improver::Improver(Operators& operators)
    : operators_(operators),
      router_(operators.router()),
      rows_(router_.rows()),
      fitness_(router_.fitness()),
      difference_(rows_.rows(), 0.0),
      wrong_(rows_.words()),
      touched_(rows_.words()),
      sample_(rows_.words()) {
  make_criteria();
  if (rows_.classes() == 0) margin_ = stats::tie_margin * fitness_.root_loss;
  for (uint32_t f = 0; f < rows_.axes().size(); ++f) {
    const Axis& axis = rows_.axes()[f];
    if (axis.nominal && axis.usable() && router_.affords(axis.values)) nominal_.push_back(f);
  }
  node_work_ = rows_.words();
  for (const uint32_t f : nominal_) node_work_ += 2 * rows_.axes()[f].values;
  const std::vector<double> factor = altered_weights(fitness_.costs, rows_.classes());
  for (size_t row = 0; row < rows_.rows(); ++row) {
    counted_weight_.push_back(rows_.weight_of(row) *
                              (factor.empty() ? 1 : factor[rows_.class_of(row)]));
  }
}

void Improver::make_criteria() {
  const size_t all = rows_.classes();
  // Fewer than this are not worth the trouble.
  constexpr size_t few_classes = 4;
  for (size_t classes = few_classes; classes < all; classes *= 2)
    criteria_.push_back({classes, {}});
  criteria_.push_back({all, {}});
  for (Criteria& criteria : criteria_) {
    stats::Target target;
    target.task = all > 0 ? Task::classification : Task::regression;
    target.classes = criteria.classes;
    for (const stats::Criterion& criterion : stats::criteria()) {
      const bool wanted = all > 0 ? criterion.name == "gini" || criterion.name == "entropy" ||
                                        criterion.name == "misclassification"
                                  : criterion.name == "mse";
      if (wanted) criteria.kinds.push_back(criterion.make(target));
    }
  }
  class_place_.resize(all);
  std::iota(class_place_.begin(), class_place_.end(), 0U);
}

// Losses of the rows at a place if they end in the leaf.
void Improver::leaf_losses(const Gene& leaf, RowSet at, double sign) {
  const Word* const set = router_.set(at.depth);
  const size_t words = rows_.words();
  if (rows_.classes() == 0) {
    each_bit(set, words,
             [&](size_t row) { difference_[row] += sign * rows_.squared_error(row, leaf.mean); });
    unite(touched_.data(), set, touched_.data(), words);
    return;
  }
  const auto add = [&](const Word* rows, double cost) {
    each_bit(rows, words,
             [&](size_t row) { difference_[row] += sign * cost * rows_.weight_of(row); });
    unite(touched_.data(), rows, touched_.data(), words);
  };
  if (fitness_.costs.empty()) {
    subtract(set, rows_.class_set(leaf.answer), wrong_.data(), words);
    return add(wrong_.data(), 1);
  }
  for (uint32_t k = 0; k < rows_.classes(); ++k) {
    const double cost = cost_of(fitness_.costs, rows_.classes(), k, leaf.answer);
    if (cost == 0) continue;
    intersect(set, rows_.class_set(k), wrong_.data(), words);
    add(wrong_.data(), cost);
  }
}

void Improver::add_losses(std::span<const Gene> genes, size_t node, RowSet at, double sign) {
  if (at.count == 0) return;
  if (genes[node].is_leaf()) return leaf_losses(genes[node], at, sign);
  router_.each_place(at, genes, node,
                     [&](RowSet below, size_t c) { add_losses(genes, c, below, sign); });
}

void Improver::add_losses_of_all(std::span<const Gene> genes, size_t node, RowSet parent,
                                 double sign) {
  std::copy_n(router_.set(parent.depth), rows_.words(), router_.set(parent.depth + 1));
  add_losses(genes, node, {parent.depth + 1, parent.count}, sign);
}

void Improver::collect_rows(RowSet at) {
  care_.clear();
  intersect(touched_.data(), router_.set(at.depth), touched_.data(), rows_.words());
  each_bit(touched_.data(), rows_.words(), [&](size_t row) {
    if (difference_[row] != 0) care_.push_back(static_cast<uint32_t>(row));
  });
}

// Prices are what is saved, in loss, when all rows go to the first or second child; `dearer` is
// what the input costs more than the one that is asked for now.
void Improver::best_cut(uint32_t feature, double price_first, double price_second, double dearer,
                        Best& best) {
  const Axis& axis = rows_.axes()[feature];
  cells_.assign(axis.values + 1, 0.0);
  for (const uint32_t row : care_) cells_[axis.codes[row]] += difference_[row];
  const double missing = cells_[axis.values];
  // Gains are against all rows at the second child.
  double gain = std::max(0.0, missing);
  const bool missing_first = missing > 0;
  if (price_second > best.gain + margin_) best = {price_second, {}, 1};
  for (uint32_t cut = 0; cut + 1 < axis.values; ++cut) {
    gain += cells_[cut];
    if (gain - dearer <= best.gain + margin_) continue;
    best = {gain - dearer, {}, -1};
    best.test.feature = feature;
    best.test.cut = cut;
    best.test.missing_first = missing_first;
  }
  const double all_first = gain + cells_[axis.values - 1] + std::min(0.0, missing);
  if (all_first + price_first > best.gain + margin_) best = {all_first + price_first, {}, 0};
}

bool Improver::optimise_test(Individual& tree, size_t node, uint32_t only, bool accept_worse) {
  const Genes& genes = tree.genes;
  if (genes[node].is_leaf() || rows_.axes()[genes[node].feature].nominal) return false;
  const size_t first = node + 1, second = nth_child(genes, node, 1);
  const RowSet at = router_.go_to(genes, node);
  std::fill(touched_.begin(), touched_.end(), Word{0});
  add_losses_of_all(genes, second, at, 1);
  add_losses_of_all(genes, first, at, -1);
  collect_rows(at);
  const double price = fitness_.price(tree.loss);
  const auto paid = [&](size_t child) {
    return fitness_.paid(std::span<const Gene>(genes).subspan(child, genes[child].size));
  };
  const double cost = fitness_.feature_costs[genes[node].feature];
  const double asking = cost - (fitness_.complexity == Complexity::nodes ? 0 : 1);
  Best best{-1e300, {}, -1};
  for (uint32_t f = 0; f < rows_.axes().size(); ++f) {
    const Axis& axis = rows_.axes()[f];
    if (axis.nominal || !axis.usable() || (only != no_feature && f != only)) continue;
    best_cut(f, price * (paid(second) + asking), price * (paid(first) + asking),
             price * (fitness_.feature_costs[f] - cost), best);
  }
  each_bit(touched_.data(), rows_.words(), [&](size_t row) { difference_[row] = 0; });
  if (best.gain == -1e300) return false;
  draft_.clear();
  if (best.all_to >= 0) {
    const size_t child = best.all_to == 0 ? first : second;
    draft_.assign(genes.begin() + static_cast<std::ptrdiff_t>(child),
                  genes.begin() + static_cast<std::ptrdiff_t>(child + genes[child].size));
  } else {
    draft_.assign(genes.begin() + static_cast<std::ptrdiff_t>(node),
                  genes.begin() + static_cast<std::ptrdiff_t>(node + genes[node].size));
    draft_[0].feature = best.test.feature;
    draft_[0].cut = best.test.cut;
    draft_[0].missing_first = best.test.missing_first;
  }
  return try_draft(tree, node, at, accept_worse);
}

bool Improver::optimise(Individual& tree, size_t node) {
  if (tree.genes[node].is_leaf() || tree.genes[node].settled) return false;
  const bool better = optimise_test(tree, node);
  if (optimise_levels(tree, node) || better) return true;
  tree.genes[node].settled = true;
  return false;
}

bool Improver::try_draft(Individual& tree, size_t node, RowSet at, bool accept_worse) {
  trial_ = tree;
  router_.replace(trial_, node, at, draft_, false);
  if (!accept_worse && !(trial_.fitness > tree.fitness)) return false;
  std::swap(trial_, tree);
  return true;
}

Improver::Greed Improver::random_greed(Random& random) const {
  Greed greed;
  greed.criterion = random.below(criteria_[0].kinds.size());
  greed.features = random.below(3) == 0 ? 1 : 0.2 + 0.8 * random.uniform();
  greed.rows = random.below(3) == 0 ? 1 : 0.1 + 0.9 * random.uniform();
  return greed;
}

void Improver::look_at(RowSet at) {
  here_.clear();
  each_bit(router_.set(at.depth), rows_.words(),
           [&](size_t row) { here_.push_back(static_cast<uint32_t>(row)); });
  const size_t classes = rows_.classes();
  fitting_ = &criteria_.back();
  if (criteria_.size() > 1) {
    constexpr uint32_t none = ~0U;
    std::fill(class_place_.begin(), class_place_.end(), none);
    uint32_t seen = 0;
    for (const uint32_t row : here_) {
      uint32_t& place = class_place_[rows_.class_of(row)];
      if (place == none) place = seen++;
    }
    fitting_ = &*std::find_if(criteria_.begin(), criteria_.end(),
                              [&](const Criteria& c) { return c.classes >= seen; });
  }
  width_ = classes > 0 ? fitting_->classes : 2;
  node_sums_.assign(width_, 0.0);
  for (const uint32_t row : here_) {
    if (classes > 0) {
      node_sums_[class_place_[rows_.class_of(row)]] += counted_weight_[row];
    } else {
      node_sums_[0] += counted_weight_[row];
      node_sums_[1] += counted_weight_[row] * rows_.target_of(row);
    }
  }
}

// Which codes get a cell: all, or where there are more of them than rows those that occur.
void Improver::place_codes(const Axis& axis) {
  present_.clear();
  known_cells_ = axis.values;
  if (here_.size() >= axis.values) return;
  code_bits_.assign(words_for(axis.values + 1), Word{0});
  for (const uint32_t row : here_) set_bit(code_bits_.data(), axis.codes[row]);
  set_bit(code_bits_.data(), axis.values);
  each_bit(code_bits_.data(), code_bits_.size(),
           [&](size_t code) { present_.push_back(static_cast<uint32_t>(code)); });
  known_cells_ = present_.size() - 1;
  if (cell_of_.size() <= axis.values) cell_of_.resize(axis.values + 1);
  for (uint32_t i = 0; i < present_.size(); ++i) cell_of_[present_[i]] = i;
}

// Sums of the rows by code of the input; those without a value are in the last cell.
void Improver::fill_cells(const Axis& axis) {
  place_codes(axis);
  cells_.assign((known_cells_ + 1) * width_, 0.0);
  const bool sparse = !present_.empty();
  const auto cell_at = [&](uint32_t row) {
    const uint32_t code = axis.codes[row];
    return &cells_[(sparse ? cell_of_[code] : code) * width_];
  };
  if (rows_.classes() > 0) {
    for (const uint32_t row : here_) {
      cell_at(row)[class_place_[rows_.class_of(row)]] += counted_weight_[row];
    }
    return;
  }
  for (const uint32_t row : here_) {
    double* const cell = cell_at(row);
    cell[0] += counted_weight_[row];
    cell[1] += counted_weight_[row] * rows_.target_of(row);
  }
}

// One child for each level: the levels that have rows are the cells.
double Improver::levels_score(const stats::SplitSearch& search) {
  size_t present = 0;
  for (size_t level = 0; level < known_cells_; ++level) {
    const double* const cell = &cells_[level * width_];
    const double weight = rows_.classes() > 0 ? std::accumulate(cell, cell + width_, 0.0) : cell[0];
    if (weight > 0) std::copy_n(cell, width_, &cells_[width_ * present++]);
  }
  if (present < 2 || !router_.affords(present)) return 0;
  return search
      .best_levels(node_sums_, {cells_.data(), present * width_}, stats::NominalSplit::multiway, 0,
                   scratch_)
      .score;
}

bool Improver::greedy_test(RowSet at, const Greed& greed, Random& random, Gene& test) {
  look_at(at);
  const stats::SplitSearch& search = *fitting_->kinds[greed.criterion];
  double best = 0;
  for (uint32_t f = 0; f < rows_.axes().size(); ++f) {
    const Axis& axis = rows_.axes()[f];
    if (!axis.usable()) continue;
    if (greed.features < 1 && random.uniform() >= greed.features) continue;
    fill_cells(axis);
    if (axis.nominal) {
      const double score = levels_score(search);
      if (!(score > best + margin_)) continue;
      best = score;
      test = Gene{};
      test.feature = f;
      continue;
    }
    const std::span<const double> cells(cells_.data(), known_cells_ * width_);
    const stats::Cut cut =
        search.best_bin(node_sums_, cells,
                        axis.any_missing ? &cells_[known_cells_ * width_] : nullptr, 0, scratch_);
    if (!(cut.score > best + margin_) || cut.position == 0) continue;
    const size_t last = cut.position - 1;
    const size_t code = present_.empty() ? last : present_[last];
    if (code + 1 >= axis.values) continue;
    best = cut.score;
    test = Gene{};
    test.feature = f;
    test.cut = static_cast<uint32_t>(code);
    test.missing_first = cut.missing_left;
  }
  return best > 0;
}

void Improver::grow_greedy(RowSet at, uint32_t branch, const Greed& greed, size_t levels,
                           Random& random, Genes& out) {
  const Gene leaf = router_.leaf_of(at, branch);
  Gene test;
  if (!leaf.mixed || levels == 0 || at.depth >= fitness_.max_depth ||
      !greedy_test(at, greed, random, test)) {
    out.push_back(leaf);
    return;
  }
  const size_t start = out.size();
  out.push_back(test);
  out.back().branch = branch;
  size_t outcomes = 0;
  const auto take_leaf = [&](const Gene& gene) {
    if (gene.mixed && levels > 1) return false;
    ++outcomes;
    out.push_back(gene);
    return true;
  };
  router_.each_outcome(at, test, take_leaf, [&](RowSet below, uint32_t level) {
    ++outcomes;
    grow_greedy(below, level, greed, levels - 1, random, out);
  });
  out[start].size = static_cast<uint32_t>(out.size() - start);
  if (outcomes < 2) {
    out.resize(start);
    out.push_back(leaf);
  }
}

// Takes rows out of a place at random.
void Improver::thin_out(RowSet at, double share, Random& random) {
  const auto level = static_cast<uint64_t>(share * 65536);
  for (Word& word : sample_) {
    Word bits = 0;
    for (size_t i = 0; i < word_bits; i += 4) {
      const uint64_t draw = random.next();
      for (size_t k = 0; k < 4; ++k) {
        if (((draw >> (16 * k)) & 0xffffU) < level) bits |= Word{1} << (i + k);
      }
    }
    word = bits;
  }
  intersect(router_.set(at.depth), sample_.data(), router_.set(at.depth), rows_.words());
}

void Improver::regrow(Individual& tree, size_t node, const Greed& greed, Random& random) {
  RowSet at = router_.go_to(tree.genes, node);
  if (greed.rows < 1) {
    thin_out(at, greed.rows, random);
    at.count = count(router_.set(at.depth), rows_.words());
    if (at.count < 2) return;
  }
  grown_.clear();
  grow_greedy(at, 0, greed, greed.levels, random, grown_);
  router_.replace(tree, node, router_.go_to(tree.genes, node), grown_, true);
}

void Improver::look_ahead(Individual& tree, size_t node, size_t tries, Random& random) {
  const double price = fitness_.price(tree.loss);
  double cheapest = 1;
  for (const double cost : fitness_.feature_costs) cheapest = std::min(cheapest, cost);
  const double split_price =
      price * (fitness_.paid(2 + cheapest, 2, cheapest - 1) - fitness_.paid(1, 1));
  const auto subtree = std::span<const Gene>(tree.genes).subspan(node, tree.genes[node].size);
  const double now = loss_of(subtree) + price * (fitness_.paid(subtree) - fitness_.paid(1, 1));
  if (now <= split_price) return;  // no test could be better
  const RowSet at = router_.go_to(tree.genes, node);
  Greed greed;
  greed.criterion = random.below(criteria_[0].kinds.size());
  double least = std::numeric_limits<double>::infinity();
  for (size_t i = 0; i < tries; ++i) {
    Gene test;
    if (!operators_.random_test(at, random, test)) break;
    grown_.clear();
    grown_.push_back(test);
    double loss = 0;
    const auto take_leaf = [&](const Gene& gene) {
      if (!gene.mixed) grown_.push_back(gene);
      return !gene.mixed;
    };
    router_.each_outcome(at, test, take_leaf, [&](RowSet below, uint32_t level) {
      if (loss >= least) return;  // this can't be the best
      const size_t start = grown_.size();
      grow_greedy(below, level, greed, 1, random, grown_);
      for (size_t g = start; g < grown_.size(); ++g) loss += grown_[g].loss;
    });
    grown_[0].size = static_cast<uint32_t>(grown_.size());
    if (loss >= least) continue;
    least = loss;
    std::swap(grown_, best_grown_);
  }
  if (std::isfinite(least)) router_.replace(tree, node, at, best_grown_, true);
}

bool Improver::polish(Individual& tree, size_t passes, const std::function<bool()>& must_stop) {
  if (tree.settled) return true;
  // Trying a node takes the time of the tree, of a set of rows and of all levels. Usual trees come
  // nowhere near the limit; where there are thousands of nodes or levels, some nodes are left out.
  constexpr size_t most_work = 20'000'000;
  size_t work = 0;
  for (size_t pass = 0; pass < passes; ++pass) {
    const double before = tree.fitness;
    for (size_t node = tree.genes.size(); node-- > 0;) {
      if (node >= tree.genes.size() || tree.genes[node].is_leaf()) continue;
      if (tree.genes[node].settled) continue;
      work += tree.genes.size() + node_work_;
      if (work > most_work) return true;
      if (must_stop && must_stop()) return false;
      optimise(tree, node);
    }
    trial_ = tree;
    router_.reroute(trial_, true);
    if (trial_.fitness > tree.fitness) std::swap(trial_, tree);
    if (!(tree.fitness > before)) {
      tree.settled = true;
      return true;
    }
  }
  return true;
}

}  // namespace softwood::evolve

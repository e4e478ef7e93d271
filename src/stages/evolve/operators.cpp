#include "stages/evolve/operators.h"

#include <algorithm>
#include <cmath>

#include "base/math.h"

namespace softwood::evolve {
namespace {

constexpr size_t tries = 8;

uint32_t between(uint32_t a, uint32_t b, Random& random) {
  const auto [low, high] = std::minmax(a, b);
  return low + static_cast<uint32_t>(random.below(high - low));
}

void set_test(Gene& gene, const Gene& test) {
  gene.feature = test.feature;
  gene.cut = test.cut;
  gene.missing_first = test.missing_first;
}

// Appends a subtree as a draft: its sizes stay right wherever it stands.
void append(Genes& out, std::span<const Gene> genes, size_t node, uint32_t branch) {
  const auto part = genes.subspan(node, genes[node].size);
  const size_t start = out.size();
  out.insert(out.end(), part.begin(), part.end());
  out[start].branch = branch;
}

}  // namespace

Operators::Operators(const CodedRows& rows, const Fitness& fitness, size_t most_levels,
                     double pruning)
    : rows_(rows),
      fitness_(fitness),
      router_(rows, fitness),
      most_levels_(most_levels),
      pruning_(pruning),
      others_(rows.words()),
      one_leaf_(1) {
  for (uint32_t f = 0; f < rows.axes().size(); ++f) {
    if (rows.axes()[f].usable()) usable_.push_back(f);
  }
}

size_t Operators::random_row(RowSet at, Random& random) {
  return nth_bit(router_.set(at.depth), random.below(at.count));
}

size_t Operators::row_by_weight(const Word* set, size_t count, Random& random) const {
  if (rows_.weigh_alike()) return nth_bit(set, random.below(count));
  if (rows_.mostly_ones()) {  // one unit of each row, and then those beyond
    int64_t beyond = 0;
    rows_.each_heavy(set, [&](size_t row) { beyond += rows_.units_of(row) - 1; });
    const uint64_t unit = random.below(count + static_cast<uint64_t>(beyond));
    if (unit < count) return nth_bit(set, unit);
    auto left = static_cast<int64_t>(unit - count);
    size_t drawn = rows_.rows();
    rows_.each_heavy(set, [&](size_t row) {
      left -= rows_.units_of(row) - 1;
      if (left < 0 && drawn == rows_.rows()) drawn = row;
    });
    return drawn;
  }
  // By rejection, which draws in proportion to the weights; where some rows weigh so much more than
  // others that it takes long, from the sum of all.
  for (size_t i = 0; i < tries; ++i) {
    const size_t row = nth_bit(set, random.below(count));
    if (random.uniform() * rows_.most_weight() < rows_.weight_of(row)) return row;
  }
  int64_t sum = 0;
  each_bit(set, rows_.words(), [&](size_t row) { sum += rows_.units_of(row); });
  auto left = static_cast<int64_t>(random.below(static_cast<uint64_t>(sum)));
  size_t drawn = rows_.rows();
  each_bit(set, rows_.words(), [&](size_t row) {
    left -= rows_.units_of(row);
    if (left < 0 && drawn == rows_.rows()) drawn = row;
  });
  return drawn;
}

bool Operators::random_cut(RowSet at, uint32_t feature, Random& random, Gene& test) {
  const Axis& axis = rows_.axes()[feature];
  if (axis.nominal && !router_.affords(axis.values) &&
      !router_.affords(router_.levels_at(at, axis))) {
    return false;
  }
  for (size_t i = 0; i < tries; ++i) {
    const uint32_t a = axis.codes[random_row(at, random)];
    const uint32_t b = axis.codes[random_row(at, random)];
    if (a == b || a == axis.values || b == axis.values) continue;
    test.feature = feature;
    test.cut = axis.nominal ? 0 : between(a, b, random);
    test.missing_first = axis.any_missing && random.below(2) == 0;
    return true;
  }
  return false;
}

bool Operators::random_test(RowSet at, Random& random, Gene& test, uint32_t except) {
  if (at.count < 2 || usable_.empty()) return false;
  const bool skips = except != no_feature && usable_.size() > 1;
  for (size_t i = 0; i < tries; ++i) {
    size_t n = random.below(usable_.size() - (skips ? 1 : 0));
    if (skips && usable_[n] >= except) ++n;
    if (random_cut(at, usable_[n], random, test)) return true;
  }
  return false;
}

// A random test among those that send two rows different ways.
bool Operators::part_rows(size_t a, size_t b, Random& random, Gene& test) {
  apart_.clear();
  for (const uint32_t f : usable_) {
    const Axis& axis = rows_.axes()[f];
    if (axis.codes[a] == axis.codes[b]) continue;
    if (axis.codes[a] == axis.values || axis.codes[b] == axis.values) continue;
    apart_.push_back(f);
  }
  if (apart_.empty()) return false;
  test.feature = apart_[random.below(apart_.size())];
  const Axis& axis = rows_.axes()[test.feature];
  test.cut = axis.nominal ? 0 : between(axis.codes[a], axis.codes[b], random);
  test.missing_first = axis.any_missing && random.below(2) == 0;
  return true;
}

bool Operators::dipole(RowSet at, Random& random, Gene& test) {
  for (size_t i = 0; i < tries; ++i) {
    const Word* const here = router_.set(at.depth);
    const size_t a = row_by_weight(here, at.count, random);
    if (rows_.classes() == 0) {
      const size_t b = row_by_weight(here, at.count, random);
      if (rows_.target_of(a) != rows_.target_of(b) && part_rows(a, b, random, test)) return true;
      continue;
    }
    const size_t count =
        subtract(here, rows_.class_set(rows_.class_of(a)), others_.data(), rows_.words());
    if (count == 0) return false;
    if (part_rows(a, row_by_weight(others_.data(), count, random), random, test)) return true;
  }
  return false;
}

void Operators::grow_dipolar(RowSet at, uint32_t branch, const Growth& growth, Random& random,
                             Genes& out) {
  const Gene leaf = router_.leaf_of(at, branch);
  // A test with so many outcomes has at least as many leaves, and saves at most the leaf's loss.
  const auto can_pay = [&](const Gene& gene, size_t outcomes, double price) {
    const auto leaves = static_cast<double>(outcomes);
    return gene.loss > price * (fitness_.paid(leaves + 1, leaves) - fitness_.paid(1, 1));
  };
  const auto ends = [&](const Gene& gene) {
    return !gene.mixed || !can_pay(gene, 2, growth.price);
  };
  Gene test;
  if (ends(leaf) || growth.levels == 0 || at.depth >= fitness_.max_depth ||
      !dipole(at, random, test)) {
    out.push_back(leaf);
    return;
  }
  const Axis& axis = rows_.axes()[test.feature];
  const auto affords = [&](size_t outcomes) {
    return router_.affords(outcomes) && can_pay(leaf, outcomes, growth.least_price);
  };
  if (axis.nominal && !affords(axis.values) && !affords(router_.levels_at(at, axis))) {
    out.push_back(leaf);
    return;
  }
  const size_t start = out.size();
  test.branch = branch;
  out.push_back(test);
  const Growth below{growth.levels - 1, growth.price, growth.least_price};
  const auto take_leaf = [&](const Gene& gene) {
    if (ends(gene)) out.push_back(gene);
    return ends(gene);
  };
  router_.each_outcome(at, test, take_leaf, [&](RowSet there, uint32_t level) {
    grow_dipolar(there, level, below, random, out);
  });
  out[start].size = static_cast<uint32_t>(out.size() - start);
  router_.prune_last(out, start, leaf, growth.least_price);
}

void Operators::dipolar_tree(Individual& tree, Random& random, size_t levels) {
  tree.genes.clear();
  const Growth growth{levels, fitness_.price(fitness_.root_loss), fitness_.price(0)};
  const RowSet at = router_.top();
  grow_dipolar(at, 0, growth, random, tree.genes);
  router_.prune_to_price(tree.genes, 0, at, 0, growth.least_price);
  fitness_.finish(tree);
}

size_t Operators::outcomes(std::span<const Gene> genes, size_t node) const {
  return genes[node].is_leaf() ? 0 : children_of(genes, node);
}

bool Operators::allows(const Individual& tree, size_t node, Mutation mutation) const {
  const Genes& genes = tree.genes;
  const Gene& gene = genes[node];
  if (gene.is_leaf()) return false;
  switch (mutation) {
    case Mutation::prune:
    case Mutation::test:
      return true;
    case Mutation::threshold:
      return !rows_.axes()[gene.feature].nominal;
    case Mutation::neighbour:
      return node > 0;
    case Mutation::swap_with_son: {
      bool any = false;
      each_child(genes, node, [&](size_t c) {
        any = any || (!genes[c].is_leaf() && outcomes(genes, c) == outcomes(genes, node));
      });
      return any;
    }
  }
  return false;
}

// Exchanges tests with as many outcomes each. Branches follow: the n-th child of a node that now
// asks a nominal input serves the n-th of the levels that were asked for.
void Operators::swap_tests(Genes& genes, size_t a, size_t b) const {
  const Gene test = genes[a];
  set_test(genes[a], genes[b]);
  set_test(genes[b], test);
  size_t c = a + 1, d = b + 1;
  for (size_t n = children_of(genes, a); n > 0; --n) {
    std::swap(genes[c].branch, genes[d].branch);
    c += genes[c].size;
    d += genes[d].size;
  }
}

void Operators::mutate(Individual& tree, size_t node, Mutation mutation, Random& random) {
  const Genes& genes = tree.genes;
  draft_.assign(genes.begin() + static_cast<std::ptrdiff_t>(node),
                genes.begin() + static_cast<std::ptrdiff_t>(node + genes[node].size));
  const RowSet at = router_.go_to(genes, node);
  switch (mutation) {
    case Mutation::prune:
      draft_.assign(1, Gene{});
      break;
    case Mutation::threshold:
      random_cut(at, draft_[0].feature, random, draft_[0]);
      break;
    case Mutation::test:
      // The first children stay; a nominal test names them by its first levels.
      if (random_test(at, random, draft_[0], draft_[0].feature) &&
          rows_.axes()[draft_[0].feature].nominal) {
        uint32_t level = 0;
        each_child(draft_, 0, [&](size_t c) { draft_[c].branch = level++; });
      }
      break;
    case Mutation::neighbour: {
      const size_t parent = parent_of(genes, node);
      const size_t siblings = children_of(genes, parent) - 1;
      size_t other = nth_child(genes, parent, random.below(siblings));
      if (other >= node) other += genes[other].size;
      draft_.clear();
      append(draft_, genes, other, 0);
      break;
    }
    case Mutation::swap_with_son: {
      apart_.clear();
      each_child(draft_, 0, [&](size_t c) {
        if (!draft_[c].is_leaf() && outcomes(draft_, c) == outcomes(draft_, 0)) {
          apart_.push_back(static_cast<uint32_t>(c));
        }
      });
      swap_tests(draft_, 0, apart_[random.below(apart_.size())]);
      break;
    }
  }
  router_.replace(tree, node, at, draft_, false);
}

void Operators::nudge(Individual& tree, size_t node, Random& random) {
  const Genes& genes = tree.genes;
  if (genes[node].is_leaf() || rows_.axes()[genes[node].feature].nominal) return;
  const size_t cuts = rows_.axes()[genes[node].feature].cuts.size();
  constexpr double usual_step = 4;
  const auto steps = static_cast<size_t>(1 - usual_step * math::log(1 - random.uniform()));
  draft_.assign(genes.begin() + static_cast<std::ptrdiff_t>(node),
                genes.begin() + static_cast<std::ptrdiff_t>(node + genes[node].size));
  const size_t cut = draft_[0].cut;
  draft_[0].cut = static_cast<uint32_t>(random.below(2) == 0 ? cut - std::min(cut, steps)
                                                             : std::min(cuts - 1, cut + steps));
  router_.replace(tree, node, draft_);
}

void Operators::split_leaf(Individual& tree, size_t node, Random& random) {
  const RowSet at = router_.go_to(tree.genes, node);
  draft_.assign(3, Gene{});
  draft_[0].size = 3;
  if (!random_test(at, random, draft_[0])) return;
  draft_[2].branch = 1;
  router_.replace(tree, node, at, draft_, false);
}

void Operators::grow_leaf(Individual& tree, size_t node, Random& random) {
  const RowSet at = router_.go_to(tree.genes, node);
  const double rest = loss_elsewhere(tree.genes, node);
  const Growth growth{most_levels_, fitness_.price(tree.loss), fitness_.price(rest)};
  grown_.clear();
  grow_dipolar(at, tree.genes[node].branch, growth, random, grown_);
  router_.prune_to_price(grown_, 0, at, rest, growth.least_price);
  router_.paste(tree, node, grown_);
}

size_t Operators::mutate_node(Individual& tree, size_t node, Random& random) {
  const Gene& gene = tree.genes[node];
  if (gene.is_leaf()) {
    if (!gene.mixed) return 1;
    if (random.below(2) == 0) {
      split_leaf(tree, node, random);
    } else {
      grow_leaf(tree, node, random);
    }
    return tree.genes[node].size;
  }
  // "It can be pruned to a leaf or its test can be altered"; then the four ways of altering it,
  // those that are possible with equal chance.
  if (random.uniform() < pruning_) {
    mutate(tree, node, Mutation::prune, random);
    return 1;
  }
  Mutation possible[4] = {};
  size_t count = 0;
  for (const Mutation mutation :
       {Mutation::threshold, Mutation::test, Mutation::neighbour, Mutation::swap_with_son}) {
    if (allows(tree, node, mutation)) possible[count++] = mutation;
  }
  const Mutation chosen = possible[random.below(count)];
  mutate(tree, node, chosen, random);
  return chosen == Mutation::neighbour ? tree.genes[node].size : 1;
}

void Operators::mutate_tree(Individual& tree, double probability, Random& random) {
  if (probability <= 0) return;
  const double log_stay = std::log1p(-probability);  // -infinity when all change
  size_t node = 0;
  while (true) {
    // Nodes passed over until the next that changes: geometric.
    if (probability < 1) {
      const double skip = std::floor(math::log(1 - random.uniform()) / log_stay);
      if (skip >= static_cast<double>(tree.genes.size() - node)) return;
      node += static_cast<size_t>(skip);
    }
    if (node >= tree.genes.size()) return;
    node += mutate_node(tree, node, random);
    if (node >= tree.genes.size()) return;
  }
}

bool Operators::allows(const Individual& a, size_t node_a, const Individual& b, size_t node_b,
                       Crossing crossing) const {
  if (crossing == Crossing::subtrees) return true;
  const size_t k = outcomes(a.genes, node_a), l = outcomes(b.genes, node_b);
  return crossing == Crossing::tests ? k > 0 && k == l : k > 0 && l > 0;
}

namespace {

// The node of one tree with branches of another's node in a random order, as a draft.
void with_branches(std::span<const Gene> own, size_t node, std::span<const Gene> other, size_t from,
                   Random& random, std::vector<uint32_t>& order, Genes& draft) {
  order.clear();
  each_child(other, from, [&](size_t c) { order.push_back(static_cast<uint32_t>(c)); });
  random.shuffle(order);
  draft.assign(1, own[node]);
  size_t n = 0;
  each_child(own, node,
             [&](size_t c) { append(draft, other, order[n++ % order.size()], own[c].branch); });
  draft[0].size = static_cast<uint32_t>(draft.size());
}

}  // namespace

void Operators::cross(Individual& a, size_t node_a, Individual& b, size_t node_b, Crossing crossing,
                      Random& random) {
  switch (crossing) {
    case Crossing::subtrees:
      draft_.clear();
      other_draft_.clear();
      append(draft_, b.genes, node_b, 0);
      append(other_draft_, a.genes, node_a, 0);
      break;
    case Crossing::tests: {
      draft_.clear();
      append(draft_, a.genes, node_a, 0);
      const size_t second = draft_.size();
      append(draft_, b.genes, node_b, 0);
      swap_tests(draft_, 0, second);
      other_draft_.assign(draft_.begin() + static_cast<std::ptrdiff_t>(second), draft_.end());
      draft_.resize(second);
      break;
    }
    case Crossing::branches:
      with_branches(a.genes, node_a, b.genes, node_b, random, apart_, draft_);
      with_branches(b.genes, node_b, a.genes, node_a, random, apart_, other_draft_);
      break;
  }
  router_.replace(a, node_a, draft_);
  router_.replace(b, node_b, other_draft_);
}

void Operators::cross_trees(Individual& a, Individual& b, Random& random) {
  const size_t node_a = random.below(a.genes.size()), node_b = random.below(b.genes.size());
  Crossing possible[3] = {};
  size_t count = 0;
  for (const Crossing crossing : {Crossing::subtrees, Crossing::tests, Crossing::branches}) {
    if (allows(a, node_a, b, node_b, crossing)) possible[count++] = crossing;
  }
  cross(a, node_a, b, node_b, possible[random.below(count)], random);
}

}  // namespace softwood::evolve

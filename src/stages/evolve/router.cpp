#include "stages/evolve/router.h"

#include <algorithm>

namespace softwood::evolve {
namespace {

// An inner node that asks what the gene does.
Gene test_of(const Gene& gene, uint32_t branch) {
  Gene test;
  test.feature = gene.feature;
  test.cut = gene.cut;
  test.missing_first = gene.missing_first;
  test.branch = branch;
  return test;
}

}  // namespace

Router::Router(const CodedRows& rows, const Fitness& fitness)
    : rows_(rows), fitness_(fitness), sums_(rows.sums_width()) {
  size_t most_levels = 2;
  for (const Axis& axis : rows.axes()) {
    if (axis.nominal) most_levels = std::max<size_t>(most_levels, axis.values);
  }
  most_outcomes_ = fitness.most_outcomes(most_levels);
}

Word* Router::set(size_t depth) {
  while (sets_.size() <= depth) {
    sets_.emplace_back(rows_.words());
    sides_.emplace_back(rows_.words());
    level_counts_.emplace_back();
  }
  return sets_[depth].data();
}

RowSet Router::top() {
  std::copy_n(rows_.all(), rows_.words(), set(0));
  return {0, rows_.rows()};
}

Router::Levels Router::count_levels(RowSet at, const Axis& axis, bool weigh) {
  const Word* const here = sets_[at.depth].data();
  const size_t words = rows_.words();
  std::vector<size_t>& counts = level_counts_[at.depth];
  counts.assign(axis.values + 1, 0);
  // Passes over all words, or a look at every row: whichever is less.
  constexpr size_t row_cost = 6;  // of words in a pass
  if (!axis.listed && axis.values * words < words + row_cost * at.count) {
    for (uint32_t level = 0; level < axis.values; ++level) {
      counts[level] = count_common(here, rows_.level(axis, level, nullptr), words);
    }
    if (axis.any_missing) counts[axis.values] = count_common(here, axis.missing.data(), words);
  } else {
    each_bit(here, words, [&](size_t row) { ++counts[axis.codes[row]]; });
  }
  Levels levels;
  levels.missing = counts[axis.values];
  for (uint32_t level = 0; level < axis.values; ++level) {
    if (counts[level] > 0 && ++levels.present == 1) levels.heaviest = level;
  }
  if (levels.present < 2 || (levels.missing == 0 && !weigh)) return levels;
  if (rows_.mostly_ones()) {
    level_weights_.assign(counts.begin(), counts.end());
    rows_.each_heavy(
        here, [&](size_t row) { level_weights_[axis.codes[row]] += rows_.units_of(row) - 1; });
  } else {
    level_weights_.assign(axis.values + 1, 0);
    each_bit(here, words,
             [&](size_t row) { level_weights_[axis.codes[row]] += rows_.units_of(row); });
  }
  const auto heaviest = std::max_element(level_weights_.begin(), level_weights_.end() - 1);
  levels.heaviest = static_cast<uint32_t>(heaviest - level_weights_.begin());
  return levels;
}

size_t Router::levels_at(RowSet at, const Axis& axis) {
  return count_levels(at, axis, false).present;
}

uint32_t Router::heaviest_level(RowSet at, const Axis& axis) {
  return count_levels(at, axis, true).heaviest;
}

RowSet Router::level_child(RowSet at, const Axis& axis, uint32_t level, const Levels& levels) {
  Word* const below = set(at.depth + 1);
  const Word* const here = sets_[at.depth].data();
  const Word* const with_level = rows_.level(axis, level, below);
  if (levels.missing == 0 || level != levels.heaviest) {
    return {at.depth + 1, intersect(here, with_level, below, rows_.words())};
  }
  unite(with_level, axis.missing.data(), below, rows_.words());
  return {at.depth + 1, intersect(here, below, below, rows_.words())};
}

RowSet Router::child(RowSet at, std::span<const Gene> genes, size_t node, size_t which_child) {
  const Gene& gene = genes[node];
  const Axis& axis = rows_.axes()[gene.feature];
  Word* const below = set(at.depth + 1);
  const Word* const here = sets_[at.depth].data();
  if (axis.nominal) {
    const Levels levels = axis.any_missing ? count_levels(at, axis, false) : Levels{};
    return level_child(at, axis, genes[which_child].branch, levels);
  }
  const Word* const first =
      rows_.first_side(axis, gene.cut, gene.missing_first, sides_[at.depth].data());
  return {at.depth + 1, which_child == node + 1 ? intersect(here, first, below, rows_.words())
                                                : subtract(here, first, below, rows_.words())};
}

RowSet Router::go_to(std::span<const Gene> genes, size_t node) {
  RowSet at = top();
  for (size_t here = 0; here != node;) {
    size_t next = here + 1;
    while (next + genes[next].size <= node) next += genes[next].size;
    at = child(at, genes, here, next);
    here = next;
  }
  return at;
}

Gene Router::leaf_of(RowSet at, uint32_t branch) {
  Gene leaf;
  leaf.branch = branch;
  rows_.sums(sets_[at.depth].data(), at.count, sums_.data());
  fitness_.judge(sums_.data(), leaf);
  return leaf;
}

// Without a set of them: the time is that of the rows of the level.
Gene Router::leaf_of_level(RowSet at, const Axis& axis, uint32_t level) {
  Gene leaf;
  leaf.branch = level;
  rows_.level_sums(axis, level, sets_[at.depth].data(), sums_.data());
  fitness_.judge(sums_.data(), leaf);
  return leaf;
}

void Router::route(std::span<const Gene> draft, size_t node, RowSet at, uint32_t branch,
                   Price price, Genes& out) {
  const Gene& gene = draft[node];
  if (gene.is_leaf() || at.depth >= fitness_.max_depth) {
    out.push_back(leaf_of(at, branch));
  } else if (rows_.axes()[gene.feature].nominal) {
    route_levels(draft, node, at, branch, price, out);
  } else {
    route_cut(draft, node, at, branch, price, out);
  }
}

void Router::route_cut(std::span<const Gene> draft, size_t node, RowSet at, uint32_t branch,
                       Price price, Genes& out) {
  const Gene& gene = draft[node];
  const Axis& axis = rows_.axes()[gene.feature];
  const size_t words = rows_.words();
  Word* const below = set(at.depth + 1);
  const Word* const here = sets_[at.depth].data();
  const Word* const first =
      rows_.first_side(axis, gene.cut, gene.missing_first, sides_[at.depth].data());
  const size_t second_child = nth_child(draft, node, 1);
  const size_t count = intersect(here, first, below, words);
  if (count == 0) return route(draft, second_child, at, branch, price, out);
  if (count == at.count) return route(draft, node + 1, at, branch, price, out);
  const size_t start = out.size();
  out.push_back(test_of(gene, branch));
  route(draft, node + 1, {at.depth + 1, count}, 0, price, out);
  // The recursion has used deeper sets only.
  subtract(here, first, below, words);
  route(draft, second_child, {at.depth + 1, at.count - count}, 0, price, out);
  close(out, start, at, price);
}

void Router::route_levels(std::span<const Gene> draft, size_t node, RowSet at, uint32_t branch,
                          Price price, Genes& out) {
  const Gene& gene = draft[node];
  const Axis& axis = rows_.axes()[gene.feature];
  set(at.depth + 1);
  const Levels levels = count_levels(at, axis, false);
  // Branches ascend, and levels are asked for in that order.
  size_t next = node + 1;
  const size_t end = node + gene.size;
  const auto draft_of = [&](uint32_t level) {
    while (next < end && draft[next].branch < level) next += draft[next].size;
    return next < end && draft[next].branch == level ? next : draft.size();
  };
  if (!affords(levels.present)) {
    out.push_back(leaf_of(at, branch));
    return;
  }
  if (levels.present < 2) {  // no test, then
    const size_t only = levels.present == 1 ? draft_of(levels.heaviest) : draft.size();
    if (only < draft.size()) return route(draft, only, at, branch, price, out);
    out.push_back(leaf_of(at, branch));
    return;
  }
  const size_t start = out.size();
  out.push_back(test_of(gene, branch));
  for (uint32_t level = 0; level < axis.values; ++level) {
    if (level_counts_[at.depth][level] == 0) continue;
    const size_t from = draft_of(level);
    const bool leaf = from == draft.size() || draft[from].is_leaf();
    if (leaf && !needs_set(axis, level, levels)) {
      out.push_back(leaf_of_level(at, axis, level));
    } else if (leaf) {
      out.push_back(leaf_of(level_child(at, axis, level, levels), level));
    } else {
      route(draft, from, level_child(at, axis, level, levels), level, price, out);
    }
  }
  close(out, start, at, price);
}

// The node at out[start] has all its children.
void Router::close(Genes& out, size_t start, RowSet at, Price price) {
  out[start].size = static_cast<uint32_t>(out.size() - start);
  if (price) prune_last(out, start, leaf_of(at, out[start].branch), *price);
}

void Router::prune_last(Genes& out, size_t start, const Gene& leaf, double price) const {
  const auto subtree = std::span<const Gene>(out).subspan(start);
  const double spared = fitness_.paid(subtree) - fitness_.paid(1, 1);
  if (leaf.loss - loss_of(subtree) > price * spared) return;
  out.resize(start);
  out.push_back(leaf);
}

// A cut that pays at the price of the tree as it is never lowers the fitness (Fitness::price);
// the price rises with what is cut, so it is asked again until it stays. Where it is the same for
// all trees nothing is left to do.
void Router::prune_to_price(Genes& out, size_t start, RowSet at, double rest, double price) {
  while (true) {
    const double now = fitness_.price(rest + loss_of(std::span<const Gene>(out).subspan(start)));
    if (!(now > price)) return;
    price = now;
    unpruned_.assign(out.begin() + static_cast<std::ptrdiff_t>(start), out.end());
    out.resize(start);
    route(unpruned_, 0, at, unpruned_[0].branch, price, out);
  }
}

void Router::route_pruned(std::span<const Gene> draft, RowSet at, uint32_t branch, double rest,
                          Genes& out) {
  const double price = fitness_.price(rest);
  const size_t start = out.size();
  route(draft, 0, at, branch, price, out);
  prune_to_price(out, start, at, rest, price);
}

void Router::replace(Individual& tree, size_t node, std::span<const Gene> draft) {
  replace(tree, node, go_to(tree.genes, node), draft, false);
}

void Router::replace(Individual& tree, size_t node, RowSet at, std::span<const Gene> draft,
                     bool prune) {
  routed_.clear();
  if (prune) {
    route_pruned(draft, at, tree.genes[node].branch, loss_elsewhere(tree.genes, node), routed_);
  } else {
    route(draft, 0, at, tree.genes[node].branch, {}, routed_);
  }
  paste(tree, node, routed_);
}

void Router::paste(Individual& tree, size_t node, std::span<const Gene> subtree) const {
  const auto before = tree.genes[node].size;
  const auto after = static_cast<uint32_t>(subtree.size());
  for (size_t i = 0; i < node; ++i) {  // ancestors
    if (i + tree.genes[i].size <= node) continue;
    tree.genes[i].size = tree.genes[i].size + after - before;
    tree.genes[i].settled = false;
  }
  const auto place = tree.genes.begin() + static_cast<std::ptrdiff_t>(node);
  if (after <= before) {
    std::copy(subtree.begin(), subtree.end(), place);
    tree.genes.erase(place + after, place + before);
  } else {
    std::copy_n(subtree.begin(), before, place);
    tree.genes.insert(place + before, subtree.begin() + before, subtree.end());
  }
  fitness_.finish(tree);
}

void Router::reroute(Individual& tree, bool prune) {
  routed_.clear();
  if (prune) {
    route_pruned(tree.genes, top(), 0, 0, routed_);
  } else {
    route(tree.genes, 0, top(), 0, {}, routed_);
  }
  tree.genes.assign(routed_.begin(), routed_.end());
  fitness_.finish(tree);
}

}  // namespace softwood::evolve

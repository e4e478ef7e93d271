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

Router::Router(const CodedRows& rows, const Objective& objective)
    : rows_(rows), objective_(objective), sums_(rows.sums_width()) {}

Word* Router::set(size_t depth) {
  while (sets_.size() <= depth) {
    sets_.emplace_back(rows_.words());
    sides_.emplace_back(rows_.words());
    level_counts_.emplace_back();
  }
  return sets_[depth].data();
}

Place Router::top() {
  std::copy_n(rows_.all(), rows_.words(), set(0));
  return {0, rows_.rows()};
}

Router::Levels Router::count_levels(Place at, const Axis& axis, bool weigh) {
  const Word* const here = sets_[at.depth].data();
  const size_t words = rows_.words();
  std::vector<size_t>& counts = level_counts_[at.depth];
  counts.assign(axis.values + 1, 0);
  // Passes over all words, or a look at every row: whichever is less.
  constexpr size_t row_cost = 6;  // of words in a pass
  if (axis.values * words < words + row_cost * at.count) {
    for (uint32_t level = 0; level < axis.values; ++level) {
      counts[level] = count_common(here, rows_.level(axis, level), words);
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
  level_weights_.assign(axis.values + 1, 0);
  each_bit(here, words,
           [&](size_t row) { level_weights_[axis.codes[row]] += rows_.units_of(row); });
  const auto heaviest = std::max_element(level_weights_.begin(), level_weights_.end() - 1);
  levels.heaviest = static_cast<uint32_t>(heaviest - level_weights_.begin());
  return levels;
}

uint32_t Router::heaviest_level(Place at, const Axis& axis) {
  return count_levels(at, axis, true).heaviest;
}

Place Router::level_child(Place at, const Axis& axis, uint32_t level, const Levels& levels) {
  Word* const below = set(at.depth + 1);
  const Word* const here = sets_[at.depth].data();
  if (levels.missing == 0 || level != levels.heaviest) {
    return {at.depth + 1, intersect(here, rows_.level(axis, level), below, rows_.words())};
  }
  unite(rows_.level(axis, level), axis.missing.data(), below, rows_.words());
  return {at.depth + 1, intersect(here, below, below, rows_.words())};
}

Place Router::child(Place at, std::span<const Gene> genes, size_t node, size_t which_child) {
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

Place Router::go_to(std::span<const Gene> genes, size_t node) {
  Place at = top();
  for (size_t here = 0; here != node;) {
    size_t next = here + 1;
    while (next + genes[next].size <= node) next += genes[next].size;
    at = child(at, genes, here, next);
    here = next;
  }
  return at;
}

Gene Router::leaf_of(Place at, uint32_t branch) {
  Gene leaf;
  leaf.branch = branch;
  rows_.sums(sets_[at.depth].data(), at.count, sums_.data());
  objective_.judge(sums_.data(), leaf);
  return leaf;
}

void Router::route(std::span<const Gene> draft, size_t node, Place at, uint32_t branch, bool prune,
                   Genes& out) {
  const Gene& gene = draft[node];
  if (gene.is_leaf() || at.depth >= objective_.max_depth) {
    out.push_back(leaf_of(at, branch));
  } else if (rows_.axes()[gene.feature].nominal) {
    route_levels(draft, node, at, branch, prune, out);
  } else {
    route_cut(draft, node, at, branch, prune, out);
  }
}

void Router::route_cut(std::span<const Gene> draft, size_t node, Place at, uint32_t branch,
                       bool prune, Genes& out) {
  const Gene& gene = draft[node];
  const Axis& axis = rows_.axes()[gene.feature];
  const size_t words = rows_.words();
  Word* const below = set(at.depth + 1);
  const Word* const here = sets_[at.depth].data();
  const Word* const first =
      rows_.first_side(axis, gene.cut, gene.missing_first, sides_[at.depth].data());
  const size_t second_child = nth_child(draft, node, 1);
  const size_t count = intersect(here, first, below, words);
  if (count == 0) return route(draft, second_child, at, branch, prune, out);
  if (count == at.count) return route(draft, node + 1, at, branch, prune, out);
  const size_t start = out.size();
  out.push_back(test_of(gene, branch));
  route(draft, node + 1, {at.depth + 1, count}, 0, prune, out);
  // The recursion has used deeper sets only.
  subtract(here, first, below, words);
  route(draft, second_child, {at.depth + 1, at.count - count}, 0, prune, out);
  close(out, start, at, prune);
}

void Router::route_levels(std::span<const Gene> draft, size_t node, Place at, uint32_t branch,
                          bool prune, Genes& out) {
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
  if (levels.present < 2) {  // no test, then
    const size_t only = levels.present == 1 ? draft_of(levels.heaviest) : draft.size();
    if (only < draft.size()) return route(draft, only, at, branch, prune, out);
    out.push_back(leaf_of(at, branch));
    return;
  }
  const size_t start = out.size();
  out.push_back(test_of(gene, branch));
  for (uint32_t level = 0; level < axis.values; ++level) {
    if (level_counts_[at.depth][level] == 0) continue;
    const Place below = level_child(at, axis, level, levels);
    const size_t from = draft_of(level);
    if (from < draft.size()) {
      route(draft, from, below, level, prune, out);
    } else {
      out.push_back(leaf_of(below, level));
    }
  }
  close(out, start, at, prune);
}

// The node at out[start] has all its children.
void Router::close(Genes& out, size_t start, Place at, bool prune) {
  out[start].size = static_cast<uint32_t>(out.size() - start);
  if (prune) prune_last(out, start, leaf_of(at, out[start].branch));
}

void Router::prune_last(Genes& out, size_t start, const Gene& leaf) const {
  const auto subtree = std::span<const Gene>(out).subspan(start);
  double loss = 0;
  for (const Gene& gene : subtree) loss += gene.loss;
  const double spared = objective_.paid(subtree) - objective_.paid(1, 1);
  if (leaf.loss - loss > objective_.price(objective_.root_loss) * spared) return;
  out.resize(start);
  out.push_back(leaf);
}

void Router::replace(Individual& tree, size_t node, std::span<const Gene> draft) {
  replace(tree, node, go_to(tree.genes, node), draft, false);
}

void Router::replace(Individual& tree, size_t node, Place at, std::span<const Gene> draft,
                     bool prune) {
  routed_.clear();
  route(draft, 0, at, tree.genes[node].branch, prune, routed_);
  paste(tree, node, routed_);
}

void Router::paste(Individual& tree, size_t node, std::span<const Gene> subtree) const {
  const auto before = tree.genes[node].size;
  const auto after = static_cast<uint32_t>(subtree.size());
  for (size_t i = 0; i < node; ++i) {  // ancestors
    if (i + tree.genes[i].size > node) tree.genes[i].size = tree.genes[i].size + after - before;
  }
  const auto place = tree.genes.begin() + static_cast<std::ptrdiff_t>(node);
  if (after <= before) {
    std::copy(subtree.begin(), subtree.end(), place);
    tree.genes.erase(place + after, place + before);
  } else {
    std::copy_n(subtree.begin(), before, place);
    tree.genes.insert(place + before, subtree.begin() + before, subtree.end());
  }
  objective_.finish(tree);
}

void Router::reroute(Individual& tree, bool prune) {
  routed_.clear();
  route(tree.genes, 0, top(), 0, prune, routed_);
  tree.genes.assign(routed_.begin(), routed_.end());
  objective_.finish(tree);
}

}  // namespace softwood::evolve

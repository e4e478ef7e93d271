#include "tree/edit.h"

#include <algorithm>
#include <array>
#include <optional>
#include <utility>

#include "tree/descent.h"

namespace softwood {

void graft(Tree& tree, NodeIndex leaf, Tree& fragment) {
  std::vector<std::pair<NodeIndex, NodeIndex>> open = {{leaf, 0}};  // place in tree, in fragment
  while (!open.empty()) {
    const auto [to, from] = open.back();
    open.pop_back();
    std::copy_n(fragment.sums(from).begin(), fragment.width(), tree.sums(to).begin());
    Node& node = fragment.node(from);
    if (node.is_leaf()) continue;
    const uint32_t children = fragment.children(from);
    const NodeIndex first = tree.split(to, std::move(node.gate()), std::move(node.missing()));
    tree.node(to).notes() = node.notes();
    for (uint32_t c = 0; c < children; ++c) open.emplace_back(first + c, node.first_child + c);
  }
}

Tree branch_of(const Tree& tree, NodeIndex node) {
  Tree branch(tree.task(), tree.classes());
  branch.set_typical(tree.typical());
  branch.set_costs(tree.costs());
  branch.set_leaf_plan(tree.leaf_plan());
  std::vector<std::pair<NodeIndex, NodeIndex>> open = {{0, node}};  // place in branch, in tree
  while (!open.empty()) {
    const auto [to, from] = open.back();
    open.pop_back();
    std::copy_n(tree.sums(from).begin(), tree.width(), branch.sums(to).begin());
    const Node& old = tree.node(from);
    branch.node(to).model = old.model;
    if (old.is_leaf()) continue;
    const NodeIndex first = branch.split(to, old.gate(), old.missing());
    branch.node(to).notes() = old.notes();
    for (uint32_t c = 0; c < tree.children(from); ++c) {
      open.emplace_back(first + c, old.first_child + c);
    }
  }
  // Without weight a node answers as the one above it.
  const std::vector<NodeIndex> parents = parents_of(tree);
  while (!(tree.weight(node) > 0) && node > 0) node = parents[node];
  std::copy_n(tree.sums(node).begin(), tree.width(), branch.sums(0).begin());
  branch.canonicalise();
  return branch;
}

namespace {

// The child that has all the weight of a node but for so little, if one does.
std::optional<NodeIndex> only_child(const Tree& tree, NodeIndex node, double least) {
  if (tree.node(node).missing().rule == MissingRule::stay) return std::nullopt;
  const NodeIndex first = tree.node(node).first_child;
  NodeIndex heaviest = first;
  size_t with_rows = 0;
  for (uint32_t c = 0; c < tree.children(node); ++c) {
    if (tree.weight(first + c) > least) ++with_rows;
    if (tree.weight(first + c) > tree.weight(heaviest)) heaviest = first + c;
  }
  if (with_rows > 1 || !(tree.weight(heaviest) > 0)) return std::nullopt;
  return heaviest;
}

}  // namespace

Tree without_empty_branches(const Tree& tree, double least) {
  Tree kept(tree.task(), tree.classes());
  kept.set_typical(tree.typical());
  kept.set_costs(tree.costs());
  kept.set_leaf_plan(tree.leaf_plan());
  std::vector<std::pair<NodeIndex, NodeIndex>> open = {{0, 0}};  // place in `kept`, in `tree`
  while (!open.empty()) {
    auto [to, from] = open.back();
    open.pop_back();
    while (!tree.node(from).is_leaf()) {
      const std::optional<NodeIndex> only = only_child(tree, from, least);
      if (!only) break;
      from = *only;
    }
    std::copy_n(tree.sums(from).begin(), tree.width(), kept.sums(to).begin());
    kept.node(to).model = tree.node(from).model;
    if (tree.node(from).is_leaf()) continue;
    const NodeIndex first = kept.split(to, tree.node(from).gate(), tree.node(from).missing());
    kept.node(to).notes() = tree.node(from).notes();
    for (uint32_t c = 0; c < tree.children(from); ++c) {
      open.emplace_back(first + c, tree.node(from).first_child + c);
    }
  }
  kept.canonicalise();
  return kept;
}

void add_sums(Task task, std::span<double> sums, std::span<const double> more) {
  if (task == Task::classification) {
    for (size_t k = 0; k < sums.size(); ++k) sums[k] += more[k];
    return;
  }
  if (!(more[0] > 0)) return;
  const double weight = sums[0] + more[0], apart = more[1] - sums[1];
  sums[2] += more[2] + apart * apart * (sums[0] / weight) * more[0];
  sums[1] += apart * (more[0] / weight);
  sums[0] = weight;
}

void add_row(Task task, std::span<double> sums, const Table& table, RowIndex row, double weight) {
  if (task == Task::classification) {
    sums[static_cast<size_t>(table.target().codes[row])] += weight;
  } else {
    add_sums(task, sums, std::array{weight, table.target().numbers[row], 0.0});
  }
}

void send_unseen_to_heaviest(Tree& tree) {
  for (NodeIndex i = 0; i < tree.size(); ++i) {
    if (tree.node(i).is_leaf()) continue;
    Missing& missing = tree.node(i).missing();
    if (missing.rule != MissingRule::child || missing.weight > 0) continue;
    missing.child = 0;
    const NodeIndex first = tree.node(i).first_child;
    for (uint32_t c = 1; c < tree.children(i); ++c) {
      if (tree.weight(first + c) > tree.weight(first + missing.child)) missing.child = c;
    }
  }
}

namespace {

// Adds rows to the sums of the nodes that they reach, and those without a value to their weight.
struct Counter : DescentVisitor {
  Tree& tree;
  const Table& table;
  std::span<const RowIndex> rows = {};

  Counter(Tree& of, const Table& from) : tree(of), table(from) {}

  void reach(NodeIndex node, std::span<const Share> here) {
    for (const Share& share : here) {
      add_row(tree.task(), tree.sums(node), table, rows[share.position], share.weight);
    }
  }
  const Missing* rule(NodeIndex node, std::span<const Share> here, const NodeWeights& weights) {
    Missing& missing = tree.node(node).missing();
    for (const uint32_t i : weights.missing()) missing.weight += here[i].weight;
    return nullptr;
  }
};

}  // namespace

void count_rows(Tree& tree, const Table& table, std::span<const RowIndex> rows) {
  Descent descent(tree, table, follow_all);
  Counter counter(tree, table);
  std::vector<Share> start;
  // Divided rows may reach every node.
  constexpr size_t most_shares = size_t{1} << 25, least_rows = 256;
  const size_t block = std::clamp(most_shares / tree.size(), least_rows, most_block_rows);
  for (size_t begin = 0; begin < rows.size(); begin += block) {
    counter.rows = rows.subspan(begin, std::min(block, rows.size() - begin));
    start.clear();
    for (uint32_t i = 0; i < counter.rows.size(); ++i) {
      start.push_back({i, table.weight(counter.rows[i])});
    }
    descent.run(0, counter.rows, start, counter);
  }
  send_unseen_to_heaviest(tree);
}

Tree without_leaf_models(Tree tree) {
  for (NodeIndex i = 0; i < tree.size(); ++i) tree.node(i).model.reset();
  tree.set_leaf_plan({});
  return tree;
}

}  // namespace softwood

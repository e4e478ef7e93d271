#include "explain/path_tree.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "lower/condition.h"

namespace softwood {
namespace {

// Shares of the training rows that went to the children, and of those that stayed.
std::vector<double> training_shares(const LoweredTree& tree, const LoweredSplit& split) {
  std::vector<double> shares;
  for (uint32_t c = 0; c < split.children; ++c) {
    shares.push_back(std::max(0.0, tree.nodes[split.first_child + c].weight));
  }
  const bool stays = split.missing.action == MissingAction::stay;
  if (stays) shares.push_back(std::max(0.0, split.missing.weight));
  const double all = std::reduce(shares.begin(), shares.end());
  for (size_t c = 0; c < shares.size(); ++c) {
    // Nodes that no training row reached: all children alike.
    shares[c] = all > 0 ? shares[c] / all : c < split.children ? 1.0 / split.children : 0;
  }
  return shares;
}

// What a row gives to the children, and to the node itself where the rule is `stay`.
void row_shares(const LoweredSplit& split, double cell, double typical, std::span<double> shares) {
  const size_t own = condition_children(split.condition);
  std::fill(shares.begin(), shares.end(), 0.0);
  if (weigh_children(
          split.condition, [cell](uint32_t) { return cell; }, shares.first(own)))
    return;
  std::fill(shares.begin(), shares.end(), 0.0);
  switch (split.missing.action) {
    case MissingAction::shares:
      std::copy(split.missing.shares.begin(), split.missing.shares.end(), shares.begin());
      return;
    case MissingAction::stay:
    case MissingAction::own_child:
      shares.back() = 1;
      return;
    case MissingAction::impute:
      if (const double value = std::isnan(cell) ? typical : cell; weigh_children(
              split.condition, [value](uint32_t) { return value; }, shares.first(own))) {
        return;
      }
      break;
    case MissingAction::child:
      break;
  }
  shares[split.missing.child] = 1;
}

bool reads_one_input(const LoweredSplit& split) {
  return condition_inputs(split.condition).size() == 1 && split.missing.surrogates.empty();
}

}  // namespace

std::optional<PathTree> PathTree::make(const LoweredTree& tree, const Quantity& quantity) {
  if (!quantity.is_sum_over_ends()) return {};
  PathTree paths;
  for (const LoweredNode& node : tree.nodes) {
    if (node.is_leaf()) continue;
    if (!reads_one_input(*node.split)) return {};
    paths.inputs_.push_back(condition_inputs(node.split->condition)[0]);
  }
  std::vector<uint32_t>& inputs = paths.inputs_;
  std::sort(inputs.begin(), inputs.end());
  inputs.erase(std::unique(inputs.begin(), inputs.end()), inputs.end());
  paths.base_.assign(quantity.outputs(), 0.0);
  paths.path_ = {0};  // the root has no edge
  if (tree.nodes[0].is_leaf()) {
    quantity.of_end(tree.nodes[0], paths.base_);
    return paths;
  }
  paths.add_splits(tree, quantity);

  // The base value by the shares along all paths, and values as differences from it: what all
  // leaves have in common would only cost digits.
  const size_t outputs = paths.outputs();
  std::vector<double> share(paths.depth_ + 1, 1.0), weights(paths.edges_.size());
  paths.training_weights(weights.data(), 0, 1);
  for (size_t e = 0; e < paths.edges_.size(); ++e) {
    const PathEdge& edge = paths.edges_[e];
    share[edge.depth] = share[edge.depth - 1] * weights[e];
    if (!edge.is_end) continue;
    for (size_t o = 0; o < outputs; ++o) {
      paths.base_[o] += share[edge.depth] * paths.values_[e * outputs + o];
    }
  }
  for (size_t i = 0; i < paths.values_.size(); ++i) paths.values_[i] -= paths.base_[i % outputs];
  return paths;
}

PathTree::OpenSplit PathTree::open_split(const LoweredTree& tree, uint32_t node, uint32_t depth,
                                         uint32_t edge) {
  const LoweredSplit& split = *tree.nodes[node].split;
  const uint32_t input = condition_inputs(split.condition)[0];
  const auto position = static_cast<uint32_t>(
      std::lower_bound(inputs_.begin(), inputs_.end(), input) - inputs_.begin());
  const auto* const score = std::get_if<LoweredScore>(&split.condition);
  const bool threshold = score != nullptr && is_threshold(*score);
  splits_.push_back({&split,
                     position,
                     threshold,
                     threshold ? score->cut : 0,
                     tree.inputs[input].typical,
                     {},
                     training_shares(tree, split)});
  uint32_t earlier = depth - 1;
  while (earlier > 0 && edges_[path_[earlier]].input != position) --earlier;
  if (earlier > 0) edges_[path_[earlier]].again = true;
  return {node, depth, edge, splits_.size() - 1, earlier, 0};
}

uint32_t PathTree::add_edge(const OpenSplit& from, bool is_end) {
  const auto edge = static_cast<uint32_t>(edges_.size());
  splits_[from.at].edges.push_back(edge);
  edges_.push_back({from.depth, splits_[from.at].input, from.earlier, edge + 1, is_end, false});
  values_.resize(edges_.size() * outputs());
  return edge;
}

void PathTree::add_end(const OpenSplit& from, uint32_t edge, const LoweredNode& end,
                       const Quantity& quantity) {
  quantity.of_end(end, std::span(values_).subspan(edge * outputs(), outputs()));
  depth_ = std::max(depth_, from.depth);
  uint32_t distinct = from.earlier == 0 ? 1 : 0;
  for (uint32_t d = 1; d < from.depth; ++d) distinct += edges_[path_[d]].earlier == 0 ? 1 : 0;
  most_inputs_ = std::max(most_inputs_, distinct);
}

// Depth first, so that what is below an edge follows it.
void PathTree::add_splits(const LoweredTree& tree, const Quantity& quantity) {
  std::vector<OpenSplit> open{open_split(tree, 0, 1, 0)};
  while (!open.empty()) {
    const LoweredSplit& split = *splits_[open.back().at].split;
    const uint32_t ways = split.children + (split.missing.action == MissingAction::stay ? 1 : 0);
    if (open.back().next == ways) {
      if (open.back().depth > 1) {
        edges_[open.back().edge].after = static_cast<uint32_t>(edges_.size());
      }
      open.pop_back();
      continue;
    }
    const uint32_t way = open.back().next++;
    const OpenSplit here = open.back();
    const bool child = way < split.children;
    const LoweredNode& to = tree.nodes[child ? split.first_child + way : here.node];
    const bool is_end = !child || to.is_leaf();
    const uint32_t edge = add_edge(here, is_end);
    if (is_end) {
      add_end(here, edge, to, quantity);
      continue;
    }
    path_.resize(here.depth);
    path_.push_back(edge);
    open.push_back(open_split(tree, split.first_child + way, here.depth + 1, edge));
  }
}

void PathTree::training_weights(double* weights, size_t lane, size_t lanes) const {
  for (const Split& split : splits_) {
    for (size_t i = 0; i < split.edges.size(); ++i) {
      weights[split.edges[i] * lanes + lane] = split.training[i];
    }
  }
}

void PathTree::row_weights(const Table& table, RowIndex row, double* weights, size_t lane,
                           size_t lanes) const {
  std::vector<double> shares;
  for (const Split& split : splits_) {
    const double cell = table.input(inputs_[split.input]).value(row);
    if (split.threshold && !std::isnan(cell)) {
      const bool first = cell <= split.cut;
      weights[split.edges[0] * lanes + lane] = first ? 1 : 0;
      weights[split.edges[1] * lanes + lane] = first ? 0 : 1;
      // Of a child or a node for missing values alone.
      if (split.edges.size() > 2) weights[split.edges[2] * lanes + lane] = 0;
      continue;
    }
    weigh(split, cell, shares);
    for (size_t i = 0; i < split.edges.size(); ++i) {
      weights[split.edges[i] * lanes + lane] = shares[i];
    }
  }
}

void PathTree::weigh(const Split& split, double cell, std::vector<double>& shares) {
  shares.resize(split.edges.size());
  row_shares(*split.split, cell, split.typical, shares);
}

bool PathTree::passes(const Table& table, std::span<const RowIndex> rows, uint16_t* passes) const {
  constexpr uint16_t all = 0xffff;
  std::vector<double> shares, cells(rows.size());
  for (const Split& split : splits_) {
    const Column& column = table.input(inputs_[split.input]);
    bool missing = false;
    for (size_t r = 0; r < rows.size(); ++r) {
      cells[r] = column.value(rows[r]);
      missing = missing || std::isnan(cells[r]);
    }
    if (split.threshold && !missing) {
      uint16_t* const first = passes + split.edges[0] * rows.size();
      uint16_t* const second = passes + split.edges[1] * rows.size();
      for (size_t r = 0; r < rows.size(); ++r) {
        first[r] = cells[r] <= split.cut ? all : 0;
        second[r] = static_cast<uint16_t>(~first[r]);
      }
      // Of a child or a node for missing values alone.
      for (size_t i = 2; i < split.edges.size(); ++i) {
        std::fill_n(passes + split.edges[i] * rows.size(), rows.size(), uint16_t{0});
      }
      continue;
    }
    for (size_t r = 0; r < rows.size(); ++r) {
      weigh(split, cells[r], shares);
      for (size_t i = 0; i < split.edges.size(); ++i) {
        if (shares[i] != 0 && shares[i] != 1) return false;
        passes[split.edges[i] * rows.size() + r] = shares[i] != 0 ? all : 0;
      }
    }
  }
  return true;
}

}  // namespace softwood

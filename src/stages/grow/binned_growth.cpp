#include "stages/grow/binned_growth.h"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <limits>

#include "data/class_weights.h"
#include "data/feature_options.h"
#include "softwood/error.h"
#include "stages/grow/frontier.h"
#include "tree/costs.h"

namespace softwood::grow {
namespace {

// Targets that are equal up to their own rounding have nothing to explain.
bool are_equal(const RowCoding& coding) {
  constexpr double rounding = 4 * std::numeric_limits<double>::epsilon();
  const double size = std::max(std::abs(coding.least), std::abs(coding.largest));
  return !(coding.largest - coding.least > rounding * size);
}

}  // namespace

BinnedGrowth::BinnedGrowth(const BinnedPlan& plan, std::optional<GrowthStart> start)
    : coding_(plan.coding),
      limits_(plan.options),
      start_(std::move(start)),
      search_(plan, {0, plan.coding.bins.size()}),
      width_(plan.coding.cell_width()),
      grown_{Tree(plan.schema.task(), plan.schema.classes()), {0}} {
  grown_.tree.set_costs({plan.costs.begin(), plan.costs.end()});
}

void BinnedGrowth::start(std::span<const int64_t> root) {
  if (start_) {
    search_.start(start_->factor);
    deviation_ = start_->deviation;
    return;
  }
  search_.start(root);
  if (coding_.classes > 0) return;
  pure_ = are_equal(coding_);
  deviation_ = pure_ ? 0 : coding_.squares / coding_.weight;
}

void BinnedGrowth::open_root(OpenNode root) {
  start(root.sums);
  set_node_sums(0, search_.cell_of(root.sums));
  const Tree& tree = grown_.tree;
  limits_.set_root_weight(start_ ? start_->root_weight : tree.weight(0));
  root.depth = start_ ? start_->depth : 0;
  if (may_split(tree, 0, root.depth, limits_)) open_.push_back(std::move(root));
}

void BinnedGrowth::set_root(Histogram sums) {
  std::vector<int64_t> root = search_.sums_of(sums);
  open_root({0, 0, std::move(root), std::move(sums), {}});
}

void BinnedGrowth::set_root(std::vector<int64_t> sums, Candidates candidates) {
  if (sums.size() != width_) throw Error(ErrorKind::failure, "sums of other targets");
  open_root({0, 0, std::move(sums), {}, std::move(candidates)});
}

HistogramQuery BinnedGrowth::divide(size_t most_cells, const Parallel& parallel,
                                    const Control& control) {
  // Many nodes at a time, so that rows are asked about seldom, but not so many that their
  // histograms fill the memory; the last ones first, so that few are waiting.
  const size_t batch = std::min(open_.size(), std::max<size_t>(1, most_cells / cells()));
  const auto from = open_.end() - static_cast<std::ptrdiff_t>(batch);
  std::vector<OpenNode> nodes(std::make_move_iterator(from), std::make_move_iterator(open_.end()));
  open_.erase(from, open_.end());
  std::vector<FoundSplit> found(nodes.size());
  parallel.each(nodes.size(), [&](size_t i) { found[i] = find_split(nodes[i], control); });
  std::vector<OpenNode> kept;
  std::vector<FoundSplit> kept_found;
  for (size_t i = 0; i < nodes.size(); ++i) {
    if (!(found[i].improvement > 0)) {
      settled_ += grown_.tree.weight(nodes[i].node);
      continue;
    }
    kept.push_back(std::move(nodes[i]));
    kept_found.push_back(std::move(found[i]));
  }
  return apply(std::move(kept), kept_found);
}

FoundSplit BinnedGrowth::find_split(const OpenNode& open, const Control& control) const {
  control.throw_if_interrupted();
  const std::vector<double> cell = search_.cell_of(open.sums);
  if (open.histogram.empty()) {
    return search_.best(open.candidates, cell, grown_.tree, open.node, limits_);
  }
  return search_.best(search_.candidates(open.histogram), cell, grown_.tree, open.node, limits_);
}

// Splits all these nodes; asks once for what the open children need.
HistogramQuery BinnedGrowth::apply(std::vector<OpenNode> nodes,
                                   const std::vector<FoundSplit>& found) {
  HistogramQuery query;
  pending_ = {};
  for (size_t i = 0; i < nodes.size(); ++i) {
    const NodeIndex first = split(nodes[i], found[i], query);
    finish_split(nodes[i], found[i], first, query);
  }
  return query;
}

// Which children of a node stay open, and whose sums are asked for.
void BinnedGrowth::finish_split(OpenNode& open, const FoundSplit& split, NodeIndex first,
                                HistogramQuery& query) {
  constexpr uint64_t nobody = CountPlan::nobody;
  const Tree& tree = grown_.tree;
  const uint32_t children = split.children;
  const uint32_t heaviest = heavier_child(tree, first, children);
  CountPlan& plan = pending_.plan;
  std::vector<uint64_t> place(children, nobody);  // in next
  for (uint32_t c = 0; c < children; ++c) {
    const NodeIndex child = first + c;
    if (!may_split(tree, child, open.depth + 1, limits_)) {
      settled_ += tree.weight(child);
    } else if (is_small_ && is_small_(tree.weight(child), limits_.max_depth - open.depth - 1)) {
      small_.push_back({child, open.depth + 1});
    } else {
      place[c] = pending_.next.size();
      const auto sums = split.child_sums.begin() + static_cast<std::ptrdiff_t>(c * width_);
      pending_.next.push_back(
          {child, open.depth + 1, {sums, sums + static_cast<std::ptrdiff_t>(width_)}, {}, {}});
      plan.next.push_back(child);
      plan.rest_of.push_back(c == heaviest ? uint64_t{open.node} : nobody);
    }
  }
  const uint64_t rest = place[heaviest];
  if (rest != nobody) pending_.next[rest].histogram = std::move(open.histogram);
  for (uint32_t c = 0; c < children; ++c) {
    const bool is_rest = c == heaviest && rest != nobody;
    if (is_rest || (place[c] == nobody && rest == nobody)) continue;
    query.nodes.push_back(first + c);
    plan.asked.push_back(place[c]);
    plan.subtract_from.push_back(rest);
  }
}

void BinnedGrowth::count(std::span<const int64_t> sums) {
  std::vector<Histogram*> next;
  for (OpenNode& node : pending_.next) next.push_back(&node.histogram);
  pending_.plan.fill(sums, cells(), next);
  for (OpenNode& node : pending_.next) open_.push_back(std::move(node));
  pending_ = {};
}

void BinnedGrowth::take_candidates(std::vector<Candidates> candidates) {
  if (candidates.size() != pending_.next.size()) {
    throw Error(ErrorKind::failure, "splits of other nodes than those asked for");
  }
  for (size_t i = 0; i < candidates.size(); ++i) {
    pending_.next[i].candidates = std::move(candidates[i]);
    open_.push_back(std::move(pending_.next[i]));
  }
  pending_ = {};
}

std::vector<NodeIndex> BinnedGrowth::waiting() const {
  std::vector<NodeIndex> nodes;
  for (const OpenNode& open : open_) nodes.push_back(open.node);
  return nodes;
}

bool BinnedGrowth::limits_leaves() const {
  return limits_.max_leaves < std::numeric_limits<size_t>::max();
}

void BinnedGrowth::grow_best_first(const Ask& ask, const Control& control) {
  if (open_.empty()) return;
  OpenNode root = std::move(open_.back());
  open_.clear();
  grow::grow_best_first(
      std::move(root), limits_.max_leaves,
      [&](const OpenNode& open) { return find_split(open, control); },
      [&](OpenNode& open, const FoundSplit& found) {
        std::vector<OpenNode> one;
        one.push_back(std::move(open));
        count(ask(apply(std::move(one), {found})));
        return std::exchange(open_, {});
      },
      [&](const OpenNode& open) { return size_t{grown_.tree.children(open.node)}; },
      [&](size_t leaves) { report_leaves(control, leaves, limits_.max_leaves); });
}

// Gives the node its gate, the children their sums, and the query the division of the rows.
NodeIndex BinnedGrowth::split(const OpenNode& open, const FoundSplit& found,
                              HistogramQuery& query) {
  Tree& tree = grown_.tree;
  if (found.child_sums.size() != found.children * width_ || found.missing.size() != width_) {
    throw Error(ErrorKind::failure, "sums of other children than those of the split");
  }
  Division division = division_of(found, coding_.bins.at(found.feature));
  const auto codes_begin = static_cast<uint32_t>(query.child_of_code.size());
  query.child_of_code.insert(query.child_of_code.end(), division.child_of_code.begin(),
                             division.child_of_code.end());
  const NodeIndex first =
      tree.split(open.node, std::move(division.gate), std::move(division.missing));
  tree.node(open.node).notes().gain = found.improvement / tree.weight(open.node);
  query.splits.push_back({open.node, found.feature, first, found.children, codes_begin});
  for (uint32_t c = 0; c < found.children; ++c) {
    const std::span<const int64_t> sums = std::span(found.child_sums).subspan(c * width_, width_);
    set_node_sums(first + c, search_.cell_of(sums));
  }
  Missing& rule = tree.node(open.node).missing();
  rule.weight = search_.weight_of(search_.cell_of(found.missing).data());
  if (!(rule.weight > 0)) rule.child = heavier_child(tree, first, found.children);
  return first;
}

void BinnedGrowth::set_node_sums(NodeIndex node, std::span<const double> cell) {
  const std::span<double> sums = grown_.tree.sums(node);
  grown_.centred_mean.resize(grown_.tree.size());
  if (coding_.classes > 0) {
    std::copy(cell.begin(), cell.end(), sums.begin());
    return;
  }
  grown_.centred_mean[node] = cell[0] > 0 ? cell[1] / cell[0] : 0;
  sums[0] = cell[0];
  sums[1] = coding_.centre + grown_.centred_mean[node];
  sums[2] = deviation_ * cell[0];  // not known before the end; this keeps the node open
}

GrowthStart BinnedGrowth::start_of(const SmallNode& node) const {
  return {node.depth, grown_.tree.weight(0), deviation_, search_.factor()};
}

void BinnedGrowth::graft(NodeIndex node, const BinnedTree& part) {
  Tree& tree = grown_.tree;
  std::vector<NodeIndex> place(part.tree.size());  // in this tree
  place[0] = node;
  for (NodeIndex i = 0; i < part.tree.size(); ++i) {
    const Node& from = part.tree.node(i);
    if (from.is_leaf()) continue;
    const NodeIndex first = tree.split(place[i], from.gate(), from.missing());
    tree.node(place[i]).notes().gain = from.notes().gain;
    grown_.centred_mean.resize(tree.size());
    for (uint32_t c = 0; c < part.tree.children(i); ++c) {
      const NodeIndex child = from.first_child + c;
      place[child] = first + c;
      std::copy_n(part.tree.sums(child).begin(), tree.width(), tree.sums(first + c).begin());
      grown_.centred_mean[first + c] = part.centred_mean[child];
    }
  }
}

bool BinnedGrowth::wants_deviations() const { return coding_.classes == 0 && !pure_; }

DeviationQuery BinnedGrowth::deviation_query() const {
  const Tree& tree = grown_.tree;
  DeviationQuery query;
  query.parent = parents_of(tree);
  const double farthest = std::max(std::abs(coding_.least - coding_.centre),
                                   std::abs(coding_.largest - coding_.centre));
  int exponent = 0;
  std::frexp(4 * farthest * farthest * tree.weight(0), &exponent);
  query.square_unit = std::ldexp(1.0, exponent - 62);
  // All rows together stay below 2^62 of the small units.
  query.fine_below =
      std::ldexp(query.square_unit / DeviationQuery::fine_units, 62) / tree.weight(0);
  for (NodeIndex i = 0; i < tree.size(); ++i) {
    query.is_leaf.push_back(tree.node(i).is_leaf() ? 1 : 0);
  }
  query.mean = grown_.centred_mean;
  return query;
}

void BinnedGrowth::set_deviations(const Deviations& deviations) {
  if (deviations.nodes() != grown_.tree.size()) {
    throw Error(ErrorKind::failure, "deviations of another tree");
  }
  const double unit = deviation_query().square_unit;
  for (NodeIndex i = 0; i < grown_.tree.size(); ++i) {
    grown_.tree.sums(i)[2] = deviations.sum(i, unit);
  }
}

}  // namespace softwood::grow

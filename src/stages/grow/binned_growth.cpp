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

constexpr size_t nobody = ~size_t{0};
constexpr size_t few_levels = 3;  // are counted sooner than rows are sent

// Targets that are equal up to their own rounding have nothing to explain.
bool are_equal(const RowCoding& coding) {
  constexpr double rounding = 4 * std::numeric_limits<double>::epsilon();
  const double size = std::max(std::abs(coding.least), std::abs(coding.largest));
  return !(coding.largest - coding.least > rounding * size);
}

// What the search asks of a target: neither bins nor levels need rows.
Target target_without_rows(const Schema& schema, const RowCoding& coding) {
  Target target;
  target.task = schema.task();
  target.classes = schema.classes();
  target.centre = coding.centre;
  if (target.task == Task::regression) target.set_numbers({coding.least});
  return target;
}

}  // namespace

BinnedGrowth::BinnedGrowth(const BinnedPlan& plan, std::optional<GrowthStart> start)
    : schema_(plan.schema),
      options_(plan.options),
      coding_(plan.coding),
      limits_(plan.options),
      nominal_(nominal_option(plan.options)),
      feature_costs_(feature_costs(plan.options, plan.schema)),
      start_(std::move(start)),
      target_(target_without_rows(plan.schema, plan.coding)),
      width_(plan.coding.cell_width()),
      grown_{Tree(plan.schema.task(), plan.schema.classes()), {0}} {
  if (!plan.costs.empty()) altered_ = altered_weights(plan.costs, schema_.classes());
  grown_.tree.set_costs({plan.costs.begin(), plan.costs.end()});
  make_search(options_, target_);  // refuses what does not go together
  uint64_t codes = 0;
  for (const FeatureBins& feature : coding_.bins) codes += feature.bins + uint64_t{1};
  if (codes * width_ > std::numeric_limits<uint32_t>::max()) {
    throw Error(ErrorKind::usage, "too many bins, inputs and classes for search=binned", {},
                "use fewer bins, or search=exact");
  }
  offsets_.push_back(0);
  for (const FeatureBins& feature : coding_.bins) {
    offsets_.push_back(offsets_.back() + feature.bins + 1);
  }
}

void BinnedGrowth::start_search(std::span<const double> root) {
  if (start_) {
    target_.factor = start_->factor;
    deviation_ = start_->deviation;
  } else {
    if (!altered_.empty()) target_.factor = class_factors(root, altered_);
    if (target_.task == Task::regression) {
      pure_ = are_equal(coding_);
      deviation_ = pure_ ? 0 : coding_.squares / coding_.weight;
    }
  }
  // Where classes count by costs, the search is told that weights are not 1.
  if (!target_.factor.empty()) target_.weight.assign(1, 1.0);
  search_ = make_search(options_, target_);
}

void BinnedGrowth::set_root(Histogram sums) {
  std::vector<double> root = cell_of(sums);
  start_search(root);
  set_node_sums(0, root);
  const Tree& tree = grown_.tree;
  limits_.set_root_weight(start_ ? start_->root_weight : tree.weight(0));
  const size_t depth = start_ ? start_->depth : 0;
  if (!may_split(tree, 0, depth, limits_)) return;
  open_.push_back({0, depth, std::move(sums)});
}

HistogramQuery BinnedGrowth::divide(size_t most_cells, const Parallel& parallel,
                                    const Control& control) {
  // Many nodes at a time, so that rows are asked about seldom, but not so many that their
  // histograms fill the memory; the last ones first, so that few are waiting.
  const size_t batch = std::min(open_.size(), std::max<size_t>(1, most_cells / cells()));
  const auto from = open_.end() - static_cast<std::ptrdiff_t>(batch);
  std::vector<OpenNode> nodes(std::make_move_iterator(from), std::make_move_iterator(open_.end()));
  open_.erase(from, open_.end());
  std::vector<Found> found(nodes.size());
  parallel.each(nodes.size(), [&](size_t i) { found[i] = find_split(nodes[i], control); });
  std::vector<OpenNode> kept;
  std::vector<Found> kept_found;
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

Found BinnedGrowth::find_split(const OpenNode& open, const Control& control) const {
  control.throw_if_interrupted();
  std::vector<double> node = cell_of(open.histogram);
  for (size_t k = 0; k < target_.factor.size(); ++k) node[k] *= target_.factor[k];
  Found best;
  double best_worth = 0;  // score of the best, divided by the cost of its feature
  Scratch scratch;
  for (uint32_t feature = 0; feature < coding_.bins.size(); ++feature) {
    Found found = search_feature(node, open.histogram, feature, scratch);
    found.feature = feature;
    const double worth = found.score / feature_costs_[feature];
    if (!clearly_better(worth, best_worth)) continue;
    best_worth = worth;
    best = std::move(found);
  }
  set_improvement(best, *search_, node, grown_.tree, open.node, limits_);
  return best;
}

// The node's statistics: the sums over all codes of an input.
std::vector<double> BinnedGrowth::cell_of(const Histogram& histogram) const {
  std::vector<int64_t> sums(width_);
  for (size_t i = 0; i < offsets_[1] * width_; ++i) sums[i % width_] += histogram[i];
  std::vector<double> cell(width_);
  to_numbers(sums.data(), cell);
  return cell;
}

double BinnedGrowth::weight_of(const double* cell) const {
  if (target_.task == Task::regression) return cell[0];
  double weight = 0;
  for (size_t k = 0; k < width_; ++k) weight += cell[k];
  return weight;
}

Found BinnedGrowth::search_feature(std::span<const double> node, const Histogram& histogram,
                                   uint32_t feature, Scratch& scratch) const {
  const size_t codes = coding_.bins[feature].bins + size_t{1};
  std::vector<double>& cells = scratch.cells;
  cells.resize(codes * width_);
  to_numbers(&histogram[offsets_[feature] * width_], cells);
  if (!target_.factor.empty()) {
    for (size_t i = 0; i < cells.size(); ++i) cells[i] *= target_.factor[i % width_];
  }
  Found found;
  if (schema_.features[feature].kind != Kind::nominal) {
    const double* missing = &cells[(codes - 1) * width_];
    const Cut cut =
        search_->best_bin(node, {cells.data(), (codes - 1) * width_},
                          weight_of(missing) > 0 ? missing : nullptr, limits_.min_leaf, scratch);
    found.score = cut.score;
    found.position = cut.position;
    found.missing_left = cut.missing_left;
    return found;
  }
  // Levels that occur, moved together; missing is the last code.
  for (uint32_t code = 0; code < codes; ++code) {
    if (!(weight_of(&cells[code * width_]) > 0)) continue;
    std::copy_n(&cells[code * width_], width_, &cells[found.level_codes.size() * width_]);
    found.level_codes.push_back(code + 1 == codes ? missing_level : code);
  }
  if (found.level_codes.size() < 2) return {};
  cells.resize(found.level_codes.size() * width_);
  found.levels = search_->best_levels(node, cells, nominal_, limits_.min_leaf, scratch);
  found.score = found.levels.score;
  return found;
}

void BinnedGrowth::to_numbers(const int64_t* from, std::vector<double>& cells) const {
  for (size_t i = 0; i < cells.size(); ++i) {
    const bool is_amount = target_.task == Task::regression && i % 2 == 1;
    cells[i] =
        static_cast<double>(from[i]) * (is_amount ? coding_.amount_unit : coding_.weight_unit);
  }
}

// Splits all these nodes; asks once for what the open children need.
HistogramQuery BinnedGrowth::apply(std::vector<OpenNode> nodes, const std::vector<Found>& found) {
  HistogramQuery query;
  pending_ = {};
  for (size_t i = 0; i < nodes.size(); ++i) {
    const NodeIndex first = split(nodes[i], found[i], query);
    finish_split(nodes[i], found[i].children, first, query);
  }
  return query;
}

// Which children of a node stay open, and whose sums are asked for.
void BinnedGrowth::finish_split(OpenNode& open, uint32_t children, NodeIndex first,
                                HistogramQuery& query) {
  const Tree& tree = grown_.tree;
  const uint32_t heaviest = heavier_child(tree, first, children);
  std::vector<size_t> place(children, nobody);  // in next
  for (uint32_t c = 0; c < children; ++c) {
    if (!may_split(tree, first + c, open.depth + 1, limits_)) {
      settled_ += tree.weight(first + c);
    } else if (tree.weight(first + c) <= small_weight_ &&
               limits_.max_depth - open.depth > few_levels) {
      small_.push_back({first + c, open.depth + 1});
    } else {
      place[c] = pending_.next.size();
      pending_.next.push_back({first + c, open.depth + 1, {}});
    }
  }
  const size_t rest = place[heaviest];
  if (rest != nobody) pending_.next[rest].histogram = std::move(open.histogram);
  for (uint32_t c = 0; c < children; ++c) {
    const bool is_rest = c == heaviest && rest != nobody;
    if (is_rest || (place[c] == nobody && rest == nobody)) continue;
    query.nodes.push_back(first + c);
    pending_.asked.push_back(place[c]);
    pending_.subtract_from.push_back(rest);
  }
}

void BinnedGrowth::count(std::span<const int64_t> sums) {
  if (sums.size() != pending_.asked.size() * cells()) {
    throw Error(ErrorKind::failure, "sums of other nodes than those asked for");
  }
  for (size_t i = 0; i < pending_.asked.size(); ++i) {
    const std::span<const int64_t> own = sums.subspan(i * cells(), cells());
    if (pending_.subtract_from[i] != nobody) {
      Histogram& rest = pending_.next[pending_.subtract_from[i]].histogram;
      std::transform(rest.begin(), rest.end(), own.begin(), rest.begin(), std::minus<>());
    }
    if (pending_.asked[i] != nobody) {
      pending_.next[pending_.asked[i]].histogram.assign(own.begin(), own.end());
    }
  }
  for (OpenNode& node : pending_.next) open_.push_back(std::move(node));
  pending_ = {};
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
      [&](OpenNode& open, const Found& found) {
        std::vector<OpenNode> one;
        one.push_back(std::move(open));
        count(ask(apply(std::move(one), {found})));
        return std::exchange(open_, {});
      },
      [&](const OpenNode& open) { return size_t{grown_.tree.children(open.node)}; },
      [&](size_t leaves) { report_leaves(control, leaves, limits_.max_leaves); });
}

// Gives the node its gate, the children their sums, and the query the division of the rows.
NodeIndex BinnedGrowth::split(const OpenNode& open, const Found& found, HistogramQuery& query) {
  Tree& tree = grown_.tree;
  const FeatureBins& bins = coding_.bins[found.feature];
  const uint32_t codes = bins.bins + 1;
  Missing missing;
  Gate gate;
  if (found.is_levels()) {
    gate = levels_gate(found, codes - 1, missing);
  } else {
    missing.child = found.missing_left ? 0 : 1;
    gate =
        threshold_gate(found.feature, found.position == bins.bins ? above_all_values
                                                                  : bins.cuts[found.position - 1]);
  }
  const auto codes_begin = static_cast<uint32_t>(query.child_of_code.size());
  const LevelsGate* const levels = level_map(gate);
  for (uint32_t code = 0; code < codes; ++code) {
    const int32_t child = code + 1 == codes   ? static_cast<int32_t>(missing.child)
                          : levels != nullptr ? std::max(0, levels->child_of_level[code])
                                              : static_cast<int32_t>(code >= found.position);
    query.child_of_code.push_back(static_cast<uint32_t>(child));
  }
  const NodeIndex first = tree.split(open.node, std::move(gate), std::move(missing));
  tree.node(open.node).notes().gain = found.improvement / tree.weight(open.node);
  query.splits.push_back({open.node, found.feature, first, found.children, codes_begin});
  set_child_sums(open, found.feature, first, found.children, &query.child_of_code[codes_begin]);
  std::vector<double> missing_cell(width_);
  to_numbers(&open.histogram[(offsets_[found.feature] + codes - 1) * width_], missing_cell);
  Missing& rule = tree.node(open.node).missing();
  rule.weight = weight_of(missing_cell.data());
  if (!(rule.weight > 0)) rule.child = heavier_child(tree, first, found.children);
  return first;
}

void BinnedGrowth::set_child_sums(const OpenNode& open, uint32_t feature, NodeIndex first,
                                  uint32_t children, const uint32_t* child_of_code) {
  std::vector<int64_t> sums(children * width_);
  for (uint32_t code = 0; code <= coding_.bins[feature].bins; ++code) {
    const int64_t* cell = &open.histogram[(offsets_[feature] + code) * width_];
    for (size_t k = 0; k < width_; ++k) sums[child_of_code[code] * width_ + k] += cell[k];
  }
  std::vector<double> cell(width_);
  for (uint32_t c = 0; c < children; ++c) {
    to_numbers(&sums[c * width_], cell);
    set_node_sums(first + c, cell);
  }
}

void BinnedGrowth::set_node_sums(NodeIndex node, std::span<const double> cell) {
  const std::span<double> sums = grown_.tree.sums(node);
  grown_.centred_mean.resize(grown_.tree.size());
  if (target_.task == Task::classification) {
    std::copy(cell.begin(), cell.end(), sums.begin());
    return;
  }
  grown_.centred_mean[node] = cell[0] > 0 ? cell[1] / cell[0] : 0;
  sums[0] = cell[0];
  sums[1] = target_.centre + grown_.centred_mean[node];
  sums[2] = deviation_ * cell[0];  // not known before the end; this keeps the node open
}

GrowthStart BinnedGrowth::start_of(const SmallNode& node) const {
  return {node.depth, grown_.tree.weight(0), deviation_, target_.factor};
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

bool BinnedGrowth::wants_deviations() const { return target_.task == Task::regression && !pure_; }

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

#include "stages/grow/binned.h"

#include <algorithm>
#include <cmath>
#include <iterator>

#include "data/feature_options.h"
#include "engine/worker.h"
#include "softwood/error.h"
#include "stages/grow/frontier.h"
#include "stages/grow/split.h"
#include "stats/histogram.h"

namespace softwood::grow {
namespace {

FixedPoint fixed_point(const Target& target, size_t rows) {
  FixedPoint fixed;
  fixed.classes = target.task == Task::classification ? target.classes : 0;
  // Histograms hold the rows as the tree counts them.
  if (!target.weight.empty()) {
    std::vector<double> weight(rows);
    for (size_t i = 0; i < rows; ++i) weight[i] = target.row_weight(i);
    fixed.weight_unit = to_fixed_weights(weight, fixed.weight);
  }
  if (fixed.classes > 0) {
    fixed.klass.assign(target.large_class.begin(), target.large_class.end());
    if (fixed.klass.empty())
      fixed.klass.assign(target.small_class.begin(), target.small_class.end());
    return fixed;
  }
  std::vector<double> amount(rows);
  for (size_t i = 0; i < rows; ++i) amount[i] = target.value(i);
  fixed.amount_unit = fixed_unit(amount, target.weight);
  set_amounts(fixed, amount, target.weight);
  return fixed;
}

std::vector<BinnedShard> make_shards(const BinnedRows& rows, const std::vector<FeatureBins>& bins,
                                     const FixedPoint& fixed, size_t count) {
  std::vector<BinnedShard> shards;
  shards.reserve(count);
  for (size_t i = 0; i < count; ++i) {
    shards.emplace_back(rows, bins, fixed, static_cast<uint32_t>(rows.rows() * i / count),
                        static_cast<uint32_t>(rows.rows() * (i + 1) / count));
  }
  return shards;
}

using Histogram = std::vector<int64_t>;

// A leaf that may be split, with the sums of its rows.
struct OpenNode {
  NodeIndex node = 0;
  size_t depth = 0;
  Histogram histogram;
};

class BinnedGrower {
 public:
  BinnedGrower(Context& context, size_t shards, Transport transport)
      : table_(context.table()),
        limits_(context.options),
        nominal_(nominal_option(context.options)),
        costs_(feature_costs(context.options, table_.schema())),
        target_(
            make_target(table_, context.rows, context.costs, targets_from_zero(context.options))),
        search_(make_search(context.options, target_)),
        fixed_(fixed_point(target_, context.rows.size())),
        bins_(make_bins(table_, context.rows, static_cast<size_t>(context.options.integer("bins")),
                        context.parallel, context.control)),
        rows_(table_, context.rows, bins_, context.parallel, context.control),
        engine_(make_shards(rows_, bins_, fixed_, shards), transport, context.parallel,
                context.control),
        parallel_(context.parallel),
        control_(context.control),
        width_(fixed_.cell_width()),
        tree_(target_.task, target_.classes) {
    tree_.set_costs({context.costs.begin(), context.costs.end()});
    uint64_t codes = 0;
    for (const FeatureBins& feature : bins_) codes += feature.bins + uint64_t{1};
    if (codes * width_ > std::numeric_limits<uint32_t>::max()) {
      throw Error(ErrorKind::usage, "too many bins, inputs and classes for search=binned", {},
                  "use fewer bins, or search=exact");
    }
    offsets_.push_back(0);
    for (const FeatureBins& feature : bins_) offsets_.push_back(offsets_.back() + feature.bins + 1);
  }

  Tree grow() {
    std::vector<uint32_t> all(rows_.rows());
    for (uint32_t i = 0; i < all.size(); ++i) all[i] = i;
    set_sums(tree_, 0, target_, all);
    root_deviation_ = tree_.risk(0) / tree_.weight(0);
    limits_.set_root_weight(tree_.weight(0));
    if (bins_.empty() || !may_split(tree_, 0, 0, limits_)) return std::move(tree_);
    OpenNode root{0, 0, engine_.template gather<Histograms>({{}, {}, {0}}).sums()};
    const std::vector<double> cell = cell_of(root);
    centred_mean_ = {cell[1] / cell[0]};
    if (limits_.max_leaves < std::numeric_limits<size_t>::max()) {
      grow_best_first(
          std::move(root), limits_.max_leaves,
          [&](const OpenNode& open) { return find_split(open); },
          [&](OpenNode& open, const Found& found) {
            std::vector<OpenNode> one;
            one.push_back(std::move(open));
            return apply(std::move(one), {found});
          },
          [&](const OpenNode& open) { return size_t{tree_.children(open.node)}; },
          [&](size_t leaves) { report_leaves(control_, leaves, limits_.max_leaves); });
    } else {
      std::vector<OpenNode> open;
      open.push_back(std::move(root));
      while (!open.empty()) {
        // Many nodes at a time, so that the shards are asked seldom, but not so many that their
        // histograms fill the memory; the last ones first, so that few are waiting.
        const size_t batch = std::min(open.size(), std::max<size_t>(1, batch_cells / cells()));
        const auto from = open.end() - static_cast<std::ptrdiff_t>(batch);
        std::vector<OpenNode> nodes(std::make_move_iterator(from),
                                    std::make_move_iterator(open.end()));
        open.erase(from, open.end());
        for (OpenNode& child : split_nodes(std::move(nodes))) open.push_back(std::move(child));
        control_.report("growing", std::min(settled_, tree_.weight(0)), tree_.weight(0));
      }
    }
    if (target_.task == Task::regression) set_deviations();
    tree_.canonicalise();
    return std::move(tree_);
  }

 private:
  static constexpr size_t batch_cells = 4000000;  // 32 MB of sums
  size_t cells() const { return offsets_.back() * width_; }

  // Splits those that have a good split; returns the children that may be split further.
  std::vector<OpenNode> split_nodes(std::vector<OpenNode> nodes) {
    std::vector<Found> found(nodes.size());
    parallel_.each(nodes.size(), [&](size_t i) { found[i] = find_split(nodes[i]); });
    std::vector<OpenNode> kept;
    std::vector<Found> kept_found;
    for (size_t i = 0; i < nodes.size(); ++i) {
      if (!(found[i].improvement > 0)) {
        settled_ += tree_.weight(nodes[i].node);
        continue;
      }
      kept.push_back(std::move(nodes[i]));
      kept_found.push_back(std::move(found[i]));
    }
    return kept.empty() ? std::vector<OpenNode>() : apply(std::move(kept), kept_found);
  }

  Found find_split(const OpenNode& open) const {
    control_.throw_if_interrupted();
    const std::vector<double> node = cell_of(open);
    Found best;
    double best_worth = 0;  // score of the best, divided by the cost of its feature
    Scratch scratch;
    for (uint32_t feature = 0; feature < bins_.size(); ++feature) {
      Found found = search_feature(node, open.histogram, feature, scratch);
      found.feature = feature;
      const double worth = found.score / costs_[feature];
      if (!clearly_better(worth, best_worth)) continue;
      best_worth = worth;
      best = std::move(found);
    }
    set_improvement(best, *search_, node, tree_, open.node, limits_);
    return best;
  }

  // The node's statistics: the sums over all codes of an input.
  std::vector<double> cell_of(const OpenNode& open) const {
    std::vector<int64_t> sums(width_);
    for (size_t i = 0; i < offsets_[1] * width_; ++i) sums[i % width_] += open.histogram[i];
    std::vector<double> cell(width_);
    to_numbers(sums.data(), cell);
    for (size_t k = 0; k < target_.factor.size(); ++k) cell[k] *= target_.factor[k];
    return cell;
  }

  double weight_of(const double* cell) const {
    if (target_.task == Task::regression) return cell[0];
    double weight = 0;
    for (size_t k = 0; k < width_; ++k) weight += cell[k];
    return weight;
  }

  Found search_feature(std::span<const double> node, const Histogram& histogram, uint32_t feature,
                       Scratch& scratch) const {
    const size_t codes = bins_[feature].bins + size_t{1};
    std::vector<double>& cells = scratch.cells;
    cells.resize(codes * width_);
    to_numbers(&histogram[offsets_[feature] * width_], cells);
    if (!target_.factor.empty()) {
      for (size_t i = 0; i < cells.size(); ++i) cells[i] *= target_.factor[i % width_];
    }
    Found found;
    if (table_.input(feature).kind != Kind::nominal) {
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

  void to_numbers(const int64_t* from, std::vector<double>& cells) const {
    for (size_t i = 0; i < cells.size(); ++i) {
      const bool is_amount = target_.task == Task::regression && i % 2 == 1;
      cells[i] =
          static_cast<double>(from[i]) * (is_amount ? fixed_.amount_unit : fixed_.weight_unit);
    }
  }

  // Splits all these nodes; asks the shards once for what the open children need.
  std::vector<OpenNode> apply(std::vector<OpenNode> nodes, const std::vector<Found>& found) {
    HistogramQuery query;
    std::vector<OpenNode> next;
    // Where each histogram that was asked for goes: to its node, and off the heaviest sibling's.
    std::vector<size_t> asked, subtract_from;
    constexpr size_t nobody = ~size_t{0};
    for (size_t i = 0; i < nodes.size(); ++i) {
      const NodeIndex first = split(nodes[i], found[i], query);
      const uint32_t heaviest = heavier_child(tree_, first, found[i].children);
      std::vector<size_t> place(found[i].children, nobody);  // in next
      for (uint32_t c = 0; c < found[i].children; ++c) {
        if (!may_split(tree_, first + c, nodes[i].depth + 1, limits_)) {
          settled_ += tree_.weight(first + c);
          continue;
        }
        place[c] = next.size();
        next.push_back({first + c, nodes[i].depth + 1, {}});
      }
      const size_t rest = place[heaviest];
      if (rest != nobody) next[rest].histogram = std::move(nodes[i].histogram);
      for (uint32_t c = 0; c < found[i].children; ++c) {
        const bool is_rest = c == heaviest && rest != nobody;
        if (is_rest || (place[c] == nobody && rest == nobody)) continue;
        query.nodes.push_back(first + c);
        asked.push_back(place[c]);
        subtract_from.push_back(rest);
      }
    }
    // Regression asks the shards for deviations by leaf in the end: they must know every split.
    if (next.empty() && target_.task == Task::classification) return next;
    Histograms histograms = engine_.template gather<Histograms>(query);
    const size_t cells = this->cells();
    for (size_t i = 0; i < query.nodes.size(); ++i) {
      const auto begin = histograms.sums().begin() + static_cast<std::ptrdiff_t>(i * cells);
      const auto end = begin + static_cast<std::ptrdiff_t>(cells);
      if (subtract_from[i] != nobody) {
        Histogram& rest = next[subtract_from[i]].histogram;
        std::transform(rest.begin(), rest.end(), begin, rest.begin(), std::minus<>());
      }
      if (asked[i] != nobody) next[asked[i]].histogram.assign(begin, end);
    }
    return next;
  }

  // Gives the node its gate, the children their sums, and the query the division of the rows.
  NodeIndex split(const OpenNode& open, const Found& found, HistogramQuery& query) {
    const uint32_t codes = bins_[found.feature].bins + 1;
    Missing missing;
    Gate gate;
    if (found.is_levels()) {
      gate = levels_gate(found, codes - 1, missing);
    } else {
      missing.child = found.missing_left ? 0 : 1;
      const FeatureBins& bins = bins_[found.feature];
      gate = threshold_gate(found.feature, found.position == bins.bins
                                               ? above_all_values
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
    const NodeIndex first = tree_.split(open.node, std::move(gate), std::move(missing));
    tree_.node(open.node).notes().gain = found.improvement / tree_.weight(open.node);
    query.splits.push_back({open.node, found.feature, first, found.children, codes_begin});
    set_child_sums(open, found.feature, first, found.children, &query.child_of_code[codes_begin]);
    std::vector<double> missing_cell(width_);
    to_numbers(&open.histogram[(offsets_[found.feature] + codes - 1) * width_], missing_cell);
    Missing& rule = tree_.node(open.node).missing();
    rule.weight = weight_of(missing_cell.data());
    if (!(rule.weight > 0)) rule.child = heavier_child(tree_, first, found.children);
    return first;
  }

  void set_child_sums(const OpenNode& open, uint32_t feature, NodeIndex first, uint32_t children,
                      const uint32_t* child_of_code) {
    std::vector<int64_t> sums(children * width_);
    for (uint32_t code = 0; code <= bins_[feature].bins; ++code) {
      const int64_t* cell = &open.histogram[(offsets_[feature] + code) * width_];
      for (size_t k = 0; k < width_; ++k) sums[child_of_code[code] * width_ + k] += cell[k];
    }
    std::vector<double> cell(width_);
    for (uint32_t c = 0; c < children; ++c) {
      to_numbers(&sums[c * width_], cell);
      const auto node_sums = tree_.sums(first + c);
      if (target_.task == Task::classification) {
        std::copy(cell.begin(), cell.end(), node_sums.begin());
      } else {
        node_sums[0] = cell[0];
        centred_mean_.resize(tree_.size());
        centred_mean_[first + c] = cell[0] > 0 ? cell[1] / cell[0] : 0;
        node_sums[1] = target_.centre + centred_mean_[first + c];
        // Not known before the end; the share of the root's keeps the node open.
        node_sums[2] = root_deviation_ * cell[0];
      }
    }
  }

  void set_deviations() {
    DeviationQuery query;
    query.parent = parents_of(tree_);
    double largest = 0;
    for (size_t i = 0; i < target_.number.size(); ++i) {
      largest = std::max(largest, std::abs(target_.value(i)));
    }
    int exponent = 0;
    std::frexp(4 * largest * largest * tree_.weight(0), &exponent);
    query.square_unit = std::ldexp(1.0, exponent - 62);
    // All rows together stay below 2^62 of the small units.
    query.fine_below =
        std::ldexp(query.square_unit / DeviationQuery::fine_units, 62) / tree_.weight(0);
    for (NodeIndex i = 0; i < tree_.size(); ++i) {
      query.is_leaf.push_back(tree_.node(i).is_leaf() ? 1 : 0);
    }
    query.mean = centred_mean_;
    const Deviations deviations = engine_.template gather<Deviations>(query);
    for (NodeIndex i = 0; i < tree_.size(); ++i) {
      tree_.sums(i)[2] = deviations.sum(i, query.square_unit);
    }
  }

  const Table& table_;
  Limits limits_;
  const NominalSplit nominal_;
  const std::vector<double> costs_;  // of features
  const Target target_;
  const std::unique_ptr<SplitSearch> search_;
  const FixedPoint fixed_;
  const std::vector<FeatureBins> bins_;
  const BinnedRows rows_;
  Engine<BinnedShard> engine_;
  const Parallel& parallel_;
  const Control& control_;
  const size_t width_;
  std::vector<uint32_t> offsets_;
  double root_deviation_ = 0;
  std::vector<double> centred_mean_;  // regression: of each node, measured from the centre
  double settled_ = 0;                // weight of the rows whose leaf stays one
  Tree tree_;
};

}  // namespace

Tree grow_binned(Context& context, size_t shards, Transport transport) {
  return BinnedGrower(context, shards, transport).grow();
}

}  // namespace softwood::grow

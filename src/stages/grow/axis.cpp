#include "stages/grow/axis.h"

#include <algorithm>
#include <atomic>
#include <cmath>
#include <numeric>

#include "data/feature_options.h"
#include "stages/grow/gain_ratio.h"
#include "stages/grow/route.h"
#include "stats/row_count.h"

namespace softwood::grow {
namespace {

bool is_constant(std::span<const uint32_t> known) {
  return std::none_of(known.begin() + 1, known.end(), is_new_value);
}

Found found_by(uint32_t feature, const Cut& cut) {
  Found found;
  found.feature = feature;
  found.score = cut.score;
  found.position = cut.position;
  found.missing_left = cut.missing_left;
  return found;
}

double weight_of(std::span<const double> cell) {
  return std::accumulate(cell.begin(), cell.end(), 0.0);
}

struct RatioTerms {
  double least;         // weight on each side of a cut
  double sent_missing;  // weight of the rows without a value that go to a side with the others
};

// What the choice by gain ratio needs of a cut; its gain pays for the number of possible cuts.
void set_ratio(std::span<const double> node, const NodeData& data, std::span<const uint32_t> known,
               const RatioTerms& terms, Found& found) {
  constexpr double rounding = 1e-6;  // bits per row, as J48
  const double weight = weight_of(node);
  const auto cuts = static_cast<double>(possible_cuts(data, known, terms.least));
  found.score = std::max(0.0, found.score - std::log2(std::max(1.0, cuts)));
  found.possible = found.score > rounding * weight;
  if (!found.possible) return;
  std::vector<double> sides = sides_of_cut(data, known, found.position);
  sides[found.missing_left ? 0 : 1] += terms.sent_missing;
  found.split_information = split_information(sides, weight);
}

// Whether the answers of all children are within the node's bounds; see monotone.h.
bool within_bounds(const OpenNode& open, std::span<const double> cells, const LevelSplit& split) {
  const bool counts = open.data->target.task == Task::classification;
  std::vector<double> weight(split.children, 0.0), sum(split.children, 0.0);
  for (size_t i = 0; i < split.child.size(); ++i) {
    weight[split.child[i]] += cells[2 * i] + (counts ? cells[2 * i + 1] : 0);
    sum[split.child[i]] += cells[2 * i + 1];
  }
  for (size_t c = 0; c < weight.size(); ++c) {
    if (weight[c] > 0 && !open.bounds.hold(sum[c] / weight[c])) return false;
  }
  return true;
}

class AxisSplitter final : public Splitter {
 public:
  explicit AxisSplitter(const SplitterSetting& setting)
      : limits_(setting.limits),
        search_(setting),
        competitors_(static_cast<size_t>(setting.context.options.integer("competitors"))),
        cut_at_value_(cut_at_option(setting.context.options) == CutAt::node_value),
        costs_(feature_costs(setting.context.options, setting.context.table().schema())) {
    if (!search_.by_ratio()) return;
    double weight = 0;
    for (const RowIndex row : setting.context.rows) weight += setting.context.table().weight(row);
    in_average_ = features_in_average(setting.context.table(), weight);
  }

  // Ties go to the first column. Features that turn out to be constant in the node are dropped.
  Found find(const Tree& tree, OpenNode& open, std::span<const double> cell,
             const Workers& workers) const override {
    Found best;
    // A search that only has to beat another feature's best may stop short of its own.
    const bool all_count = search_.by_ratio() || competitors_ > 0;
    if (workers.shares(open) || all_count) {
      std::vector<Found> found(open.active.size());
      // Which features are done by now depends on the threads; the choice does not, because what is
      // passed over is far below the best (passable_share).
      std::atomic<double> most = 0;
      workers.each(open, found.size(), [&](size_t i, Workspace& work) {
        const double to_beat = all_count ? 0 : most * costs_[open.active[i].feature];
        found[i] =
            search_.find(cell, open, open.active[i], {limits_.min_leaf, to_beat}, work.scratch);
        double seen = most;
        const double own = found[i].score > 0 ? worth(found[i]) : 0;
        while (own > seen && !most.compare_exchange_weak(seen, own)) {
        }
      });
      Found* const chosen = search_.by_ratio()
                                ? choose_by_gain_ratio(found, in_average_, weight_of(cell))
                                : choose(found);
      if (chosen != nullptr) {
        best = std::move(*chosen);
        chosen->score = 0;
        if (competitors_ > 0) add_competitors(found, open, cell, tree, best);
      }
    } else {
      for (ActiveFeature& active : open.active) {
        workers.own.until_ask.add(open.range.size(), workers.control);
        const double to_beat = best.score > 0 ? worth(best) * costs_[active.feature] : 0;
        const FeatureSearch::Wanted wanted{limits_.min_leaf, to_beat};
        Found one;
        if (search_.is_plain(open, active)) {
          const Cut cut = search_.plain_cut(cell, open, active, wanted, workers.own.scratch);
          if (!(cut.score > to_beat)) continue;  // most: nothing is made for them
          one = found_by(active.feature, cut);
        } else {
          one = search_.find(cell, open, active, wanted, workers.own.scratch);
        }
        if (is_better(one, best)) best = std::move(one);
      }
    }
    std::erase_if(open.active, [](const ActiveFeature& active) { return active.constant; });
    set_improvement(best, *open.data->search, cell, tree, open.node, limits_);
    return best;
  }

 private:
  // The score of a split, divided by the cost of its feature.
  double worth(const Found& found) const { return found.score / costs_[found.feature]; }
  bool is_better(const Found& one, const Found& other) const {
    return clearly_better(worth(one), other.score > 0 ? worth(other) : 0);
  }
  Found* choose(std::span<Found> found) const {
    Found* best = nullptr;
    for (Found& one : found) {
      if (best == nullptr ? clearly_better(worth(one), 0) : is_better(one, *best)) best = &one;
    }
    return best;
  }

  // What the others offered; that of the best is not among them any more.
  void add_competitors(std::vector<Found>& found, const OpenNode& open,
                       std::span<const double> cell, const Tree& tree, Found& best) const {
    std::erase_if(found, [](const Found& one) { return !(one.score > 0); });
    const auto rank = [&](const Found& one) {
      if (!search_.by_ratio()) return worth(one);
      return one.split_information > 0 ? one.score / one.split_information : 0;
    };
    std::stable_sort(found.begin(), found.end(),
                     [&](const Found& a, const Found& b) { return rank(a) > rank(b); });
    for (size_t i = 0; i < std::min(competitors_, found.size()); ++i) {
      best.competitors.push_back(
          {gate_of(open, found[i], cut_at_value_),
           open.data->search->improvement(found[i].score, cell) / tree.weight(open.node)});
    }
  }

  const Limits limits_;
  const FeatureSearch search_;
  const size_t competitors_;  // most of them that a node keeps
  const bool cut_at_value_;
  const std::vector<double> costs_;  // of features
  std::vector<char> in_average_;     // by feature, when the choice is by gain ratio
};

}  // namespace

FeatureSearch::FeatureSearch(const SplitterSetting& setting)
    : missing_(setting.missing),
      nominal_(nominal_option(setting.context.options)),
      by_ratio_(chooses_by_ratio(setting.context.options)),
      directions_(
          monotone_directions_of_sums(setting.context.options, setting.context.table().schema())) {}

Found FeatureSearch::find(std::span<const double> node, const OpenNode& open, ActiveFeature& active,
                          const Wanted& wanted, Scratch& scratch) const {
  if (open.data->lists.table().input(active.feature).kind == Kind::nominal) {
    return search_nominal(node, open, active, wanted.min_leaf, scratch);
  }
  const RowLists& lists = open.data->lists;
  const auto known = lists.known(open.range, active);
  const auto missing = lists.missing(open.range, active);
  if (is_plain(open, active)) {
    return found_by(active.feature, plain_cut(node, open, active, wanted, scratch));
  }
  bool own_child = false;
  Cut cut;
  const double least = least_on_side(node, open, missing, wanted.min_leaf);
  if (!directions_.empty()) {
    cut = open.data->search->best_monotone_threshold(
        node, known, missing, least, {open.bounds, directions_[active.feature]}, scratch);
  } else if (missing.empty() || missing_ == MissingValues::learned) {
    cut = open.data->search->best_threshold(node, known, missing, least, wanted.to_beat, scratch);
  } else if (!known.empty()) {
    const bool own = missing_ == MissingValues::separate &&
                     open.data->weight(missing) >= least_weight(wanted.min_leaf);
    cut = search_known(node, *open.data, known, missing, least, own, scratch);
    if (own && !(cut.score > 0)) {
      cut = known_or_missing(node, known.size(), wanted.min_leaf, *open.data->search, scratch);
    } else {
      own_child = own;
    }
  }
  Found found = found_by(active.feature, cut);
  found.own_child = own_child;
  active.constant = !(cut.score > 0) && (known.empty() || (missing.empty() && is_constant(known)));
  if (by_ratio_ && found.score > 0) {
    const double sent = missing_ == MissingValues::learned ? open.data->search_weight(missing) : 0;
    set_ratio(node, *open.data, known, {least, sent}, found);
  }
  return found;
}

bool FeatureSearch::is_plain(const OpenNode& open, const ActiveFeature& active) const {
  return !by_ratio_ && directions_.empty() &&
         (active.known == open.range.size() || missing_ == MissingValues::learned) &&
         open.data->lists.table().input(active.feature).kind != Kind::nominal;
}

Cut FeatureSearch::plain_cut(std::span<const double> node, const OpenNode& open,
                             ActiveFeature& active, const Wanted& wanted, Scratch& scratch) const {
  const RowLists& lists = open.data->lists;
  const auto known = lists.known(open.range, active);
  const auto missing = lists.missing(open.range, active);
  const Cut cut = open.data->search->best_threshold(node, known, missing, wanted.min_leaf,
                                                    wanted.to_beat, scratch);
  active.constant = !(cut.score > 0) && (known.empty() || (missing.empty() && is_constant(known)));
  return cut;
}

double FeatureSearch::least_on_side(std::span<const double> node, const OpenNode& open,
                                    std::span<const uint32_t> missing, double min_leaf) const {
  if (!by_ratio_) return min_leaf;
  const double known =
      rows_in(node.data(), node.size(), open.data->target.factor) - open.data->weight(missing);
  return least_side(known, node.size(), min_leaf);
}

// The best cut of the rows with a value. Its score is in the units of the whole node, so that
// features with different missing rows compare; with a child of their own the missing rows add
// what separating them improves.
Cut FeatureSearch::search_known(std::span<const double> node, const NodeData& data,
                                std::span<const uint32_t> known, std::span<const uint32_t> missing,
                                double least, bool own_child, Scratch& scratch) const {
  const size_t width = node.size();
  scratch.levels.assign(missing.size(), 1);
  scratch.cells.assign(2 * width, 0.0);
  data.search->add_to_cells(missing, scratch.levels, scratch.cells.data());
  for (size_t k = 0; k < width; ++k) scratch.cells[k] = node[k] - scratch.cells[width + k];
  const std::span<const double> cells = scratch.cells;
  const std::span<const double> with_value = cells.first(width);
  Cut cut = data.search->best_threshold(with_value, known, {}, least, 0, scratch);
  if (!(cut.score > 0)) return {};
  cut.score = data.search->improvement(cut.score, with_value) / data.search->improvement(1, node);
  if (own_child) {
    cut.score += data.search->best_levels(node, cells, NominalSplit::multiway, 0, scratch).score;
  }
  return cut;
}

// Whether there is a value at all, where no cut of the rows with one improves anything.
// scratch.cells has the rows with and without a value, as search_known left them.
Cut FeatureSearch::known_or_missing(std::span<const double> node, size_t known, double min_leaf,
                                    const SplitSearch& search, Scratch& scratch) {
  return {search.best_levels(node, scratch.cells, NominalSplit::multiway, min_leaf, scratch).score,
          known, false};
}

Found FeatureSearch::search_nominal(std::span<const double> node, const OpenNode& open,
                                    ActiveFeature& active, double min_leaf,
                                    Scratch& scratch) const {
  const RowLists& lists = open.data->lists;
  const uint32_t feature = active.feature;
  const Cells<int32_t>& codes = lists.table().input(feature).codes;
  const size_t levels = lists.table().schema().features[feature].levels.size();
  const auto slots = open.slots();
  Found found;
  found.feature = feature;
  // Levels that occur in the node are numbered as they come; missing is one more level, the last.
  std::vector<uint32_t>& number = scratch.level_numbers;
  number.assign(levels + 1, missing_level);
  scratch.levels.resize(slots.size());
  for (const uint32_t slot : slots) {
    const int32_t code = codes[lists.row(slot)];
    number[code < 0 ? levels : static_cast<size_t>(code)] = 0;
  }
  size_t occurring = 0;
  for (size_t level = 0; level <= levels; ++level) {
    const bool occurs = number[level] != missing_level;
    occurring += occurs ? 1 : 0;
    if (!occurs && (nominal_ != NominalSplit::every_level || level == levels)) continue;
    number[level] = static_cast<uint32_t>(found.level_codes.size());
    found.level_codes.push_back(level == levels ? missing_level : static_cast<uint32_t>(level));
  }
  active.constant = occurring < 2;
  if (active.constant) return {};
  for (size_t i = 0; i < slots.size(); ++i) {
    const int32_t code = codes[lists.row(slots[i])];
    scratch.levels[i] = number[code < 0 ? levels : static_cast<size_t>(code)];
  }
  if (open.data->search->needs_rows()) {
    divide_rows(slots, *open.data->search, min_leaf, found, scratch);
    return found;
  }
  scratch.cells.assign(found.level_codes.size() * node.size(), 0.0);
  open.data->search->add_to_cells(slots, scratch.levels, scratch.cells.data());
  divide_levels(node, *open.data->search, min_leaf, found, scratch);
  if (!directions_.empty() && !within_bounds(open, scratch.cells, found.levels)) found.score = 0;
  if (by_ratio_ && found.levels.children > 0) {
    found.possible = !is_in_two(nominal_) || found.score > 0;
    std::vector<double> parts(found.levels.children, 0.0);
    for (size_t i = 0; i < found.level_codes.size(); ++i) {
      parts[found.levels.child[i]] += weight_of({&scratch.cells[i * node.size()], node.size()});
    }
    found.split_information = split_information(parts, weight_of(node));
  }
  return found;
}

// The same by the rows themselves; scratch.levels has the number of each slot's level.
void FeatureSearch::divide_rows(std::span<const uint32_t> slots, const SplitSearch& search,
                                double min_leaf, Found& found, Scratch& scratch) const {
  std::vector<uint32_t> taking_part(slots.begin(), slots.end());
  if (found.level_codes.back() == missing_level && missing_ != MissingValues::learned) {
    found.level_codes.pop_back();
    if (found.level_codes.size() < 2) return;
    const auto is_missing = [&](size_t i) { return scratch.levels[i] == found.level_codes.size(); };
    size_t kept = 0;
    for (size_t i = 0; i < taking_part.size(); ++i) {
      if (is_missing(i)) continue;
      taking_part[kept] = taking_part[i];
      scratch.levels[kept++] = scratch.levels[i];
    }
    taking_part.resize(kept);
  }
  const std::span<const uint32_t> codes(scratch.levels.data(), taking_part.size());
  found.levels = search.best_levels_of_rows(taking_part, codes, found.level_codes.size(), nominal_,
                                            min_leaf, scratch);
  found.score = found.levels.score;
}

// Rows without a value are one more level, or take no part.
void FeatureSearch::divide_levels(std::span<const double> node, const SplitSearch& search,
                                  double min_leaf, Found& found, Scratch& scratch) const {
  const std::span<const double> cells = scratch.cells;
  const bool some_missing = found.level_codes.back() == missing_level;
  if (!some_missing || missing_ == MissingValues::learned || missing_ == MissingValues::separate) {
    found.levels = search.best_levels(node, cells, nominal_, min_leaf, scratch);
    found.score = found.levels.score;
    return;
  }
  found.level_codes.pop_back();
  if (found.level_codes.size() < 2) return;
  const size_t width = node.size();
  const auto with_value = cells.first(cells.size() - width);
  std::vector<double> known(node.begin(), node.end());
  for (size_t k = 0; k < width; ++k) known[k] -= cells[with_value.size() + k];
  found.levels = search.best_levels(known, with_value, nominal_, min_leaf, scratch);
  found.score = search.improvement(found.levels.score, known) / search.improvement(1, node);
}

std::unique_ptr<Splitter> make_axis_splitter(const SplitterSetting& setting) {
  return std::make_unique<AxisSplitter>(setting);
}

}  // namespace softwood::grow

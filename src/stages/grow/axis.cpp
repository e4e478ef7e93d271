#include "stages/grow/axis.h"

#include <algorithm>

namespace softwood::grow {
namespace {

bool is_constant(std::span<const uint32_t> known) {
  return std::none_of(known.begin() + 1, known.end(), is_new_value);
}

class AxisWay final : public Way {
 public:
  explicit AxisWay(const WaySetting& setting)
      : limits_(setting.limits),
        missing_(setting.missing),
        root_deviation_(setting.root_deviation),
        nominal_(nominal_option(setting.context.options)) {}

  // Ties go to the first column. Features that turn out to be constant in the node are dropped.
  Found find(const Tree& tree, OpenNode& open, std::span<const double> cell,
             const Crew& crew) const override {
    Found best;
    if (crew.shares(open)) {
      std::vector<Found> found(open.active.size());
      crew.each(open, found.size(), [&](size_t i, Workspace& work) {
        found[i] = search_feature(cell, open, open.active[i], 0, work.scratch);
      });
      for (Found& one : found) {
        if (clearly_better(one.score, best.score)) best = std::move(one);
      }
    } else {
      for (ActiveFeature& active : open.active) {
        Found one = search_feature(cell, open, active, best.score, crew.own.scratch);
        if (clearly_better(one.score, best.score)) best = std::move(one);
      }
    }
    std::erase_if(open.active, [](const ActiveFeature& active) { return active.constant; });
    set_improvement(best, *open.world->search, cell, tree, open.node, limits_, root_deviation_);
    return best;
  }

 private:
  Found search_feature(std::span<const double> node, const OpenNode& open, ActiveFeature& active,
                       double to_beat, Scratch& scratch) const {
    if (open.world->lists.table().input(active.feature).kind == Kind::nominal) {
      return search_nominal(node, open, active, scratch);
    }
    const RowLists& lists = open.world->lists;
    const auto known = lists.known(open.range, active);
    const auto missing = lists.missing(open.range, active);
    Found found;
    found.feature = active.feature;
    Cut cut;
    if (missing.empty() || missing_ == MissingValues::learned) {
      cut = open.world->search->best_threshold(node, known, missing, limits_.min_leaf, to_beat,
                                               scratch);
    } else if (!known.empty()) {
      cut = search_known(node, *open.world, known, missing, scratch);
      found.own_child = missing_ == MissingValues::separate && cut.score > 0;
    }
    found.score = cut.score;
    found.position = cut.position;
    found.missing_left = cut.missing_left;
    active.constant =
        !(cut.score > 0) && (known.empty() || (missing.empty() && is_constant(known)));
    return found;
  }

  // The best cut of the rows with a value. Its score is in the units of the whole node, so that
  // features with different missing rows compare; with a child of their own the missing rows add
  // what separating them improves.
  Cut search_known(std::span<const double> node, const World& world,
                   std::span<const uint32_t> known, std::span<const uint32_t> missing,
                   Scratch& scratch) const {
    const size_t width = node.size();
    scratch.levels.assign(missing.size(), 1);
    scratch.cells.assign(2 * width, 0.0);
    world.search->add_to_cells(missing, scratch.levels, scratch.cells.data());
    for (size_t k = 0; k < width; ++k) scratch.cells[k] = node[k] - scratch.cells[width + k];
    const std::span<const double> cells = scratch.cells;
    const std::span<const double> with_value = cells.first(width);
    Cut cut = world.search->best_threshold(with_value, known, {}, limits_.min_leaf, 0, scratch);
    if (!(cut.score > 0)) return {};
    cut.score =
        world.search->improvement(cut.score, with_value) / world.search->improvement(1, node);
    if (missing_ == MissingValues::separate) {
      cut.score += world.search->best_levels(node, cells, NominalSplit::multiway, 0, scratch).score;
    }
    return cut;
  }

  Found search_nominal(std::span<const double> node, const OpenNode& open, ActiveFeature& active,
                       Scratch& scratch) const {
    const RowLists& lists = open.world->lists;
    const uint32_t feature = active.feature;
    const std::vector<int32_t>& codes = lists.table().input(feature).codes;
    const size_t levels = lists.table().schema().features[feature].levels.size();
    const auto slots = open.slots();
    Found found;
    found.feature = feature;
    // Levels that occur in the node are numbered as they come; missing is one more level, the last.
    std::vector<uint32_t> number(levels + 1, missing_level);
    scratch.levels.resize(slots.size());
    for (const uint32_t slot : slots) {
      const int32_t code = codes[lists.row(slot)];
      number[code < 0 ? levels : static_cast<size_t>(code)] = 0;
    }
    for (size_t level = 0; level <= levels; ++level) {
      if (number[level] == missing_level) continue;
      number[level] = static_cast<uint32_t>(found.level_codes.size());
      found.level_codes.push_back(level == levels ? missing_level : static_cast<uint32_t>(level));
    }
    active.constant = found.level_codes.size() < 2;
    if (active.constant) return found;
    for (size_t i = 0; i < slots.size(); ++i) {
      const int32_t code = codes[lists.row(slots[i])];
      scratch.levels[i] = number[code < 0 ? levels : static_cast<size_t>(code)];
    }
    scratch.cells.assign(found.level_codes.size() * node.size(), 0.0);
    open.world->search->add_to_cells(slots, scratch.levels, scratch.cells.data());
    divide_levels(node, scratch.cells, *open.world->search, found, scratch);
    return found;
  }

  // Rows without a value are one more level, or take no part.
  void divide_levels(std::span<const double> node, std::span<const double> cells,
                     const SplitSearch& search, Found& found, Scratch& scratch) const {
    const bool some_missing = found.level_codes.back() == missing_level;
    if (!some_missing || missing_ == MissingValues::learned ||
        missing_ == MissingValues::separate) {
      found.levels = search.best_levels(node, cells, nominal_, limits_.min_leaf, scratch);
      found.score = found.levels.score;
      return;
    }
    found.level_codes.pop_back();
    if (found.level_codes.size() < 2) return;
    const size_t width = node.size();
    const auto with_value = cells.first(cells.size() - width);
    std::vector<double> known(node.begin(), node.end());
    for (size_t k = 0; k < width; ++k) known[k] -= cells[with_value.size() + k];
    found.levels = search.best_levels(known, with_value, nominal_, limits_.min_leaf, scratch);
    found.score = search.improvement(found.levels.score, known) / search.improvement(1, node);
  }

  const Limits limits_;
  const MissingValues missing_;
  const double root_deviation_;
  const NominalSplit nominal_;
};

}  // namespace

std::unique_ptr<Way> make_axis_way(const WaySetting& setting) {
  return std::make_unique<AxisWay>(setting);
}

}  // namespace softwood::grow

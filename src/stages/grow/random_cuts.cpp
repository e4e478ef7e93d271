#include "stages/grow/random_cuts.h"

#include <algorithm>
#include <cmath>

#include "base/random.h"

namespace softwood::grow {
namespace {

class RandomSplitter final : public Splitter {
 public:
  explicit RandomSplitter(const SplitterSetting& setting)
      : limits_(setting.limits),
        seed_(setting.context.seed),
        tried_(inputs_tried(setting.context)) {}

  Found find(const Tree& tree, OpenNode& open, std::span<const double> cell,
             const Workers& workers) const override {
    // Not by the order in which threads come to the nodes, nor by the number of their rows: a row
    // of weight 2 is the row twice.
    Random random(seed_, "random cuts", open.path);
    std::vector<ActiveFeature*> order;
    for (ActiveFeature& active : open.active) order.push_back(&active);
    random.shuffle(order);
    Found best;
    size_t seen = 0;
    for (ActiveFeature* const active : order) {
      // More than are wanted are tried as long as none of them divides the node.
      if (seen >= tried_ && best.score > 0) break;
      workers.own.until_ask.add(open.range.size(), workers.control);
      const bool nominal = open.data->lists.table().input(active->feature).kind == Kind::nominal;
      Found one = nominal ? random_levels(cell, open, *active, random, workers.own.scratch)
                          : random_cut(cell, open, *active, random, workers.own.scratch);
      if (!active->constant) ++seen;
      if (clearly_better(one.score, best.score)) best = std::move(one);
    }
    std::erase_if(open.active, [](const ActiveFeature& active) { return active.constant; });
    set_improvement(best, *open.data->search, cell, tree, open.node, limits_);
    return best;
  }

 private:
  // The defaults of section 2.2: all in regression, the square root of them for classes.
  static size_t inputs_tried(const Context& context) {
    if (context.options.has_number("inputs-tried")) {
      return static_cast<size_t>(context.options.integer("inputs-tried"));
    }
    const auto all = static_cast<double>(context.table().features());
    const bool classes = context.table().schema().task() == Task::classification;
    return static_cast<size_t>(std::ceil(classes ? std::sqrt(all) : all));
  }

  // A cut somewhere between the least and the largest value.
  Found random_cut(std::span<const double> cell, const OpenNode& open, ActiveFeature& active,
                   Random& random, Scratch& scratch) const {
    const RowLists& lists = open.data->lists;
    const auto known = lists.known(open.range, active);
    const auto value = [&](uint32_t entry) { return lists.value(active.feature, entry); };
    const double share = random.uniform();
    active.constant = known.empty() || !(value(known.front()) < value(known.back()));
    if (active.constant) return {};
    const double cut = (1 - share) * value(known.front()) + share * value(known.back());
    const auto end = std::partition_point(known.begin(), known.end(),
                                          [&](uint32_t entry) { return value(entry) <= cut; });
    Found found;
    found.feature = active.feature;
    found.cut = cut;
    found.position = static_cast<size_t>(end - known.begin());
    if (found.position == 0 || found.position == known.size()) return {};
    std::vector<uint32_t>& slots = scratch.level_numbers;
    slots.resize(known.size());
    std::transform(known.begin(), known.end(), slots.begin(),
                   [&](uint32_t entry) { return lists.slot(entry); });
    scratch.levels.assign(known.size(), 1);
    std::fill_n(scratch.levels.begin(), found.position, 0);
    found.score = score(cell, open, slots, scratch);
    return found;
  }

  // Each level that occurs on one of two sides.
  Found random_levels(std::span<const double> cell, const OpenNode& open, ActiveFeature& active,
                      Random& random, Scratch& scratch) const {
    const RowLists& lists = open.data->lists;
    const Cells<int32_t>& codes = lists.table().input(active.feature).codes;
    Found found;
    found.feature = active.feature;
    std::vector<uint32_t> slots;
    for (const uint32_t slot : open.slots()) {
      if (codes[lists.row(slot)] >= 0) slots.push_back(slot);
    }
    const auto code = [&](uint32_t slot) { return static_cast<uint32_t>(codes[lists.row(slot)]); };
    for (const uint32_t slot : slots) found.level_codes.push_back(code(slot));
    std::sort(found.level_codes.begin(), found.level_codes.end());
    found.level_codes.erase(std::unique(found.level_codes.begin(), found.level_codes.end()),
                            found.level_codes.end());
    const size_t levels = found.level_codes.size();
    active.constant = levels < 2;
    if (active.constant) return {};
    found.levels.children = 2;
    for (size_t i = 0; i < levels; ++i) {
      found.levels.child.push_back(static_cast<uint32_t>(random.below(2)));
    }
    // At least one on each side.
    const size_t fixed = random.below(levels);
    const auto others =
        std::count(found.levels.child.begin(), found.levels.child.end(), found.levels.child[fixed]);
    if (others == static_cast<std::ptrdiff_t>(levels)) found.levels.child[fixed] ^= 1U;
    scratch.levels.clear();
    for (const uint32_t slot : slots) {
      const auto at =
          std::lower_bound(found.level_codes.begin(), found.level_codes.end(), code(slot));
      scratch.levels.push_back(
          found.levels.child[static_cast<size_t>(at - found.level_codes.begin())]);
    }
    found.score = found.levels.score = score(cell, open, slots, scratch);
    return found;
  }

  // Of the two sides that scratch.levels says, in units of the whole node; 0: too few rows.
  double score(std::span<const double> node, const OpenNode& open, std::span<const uint32_t> slots,
               Scratch& scratch) const {
    const SplitSearch& search = *open.data->search;
    const std::span<const uint32_t> sides(scratch.levels.data(), slots.size());
    if (search.needs_rows()) {
      return search
          .best_levels_of_rows(slots, sides, 2, NominalSplit::multiway, limits_.min_leaf, scratch)
          .score;
    }
    const size_t width = node.size();
    std::vector<double>& cells = scratch.cells;  // of the two sides, and of both
    cells.assign(3 * width, 0.0);
    search.add_to_cells(slots, sides, cells.data());
    for (size_t k = 0; k < width; ++k) cells[2 * width + k] = cells[k] + cells[width + k];
    const std::span<const double> both(&cells[2 * width], width);
    const double gain =
        search.best_bin(both, std::span(cells).first(2 * width), nullptr, limits_.min_leaf, scratch)
            .score;
    return gain > 0 ? search.improvement(gain, both) / search.improvement(1, node) : 0;
  }

  const Limits limits_;
  const uint64_t seed_;
  const size_t tried_;  // inputs, at each node
};

}  // namespace

std::unique_ptr<Splitter> make_random_splitter(const SplitterSetting& setting) {
  return std::make_unique<RandomSplitter>(setting);
}

}  // namespace softwood::grow

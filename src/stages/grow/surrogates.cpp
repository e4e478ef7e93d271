#include "stages/grow/surrogates.h"

#include <algorithm>
#include <optional>

namespace softwood::grow {
namespace {

// Fewer rows than this on a side say nothing: an input that has nothing to do with the split would
// be better than none too easily (the limit of rpart, there in rows, here in weight).
constexpr double least_on_a_side = 2;

struct Candidate {
  double alike = 0;  // weight of the rows that are sent alike
  Gate gate;
};

class SurrogateSearch {
 public:
  SurrogateSearch(const OpenNode& open, const Imitated& split)
      : open_(open),
        lists_(open.data->lists),
        majority_(std::max(split.weight[0], split.weight[1])) {}

  std::optional<Candidate> search(const ActiveFeature& active, Scratch& scratch) const {
    const bool levels = lists_.table().input(active.feature).kind == Kind::nominal;
    std::optional<Candidate> found =
        levels ? by_levels(active.feature, scratch) : by_threshold(active);
    if (found && !clearly_better(found->alike, majority_)) return std::nullopt;
    return found;
  }

 private:
  using Sides = std::array<double, 2>;

  static bool both_count(double first, double second) {
    return first >= least_weight(least_on_a_side) && second >= least_weight(least_on_a_side);
  }

  void add(uint32_t slot, Sides& sides) const {
    const uint32_t side = lists_.child(slot, true);
    if (side != no_side) sides[side] += open_.data->weight(slot);
  }

  // The best cut in either direction.
  std::optional<Candidate> by_threshold(const ActiveFeature& active) const {
    const auto known = lists_.known(open_.range, active);
    Sides all{}, below{};
    for (const uint32_t entry : known) add(lists_.slot(entry), all);
    double alike = std::max(all[0], all[1]);
    size_t position = 0;
    bool reversed = false;
    for (size_t i = 0; i < known.size(); ++i) {
      const double before = below[0] + below[1];
      if (is_new_value(known[i]) && both_count(before, all[0] + all[1] - before)) {
        const double straight = below[0] + all[1] - below[1];
        const double crossed = below[1] + all[0] - below[0];
        if (clearly_better(std::max(straight, crossed), alike)) {
          alike = std::max(straight, crossed);
          position = i;
          reversed = crossed > straight;
        }
      }
      add(lists_.slot(known[i]), below);
    }
    if (position == 0) return std::nullopt;
    const double cut = middle(lists_.value(active.feature, known[position - 1]),
                              lists_.value(active.feature, known[position]));
    ScoreGate gate = threshold_gate(active.feature, cut);
    if (reversed) {
      gate.terms[0].coefficient = -1;
      gate.cut = -cut;
    }
    return Candidate{alike, std::move(gate)};
  }

  // Each level goes where most of its rows go; undecided ones go with the majority of all.
  std::optional<Candidate> by_levels(uint32_t feature, Scratch& scratch) const {
    const Cells<int32_t>& codes = lists_.table().input(feature).codes;
    const size_t levels = lists_.table().schema().features[feature].levels.size();
    scratch.cells.assign(2 * levels, 0.0);
    Sides all{};
    for (const uint32_t slot : open_.slots()) {
      const int32_t code = codes[lists_.row(slot)];
      const uint32_t side = lists_.child(slot, true);
      if (code < 0 || side == no_side) continue;
      scratch.cells[2 * static_cast<size_t>(code) + side] += open_.data->weight(slot);
      all[side] += open_.data->weight(slot);
    }
    const int32_t usual = all[1] > all[0] ? 1 : 0;
    LevelsGate gate{feature, 2, std::vector<int32_t>(levels, -1)};
    double alike = 0;
    Sides sent{};
    for (size_t level = 0; level < levels; ++level) {
      const double* const cell = &scratch.cells[2 * level];
      if (!(cell[0] + cell[1] > 0)) continue;
      const int32_t child = cell[0] == cell[1] ? usual : (cell[1] > cell[0] ? 1 : 0);
      gate.child_of_level[level] = child;
      alike += cell[child];
      sent[static_cast<size_t>(child)] += cell[0] + cell[1];
    }
    if (!both_count(sent[0], sent[1])) return std::nullopt;
    return Candidate{alike, std::move(gate)};
  }

  const OpenNode& open_;
  const RowLists& lists_;
  const double majority_;
};

}  // namespace

std::vector<Surrogate> find_surrogates(const OpenNode& open, const Imitated& split, size_t most,
                                       const Workers& workers) {
  const SurrogateSearch search(open, split);
  std::vector<std::optional<Candidate>> found(open.active.size());
  workers.each(open, found.size(), [&](size_t i, Workspace& work) {
    const auto& own = split.features;
    if (std::find(own.begin(), own.end(), open.active[i].feature) != own.end()) return;
    found[i] = search.search(open.active[i], work.scratch);
  });
  std::erase_if(found, [](const auto& one) { return !one; });
  std::stable_sort(found.begin(), found.end(),
                   [](const auto& a, const auto& b) { return a->alike > b->alike; });
  if (found.size() > most) found.resize(most);
  const double total = split.weight[0] + split.weight[1];
  const double majority = std::max(split.weight[0], split.weight[1]);
  std::vector<Surrogate> surrogates;
  for (std::optional<Candidate>& one : found) {
    surrogates.push_back(
        {std::move(one->gate), one->alike / total, (one->alike - majority) / (total - majority)});
  }
  return surrogates;
}

}  // namespace softwood::grow

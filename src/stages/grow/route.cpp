#include "stages/grow/route.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "stages/grow/surrogates.h"
#include "tree/divided.h"

namespace softwood::grow {
namespace {

const ActiveFeature& active_of(const OpenNode& open, const Found& found) {
  return *std::find_if(open.active.begin(), open.active.end(),
                       [&](const ActiveFeature& one) { return one.feature == found.feature; });
}

ScoreGate threshold_of(const RowLists& lists, std::span<const uint32_t> known, const Found& found,
                       bool cut_at_value) {
  if (found.position == known.size()) return threshold_gate(found.feature, above_all_values);
  if (found.cut) return threshold_gate(found.feature, *found.cut);
  const double below = lists.value(found.feature, known[found.position - 1]);
  if (cut_at_value) return threshold_gate(found.feature, below);
  return threshold_gate(found.feature,
                        middle(below, lists.value(found.feature, known[found.position])));
}

class Router {
 public:
  Router(const OpenNode& open, const Found& found, const Routing& routing, const Workers& workers)
      : open_(open),
        found_(found),
        routing_(routing),
        workers_(workers),
        lists_(open.data->lists),
        in_two_(found.children == 2),
        weight_(found.children, 0.0) {}

  Routed by_threshold() {
    const ActiveFeature& active = active_of(open_, found_);
    const auto known = lists_.known(open_.range, active);
    const auto without = lists_.missing(open_.range, active);
    const std::vector<uint32_t> missing(without.begin(), without.end());
    const bool weigh = !missing.empty() || by_surrogates() || is_fractional();
    for (size_t i = 0; i < known.size(); ++i) {
      send(lists_.slot(known[i]), i < found_.position ? 0 : 1, weigh);
    }
    Routed routed{threshold_of(lists_, known, found_, routing_.cut_at_value), {}};
    // After the last value: the cut is between the rows with a value and those without.
    const bool decided =
        routing_.missing == MissingValues::learned || found_.position == known.size();
    send_missing(missing, !decided ? heavier() : found_.missing_left ? 0 : 1, routed);
    return routed;
  }

  Routed by_levels() {
    const size_t levels = lists_.table().schema().features[found_.feature].levels.size();
    Missing rule;
    const LevelsGate gate = levels_gate(found_, levels, rule);
    const Cells<int32_t>& codes = lists_.table().input(found_.feature).codes;
    std::vector<uint32_t> missing;
    for (const uint32_t slot : open_.slots()) {
      const int32_t code = codes[lists_.row(slot)];
      if (code < 0) {
        missing.push_back(slot);
      } else {
        send(slot, static_cast<uint32_t>(gate.child_of_level[static_cast<size_t>(code)]), true);
      }
    }
    Routed routed{gate, {}};
    const bool is_level = found_.level_codes.back() == missing_level;
    send_missing(missing, is_level ? rule.child : heavier(), routed);
    return routed;
  }

  // Gates of several features see no missing cells, those are imputed: what can't be computed is a
  // sum that is too large.
  Routed by_gate() {
    std::vector<uint32_t> missing(open_.slots().begin(), open_.slots().end());
    send_by_gate(*found_.gate, missing, true);
    Routed routed{*found_.gate, {}};
    send_missing(missing, heavier(), routed);
    return routed;
  }

 private:
  void send(uint32_t slot, uint32_t child, bool weigh) {
    lists_.set_child(slot, child, in_two_);
    if (weigh) weight_[child] += open_.data->weight(slot);
  }

  uint32_t heavier() const {
    return static_cast<uint32_t>(std::max_element(weight_.begin(), weight_.end()) -
                                 weight_.begin());
  }

  bool by_surrogates() const { return routing_.missing == MissingValues::surrogate; }
  bool is_fractional() const { return routing_.missing == MissingValues::fractional; }

  // `child` gets them where no other rule says more.
  void send_missing(std::vector<uint32_t> slots, uint32_t child, Routed& routed) {
    Missing& missing = routed.missing;
    for (const uint32_t slot : slots) missing.weight += open_.data->weight(slot);
    if (is_fractional()) {
      divide_missing(std::move(slots), routed);
      return;
    }
    if (by_surrogates()) {
      missing.child = heavier();
      add_surrogates(slots, routed);
    }
    if (slots.empty()) return;
    missing.child = found_.own_child ? 2 : child;
    if (found_.own_child) missing.rule = MissingRule::own;
    for (const uint32_t slot : slots) send(slot, missing.child, false);
    if (found_.own_child) missing.child = 0;
  }

  void divide_missing(std::vector<uint32_t> slots, Routed& routed) const {
    Missing& missing = routed.missing;
    missing.rule = MissingRule::shares;
    missing.shares = weight_;
    const double known = std::accumulate(weight_.begin(), weight_.end(), 0.0);
    for (double& share : missing.shares) share /= known;
    if (!in_two_) check_divided(slots.size(), missing.shares, lists_.bytes_of_slot());
    std::sort(slots.begin(), slots.end());
    routed.divided = std::move(slots);
  }

  // Finds the surrogates and sends the rows they can send; the others are left in `slots`.
  void add_surrogates(std::vector<uint32_t>& slots, Routed& routed) {
    for (const uint32_t slot : slots) lists_.set_child(slot, no_side, true);
    const Imitated split{gate_features(routed.gate), {weight_[0], weight_[1]}};
    routed.missing.surrogates = find_surrogates(open_, split, routing_.surrogates, workers_);
    for (const Surrogate& surrogate : routed.missing.surrogates) {
      if (slots.empty()) return;
      send_by_gate(surrogate.gate, slots, false);
    }
  }

  // Sends the rows whose gate can be computed; the others are left in `slots`.
  void send_by_gate(const Gate& gate, std::vector<uint32_t>& slots, bool weigh) {
    std::vector<RowIndex> rows;
    rows.reserve(slots.size());
    for (const uint32_t slot : slots) rows.push_back(lists_.row(slot));
    std::vector<double> weights(rows.size() * found_.children);
    gate_weights(gate, lists_.table(), rows, weights);
    size_t left = 0;
    for (size_t i = 0; i < rows.size(); ++i) {
      const double* const row = &weights[i * found_.children];
      if (std::isnan(row[0])) {
        slots[left++] = slots[i];
      } else {
        send(slots[i], static_cast<uint32_t>(std::max_element(row, row + found_.children) - row),
             weigh);
      }
    }
    slots.resize(left);
  }

  const OpenNode& open_;
  const Found& found_;
  const Routing routing_;
  const Workers& workers_;
  RowLists& lists_;
  const bool in_two_;
  std::vector<double> weight_;  // of the rows with a value, by child
};

}  // namespace

Gate gate_of(const OpenNode& open, const Found& found, bool cut_at_value) {
  const RowLists& lists = open.data->lists;
  if (found.gate) return *found.gate;
  if (found.is_levels()) {
    Missing rule;
    return levels_gate(found, lists.table().schema().features[found.feature].levels.size(), rule);
  }
  return threshold_of(lists, lists.known(open.range, active_of(open, found)), found, cut_at_value);
}

Routed route_rows(const OpenNode& open, const Found& found, const Routing& routing,
                  const Workers& workers) {
  Router router(open, found, routing, workers);
  if (found.gate) return router.by_gate();
  return found.is_levels() ? router.by_levels() : router.by_threshold();
}

}  // namespace softwood::grow

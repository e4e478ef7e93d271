#include "stages/grow/route.h"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace softwood::grow {
namespace {

class Router {
 public:
  Router(const OpenNode& open, const Found& found, MissingValues rule)
      : open_(open),
        found_(found),
        rule_(rule),
        lists_(open.world->lists),
        in_two_(found.children == 2),
        weight_(found.children, 0.0) {}

  Routed by_threshold() {
    const ActiveFeature& active =
        *std::find_if(open_.active.begin(), open_.active.end(),
                      [&](const ActiveFeature& one) { return one.feature == found_.feature; });
    const auto known = lists_.known(open_.range, active);
    const auto missing = lists_.missing(open_.range, active);
    const bool weigh = !missing.empty() || rule_ == MissingValues::fractional;
    for (size_t i = 0; i < known.size(); ++i) {
      send(lists_.slot(known[i]), i < found_.position ? 0 : 1, weigh);
    }
    const double below = lists_.value(found_.feature, known[found_.position - 1]);
    const double cut = found_.position == known.size()
                           ? above_all_values
                           : middle(below, lists_.value(found_.feature, known[found_.position]));
    Routed routed{threshold_gate(found_.feature, cut), {}};
    send_missing(missing, found_.missing_left ? 0 : 1, routed);
    return routed;
  }

  Routed by_levels() {
    const size_t levels = lists_.table().schema().features[found_.feature].levels.size();
    Missing rule;
    const LevelsGate gate = levels_gate(found_, levels, rule);
    const std::vector<int32_t>& codes = lists_.table().input(found_.feature).codes;
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
    std::vector<RowIndex> rows;
    for (const uint32_t slot : open_.slots()) rows.push_back(lists_.row(slot));
    std::vector<double> weights(rows.size() * found_.children);
    gate_weights(*found_.gate, lists_.table(), rows, weights);
    std::vector<uint32_t> missing;
    for (size_t i = 0; i < rows.size(); ++i) {
      const double* const row = &weights[i * found_.children];
      if (std::isnan(row[0])) {
        missing.push_back(open_.slots()[i]);
      } else {
        send(open_.slots()[i],
             static_cast<uint32_t>(std::max_element(row, row + found_.children) - row), true);
      }
    }
    Routed routed{*found_.gate, {}};
    send_missing(missing, heavier(), routed);
    return routed;
  }

 private:
  void send(uint32_t slot, uint32_t child, bool weigh) {
    lists_.set_child(slot, child, in_two_);
    if (weigh) weight_[child] += open_.world->weight(slot);
  }

  uint32_t heavier() const {
    return static_cast<uint32_t>(std::max_element(weight_.begin(), weight_.end()) -
                                 weight_.begin());
  }

  void send_missing(std::span<const uint32_t> slots, uint32_t learned, Routed& routed) {
    Missing& missing = routed.missing;
    if (rule_ == MissingValues::fractional) {
      divide_missing(slots, routed);
      return;
    }
    if (slots.empty()) return;
    if (found_.own_child) {
      missing.rule = MissingRule::own;
      missing.child = 2;
    } else {
      missing.child = found_.is_levels() || rule_ == MissingValues::learned ? learned : heavier();
    }
    for (const uint32_t slot : slots) {
      send(slot, missing.child, false);
      missing.weight += open_.world->weight(slot);
    }
    if (found_.own_child) missing.child = 0;
  }

  void divide_missing(std::span<const uint32_t> slots, Routed& routed) const {
    Missing& missing = routed.missing;
    missing.rule = MissingRule::shares;
    missing.shares = weight_;
    const double known = std::accumulate(weight_.begin(), weight_.end(), 0.0);
    for (double& share : missing.shares) share /= known;
    for (const uint32_t slot : slots) missing.weight += open_.world->weight(slot);
    routed.divided.assign(slots.begin(), slots.end());
    std::sort(routed.divided.begin(), routed.divided.end());
  }

  const OpenNode& open_;
  const Found& found_;
  const MissingValues rule_;
  RowLists& lists_;
  const bool in_two_;
  std::vector<double> weight_;  // of the rows with a value, by child
};

}  // namespace

Routed route_rows(const OpenNode& open, const Found& found, MissingValues rule) {
  Router router(open, found, rule);
  if (found.gate) return router.by_gate();
  return found.is_levels() ? router.by_levels() : router.by_threshold();
}

}  // namespace softwood::grow

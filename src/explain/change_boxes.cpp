// The nearest change for trees of thresholds and gates over levels: every leaf is a box, and the
// nearest row of a box is found input by input.
#include <algorithm>
#include <cmath>
#include <limits>

#include <fmt/format.h>

#include "base/text.h"
#include "explain/change_space.h"
#include "lower/condition.h"

namespace softwood {
namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();

bool has_boxes(const LoweredTree& tree) {
  if (tree.mixing.kind == MixingKind::scores) return false;
  return std::all_of(tree.nodes.begin(), tree.nodes.end(), [](const LoweredNode& node) {
    if (node.formula) return false;
    if (node.is_leaf()) return true;
    const auto* const score = std::get_if<LoweredScore>(&node.split->condition);
    return score == nullptr || is_threshold(*score);
  });
}

// The child to which the row goes as it is.
constexpr int stays = -1, divided = -2;
int own_child(const LoweredTree& tree, const LoweredSplit& split, double cell) {
  const uint32_t children = condition_children(split.condition);
  std::vector<double> weights(children);
  const auto child_of = [&](double value) -> int {
    if (!weigh_children(
            split.condition, [value](uint32_t) { return value; }, weights))
      return -1;
    return static_cast<int>(std::find(weights.begin(), weights.end(), 1.0) - weights.begin());
  };
  const int child = child_of(cell);
  if (child >= 0) return child;
  if (!split.missing.surrogates.empty()) return divided;
  switch (split.missing.action) {
    case MissingAction::shares:
      return divided;
    case MissingAction::stay:
      return stays;
    case MissingAction::own_child:
      return static_cast<int>(split.children) - 1;
    case MissingAction::impute: {
      const uint32_t input = condition_inputs(split.condition)[0];
      const int imputed = child_of(std::isnan(cell) ? tree.inputs[input].typical : cell);
      if (imputed >= 0) return imputed;
      break;
    }
    case MissingAction::child:
      break;
  }
  return static_cast<int>(split.missing.child);
}

// What is known of an input on the way to a leaf.
struct Side {
  bool unchanged = true;                    // the row's own cell goes this way
  bool no_value = false;                    // only missing cells do
  double low = -infinity, high = infinity;  // numbers: above low, at most high
  std::vector<bool> levels;                 // those that go this way; empty: all
};

class Boxes {
 public:
  Boxes(const LoweredTree& tree, const Table& table, RowIndex row, const Goal& goal,
        const std::vector<ChangingInput>& inputs)
      : tree_(tree),
        goal_(goal),
        inputs_(inputs),
        sides_(inputs.size()),
        place_(tree.inputs.size()) {
    for (size_t p = 0; p < inputs.size(); ++p) {
      place_[inputs[p].input] = p;
      if (inputs[p].kind == InputKind::ordinal) {
        sides_[p].low = -1;  // the indices of levels
        sides_[p].high = static_cast<double>(tree.inputs[inputs[p].input].levels.size()) - 1;
      }
      cells_.push_back(table.input(inputs[p].input).value(row));
    }
  }

  std::optional<Change> nearest() {
    if (!visit_all()) return {};
    best_.is_exact = true;
    return best_;
  }

 private:
  // A split on the way down. Trees may be deeper than a stack of calls.
  struct Open {
    uint32_t node;
    size_t place;  // of its input
    int own;       // the child of the row
    Side before;   // what is known of the input above it
    uint32_t next = 0;
  };

  // False: the row is divided somewhere.
  bool visit_all() {
    std::vector<Open> open;
    if (!visit(0, open)) return false;
    while (!open.empty()) {
      Open& at = open.back();
      const LoweredSplit& split = *tree_.nodes[at.node].split;
      Side& side = sides_[at.place];
      side = at.before;
      if (at.next == split.children) {
        open.pop_back();
        continue;
      }
      const uint32_t c = at.next++;
      side.unchanged = at.before.unchanged && at.own == static_cast<int>(c);
      narrow(split, c, side);
      if (!side.unchanged && (side.no_value || inputs_[at.place].fixed)) continue;
      if (!visit(split.first_child + c, open)) return false;
    }
    return true;
  }

  bool visit(uint32_t node, std::vector<Open>& open) {
    const LoweredNode& at = tree_.nodes[node];
    if (at.is_leaf()) {
      if (goal_.reached(at.answer)) consider();
      return true;
    }
    const LoweredSplit& split = *at.split;
    const size_t p = place_[condition_inputs(split.condition)[0]];
    const int own = own_child(tree_, split, cells_[p]);
    if (own == divided && sides_[p].unchanged) return false;
    if (own == stays && sides_[p].unchanged && goal_.reached(at.answer)) consider();
    open.push_back({node, p, own, sides_[p]});
    return true;
  }

  // To the values that go to the child.
  void narrow(const LoweredSplit& split, uint32_t child, Side& side) const {
    if (child >= condition_children(split.condition)) {
      side.no_value = true;
    } else if (const auto* const score = std::get_if<LoweredScore>(&split.condition)) {
      if (child == 0) side.high = std::min(side.high, score->cut);
      if (child == 1) side.low = std::max(side.low, score->cut);
      if (!(side.low < side.high) || side.low == cut_above_all_values) side.no_value = true;
    } else {
      const auto& levels = std::get<LoweredLevels>(split.condition);
      if (side.levels.empty()) side.levels.assign(levels.child_of_level.size(), true);
      for (size_t l = 0; l < side.levels.size(); ++l) {
        if (levels.child_of_level[l] != static_cast<int32_t>(child)) side.levels[l] = false;
      }
      if (std::find(side.levels.begin(), side.levels.end(), true) == side.levels.end()) {
        side.no_value = true;
      }
    }
  }

  std::optional<InputChange> change_of(size_t p) const {
    const ChangingInput& input = inputs_[p];
    const Side& side = sides_[p];
    InputChange change{input.input, cells_[p], 0, 0};
    if (side.levels.empty()) {
      const auto nearest = nearest_value(input, cells_[p], side.low, side.high);
      if (!nearest) return {};
      change.to = nearest->value;
      change.distance = nearest->distance;
      return change;
    }
    // Of several levels the nearest, for nominal inputs the typical one or the first.
    change.distance = infinity;
    for (size_t l = 0; l < side.levels.size(); ++l) {
      const auto level = static_cast<double>(l);
      if (!side.levels[l] || !(level > side.low && level <= side.high)) continue;
      if (!input.allows(cells_[p], level)) continue;
      const double distance = input.distance(cells_[p], level);
      if (distance > change.distance) continue;
      if (distance == change.distance && level != input.typical) continue;
      change.to = level;
      change.distance = distance;
    }
    if (!(change.distance < infinity)) return {};
    return change;
  }

  void consider() {
    Change change;
    change.found = true;
    double distance = 0;
    for (size_t p = 0; p < sides_.size(); ++p) {
      if (sides_[p].unchanged) continue;
      const auto one = change_of(p);
      if (!one) return;
      change.inputs.push_back(*one);
      distance += one->distance;
    }
    const bool better = !best_.found || change.inputs.size() < best_.inputs.size() ||
                        (change.inputs.size() == best_.inputs.size() && distance < distance_);
    if (!better) return;
    best_ = std::move(change);
    distance_ = distance;
  }

  const LoweredTree& tree_;
  const Goal& goal_;
  const std::vector<ChangingInput>& inputs_;
  std::vector<Side> sides_;    // by place
  std::vector<size_t> place_;  // by input: among inputs_
  std::vector<double> cells_;  // of the row, by place
  Change best_;
  double distance_ = infinity;
};

// The number with the fewest decimals in (above, most] or, with `down`, in [above, most].
double short_number_between(double above, double most, bool down, double otherwise) {
  constexpr int coarsest = 6, finest = -15;
  for (int power = coarsest; power >= finest; --power) {
    const double step = std::pow(10.0, power);
    const double steps = down ? std::floor(most / step) : std::floor(above / step) + 1;
    double value = 0;
    if (!parse_number(fmt::format("{:.{}f}", steps * step, std::max(0, -power)), value)) continue;
    if ((down ? value >= above : value > above) && value <= most) return value;
  }
  return otherwise;
}

}  // namespace

std::optional<NearestValue> nearest_value(const ChangingInput& input, double from, double low,
                                          double high) {
  const bool missing = std::isnan(from);
  const double near = missing ? (std::isnan(input.typical) ? 0 : input.typical) : from;
  NearestValue nearest{near, 0};
  constexpr double tolerance = 0.01;
  if (near <= low) {
    nearest.value = input.whole
                        ? std::floor(low) + 1
                        : short_number_between(low, std::min(high, low + tolerance * input.spread),
                                               false, std::nextafter(low, infinity));
    nearest.distance = input.distance(near, input.whole ? nearest.value : low);
  } else if (near > high) {
    nearest.value = input.whole ? std::floor(high)
                                : short_number_between(std::max(std::nextafter(low, infinity),
                                                                high - tolerance * input.spread),
                                                       high, true, high);
    nearest.distance = input.distance(near, input.whole ? nearest.value : high);
  }
  if (!(nearest.value > low && nearest.value <= high)) return {};
  if (missing) nearest.distance = 1;
  if (!input.allows(from, nearest.value)) return {};
  return nearest;
}

std::optional<Change> change_by_boxes(const LoweredTree& tree, const Table& table, RowIndex row,
                                      const Goal& goal, const std::vector<ChangingInput>& inputs) {
  if (!has_boxes(tree)) return {};
  return Boxes(tree, table, row, goal, inputs).nearest();
}

}  // namespace softwood

#include "stages/grow/split.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "base/memory.h"
#include "base/sum.h"
#include "base/text.h"
#include "data/class_weights.h"
#include "softwood/error.h"
#include "stages/grow/splitter.h"
#include "tree/costs.h"

namespace softwood::grow {

namespace {

template <class T>
auto at_slots(const T& all, std::span<const uint32_t> slots) {
  std::vector<typename T::value_type> some;
  if (all.empty()) return some;
  some.reserve(slots.size());
  for (const uint32_t slot : slots) some.push_back(all[slot]);
  return some;
}

// The smallest target up to which there is half of the weight. Numbers are measured from it: few
// digits are lost then, whatever their offset and however far out some of them are, and neither the
// order of the rows nor copies instead of weights change it.
double weighted_median(const Table& table, std::span<const RowIndex> rows, double weight) {
  const Cells<double>& y = table.target().numbers;
  std::vector<RowIndex> order(rows.begin(), rows.end());
  const auto is_less = [&](RowIndex a, RowIndex b) { return y[a] < y[b]; };
  if (!table.weighted()) {
    const auto half = order.begin() + static_cast<std::ptrdiff_t>((order.size() - 1) / 2);
    std::nth_element(order.begin(), half, order.end(), is_less);
    return y[*half];
  }
  std::sort(order.begin(), order.end(), is_less);
  double below = 0;
  for (const RowIndex row : order) {
    below += table.weight(row);
    if (2 * below >= weight) return y[row];
  }
  return y[order.back()];
}

bool is_whole(double weight) { return weight == std::floor(weight); }

// The altered priors that stand for costs; the weight of all rows stays what it is.
void alter_weights(const Table& table, std::span<const RowIndex> rows,
                   std::span<const double> costs, Target& target) {
  if (costs.empty()) return;
  target.factor = class_factors(table, rows, altered_weights(costs, target.classes));
  target.weight.resize(rows.size());
  for (size_t slot = 0; slot < rows.size(); ++slot) {
    target.weight[slot] = table.weight(rows[slot]) * target.factor[target.class_of(slot)];
  }
}

}  // namespace

Target make_target(const Table& table, std::span<const RowIndex> rows,
                   std::span<const double> costs, bool from_zero) {
  Target target;
  target.task = table.schema().task();
  target.classes = table.schema().classes();
  double weight = 0;
  if (table.weighted()) {
    target.weight.reserve(rows.size());
    for (const RowIndex row : rows) target.weight.push_back(table.weight(row));
  }
  for (const RowIndex row : rows) weight += table.weight(row);
  // Searches square what is a product of two weights.
  const double square = weight * weight;
  if (!(weight > 0) || !std::isfinite(square * square)) {
    throw Error(ErrorKind::data, rows.empty() ? "there are no rows to learn from"
                                 : weight > 0 ? "the weights are too large to be added up"
                                              : "the rows to learn from have no weight");
  }
  if (target.task == Task::regression) {
    const Cells<double>& y = table.target().numbers;
    target.centre = from_zero ? 0 : weighted_median(table, rows, weight);
    double largest = 0;
    for (const RowIndex row : rows) largest = std::max(largest, std::abs(y[row] - target.centre));
    if (is_whole_table(table, rows)) {
      target.number = y;
    } else {
      target.set_numbers(at_slots(y, rows));
    }
    // The largest number that the search squares.
    const double bound = largest * weight * weight;
    if (!std::isfinite(bound * bound)) {
      throw Error(ErrorKind::data, "the target's values or the weights are too large to be squared",
                  {}, "divide them by a power of ten");
    }
    constexpr double most_whole = 9007199254740992.0;  // 2^53
    if (weight <= most_whole && std::all_of(target.weight.begin(), target.weight.end(), is_whole)) {
      target.whole = WholeNumbers(target.number, target.centre, largest, weight);
    }
    return target;
  }
  const Cells<int32_t>& code = table.target().codes;
  constexpr size_t small = 256;
  if (target.classes <= small) {
    reserve_large(target.small_class, rows.size());
    for (const RowIndex row : rows) target.small_class.push_back(static_cast<uint8_t>(code[row]));
  } else {
    target.large_class.reserve(rows.size());
    for (const RowIndex row : rows) target.large_class.push_back(static_cast<uint32_t>(code[row]));
  }
  alter_weights(table, rows, costs, target);
  return target;
}

Target target_at(const Target& target, std::span<const uint32_t> slots) {
  Target part;
  part.task = target.task;
  part.classes = target.classes;
  part.centre = target.centre;
  part.factor = target.factor;
  part.small_class = at_slots(target.small_class, slots);
  part.large_class = at_slots(target.large_class, slots);
  part.set_numbers(at_slots(target.number, slots));
  part.whole = target.whole.at(slots);
  part.weight = at_slots(target.weight, slots);
  return part;
}

bool chooses_by_ratio(const Options& options) {
  const auto table = criteria();
  return std::any_of(table.begin(), table.end(), [&](const Criterion& criterion) {
    return criterion.traits.by_ratio && criterion.name == options.text("criterion");
  });
}

NominalSplit nominal_option(const Options& options) {
  return options.choice("nominal", nominal_choices);
}

CutAt cut_at_option(const Options& options) { return options.choice("cut-at", cut_at_choices); }

bool targets_from_zero(const Options& options) {
  const auto is_chosen = [&](const Criterion& criterion) {
    return criterion.name == options.text("criterion") && criterion.traits.from_zero;
  };
  return std::any_of(criteria().begin(), criteria().end(), is_chosen);
}

namespace {

void check_usable(const Criterion& criterion, const Options& options) {
  const auto refuse = [&](const std::string& option) {
    if (options.text(option.substr(0, option.find('='))) != option.substr(option.find('=') + 1)) {
      return;
    }
    throw Error(ErrorKind::usage,
                fmt::format("criterion={} does not work with {}", criterion.name, option), {},
                options.text("criterion") == "auto"
                    ? fmt::format("add criterion={}",
                                  criterion.task == Task::classification ? "gini" : "mse")
                    : "leave one of the two out");
  };
  if (criterion.traits.needs_rows) refuse("search=binned");
  if (criterion.traits.two_sides) {
    refuse("nominal=multiway");
    refuse("nominal=every-level");
  }
  if (criterion.traits.needs_rows || criterion.traits.two_sides) refuse("missing=separate");
  // Those weigh what a split improves against an impurity that these criteria do not have.
  if (criterion.traits.needs_rows || criterion.traits.two_sides || criterion.traits.from_zero) {
    for (const char* way : {"split=oblique", "split=quadratic", "split=omnivariate"}) refuse(way);
  }
}

}  // namespace

const Criterion& criterion_of(const Options& options, Task task) {
  std::string name = options.text("criterion");
  if (name == "auto") {
    name =
        task == Task::classification ? find_splitter(options.text("split")).class_criterion : "mse";
  }
  std::vector<std::string> usable;
  for (const Criterion& criterion : criteria()) {
    if (criterion.task != task) continue;
    if (criterion.name == name) return criterion;
    usable.push_back(criterion.name);
  }
  throw Error(ErrorKind::usage, fmt::format("criterion '{}' is not for {}", name, task_name(task)),
              {}, "use " + join(usable, " or "));
}

std::unique_ptr<SplitSearch> make_search(const Options& options, const Target& target) {
  const Criterion& criterion = criterion_of(options, target.task);
  check_usable(criterion, options);
  return criterion.make(target);
}

namespace {

// Of the rows of a node, measured from the centre.
struct NumberSums {
  double weight = 0, number = 0, low = 0, high = 0;
};

NumberSums rounded_sums(const Target& target, std::span<const uint32_t> slots) {
  Sum weight, number;
  double low = target.value(slots[0]), high = low;
  for (const uint32_t slot : slots) {
    weight.add(target.row_weight(slot));
    number.add_product(target.row_weight(slot), target.value(slot));
    low = std::min(low, target.value(slot));
    high = std::max(high, target.value(slot));
  }
  return {weight.value(), number.value(), low, high};
}

template <bool weighted>
NumberSums exact_sums(const Target& target, std::span<const uint32_t> slots) {
  const WholeNumbers& whole = target.whole;
  int64_t weight = 0;
  Whole number = 0;
  double low = target.value(slots[0]), high = low;
  for (const uint32_t slot : slots) {
    const int64_t copies = weighted ? static_cast<int64_t>(target.weight[slot]) : 1;
    weight += copies;
    number += whole[slot] * copies;
    low = std::min(low, target.value(slot));
    high = std::max(high, target.value(slot));
  }
  return {static_cast<double>(weight), whole.value(number), whole.value(whole.whole(low)),
          whole.value(whole.whole(high))};
}

template <class Squares>
double sum_of_squares(const Target& target, std::span<const uint32_t> slots, double mean,
                      Squares squares) {
  for (const uint32_t slot : slots) {
    const double deviation = target.value(slot) - mean;
    squares.add_product(target.search_weight(slot), deviation * deviation);
  }
  return squares.value();
}

}  // namespace

double set_sums(Tree& tree, NodeIndex node, const Target& target, std::span<const uint32_t> slots) {
  const auto sums = tree.sums(node);
  std::fill(sums.begin(), sums.end(), 0.0);
  if (target.task == Task::classification) {
    const bool small = target.large_class.empty();
    for (const uint32_t slot : slots) {
      sums[small ? target.small_class[slot] : target.large_class[slot]] += target.row_weight(slot);
    }
    return 0;
  }
  if (slots.empty()) return 0;
  const NumberSums all = target.whole.empty()    ? rounded_sums(target, slots)
                         : target.weight.empty() ? exact_sums<false>(target, slots)
                                                 : exact_sums<true>(target, slots);
  const double mean = all.weight > 0 ? all.number / all.weight : 0;
  sums[0] = all.weight;
  sums[1] = mean + target.centre;
  constexpr double rounding = 4 * std::numeric_limits<double>::epsilon();
  const double low = all.low + target.centre, high = all.high + target.centre;
  if (high - low > rounding * std::max(std::abs(low), std::abs(high))) {
    const double farthest = std::max(mean - all.low, all.high - mean);
    sums[2] = target.whole.empty() ? sum_of_squares(target, slots, mean, Sum())
                                   : sum_of_squares(target, slots, mean,
                                                    OrderlessSum(farthest * farthest, all.weight));
  }
  return all.number;
}

void set_cell(std::vector<double>& cell, const Tree& tree, NodeIndex node, const Target& target,
              double sum) {
  const auto sums = tree.sums(node);
  if (target.task == Task::classification) {
    cell.assign(sums.begin(), sums.end());
    for (size_t k = 0; k < target.factor.size(); ++k) cell[k] *= target.factor[k];
    return;
  }
  cell.assign({sums[0], sum});
}

double decrease_of_variance(const Target& target, std::span<const uint32_t> one,
                            std::span<const uint32_t> other) {
  const auto sums = [&](std::span<const uint32_t> slots) {
    Sum weight, amount;
    for (const uint32_t slot : slots) {
      const double own = target.search_weight(slot);
      weight.add(own);
      amount.add_product(own, target.value(slot));
    }
    return std::pair(weight.value(), amount.value());
  };
  const auto [weight, amount] = sums(one);
  const auto [other_weight, other_amount] = sums(other);
  if (!(weight > 0 && other_weight > 0)) return 0;
  const double distance = amount / weight - other_amount / other_weight;
  const double all = weight + other_weight;
  return weight / all * (other_weight / all) * distance * distance;
}

bool may_split(const Tree& tree, NodeIndex node, size_t depth, const Limits& limits) {
  const double weight = tree.weight(node);
  // With less than twice min-leaf no split can leave enough on both sides.
  if (depth >= limits.max_depth || weight < least_weight(limits.min_split) ||
      weight < least_weight(2 * limits.min_leaf)) {
    return false;
  }
  return tree.risk(node) > 0;  // else pure: nothing is left to explain
}

namespace {

// Root of the mean square of the node's numbers, measured from the centre: what sums of them are
// rounded by. Classes count 1.
double magnitude_of(const Tree& tree, NodeIndex node, std::span<const double> cell) {
  if (tree.task() == Task::classification) return 1;
  return std::hypot(cell[1] / cell[0], std::sqrt(tree.risk(node) / tree.weight(node)));
}

}  // namespace

void set_improvement(Found& found, const SplitSearch& search, std::span<const double> cell,
                     const Tree& tree, NodeIndex node, const Limits& limits) {
  const double improvement = search.improvement(found.score, cell);
  const double weight = tree.weight(node);
  // A split that explains nothing but rounding is never made. UPV chapter, equation 4: terminal
  // when the largest reduction is below epsilon.
  if (found.score > 0 && improvement > weight * search.rounding(magnitude_of(tree, node, cell)) &&
      limits.enough(improvement, weight)) {
    found.improvement = improvement;
  }
  if (found.is_levels()) found.children = found.levels.children;
  if (found.own_child) found.children = 3;
}

LevelsGate levels_gate(const Found& found, size_t levels, Missing& missing) {
  LevelsGate gate;
  gate.feature = found.feature;
  gate.children = found.levels.children;
  gate.child_of_level.assign(levels, -1);
  for (size_t i = 0; i < found.level_codes.size(); ++i) {
    if (found.level_codes[i] == missing_level) {
      missing.child = found.levels.child[i];
    } else {
      gate.child_of_level[found.level_codes[i]] = static_cast<int32_t>(found.levels.child[i]);
    }
  }
  return gate;
}

uint32_t heavier_child(const Tree& tree, NodeIndex first_child, uint32_t children) {
  uint32_t heavier = 0;
  for (uint32_t c = 1; c < children; ++c) {
    if (tree.weight(first_child + c) > tree.weight(first_child + heavier)) heavier = c;
  }
  return heavier;
}

}  // namespace softwood::grow

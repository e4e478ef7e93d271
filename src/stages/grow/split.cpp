#include "stages/grow/split.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

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

// Every training row must have an answer that the schema knows.
void check_target(const Table& table, std::span<const RowIndex> rows) {
  const Column& target = table.target();
  const auto is_good = [&](RowIndex row) {
    if (target.kind == Kind::numeric) return std::isfinite(target.numbers[row]);
    return target.codes[row] >= 0 &&
           static_cast<size_t>(target.codes[row]) < table.schema().classes();
  };
  if (!table.has_target() || !std::all_of(rows.begin(), rows.end(), is_good)) {
    throw Error(ErrorKind::data, "some rows to learn from have no target", {},
                "leave them out, or read them as data to learn from");
  }
}

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
  double weight = 0, sum = 0;
  if (table.weighted()) {
    target.weight.reserve(rows.size());
    for (const RowIndex row : rows) target.weight.push_back(table.weight(row));
  }
  for (const RowIndex row : rows) weight += table.weight(row);
  if (!(weight > 0) || !std::isfinite(weight * weight)) {
    throw Error(ErrorKind::data, rows.empty() ? "there are no rows to learn from"
                                 : weight > 0 ? "the weights are too large to be added up"
                                              : "the rows to learn from have no weight");
  }
  check_target(table, rows);
  if (target.task == Task::regression) {
    const Cells<double>& y = table.target().numbers;
    for (const RowIndex row : rows) sum += table.weight(row) * y[row];
    target.centre = from_zero ? 0 : sum / weight;
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
    return target;
  }
  const Cells<int32_t>& code = table.target().codes;
  constexpr size_t small = 256;
  if (target.classes <= small) {
    target.small_class.reserve(rows.size());
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

void set_cell(std::vector<double>& cell, const Tree& tree, NodeIndex node, const Target& target) {
  const auto sums = tree.sums(node);
  if (target.task == Task::classification) {
    cell.assign(sums.begin(), sums.end());
    for (size_t k = 0; k < target.factor.size(); ++k) cell[k] *= target.factor[k];
  } else {
    cell.assign({sums[0], sums[0] * (sums[1] - target.centre)});
  }
}

void set_sums(Tree& tree, NodeIndex node, const Target& target, std::span<const uint32_t> slots) {
  const auto sums = tree.sums(node);
  std::fill(sums.begin(), sums.end(), 0.0);
  const auto weight = [&](uint32_t slot) { return target.row_weight(slot); };
  if (target.task == Task::classification) {
    const bool small = target.large_class.empty();
    for (const uint32_t slot : slots) {
      sums[small ? target.small_class[slot] : target.large_class[slot]] += weight(slot);
    }
    return;
  }
  double total = 0, sum = 0, squares = 0;
  for (const uint32_t slot : slots) {
    total += weight(slot);
    sum += weight(slot) * target.value(slot);
  }
  const double mean = total > 0 ? sum / total : 0;
  for (const uint32_t slot : slots) {
    const double deviation = target.value(slot) - mean;
    squares += weight(slot) * deviation * deviation;
  }
  sums[0] = total;
  sums[1] = mean + target.centre;
  sums[2] = squares;
}

bool may_split(const Tree& tree, NodeIndex node, size_t depth, const Limits& limits,
               double root_deviation) {
  const double weight = tree.weight(node);
  // With less than twice min-leaf no split can leave enough on both sides.
  if (depth >= limits.max_depth || weight < least_weight(limits.min_split) ||
      weight < least_weight(2 * limits.min_leaf)) {
    return false;
  }
  // Pure: nothing is left to explain. Regression: what is left is rounding.
  constexpr double rounding = 1e-14;
  return tree.task() == Task::classification ? tree.risk(node) > 0
                                             : tree.risk(node) > rounding * root_deviation * weight;
}

namespace {

bool good_enough(const Tree& tree, NodeIndex node, double improvement, const Limits& limits,
                 double unit) {
  // A split that explains nothing is never made; "nothing" allows for rounding.
  constexpr double rounding = 1e-12;
  const double weight = tree.weight(node);
  // UPV chapter, equation 4: terminal when the largest reduction is below epsilon.
  return improvement > rounding * weight * unit && limits.enough(improvement, weight);
}

}  // namespace

void set_improvement(Found& found, const SplitSearch& search, std::span<const double> cell,
                     const Tree& tree, NodeIndex node, const Limits& limits,
                     double root_deviation) {
  const double improvement = search.improvement(found.score, cell);
  if (found.score > 0 &&
      good_enough(tree, node, improvement, limits, search.unit(root_deviation))) {
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

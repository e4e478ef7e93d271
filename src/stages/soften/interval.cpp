#include "stages/soften/interval.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "data/sorted.h"
#include "softwood/error.h"
#include "stages/soften/node_rows.h"
#include "stages/soften/ramps.h"
#include "tree/edit.h"
#include "use/predict.h"

namespace softwood::soften {
namespace {

struct Base {
  double weight = 0;  // N
  double errors = 0;  // E, with the threshold at the cut
};

Base base_of(std::span<const ValueErrors> values, double cut) {
  Base base;
  for (const ValueErrors& v : values) {
    base.weight += v.weight;
    base.errors += v.value <= cut ? v.first : v.second;
  }
  return base;
}

// How far from the cut the values can be passed, beginning with the nearest: the last one that can.
template <class Own, class Other>
double farthest(std::span<const ValueErrors> outward, const Base& base, double cut, const Own& own,
                const Other& other) {
  const double most = std::sqrt(base.errors * (base.weight - base.errors) / base.weight);
  double own_errors = 0, other_errors = 0, bound = cut;
  for (const ValueErrors& v : outward) {
    own_errors += own(v);
    other_errors += other(v);
    if (other_errors > 2 * own_errors + 1 || other_errors - own_errors > most) break;
    bound = v.value;
  }
  return bound;
}

}  // namespace

Bounds c45_bounds(std::span<const ValueErrors> values, double cut) {
  const Base base = base_of(values, cut);
  const double limit =
      base.errors +
      std::sqrt((base.errors + 0.5) * (base.weight - base.errors + 0.5) / (base.weight + 1));
  Bounds bounds{std::min(cut, values.front().value), std::max(cut, values.back().value)};
  // Errors with the cut at the value before and at this one.
  double all_second = 0;
  for (const ValueErrors& v : values) all_second += v.second;
  double before = all_second + values[0].first - values[0].second;
  bool low_found = false;
  for (size_t i = 1; i < values.size(); ++i) {
    const ValueErrors &last = values[i - 1], &here = values[i];
    const double errors = before + here.first - here.second;
    if (!low_found && before > limit && errors <= limit && here.value <= cut) {
      bounds.low = std::lerp(here.value, last.value, (limit - errors) / (before - errors));
      low_found = true;
    } else if (before <= limit && errors > limit && here.value > cut) {
      bounds.high =
          std::max(cut, std::lerp(last.value, here.value, (limit - before) / (errors - before)));
    }
    before = errors;
  }
  return bounds;
}

Bounds c50_bounds(std::span<const ValueErrors> values, double cut) {
  const Base base = base_of(values, cut);
  const auto above = std::find_if(values.begin(), values.end(),
                                  [&](const ValueErrors& v) { return v.value > cut; });
  std::vector<ValueErrors> down(values.begin(), above);
  std::reverse(down.begin(), down.end());
  const std::vector<ValueErrors> up(above, values.end());
  const auto first = [](const ValueErrors& v) { return v.first; };
  const auto second = [](const ValueErrors& v) { return v.second; };
  return {farthest(down, base, cut, first, second), farthest(up, base, cut, second, first)};
}

namespace {

struct Known {
  double value, weight;
  bool first_wrong, second_wrong;
};

// The node's known rows by ascending value, with the errors of both branches.
std::vector<ValueErrors> errors_by_value(const Tree& tree, NodeIndex node, const Context& context,
                                         const Arrivals& arrivals) {
  const Table& table = context.table();
  const Column& column = table.input(as_ramp(tree.node(node).gate())->feature);
  std::vector<RowIndex> rows;
  std::vector<Known> known;
  for (size_t i = 0; i < arrivals.rows.size(); ++i) {
    const RowIndex row = context.rows[arrivals.rows[i]];
    const double value = column.value(row);
    if (std::isnan(value)) continue;
    rows.push_back(row);
    known.push_back({value, arrivals.shares[i] * table.weight(row), false, false});
  }
  const NodeIndex first = tree.node(node).first_child;
  for (const bool is_first : {true, false}) {
    const Tree branch = branch_of(tree, is_first ? first : first + 1);
    const std::vector<uint32_t> classes = predict_classes(branch, table, rows, context.parallel);
    for (size_t i = 0; i < rows.size(); ++i) {
      const bool wrong = static_cast<int32_t>(classes[i]) != table.target().codes[rows[i]];
      (is_first ? known[i].first_wrong : known[i].second_wrong) = wrong;
    }
  }
  std::stable_sort(known.begin(), known.end(),
                   [](const Known& a, const Known& b) { return a.value < b.value; });
  std::vector<ValueErrors> values;
  for (const Known& k : known) {
    if (values.empty() || values.back().value != k.value) values.push_back({k.value, 0, 0, 0});
    values.back().weight += k.weight;
    values.back().first += k.first_wrong ? k.weight : 0;
    values.back().second += k.second_wrong ? k.weight : 0;
  }
  return values;
}

// The distance, or the largest number where that is beyond all numbers.
double width(double from, double to) {
  return std::min(to - from, std::numeric_limits<double>::max());
}

// A ramp between the bounds. Where the lower one is the cut itself, rows that lie on it follow the
// first branch alone (as in C4.5), but a ramp would halve them: it then begins halfway to the next
// value.
void set_bounds(Tree& tree, NodeIndex node, std::span<const ValueErrors> values,
                const Bounds& bounds) {
  Gate& gate = tree.node(node).gate();
  const double cut = as_ramp(gate)->cut;
  if (bounds.low == cut && bounds.high == cut) {
    gate = hardened(gate);
    return;
  }
  const auto next = std::find_if(values.begin(), values.end(),
                                 [&](const ValueErrors& v) { return v.value >= cut; });
  if (bounds.low == cut && next != values.end() && next->value == cut) {
    const auto above = std::next(next);
    const double end = above == values.end() ? bounds.high : std::min(above->value, bounds.high);
    const double begin = middle(cut, end);
    gate = softened(with_cut(gate, begin), 0, width(begin, bounds.high));
    return;
  }
  set_widths(tree, node, {width(bounds.low, cut), width(cut, bounds.high)});
}

}  // namespace

Tree by_intervals(Context& context, Tree tree) {
  if (tree.task() != Task::classification) {
    throw Error(ErrorKind::usage, "soften by=interval is for classification", {}, "use by=anneal");
  }
  const auto bounds = context.options.choice("rule", interval_rules);
  NodeRows node_rows(tree, context.table(), context.rows);
  Tree softened = tree;
  for (NodeIndex i = 0; i < tree.size(); ++i) {
    if (tree.node(i).is_leaf() || !can_be_soft(tree.node(i).gate())) continue;
    const std::vector<ValueErrors> values = errors_by_value(tree, i, context, node_rows.at(i));
    if (values.empty()) continue;
    const double cut = as_ramp(tree.node(i).gate())->cut;
    set_bounds(softened, i, values, bounds(values, cut));
  }
  return softened;
}

}  // namespace softwood::soften

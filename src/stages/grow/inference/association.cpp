#include "stages/grow/inference/association.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "base/sum.h"

namespace softwood::grow {
namespace {

size_t count_positive(std::span<const double> weights) {
  return static_cast<size_t>(
      std::count_if(weights.begin(), weights.end(), [](double weight) { return weight > 0; }));
}

// Whether anything is left of a sum of squares after the mean's part was taken away. Numbers
// measured from one of them that weighs 1 or more leave at least a share of 1 / (w + 1): less is
// rounding.
bool varies(double centred, double squares) {
  constexpr double rounding = 1e-13;
  return centred > rounding * squares;
}

// A statistic needs something to vary, and more than one row's weight (w - 1 divides Sigma).
Association make_association(double weight, double explained, size_t degrees) {
  if (degrees == 0 || !(weight > 1)) return {};
  return {(weight - 1) * explained, static_cast<double>(degrees)};
}

// The rows of a node as the loops below read them.
struct NodeRows {
  const Target& target;
  std::span<const RowIndex> rows;
  std::span<const uint32_t> slots;

  // As the tree counts rows: costs and priors change cuts, not p-values.
  double weight(uint32_t slot) const { return target.row_weight(slot); }
};

// Calls visit(slot, weight, value) for every row with a value; values are measured from the first,
// in units whose squares are numbers. The statistics do not depend on the unit.
template <class Visit>
void each_number(const Column& input, const NodeRows& node, const Visit& visit) {
  const auto go = [&](const auto& value_of) {
    double origin = missing_number, largest = 0;
    for (const uint32_t slot : node.slots) {
      const double size = std::fabs(value_of(node.rows[slot]));
      if (size > largest) largest = size;  // not NaN
    }
    const double factor = 1 / squarable_unit(largest);
    for (const uint32_t slot : node.slots) {
      const double value = factor * value_of(node.rows[slot]), weight = node.weight(slot);
      if (std::isnan(value) || !(weight > 0)) continue;
      if (std::isnan(origin)) origin = value;
      visit(slot, weight, value - origin);
    }
  };
  if (input.kind == Kind::numeric) {
    go([&](RowIndex row) { return input.numbers[row]; });
  } else {
    go([&](RowIndex row) { return input.value(row); });
  }
}

// Calls visit(slot, weight, code) for every row with a level.
template <class Visit>
void each_level(const Column& input, const NodeRows& node, const Visit& visit) {
  for (const uint32_t slot : node.slots) {
    const int32_t code = input.codes[node.rows[slot]];
    const double weight = node.weight(slot);
    if (code >= 0 && weight > 0) visit(slot, weight, static_cast<size_t>(code));
  }
}

// Calls go with a function from slot to class.
template <class Go>
Association with_classes(const Target& target, const Go& go) {
  if (target.large_class.empty()) {
    return go([&](uint32_t slot) { return size_t{target.small_class[slot]}; });
  }
  return go([&](uint32_t slot) { return size_t{target.large_class[slot]}; });
}

// Measures targets from that of the first row asked for.
class TargetNumbers {
 public:
  explicit TargetNumbers(const Target& target) : target_(target) {}
  double operator()(uint32_t slot) {
    if (std::isnan(origin_)) origin_ = target_.value(slot);
    return target_.value(slot) - origin_;
  }

 private:
  const Target& target_;
  double origin_ = missing_number;
};

Association number_and_number(const Column& input, const NodeRows& node) {
  PairSums sums;
  TargetNumbers target(node.target);
  each_number(input, node, [&](uint32_t slot, double weight, double x) {
    const double y = target(slot);
    sums.weight += weight;
    sums.x += weight * x;
    sums.y += weight * y;
    sums.xx += weight * x * x;
    sums.xy += weight * x * y;
    sums.yy += weight * y * y;
  });
  return association_of_numbers(sums);
}

Association number_and_class(const Column& input, const NodeRows& node, Scratch& scratch) {
  scratch.side.assign(node.target.classes, 0.0);
  scratch.cells.assign(node.target.classes, 0.0);
  return with_classes(node.target, [&](const auto& class_of) {
    double squares = 0;
    double* const weight_of = scratch.side.data();
    double* const sum_of = scratch.cells.data();
    each_number(input, node, [&](uint32_t slot, double weight, double x) {
      const size_t k = class_of(slot);
      weight_of[k] += weight;
      sum_of[k] += weight * x;
      squares += weight * x * x;
    });
    return association_of_groups({squares, scratch.side, scratch.cells});
  });
}

Association level_and_number(const Column& input, size_t levels, const NodeRows& node,
                             Scratch& scratch) {
  scratch.side.assign(levels, 0.0);
  scratch.cells.assign(levels, 0.0);
  double squares = 0;
  TargetNumbers target(node.target);
  each_level(input, node, [&](uint32_t slot, double weight, size_t level) {
    const double y = target(slot);
    scratch.side[level] += weight;
    scratch.cells[level] += weight * y;
    squares += weight * y * y;
  });
  return association_of_groups({squares, scratch.side, scratch.cells});
}

Association level_and_class(const Column& input, size_t levels, const NodeRows& node,
                            Scratch& scratch) {
  const size_t classes = node.target.classes;
  scratch.cells.assign(levels * classes, 0.0);
  return with_classes(node.target, [&](const auto& class_of) {
    each_level(input, node, [&](uint32_t slot, double weight, size_t level) {
      scratch.cells[level * classes + class_of(slot)] += weight;
    });
    return association_of_levels(scratch.cells, classes);
  });
}

}  // namespace

Association association_of_numbers(const PairSums& sums) {
  const double xx = sums.xx - sums.x * sums.x / sums.weight;
  const double yy = sums.yy - sums.y * sums.y / sums.weight;
  const double xy = sums.xy - sums.x * sums.y / sums.weight;
  if (!varies(xx, sums.xx) || !varies(yy, sums.yy)) return {};
  return make_association(sums.weight, xy / xx * (xy / yy), 1);
}

Association association_of_groups(const GroupSums& sums) {
  const double weight = std::accumulate(sums.weight.begin(), sums.weight.end(), 0.0);
  const double mean = std::accumulate(sums.sum.begin(), sums.sum.end(), 0.0) / weight;
  const double total = sums.squares - weight * mean * mean;
  const size_t groups = count_positive(sums.weight);
  if (groups < 2 || !varies(total, sums.squares)) return {};
  double between = 0;
  for (size_t k = 0; k < sums.weight.size(); ++k) {
    if (!(sums.weight[k] > 0)) continue;
    const double deviation = sums.sum[k] / sums.weight[k] - mean;
    between += sums.weight[k] * deviation * deviation;
  }
  return make_association(weight, between / total, groups - 1);
}

Association association_of_levels(std::span<const double> counts, size_t columns) {
  const size_t rows = counts.size() / columns;
  std::vector<double> of_row(rows), of_column(columns);
  for (size_t l = 0; l < rows; ++l) {
    for (size_t k = 0; k < columns; ++k) {
      of_row[l] += counts[l * columns + k];
      of_column[k] += counts[l * columns + k];
    }
  }
  const double weight = std::accumulate(of_row.begin(), of_row.end(), 0.0);
  const size_t levels = count_positive(of_row), classes = count_positive(of_column);
  if (levels < 2 || classes < 2) return {};
  double explained = 0;
  for (size_t l = 0; l < rows; ++l) {
    for (size_t k = 0; k < columns; ++k) {
      const double both = of_row[l] * of_column[k];
      if (!(both > 0)) continue;
      const double deviation = counts[l * columns + k] - both / weight;
      explained += deviation * deviation / both;
    }
  }
  return make_association(weight, explained, (levels - 1) * (classes - 1));
}

Association associate(const Column& input, size_t levels, const Target& target,
                      std::span<const RowIndex> rows, std::span<const uint32_t> slots,
                      Scratch& scratch) {
  const NodeRows node{target, rows, slots};
  const bool nominal = input.kind == Kind::nominal;
  if (target.task == Task::classification) {
    return nominal ? level_and_class(input, levels, node, scratch)
                   : number_and_class(input, node, scratch);
  }
  return nominal ? level_and_number(input, levels, node, scratch) : number_and_number(input, node);
}

}  // namespace softwood::grow

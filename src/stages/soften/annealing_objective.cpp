#include "stages/soften/annealing_objective.h"

#include <Eigen/Core>

#include <algorithm>
#include <cmath>
#include <limits>

#include "fit/training_loss.h"

namespace softwood::soften {
namespace {

constexpr double alpha = fit::exponential_loss_rate;

// Answers of a group's rows are computed so many at a time: working memory stays in the cache.
constexpr size_t block = 512;

// exp(-alpha p) for p between 0 and 1, to a relative 1e-12: (exp(-alpha p / 32))^32, the inner one
// by its Taylor series. Written out so that the compiler computes several rows at once.
inline double class_loss(double p) {
  const double t = p * (-alpha / 32);
  double e = 1.0 / 5040 + t * (1.0 / 40320);
  e = 1.0 / 720 + t * e;
  e = 1.0 / 120 + t * e;
  e = 1.0 / 24 + t * e;
  e = 1.0 / 6 + t * e;
  e = 0.5 + t * e;
  e = 1 + t * e;
  e = 1 + t * e;
  e *= e;
  e *= e;
  e *= e;
  e *= e;
  return e * e;
}

// Half the inverse of a width: what the weight changes by per unit. A width of 0 gives a step, and
// the half at the cut stays: 0 times this is 0.
inline double slope(double width) {
  return 0.5 / std::max(width, std::numeric_limits<double>::min());
}

using Values = Eigen::Map<const Eigen::ArrayXd>;

// out = L first + (1 - L) second, L the ramp's weight (section 2).
void mix(const double* below_cut, const Widths& widths, const double* first, const double* second,
         size_t count, double* out) {
  const double below = slope(widths.below), above = slope(widths.above);
  const auto size = static_cast<Eigen::Index>(count);
  const Values distance(below_cut, size), one(first, size), two(second, size);
  // One of the two products is 0; so written there is no branch.
  const auto left = (0.5 + distance.max(0.0) * below + distance.min(0.0) * above).max(0.0).min(1.0);
  Eigen::Map<Eigen::ArrayXd>(out, size) = two + left * (one - two);
}

// Of all nodes; of leaves with a constant model that of the model, which no row changes.
std::vector<double> constant_answers(const Tree& tree, const Table& table) {
  std::vector<double> answers = tree.answers(), outputs;
  const size_t width = tree.answer_width();
  for (NodeIndex i = 0; i < tree.size(); ++i) {
    if (!tree.node(i).model || !tree.node(i).model->terms.empty()) continue;
    leaf_model_answer(*tree.node(i).model, table, 0, {}, outputs,
                      std::span(answers).subspan(i * width, width));
  }
  return answers;
}

}  // namespace

AnnealingObjective::AnnealingObjective(const Tree& tree, const Table& table,
                                       std::span<const RowIndex> rows)
    : tree_(tree),
      table_(table),
      node_rows_(tree_, table, rows),
      node_answers_(constant_answers(tree, table)),
      answers_(rows.size()),
      scratch_(shape_of(tree).depth + 1) {
  const bool classes = tree.task() == Task::classification;
  for (const RowIndex row : rows) {
    weights_.push_back(table.weight(row));
    if (classes) {
      classes_.push_back(static_cast<uint32_t>(table.target().codes[row]));
    } else {
      targets_.push_back(table.target().numbers[row]);
    }
  }
  for (NodeIndex i = 0; i < tree_.size(); ++i) {
    if (tree_.node(i).is_leaf() || !can_be_soft(tree_.node(i).gate())) continue;
    set_widths(tree_, i, widths_of(tree_.node(i).gate()));
  }
  values_below(0, node_rows_.at(0).rows, 0, answers_);
  value_ = value_from_rows();
}

double AnnealingObjective::value_from_rows() const {
  double sum = 0;
  for (size_t i = 0; i < answers_.size(); ++i) {
    const double error = targets_.empty() ? 0 : targets_[i] - answers_[i];
    sum += weights_[i] * (targets_.empty() ? class_loss(answers_[i]) : error * error);
  }
  return sum;
}

double AnnealingObjective::leaf_value(NodeIndex node, uint32_t row) const {
  return classes_.empty() ? node_answers_[node]
                          : node_answers_[node * tree_.classes() + classes_[row]];
}

// The answers that the subtree at `node` gives to the rows, whether they reach it or not.
void AnnealingObjective::values_below(NodeIndex node, std::span<const uint32_t> rows, size_t depth,
                                      std::span<double> values) {
  const Node& here = tree_.node(node);
  if (here.is_leaf()) {
    for (size_t i = 0; i < rows.size(); ++i) values[i] = leaf_value(node, rows[i]);
    return;
  }
  node_rows_.weigh(node, rows, scratch_[depth].weights);
  const size_t gate_children = softwood::gate_children(here.gate());
  std::fill(values.begin(), values.end(), 0.0);
  for (size_t c = 0; c < tree_.children(node); ++c) {
    Scratch& scratch = scratch_[depth];
    scratch.rows.clear();
    scratch.places.clear();
    for (uint32_t i = 0; i < rows.size(); ++i) {
      if (!(share_of_child(&scratch.weights[i * gate_children], c, gate_children) > 0)) continue;
      scratch.rows.push_back(rows[i]);
      scratch.places.push_back(i);
    }
    if (scratch.rows.empty()) continue;
    scratch.values.resize(scratch.rows.size());
    values_below(here.first_child + static_cast<NodeIndex>(c), scratch.rows, depth + 1,
                 scratch.values);
    for (size_t k = 0; k < scratch.places.size(); ++k) {
      const size_t i = scratch.places[k];
      values[i] +=
          scratch.values[k] * share_of_child(&scratch.weights[i * gate_children], c, gate_children);
    }
  }
  if (here.missing().rule != MissingRule::stay) return;
  for (size_t i = 0; i < rows.size(); ++i) {
    if (std::isnan(scratch_[depth].weights[i * gate_children])) {
      values[i] = leaf_value(node, rows[i]);
    }
  }
}

// The rows that reach the group's side of its top. No others can change: those beyond the cut do
// not depend on the width of this side, and have no share in its subtree.
void AnnealingObjective::choose_rows(const Group& group) {
  const Arrivals& at_top = node_rows_.at(group.top);
  std::vector<double>& weights = scratch_[0].weights;
  node_rows_.weigh(group.top, at_top.rows, weights);
  const size_t children = gate_children(tree_.node(group.top).gate());
  group_rows_.clear();
  reach_.clear();
  row_weights_.clear();
  row_targets_.clear();
  for (size_t i = 0; i < at_top.rows.size(); ++i) {
    if (!(share_of_child(&weights[i * children], group.side, children) > 0)) continue;
    const uint32_t row = at_top.rows[i];
    group_rows_.push_back(row);
    reach_.push_back(at_top.shares[i]);
    row_weights_.push_back(weights_[row]);
    if (!targets_.empty()) row_targets_.push_back(targets_[row]);
  }
}

// `children` are the two of the node whose answers vary within the group.
void AnnealingObjective::fill_slot(Slot& slot, NodeIndex node, std::array<uint32_t, 2> children) {
  const size_t count = group_rows_.size();
  slot.node = node;
  if (node == no_node) return;
  const Node& here = tree_.node(node);
  const std::optional<RampForm> ramp = as_ramp(here.gate());
  slot.soft = ramp.has_value();
  slot.any_fixed = !slot.soft;
  slot.below_cut.assign(count, missing_number);
  if (slot.soft) {
    const Column& column = table_.input(ramp->feature);
    for (size_t i = 0; i < count; ++i) {
      slot.below_cut[i] = ramp->cut - column.value(node_rows_.rows()[group_rows_[i]]);
      slot.any_fixed = slot.any_fixed || std::isnan(slot.below_cut[i]);
    }
  }
  if (!slot.any_fixed) return;
  std::vector<double> weights;
  node_rows_.weigh(node, group_rows_, weights);
  if (slot.soft && here.missing().rule == MissingRule::impute) {
    const double typical = tree_.typical()[ramp->feature];
    for (const uint32_t i : node_rows_.without_value()) slot.below_cut[i] = ramp->cut - typical;
  }
  fill_fixed(slot, children, weights);
}

// Rows whose weights at the slot's node do not depend on its widths. What the children answer that
// do not vary goes into the constant.
void AnnealingObjective::fill_fixed(Slot& slot, std::array<uint32_t, 2> children,
                                    const std::vector<double>& weights) {
  const size_t count = group_rows_.size();
  const Node& here = tree_.node(slot.node);
  const size_t gate_children = softwood::gate_children(here.gate());
  slot.left.assign(count, 0.0);
  slot.right.assign(count, 0.0);
  slot.constant.assign(count, 0.0);
  for (uint32_t c = 0; c < tree_.children(slot.node); ++c) {
    std::vector<uint32_t> rows, places;
    for (uint32_t i = 0; i < count; ++i) {
      if (!std::isnan(slot.below_cut[i])) continue;
      const double share = share_of_child(&weights[i * gate_children], c, gate_children);
      if (!(share > 0)) continue;
      if (c == children[0]) {
        slot.left[i] = share;
      } else if (c == children[1]) {
        slot.right[i] = share;
      } else {
        rows.push_back(group_rows_[i]);
        places.push_back(i);
      }
    }
    std::vector<double> values(rows.size());
    values_below(here.first_child + c, rows, 0, values);
    for (size_t k = 0; k < rows.size(); ++k) {
      slot.constant[places[k]] +=
          values[k] * share_of_child(&weights[places[k] * gate_children], c, gate_children);
    }
  }
  if (here.missing().rule != MissingRule::stay) return;
  for (uint32_t i = 0; i < count; ++i) {
    if (std::isnan(slot.below_cut[i]) && std::isnan(weights[i * gate_children])) {
      slot.constant[i] = leaf_value(slot.node, group_rows_[i]);
    }
  }
}

void AnnealingObjective::fill_values(std::vector<double>& values, NodeIndex node) {
  values.resize(group_rows_.size());
  values_below(node, group_rows_, 0, values);
}

void AnnealingObjective::open(const Group& group) {
  group_ = group;
  choose_rows(group);
  fill_slot(slots_[0], group.top, {0, 1});
  const NodeIndex first = tree_.node(group.top).first_child, middle = first + group.side;
  fill_values(other_, first + 1 - group.side);
  const bool splits = !tree_.node(middle).is_leaf();
  fill_slot(slots_[1], splits ? middle : no_node, group.children);
  if (!splits) fill_values(middle_, middle);
  for (size_t k = 0; k < 2; ++k) {
    const NodeIndex child = splits ? tree_.node(middle).first_child + group.children[k] : no_node;
    const bool moves =
        splits && !tree_.node(child).is_leaf() && can_be_soft(tree_.node(child).gate());
    fill_slot(slots_[2 + k], moves ? child : no_node, {0, 1});
    if (moves) {
      fill_values(lowest_[k][0], tree_.node(child).first_child);
      fill_values(lowest_[k][1], tree_.node(child).first_child + 1);
    } else if (splits) {
      fill_values(lower_[k], child);
    }
  }
  // What the group answers now is taken out of the rows' answers.
  const size_t count = group_rows_.size();
  rest_.assign(count, 0.0);
  const Moves now = current();
  std::array<double, block> answers;
  for (size_t begin = 0; begin < count; begin += block) {
    const size_t part = std::min(block, count - begin);
    answer_block(now, begin, part, answers.data());
    for (size_t i = 0; i < part; ++i) {
      rest_[begin + i] = answers_[group_rows_[begin + i]] - answers[i];
    }
  }
  outside_ = 0;
  outside_ = value_ - value_at(now);
}

std::array<NodeIndex, AnnealingObjective::most_nodes> AnnealingObjective::open_nodes() const {
  std::array<NodeIndex, most_nodes> nodes;
  for (size_t k = 0; k < most_nodes; ++k) {
    const bool moves = slots_[k].node != no_node && slots_[k].soft;
    nodes[k] = moves ? slots_[k].node : no_node;
  }
  return nodes;
}

AnnealingObjective::Moves AnnealingObjective::current() const {
  Moves moves;
  const auto nodes = open_nodes();
  for (size_t k = 0; k < most_nodes; ++k) {
    if (nodes[k] == no_node) continue;
    moves[k] = widths_of(tree_.node(nodes[k]).gate());
  }
  return moves;
}

void AnnealingObjective::mix_slot(const Slot& slot, const Widths& widths, size_t begin,
                                  size_t count, const double* first, const double* second,
                                  double* out) const {
  if (slot.soft) mix(&slot.below_cut[begin], widths, first, second, count, out);
  if (!slot.any_fixed) return;
  for (size_t i = 0; i < count; ++i) {
    const size_t at = begin + i;
    if (!std::isnan(slot.below_cut[at])) continue;
    out[i] = slot.left[at] * first[i] + slot.right[at] * second[i] + slot.constant[at];
  }
}

// The tree's answers for rows [begin, begin + count) of the group.
void AnnealingObjective::answer_block(const Moves& moves, size_t begin, size_t count,
                                      double* answers) const {
  std::array<double, block> mixed[3];
  const double* middle = nullptr;
  if (slots_[1].node == no_node) {
    middle = &middle_[begin];
  } else {
    const double* lower[2];
    for (size_t k = 0; k < 2; ++k) {
      if (slots_[2 + k].node == no_node) {
        lower[k] = &lower_[k][begin];
      } else {
        mix_slot(slots_[2 + k], moves[2 + k], begin, count, &lowest_[k][0][begin],
                 &lowest_[k][1][begin], mixed[k].data());
        lower[k] = mixed[k].data();
      }
    }
    mix_slot(slots_[1], moves[1], begin, count, lower[0], lower[1], mixed[2].data());
    middle = mixed[2].data();
  }
  const double* const other = &other_[begin];
  mix_slot(slots_[0], moves[0], begin, count, group_.side == 0 ? middle : other,
           group_.side == 0 ? other : middle, answers);
  for (size_t i = 0; i < count; ++i) answers[i] = rest_[begin + i] + reach_[begin + i] * answers[i];
}

double AnnealingObjective::loss_of(const double* answers, size_t begin, size_t count) const {
  std::array<double, block> losses;
  const double* const weights = &row_weights_[begin];
  if (targets_.empty()) {
    for (size_t i = 0; i < count; ++i) losses[i] = weights[i] * class_loss(answers[i]);
  } else {
    const double* const targets = &row_targets_[begin];
    for (size_t i = 0; i < count; ++i) {
      const double error = targets[i] - answers[i];
      losses[i] = weights[i] * error * error;
    }
  }
  // Four sums, so that additions need not wait for each other; in a fixed order.
  double sums[4] = {0, 0, 0, 0};
  size_t i = 0;
  for (; i + 4 <= count; i += 4) {
    for (size_t k = 0; k < 4; ++k) sums[k] += losses[i + k];
  }
  for (; i < count; ++i) sums[0] += losses[i];
  return (sums[0] + sums[1]) + (sums[2] + sums[3]);
}

double AnnealingObjective::value_at(const Moves& moves) const {
  std::array<double, block> answers;
  double sum = 0;
  for (size_t begin = 0; begin < group_rows_.size(); begin += block) {
    const size_t count = std::min(block, group_rows_.size() - begin);
    answer_block(moves, begin, count, answers.data());
    sum += loss_of(answers.data(), begin, count);
  }
  return outside_ + sum;
}

void AnnealingObjective::accept(const Moves& moves) {
  const double value = value_at(moves);
  std::array<double, block> answers;
  for (size_t begin = 0; begin < group_rows_.size(); begin += block) {
    const size_t count = std::min(block, group_rows_.size() - begin);
    answer_block(moves, begin, count, answers.data());
    for (size_t i = 0; i < count; ++i) answers_[group_rows_[begin + i]] = answers[i];
  }
  value_ = value;
  const auto nodes = open_nodes();
  for (size_t k = 0; k < most_nodes; ++k) {
    if (nodes[k] != no_node) set_widths(tree_, nodes[k], moves[k]);
  }
  node_rows_.forget_below(group_.top);
}

}  // namespace softwood::soften

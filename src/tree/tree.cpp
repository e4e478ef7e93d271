#include "tree/tree.h"

#include <algorithm>
#include <numeric>
#include <utility>

#include "tree/costs.h"

namespace softwood {

Tree::Tree(Task task, size_t classes)
    : task_(task), classes_(task == Task::classification ? classes : 0), nodes_(1) {
  sums_.resize(width());
}

NodeIndex Tree::split(NodeIndex i, Gate gate, Missing missing) {
  const auto first = static_cast<NodeIndex>(nodes_.size());
  nodes_[i].split_ = Owned<Node::Split>({std::move(gate), std::move(missing), {}});
  nodes_[i].first_child = first;
  nodes_[i].model.reset();
  const uint32_t added = children(i);
  nodes_.resize(nodes_.size() + added);
  sums_.resize(sums_.size() + added * width());
  return first;
}

namespace {

bool needs_typical(const Node& node) {
  return node.is_leaf() ? node.model && !node.model->terms.empty()
                        : node.missing().rule == MissingRule::impute;
}

}  // namespace

void Tree::canonicalise() {
  std::vector<NodeIndex> order{0};  // old numbers in the new order
  for (size_t next = 0; next < order.size(); ++next) {
    const NodeIndex old = order[next];
    const uint32_t count = children(old);
    const NodeIndex first = nodes_[old].first_child;
    nodes_[old].first_child = count == 0 ? 0 : static_cast<NodeIndex>(order.size());
    for (uint32_t c = 0; c < count; ++c) order.push_back(first + c);
  }
  // Moved in place, along the cycles of the permutation: a large tree is not held twice. Nodes that
  // are not reached keep their places behind the others and are cut off.
  std::vector<NodeIndex> place(nodes_.size());  // where each old node is now
  std::vector<NodeIndex> holds(nodes_.size());  // which old node each place holds
  std::iota(holds.begin(), holds.end(), NodeIndex{0});
  std::iota(place.begin(), place.end(), NodeIndex{0});
  for (NodeIndex to = 0; to < order.size(); ++to) {
    const NodeIndex from = place[order[to]];
    if (from == to) continue;
    std::swap(nodes_[to], nodes_[from]);
    std::swap_ranges(sums(to).begin(), sums(to).end(), sums(from).begin());
    std::swap(holds[to], holds[from]);
    place[holds[to]] = to;
    place[holds[from]] = from;
  }
  nodes_.resize(order.size());
  sums_.resize(order.size() * width());
  if (std::none_of(nodes_.begin(), nodes_.end(), needs_typical)) typical_.clear();
}

double Tree::weight(NodeIndex i) const {
  const auto values = sums(i);
  if (task_ == Task::regression) return values[0];
  return std::accumulate(values.begin(), values.end(), 0.0);
}

double Tree::risk(NodeIndex i) const {
  const auto values = sums(i);
  if (task_ == Task::regression) return values[2];
  if (!costs_.empty()) return cost_of_answer(values, costs_, cheapest_answer(values, costs_));
  const size_t top = majority(i);
  double others = 0;
  for (size_t c = 0; c < values.size(); ++c) {
    if (c != top) others += values[c];
  }
  return others;
}

size_t Tree::majority(NodeIndex i) const {
  const auto values = sums(i);
  return static_cast<size_t>(std::max_element(values.begin(), values.end()) - values.begin());
}

namespace {

// The probabilities of the classes with these weights; `prior` are those of the root.
void set_probabilities(const LeafPlan& plan, std::span<const double> weights, double total,
                       std::span<const double> prior, std::span<const double> costs, double* out) {
  const size_t classes = weights.size();
  switch (plan.estimator) {
    case LeafEstimator::majority: {
      const size_t top = cheapest_answer(weights, costs);
      for (size_t c = 0; c < classes; ++c) out[c] = c == top ? 1 : 0;
      return;
    }
    case LeafEstimator::laplace:
      for (size_t c = 0; c < classes; ++c) {
        out[c] = (weights[c] + 1) / (total + static_cast<double>(classes));
      }
      return;
    case LeafEstimator::m_estimate:
      for (size_t c = 0; c < classes; ++c) {
        out[c] = (weights[c] + plan.m * prior[c]) / (total + plan.m);
      }
      return;
    case LeafEstimator::distribution:
      for (size_t c = 0; c < classes; ++c) out[c] = weights[c] / total;
      return;
  }
}

}  // namespace

std::vector<double> Tree::answers() const {
  const size_t wide = answer_width();
  std::vector<double> answers(size() * wide);
  // With no weight at all every class is as likely as any other.
  if (task_ == Task::classification) {
    std::fill_n(answers.begin(), wide, 1.0 / static_cast<double>(classes_));
  }
  const std::vector<NodeIndex> parents = parents_of(*this);
  std::vector<double> prior(answers.begin(), answers.begin() + static_cast<std::ptrdiff_t>(wide));
  if (weight(0) > 0 && task_ == Task::classification) {
    for (size_t c = 0; c < wide; ++c) prior[c] = sums(0)[c] / weight(0);
  }
  for (NodeIndex i = 0; i < size(); ++i) {
    double* const answer = &answers[i * wide];
    const double total = weight(i);
    if (total > 0) {
      if (task_ == Task::regression) {
        answer[0] = mean(i);
      } else {
        set_probabilities(leaf_plan_, sums(i), total, prior, costs_, answer);
      }
    } else if (i > 0) {
      std::copy_n(&answers[parents[i] * wide], wide, answer);
    }
  }
  return answers;
}

bool is_canonical(const Tree& tree) {
  size_t next = 1;
  for (NodeIndex i = 0; i < tree.size() && i < next; ++i) {
    if (tree.node(i).is_leaf()) continue;
    if (tree.node(i).first_child != next) return false;
    next += tree.children(i);
  }
  return next == tree.size();
}

std::vector<bool> features_used(const Tree& tree, size_t features) {
  std::vector<bool> used(features, false);
  const auto use = [&](const Gate& gate) {
    for (const uint32_t feature : gate_features(gate)) used[feature] = true;
  };
  for (NodeIndex i = 0; i < tree.size(); ++i) {
    const Node& node = tree.node(i);
    if (!node.is_leaf()) {
      use(node.gate());
      for (const Surrogate& surrogate : node.missing().surrogates) use(surrogate.gate);
    } else if (node.model && !node.model->terms.empty()) {
      use(ScoreGate{node.model->terms, 0, {}});
    }
  }
  return used;
}

Shape shape_of(const Tree& tree) {
  Shape shape;
  const size_t wide = tree.answer_width();
  const std::vector<double> answers = tree.answers();
  // A stack of (node, depth): nodes left over by make_leaf are not reached and do not count.
  std::vector<std::pair<NodeIndex, size_t>> open{{0, 0}};
  while (!open.empty()) {
    const auto [i, depth] = open.back();
    open.pop_back();
    ++shape.nodes;
    shape.depth = std::max(shape.depth, depth);
    const Node& node = tree.node(i);
    if (node.is_leaf()) {
      ++shape.leaves;
      if (node.model) {
        shape.parameters += leaf_model_parameters(*node.model);
        continue;
      }
      for (size_t c = 0; c < wide; ++c) shape.parameters += answers[i * wide + c] != 0 ? 1 : 0;
      continue;
    }
    shape.parameters += gate_parameters(node.gate());
    for (uint32_t c = tree.children(i); c > 0; --c) {
      open.emplace_back(node.first_child + c - 1, depth + 1);
    }
  }
  return shape;
}

size_t training_majority(const Tree& tree, std::span<const double> class_weights) {
  if (tree.task() != Task::classification) return 0;
  if (class_weights.empty()) return tree.majority(0);
  constexpr double rounding = 1e-11;  // of weights multiplied and divided again
  size_t top = 0;
  double most = 0;
  for (size_t c = 0; c < class_weights.size(); ++c) {
    const double weight = tree.sums(0)[c] / class_weights[c];
    if (!(weight > most * (1 + rounding))) continue;
    most = weight;
    top = c;
  }
  return top;
}

std::vector<NodeIndex> parents_of(const Tree& tree) {
  std::vector<NodeIndex> parents(tree.size(), 0);
  for (NodeIndex i = 0; i < tree.size(); ++i) {
    for (uint32_t c = 0; c < tree.children(i); ++c) parents[tree.node(i).first_child + c] = i;
  }
  return parents;
}

}  // namespace softwood

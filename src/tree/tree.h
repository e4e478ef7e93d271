// One Tree for every method: a vector of nodes, root 0, children of a node contiguous.
//
// Every node, inner ones too, keeps the sums of the training rows that reached it, so that pruning
// a node is dropping its gate. Canonical order is breadth first.
#pragma once

#include <cstdint>
#include <limits>
#include <span>
#include <utility>
#include <vector>

#include "base/owned.h"
#include "tree/gate.h"
#include "tree/leaf.h"

namespace softwood {

using NodeIndex = uint32_t;

// What happens to a row whose gate can't be computed. Surrogate gates are tried first, in order;
// then the rule applies:
//   child   all of the row goes to one child
//   shares  the row is divided among the children
//   stay    the row ends at this node, which answers
//   own     there is a child of its own, after those of the gate
//   impute  the gate is computed with the typical values of the tree in place of what is
//   missing;
//           a row for which that does not help goes to `child`
enum class MissingRule : uint8_t { child, shares, stay, own, impute };

// A gate that sends rows nearly as another one does (Breiman et al. 1984). `agreement`
// is the share of the training rows with a value of the other gate that it sends alike, `adjusted`
// what of the majority rule's errors it avoids.
struct Surrogate {
  Gate gate;
  double agreement = 1;
  double adjusted = 1;
  bool operator==(const Surrogate&) const = default;
};

struct Missing {
  MissingRule rule = MissingRule::child;
  uint32_t child = 0;                 // rules child and impute
  std::vector<double> shares;         // rule shares: one weight per child, sum 1
  std::vector<Surrogate> surrogates;  // each with as many children as the node's gate
  double weight = 0;                  // of the training rows that had no value here
  bool operator==(const Missing&) const = default;
};

constexpr double no_note = std::numeric_limits<double>::quiet_NaN();

// The best split by another feature, which the node's own split won against.
struct Competitor {
  Gate gate;
  double gain;  // as Notes::gain
};

// What a stage found out about an inner node; NaN: nothing.
struct Notes {
  double gain = no_note;  // decrease of the criterion by this node's gate, per row of this node
  // Cost of a leaf, as a share of the root's risk, from which on cost-complexity pruning cuts here.
  double alpha = no_note;
  // Conditional inference: the statistic by which the gate's feature was chosen, and the natural
  // logarithm of its p-value, adjusted for the number of features tested.
  double statistic = no_note;
  double log_p = no_note;
  Owned<std::vector<Competitor>> competitors = {};  // best first
};

// Leaves are most of a tree, so what only inner nodes have is kept beside the node.
class Node {
 public:
  bool is_leaf() const { return !split_; }
  // Of inner nodes only.
  const Gate& gate() const { return split_->gate; }
  Gate& gate() { return split_->gate; }
  const Missing& missing() const { return split_->missing; }
  Missing& missing() { return split_->missing; }
  const Notes& notes() const { return split_->notes; }
  Notes& notes() { return split_->notes; }

  NodeIndex first_child = 0;
  Owned<LeafModel> model;  // of leaves only: answers in place of the node's constant

 private:
  friend class Tree;
  struct Split {
    Gate gate;
    Missing missing;
    Notes notes;
  };
  Owned<Split> split_;
};

class Tree {
 public:
  // A single leaf with empty sums. `classes` is 0 for regression.
  Tree(Task task, size_t classes);

  Task task() const { return task_; }
  size_t classes() const { return classes_; }
  // Numbers kept for each node: a weight sum for every class, or weight, mean and the sum of
  // squared deviations from the mean.
  size_t width() const { return task_ == Task::classification ? classes_ : 3; }

  size_t size() const { return nodes_.size(); }
  const Node& node(NodeIndex i) const { return nodes_[i]; }
  Node& node(NodeIndex i) { return nodes_[i]; }
  std::span<const double> sums(NodeIndex i) const { return {&sums_[i * width()], width()}; }
  std::span<double> sums(NodeIndex i) { return {&sums_[i * width()], width()}; }
  uint32_t children(NodeIndex i) const {
    const Node& node = nodes_[i];
    if (node.is_leaf()) return 0;
    return gate_children(node.gate()) + (node.missing().rule == MissingRule::own ? 1 : 0);
  }

  // Gives leaf `i` a gate and as many new leaves, at the end, as gate and rule have children.
  NodeIndex split(NodeIndex i, Gate gate, Missing missing);
  // Drops the gate of node i. The nodes below stay until canonicalise().
  void make_leaf(NodeIndex i) { nodes_[i].split_.reset(); }
  // Breadth-first order; unreachable nodes are dropped.
  void canonicalise();

  // The value of each feature that stands for a missing one where a node's rule is impute and in
  // the models of leaves: a number, or the code of a level. Empty when no node needs it.
  const std::vector<double>& typical() const { return typical_; }
  void set_typical(std::vector<double> typical) { typical_ = std::move(typical); }

  // What wrong answers cost (costs.h); empty: every error costs 1.
  const std::vector<double>& costs() const { return costs_; }
  void set_costs(std::vector<double> costs) { costs_ = std::move(costs); }

  double weight(NodeIndex i) const;
  // Errors of answering with this node's answer, on its own training rows: weight of the other
  // classes, or what they cost, or sum of squared deviations. (Risk R(t) of cost-complexity
  // pruning.)
  double risk(NodeIndex i) const;
  size_t majority(NodeIndex i) const;  // the first class with the largest sum
  double mean(NodeIndex i) const { return sums(i)[1]; }
  // What leaves are to answer with. Models are fitted when all else is done.
  const LeafPlan& leaf_plan() const { return leaf_plan_; }
  void set_leaf_plan(const LeafPlan& plan) { leaf_plan_ = plan; }

  // The constant answer of a node as numbers: class probabilities in the form of the plan, or
  // {mean}. A node that no weight reached answers as the nearest ancestor that some did.
  size_t answer_width() const { return task_ == Task::classification ? classes_ : 1; }
  std::vector<double> answers() const;  // size() * answer_width()

 private:
  Task task_;
  size_t classes_;
  std::vector<Node> nodes_;
  std::vector<double> sums_;
  std::vector<double> typical_;
  std::vector<double> costs_;
  LeafPlan leaf_plan_;
};

// True when the nodes are in breadth-first order: each node's children follow those of the node
// before it. Then every node is reached exactly once and there is no cycle.
bool is_canonical(const Tree& tree);

// `depth` is the number of edges on the longest path. `parameters` counts the non-zero numbers that
// the answers depend on:
//   - a score's cut, its coefficients (except the implied 1 of a single term), the widths of a
//   ramp;
//   - one for each level that a gate over levels sends to a child;
//   - a leaf's class probabilities, or its mean; in place of these the coefficients of its
//   model,
//     and the ends of its range.
// What is kept for missing values (shares, surrogates) and notes are not counted.
struct Shape {
  size_t nodes = 0, leaves = 0, depth = 0, parameters = 0;
};
Shape shape_of(const Tree& tree);
// By feature whether an answer may depend on it: gates, surrogates and models of leaves do.
std::vector<bool> features_used(const Tree& tree, size_t features);
std::vector<NodeIndex> parents_of(const Tree& tree);  // root: 0
// The class that the training rows had most of, before they were weighed by their classes
// (`class_weights`, of all classes or none); 0 in regression.
size_t training_majority(const Tree& tree, std::span<const double> class_weights);

}  // namespace softwood

// The problem of one node in alternating optimisation: which gate sends each row to the child whose
// subtree answers it better, all else held fixed (the "reduced problem" of Carreira-Perpinan &
// Tavallali 2018).
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "tree/tree.h"

namespace softwood::refine {

struct Choice {
  Gate gate;
  Missing missing;
  double cost = 0;
};

struct Settings {
  bool hyperplanes = false;  // also where the gate asks for one input
  double l1 = 0;             // see sparse_softmax_regression()
};

class NodeProblem {
 public:
  // `rows` reach the node; cost[c * rows + i] is the weighted loss of row i when it goes to child
  // c. `typical` are those of the tree.
  NodeProblem(const Tree& tree, NodeIndex node, const Table& table, std::span<const double> typical,
              std::vector<RowIndex> rows, std::vector<double> costs);

  // The best choice found when it costs less than the gate that the node has; ties go to the
  // simpler gate, the first column, the lowest cut.
  std::optional<Choice> best(const Settings& settings) const;

 private:
  struct Cut {
    double cost, cut;
    uint32_t missing_child;
  };
  struct Item {
    double value;
    double difference;  // cost of child 0 less that of child 1
  };

  void keep_decided_rows(const std::vector<double>& weights);
  double cost(size_t child, size_t i) const { return costs_[child * rows_.size() + i]; }
  double cost_of(const Gate& gate, const Missing& missing) const;
  bool better(double cost, double than) const { return cost < than - tolerance_; }
  void consider(Choice choice, std::optional<Choice>& best) const;

  // Rows with a value, ascending, and the costs of those without one.
  Cut best_cut(std::vector<Item>& items, double right, std::span<const double> without) const;
  Choice best_threshold(uint32_t feature) const;
  Choice best_levels(uint32_t feature) const;
  std::optional<Choice> best_along(ScoreGate gate, Missing missing) const;
  std::optional<Choice> best_hyperplane(double l1) const;

  const Table& table_;
  std::span<const double> typical_;
  const Gate& gate_;
  const Missing& missing_;
  uint32_t children_;  // of the gate
  bool free_;          // any row goes where the gate sends it, whatever its features are
  std::vector<RowIndex> rows_;
  std::vector<double> costs_;
  double tolerance_ = 0;
};

}  // namespace softwood::refine

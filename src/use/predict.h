// Answers for many rows, in parallel.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "base/parallel.h"
#include "tree/compiled.h"
#include "tree/tree.h"

namespace softwood {

struct Predictions {
  size_t rows = 0;
  size_t width = 0;                // classes, or 1 for regression
  std::vector<double> answers;     // rows * width: probabilities, or the mean
  std::vector<double> costs = {};  // of the model's wrong answers; empty: every error costs 1

  // The class that is answered: the first with the largest probability, or where errors have costs
  // the first whose expected cost is least.
  size_t top_class(size_t i) const;
};

// A tree prepared for answering any number of tables, from any number of threads. It keeps a
// reference to the tree, which must not change.
class Predictor {
 public:
  explicit Predictor(const Tree& tree);

  // rows x answer_width(): probabilities, or the mean.
  void answers(const Table& table, std::span<const RowIndex> rows, std::span<double> out,
               const Parallel& parallel) const;
  // The class that is answered; classification only.
  void classes(const Table& table, std::span<const RowIndex> rows, std::span<uint32_t> out,
               const Parallel& parallel) const;
  // The node where most of each row's weight ends (for hard trees: where it ends).
  void nodes(const Table& table, std::span<const RowIndex> rows, std::span<NodeIndex> out,
             const Parallel& parallel) const;

  // True when rows of numbers need no table: each goes one way, to a leaf that answers with a
  // constant. The functions above for such rows, in the calling thread; T: float or double.
  template <class T>
  bool takes(const NumberRows<T>& rows) const {
    return !has_models_ && !tree_.leaf_plan().mixes_scores() && compiled_.takes(rows);
  }
  template <class T>
  void nodes(const NumberRows<T>& rows, std::span<NodeIndex> out) const {
    compiled_.end_nodes(rows, out);
  }
  void answers_of(std::span<const NodeIndex> nodes, std::span<double> out) const;
  // `by_node` are classes_of_all_nodes(), or empty: for a few rows of a large tree, deciding for
  // all nodes first would be the longest part.
  void classes_of(std::span<const NodeIndex> nodes, std::span<const uint32_t> by_node,
                  std::span<uint32_t> out) const;
  std::vector<uint32_t> classes_of_all_nodes() const;

  // Where rows can end, ascending: leaves, and nodes where rows without a value stay.
  const std::vector<NodeIndex>& end_nodes() const { return end_nodes_; }
  // rows x end_nodes().size(): the share of the row that ends there.
  void weights(const Table& table, std::span<const RowIndex> rows, std::span<double> out,
               const Parallel& parallel) const;

 private:
  uint32_t class_of(NodeIndex node) const;  // by its constant

  const Tree& tree_;
  Compiled compiled_;
  std::vector<double> constants_;  // answers of all nodes
  bool has_models_;                // in some leaves
  std::vector<size_t> places_;     // of nodes in preorder
  std::vector<NodeIndex> end_nodes_;
};

// The same for a tree that answers once.
Predictions predict(const Tree& tree, const Table& table, std::span<const RowIndex> rows,
                    const Parallel& parallel);
// The class that is answered for each row: as predict and top_class, but without
// keeping the probabilities. Classification only.
std::vector<uint32_t> predict_classes(const Tree& tree, const Table& table,
                                      std::span<const RowIndex> rows, const Parallel& parallel);
// The node where most of each row's weight ends (for hard trees: where it ends).
std::vector<NodeIndex> predict_nodes(const Tree& tree, const Table& table,
                                     std::span<const RowIndex> rows, const Parallel& parallel);

}  // namespace softwood

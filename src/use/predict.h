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
  // Where rows can end, ascending: leaves, and nodes where rows without a value stay.
  const std::vector<NodeIndex>& end_nodes() const { return end_nodes_; }
  // rows x end_nodes().size(): the share of the row that ends there.
  void weights(const Table& table, std::span<const RowIndex> rows, std::span<double> out,
               const Parallel& parallel) const;

 private:
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

// Answers of soft trees: rows go down together, and every leaf answers all rows that reach it at
// once. The bits are those of row after row, leaf after leaf.
#pragma once

#include <span>
#include <vector>

#include "tree/descent.h"
#include "tree/tree.h"

namespace softwood {

// Whether the descent visits nodes in ascending order, in which answers are mixed: children follow
// each other, in the order of their parents.
bool is_breadth_first(const Tree& tree);

// One per thread.
class Mixer : public DescentVisitor {
 public:
  // `constants`: the answers of all nodes without their models.
  Mixer(const Tree& tree, const Table& table, std::span<const double> constants);

  // rows x answer_width(): what the rows are answered. The tree is breadth first.
  void answer(std::span<const RowIndex> rows, std::span<double> out);

  // Of the descent.
  void reach(NodeIndex node, std::span<const Share> shares);
  void end(NodeIndex node, const Share& share);

 private:
  void add(NodeIndex node, std::span<const Share> shares);
  // Outputs of the model, output after output, for the rows of the shares.
  void compute_outputs(const LeafModel& model, std::span<const Share> shares);
  bool add_sums(const LeafModel& model, std::span<const Share> shares);
  void add_each(NodeIndex node, const LeafModel& model, std::span<const Share> shares);
  void add_constant(NodeIndex node, const Share& share);

  const Tree& tree_;
  const Table& table_;
  std::span<const double> constants_;
  size_t width_;
  bool scores_;  // are mixed, not answers
  Descent descent_;
  std::vector<Share> start_;
  std::span<const RowIndex> rows_;
  std::span<double> out_;
  std::vector<RowIndex> here_;
  std::vector<double> outputs_, values_, one_;
};

}  // namespace softwood

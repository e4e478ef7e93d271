#include "stages/grow/multivariate/node.h"

namespace softwood::grow {
namespace {

std::vector<uint32_t> slots_at(const NodeSample& node, std::span<const uint32_t> positions) {
  std::vector<uint32_t> slots;
  for (const uint32_t i : positions) slots.push_back(node.slots[i]);
  return slots;
}

std::vector<RowIndex> rows_at(const NodeSample& node, std::span<const uint32_t> positions) {
  std::vector<RowIndex> rows;
  for (const uint32_t i : positions) rows.push_back(node.rows[i]);
  return rows;
}

std::vector<double> cell_of(const NodeSample& node, std::span<const uint32_t> slots) {
  std::vector<double> cell(node.cell.size(), 0.0);
  const std::vector<uint32_t> codes(slots.size(), 0);
  node.search.add_to_cells(slots, codes, cell.data());
  return cell;
}

}  // namespace

NodePart::NodePart(const NodeSample& node, std::span<const uint32_t> positions)
    : slots(slots_at(node, positions)),
      rows(rows_at(node, positions)),
      cell(cell_of(node, slots)),
      data{node.table, node.target,  node.search,   slots, rows,
           cell,       node.control, node.min_leaf, 0} {
  data.impurity = impurity_of(data);
}

// Classes: what a child for each class would improve. Regression: the squared deviations.
double impurity_of(const NodeSample& node) {
  if (node.target.task == Task::regression) {
    const double mean = node.cell[1] / node.cell[0];
    double squares = 0;
    for (size_t i = 0; i < node.size(); ++i) {
      const double deviation = node.number(i) - mean;
      squares += node.weight(i) * deviation * deviation;
    }
    return squares;
  }
  const size_t classes = node.cell.size();
  std::vector<double> pure;
  for (size_t k = 0; k < classes; ++k) {
    if (!(node.cell[k] > 0)) continue;
    pure.resize(pure.size() + classes, 0.0);
    pure[pure.size() - classes + k] = node.cell[k];
  }
  Scratch scratch;
  const LevelSplit split =
      node.search.best_levels(node.cell, pure, NominalSplit::multiway, 0, scratch);
  return node.search.improvement(split.score, node.cell);
}

}  // namespace softwood::grow

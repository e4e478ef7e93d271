#include "tree/recount.h"

#include "tree/compiled.h"

namespace softwood {

void recount(Tree& tree, const Table& table, std::span<const RowIndex> rows) {
  std::vector<Arrival> arrivals;
  Compiled(tree).arrivals(table, rows, arrivals);
  const std::vector<NodeIndex> parents = parents_of(tree);
  // Calls add(node, weight, row) for the node where a share ends and all above it.
  const auto each = [&](const auto& add) {
    for (const Arrival& arrival : arrivals) {
      const double weight = arrival.weight * table.weight(arrival.row);
      for (NodeIndex node = arrival.node;; node = parents[node]) {
        add(node, weight, arrival.row);
        if (node == 0) break;
      }
    }
  };
  for (NodeIndex i = 0; i < tree.size(); ++i) {
    for (double& sum : tree.sums(i)) sum = 0;
  }
  if (tree.task() == Task::classification) {
    each([&](NodeIndex node, double weight, RowIndex row) {
      tree.sums(node)[static_cast<size_t>(table.target().codes[row])] += weight;
    });
    return;
  }
  if (rows.empty()) return;
  const Cells<double>& numbers = table.target().numbers;
  // Measured from one of them, so that an offset of the targets costs no digits.
  const double centre = numbers[rows[0]];
  each([&](NodeIndex node, double weight, RowIndex row) {
    tree.sums(node)[0] += weight;
    tree.sums(node)[1] += weight * (numbers[row] - centre);
  });
  for (NodeIndex i = 0; i < tree.size(); ++i) {
    const auto sums = tree.sums(i);
    if (sums[0] > 0) sums[1] = centre + sums[1] / sums[0];
  }
  each([&](NodeIndex node, double weight, RowIndex row) {
    const double deviation = numbers[row] - tree.sums(node)[1];
    tree.sums(node)[2] += weight * deviation * deviation;
  });
}

}  // namespace softwood

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
        add(tree.sums(node), weight, arrival.row);
        if (node == 0) break;
      }
    }
  };
  for (NodeIndex i = 0; i < tree.size(); ++i) {
    for (double& sum : tree.sums(i)) sum = 0;
  }
  if (tree.task() == Task::classification) {
    each([&](std::span<double> sums, double weight, RowIndex row) {
      sums[static_cast<size_t>(table.target().codes[row])] += weight;
    });
    return;
  }
  const Cells<double>& numbers = table.target().numbers;
  each([&](std::span<double> sums, double weight, RowIndex row) {
    sums[0] += weight;
    sums[1] += weight * numbers[row];
  });
  for (NodeIndex i = 0; i < tree.size(); ++i) {
    if (tree.sums(i)[0] > 0) tree.sums(i)[1] /= tree.sums(i)[0];
  }
  each([&](std::span<double> sums, double weight, RowIndex row) {
    sums[2] += weight * (numbers[row] - sums[1]) * (numbers[row] - sums[1]);
  });
}

}  // namespace softwood

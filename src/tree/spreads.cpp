#include "tree/spreads.h"

#include <cmath>
#include <map>

#include "tree/compiled.h"
#include "tree/gates/kinds.h"

namespace softwood {

namespace {

constexpr size_t most_rows = 10'000;

// Weighted mean and sum of squared deviations, one value at a time (West 1979).
struct Moments {
  double weight = 0, mean = 0, deviations = 0;
  void add(double value, double by) {
    if (std::isnan(value) || by <= 0) return;
    weight += by;
    const double before = value - mean;
    mean += before * by / weight;
    deviations += by * before * (value - mean);
  }
  double spread() const {
    const double spread = weight > 0 ? std::sqrt(deviations / weight) : 0;
    return std::isfinite(spread) ? spread : 0;
  }
};

std::vector<RowIndex> some_of(std::span<const RowIndex> rows) {
  const size_t step = (rows.size() + most_rows - 1) / most_rows;
  std::vector<RowIndex> chosen;
  for (size_t i = 0; i < rows.size(); i += step) chosen.push_back(rows[i]);
  return chosen;
}

}  // namespace

void note_spreads(Tree& tree, const Table& table, std::span<const RowIndex> rows) {
  std::map<NodeIndex, std::vector<Moments>> sums;  // nodes whose gates are sums
  for (NodeIndex i = 0; i < tree.size(); ++i) {
    if (tree.node(i).is_leaf()) continue;
    const auto* score = std::get_if<ScoreGate>(&tree.node(i).gate());
    if (score != nullptr && score->terms.size() > 1) sums[i].resize(score->terms.size());
  }
  if (sums.empty()) return;
  const std::vector<RowIndex> chosen = some_of(rows);
  std::vector<Arrival> arrivals;
  Compiled(tree).arrivals(table, chosen, arrivals);
  const std::vector<NodeIndex> parents = parents_of(tree);
  const std::vector<double> unknown(table.features(), missing_number);
  std::vector<double> share(tree.size(), 0.0);  // of the present row at each node
  for (size_t a = 0; a < arrivals.size();) {
    const RowIndex row = arrivals[a].row;
    std::fill(share.begin(), share.end(), 0.0);
    for (; a < arrivals.size() && arrivals[a].row == row; ++a) {
      share[arrivals[a].node] += arrivals[a].weight;
    }
    // Children come after their parents.
    for (NodeIndex i = static_cast<NodeIndex>(tree.size()); i-- > 1;) share[parents[i]] += share[i];
    for (auto& [node, moments] : sums) {
      if (share[node] <= 0) continue;
      const auto& terms = std::get<ScoreGate>(tree.node(node).gate()).terms;
      for (size_t t = 0; t < terms.size(); ++t) {
        moments[t].add(term_value(terms[t], table, row, unknown), share[node] * table.weight(row));
      }
    }
  }
  for (const auto& [node, moments] : sums) {
    auto& terms = std::get<ScoreGate>(tree.node(node).gate()).terms;
    for (size_t t = 0; t < terms.size(); ++t) terms[t].spread = moments[t].spread();
  }
}

}  // namespace softwood

#include "tree/spreads.h"

#include <cmath>

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
  std::vector<std::vector<Moments>> sums(tree.size());  // of nodes whose gates are sums
  bool any = false;
  for (NodeIndex i = 0; i < tree.size(); ++i) {
    if (tree.node(i).is_leaf() || as_threshold(tree.node(i).gate())) continue;
    const ScoreGate* const score = linear_form(tree.node(i).gate());
    if (score == nullptr || score->terms.size() < 2) continue;
    sums[i].resize(score->terms.size());
    any = true;
  }
  if (!any) return;
  const std::vector<RowIndex> chosen = some_of(rows);
  std::vector<Arrival> arrivals;
  Compiled(tree).arrivals(table, chosen, arrivals);
  const std::vector<NodeIndex> parents = parents_of(tree);
  const std::vector<double> unknown(table.features(), missing_number);
  // A row that arrives in parts passes a node with the sum of those that arrive below it.
  for (const Arrival& arrival : arrivals) {
    const double weight = arrival.weight * table.weight(arrival.row);
    for (NodeIndex node = arrival.node;; node = parents[node]) {
      for (size_t t = 0; t < sums[node].size(); ++t) {
        const Term& term = linear_form(tree.node(node).gate())->terms[t];
        sums[node][t].add(term_value(term, table, arrival.row, unknown), weight);
      }
      if (node == 0) break;
    }
  }
  for (NodeIndex i = 0; i < tree.size(); ++i) {
    if (sums[i].empty()) continue;
    std::vector<double> spreads;
    for (const Moments& moments : sums[i]) spreads.push_back(moments.spread());
    tree.node(i).gate() = with_spreads(tree.node(i).gate(), spreads);
  }
}

}  // namespace softwood

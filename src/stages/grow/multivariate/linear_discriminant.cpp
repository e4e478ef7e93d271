#include <algorithm>
#include <cmath>

#include "stages/grow/multivariate/discriminant.h"
#include "stages/grow/multivariate/split.h"

namespace softwood::grow {

namespace {

// No more columns than rows, as the tree counts them: the others add no direction, and the time
// that a small node takes stays small.
size_t no_more_than_rows(const NodeSample& node) {
  double rows = 0;
  for (size_t i = 0; i < node.size(); ++i) rows += node.weight(i);
  return static_cast<size_t>(std::clamp(std::ceil(rows), 1.0, static_cast<double>(most_terms)));
}

}  // namespace

ScoreSplit discriminant_split(const NodeSample& node) {
  const NodeMatrix matrix(node, no_more_than_rows(node));
  if (matrix.columns() == 0) return {};
  const Scatter scatter = scatter_of(matrix);
  const Response response = node.target.task == Task::classification
                                ? grouped_classes(node, matrix, scatter, Fit::principal)
                                : halves_of_target(node, matrix);
  ScoreSplit split{
      matrix.gate(direction_of(scatter, response.moments, response.squares, Fit::principal)), 0, 0};
  if (split.gate.terms.empty()) return split;
  std::vector<double> scores(node.size());
  SortScratch scratch;
  gate_scores(split.gate, node.table, node.rows, scores);
  ScoreCut cut = given_cut(node, scores, gaussian_cut(node, scores, response.group), scratch);
  // Gaussians of very different weights may meet beyond all rows.
  if (!(cut.score > 0)) cut = best_cut(node, scores, scratch);
  split.gate.cut = cut.cut;
  split.score = cut.score;
  return split;
}

}  // namespace softwood::grow

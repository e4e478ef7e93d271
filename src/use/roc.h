// How well probabilities order the rows: the area under the ROC curve, and every threshold on it.
#pragma once

#include <span>
#include <vector>

#include "softwood/measures.h"
#include "use/predict.h"

namespace softwood {

// The weight of a row, as one of the class or as one of another.
struct ScoredRow {
  double score;
  double positive, negative;
};

// Rows by their probability of one class; rows of classes that the model does not know are left
// out.
std::vector<ScoredRow> scored_rows(const Predictions& predictions, const Table& table,
                                   std::span<const RowIndex> rows, size_t of_class);

// Weight of the pairs of a positive and a negative row that the scores order rightly, ties half, as
// a share of all pairs (Mann & Whitney 1947), and its variance (DeLong, DeLong & Clarke-Pearson
// 1988) by midranks in O(n log n) (Sun & Xu 2014). NaN where there are no pairs; the variance also
// where a side has not more than one row. Sorts the rows.
struct AreaUnderCurve {
  double area, variance;
};
AreaUnderCurve area_under_curve(std::vector<ScoredRow>& rows);

// For two classes and those that the schema calls positive; a usage Error otherwise. `costs` as in
// evaluate.
ThresholdTable threshold_table(const Predictions& predictions, const Table& table,
                               std::span<const RowIndex> rows, std::span<const double> costs = {});

}  // namespace softwood

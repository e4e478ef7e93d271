#include "use/roc.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "softwood/error.h"
#include "tree/costs.h"

namespace softwood {
namespace {

// Rows with one score, and what the rows before them weigh.
struct Tied {
  double score;
  double positive, negative;
  double positive_below, negative_below;
};

std::vector<Tied> tied_groups(std::vector<ScoredRow>& rows) {
  std::sort(rows.begin(), rows.end(),
            [](const ScoredRow& a, const ScoredRow& b) { return a.score < b.score; });
  std::vector<Tied> groups;
  double positive = 0, negative = 0;
  for (size_t begin = 0; begin < rows.size();) {
    Tied group{rows[begin].score, 0, 0, positive, negative};
    size_t end = begin;
    for (; end < rows.size() && rows[end].score == rows[begin].score; ++end) {
      group.positive += rows[end].positive;
      group.negative += rows[end].negative;
    }
    positive += group.positive;
    negative += group.negative;
    groups.push_back(group);
    begin = end;
  }
  return groups;
}

double sample_variance(double squares, double count) {
  return count > 1 ? squares / (count - 1) : missing_number;
}

}  // namespace

std::vector<ScoredRow> scored_rows(const Predictions& predictions, const Table& table,
                                   std::span<const RowIndex> rows, size_t of_class) {
  std::vector<ScoredRow> scored;
  scored.reserve(rows.size());
  for (size_t i = 0; i < rows.size(); ++i) {
    const int32_t actual = table.target().codes[rows[i]];
    if (actual < 0) continue;
    const double weight = table.weight(rows[i]);
    const bool is_positive = static_cast<size_t>(actual) == of_class;
    scored.push_back({predictions.answers[i * predictions.width + of_class],
                      is_positive ? weight : 0, is_positive ? 0 : weight});
  }
  return scored;
}

AreaUnderCurve area_under_curve(std::vector<ScoredRow>& rows) {
  const std::vector<Tied> groups = tied_groups(rows);
  double positive = 0, negative = 0, right = 0;
  for (const Tied& group : groups) {
    right += group.positive * (group.negative_below + group.negative / 2);
    positive += group.positive;
    negative += group.negative;
  }
  if (!(positive > 0 && negative > 0)) return {missing_number, missing_number};
  const double area = right / (positive * negative);
  // A row's structural component: the share of the rows of the other side that it is ordered
  // rightly with. The components of each side have the mean `area`.
  double of_positive = 0, of_negative = 0;
  for (const Tied& group : groups) {
    const double below = (group.negative_below + group.negative / 2) / negative;
    const double above =
        (positive - group.positive_below - group.positive + group.positive / 2) / positive;
    of_positive += group.positive * (below - area) * (below - area);
    of_negative += group.negative * (above - area) * (above - area);
  }
  return {area, sample_variance(of_positive, positive) / positive +
                    sample_variance(of_negative, negative) / negative};
}

namespace {

// Weights of the rows, which stay the same at every threshold.
struct Weights {
  double positive = 0, negative = 0, unknown = 0;
  double all() const { return positive + negative + unknown; }
};

Weights weights_of(const Table& table, std::span<const RowIndex> rows, size_t positive) {
  Weights weights;
  for (const RowIndex row : rows) {
    const int32_t actual = table.target().codes[row];
    const bool is_positive = actual >= 0 && static_cast<size_t>(actual) == positive;
    (actual < 0    ? weights.unknown
     : is_positive ? weights.positive
                   : weights.negative) += table.weight(row);
  }
  return weights;
}

ThresholdPoint point_at(double threshold, double true_positives, double false_positives,
                        const Weights& weights, size_t positive, std::span<const double> costs) {
  const auto share = [](double part, double whole) {
    return whole > 0 ? part / whole : missing_number;
  };
  const double missed = weights.positive - true_positives;
  ThresholdPoint point;
  point.threshold = threshold;
  point.true_positives = true_positives;
  point.false_positives = false_positives;
  point.true_positive_rate = share(true_positives, weights.positive);
  point.false_positive_rate = share(false_positives, weights.negative);
  point.precision = share(true_positives, true_positives + false_positives);
  point.youden = point.true_positive_rate - point.false_positive_rate;
  point.error = (missed + false_positives + weights.unknown) / weights.all();
  point.cost = missed * cost_of(costs, 2, positive, 1 - positive) +
               false_positives * cost_of(costs, 2, 1 - positive, positive) +
               weights.unknown * costliest_error(costs);
  return point;
}

}  // namespace

ThresholdTable threshold_table(const Predictions& predictions, const Table& table,
                               std::span<const RowIndex> rows, std::span<const double> costs) {
  const Schema& schema = table.schema();
  if (schema.classes() != 2) {
    throw Error(ErrorKind::usage, "thresholds and the ROC curve are for models with two classes",
                {},
                schema.classes() == 0 ? "this model predicts a number"
                                      : fmt::format("this model has {} classes", schema.classes()));
  }
  const size_t positive = schema.positive;
  if (costs.empty()) costs = predictions.costs;
  const Weights weights = weights_of(table, rows, positive);
  if (!(weights.positive > 0 && weights.negative > 0)) {
    throw Error(ErrorKind::data, "there are no rows of both classes: no threshold can be judged");
  }
  std::vector<ScoredRow> scored = scored_rows(predictions, table, rows, positive);
  const std::vector<Tied> groups = tied_groups(scored);
  ThresholdTable result{schema.target.levels[positive], {}};
  result.points.push_back(
      point_at(std::numeric_limits<double>::infinity(), 0, 0, weights, positive, costs));
  for (size_t g = groups.size(); g-- > 0;) {
    const Tied& group = groups[g];
    result.points.push_back(point_at(group.score, weights.positive - group.positive_below,
                                     weights.negative - group.negative_below, weights, positive,
                                     costs));
    const size_t last = result.points.size() - 1;
    const ThresholdPoint& point = result.points[last];
    if (point.cost < result.points[result.least_cost].cost) result.least_cost = last;
    if (point.youden > result.points[result.largest_youden].youden) result.largest_youden = last;
  }
  return result;
}

size_t ThresholdTable::within_false_positive_rate(double rate) const {
  size_t best = 0;
  for (size_t i = 1; i < points.size() && points[i].false_positive_rate <= rate; ++i) {
    if (points[i].true_positive_rate > points[best].true_positive_rate) best = i;
  }
  return best;
}

}  // namespace softwood

#include "use/evaluate.h"

#include <algorithm>
#include <cmath>

#include "softwood/error.h"
#include "tree/costs.h"

namespace softwood {

size_t answered_class(const Predictions& predictions, size_t i, const ClassThreshold& threshold) {
  if (predictions.width == 2 && threshold.is_given()) {
    const bool reached = predictions.answers[i * 2 + threshold.of] >= threshold.least;
    return reached ? threshold.of : 1 - threshold.of;
  }
  return predictions.top_class(i);
}

namespace {

constexpr double least_probability = 1e-15;

double total_weight(const Table& table, std::span<const RowIndex> rows) {
  double total = 0;
  for (const RowIndex row : rows) total += table.weight(row);
  return total;
}

struct Scored {
  double score;
  double positive, negative;  // weights
};

// Weight of the pairs of a positive and a negative row that the scores order rightly, ties half, as
// a share of all pairs; NaN when there are none.
double area_under_curve(std::vector<Scored>& rows) {
  std::sort(rows.begin(), rows.end(),
            [](const Scored& a, const Scored& b) { return a.score < b.score; });
  double positive = 0, negative = 0, right = 0;
  for (size_t begin = 0; begin < rows.size();) {
    double tied_positive = 0, tied_negative = 0;
    size_t end = begin;
    for (; end < rows.size() && rows[end].score == rows[begin].score; ++end) {
      tied_positive += rows[end].positive;
      tied_negative += rows[end].negative;
    }
    right += tied_positive * (negative + tied_negative / 2);
    positive += tied_positive;
    negative += tied_negative;
    begin = end;
  }
  return positive > 0 && negative > 0 ? right / (positive * negative) : missing_number;
}

// With two classes that of the positive one; with more the mean over the classes that some rows
// have and some have not. Rows of a class that the model does not know are left out.
double mean_area(const Predictions& predictions, const Table& table,
                 std::span<const RowIndex> rows) {
  double sum = 0;
  size_t count = 0;
  std::vector<Scored> scored;
  for (size_t c = 0; c < predictions.width; ++c) {
    if (predictions.width == 2 && c != table.schema().positive) continue;
    scored.clear();
    for (size_t i = 0; i < rows.size(); ++i) {
      const int32_t actual = table.target().codes[rows[i]];
      if (actual < 0) continue;
      const double weight = table.weight(rows[i]);
      const bool is_positive = static_cast<size_t>(actual) == c;
      scored.push_back({predictions.answers[i * predictions.width + c], is_positive ? weight : 0,
                        is_positive ? 0 : weight});
    }
    const double area = area_under_curve(scored);
    if (std::isnan(area)) continue;
    sum += area;
    ++count;
  }
  return count > 0 ? sum / static_cast<double>(count) : missing_number;
}

// Mean recall over the classes present. All rows of unknown classes are one class without recall.
double mean_recall(const Evaluation& result) {
  const size_t classes = result.classes.size();
  double sum = 0;
  size_t present = result.unknown > 0 ? 1 : 0;
  for (size_t actual = 0; actual < classes; ++actual) {
    double weight = 0;
    for (size_t c = 0; c < classes; ++c) weight += result.confusion[actual * classes + c];
    if (weight <= 0) continue;
    sum += result.confusion[actual * classes + actual] / weight;
    ++present;
  }
  return sum / static_cast<double>(present);
}

double total_cost(const Evaluation& result, std::span<const double> costs) {
  double cost = result.unknown * costliest_error(costs);
  for (size_t i = 0; i < costs.size(); ++i) cost += result.confusion[i] * costs[i];
  return cost;
}

void evaluate_classes(const Predictions& predictions, const Table& table,
                      std::span<const RowIndex> rows, size_t majority,
                      const ClassThreshold& threshold, Evaluation& result) {
  const size_t classes = predictions.width;
  result.classes = table.schema().target.levels;
  result.confusion.assign(classes * classes, 0.0);
  result.unknown_answers.assign(classes, 0.0);
  result.positive = table.schema().positive;
  if (classes == 2) result.threshold = threshold;
  double right = 0, majority_right = 0, logloss = 0, brier = 0;
  for (size_t i = 0; i < rows.size(); ++i) {
    const double weight = table.weight(rows[i]);
    const int32_t code = table.target().codes[rows[i]];
    const auto actual = static_cast<size_t>(code);
    const double* const answer = &predictions.answers[i * classes];
    double squares = 0;
    for (size_t c = 0; c < classes; ++c) {
      const double difference = answer[c] - (code >= 0 && c == actual ? 1.0 : 0.0);
      squares += difference * difference;
    }
    double likelihood = 0;
    if (code < 0) {
      result.unknown += weight;
      squares += 1;  // the class that is not among the answers
      result.unknown_answers[answered_class(predictions, i, threshold)] += weight;
    } else {
      likelihood = answer[actual];
      const size_t answered = answered_class(predictions, i, threshold);
      result.confusion[actual * classes + answered] += weight;
      if (answered == actual) right += weight;
      if (majority == actual) majority_right += weight;
    }
    brier += weight * squares;
    logloss -= weight * std::log(std::max(likelihood, least_probability));
  }
  result.accuracy = right / result.weight;
  result.error = (result.weight - right) / result.weight;
  result.majority_error = (result.weight - majority_right) / result.weight;
  result.logloss = logloss / result.weight;
  result.brier = brier / result.weight;
  result.balanced_accuracy = mean_recall(result);
  result.auc = mean_area(predictions, table, rows);
}

void evaluate_numbers(const Predictions& predictions, const Table& table,
                      std::span<const RowIndex> rows, Evaluation& result) {
  const Cells<double>& actual = table.target().numbers;
  double squares = 0, absolute = 0, sum = 0;
  for (size_t i = 0; i < rows.size(); ++i) {
    const double weight = table.weight(rows[i]);
    const double difference = predictions.answers[i] - actual[rows[i]];
    squares += weight * difference * difference;
    absolute += weight * std::fabs(difference);
    sum += weight * actual[rows[i]];
  }
  // The second pass keeps the variance right when the mean is large.
  const double mean = sum / result.weight;
  double deviations = 0;
  for (const RowIndex row : rows) {
    deviations += table.weight(row) * (actual[row] - mean) * (actual[row] - mean);
  }
  result.mse = squares / result.weight;
  result.rmse = std::sqrt(result.mse);
  result.mae = absolute / result.weight;
  result.nmse = deviations > 0 ? squares / deviations : missing_number;
  // The mean itself may differ from the rows' mean by rounding.
  constexpr double rounding = 1e-12;
  result.r2 = std::fabs(1.0 - result.nmse) < rounding ? 0 : 1.0 - result.nmse;
}

}  // namespace

Evaluation evaluate(const Predictions& predictions, const Table& table,
                    std::span<const RowIndex> rows, size_t majority,
                    const ClassThreshold& threshold, std::span<const double> costs) {
  Evaluation result;
  result.task = table.schema().task();
  result.rows = rows.size();
  if (table.weighted()) result.weighted_by = table.schema().weight;
  if (!table.has_target()) throw Error(ErrorKind::data, "there is no target to compare with");
  if (rows.empty()) throw Error(ErrorKind::data, "there are no rows to evaluate");
  result.weight = total_weight(table, rows);
  if (!(result.weight > 0)) throw Error(ErrorKind::data, "all rows to evaluate have weight 0");
  if (result.task == Task::classification) {
    evaluate_classes(predictions, table, rows, majority, threshold, result);
    if (costs.empty()) costs = predictions.costs;
    if (!costs.empty()) result.cost = total_cost(result, costs);
  } else {
    evaluate_numbers(predictions, table, rows, result);
  }
  return result;
}

namespace {

std::vector<std::pair<std::string, double>> usual_figures(const Evaluation& evaluation) {
  switch (evaluation.task) {
    case Task::classification:
      return {{"error", evaluation.error},
              {"accuracy", evaluation.accuracy},
              {"balanced_accuracy", evaluation.balanced_accuracy},
              {"logloss", evaluation.logloss},
              {"brier", evaluation.brier},
              {"auc", evaluation.auc},
              {"majority_error", evaluation.majority_error}};
    case Task::regression:
      return {{"mse", evaluation.mse},
              {"rmse", evaluation.rmse},
              {"mae", evaluation.mae},
              {"r2", evaluation.r2},
              {"nmse", evaluation.nmse}};
  }
  return {};
}

}  // namespace

std::vector<std::pair<std::string, double>> evaluation_figures(const Evaluation& evaluation) {
  std::vector<std::pair<std::string, double>> figures = usual_figures(evaluation);
  if (!std::isnan(evaluation.cost)) figures.emplace_back("cost", evaluation.cost);
  return figures;
}

std::vector<CalibrationBin> calibration(const Predictions& predictions, const Table& table,
                                        std::span<const RowIndex> rows, size_t bins) {
  std::vector<CalibrationBin> result(bins);
  const auto count = static_cast<double>(bins);
  for (size_t b = 0; b < bins; ++b) {
    result[b].low = static_cast<double>(b) / count;
    result[b].high = static_cast<double>(b + 1) / count;
  }
  for (size_t i = 0; i < rows.size(); ++i) {
    const int32_t actual = table.target().codes[rows[i]];
    if (predictions.width == 2 && actual < 0) continue;
    const size_t of = predictions.width == 2 ? table.schema().positive : predictions.top_class(i);
    const double probability = predictions.answers[i * predictions.width + of];
    const size_t b = std::min(bins - 1, static_cast<size_t>(probability * count));
    const double weight = table.weight(rows[i]);
    result[b].weight += weight;
    result[b].predicted += weight * probability;
    result[b].observed += actual == static_cast<int32_t>(of) ? weight : 0;
  }
  for (CalibrationBin& bin : result) {
    bin.predicted = bin.weight > 0 ? bin.predicted / bin.weight : missing_number;
    bin.observed = bin.weight > 0 ? bin.observed / bin.weight : missing_number;
  }
  return result;
}

}  // namespace softwood

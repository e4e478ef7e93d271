#include "use/evaluate.h"

#include <algorithm>
#include <cmath>

#include "base/math.h"
#include "base/sum.h"
#include "softwood/error.h"
#include "tree/costs.h"
#include "use/evaluation_parts.h"
#include "use/intervals.h"
#include "use/roc.h"

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

double share(double part, double whole) { return whole > 0 ? part / whole : missing_number; }

// The confusion matrix seen from one class.
struct OneAgainstRest {
  double right = 0;       // of the class and predicted as it
  double actual = 0;      // of the class
  double predicted = 0;   // as the class, rows of unknown classes too
  double wrong = 0;       // predicted as it, of another class that the model knows
  double known_rest = 0;  // of another class that the model knows
};

OneAgainstRest against_rest(const Evaluation& result, size_t of_class) {
  const size_t classes = result.classes.size();
  OneAgainstRest counts;
  counts.right = result.confusion[of_class * classes + of_class];
  for (size_t i = 0; i < classes; ++i) {
    counts.actual += result.confusion[of_class * classes + i];
    if (i != of_class) counts.wrong += result.confusion[i * classes + of_class];
  }
  counts.predicted = counts.right + counts.wrong + result.unknown_answers[of_class];
  counts.known_rest = result.weight - result.unknown - counts.actual;
  return counts;
}

ClassMeasures class_measures(const Evaluation& result, size_t of_class) {
  const OneAgainstRest counts = against_rest(result, of_class);
  const double true_negatives = counts.known_rest - counts.wrong;
  ClassMeasures measures;
  measures.name = result.classes[of_class];
  measures.weight = counts.actual;
  measures.precision = share(counts.right, counts.predicted);
  measures.recall = share(counts.right, counts.actual);
  measures.f1 = share(2 * counts.right, counts.predicted + counts.actual);
  measures.specificity = share(true_negatives, counts.known_rest);
  measures.precision_interval = wilson_interval(counts.right, counts.predicted);
  measures.recall_interval = wilson_interval(counts.right, counts.actual);
  measures.specificity_interval = wilson_interval(true_negatives, counts.known_rest);
  return measures;
}

// Means of what is defined for the classes, with `weight_of(class)`; not defined counts 0.
// `unknown` is the weight of a class in which nothing is right; specificity leaves it out.
template <class WeightOf>
ClassAverages averages(const Evaluation& result, double unknown, WeightOf weight_of) {
  ClassAverages sums;
  double total = unknown;
  const auto defined = [](double value) { return std::isnan(value) ? 0 : value; };
  for (const ClassMeasures& measures : result.per_class) {
    if (std::isnan(measures.f1)) continue;  // neither there nor predicted
    const double weight = weight_of(measures);
    total += weight;
    sums.precision += weight * defined(measures.precision);
    sums.recall += weight * defined(measures.recall);
    sums.f1 += weight * measures.f1;
    sums.specificity += weight * defined(measures.specificity);
  }
  return {sums.precision / total, sums.recall / total, sums.f1 / total,
          sums.specificity / (total - unknown)};
}

// Gorodkin 2004, equation 8, from the sums of the confusion matrix; for two classes the coefficient
// of Matthews 1975.
double matthews_correlation(const Evaluation& result) {
  const double all = result.weight;
  double right = 0, products = 0, actual_squares = result.unknown * result.unknown,
         predicted_squares = 0;
  for (size_t c = 0; c < result.classes.size(); ++c) {
    const OneAgainstRest counts = against_rest(result, c);
    right += counts.right;
    products += counts.actual * counts.predicted;
    actual_squares += counts.actual * counts.actual;
    predicted_squares += counts.predicted * counts.predicted;
  }
  const double spread = std::sqrt((all * all - actual_squares) * (all * all - predicted_squares));
  return spread > 0 ? (right * all - products) / spread : 0;
}

// All that follows from the confusion matrix.
void evaluate_confusion(Evaluation& result) {
  for (size_t c = 0; c < result.classes.size(); ++c) {
    result.per_class.push_back(class_measures(result, c));
  }
  result.macro = averages(result, result.unknown > 0 ? 1 : 0, [](const auto&) { return 1.0; });
  result.weighted = averages(result, result.unknown, [](const auto& m) { return m.weight; });
  result.mcc = matthews_correlation(result);
  const double right = result.accuracy * result.weight;
  result.intervals.emplace_back("error", wilson_interval(result.weight - right, result.weight));
  result.intervals.emplace_back("accuracy", wilson_interval(right, result.weight));
  if (result.classes.size() != 2) {
    result.precision = result.macro.precision;
    result.recall = result.macro.recall;
    result.f1 = result.macro.f1;
    result.specificity = result.macro.specificity;
    return;
  }
  const ClassMeasures& positive = result.per_class[result.positive];
  result.precision = positive.precision;
  result.recall = positive.recall;
  result.f1 = positive.f1;
  result.specificity = positive.specificity;
  result.intervals.emplace_back("precision", positive.precision_interval);
  result.intervals.emplace_back("recall", positive.recall_interval);
  result.intervals.emplace_back("specificity", positive.specificity_interval);
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
  double right = 0, majority_right = 0;
  Sum logloss, brier;
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
    brier.add_product(weight, squares);
    logloss.add_product(weight, -math::log(std::max(likelihood, least_probability)));
  }
  complete_classes({right, majority_right, logloss.value(), brier.value()}, result);
  complete_area([&](size_t c) { return scored_rows(predictions, table, rows, c); }, result);
}

void evaluate_numbers(const Predictions& predictions, const Table& table,
                      std::span<const RowIndex> rows, Evaluation& result) {
  const Cells<double>& actual = table.target().numbers;
  Sum squares, absolute, sum;
  for (size_t i = 0; i < rows.size(); ++i) {
    const double weight = table.weight(rows[i]);
    const double difference = predictions.answers[i] - actual[rows[i]];
    squares.add_product(weight, difference * difference);
    absolute.add_product(weight, std::fabs(difference));
    sum.add_product(weight, actual[rows[i]]);
  }
  // The second pass keeps the variance right when the mean is large.
  const double mean = sum.value() / result.weight;
  Sum deviations;
  for (const RowIndex row : rows) {
    deviations.add_product(table.weight(row), (actual[row] - mean) * (actual[row] - mean));
  }
  complete_numbers(squares.value(), absolute.value(), deviations.value(), result);
}

}  // namespace

void complete_classes(const ClassSums& sums, Evaluation& result) {
  result.accuracy = sums.right / result.weight;
  result.error = (result.weight - sums.right) / result.weight;
  result.majority_error = (result.weight - sums.majority_right) / result.weight;
  result.logloss = sums.logloss / result.weight;
  result.brier = sums.brier / result.weight;
  result.balanced_accuracy = mean_recall(result);
  evaluate_confusion(result);
}

// With two classes that of the positive one, with its interval; with more the mean over the classes
// that some rows have and some have not.
void complete_area(const std::function<std::vector<ScoredRow>(size_t)>& scored,
                   Evaluation& result) {
  const size_t classes = result.classes.size();
  double sum = 0;
  size_t count = 0;
  for (size_t c = 0; c < classes; ++c) {
    if (classes == 2 && c != result.positive) continue;
    std::vector<ScoredRow> rows = scored(c);
    const AreaUnderCurve curve = area_under_curve(rows);
    if (std::isnan(curve.area)) continue;
    sum += curve.area;
    ++count;
    if (classes == 2) {
      result.intervals.emplace_back("auc", normal_interval(curve.area, curve.variance));
    }
  }
  result.auc = count > 0 ? sum / static_cast<double>(count) : missing_number;
}

void complete_numbers(double squares, double sizes, double deviations, Evaluation& result) {
  result.mse = squares / result.weight;
  result.rmse = std::sqrt(result.mse);
  result.mae = sizes / result.weight;
  result.nmse = deviations > 0 ? squares / deviations : missing_number;
  // The mean itself may differ from the rows' mean by rounding.
  constexpr double rounding = 1e-12;
  result.r2 = std::fabs(1.0 - result.nmse) < rounding ? 0 : 1.0 - result.nmse;
}

void complete_costs(std::span<const double> costs, Evaluation& result) {
  if (!costs.empty()) result.cost = total_cost(result, costs);
}

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
    complete_costs(costs.empty() ? std::span<const double>(predictions.costs) : costs, result);
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
              {"precision", evaluation.precision},
              {"recall", evaluation.recall},
              {"f1", evaluation.f1},
              {"specificity", evaluation.specificity},
              {"mcc", evaluation.mcc},
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
  if (!std::isnan(evaluation.cost)) {
    figures.emplace_back("cost", evaluation.cost);
    figures.emplace_back("cost_per_row", evaluation.cost / evaluation.weight);
  }
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
    const size_t of = predictions.width == 2 ? table.schema().positive : predictions.top_class(i);
    const double probability = predictions.answers[i * predictions.width + of];
    const size_t b = std::min(bins - 1, static_cast<size_t>(probability * count));
    const double weight = table.weight(rows[i]);
    ++result[b].rows;
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

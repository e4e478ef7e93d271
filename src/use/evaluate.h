// Every figure that evaluate and cv print.
#pragma once

#include <span>
#include <string>
#include <utility>
#include <vector>

#include "softwood/measures.h"
#include "use/predict.h"

namespace softwood {

// Of two classes the one with code `of` is answered where its probability is at least `least`, else
// the other one.
struct ClassThreshold {
  size_t of = 1;
  double least = missing_number;  // NaN: there is none, the class is the one that the model answers

  bool is_given() const { return least >= 0 && least <= 1; }
};

// Everything is weighted by the table's weights.
//   balanced_accuracy  mean recall over the classes present; unknown ones are one class of recall 0
//   logloss            natural logarithm, probabilities clipped at 1e-15
//   brier              mean over the rows of the squared differences summed over the classes: from
//                      0 to 2 (a row of an unknown class: plus 1)
//   auc                ties count half; more than two classes: the mean of one against the rest
//                      over the classes that some rows have and some have not; without unknown
//                      classes
//   precision, recall, f1, specificity
//                      of two classes those of the positive one, of more the means over the
//                      classes (macro averages)
//   mcc                Matthews 1975, for more than two classes R_K of Gorodkin 2004: the
//                      correlation of actual and predicted classes; 0 where one of them does not
//                      vary
//   nmse               mse divided by the (population) variance of the target in these rows
//   cost               sum of what the answers cost; a row of an unknown class costs as much as the
//                      costliest error
//
// Rows of unknown classes that are predicted as a class are not of that class for precision; they
// are one class more for averages and mcc, with nothing right; specificity leaves them out.

// Means over the classes that rows have or that are predicted; what is not defined counts 0, as in
// scikit-learn.
struct ClassAverages {
  double precision = 0, recall = 0, f1 = 0, specificity = 0;
};

struct Evaluation {
  Task task = Task::classification;
  size_t rows = 0;
  double weight = 0;
  // classification; NaN where the rows do not define it (auc with one class)
  double error = 0, accuracy = 0, balanced_accuracy = 0, logloss = 0, brier = 0, auc = 0;
  double precision = 0, recall = 0, f1 = 0, specificity = 0, mcc = 0;
  double majority_error = 0;
  double cost = missing_number;  // NaN: nobody said what errors cost
  std::vector<std::string> classes;
  size_t positive = 1;                   // of two classes, as the schema says
  std::vector<ClassMeasures> per_class;  // in the order of `classes`
  ClassAverages macro, weighted;         // every class counts 1, or by the weight of its rows
  // Of the figures that have one: error and accuracy; with two classes also precision, recall,
  // specificity and auc.
  std::vector<std::pair<std::string, Interval>> intervals;
  std::vector<double> confusion;  // classes x classes, rows: actual, columns: predicted
  double unknown = 0;             // weight of rows whose class the model does not know: all errors
  std::vector<double> unknown_answers;  // what was answered for them, by class
  ClassThreshold threshold;             // that decided between two classes
  std::string weighted_by;              // column of the weights; empty: every row counts 1
  // regression; r2 and nmse are NaN when the target does not vary
  double mse = 0, rmse = 0, mae = 0, r2 = 0, nmse = 0;
};

// The class that is answered for a row when there may be a threshold.
size_t answered_class(const Predictions& predictions, size_t i, const ClassThreshold& threshold);

// `majority` is the class that the training rows had most of. `costs` (costs.h) are those of the
// model when none are given. No rows, no weight or no target: a data Error.
Evaluation evaluate(const Predictions& predictions, const Table& table,
                    std::span<const RowIndex> rows, size_t majority,
                    const ClassThreshold& threshold = {}, std::span<const double> costs = {});

std::vector<CalibrationBin> calibration(const Predictions& predictions, const Table& table,
                                        std::span<const RowIndex> rows, size_t bins = 10);

// Name and value of every scalar figure of the task, in the order they are printed.
std::vector<std::pair<std::string, double>> evaluation_figures(const Evaluation& evaluation);

}  // namespace softwood

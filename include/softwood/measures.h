// What is measured of a model on rows with known answers, beyond single figures. Weights of rows
// count as numbers of rows: a row of weight 2 is the same as two rows.
#pragma once

#include <cstddef>
#include <limits>
#include <string>
#include <vector>

namespace softwood {

// Where the true value lies with a probability of 95 %: by Wilson (1927) for shares of rows, by
// DeLong, DeLong and Clarke-Pearson (1988) for the area under the curve. NaN: not defined.
struct Interval {
  double low = std::numeric_limits<double>::quiet_NaN();
  double high = std::numeric_limits<double>::quiet_NaN();
};

// One class against all others.
struct ClassMeasures {
  std::string name;
  double weight = 0;  // of the rows that have this class
  // Share of the rows predicted as this class that have it; NaN when it is never predicted.
  double precision = 0;
  double recall = 0;       // share of its rows that are predicted as it; NaN without such rows
  double f1 = 0;           // harmonic mean of the two: 2 TP / (2 TP + FP + FN)
  double specificity = 0;  // share of the rows of other known classes that are not predicted as it
  Interval precision_interval, recall_interval, specificity_interval;
};

// How often what was predicted was observed: rows by the probability of the positive class or, with
// more than two classes, of the class predicted. Rows of a class that the model does not know
// count, as rows that did not have that class.
struct CalibrationBin {
  double low = 0, high = 0;  // [low, high), the last one [low, high]
  size_t rows = 0;
  double weight = 0;     // of these rows
  double predicted = 0;  // mean probability of these rows; NaN without weight
  double observed = 0;   // share of them that had that class
};

// What a model loses on rows whose values of one input are shuffled among them (Breiman 2001), over
// several shuffles: more cost per row where errors have costs, else more error, or more mse.
struct InputImportance {
  std::string name;
  double mean = 0, sd = 0;
};

// Of two classes the positive one is predicted where its probability is at least `threshold`.
struct ThresholdPoint {
  double threshold = 0;  // infinite: the positive class is never predicted
  double true_positives = 0, false_positives = 0;  // weights
  double true_positive_rate = 0;                   // recall
  double false_positive_rate = 0;                  // 1 - specificity
  double precision = 0;                            // NaN when the class is not predicted
  double youden = 0;                               // true positive rate - false positive rate
  double error = 0;
  double cost = 0;  // sum over the rows; without costs every error costs 1
};

// One point for each probability that occurs, from the strictest to the mildest threshold: the ROC
// curve. Rates leave out rows of classes that the model does not know; error and cost count them.
struct ThresholdTable {
  std::string positive;
  std::vector<ThresholdPoint> points;
  // Positions in `points`; of equals the strictest threshold.
  size_t least_cost = 0;
  size_t largest_youden = 0;

  // The point with the largest true positive rate among those whose false positive rate is at most
  // `rate`.
  size_t within_false_positive_rate(double rate) const;
};

}  // namespace softwood

// What each held-out row loses by an answer. Every metric is a weighted mean over rows, so that one
// rule compares, chooses and estimates by any of them.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "base/options.h"
#include "data/sample.h"
#include "use/predict.h"

namespace softwood::choice {

enum class Metric { usual, logloss, error, cost, auc, mse, mae };
constexpr Named<Metric> metrics[] = {{"auto", Metric::usual},  {"logloss", Metric::logloss},
                                     {"error", Metric::error}, {"cost", Metric::cost},
                                     {"auc", Metric::auc},     {"mse", Metric::mse},
                                     {"mae", Metric::mae}};
std::string metric_name(Metric metric);
// What `usual` stands for; a usage Error where the metric is not one of the task.
Metric metric_for(Metric metric, Task task);
// What the estimate for new rows is given in, too: errors or their cost, or the squared error.
Metric plain_metric(Task task, bool costs);

//   logloss  minus the logarithm of the probability of the row's class, clipped at 1e-15
//   error    1 for a wrong class
//   cost     what the answer costs; errors cost 1 where nobody said otherwise
//   auc      a row's share of 1 - AUC, within these rows: of the rows of other classes those that
//            are ranked wrongly against it (DeLong, DeLong & Clarke-Pearson 1988), so that the mean
//            is 1 - AUC; more than two classes: the mean of one against the rest
//   mse, mae squared and absolute error
std::vector<double> row_losses(Metric metric, const Predictions& answers, const Sample& sample);

std::vector<double> weights_of(const Sample& sample);
// Whether weights count copies of rows: all are whole numbers.
bool count_copies(std::span<const double> weights);
// How many rows there are: copies are counted where weights count them. Equal rows may have been
// merged, so that the number of weights says little then.
size_t rows_of(std::span<const double> weights);

// Weighted mean, and the standard error of the weighted mean. A row whose weight is a whole number
// counts as so many rows.
struct Mean {
  double value = 0, standard_error = 0;
};
Mean mean_of(std::span<const double> losses, std::span<const double> weights);
// The first of the two alone.
double weighted_mean(std::span<const double> losses, std::span<const double> weights);
// Of the difference a - b.
Mean mean_difference(std::span<const double> a, std::span<const double> b,
                     std::span<const double> weights);

}  // namespace softwood::choice

// Learners of leaf models (`leaf=`). A learner sees the rows of one leaf and gives a model, or none
// where the constant is as good. A new learner is one file and one line in leaf_learners.cpp.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "fit/leaf_rows.h"

namespace softwood::fit {

struct LeafLearner {
  std::string name;
  std::string help;
  Task task;
  bool penalised;  // follows the penalty of the plan
  // Of at least one row. The plan's penalty is NaN unless the user named one.
  std::optional<LeafModel> (*fit)(const LeafRows& leaf, const LeafPlan& plan);
  bool constant = false;  // the same answer for all rows of a leaf
};

// The table of learners.
std::span<const LeafLearner> leaf_learners();
// A usage Error when there is none of this name, or it is for the other task.
const LeafLearner& find_leaf_learner(std::string_view name, Task task);

// What `leaf=` may be: estimators of constants, then learners.
std::vector<std::string> leaf_choices();
bool leaf_choice_fits(const std::string& name, Task task);
// Whether the plan has models fitted whose answers depend on the row.
bool fits_functions(const LeafPlan& plan, Task task);
// The plan of that name. A usage Error when it is not for this task.
LeafPlan leaf_plan_called(const std::string& name, Task task);

// leaf_linear.cpp. The generalised cross-validation of the fit (least_squares.h) must be below that
// of the mean. Answers are held between the least and the largest target of the leaf, extended by a
// tenth of their distance.
std::optional<LeafModel> linear_leaf(const LeafRows& leaf, const LeafPlan& plan);
std::optional<LeafModel> ridge_leaf(const LeafRows& leaf, const LeafPlan& plan);
// leaf_median.cpp. The least of the values up to which half of the weight lies; where that is
// exactly half, the mean of this value and the next (as scikit-learn's absolute_error).
double weighted_median(std::span<const double> values, std::span<const double> weights);
std::optional<LeafModel> median_leaf(const LeafRows& leaf, const LeafPlan& plan);
// leaf_logistic.cpp. The loss plus one per coefficient must be below that of the class shares
// (Akaike 1974). The penalty is 1 unless the plan names one.
std::optional<LeafModel> logistic_leaf(const LeafRows& leaf, const LeafPlan& plan);
// leaf_bayes.cpp. The loss on the leaf's rows must be below that of the class shares, and there
// must be two rows per class. Numbers are Gaussian in each class, with the variance
// (S_k + s^2) / (n_k + 1): the prior is one row with the variance s^2 of the leaf (Gelman et al.
// 2013). Levels have the probability (n_kl + 1) / (n_k + L), L being the levels that occur in the
// leaf.
std::optional<LeafModel> naive_bayes_leaf(const LeafRows& leaf, const LeafPlan& plan);

// For learners: puts the terms with the largest effect first and drops those without any. `effect`
// is the size of a term's coefficients times its spread.
void order_terms(LeafModel& model, std::span<const double> effect);
bool has_finite_coefficients(const LeafModel& model);

}  // namespace softwood::fit

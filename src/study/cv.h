// The comparison of methods by cross-validation.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "data/folds.h"
#include "stages/recipe.h"
#include "study/train.h"
#include "use/evaluate.h"

namespace softwood {

struct Candidate {
  std::string method;  // empty: a recipe was given
  Recipe recipe;
};

// All figures of one candidate, one value per run.
struct CandidateResult {
  std::string method, recipe;
  std::vector<std::pair<std::string, std::vector<double>>> figures;  // "error", …, "fit_seconds"
  std::vector<std::optional<Frontier>> frontiers = {};  // by run, of stages that choose

  const std::vector<double>& figure(const std::string& name) const;  // one that is there
};

struct PairedTest {
  size_t first, second;  // candidates
  double difference;     // mean of first - second in error, cost (when there are costs), or mse
  double p;              // corrected resampled t test (Nadeau & Bengio 2003); NaN: not defined
};

struct CvOutcome {
  std::vector<CandidateResult> candidates;
  std::vector<PairedTest> tests;
  double test_to_train = 0;  // test rows per training row
};

// The rows to divide into folds, such that the runs do not depend on their order, and are the same
// for a row of weight 2 and for the row twice.
Table rows_for_folds(const Table& table, size_t folds, const Parallel& parallel,
                     const Control& control = {});

// `checkpoint`, where there is one, keeps the figures of finished runs, but not their frontiers.
// `each_tree` sees the tree of every run that was not finished before; several threads may call it.
CvOutcome cross_validate(const Table& table, const std::vector<Run>& runs,
                         const std::vector<Candidate>& candidates, uint64_t seed,
                         const Parallel& parallel, const Control& control,
                         const ClassCosts& class_costs = {}, const Checkpoint* checkpoint = nullptr,
                         const std::function<void(const Tree&)>& each_tree = {});

// The mean over runs that share training rows, with 95 % confidence (Nadeau & Bengio 2003: t
// distribution, the variance corrected by test / train rows); NaN with fewer than two values.
Interval mean_interval(const std::vector<double>& values, double test_to_train);

struct MeanSd {
  double mean, sd;  // sd with n - 1; 0 for one value. NaN values are left out.
};
MeanSd mean_sd(const std::vector<double>& values);

}  // namespace softwood

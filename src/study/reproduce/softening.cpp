// What soft thresholds change on all other sets: the same pruned tree hard and softened, on the
// test parts of a cross-validation.
#include <fmt/format.h>

#include <array>
#include <cmath>

#include "study/cv.h"
#include "study/reproduce/binomial.h"
#include "study/reproduce/experiment.h"

namespace softwood {
namespace {

constexpr uint64_t seed = 1;
constexpr size_t folds = 3;

constexpr std::array all_sets = {
    "breast_wisc",   "bupa",        "car",         "cmc",      "credit_approval",
    "german_credit", "iris",        "kr_vs_kp",    "letter",   "mushroom",
    "musk2",         "nursery",     "page_blocks", "pima",     "polyadenylation",
    "ringnorm",      "satellite47", "satimage",    "soybean",  "spambase",
    "tic_tac_toe",   "twonorm",     "vehicle",     "vote",     "wine",
    "abalone",       "add10",       "boston",      "concrete", "california_housing",
    "comp_activ",    "puma8fh",     "puma8fm",     "puma8nh",  "puma8nm",
};
constexpr std::array quick_sets = {"bupa",    "german_credit", "iris",   "pima",
                                   "vehicle", "wine",          "boston", "concrete"};

// A way to soften the tree that the first one leaves hard.
struct Column {
  std::string name, recipe;
  bool numbers;  // also for regression
};
const std::vector<Column>& columns() {
  static const std::vector<Column> table = {
      {"hard", "grow | prune", true},
      {"annealed", "grow | prune | soften by=anneal", true},
      {"interval", "grow | prune | soften by=interval", false},
  };
  return table;
}

// How often a column is better than the hard tree, and how often worse.
struct Tally {
  size_t wins = 0, losses = 0;
  void add(double ours, double hard) {
    const double tie = 1e-12 * std::fabs(hard);
    if (ours < hard - tie) ++wins;
    if (ours > hard + tie) ++losses;
  }
};

class Comparison {
 public:
  explicit Comparison(const ExperimentRequest& request) : request_(request) {
    table_ = {"softening",
              fmt::format("Pruned CART trees, hard and softened: means over {} folds (regression: "
                          "error is the share of the variance)",
                          folds),
              {"set", "tree", "error", "log-loss", "AUC", "leaves", "seconds"},
              {},
              {}};
    errors_.resize(columns().size());
    losses_.resize(columns().size());
  }

  void add(const std::string& set) {
    const std::optional<Prepared> prepared = read_set(request_, set);
    if (!prepared) return;
    const Table& table = prepared->table;
    const bool classes = table.schema().task() == Task::classification;
    std::vector<Candidate> candidates;
    for (const Column& column : columns()) {
      if (classes || column.numbers) candidates.push_back({"", Recipe::parse(column.recipe)});
    }
    const CvOutcome outcome = cross_validate(table, cross_validation_runs(table, folds, 1, seed),
                                             candidates, seed, request_.parallel, request_.control);
    size_t next = 0;
    for (size_t c = 0; c < columns().size(); ++c) {
      if (!classes && !columns()[c].numbers) continue;
      const CandidateResult& result = outcome.candidates[next++];
      const auto mean = [](const CandidateResult& of, const std::string& figure) {
        return mean_sd(of.figure(figure)).mean;
      };
      const std::string error = classes ? "error" : "nmse";
      table_.rows.push_back({set, columns()[c].name, fmt::format("{:.4f}", mean(result, error)),
                             classes ? fmt::format("{:.4f}", mean(result, "logloss")) : "-",
                             classes ? fmt::format("{:.4f}", mean(result, "auc")) : "-",
                             fmt::format("{:.0f}", mean(result, "leaves")),
                             fmt::format("{:.3f}", mean(result, "fit_seconds"))});
      errors_[c].add(mean(result, error), mean(outcome.candidates[0], error));
      if (classes) losses_[c].add(mean(result, "logloss"), mean(outcome.candidates[0], "logloss"));
    }
  }

  void publish() {
    for (size_t c = 1; c < columns().size(); ++c) {
      for (const bool of_errors : {true, false}) {
        const Tally& tally = of_errors ? errors_[c] : losses_[c];
        table_.notes.push_back(
            fmt::format("{} against hard, {}: better on {} sets, worse on {}, sign test p = {:.4f}",
                        columns()[c].name, of_errors ? "error" : "log-loss", tally.wins,
                        tally.losses, sign_test(tally.wins, tally.losses)));
      }
    }
    request_.publish(table_);
  }

 private:
  const ExperimentRequest& request_;
  ResultTable table_;
  std::vector<Tally> errors_, losses_;
};

}  // namespace

void reproduce_softening(const ExperimentRequest& request) {
  Comparison comparison(request);
  if (request.quick) {
    for (const char* set : quick_sets) comparison.add(set);
  } else {
    for (const char* set : all_sets) comparison.add(set);
  }
  comparison.publish();
}

}  // namespace softwood

// What soft thresholds change on all other sets: the same pruned tree hard and softened, on the
// test parts of a cross-validation.
#include <fmt/format.h>

#include <array>
#include <cmath>

#include "reproduce/experiment.h"
#include "study/cv.h"
#include "use/binomial.h"

namespace softwood {
namespace {

constexpr uint64_t seed = 1;
constexpr size_t folds = 3;

constexpr std::array all_sets = {
    "breast_wisc",
    "bupa",
    "car",
    "cmc",
    "credit_approval",
    "german_credit",
    "german_credit_numeric",
    "iris",
    "kr_vs_kp",
    "letter",
    "mushroom",
    "musk2",
    "nursery",
    "page_blocks",
    "pima",
    "polyadenylation",
    "ringnorm",
    "satellite47",
    "satimage",
    "soybean",
    "spambase",
    "tic_tac_toe",
    "twonorm",
    "vehicle",
    "vote",
    "wine",
    "abalone",
    "add10",
    "boston",
    "concrete",
    "california_housing",
    "comp_activ",
    "puma8fh",
    "puma8fm",
    "puma8nh",
    "puma8nm",
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
      {"gradient", "grow | prune | soften by=gradient", true},
      {"interval", "grow | prune | soften by=interval", false},
  };
  return table;
}

// What the columns are compared by: a figure of cross_validate().
struct Figure {
  std::string name, heading;
  bool larger_is_better;
};
const std::vector<Figure>& class_figures() {
  static const std::vector<Figure> table = {
      {"error", "error", false}, {"logloss", "log-loss", false}, {"auc", "AUC", true}};
  return table;
}
const std::vector<Figure>& number_figures() {
  static const std::vector<Figure> table = {{"nmse", "share of the variance", false}};
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

// The sets of one task.
class Comparison {
 public:
  Comparison(const ExperimentRequest& request, bool classes)
      : request_(request), figures_(classes ? class_figures() : number_figures()) {
    table_.name = classes ? "softening-classes" : "softening-numbers";
    table_.title = fmt::format("{}: pruned CART trees, hard and softened, means over {} folds",
                               classes ? "Classification" : "Regression", folds);
    table_.header = {"set", "tree"};
    for (const Figure& figure : figures_) table_.header.push_back(figure.heading);
    for (const char* more : {"leaves", "seconds"}) table_.header.emplace_back(more);
    for (const Column& column : columns()) {
      if (classes || column.numbers) columns_.push_back(column);
    }
    tallies_.assign(columns_.size(), std::vector<Tally>(figures_.size()));
  }

  void add(const std::string& set, const Table& table) {
    std::vector<Candidate> candidates;
    for (const Column& column : columns_) candidates.push_back({"", Recipe::parse(column.recipe)});
    const CvOutcome outcome = cross_validate(table, cross_validation_runs(table, folds, 1, seed),
                                             candidates, seed, request_.parallel, {});
    const auto mean = [&](size_t candidate, const std::string& figure) {
      return mean_sd(outcome.candidates[candidate].figure(figure)).mean;
    };
    for (size_t c = 0; c < columns_.size(); ++c) {
      std::vector<std::string> cells = {set, columns_[c].name};
      for (size_t f = 0; f < figures_.size(); ++f) {
        const double sign = figures_[f].larger_is_better ? -1 : 1;
        const double ours = mean(c, figures_[f].name), hard = mean(0, figures_[f].name);
        cells.push_back(fmt::format("{:.4f}", ours));
        tallies_[c][f].add(sign * ours, sign * hard);
      }
      cells.push_back(fmt::format("{:.0f}", mean(c, "leaves")));
      cells.push_back(fmt::format("{:.3f}", mean(c, "fit_seconds")));
      table_.rows.push_back(std::move(cells));
    }
  }

  void publish() {
    for (size_t c = 1; c < columns_.size(); ++c) {
      for (size_t f = 0; f < figures_.size(); ++f) {
        const Tally& tally = tallies_[c][f];
        table_.notes.push_back(
            fmt::format("{} against hard, {}: better on {} sets, worse on {}, sign test p = {:.2g}",
                        columns_[c].name, figures_[f].heading, tally.wins, tally.losses,
                        sign_test(tally.wins, tally.losses)));
      }
    }
    request_.publish(table_);
  }

 private:
  const ExperimentRequest& request_;
  const std::vector<Figure>& figures_;
  std::vector<Column> columns_;
  ResultTable table_;
  std::vector<std::vector<Tally>> tallies_;  // by column and figure
};

}  // namespace

void reproduce_softening(const ExperimentRequest& request) {
  const std::vector<std::string> sets(request.quick ? quick_sets.begin() : all_sets.begin(),
                                      request.quick ? quick_sets.end() : all_sets.end());
  Comparison classes(request, true), numbers(request, false);
  for (size_t i = 0; i < sets.size(); ++i) {
    request.control.report(sets[i], static_cast<double>(i), static_cast<double>(sets.size()));
    const std::optional<Prepared> prepared = read_set(request, sets[i]);
    if (!prepared) continue;
    const bool of_classes = prepared->table.schema().task() == Task::classification;
    (of_classes ? classes : numbers).add(sets[i], prepared->table);
  }
  classes.publish();
  numbers.publish();
}

}  // namespace softwood

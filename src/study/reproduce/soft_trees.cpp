// The tables of Irsoy, Yildiz & Alpaydin 2012, "Soft decision trees": the printed figures beside
// ours on the published folds. Each run trains on one half, validates on the other and tests on the
// fixed third.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <boost/math/distributions/binomial.hpp>
#include <cmath>

#include "study/cv.h"
#include "study/reproduce/experiment.h"

namespace softwood {
namespace {

constexpr double not_printed = missing_number;

// A row of the paper's tables: error as a share of the variance, or accuracy in %.
struct PublishedRow {
  const char* name;  // the paper's code
  const char* set;
  double soft, hard, ldt;
};

constexpr std::array<PublishedRow, 10> published_numbers = {{
    {"ABA", "abalone", 0.439, 0.557, not_printed},
    {"ADD", "add10", 0.094, 0.267, not_printed},
    {"BOS", "boston", 0.271, 0.344, not_printed},
    {"CAL", "california_housing", 0.312, 0.326, not_printed},
    {"COM", "comp_activ", 0.037, 0.046, not_printed},
    {"CON", "concrete", 0.264, 0.286, not_printed},
    {"8FH", "puma8fh", 0.383, 0.418, not_printed},
    {"8FM", "puma8fm", 0.057, 0.074, not_printed},
    {"8NH", "puma8nh", 0.388, 0.416, not_printed},
    {"8NM", "puma8nm", 0.054, 0.084, not_printed},
}};

constexpr std::array<PublishedRow, 10> published_classes = {{
    {"BRE", "breast_wisc", 95.34, 93.80, 95.09},
    {"GER", "german_credit_numeric", 75.74, 69.07, 74.16},
    {"MAG", "magic", 81.27, 84.09, 83.07},
    {"MUS", "musk2", 92.25, 94.62, 93.59},
    {"PIM", "pima", 70.85, 69.41, 76.89},
    {"POL", "polyadenylation", 77.41, 69.81, 77.45},
    {"RIN", "ringnorm", 88.94, 87.54, 77.25},
    {"SAT", "satellite47", 83.90, 84.01, 83.30},
    {"SPA", "spambase", 78.38, 90.14, 89.86},
    {"TWO", "twonorm", 97.92, 87.59, 98.00},
}};

// The best of the paper's columns: numbers are errors, classes accuracies.
double best_published(const PublishedRow& row, bool classes) {
  double best = row.soft;
  for (const double other : {row.hard, row.ldt}) {
    if (!std::isnan(other) && (classes ? other > best : other < best)) best = other;
  }
  return best;
}

// One of our columns, and what of the paper it has to reach; none: the best of all columns.
struct OurColumn {
  const char* method;
  double PublishedRow::*reference;
};

// Forests of 300 trees (experiments/peers.py).
constexpr std::array<const char*, 2> forests = {"forest-half", "forest-both"};

// On how many sets our mean is better and worse than a peer's.
struct Score {
  size_t wins = 0, losses = 0;
  void count(double lead) {
    wins += lead > 0 ? 1 : 0;
    losses += lead < 0 ? 1 : 0;
  }
  // Two-sided sign test: the probability of a score as uneven when both are as likely to win.
  double p() const {
    const size_t games = wins + losses;
    if (games == 0) return 1;
    const boost::math::binomial_distribution<double> even(static_cast<double>(games), 0.5);
    const auto fewer = static_cast<double>(std::min(wins, losses));
    return std::min(1.0, 2 * boost::math::cdf(even, fewer));
  }
  std::string text() const {
    return fmt::format("{} : {}, sign test p = {:.2g}", wins, losses, p());
  }
};

// The means over the sets, and on how many sets a method is behind the paper by more than one
// standard error of its own mean.
struct Tally {
  std::vector<double> means;
  size_t behind = 0;
  std::array<Score, forests.size()> against;
};

class PaperTable {
 public:
  PaperTable(const ExperimentRequest& request, Task task, std::vector<OurColumn> columns)
      : request_(request), classes_(task == Task::classification), columns_(std::move(columns)) {
    table_.name = classes_ ? "classification" : "regression";
    table_.title = classes_ ? "Accuracy in %, mean ± standard error over the runs"
                            : "Mean square error as a share of the target's variance, mean ± "
                              "standard error over the runs";
    table_.header = {"set", "paper soft", "paper hard"};
    if (classes_) table_.header.emplace_back("paper ldt");
    for (const OurColumn& column : columns_) {
      table_.header.emplace_back(column.method);
      table_.header.emplace_back("nodes");
      table_.header.emplace_back("parameters");
      table_.header.emplace_back("seconds");
      candidates_.push_back({column.method, Recipe::parse(find_method(column.method).recipe)});
    }
    for (const char* forest : forests) table_.header.emplace_back(forest);
    tallies_.resize(columns_.size());
    runs_ = {table_.name + "-runs",
             "",
             {"set", "method", "run", "value", "nodes", "parameters", "fit_seconds"},
             {},
             {},
             false};
  }

  void add(const PublishedRow& published) {
    const std::optional<Prepared> prepared = read_set(request_, published.set);
    if (!prepared) return;
    const std::vector<Run> runs = published_runs(request_, published.set, *prepared);
    const CvOutcome outcome = cross_validate(prepared->table, runs, candidates_, seed,
                                             request_.parallel, request_.control);
    std::vector<std::string> row = {published.name, cell(published.soft), cell(published.hard)};
    if (classes_) row.push_back(cell(published.ldt));
    std::array<double, forests.size()> peers;
    for (size_t f = 0; f < forests.size(); ++f) peers[f] = peer_mean(published.set, forests[f]);
    for (size_t c = 0; c < columns_.size(); ++c) {
      add_cells(row, published, columns_[c], outcome.candidates[c], tallies_[c]);
      for (size_t f = 0; f < forests.size(); ++f) {
        tallies_[c].against[f].count(lead(tallies_[c].means.back(), peers[f]));
      }
      add_runs(published.set, outcome.candidates[c]);
    }
    for (const double peer : peers) row.push_back(cell(peer));
    table_.rows.push_back(std::move(row));
  }

  void publish() {
    for (size_t c = 0; c < columns_.size(); ++c) {
      table_.notes.push_back(fmt::format(
          "{}: mean over {} sets {}, behind the paper by more than a standard error on {}",
          columns_[c].method, tallies_[c].means.size(), cell(mean_sd(tallies_[c].means).mean),
          tallies_[c].behind));
      for (size_t f = 0; f < forests.size(); ++f) {
        table_.notes.push_back(fmt::format("{} : {}: {}", columns_[c].method, forests[f],
                                           tallies_[c].against[f].text()));
      }
    }
    request_.publish(table_);
    request_.publish(runs_);
  }

 private:
  static constexpr uint64_t seed = 1;

  std::string cell(double value) const {
    return std::isnan(value) ? "-" : fmt::format("{:.{}f}", value, classes_ ? 2 : 3);
  }

  // How much better the first is.
  double lead(double ours, double theirs) const { return (classes_ ? 1 : -1) * (ours - theirs); }

  // NaN when nothing is known of it.
  double peer_mean(const std::string& set, const std::string& peer) const {
    const double mean =
        mean_sd(request_.peers.values("soft-trees", set, peer, classes_ ? "error" : "nmse")).mean;
    return classes_ ? 100 * (1 - mean) : mean;
  }

  void add_cells(std::vector<std::string>& row, const PublishedRow& published,
                 const OurColumn& column, const CandidateResult& result, Tally& tally) const {
    const MeanSd ours = mean_sd(values(result));
    const double error = ours.sd / std::sqrt(static_cast<double>(values(result).size()));
    row.push_back(fmt::format("{} ± {}", cell(ours.mean), cell(error)));
    row.push_back(fmt::format("{:.0f}", mean_sd(result.figure("nodes")).mean));
    row.push_back(fmt::format("{:.0f}", mean_sd(result.figure("parameters")).mean));
    row.push_back(fmt::format("{:.2f}", mean_sd(result.figure("fit_seconds")).mean));
    const double aim = column.reference != nullptr ? published.*column.reference
                                                   : best_published(published, classes_);
    tally.means.push_back(ours.mean);
    if (lead(ours.mean, aim) < -error) ++tally.behind;
  }

  void add_runs(const std::string& set, const CandidateResult& result) {
    const std::vector<double> list = values(result);
    for (size_t run = 0; run < list.size(); ++run) {
      runs_.rows.push_back({set, result.method, fmt::format("{}", run + 1),
                            fmt::format("{}", list[run]),
                            fmt::format("{}", result.figure("nodes")[run]),
                            fmt::format("{}", result.figure("parameters")[run]),
                            fmt::format("{:.3f}", result.figure("fit_seconds")[run])});
    }
  }

  std::vector<double> values(const CandidateResult& result) const {
    std::vector<double> list = result.figure(classes_ ? "accuracy" : "nmse");
    if (classes_) {
      for (double& value : list) value *= 100;
    }
    return list;
  }

  const ExperimentRequest& request_;
  bool classes_;
  std::vector<OurColumn> columns_;
  std::vector<Candidate> candidates_;
  std::vector<Tally> tallies_;
  ResultTable table_, runs_;
};

// Small sets, in the order of the paper.
bool is_quick(const PublishedRow& row) {
  const std::string set = row.set;
  return set == "boston" || set == "concrete" || set == "puma8fm" || set == "breast_wisc" ||
         set == "pima" || set == "satellite47";
}

}  // namespace

void reproduce_soft_trees(const ExperimentRequest& request) {
  PaperTable numbers(
      request, Task::regression,
      {{"soft", &PublishedRow::soft}, {"cart", &PublishedRow::hard}, {"soft-refined", nullptr}});
  for (const PublishedRow& row : published_numbers) {
    if (!request.quick || is_quick(row)) numbers.add(row);
  }
  numbers.publish();
  PaperTable classes(request, Task::classification,
                     {{"soft", &PublishedRow::soft},
                      {"c45", &PublishedRow::hard},
                      {"ldt", &PublishedRow::ldt},
                      {"soft-refined", nullptr}});
  for (const PublishedRow& row : published_classes) {
    if (!request.quick || is_quick(row)) classes.add(row);
  }
  classes.publish();
}

}  // namespace softwood

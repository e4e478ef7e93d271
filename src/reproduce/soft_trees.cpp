// The tables of Irsoy, Yildiz & Alpaydin 2012, "Soft decision trees": the printed figures beside
// ours on the published folds. Each run trains on one half, validates on the other and tests on the
// fixed third. Hard trees, which have no use for validation rows, are also fitted to both halves.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "base/text.h"
#include "reproduce/experiment.h"
#include "study/cv.h"
#include "use/binomial.h"

namespace softwood {
namespace {

// A column of the paper's tables: error as a share of the variance, or accuracy in %, and the
// number of nodes.
struct PublishedCell {
  double value;
  int nodes;
};
constexpr PublishedCell not_printed = {missing_number, 0};

struct PublishedRow {
  const char* name;  // the paper's code
  const char* set;
  PublishedCell soft, hard, ldt;
};

constexpr std::array<PublishedRow, 10> published_numbers = {{
    {"ABA", "abalone", {0.439, 7}, {0.557, 32}, not_printed},
    {"ADD", "add10", {0.094, 15}, {0.267, 202}, not_printed},
    {"BOS", "boston", {0.271, 11}, {0.344, 18}, not_printed},
    {"CAL", "california_housing", {0.312, 3}, {0.326, 201}, not_printed},
    {"COM", "comp_activ", {0.037, 5}, {0.046, 30}, not_printed},
    {"CON", "concrete", {0.264, 13}, {0.286, 69}, not_printed},
    {"8FH", "puma8fh", {0.383, 3}, {0.418, 40}, not_printed},
    {"8FM", "puma8fm", {0.057, 3}, {0.074, 92}, not_printed},
    {"8NH", "puma8nh", {0.388, 9}, {0.416, 52}, not_printed},
    {"8NM", "puma8nm", {0.054, 13}, {0.084, 144}, not_printed},
}};

constexpr std::array<PublishedRow, 10> published_classes = {{
    {"BRE", "breast_wisc", {95.34, 17}, {93.80, 47}, {95.09, 4}},
    {"GER", "german_credit_numeric", {75.74, 16}, {69.07, 142}, {74.16, 7}},
    {"MAG", "magic", {81.27, 17}, {84.09, 1072}, {83.07, 40}},
    {"MUS", "musk2", {92.25, 22}, {94.62, 202}, {93.59, 15}},
    {"PIM", "pima", {70.85, 26}, {69.41, 111}, {76.89, 5}},
    {"POL", "polyadenylation", {77.41, 21}, {69.81, 558}, {77.45, 5}},
    {"RIN", "ringnorm", {88.94, 368}, {87.54, 354}, {77.25, 4}},
    {"SAT", "satellite47", {83.90, 11}, {84.01, 163}, {83.30, 9}},
    {"SPA", "spambase", {78.38, 22}, {90.14, 155}, {89.86, 13}},
    {"TWO", "twonorm", {97.92, 41}, {87.59, 429}, {98.00, 3}},
}};

// The best of the paper's columns: errors in regression, accuracies in classification.
double best_published(const PublishedRow& row, bool classes) {
  double best = row.soft.value;
  for (const double other : {row.hard.value, row.ldt.value}) {
    if (!std::isnan(other) && (classes ? other > best : other < best)) best = other;
  }
  return best;
}

constexpr uint64_t soft_trees_seed = 1;

std::string shown(double value, bool classes) {
  return std::isnan(value) ? "-" : fmt::format("{:.{}f}", value, classes ? 2 : 3);
}
std::string shown(const PublishedCell& published, bool classes) {
  return fmt::format("{} ({})", shown(published.value, classes), published.nodes);
}

// One of our columns, and what of the paper it has to reach; none: the best of all columns.
struct OurColumn {
  const char* method;
  PublishedCell PublishedRow::*reference;
  bool both_halves = false;  // for training
  std::vector<std::string> settings = {};

  std::string name() const { return both_halves ? fmt::format("{}-both", method) : method; }
};

// Training on both halves, which are the same rows in all runs: one run.
std::vector<Run> on_both_halves(const std::vector<Run>& runs) {
  Run both = runs[0];
  both.train.insert(both.train.end(), both.validation.begin(), both.validation.end());
  std::sort(both.train.begin(), both.train.end());
  both.validation.clear();
  return {both};
}

// Forests of 300 trees (experiments/peers.py).
constexpr std::array<const char*, 2> forests = {"forest-half", "forest-both"};

// On how many sets our mean is better and worse than a peer's.
struct Score {
  size_t wins = 0, losses = 0;
  void count(double lead) {
    wins += lead > 0 ? 1 : 0;
    losses += lead < 0 ? 1 : 0;
  }
  std::string text() const {
    return fmt::format("{} : {}, sign test p = {:.2g}", wins, losses, sign_test(wins, losses));
  }
};

// The means over the sets, on how many sets a method is at least as good as the paper, and on how
// many behind it by more than one standard error of its own mean.
struct Tally {
  std::vector<double> means;
  size_t reached = 0;
  std::vector<std::string> behind;
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
    table_.header = {"set", "paper soft (nodes)", "paper hard (nodes)"};
    if (classes_) table_.header.emplace_back("paper ldt (nodes)");
    for (const OurColumn& column : columns_) {
      table_.header.push_back(column.name());
      table_.header.emplace_back("nodes");
      table_.header.emplace_back("parameters");
      table_.header.emplace_back("seconds");
      candidates_.push_back(
          {column.name(), Recipe::parse(find_method(column.method).recipe, column.settings)});
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

  // Whether our best tree has more nodes than the paper's soft one.
  bool add(const PublishedRow& published) {
    const std::optional<Prepared> prepared = read_set(request_, published.set);
    if (!prepared) return false;
    std::vector<Run> runs = published_runs(request_, published.set, *prepared);
    if (request_.quick) runs.resize(std::min(runs.size(), quick_runs));
    runs_of_set_ = runs.size();
    std::vector<std::string> row = {published.name, printed(published.soft),
                                    printed(published.hard)};
    if (classes_) row.push_back(printed(published.ldt));
    std::array<double, forests.size()> peers;
    for (size_t f = 0; f < forests.size(); ++f) peers[f] = peer_mean(published.set, forests[f]);
    double nodes = 0;
    for (size_t c = 0; c < columns_.size(); ++c) {
      const CandidateResult result = result_of(c, *prepared, runs);
      add_cells(row, published, columns_[c], result, tallies_[c]);
      for (size_t f = 0; f < forests.size(); ++f) {
        tallies_[c].against[f].count(lead(tallies_[c].means.back(), peers[f]));
      }
      add_runs(published.set, result);
      nodes = mean_sd(result.figure("nodes")).mean;
    }
    for (const double peer : peers) row.push_back(cell(peer));
    request_.control.say(join(row, "  "));
    table_.rows.push_back(std::move(row));
    return nodes > published.soft.nodes;
  }

  void publish() {
    table_.title += fmt::format(" ({} a set)", runs_of_set_);
    for (size_t c = 0; c < columns_.size(); ++c) {
      table_.notes.push_back(fmt::format(
          "{}: mean over {} sets {}; the paper's {} is reached on {}, missed {}on {}{}",
          columns_[c].name(), tallies_[c].means.size(), cell(mean_sd(tallies_[c].means).mean),
          columns_[c].reference == nullptr ? "best column" : "column", tallies_[c].reached,
          columns_[c].both_halves || runs_of_set_ < 2 ? "" : "by more than a standard error ",
          tallies_[c].behind.size(),
          tallies_[c].behind.empty() ? "" : ": " + join(tallies_[c].behind, " ")));
      for (size_t f = 0; f < forests.size(); ++f) {
        if (tallies_[c].against[f].wins + tallies_[c].against[f].losses == 0) continue;
        table_.notes.push_back(fmt::format("{} : {}: {}", columns_[c].name(), forests[f],
                                           tallies_[c].against[f].text()));
      }
    }
    table_.notes.emplace_back(
        "-both: one tree, fitted to the training and the validation half; cart-both with rule=min");
    if (!request_.peers.known()) {
      table_.notes.emplace_back("forests: no figures here; --peers FILE names them");
    }
    request_.publish(table_);
    request_.publish(runs_);
  }

 private:
  static constexpr size_t quick_runs = 2;

  CandidateResult result_of(size_t column, const Prepared& prepared,
                            const std::vector<Run>& runs) const {
    return cross_validate(
               prepared.table, columns_[column].both_halves ? on_both_halves(runs) : runs,
               {candidates_[column]}, soft_trees_seed, request_.parallel, request_.control)
        .candidates[0];
  }

  std::string cell(double value) const { return shown(value, classes_); }
  std::string printed(const PublishedCell& published) const { return shown(published, classes_); }

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
    row.push_back(cell(ours.mean));
    if (values(result).size() > 1) row.back() += " ± " + cell(error);
    row.push_back(fmt::format("{:.0f}", mean_sd(result.figure("nodes")).mean));
    row.push_back(fmt::format("{:.0f}", mean_sd(result.figure("parameters")).mean));
    row.push_back(fmt::format("{:.2f}", mean_sd(result.figure("fit_seconds")).mean));
    const double aim = column.reference != nullptr ? (published.*column.reference).value
                                                   : best_published(published, classes_);
    tally.means.push_back(ours.mean);
    tally.reached += lead(ours.mean, aim) >= 0 ? 1 : 0;
    if (lead(ours.mean, aim) < -error) tally.behind.emplace_back(published.name);
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
  size_t runs_of_set_ = 0;
};

// What smaller trees of soft-refined lose where the one it takes has more nodes than the paper's.
class SizeTable {
 public:
  explicit SizeTable(const ExperimentRequest& request) : request_(request) {
    table_.name = "sizes";
    table_.title =
        "Size against error, where soft-refined has more nodes than the paper's soft tree: full "
        "trees of a given depth, first run";
    table_.header = {"set", "paper soft (nodes)"};
    for (size_t depth = 0; depth <= most_depth; ++depth) {
      const size_t nodes = (size_t{2} << depth) - 1;
      table_.header.push_back(fmt::format("{} node{}", nodes, nodes == 1 ? "" : "s"));
      candidates_.push_back(
          {"soft-refined", Recipe::parse(find_method("soft-refined").recipe,
                                         {fmt::format("grow-soft.depth={}", depth)})});
    }
    table_.notes.emplace_back(
        "regression: mean square error as a share of the variance; classification: accuracy in %");
  }

  void add(const PublishedRow& published, bool classes) {
    const std::optional<Prepared> prepared = read_set(request_, published.set);
    if (!prepared) return;
    std::vector<Run> runs = published_runs(request_, published.set, *prepared);
    runs.resize(1);
    const CvOutcome outcome = cross_validate(prepared->table, runs, candidates_, soft_trees_seed,
                                             request_.parallel, request_.control);
    std::vector<std::string> row = {published.name, shown(published.soft, classes)};
    for (const CandidateResult& result : outcome.candidates) {
      const double value = classes ? 100 * result.figure("accuracy")[0] : result.figure("nmse")[0];
      row.push_back(shown(value, classes));
    }
    table_.rows.push_back(std::move(row));
  }

  void publish() const {
    if (!table_.rows.empty()) request_.publish(table_);
  }

 private:
  static constexpr size_t most_depth = 5;

  const ExperimentRequest& request_;
  std::vector<Candidate> candidates_;
  ResultTable table_;
};

// Small sets, in the order of the paper.
bool is_quick(const PublishedRow& row) {
  const std::string set = row.set;
  return set == "boston" || set == "concrete" || set == "puma8fm" || set == "breast_wisc" ||
         set == "pima" || set == "satellite47";
}

}  // namespace

void reproduce_soft_trees(const ExperimentRequest& request) {
  PaperTable numbers(request, Task::regression,
                     {{"soft", &PublishedRow::soft},
                      {"cart", &PublishedRow::hard},
                      {"cart", &PublishedRow::hard, true, {"prune.rule=min"}},
                      {"soft-refined", nullptr}});
  std::vector<std::pair<PublishedRow, bool>> larger;
  for (const PublishedRow& row : published_numbers) {
    if ((!request.quick || is_quick(row)) && numbers.add(row)) larger.emplace_back(row, false);
  }
  numbers.publish();
  PaperTable classes(request, Task::classification,
                     {{"soft", &PublishedRow::soft},
                      {"c45", &PublishedRow::hard},
                      {"c45", &PublishedRow::hard, true},
                      {"ldt", &PublishedRow::ldt},
                      {"soft-refined", nullptr}});
  for (const PublishedRow& row : published_classes) {
    if ((!request.quick || is_quick(row)) && classes.add(row)) larger.emplace_back(row, true);
  }
  classes.publish();
  if (request.quick) return;
  SizeTable sizes(request);
  for (const auto& [row, is_class] : larger) sizes.add(row, is_class);
  sizes.publish();
}

}  // namespace softwood

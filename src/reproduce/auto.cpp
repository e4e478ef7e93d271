// One tree chosen from all families, beside the methods that it chooses from and beside ensembles.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <map>
#include <memory>

#include "base/text.h"
#include "reproduce/experiment.h"
#include "softwood/error.h"
#include "study/cv.h"
#include "study/files.h"
#include "use/binomial.h"

namespace softwood {
namespace {

constexpr const char* experiment_name = "auto";
constexpr uint64_t seed = 1;
constexpr size_t folds = 5, quick_folds = 2;

const std::vector<std::string> quick_sets = {"boston", "breast_wisc", "bupa", "concrete",
                                             "iris",   "pima",        "vote", "wine"};
const std::vector<std::string> chosen_methods = {"auto", "auto-balanced", "auto-readable"};
constexpr const char* boosters[] = {"xgboost-300", "lightgbm-300"};
constexpr const char* better_booster = "the better of xgboost-300 and lightgbm-300";
const std::vector<std::string> single_methods = {"soft-refined", "cart", "c45"};

// Figures by set, method and name, one value per fold. Kept in a file like those of peers, line by
// line as folds are finished.
class Finished {
 public:
  Finished(const ExperimentRequest& request, size_t wanted) : folds_(wanted) {
    if (request.output.empty()) return;
    path_ = (std::filesystem::path(request.output) / "auto-folds.csv").string();
    if (!std::filesystem::exists(path_)) return;
    kept_ = PeerFigures::read(path_, request.parallel);
    for (const std::string& set : shared_sets()) {
      for (const std::string& method : kept_.methods(experiment_name, set)) load(set, method);
    }
  }

  bool has(const std::string& set, size_t fold, const std::string& method) const {
    const auto found = values_.find({set, method, "parameters"});
    return found != values_.end() && !std::isnan(found->second[fold]);
  }
  void add(const std::string& set, size_t fold, const std::string& method,
           const std::string& figure, double value) {
    auto& list = values_[{set, method, figure}];
    list.resize(folds_, missing_number);
    list[fold] = value;
  }
  void save() const {
    if (path_.empty()) return;
    FileOutput file(path_);
    file.write("experiment,set,run,method,figure,value\n");
    for (const auto& [key, list] : values_) {
      const auto& [set, method, figure] = key;
      for (size_t fold = 0; fold < list.size(); ++fold) {
        if (std::isnan(list[fold])) continue;
        file.write(fmt::format("{},{},{},{},{},{}\n", experiment_name, set, fold + 1, method,
                               figure, list[fold]));
      }
    }
    file.finish();
  }
  // Those of which everything is there.
  std::vector<size_t> folds(const std::string& set) const {
    std::vector<size_t> list;
    for (size_t fold = 0; fold < folds_; ++fold) {
      if (has(set, fold, chosen_methods.back()) && has(set, fold, "cart")) list.push_back(fold);
    }
    return list;
  }
  std::vector<double> values(const std::string& set, const std::string& method,
                             const std::string& figure) const {
    const auto found = values_.find({set, method, figure});
    return found == values_.end() ? std::vector<double>() : found->second;
  }

 private:
  static std::vector<std::string> figures() {
    return {"error",  "logloss",    "auc",         "nmse",     "mse",
            "leaves", "parameters", "fit_seconds", "expected", "expected_error"};
  }
  void load(const std::string& set, const std::string& method) {
    for (const std::string& figure : figures()) {
      std::vector<double> list = kept_.values(experiment_name, set, method, figure);
      if (list.empty()) continue;
      list.resize(folds_, missing_number);
      values_[{set, method, figure}] = list;
    }
  }
  friend class Folds;

  size_t folds_;
  std::string path_;
  PeerFigures kept_;
  std::map<std::tuple<std::string, std::string, std::string>, std::vector<double>> values_;
};

// Fits what is not finished yet.
class Folds {
 public:
  Folds(const ExperimentRequest& request, Finished& finished, std::string set,
        const Prepared& prepared, size_t wanted)
      : request_(request),
        finished_(finished),
        set_(std::move(set)),
        table_(prepared.table),
        runs_(cross_validation_runs(prepared.table, folds, 1, seed)) {
    write_rows(prepared);
    runs_.resize(wanted);
  }

  void run(size_t fold) {
    if (!finished_.has(set_, fold, chosen_methods.back())) choose(fold);
    for (const std::string& method : single_methods) {
      const bool for_classes = method == "c45";
      if (for_classes && table_.schema().task() == Task::regression) continue;
      if (!finished_.has(set_, fold, method)) fit(fold, method, find_method(method).recipe);
    }
    finished_.save();
    request_.control.say(fmt::format("{}: fold {} of {}", set_, fold + 1, runs_.size()));
  }

 private:
  // One run of auto; the trees of its other preferences are those that its frontier names.
  void choose(size_t fold) {
    const std::optional<Frontier> frontier = fit(fold, "auto", "auto");
    if (!frontier) return;
    finished_.add(set_, fold, "auto", "expected", frontier->estimate);
    finished_.add(set_, fold, "auto", "expected_error",
                  std::sqrt(frontier->standard_error * frontier->standard_error +
                            test_variance(*frontier, runs_[fold].test.size())));
    const auto recipe = [&](size_t point) { return frontier->points[point].recipe; };
    fit(fold, "auto-balanced", recipe(frontier->choices.balanced));
    fit(fold, "auto-readable", recipe(frontier->choices.readable));
  }

  // Test rows are few, too. The variance of the mean loss of so many: by the share of errors, or by
  // what the judging rows showed.
  double test_variance(const Frontier& frontier, size_t rows) const {
    const auto count = static_cast<double>(std::max<size_t>(1, rows));
    if (table_.schema().task() == Task::classification) {
      return frontier.estimate * (1 - frontier.estimate) / count;
    }
    const double error = frontier.points[frontier.chosen].standard_error;
    return error * error * static_cast<double>(frontier.rows) / count;
  }

  std::optional<Frontier> fit(size_t fold, const std::string& name, const std::string& recipe) {
    const CvOutcome outcome = cross_validate(table_, {runs_[fold]}, {{"", Recipe::parse(recipe)}},
                                             seed, request_.parallel, request_.control);
    const CandidateResult& result = outcome.candidates[0];
    for (const auto& [figure, values] : result.figures) {
      const std::vector<std::string> wanted = Finished::figures();
      if (std::find(wanted.begin(), wanted.end(), figure) == wanted.end()) continue;
      finished_.add(set_, fold, name, figure, values[0]);
    }
    return result.frontiers[0];
  }

  // A line for each row of the data file: the fold in which it is tested, 0 where it has no target.
  void write_rows(const Prepared& prepared) const {
    if (request_.output.empty()) return;
    const auto folder = std::filesystem::path(request_.output) / "auto-rows";
    std::filesystem::create_directories(folder);
    std::vector<size_t> fold_of(prepared.frame_rows, 0);
    for (size_t fold = 0; fold < runs_.size(); ++fold) {
      for (const RowIndex row : runs_[fold].test) {
        fold_of[prepared.kept_rows.empty() ? row : prepared.kept_rows[row]] = fold + 1;
      }
    }
    FileOutput file((folder / (set_ + ".csv")).string());
    file.write("fold\n");
    for (const size_t fold : fold_of) file.write(fmt::format("{}\n", fold));
    file.finish();
  }

  const ExperimentRequest& request_;
  Finished& finished_;
  std::string set_;
  const Table& table_;
  std::vector<Run> runs_;
};

// Means by set and method, ours and the peers'.
class Results {
 public:
  Results(const ExperimentRequest& request, const Finished& finished)
      : request_(request), finished_(finished) {}

  void add(const std::string& set, bool classes) {
    sets_.push_back({set, classes});
    for (const auto* const list : {&chosen_methods, &single_methods}) {
      for (const std::string& method : *list) note(method);
    }
    for (const std::string& peer : request_.peers.methods(experiment_name, set)) note(peer);
  }

  void publish() const {
    for (const bool classes : {true, false}) publish_means(classes);
    publish_wins();
    publish_estimates();
  }

 private:
  struct Set {
    std::string name;
    bool classes;
  };

  void note(const std::string& method) {
    if (std::find(methods_.begin(), methods_.end(), method) == methods_.end()) {
      methods_.push_back(method);
    }
  }

  double mean(const std::string& set, const std::string& method, const std::string& figure) const {
    std::vector<double> values = finished_.values(set, method, figure);
    if (values.empty()) values = request_.peers.values(experiment_name, set, method, figure);
    std::vector<double> known;
    for (const size_t fold : finished_.folds(set)) {
      if (fold >= values.size() || std::isnan(values[fold])) return missing_number;
      known.push_back(values[fold]);
    }
    return known.empty() ? missing_number : mean_sd(known).mean;
  }
  // `better_booster`: on each set the better of two.
  double mean_of(const std::string& set, const std::string& method,
                 const std::string& figure) const {
    if (method != better_booster) return mean(set, method, figure);
    const double first = mean(set, boosters[0], figure), second = mean(set, boosters[1], figure);
    return figure == "auc" ? std::max(first, second) : std::min(first, second);
  }
  double loss(const Set& set, const std::string& method) const {
    return mean_of(set.name, method, set.classes ? "error" : "nmse");
  }

  void publish_means(bool classes) const {
    ResultTable table;
    table.name = classes ? "auto-classes" : "auto-numbers";
    table.title = classes ? "Test error in %, mean over the folds (numbers of the tree)"
                          : "Squared error as a share of the target's variance, mean over the "
                            "folds (numbers of the tree)";
    table.header = {"set", "folds"};
    table.header.insert(table.header.end(), methods_.begin(), methods_.end());
    for (const Set& set : sets_) {
      if (set.classes != classes || finished_.folds(set.name).empty()) continue;
      std::vector<std::string> row = {set.name, std::to_string(finished_.folds(set.name).size())};
      for (const std::string& method : methods_) {
        const double value = loss(set, method), size = mean(set.name, method, "parameters");
        std::string cell = std::isnan(value) ? "-"
                           : classes         ? fmt::format("{:.2f}", 100 * value)
                                             : fmt::format("{:.4f}", value);
        if (!std::isnan(size)) cell += fmt::format(" ({:.0f})", size);
        row.push_back(std::move(cell));
      }
      table.rows.push_back(std::move(row));
    }
    request_.publish(table);
  }

  // Sets on which the first is better and worse than the second.
  std::string score(const std::string& first, const std::string& second,
                    const std::string& figure) const {
    size_t wins = 0, losses = 0;
    for (const Set& set : sets_) {
      const bool plain = figure == "error";
      if (!plain && !set.classes) continue;
      double a = plain ? loss(set, first) : mean_of(set.name, first, figure);
      double b = plain ? loss(set, second) : mean_of(set.name, second, figure);
      if (figure == "auc") {
        a = -a;
        b = -b;
      }
      wins += a < b ? 1 : 0;
      losses += a > b ? 1 : 0;
    }
    return wins + losses == 0
               ? "-"
               : fmt::format("{} : {} (p {:.2g})", wins, losses, sign_test(wins, losses));
  }

  void publish_wins() const {
    ResultTable table;
    table.name = "auto-wins";
    table.title = "Sets won and lost by auto, with sign tests, and over all sets";
    table.header = {"method",        "error or nmse", "logloss",       "auc",
                    "readable : it", "mean rank",     "median seconds"};
    const std::map<std::string, double> ranks = mean_ranks();
    for (const std::string& method : methods_) {
      std::vector<double> seconds;
      for (const Set& set : sets_) {
        const double value = mean(set.name, method, "fit_seconds");
        if (!std::isnan(value)) seconds.push_back(value);
      }
      std::sort(seconds.begin(), seconds.end());
      table.rows.push_back(
          {method, score("auto", method, "error"), score("auto", method, "logloss"),
           score("auto", method, "auc"), score("auto-readable", method, "error"),
           fmt::format("{:.2f}", ranks.at(method)),
           seconds.empty() ? "-" : fmt::format("{:.2f}", seconds[seconds.size() / 2])});
    }
    if (std::find(methods_.begin(), methods_.end(), boosters[1]) != methods_.end()) {
      const std::string both = better_booster;
      table.rows.push_back({both, score("auto", both, "error"), score("auto", both, "logloss"),
                            score("auto", both, "auc"), score("auto-readable", both, "error"), "-",
                            "-"});
    }
    request_.publish(table);
  }

  // Over the sets; methods without a figure of a set are left out there. Equal ones share a rank.
  std::map<std::string, double> mean_ranks() const {
    std::map<std::string, std::vector<double>> ranks;
    for (const Set& set : sets_) {
      for (const std::string& method : methods_) {
        const double own = loss(set, method);
        if (std::isnan(own)) continue;
        double rank = 1;
        for (const std::string& other : methods_) {
          if (other == method) continue;
          const double theirs = loss(set, other);
          if (theirs < own) rank += 1;
          if (theirs == own) rank += 0.5;
        }
        ranks[method].push_back(rank);
      }
    }
    std::map<std::string, double> means;
    for (const std::string& method : methods_) means[method] = mean_sd(ranks[method]).mean;
    return means;
  }

  // Whether what auto expects of new rows comes true, fold by fold.
  void publish_estimates() const {
    size_t within = 0, all = 0;
    double gaps = 0;
    for (const Set& set : sets_) {
      const auto of = [&](const char* figure) {
        return finished_.values(set.name, "auto", figure);
      };
      const auto expected = of("expected"), error = of("expected_error"),
                 found = of(set.classes ? "error" : "mse");
      for (size_t fold = 0; fold < std::min(expected.size(), found.size()); ++fold) {
        if (std::isnan(expected[fold]) || std::isnan(found[fold]) || !(error[fold] > 0)) continue;
        const double gap = (expected[fold] - found[fold]) / error[fold];
        within += std::abs(gap) <= 2 ? 1 : 0;
        gaps += gap;
        ++all;
      }
    }
    if (all == 0) return;
    ResultTable table;
    table.name = "auto-estimates";
    table.title = "The error that auto expects of new rows, and that of the test rows";
    table.header = {"folds", "within two standard errors", "mean gap in standard errors"};
    table.rows.push_back(
        {std::to_string(all),
         fmt::format("{:.1f} %", 100.0 * static_cast<double>(within) / static_cast<double>(all)),
         fmt::format("{:.2f}", gaps / static_cast<double>(all))});
    table.notes.emplace_back("standard errors of the difference: test rows are few, too");
    request_.publish(table);
  }

  const ExperimentRequest& request_;
  const Finished& finished_;
  std::vector<Set> sets_;
  std::vector<std::string> methods_;
};

}  // namespace

// The first folds of all sets first, small sets before large ones: a run that ends early has
// something of many sets.
void reproduce_auto(const ExperimentRequest& request) {
  const size_t wanted = request.quick ? quick_folds : std::min(folds, request.most_runs);
  Finished finished(request, folds);
  std::vector<std::unique_ptr<Prepared>> sets;
  std::vector<std::pair<size_t, std::unique_ptr<Folds>>> work;  // by cells
  Results results(request, finished);
  for (const std::string& set : request.quick ? quick_sets : shared_sets()) {
    std::optional<Prepared> prepared = read_set(request, set);
    if (!prepared) continue;
    sets.push_back(std::make_unique<Prepared>(std::move(*prepared)));
    const Table& table = sets.back()->table;
    work.emplace_back(table.rows() * (table.features() + table.schema().classes()),
                      std::make_unique<Folds>(request, finished, set, *sets.back(), wanted));
    results.add(set, table.schema().task() == Task::classification);
  }
  std::stable_sort(work.begin(), work.end(),
                   [](const auto& a, const auto& b) { return a.first < b.first; });
  try {
    for (size_t fold = 0; fold < wanted; ++fold) {
      for (const auto& [cells, of_set] : work) of_set->run(fold);
    }
  } catch (const Error& error) {
    if (error.kind() == ErrorKind::interrupted) results.publish();
    throw;
  }
  results.publish();
}

}  // namespace softwood

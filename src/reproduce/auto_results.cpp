// Tables of the experiment `auto` by set and method, and over all sets.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "reproduce/auto_figures.h"
#include "use/binomial.h"

namespace softwood::auto_experiment {
namespace {

struct Measure {
  std::string table, title, figure;
  bool classes, numbers, two_only;  // sets that it is shown for
  double unit;                      // shown as a multiple of it
  int digits;

  bool is_of(const Set& set) const {
    return (set.classes > 0 ? classes : numbers) && (!two_only || set.classes == 2);
  }
};

const std::vector<Measure>& measures() {
  static const std::vector<Measure> list = {
      {"classes", "Test error in %", "error", true, false, false, 100, 2},
      {"numbers", "Squared error as a share of the target's variance", "nmse", false, true, false,
       1, 4},
      {"logloss", "Log loss", "logloss", true, false, false, 1, 4},
      {"auc", "AUC of two classes", "auc", true, false, true, 1, 4}};
  return list;
}

void publish_sets(const Means& means, const Measure& measure, const std::string& prefix,
                  const std::string& suffix, const std::vector<std::string>& methods,
                  const std::vector<std::string>& notes) {
  const bool sizes = measure.figure == "error" || measure.figure == "nmse";
  ResultTable table;
  table.name = prefix + measure.table;
  table.title = fmt::format("{}{}, mean over the folds{}", measure.title, suffix,
                            sizes ? " (parameters)" : "");
  table.header = {"set", "folds"};
  table.header.insert(table.header.end(), methods.begin(), methods.end());
  table.notes = notes;
  for (const Set& set : means.sets()) {
    const size_t count = means.finished().complete_folds(set.name).size();
    if (!measure.is_of(set) || count == 0) continue;
    std::vector<std::string> row = {set.name, std::to_string(count)};
    for (const std::string& method : methods) {
      const double value = means.mean(set, method, measure.figure),
                   size = means.mean(set, method, "parameters");
      std::string cell =
          std::isnan(value) ? "-" : fmt::format("{:.{}f}", measure.unit * value, measure.digits);
      if (sizes && !std::isnan(size)) cell += fmt::format(" ({:.0f})", size);
      row.push_back(std::move(cell));
    }
    table.rows.push_back(std::move(row));
  }
  means.request().publish(table);
}

// Sets on which the first is better and worse than the second.
std::string score(const Means& means, const std::string& first, const std::string& second,
                  const std::string& figure, bool two_only = false) {
  size_t wins = 0, losses = 0;
  for (const Set& set : means.sets()) {
    if (figure != "loss" && set.classes == 0) continue;
    if (two_only && set.classes != 2) continue;
    const std::string of = figure == "loss" ? set.loss() : figure;
    double a = means.mean(set, first, of), b = means.mean(set, second, of);
    if (figure == "auc") std::swap(a, b);
    wins += a < b ? 1 : 0;
    losses += a > b ? 1 : 0;
  }
  return wins + losses == 0
             ? "-"
             : fmt::format("{} : {} (p {:.2g})", wins, losses, sign_test(wins, losses));
}

double median_seconds(const Means& means, const std::string& method) {
  std::vector<double> seconds;
  for (const Set& set : means.sets()) {
    const double value = means.mean(set, method, "fit_seconds");
    if (!std::isnan(value)) seconds.push_back(value);
  }
  std::sort(seconds.begin(), seconds.end());
  return seconds.empty() ? missing_number : seconds[seconds.size() / 2];
}

void publish_wins(const Means& means) {
  ResultTable table;
  table.name = "auto-wins";
  table.title = "Sets won and lost by auto, with sign tests, and over all sets";
  table.header = {"method",           "error or nmse", "logloss",   "auc",
                  "auc, two classes", "readable : it", "mean rank", "median seconds"};
  const std::map<std::string, double> ranks = means.ranks(means.methods());
  std::vector<std::string> methods = means.methods();
  if (means.has_method("xgboost-300") || means.has_method("lightgbm-300")) {
    methods.emplace_back(better_booster);
  }
  for (const std::string& method : methods) {
    const auto rank = ranks.find(method);
    const double seconds = median_seconds(means, method);
    table.rows.push_back(
        {method, score(means, "auto", method, "loss"), score(means, "auto", method, "logloss"),
         score(means, "auto", method, "auc"), score(means, "auto", method, "auc", true),
         score(means, "auto-readable", method, "loss"),
         rank == ranks.end() || std::isnan(rank->second) ? "-"
                                                         : fmt::format("{:.2f}", rank->second),
         method == better_booster || std::isnan(seconds) ? "-" : fmt::format("{:.2f}", seconds)});
  }
  table.notes = {
      "seconds: of the processor, peers without and ours with the prediction of the test rows;",
      "those of auto-balanced and auto-readable are of their last fit, as auto's run finds them"};
  means.request().publish(table);
}

void publish_own(const Means& means) {
  std::vector<std::string> methods, notes;
  for (const OwnMethod& method : own_methods()) {
    methods.push_back(method.name);
    if (!method.limits().empty()) {
      notes.push_back(fmt::format("{}: sets of at most {}", method.name, method.limits()));
    }
  }
  for (const size_t measure : {0, 1}) {
    publish_sets(means, measures()[measure], "auto-own-", " of single methods", methods, notes);
  }
}

}  // namespace

void publish_means(const Means& means) {
  for (const Measure& measure : measures()) {
    publish_sets(means, measure, "auto-", "", means.methods(), {});
  }
  publish_own(means);
  publish_wins(means);
}

}  // namespace softwood::auto_experiment

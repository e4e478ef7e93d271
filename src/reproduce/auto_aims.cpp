// What auto is held to, beside what the experiment found.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <optional>

#include "base/text.h"
#include "reproduce/auto_figures.h"
#include "study/cv.h"

namespace softwood::auto_experiment {
namespace {

constexpr double standard_errors = 2;

struct Share {
  size_t part = 0, all = 0;

  void count(bool of_it) {
    part += of_it ? 1 : 0;
    ++all;
  }
  std::string text() const {
    return fmt::format("{} of {} ({:.0f} %)", part, all,
                       100.0 * static_cast<double>(part) / static_cast<double>(all));
  }
};

// -1, 0 or 1: auto is behind, near or ahead by two standard errors of the differences over the
// folds, which share training rows (Nadeau & Bengio 2003). Nothing where fewer than two folds have
// both.
std::optional<int> paired(const Means& means, const Set& set, const std::string& method) {
  const auto own = means.finished().values(set.name, "auto", set.loss()),
             other = means.finished().values(set.name, method, set.loss());
  std::vector<double> differences;
  for (size_t fold = 0; fold < std::min(own.size(), other.size()); ++fold) {
    const double difference = own[fold] - other[fold];
    if (!std::isnan(difference)) differences.push_back(difference);
  }
  if (differences.size() < 2) return std::nullopt;
  const MeanSd found = mean_sd(differences);
  constexpr double test_to_train = 1.0 / (folds - 1);
  const double error =
      found.sd * std::sqrt(1 / static_cast<double>(differences.size()) + test_to_train);
  if (std::abs(found.mean) <= standard_errors * error) return 0;
  return found.mean < 0 ? 1 : -1;
}

Share publish_paired(const Means& means) {
  ResultTable table;
  table.name = "auto-paired";
  table.title = "auto and each single method: differences beyond two standard errors";
  table.header = {"method", "sets", "auto ahead", "auto behind", "behind on"};
  Share behind;
  for (const OwnMethod& method : own_methods()) {
    size_t sets = 0, ahead = 0;
    std::vector<std::string> lost;
    for (const Set& set : means.sets()) {
      const std::optional<int> sign = paired(means, set, method.name);
      if (!sign) continue;
      ++sets;
      ahead += *sign > 0 ? 1 : 0;
      if (*sign < 0) lost.push_back(set.name);
      behind.count(*sign < 0);
    }
    if (sets == 0) continue;
    table.rows.push_back({method.name, std::to_string(sets), std::to_string(ahead),
                          std::to_string(lost.size()), join(lost, " ")});
  }
  table.notes = {
      "over the folds, their variance corrected for training rows in common (Nadeau & "
      "Bengio 2003)"};
  means.request().publish(table);
  return behind;
}

// Whether auto-readable loses less than all of these that have a figure.
Share ahead_of_all(const Means& means, const std::vector<std::string>& methods) {
  Share share;
  for (const Set& set : means.sets()) {
    double best = missing_number;
    for (const std::string& method : methods) best = std::fmin(best, means.loss(set, method));
    const double own = means.loss(set, "auto-readable");
    if (!std::isnan(own) && !std::isnan(best)) share.count(own < best);
  }
  return share;
}

void publish_equal_sizes(const Means& means) {
  ResultTable table;
  table.name = "auto-equal-sizes";
  table.title =
      "auto-readable and the largest cart and c45 with no more parameters: loss (parameters)";
  table.header = {"set", "auto-readable"};
  for (const EqualSize& method : equal_sizes()) table.header.push_back(method.name);
  const auto cell = [&](const Set& set, const std::string& method) -> std::string {
    const double loss = means.loss(set, method);
    if (std::isnan(loss)) return "-";
    return fmt::format("{:.4f} ({:.0f})", loss, means.mean(set, method, "parameters"));
  };
  for (const Set& set : means.sets()) {
    if (std::isnan(means.loss(set, "auto-readable"))) continue;
    std::vector<std::string> row = {set.name, cell(set, "auto-readable")};
    for (const EqualSize& method : equal_sizes()) row.push_back(cell(set, method.name));
    table.rows.push_back(std::move(row));
  }
  table.notes = {"of the cost-complexity sequences, fold by fold"};
  means.request().publish(table);
}

// Whether what auto expects of new rows comes true, fold by fold.
Share publish_estimates(const Means& means) {
  Share within;
  double gaps = 0;
  for (const Set& set : means.sets()) {
    const auto of = [&](const char* figure) {
      return means.finished().values(set.name, "auto", figure);
    };
    const auto expected = of("expected"), error = of("expected_error"),
               found = of(set.classes > 0 ? "error" : "mse");
    for (size_t fold = 0; fold < std::min(expected.size(), found.size()); ++fold) {
      if (std::isnan(expected[fold]) || std::isnan(found[fold]) || !(error[fold] > 0)) continue;
      const double gap = (expected[fold] - found[fold]) / error[fold];
      within.count(std::abs(gap) <= standard_errors);
      gaps += gap;
    }
  }
  if (within.all == 0) return within;
  const auto all = static_cast<double>(within.all);
  ResultTable table;
  table.name = "auto-estimates";
  table.title = "The error that auto expects of new rows, and that of the test rows";
  table.header = {"folds", "within two standard errors", "mean gap in standard errors"};
  table.rows.push_back({std::to_string(within.all),
                        fmt::format("{:.1f} %", 100.0 * static_cast<double>(within.part) / all),
                        fmt::format("{:.2f}", gaps / all)});
  table.notes.emplace_back("standard errors of the difference: test rows are few, too");
  means.request().publish(table);
  return within;
}

Share publish_random_labels(const Means& means) {
  ResultTable table;
  table.name = "auto-random-labels";
  table.title = "Targets dealt out anew: the error that auto expects, and that of the baseline";
  table.header = {"set", "parameters", "expected", "±", "found", "baseline"};
  Share within;
  for (const Set& set : means.sets()) {
    const auto of = [&](const char* figure) {
      const auto values = means.finished().values(set.name, random_labels, figure);
      return values.empty() ? missing_number : values[0];
    };
    const double expected = of("expected"), error = of("expected_error"), baseline = of("baseline");
    if (std::isnan(expected) || std::isnan(baseline)) continue;
    table.rows.push_back(
        {set.name, number_text(of("parameters")), short_number(expected), short_number(error, 2),
         short_number(of(set.classes > 0 ? "error" : "mse")), short_number(baseline)});
    within.count(std::abs(expected - baseline) <= standard_errors * error);
  }
  table.notes = {
      "baseline: errors of the most frequent class, or the variance of the target, on "
      "the test rows"};
  means.request().publish(table);
  return within;
}

// Sets on which auto has the lower loss, or the better figure of two classes.
Share ahead(const Means& means, const std::string& method, const std::string& figure) {
  Share share;
  for (const Set& set : means.sets()) {
    if (figure != "loss" && set.classes != 2) continue;
    const std::string of = figure == "loss" ? set.loss() : figure;
    const double own = means.mean(set, "auto", of), other = means.mean(set, method, of);
    if (std::isnan(own) || std::isnan(other)) continue;
    share.count(figure == "auc" ? own > other : own < other);
  }
  return share;
}

// Of a method's figure to that of soft-refined, by set; empty figure: the loss.
std::vector<double> ratios(const Means& means, const std::string& method,
                           const std::string& figure) {
  std::vector<double> list;
  for (const Set& set : means.sets()) {
    const std::string of = figure.empty() ? set.loss() : figure;
    const double own = means.mean(set, method, of), other = means.mean(set, "soft-refined", of);
    if (std::isnan(own) || std::isnan(other)) continue;
    list.push_back(own == other ? 1 : own / other);  // both may be 0
  }
  return list;
}

// NaN: there is none.
double median(std::vector<double> list) {
  if (list.empty()) return missing_number;
  std::sort(list.begin(), list.end());
  const size_t half = list.size() / 2;
  return list.size() % 2 == 1 ? list[half] : (list[half - 1] + list[half]) / 2;
}

Share at_most(const std::vector<double>& list, double most) {
  Share share;
  for (const double one : list) share.count(one <= most);
  return share;
}

class Aims {
 public:
  explicit Aims(const Means& means) : means_(means) {
    table_.name = "auto-aims";
    table_.title = "What is asked of auto";
    table_.header = {"figure", "found", "aim"};
  }

  void add(const std::string& figure, const Share& found, const std::string& aim) {
    if (found.all > 0) table_.rows.push_back({figure, found.text(), aim});
  }
  void add(const std::string& figure, double found, const std::string& aim) {
    if (!std::isnan(found)) table_.rows.push_back({figure, fmt::format("{:.2f}", found), aim});
  }
  void publish() {
    const auto folder = std::filesystem::path(means_.request().output) / "auto-frontiers";
    if (!means_.request().output.empty() && std::filesystem::exists(folder)) {
      table_.notes.push_back(fmt::format("pictures of the frontiers of first folds: {}",
                                         (folder / "SET.svg").string()));
    }
    means_.request().publish(table_);
  }

 private:
  const Means& means_;
  ResultTable table_;
};

// Its mean rank where the trees of its other preferences are left out.
double rank_of_auto(const Means& means) {
  std::vector<std::string> methods;
  for (const std::string& method : means.methods()) {
    if (method != preferences()[1] && method != preferences()[2]) methods.push_back(method);
  }
  return means.ranks(methods).at("auto");
}

}  // namespace

void publish_aims(const Means& means) {
  Aims aims(means);
  aims.add("sets won against forest-300", ahead(means, "forest-300", "loss"),
           "at least 75 %, better 85 %");
  const std::string booster = better_booster;
  aims.add("sets won against " + booster, ahead(means, booster, "loss"), "at least 60 %");
  aims.add("behind single methods by two standard errors", publish_paired(means), "at most 5 %");
  for (const char* const figure : {"logloss", "auc"}) {
    aims.add(fmt::format("two classes: ahead of {}, {}", booster, figure),
             ahead(means, booster, figure), "at least 50 %");
  }
  publish_equal_sizes(means);
  std::vector<std::string> equal;
  for (const EqualSize& method : equal_sizes()) equal.push_back(method.name);
  aims.add("readable ahead of cart and c45 of equal size", ahead_of_all(means, equal),
           "at least 90 %");
  aims.add("readable ahead of cart and c45 of any size", ahead_of_all(means, {"cart", "c45"}),
           "at least 75 %");
  aims.add("median ratio of the losses of readable and soft-refined",
           median(ratios(means, "auto-readable", "")), "at most 1.10");
  aims.add("mean rank, its other preferences left out", rank_of_auto(means), "at most 3.0");
  aims.add("expected error within two standard errors", publish_estimates(means), "at least 95 %");
  aims.add("random labels: expected error is the baseline's", publish_random_labels(means), "all");
  constexpr double most_seconds = 4;
  const std::vector<double> seconds = ratios(means, "auto", "fit_seconds");
  aims.add("sets with at most 4 times the processor seconds of soft-refined",
           at_most(seconds, most_seconds), "all");
  aims.add("median of these times", median(seconds), "at most 4");
  aims.publish();
}

}  // namespace softwood::auto_experiment

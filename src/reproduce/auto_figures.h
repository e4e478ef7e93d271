// What the experiment `auto` found: figures of every fold, kept in a file, and their means.
#pragma once

#include <functional>
#include <map>
#include <string>
#include <tuple>
#include <vector>

#include "reproduce/experiment.h"
#include "tree/frontier.h"

namespace softwood::auto_experiment {

constexpr const char* name = "auto";
constexpr uint64_t seed = 1;
constexpr size_t folds = 5, quick_folds = 2;

// Its other two preferences are trees of the same run's frontier.
const std::vector<std::string>& preferences();   // "auto", "auto-balanced", "auto-readable"
const std::vector<std::string>& main_methods();  // that stand beside it in every table

// A method of ours and where it is fitted: what is slow there is left out.
struct OwnMethod {
  std::string name;
  bool only_classes = false;
  size_t most_rows = static_cast<size_t>(-1);
  size_t most_numbers = static_cast<size_t>(-1);  // numeric inputs

  bool suits(const Table& table) const;
  std::string limits() const;  // for a note; empty: none
};
// All that are compared, the main ones among them.
const std::vector<OwnMethod>& own_methods();

// The largest trees of their pruning sequences with no more parameters than auto-readable.
struct EqualSize {
  std::string name, recipe;
  bool only_classes;
};
const std::vector<EqualSize>& equal_sizes();
// Sets that are also fitted with their targets permuted, and the name of auto there.
const std::vector<std::string>& random_sets();
constexpr const char* random_labels = "auto-random-labels";

// The point of the frontier whose tree prefer=readable would take, as far as the frontier shows it:
// that of its choice, or, as the tree of all rows may be larger than those that were judged, the
// best of the others whose tree `can_be_read`; where there is none the smallest. Points are asked
// about in this order; the answer is the last one.
size_t readable_point(const Frontier& frontier, size_t classes,
                      const std::function<bool(size_t)>& can_be_read);

// Figures by set, method and name, one value per fold. Kept in a file like those of peers, with a
// last column that says which version of the experiment and of the program made the line.
class Finished {
 public:
  explicit Finished(const ExperimentRequest& request);

  bool has(const std::string& set, size_t fold, const std::string& method) const;
  void add(const std::string& set, size_t fold, const std::string& method,
           const std::string& figure, double value);
  void save() const;
  // Those of which all that every table needs is there.
  std::vector<size_t> complete_folds(const std::string& set) const;
  // By fold, NaN where there is none; empty: no fold has it.
  std::vector<double> values(const std::string& set, const std::string& method,
                             const std::string& figure) const;

 private:
  void load(const std::string& text);

  std::string path_;  // empty: nothing is kept
  std::map<std::tuple<std::string, std::string, std::string>, std::vector<double>> values_;
};

struct Set {
  std::string name;
  size_t classes;  // 0: a numeric target

  const char* loss() const { return classes > 0 ? "error" : "nmse"; }
};

// Means over the finished folds, ours and those of peers. NaN where a fold lacks the figure.
class Means {
 public:
  Means(const ExperimentRequest& request, const Finished& finished, std::vector<Set> sets);

  const std::vector<Set>& sets() const { return sets_; }
  // Preferences, main methods and peers.
  const std::vector<std::string>& methods() const { return methods_; }
  bool has_method(const std::string& method) const;
  double mean(const Set& set, const std::string& method, const std::string& figure) const;
  double loss(const Set& set, const std::string& method) const {
    return mean(set, method, set.loss());
  }
  const Finished& finished() const { return finished_; }
  const ExperimentRequest& request() const { return request_; }
  // Over the sets; a method without a figure of a set is left out there. Equal ones share a rank.
  std::map<std::string, double> ranks(const std::vector<std::string>& methods) const;

 private:
  double mean_of_folds(const Set& set, const std::string& method, const std::string& figure) const;

  const ExperimentRequest& request_;
  const Finished& finished_;
  std::vector<Set> sets_;
  std::vector<std::string> methods_;
};

// In place of a method: on each set the better of two, or the one that is there.
constexpr const char* better_booster = "the better of xgboost-300 and lightgbm-300";

void publish_means(const Means& means);  // tables of sets and methods, wins and ranks
void publish_aims(const Means& means);   // what targets ask for, each beside its aim

}  // namespace softwood::auto_experiment

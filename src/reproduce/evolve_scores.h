// What the tables of `reproduce evolve` are made with.
#pragma once

#include <chrono>
#include <cstdint>
#include <ctime>
#include <string>
#include <vector>

#include "base/options.h"
#include "data/table.h"
#include "reproduce/experiment.h"
#include "stages/recipe.h"

namespace softwood {

Recipe recipe_of(const std::string& method, const std::vector<std::string>& settings = {});

// One draw of a generator: rows to train with, and others to test with, drawn with another seed.
struct Draw {
  Table train, test;
};
Draw draw(const std::string& generator, const Options::Pairs& options,
          const Options::Pairs& test_options, uint64_t seed);

// Seconds since it was made: that passed, and that all threads together worked, which other work on
// the machine hardly changes.
class Timer {
 public:
  double passed() const {
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - start_).count();
  }
  double worked() const {
    return static_cast<double>(std::clock() - worked_before_) / CLOCKS_PER_SEC;
  }

 private:
  std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
  std::clock_t worked_before_ = std::clock();
};

// What came of trees, one value each.
struct Scores {
  std::vector<double> accuracy, nodes, seconds, worked, training;  // accuracies in %

  std::string accuracy_text() const { return spread(accuracy, 1); }
  std::string nodes_text() const { return spread(nodes, 1); }
  static std::string spread(const std::vector<double>& values, int digits);
};

// Runs of repeated stratified cross-validation over some rows.
std::vector<Run> runs_over(const Table& table, std::span<const RowIndex> rows, size_t folds,
                           size_t repeats);

// In %.
double accuracy_on(const Tree& tree, const Table& table, std::span<const RowIndex> rows,
                   const Parallel& parallel);
// Trains with a recipe and adds what came of it.
void score(const ExperimentRequest& request, const Recipe& recipe, const Table& train_rows,
           const Table& test_rows, uint64_t seed, Scores& scores);
// How many times longer evtree worked, as text.
std::string times_faster(double evtree_seconds, const std::vector<double>& worked);

// Table 1, figures 4 and 5, and boards among noise.
void reproduce_boards(const ExperimentRequest& request);
void reproduce_alpha(const ExperimentRequest& request);
// How much longer evtree works.
void reproduce_evtree_times(const ExperimentRequest& request);

}  // namespace softwood

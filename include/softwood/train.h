// Training, more stages on a finished model, and comparison by cross-validation.
#pragma once

#include <atomic>
#include <chrono>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "softwood/data.h"
#include "softwood/model.h"
#include "softwood/progress.h"

namespace softwood {

// What long work says to its caller and asks it. Callbacks run in one thread at a time, not always
// the caller's, and must not throw.
struct Controls {
  std::function<void(const Progress&)> progress;
  // Called with every note when it is made; all of them are in the result as well.
  std::function<void(const Note& note)> note;
  // Work ends soon after one of them is true. Stages that work step by step (evolve, grow-soft,
  // refine, soften) return their best tree, where it has a split and was fitted to all rows;
  // otherwise there is an Error of kind `interrupted`. `stop` is asked by any thread, often: it
  // should do no more than look at something.
  std::function<bool()> stop;
  const std::atomic<bool>* stop_flag = nullptr;
  // After this time such stages end with their best tree; where there is none yet, it is an Error
  // of kind `failure`. Others work to their end. Infinite: none.
  std::optional<std::chrono::duration<double>> budget;
};

// How much classes count, and what wrong answers cost; all by the names of classes.
struct ClassSettings {
  std::map<std::string, double> weights;  // classes that are not named weigh 1
  std::map<std::string, double> priors;   // instead of weights: all classes, sum 1
  // costs[actual][predicted]; errors that are not named cost 1, right answers nothing.
  std::map<std::string, std::map<std::string, double>> costs;
};

struct TrainSettings {
  // A method of method_table(), or a recipe: "grow min-leaf=5 | prune rule=min". Neither: cart;
  // both are an Error.
  std::string method, recipe;
  std::vector<std::string> settings;  // laid over it: "grow.min-leaf=5"
  // The same data, recipe and seed give the same model, whatever the number of threads.
  uint64_t seed = 1;
  int threads = 0;                    // 0: as many as the machine has
  std::optional<DataSet> validation;  // rows by which stages choose; DataSet::from_like
  // The folds of stages that cross-validate, as `prune` does; empty: they make their own. Row
  // numbers are those of the data set.
  struct Split {
    std::vector<size_t> train, test;
  };
  std::vector<Split> splits;
  ClassSettings classes;
  Controls controls;
  // A file in which long stages keep their state, and from which the same training goes on.
  std::string checkpoint;
};

struct TrainResult {
  TreeModel model;
  std::vector<std::pair<std::string, double>> seconds;  // by stage, in order
  Stopped stopped = Stopped::converged;
  NoteList notes;     // what stages chose and found, and the warnings
  NoteList warnings;  // settings without effect, rows or cells that were not taken as they are
};

TrainResult train(const DataSet& data, const TrainSettings& settings = {});

// More stages on a finished model: `settings.recipe` says which. A method, class settings (those of
// the model stay) and a checkpoint (no stage that goes on from one works on a tree) are an Error.
// The data have the schema of the model and all its columns (DataSet::from_to_evaluate).
TrainResult rework(const TreeModel& model, const DataSet& data, const TrainSettings& settings);

// What is compared: a method, or a recipe; neither: cart.
struct CvCandidate {
  std::string method, recipe;
  std::vector<std::string> settings;
};

struct CvSettings {
  std::vector<CvCandidate> candidates = {{}};
  size_t folds = 10, repeats = 1;
  // Instead of folds and repeats: for each run the rows to test with, all others train.
  std::vector<std::vector<size_t>> test_rows;
  uint64_t seed = 1;
  int threads = 0;
  ClassSettings classes;
  Controls controls;
};

// All figures of one candidate, one value per run: those of TreeModel::evaluate, and "nodes",
// "leaves", "depth", "parameters", "fit_seconds".
struct CvFigures {
  std::string method, recipe;
  std::map<std::string, std::vector<double>> figures;
};

// The corrected resampled t test (Nadeau & Bengio 2003) of two candidates.
struct CvComparison {
  size_t first = 0, second = 0;
  double difference = 0;  // mean of first - second in error, cost (where there are costs) or mse
  double p = 0;           // NaN: not defined
};

struct CvResult {
  std::vector<CvFigures> candidates;
  std::vector<CvComparison> comparisons;
};

// Every candidate on the same folds, which are stratified and depend neither on threads
// nor on the order of rows; a row of weight 2 is the row twice.
CvResult cross_validate(const DataSet& data, const CvSettings& settings = {});

}  // namespace softwood

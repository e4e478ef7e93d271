// The experiments of the papers, run again: one file an experiment, and one line in the table.
#pragma once

#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/control.h"
#include "base/parallel.h"
#include "data/folds.h"
#include "data/frame.h"
#include "reproduce/peers.h"

namespace softwood {

// A table of results. People see it aligned, scripts as NAME.csv.
struct ResultTable {
  std::string name;   // of the file, without its ending
  std::string title;  // what it shows, one line
  std::vector<std::string> header;
  std::vector<std::vector<std::string>> rows;
  std::vector<std::string> notes;  // lines below it
  bool printed = true;             // false: details for scripts, only written

  std::string text() const;
  std::string csv() const;
};

struct ExperimentRequest {
  std::string data;  // the folder of the data sets
  bool quick;        // a part of it, in about two minutes
  size_t most_runs;  // of each set, where there are published folds
  const PeerFigures& peers;
  const Parallel& parallel;
  const Control& control;
  // Takes each table as soon as it is there, so that a long run that ends early has shown what it
  // found.
  std::function<void(const ResultTable&)> publish;
  std::string output = {};  // the folder of the tables; empty: they are only printed
  // Of the experiments that take some: files of the folder without their ending; empty: the usual.
  std::vector<std::string> sets = {};
};

struct Experiment {
  std::string name;
  std::string summary;  // one line
  std::string source;
  std::string details;  // sentences: what is done, what it needs, what it prints
  void (*run)(const ExperimentRequest& request);
  bool takes_sets = false;
};

// The table of experiments.
std::span<const Experiment> experiments();
const Experiment& find_experiment(std::string_view name);  // usage Error with the nearest name

// All data sets of the folder, by name.
const std::vector<std::string>& shared_sets();
// A data set of the folder, its target in the last column; nothing, with a note, when it is not
// there.
std::optional<Prepared> read_set(const ExperimentRequest& request, const std::string& name);
// The published folds of a set: splits/NAME.csv of the folder; the first ones when fewer are
// wanted.
std::vector<Run> published_runs(const ExperimentRequest& request, const std::string& name,
                                const Prepared& prepared);

void reproduce_evolve(const ExperimentRequest& request);
void reproduce_evolve_options(const ExperimentRequest& request);
void reproduce_evolve_price(const ExperimentRequest& request);
void reproduce_soft_trees(const ExperimentRequest& request);
void reproduce_greedy(const ExperimentRequest& request);
void reproduce_magic(const ExperimentRequest& request);
void reproduce_softening(const ExperimentRequest& request);
void reproduce_auto(const ExperimentRequest& request);

}  // namespace softwood

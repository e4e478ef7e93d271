// All numbers of a finished tree, tuned together.
#pragma once

#include "base/control.h"
#include "base/options.h"
#include "base/parallel.h"
#include "gradient/compile.h"

namespace softwood::gradient {

struct TuneSettings {
  std::string name;  // of the stage and its kind, for notes
  CompileOptions compile;
  // How soft hard gates are at first, in place of compile.softness; the best on the held-out
  // rows is taken.
  std::vector<double> softness = {0.5};
  Freedom freedom;
  Schedule schedule;
  std::optional<Loss> loss;          // none: the usual one
  std::vector<double> decays = {0};  // the best on the held-out rows is taken, too
  size_t starts = 1;                 // the tree as it is, and others near it; the best, too
  // What the held-out rows must gain for a tree to be changed that is soft already: so many
  // standard errors of it. The best of many checks is a little better by chance.
  double clear_gain = 0;
  double hold_out = 0.2;
  bool refit = true;  // once more with the held-out rows
  // How long to train is found out with a tree that the recipe makes without the held-out rows;
  // else these have already had a part in the tree that they judge.
  bool regrow = false;
  // Share of the held-out loss that steeper gates may cost; none: gates are as steep as is best.
  std::optional<double> sharpen;
};

// What a tree is tuned with.
struct TuneTask {
  Sample training;
  std::optional<Sample> validation;
  uint64_t seed;
  const Parallel& parallel;
  const Control& control;
  // Makes such a tree from other rows of the training table; empty: nobody can.
  std::function<Tree(std::span<const RowIndex>, const Parallel&)> rerun;
};

struct Tuned {
  Tree tree;
  Stopped stopped = Stopped::converged;
};

// The tree with the same shape that answers the held-out rows best; the given one when none does
// better.
Tuned tune(const TuneTask& task, const Tree& tree, const TuneSettings& settings);

// Options of every stage that tunes by=gradient.
OptionSpec tuning_steps_option();
OptionSpec hold_out_option();

// Steps that a tree of this many rows is tuned with.
size_t tuning_steps(size_t rows, size_t batch);

}  // namespace softwood::gradient

// Recipes: parsed from text, printed as text, run.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "stages/stage.h"

namespace softwood {

struct Step {
  const Stage* stage;
  Options options;

  StageTraits traits() const { return traits_with(stage->traits, options); }
  // The stage as messages call it.
  std::string label() const {
    const StageTraits known = traits();
    return known.label.empty() ? stage->name : known.label;
  }
};

class Recipe {
 public:
  // "grow criterion=gini min-leaf=5 | prune by=cost-complexity". `settings` are "stage.key=value"
  // texts laid over it; each must name a stage of the recipe. With `on_tree` the first stage works
  // on a finished tree, otherwise it must be one that starts a tree.
  static Recipe parse(const std::string& text, const std::vector<std::string>& settings = {},
                      bool on_tree = false);

  const std::vector<Step>& steps() const { return steps_; }
  std::string text() const;
  bool anytime() const;  // has a stage that can stop early
  bool resumes() const;  // has a stage that keeps a checkpoint
  Recipe first(size_t count) const;
  // This recipe and then the other one.
  Recipe then(const Recipe& more) const;

 private:
  std::vector<Step> steps_;
};

struct Method {
  std::string name;
  std::string recipe;
  std::string help;                         // one sentence
  std::string source;                       // the publication it follows
  std::vector<std::string> elsewhere = {};  // names of other programs for it, in lower case
};
// The table of methods.
std::span<const Method> methods();
const Method& find_method(std::string_view name);

struct Trained {
  Tree tree;
  StageReport report;
  std::vector<std::pair<std::string, double>> seconds;  // one per stage name, summed, in order
  // A stage was stopped where no setting would stop it again: the recipe may give another tree.
  bool by_the_clock = false;
};

struct Training {
  Derived& derived;
  std::span<const RowIndex> rows;
  std::optional<Sample> validation;
  uint64_t seed = 1;
  bool only_use = false;           // nobody else uses `derived`, now or later
  std::vector<double> costs = {};  // of wrong answers (costs.h); empty: every error costs 1
  const Checkpoint* checkpoint = nullptr;
  std::span<const Run> runs = {};      // of stages that cross-validate; empty: they make their own
  CodedCache* coded = nullptr;         // shared with reruns; null: run_recipe makes one
  const MergedRows* merged = nullptr;  // instead of the rows (see Context); null: there are rows
};

// Stages learn from every row, so each needs an answer that the tree has a place for: a data Error
// where one has no target, or is of a class that the schema does not have.
void check_targets(const Table& table, std::span<const RowIndex> rows);

// Runs the recipe. With a `tree`, its first `finished` steps are taken as done and gave that tree;
// they are run again only where a stage asks for a rerun on other rows.
Trained run_recipe(const Recipe& recipe, const Training& training, const Parallel& parallel,
                   const Control& control, std::optional<Tree> tree = std::nullopt,
                   size_t finished = 0);

}  // namespace softwood

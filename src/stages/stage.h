// A stage takes the data and the tree so far and returns a tree; a recipe is stages in a row; a
// method is a recipe with a name.
#pragma once

#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/bytes.h"
#include "base/control.h"
#include "base/options.h"
#include "base/parallel.h"
#include "data/folds.h"
#include "data/sample.h"
#include "data/sorted.h"
#include "engine/merged.h"
#include "softwood/note.h"
#include "tree/model.h"

namespace softwood {

struct LoweredTree;

// What stages find out besides the tree.
struct StageReport {
  std::optional<ComplexityTable> complexity;
  std::optional<Frontier> frontier;
  Stopped stopped = Stopped::converged;
  bool part_of_rows = false;  // a stage was stopped before its tree was fitted to all rows
  bool validation_used = false;
  // What the stages would have taken longer without work that others had done for them.
  double spared_seconds = 0;
  // When stages were stopped early: the settings ("evolve.generations=137") with which the recipe
  // gives the same tree again, or none where no setting does. The model's recipe has them.
  std::vector<std::string> repeat_settings;
};

// Rows by which a stage may choose. Taking them is noted, so that it can be told when no stage did.
class ValidationRows {
 public:
  ValidationRows(std::optional<Sample> sample, bool& used) : sample_(sample), used_(&used) {}

  explicit operator bool() const { return sample_.has_value(); }
  const Sample& operator*() const {
    *used_ = true;
    return *sample_;
  }
  const Sample* operator->() const { return &**this; }
  // They count as used where there are some.
  std::optional<Sample> take() const { return *this ? std::optional(**this) : std::nullopt; }

 private:
  std::optional<Sample> sample_;
  bool* used_;
};

// The state of a long stage, so that a run that was ended can go on as if it had not been.
struct Checkpoint {
  Bytes saved;                             // by an earlier run; empty: there is none
  std::function<void(const Bytes&)> save;  // takes the state now and then, and when stopped
};

struct Context {
  Derived& derived;  // the training table and what was computed from it
  bool last_use;     // of `derived`: what was computed may be taken out of it
  std::span<const RowIndex> rows;
  ValidationRows validation;
  const Options& options;
  uint64_t seed;
  const Parallel& parallel;
  const Control& control;
  StageReport& report;
  // Runs the recipe up to (not including) this stage on other rows of the same table.
  std::function<Tree(std::span<const RowIndex>, const Parallel&)> rerun;
  // What wrong answers cost (costs.h); empty: every error costs 1. The tree that a stage returns
  // gets them by itself.
  std::span<const double> costs = {};
  const Checkpoint* checkpoint = nullptr;  // of stages that can go on; null: nobody wants one
  // The caller's, for a stage that cross-validates; empty: it makes its own.
  std::span<const Run> runs = {};
  // Coded rows of the whole training, of which `rows` are some; null: nobody shares them.
  CodedCache* coded = nullptr;
  // Rows that were merged elsewhere, instead of those of the table; null: the table has them.
  const MergedRows* merged = nullptr;

  const Table& table() const { return derived.table(); }
};

// Whether a stage judges the tree by rows that the tree has not seen.
enum class UnseenRows {
  unused,
  useful,  // it judges the tree as it is by them where there are some
  needed   // without them it holds some rows out and has the tree made again from the others
};

// Why a stage can't work, and what to do instead.
struct Refusal {
  std::string why;  // "{}" stands for the name of the earlier stage
  std::string hint;
};

// What recipes know of a stage before it runs.
struct StageTraits {
  std::string label = {};               // for messages: "prune by=reduced-error"; empty: its name
  std::optional<Task> only_task = {};   // the one that it serves; none: both
  bool asks_monotone = false;           // for answers that are monotone in some inputs
  bool breaks_monotone = false;         // may change answers that are
  bool makes_soft = false;              // gates divide rows, leaves are trained with them
  bool makes_hard = false;              // every row has one path again
  std::optional<Refusal> on_soft = {};  // can't work on what makes_soft leaves
  UnseenRows unseen_rows = UnseenRows::unused;
  // Of rows without missing values it sums nothing but the weights of classes: these sums are exact
  // in any order where weights are whole numbers.
  bool counts_only = false;
  // The same of numeric targets: it sums them and their deviations exactly.
  bool sums_exactly = false;
  // All its sums are of whole numbers: exact in any order, whatever the weights, and where cells
  // are missing.
  bool whole_sums = false;
  // May divide the rows: into the folds that its option of that name says, or into two parts.
  bool divides_rows = false;
  // Neither sorts columns nor has the tree made again from other rows.
  bool leaves_columns = false;
};

// Parts for stages that hold a share of the rows out.
constexpr size_t parts_of_shares = 10;

// Traits that a stage has where its options meet the conditions (see OptionNeed); none: always.
struct TraitRule {
  std::string when;
  StageTraits traits;
};
// What the rules that apply say together; of two labels, tasks or refusals the later one counts.
StageTraits traits_with(std::span<const TraitRule> rules, const Options& options);

// A word of other programs for an option that has no counterpart of nearly that name here
// (OptionSpec::elsewhere has those), or for one of the values of an option.
struct ForeignWord {
  std::string option;
  std::string value;  // empty: whatever it is
  Advice advice;      // what to write instead
};

struct Stage {
  std::string name;
  std::string help;
  std::vector<OptionSpec> options;
  Tree (*run)(Context&, Tree);
  bool starts = false;   // makes a tree from nothing: can only be first
  bool anytime = false;  // asks control.should_stop() and then returns its best tree so far
  bool resumes = false;  // keeps a checkpoint and goes on from one
  bool chooses = false;  // among trees, and reports the frontier that it chose from
  std::vector<TraitRule> traits = {};
  std::vector<ForeignWord> foreign_words = {};
  // Adds what the options say about the finished tree to its lowered form; null: nothing.
  void (*describe)(const Options&, const Schema&, LoweredTree&) = nullptr;
};

// The table of stages.
std::span<const Stage> stages();
const Stage& find_stage(std::string_view name);  // usage Error with the nearest name

}  // namespace softwood

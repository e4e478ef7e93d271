// A tree from rows that are elsewhere. A training says what the parts of the rows are to do next,
// takes the merged answer, and goes on: the decisions are those of one machine, from sums that do
// not depend on how the rows are divided. How requests and answers travel is the caller's business.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "cluster/deal.h"
#include "cluster/forest.h"
#include "cluster/messages.h"
#include "cluster/part_summary.h"
#include "cluster/quantile_search.h"
#include "stages/prune/prune.h"
#include "stages/recipe.h"

namespace softwood::cluster {

// What is asked of whom.
enum class PassKind : uint8_t {
  raw,               // each part of the raw rows answers in pieces, which are decided by piece
  code,              // each part of the raw rows becomes coded rows, which are kept
  facts,             // what coding found out, merged
  grow,              // as `raw` by the coded rows; what is decided by piece is also kept there
  coded,             // each part of the coded rows answers, answers are merged
  exchange,          // coded rows change parts and are merged there, and these are kept
  deal,              // coded rows get their folds, and these are kept
  finish,            // rows of nodes come together, each node's in one place; answers are merged
  validation_facts,  // as `facts`, of the validation rows, which are coded with the others
  validation,        // as `coded`, by the validation rows
};
std::string_view pass_name(PassKind kind);

struct Pass {
  PassKind kind;
  Bytes request;
};

struct TrainingPlan {
  std::string method;  // empty: a recipe was given
  Recipe recipe;
  uint64_t seed = 1;
  ColumnRoles roles;
  // The costs of wrong answers, when the classes are known; empty: every error costs 1.
  std::function<std::vector<double>(const Schema&)> costs;
  bool validation = false;  // there are validation rows
  size_t parts = 1;         // that rows are exchanged between
  size_t small_rows = 0;    // nodes of so few rows are finished in one place; 0: by their number
  size_t most_merged = 200000;  // different rows that a tree is evolved from
  // Cells of histograms that a part counts in one pass, about: 256 MB. A level with more of them
  // takes several passes.
  size_t most_cells = size_t{1} << 25;
};

// Whether rows need not come together: growing by bins, and cost-complexity pruning after it, or
// evolving by bins, for which equal rows are merged. Else a usage Error says why not, where the
// recipe begins with growing by bins.
bool is_for_parts(const Recipe& recipe);
// Whether it is evolving by bins.
bool is_evolved(const Recipe& recipe);

class Training {
 public:
  Training(TrainingPlan plan, const Control& control);
  Training(const Training&) = delete;
  Training& operator=(const Training&) = delete;

  // None: the model is there.
  std::optional<Pass> next();
  // The answers to the pass: by piece, or some that are merged here; of passes that have none
  // (code, exchange, deal) empty.
  void take(std::span<const ByteView> answers);
  // Into how many pieces answers are cut by columns.
  size_t pieces() const { return pieces_; }
  Model model();
  size_t grown_passes() const { return growing_passes_; }

 private:
  enum class Phase : uint8_t {
    summary,
    counts,
    code,
    facts,
    validation_facts,
    exchange,
    count_deal,
    deal,
    merge,
    grow,
    finish,
    judge,
    validate,
    done
  };

  void take_merged_answers(std::span<const ByteView> answers);
  void take_summary(const PartSummary& summary);
  void take_findings(const ColumnFindings& findings);
  void after_counts();
  void take_facts(const CodingFacts& facts);
  void after_coding();
  void prepare_growth();
  void prepare_evolution();
  void take_merged(const RowMerger& merger);
  void start_growth();
  bool ask_trees();
  void take_growth(GrowthAnswer answer);
  Bytes growth_request() const;
  Bytes finish_request();
  void take_parts(TreeParts all);
  void after_growth();
  bool judge_all();
  size_t deviation_questions() const;
  JudgeQuestion judge_question(size_t number) const;
  Bytes judge_request();
  Bytes validation_request();
  void take_judgement(ForestJudgement judgement);
  void choose_by_folds(std::span<const JudgeAnswer> unseen);
  void finish_model();
  size_t folds_wanted() const;
  size_t bins_wanted() const;
  const Step* prune_step() const;
  bool evolves() const;

  const TrainingPlan plan_;
  const Control& control_;
  const size_t pieces_;
  Phase phase_ = Phase::summary;
  Schema schema_;
  uint64_t rows_ = 0, weighing_ = 0;
  bool whole_weights_ = true;
  double weight_ = 0;
  CountQuestion question_;
  RowCoding coding_;
  std::string fingerprint_;
  DealSettings deal_;
  Dealing dealing_;
  std::vector<double> costs_;
  std::vector<std::unique_ptr<grow::BinnedGrowth>> trees_;
  ForestQuestion forest_;  // what the trees wait for
  CodingFacts validation_;
  std::vector<std::vector<grow::BinnedGrowth::SmallNode>> small_;
  size_t growing_passes_ = 0;
  std::vector<Tree> fold_trees_;  // canonical
  std::vector<fit::UnseenQuery> unseen_;
  std::vector<JudgeAnswer> judged_;  // so far
  std::optional<prune::CostComplexity> pruning_;
  std::optional<Tree> tree_;
  std::optional<ComplexityTable> complexity_;
};

}  // namespace softwood::cluster

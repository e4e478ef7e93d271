#include "stages/prune/prune.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <mutex>

#include "data/convert.h"
#include "data/folds.h"
#include "data/summary.h"
#include "softwood/error.h"
#include "stages/kinds.h"
#include "stages/prune/merge.h"
#include "stages/prune/pessimistic.h"
#include "stages/prune/reduced_error.h"
#include "tree/edit.h"
#include "tree/leaf.h"

namespace softwood::prune {
namespace {

double weight_of(const Table& table, std::span<const RowIndex> rows) {
  ExactSum weight;
  for (const RowIndex row : rows) weight.add(table.weight(row));
  return weight.value();
}

constexpr Named<fit::Sequence> sequences[] = {{"weakest-link", fit::Sequence::weakest_link},
                                              {"rpart", fit::Sequence::rpart}};
constexpr Named<fit::Risk> risks[] = {{"error", fit::Risk::error},
                                      {"gini", fit::Risk::gini},
                                      {"entropy", fit::Risk::entropy},
                                      {"variance", fit::Risk::variance}};
constexpr Named<bool> one_se_rules[] = {{"1se", true}, {"min", false}};
constexpr Named<bool> yes_or_no[] = {{"yes", true}, {"no", false}};
constexpr Named<Impurity> impurities[] = {{"entropy", Impurity::entropy},
                                          {"gini", Impurity::gini},
                                          {"misclassification", Impurity::misclassification}};

void refuse_other_task(fit::Risk risk, Task task) {
  const bool classes = task == Task::classification;
  if (risk == fit::Risk::error || (risk == fit::Risk::variance) != classes) return;
  throw Error(ErrorKind::usage,
              fmt::format("prune risk={} is for {}", classes ? "variance" : "gini and entropy",
                          classes ? "regression" : "classification"));
}

// The caller's runs where all training rows are there, else folds of the rows.
std::vector<Run> runs_of(const Context& context) {
  if (!context.runs.empty() && context.rows.size() == context.table().rows()) {
    return {context.runs.begin(), context.runs.end()};
  }
  const auto folds = std::min(context.options.count("folds"), context.rows.size());
  const std::vector<uint32_t> fold_of =
      stratified_folds(context.table(), context.rows, folds, context.seed);
  return runs_of_folds(context.rows, fold_of, folds);
}

Tree by_cost_complexity(Context& context, Tree tree) {
  CostComplexity pruning(context.options, std::move(tree), context.control);
  if (pruning.is_chosen()) {
    // by its alpha
  } else if (context.validation) {
    const Sample& sample = *context.validation;
    pruning.choose(fit::sequence_errors(pruning.tree(), pruning.alphas(), *sample.table,
                                        sample.rows, sample.rows, context.control),
                   weight_of(*sample.table, sample.rows));
  } else if (pruning.table().rows.size() > 1) {
    cross_validate_table(pruning.table(), runs_of(context), pruning.sequence(), context);
    pruning.choose_best();
  }
  context.report.complexity = pruning.table();
  return std::move(pruning).pruned();
}

// The smallest tree of the weakest-link sequence whose errors on the training rows are at most one
// standard error of a proportion above those of the tree itself, as C5.0 prunes in the end
// (release 2.07; Quinlan has not described it in print).
Tree pruned_globally(Tree tree, const Control& control) {
  fit::note_alphas(tree, fit::Sequence::weakest_link, control);
  const ComplexityTable table = fit::complexity_table(tree);
  const double scale = table.root_error > 0 ? table.root_error : 1;
  const double errors = table.rows.back().error * scale;
  const double most = errors + std::sqrt(errors * std::max(0.0, 1 - errors / table.root_weight));
  constexpr double rounding = 1e-9;
  const auto row = std::find_if(table.rows.begin(), table.rows.end(), [&](const auto& entry) {
    return entry.error * scale <= most * (1 + rounding);
  });
  return fit::pruned_at(std::move(tree), row->cp);
}

Tree by_pessimistic_errors(Context& context, Tree tree) {
  if (tree.task() != Task::classification) {
    throw Error(ErrorKind::usage, "prune by=pessimistic is for classification", {},
                "use by=cost-complexity");
  }
  const bool global = context.options.choice("global", yes_or_no);
  if (global && !tree.costs().empty()) {
    throw Error(ErrorKind::usage, "prune global=yes counts errors, not costs", {},
                "leave global=yes or the costs out");
  }
  Tree pruned = pruned_pessimistically(
      std::move(tree), context.table(), context.rows,
      {context.options.real("cf"), context.options.choice("raise", yes_or_no)}, context.control);
  return global ? pruned_globally(std::move(pruned), context.control) : pruned;
}

// By the validation rows where there are some. Otherwise by a part of the training rows, for which
// a tree is made from the others; all training rows are then counted in what is left of it.
Tree by_reduced_error(Context& context, Tree tree) {
  if (context.validation) {
    return pruned_by_reduced_error(std::move(tree), *context.validation, context.control);
  }
  if (context.rows.size() < 2) return tree;
  const std::vector<char> inside =
      stratified_part(context.table(), context.rows, context.options.real("share"), context.seed);
  std::vector<RowIndex> held_out, others;
  for (size_t i = 0; i < inside.size(); ++i) {
    (inside[i] != 0 ? held_out : others).push_back(context.rows[i]);
  }
  if (held_out.empty() || others.empty()) {
    throw Error(ErrorKind::data,
                fmt::format("prune share={} of {} leaves no row to {}",
                            context.options.text("share"), counted(context.rows.size(), "row"),
                            held_out.empty() ? "prune by" : "learn from"));
  }
  Tree pruned = pruned_by_reduced_error(context.rerun(others, context.parallel),
                                        {&context.table(), held_out}, context.control);
  count_rows(pruned, context.table(), held_out);
  return pruned;
}

Tree by_simplifying(Context& context, Tree tree) {
  return simplified(std::move(tree), context.control);
}

Tree by_impurity(Context& context, Tree tree) {
  return merged_by_impurity(std::move(tree), context.options.choice("impurity", impurities),
                            context.options.real("epsilon"), context.control);
}

const std::vector<StageKind>& kinds() {
  static const std::vector<StageKind> table = {
      {"cost-complexity", by_cost_complexity}, {"pessimistic", by_pessimistic_errors},
      {"reduced-error", by_reduced_error},     {"simplify", by_simplifying},
      {"impurity-merge", by_impurity},
  };
  return table;
}

}  // namespace

CostComplexity::CostComplexity(const Options& options, Tree tree, const Control& control)
    : tree_(std::move(tree)),
      sequence_(options.choice("sequence", sequences)),
      one_se_(options.choice("rule", one_se_rules)) {
  const fit::Risk risk = options.choice("risk", risks);
  refuse_other_task(risk, tree_.task());
  tree_.canonicalise();
  const std::vector<double> risk_of = fit::risks_of(tree_, risk);
  fit::note_alphas(tree_, risk_of, sequence_, control);
  table_ = fit::complexity_table(tree_, risk_of);
  if (!options.has_number("alpha")) return;
  chosen_ = true;
  double alpha = options.real("alpha");
  if (risk != fit::Risk::error && table_.root_error > 0) {
    // From impurity per row to a share of the root's. An alpha that was printed is met again.
    constexpr double rounding = 1e-10;
    alpha *= table_.root_weight / table_.root_error * (1 + rounding);
  }
  // The row whose tree is best at this alpha: the first with a cost not above it.
  while (table_.chosen > 0 && table_.rows[table_.chosen - 1].cp <= alpha) --table_.chosen;
}

std::vector<double> CostComplexity::alphas() const {
  std::vector<double> alphas;
  for (const ComplexityRow& row : table_.rows) alphas.push_back(row.cp);
  return alphas;
}

void CostComplexity::choose(const fit::SequenceErrors& errors, double weight) {
  fit::set_cross_validated(table_, errors, weight);
  choose_best();
}

void CostComplexity::choose_best() { table_.chosen = fit::best_row(table_, one_se_); }

Tree CostComplexity::pruned() && {
  return fit::pruned_at(std::move(tree_), table_.rows[table_.chosen].cp);
}

std::vector<Run> runs_of_folds(std::span<const RowIndex> rows, std::span<const uint32_t> fold_of,
                               size_t folds) {
  std::vector<Run> runs(folds);
  for (size_t i = 0; i < rows.size(); ++i) {
    for (size_t fold = 0; fold < folds; ++fold) {
      (fold_of[i] == fold ? runs[fold].test : runs[fold].train).push_back(rows[i]);
    }
  }
  return runs;
}

void cross_validate_table(ComplexityTable& table, std::span<const Run> runs, fit::Sequence sequence,
                          const Context& context) {
  std::vector<fit::SequenceErrors> by_run(runs.size());
  std::mutex reporting;
  size_t done = 0;
  const auto all = static_cast<double>(runs.size());
  context.control.report("cross-validating", 0, all);
  context.parallel.each(runs.size(), [&](size_t i) {
    context.control.throw_if_interrupted();
    const Run& run = runs[i];
    if (run.train.empty() || run.test.empty()) return;
    Tree tree = context.rerun(run.train, context.parallel);
    fit::note_alphas(tree, sequence, context.control);
    const std::vector<double> here = fit::alphas_for(tree, table);
    by_run[i] =
        fit::sequence_errors(tree, here, context.table(), run.test, context.rows, context.control);
    const std::lock_guard lock(reporting);
    context.control.report("cross-validating", static_cast<double>(++done), all);
  });
  const size_t rows = table.rows.size();
  fit::SequenceErrors sum{std::vector<double>(rows), std::vector<double>(rows)};
  ExactSum weight;
  for (const fit::SequenceErrors& errors : by_run) fit::add_errors(sum, errors);
  for (const Run& run : runs) {
    for (const RowIndex row : run.test) weight.add(context.table().weight(row));
  }
  fit::set_cross_validated(table, sum, weight.value());
}

Tree run(Context& context, Tree tree) {
  if (tree.leaf_plan().has_trained_models()) {
    throw Error(ErrorKind::usage,
                "prune judges leaves by the rows that reach them, but the leaves of this tree were "
                "trained by gradients together with its gates",
                {}, "prune before that; grow-soft makes smaller trees with depth= or prefer=size");
  }
  context.control.throw_if_interrupted();
  if (leaf_plan_name(tree.leaf_plan()) == "median") {
    context.control.say(
        "prune: splits are judged by squared errors of means, though leaves answer medians: some "
        "that lower the absolute error may be cut");
  }
  return run_kind(kinds(), context, std::move(tree));
}

std::vector<OptionSpec> options() {
  const std::vector<std::string> names = kind_names(kinds());
  return {
      {.name = "by",
       .type = OptionType::choice,
       .fallback = "cost-complexity",
       .help = "how leaves are chosen for cutting",
       .choices = names},
      {.name = "folds",
       .type = OptionType::integer,
       .fallback = "10",
       .help =
           "folds of the cross-validation that chooses alpha; with validation rows those choose",
       .low = 2,
       .high = 1000,
       .only_with = "by=cost-complexity alpha=auto",
       .python = "cv"},
      {.name = "rule",
       .type = OptionType::choice,
       .fallback = "1se",
       .help = "1se: the smallest tree within one standard error of the best; min: the best",
       .choices = names_of(one_se_rules),
       .only_with = "by=cost-complexity alpha=auto"},
      {.name = "sequence",
       .type = OptionType::choice,
       .fallback = "weakest-link",
       .help = "weakest-link: the exact sequence of best subtrees; rpart: the alphas that rpart "
               "computes",
       .choices = names_of(sequences),
       .only_with = "by=cost-complexity"},
      {.name = "risk",
       .type = OptionType::choice,
       .fallback = "error",
       .help = "what a leaf must lower: errors or costs, of numbers the squared error (error); or, "
               "as in scikit-learn, the impurity by which the tree was grown, alpha then being in "
               "its units per training row",
       .choices = names_of(risks),
       .only_with = "by=cost-complexity",
       .needs = {{"risk!=error", "alpha!=auto", "cross-validation counts errors"}}},
      {.name = "alpha",
       .type = OptionType::real,
       .fallback = "auto",
       .help = "cost of a leaf as a share of the root's error (CP of the table), instead of "
               "choosing it",
       .low = 0,
       .high = 1e18,
       .only_with = "by=cost-complexity",
       .elsewhere = {"cp"},
       .word = "auto",
       .python = "ccp_alpha"},
      {.name = "cf",
       .type = OptionType::real,
       .fallback = "0.25",
       .help = "confidence of the errors expected of a leaf; smaller prunes more",
       .low = 1e-6,
       .high = 0.5,
       .only_with = "by=pessimistic",
       .elsewhere = {"confidence"}},
      {.name = "raise",
       .type = OptionType::choice,
       .fallback = "yes",
       .help = "a node may be replaced by its heaviest branch, which gets all its rows",
       .choices = names_of(yes_or_no),
       .only_with = "by=pessimistic",
       .python = "subtree_raising"},
      {.name = "global",
       .type = OptionType::choice,
       .fallback = "no",
       .help = "afterwards the weakest branches are cut until the errors on the training rows have "
               "risen by one standard error, as C5.0 does",
       .choices = names_of(yes_or_no),
       .only_with = "by=pessimistic",
       .python = "global_pruning"},
      {.name = "share",
       .type = OptionType::real,
       .fallback = "0.3333",
       .help = "share of the training rows that is held out to prune by; with validation rows "
               "those are",
       .low = 0,
       .high = 1,
       .only_with = "by=reduced-error"},
      {.name = "epsilon",
       .type = OptionType::real,
       .fallback = "0.01",
       .help = "leaves are joined when the impurity per row grows by less than this",
       .low = 0,
       .high = 1e18,
       .only_with = "by=impurity-merge"},
      {.name = "impurity",
       .type = OptionType::choice,
       .fallback = "entropy",
       .help = "impurity of classes; in regression it is the variance as a share of the root's",
       .choices = names_of(impurities),
       .only_with = "by=impurity-merge"},
  };
}

}  // namespace softwood::prune

#include "stages/grow/grow.h"
#include "fit/leaf_learners.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/text.h"
#include "data/typical.h"
#include "softwood/error.h"
#include "stages/grow/binned.h"
#include "stages/grow/data_points.h"
#include "stages/grow/exact.h"
#include "stages/grow/splitter.h"
#include "stages/grow/statistics.h"

namespace softwood::grow {

namespace {

// Weights count as rows; weights that sum to 1, say, leave nothing to split.
void note_small_weight(const Context& context) {
  double weight = 0;
  for (const RowIndex row : context.rows) weight += context.table().weight(row);
  const double least =
      std::max(context.options.real("min-split"), 2 * context.options.real("min-leaf"));
  if (context.table().weighted() && context.rows.size() > 1 && weight < least_weight(least)) {
    context.control.say(
        fmt::format("all rows together weigh {:.4g}, less than the {:.4g} that a split needs: the "
                    "tree is one leaf "
                    "(weights count as rows; use larger ones, or a smaller min-split and min-leaf)",
                    weight, least));
  }
}

// Cuts and the sides of levels are drawn: nothing is left for these to decide.
void check_drawn(const Options& options, MissingValues missing) {
  const auto refuse = [](const std::string& option) {
    throw Error(ErrorKind::usage,
                fmt::format("split=random does not work with {}: cuts and the sides of levels are "
                            "drawn",
                            option),
                {}, "leave it out");
  };
  if (missing == MissingValues::learned || missing == MissingValues::separate) {
    refuse("missing=" + options.text("missing"));
  }
  if (nominal_option(options) != NominalSplit::subset) refuse("nominal=" + options.text("nominal"));
  if (chooses_by_ratio(options)) refuse("criterion=gain-ratio");
  if (options.text("threshold") != "halfway") refuse("threshold=" + options.text("threshold"));
}

// Options about features that not all ways of growing can follow.
void check_feature_options(const Options& options, const SplitterEntry& splitter,
                           MissingValues missing) {
  if (options.text("feature-costs") != "none" &&
      (splitter.name != "axis" || chooses_by_ratio(options))) {
    throw Error(ErrorKind::usage, "feature-costs is for split=axis, and not for gain-ratio", {},
                "leave feature-costs out");
  }
  if (splitter.name == "random") check_drawn(options, missing);
  // Answers must be known when a split is chosen: no row may be sent elsewhere afterwards.
  if (options.text("monotone") != "none" &&
      (splitter.name != "axis" || options.text("search") != "exact" ||
       options.text("leaf") != "distribution" ||
       (missing != MissingValues::learned && missing != MissingValues::impute))) {
    throw Error(ErrorKind::usage,
                "monotone is for split=axis, search=exact, leaf=distribution, and missing=learned "
                "or impute",
                {}, "leave monotone or the other option out");
  }
}

bool can_be_binned(const Options& options, const SplitterEntry& splitter, MissingValues missing) {
  return splitter.name == "axis" && !chooses_by_ratio(options) &&
         options.text("threshold") != "node-value" && !options.has_number("significance") &&
         nominal_option(options) != NominalSplit::every_level &&
         (missing == MissingValues::learned || missing == MissingValues::impute);
}

Tree search_and_grow(Context& context, const SplitterEntry& splitter, MissingValues missing) {
  if (context.options.text("search") == "exact") return grow_exact(context, splitter, missing);
  if (!can_be_binned(context.options, splitter, missing)) {
    throw Error(ErrorKind::usage,
                "search=binned is for split=axis, missing=learned or impute, nominal=subset or "
                "multiway, and neither for gain-ratio nor for threshold=node-value or significance",
                {}, "leave search=binned out");
  }
  // Any number of shards gives the same tree; few rows are not worth more than one.
  constexpr size_t worth_threads = 50000;
  const int shards = context.rows.size() < worth_threads ? 1 : context.parallel.threads();
  return grow_binned(context, static_cast<size_t>(shards), Transport::memory);
}

// Cuts are moved by the values that the tree was grown from, imputed ones too: no row changes
// sides.
Tree grow_with_cuts(Context& context, const SplitterEntry& splitter, MissingValues missing) {
  Tree tree = search_and_grow(context, splitter, missing);
  if (context.options.text("threshold") == "data-point") {
    move_cuts_to_data(tree, context.table(), context.rows, context.parallel, context.control);
  }
  return tree;
}

bool any_missing(const Table& table) {
  for (size_t feature = 0; feature < table.features(); ++feature) {
    if (table.input(feature).missing > 0) return true;
  }
  return false;
}

Tree grow_on_imputed(const Context& context, const SplitterEntry& splitter,
                     std::span<const double> typical) {
  const Table table = imputed(context.table(), typical);
  Derived derived(table);
  Context inner{derived,         true,          context.rows,     context.validation,
                context.options, context.seed,  context.parallel, context.control,
                context.report,  context.rerun, context.costs};
  return grow_with_cuts(inner, splitter, MissingValues::impute);
}

// Grows on a table without missing cells; every node then does with a row what growing did.
Tree grow_imputed(Context& context, const SplitterEntry& splitter) {
  std::vector<double> typical = typical_values(context.table(), context.rows, context.control);
  // A copy costs memory, and sorting its columns again for every rerun.
  Tree tree = any_missing(context.table())
                  ? grow_on_imputed(context, splitter, typical)
                  : grow_with_cuts(context, splitter, MissingValues::impute);
  bool any = false;
  for (NodeIndex i = 0; i < tree.size(); ++i) {
    if (tree.node(i).is_leaf()) continue;
    tree.node(i).missing().rule = MissingRule::impute;
    any = true;
  }
  if (any) tree.set_typical(std::move(typical));
  return tree;
}

LeafPlan leaf_plan_option(const Options& options, Task task) {
  LeafPlan plan = fit::leaf_plan_called(options.text("leaf"), task);
  plan.m = options.real("m");
  if (options.has_number("leaf-penalty")) plan.penalty = options.real("leaf-penalty");
  return plan;
}

}  // namespace

// NOLINTNEXTLINE(performance-unnecessary-value-param): the signature that every stage has
Tree run(Context& context, Tree) {
  const LeafPlan plan = leaf_plan_option(context.options, context.table().schema().task());
  context.control.throw_if_interrupted();
  note_small_weight(context);
  const SplitterEntry& splitter = find_splitter(context.options.text("split"));
  const MissingValues missing = missing_values(context.options.text("missing"), splitter.usual);
  if (missing == MissingValues::surrogate &&
      nominal_option(context.options) != NominalSplit::subset) {
    throw Error(ErrorKind::usage, "missing=surrogate is for splits in two", {},
                "use nominal=subset, or another missing=");
  }
  check_feature_options(context.options, splitter, missing);
  Tree tree = missing == MissingValues::impute ? grow_imputed(context, splitter)
                                               : grow_with_cuts(context, splitter, missing);
  tree.set_leaf_plan(plan);
  return tree;
}

std::vector<OptionSpec> options() {
  std::vector<std::string> names = {"auto"};
  for (const Criterion& criterion : criteria()) names.push_back(criterion.name);
  std::vector<std::string> splitter_names;
  for (const SplitterEntry& splitter : splitters()) splitter_names.push_back(splitter.name);
  constexpr double unbounded = 1e15;
  return {
      {"criterion", OptionType::choice, "auto",
       "what a split should improve; auto: gini for classes (chi-square with "
       "split=conditional-inference), mse for numbers; leaves answer with the mean also with mae",
       0, 0, names},
      {"split", OptionType::choice, "axis", "what a node may ask", 0, 0, splitter_names},
      {"missing", OptionType::choice, "auto",
       "rows without a value: on the better side (learned), on the larger one (majority), in a "
       "child "
       "of their own (separate; with nominal=subset missing is one more level), where other inputs "
       "that split alike send them (surrogate), "
       "divided among all (fractional), or with the median or most frequent level (impute); auto: "
       "learned, "
       "or what the way of splitting needs",
       0, 0, missing_names()},
      {"surrogates",
       OptionType::integer,
       "5",
       "most surrogates of a node",
       0,
       1000,
       {},
       "missing=surrogate",
       {"maxsurrogate"}},
      {"competitors",
       OptionType::integer,
       "0",
       "most other inputs whose best split a node keeps, for 'show --summary'",
       0,
       1000,
       {},
       "split=axis search=exact"},
      {"nominal",
       OptionType::choice,
       "subset",
       "levels of a nominal input: divided in two (subset), one child for each in the node "
       "(multiway), "
       "or for each there is, two of which need min-leaf (every-level)",
       0,
       0,
       {"subset", "multiway", "every-level"}},
      {"threshold",
       OptionType::choice,
       "halfway",
       "where to cut: halfway between two values, at the largest value of all rows not above "
       "that, or at the largest value of the node's rows on the left",
       0,
       0,
       {"halfway", "data-point", "node-value"}},
      {"significance", OptionType::real, "auto",
       "largest p-value of a split: of the adjusted test that chose the input with "
       "split=conditional-inference, else of the chi-square test that its children do not differ "
       "(of numbers: of the share of the variance between them), which takes no account of the "
       "choice of the cut among many, with search=exact; auto: 0.05 with "
       "split=conditional-inference, else no test",
       0, 1},
      {"min-share",
       OptionType::real,
       "0",
       "least share of a node's weight in each child",
       0,
       0.5,
       {},
       "split=conditional-inference",
       {"minprob"}},
      {"search",
       OptionType::choice,
       "exact",
       "exact: every threshold; binned: thresholds between bins of equal numbers of rows",
       0,
       0,
       {"exact", "binned"}},
      {"bins", OptionType::integer, "255", "most bins of an input", 2, 65000, {}, "search=binned"},
      {"l1",
       OptionType::real,
       "0.02",
       "share of a split's worth that weights as large as the largest one cost, each",
       0,
       1,
       {},
       "split=oblique"},
      {"jumps",
       OptionType::integer,
       "5",
       "random steps tried at every node, from each start",
       0,
       10000,
       {},
       "split=oblique"},
      {"restarts",
       OptionType::integer,
       "0",
       "further starts of the search: the best single column, then random planes; two where least "
       "squares finds no start",
       0,
       10000,
       {},
       "split=oblique"},
      {"inputs-tried",
       OptionType::integer,
       "auto",
       "inputs of which a node draws a cut each, at random by --seed; auto: all for numbers, the "
       "square root of their number, rounded up, for classes",
       1,
       1e6,
       {},
       "split=random",
       {"max-features"}},
      {"feature-costs", OptionType::text, "none",
       "what it costs to know an input, a:2,b:5: improvements are divided by it"},
      {"monotone", OptionType::text, "none",
       "inputs with which the answer may only rise or only fall, a:+,b:-"},
      {"max-depth",
       OptionType::integer,
       "none",
       "most questions from the root to a leaf",
       0,
       unbounded,
       {},
       "",
       {"maxdepth"}},
      {"min-split",
       OptionType::real,
       "2",
       "least weight (rows) of a node that may be split",
       0,
       unbounded,
       {},
       "",
       {"min-samples-split"}},
      {"min-leaf",
       OptionType::real,
       "1",
       "least weight (rows) of a leaf",
       0,
       unbounded,
       {},
       "",
       {"minbucket", "min-samples-leaf", "minobj"}},
      {"max-leaves",
       OptionType::integer,
       "none",
       "most leaves; the leaf that improves most is split first",
       1,
       unbounded,
       {},
       "",
       {"max-leaf-nodes"}},
      {"min-decrease",
       OptionType::real,
       "0",
       "least decrease of the criterion, per row of the node, that is worth a split",
       0,
       unbounded,
       {},
       "",
       {"min-impurity-decrease"}},
      {"leaf", OptionType::choice, "distribution",
       "what leaves answer with: shares of classes or the mean (distribution), the largest class "
       "(majority), smoothed shares (laplace, m-estimate), or a model of their rows",
       0, 0, fit::leaf_choices()},
      {"m",
       OptionType::real,
       "2",
       "the weight that the root's class shares have in every leaf",
       0,
       1e9,
       {},
       "leaf=m-estimate"},
      {"leaf-penalty",
       OptionType::real,
       "auto",
       "penalty of squared coefficients, in standard deviations; auto: by "
       "generalised cross-validation in each leaf (ridge), 1 (logistic)",
       0,
       1e9,
       {},
       "leaf=ridge,logistic"},
  };
}

}  // namespace softwood::grow

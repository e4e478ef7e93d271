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
#include "stages/size_options.h"

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

enum class Search { exact, binned };
constexpr Named<Search> search_choices[] = {{"exact", Search::exact}, {"binned", Search::binned}};

Tree search_and_grow(Context& context, const SplitterEntry& splitter, MissingValues missing) {
  if (context.options.choice("search", search_choices) == Search::exact) {
    return grow_exact(context, splitter, missing);
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
  if (cut_at_option(context.options) == CutAt::data_point) {
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

template <class Entries>
std::vector<std::string> names_in(const Entries& table) {
  std::vector<std::string> names;
  for (const auto& entry : table) names.push_back(entry.name);
  return names;
}

std::vector<std::string> criteria_by_ratio() {
  std::vector<std::string> names;
  for (const Criterion& criterion : criteria()) {
    if (criterion.traits.by_ratio) names.push_back(criterion.name);
  }
  return names;
}

// Splitters that impute by themselves can do nothing else with a missing value.
std::vector<std::string> splitters_of_all_values() {
  std::vector<std::string> names;
  for (const SplitterEntry& splitter : splitters()) {
    if (splitter.usual == MissingValues::impute) names.push_back(splitter.name);
  }
  return names;
}

}  // namespace

LeafPlan leaf_plan_option(const Options& options, Task task) {
  const bool of_medians = criterion_of(options, task).name == "mae";
  std::string name = options.text("leaf");
  if (of_medians && name == "distribution") name = "median";
  LeafPlan plan = fit::leaf_plan_called(name, task);
  plan.m = options.real("m");
  if (options.has_number("leaf-penalty")) plan.penalty = options.real("leaf-penalty");
  return plan;
}

// NOLINTNEXTLINE(performance-unnecessary-value-param): the signature that every stage has
Tree run(Context& context, Tree) {
  const LeafPlan plan = leaf_plan_option(context.options, context.table().schema().task());
  context.control.throw_if_interrupted();
  note_small_weight(context);
  const SplitterEntry& splitter = find_splitter(context.options.text("split"));
  const MissingValues missing =
      context.options.choice("missing", missing_choices).value_or(splitter.usual);
  Tree tree = missing == MissingValues::impute ? grow_imputed(context, splitter)
                                               : grow_with_cuts(context, splitter, missing);
  tree.set_leaf_plan(plan);
  return tree;
}

std::vector<OptionSpec> options() {
  std::vector<std::string> criterion_names = names_in(criteria());
  criterion_names.insert(criterion_names.begin(), "auto");
  const std::string no_ratio = "criterion!=" + join(criteria_by_ratio(), ",");
  return {
      {.name = "criterion",
       .type = OptionType::choice,
       .fallback = "auto",
       .help = "what a split should improve; auto: gini for classes (chi-square with "
               "split=conditional-inference), mse for regression; with mae "
               "leaves predict the median",
       .choices = criterion_names},
      {.name = "split",
       .type = OptionType::choice,
       .fallback = "axis",
       .help = "what a node may ask",
       .choices = names_in(splitters()),
       .needs = {{.when = "split=" + join(splitters_of_all_values(), ","),
                  .needs = "missing=auto,impute",
                  .why = "splits by several inputs need every value"},
                 {.when = "split=random",
                  .needs =
                      "missing!=learned,separate nominal=subset,prefix cut-at=halfway " + no_ratio,
                  .why = "cuts and the sides of levels are drawn"}}},
      {.name = "missing",
       .type = OptionType::choice,
       .fallback = "auto",
       .help = "rows without a value: on the better side (learned), on the larger one (majority), "
               "in a child of their own (separate; with nominal=subset missing is one more level), "
               "where other inputs that split alike send them (surrogate), divided among all "
               "(fractional), or with the median or most frequent level (impute); auto: learned, "
               "or what the way of splitting needs",
       .choices = names_of(missing_choices),
       .needs = {{.when = "missing=surrogate",
                  .needs = "nominal=subset,prefix",
                  .why = "surrogates are for splits in two"}}},
      {.name = "surrogates",
       .type = OptionType::integer,
       .fallback = "5",
       .help = "most surrogates of a node",
       .low = 0,
       .high = 1000,
       .only_with = "missing=surrogate",
       .elsewhere = {"maxsurrogate"}},
      {.name = "competitors",
       .type = OptionType::integer,
       .fallback = "0",
       .help = "most other inputs whose best split a node keeps, for the summary of the tree",
       .low = 0,
       .high = 1000,
       .only_with = "split=axis search=exact",
       .elsewhere = {"maxcompete"}},
      {.name = "nominal",
       .type = OptionType::choice,
       .fallback = "subset",
       .help = "how a nominal input splits: its levels in two groups, the best of all where there "
               "are at most 10 of them (subset); the same, but for two classes and for regression "
               "only groups next to each other by share or mean, as in rpart, even where min-leaf "
               "forbids the best of these (prefix); one child per level among the node's rows "
               "(multiway); one child per level of the input, of which two need min-leaf rows, as "
               "in C4.5 (every-level)",
       .choices = names_of(nominal_choices)},
      {.name = "cut-at",
       .type = OptionType::choice,
       .fallback = "halfway",
       .help = "where a cut is written: halfway between two values, at the largest value of all "
               "rows not "
               "above that, or at the largest value of the node's rows on the left",
       .choices = names_of(cut_at_choices),
       .aliases = {"threshold"}},
      {.name = "significance",
       .type = OptionType::real,
       .fallback = "auto",
       .help = "largest p-value with which a node is split: with split=conditional-inference that "
               "of the test which chose the input, adjusted for the number of inputs; else that of "
               "a test that the children do not differ (chi-square; in regression by the share of "
               "the variance between them), not adjusted for having taken the best of many cuts, "
               "with search=exact; auto: 0.05 with split=conditional-inference, else no test",
       .low = 0,
       .high = 1,
       .word = "auto"},
      {.name = "min-share",
       .type = OptionType::real,
       .fallback = "0",
       .help = "least share of a node's weight in each child",
       .low = 0,
       .high = 0.5,
       .only_with = "split=conditional-inference",
       .elsewhere = {"minprob"}},
      {.name = "search",
       .type = OptionType::choice,
       .fallback = "exact",
       .help = "exact: every threshold; binned: thresholds between bins of equal numbers of rows",
       .choices = names_of(search_choices),
       .needs = {{.when = "search=binned",
                  .needs = "split=axis missing=auto,learned,impute nominal!=every-level "
                           "cut-at!=node-value significance=auto " +
                           no_ratio}}},
      {.name = "bins",
       .type = OptionType::integer,
       .fallback = "255",
       .help = "most bins of an input",
       .low = 2,
       .high = 65000,
       .only_with = "search=binned"},
      {.name = "l1",
       .type = OptionType::real,
       .fallback = "0.02",
       .help =
           "penalty on further inputs in a weighted sum: the gain of a split is reduced by this "
           "share for each input whose weight is as large as the largest, by less for smaller "
           "ones; larger values give shorter sums",
       .low = 0,
       .high = 1,
       .only_with = "split=oblique"},
      {.name = "jumps",
       .type = OptionType::integer,
       .fallback = "5",
       .help = "random steps tried at every node, from each start",
       .low = 0,
       .high = 10000,
       .only_with = "split=oblique"},
      {.name = "restarts",
       .type = OptionType::integer,
       .fallback = "0",
       .help = "further starts of the search: the best single column, then random planes; two "
               "where least squares finds no start",
       .low = 0,
       .high = 10000,
       .only_with = "split=oblique"},
      {.name = "inputs-tried",
       .type = OptionType::integer,
       .fallback = "auto",
       .help = "inputs of which a node draws a cut each, at random by the seed; auto: all for "
               "regression, the square root of their number, rounded up, for classification",
       .low = 1,
       .high = 1e6,
       .only_with = "split=random",
       .elsewhere = {"mtry"},
       .word = "auto",
       .python = "max_features"},
      {.name = "feature-costs",
       .type = OptionType::text,
       .fallback = "none",
       .help = "what it costs to know an input, a:2,b:5: improvements are divided by it",
       .word = "none",
       .needs = {{.when = "feature-costs!=none", .needs = "split=axis " + no_ratio}}},
      {.name = "monotone",
       .type = OptionType::text,
       .fallback = "none",
       .help = "inputs with which the answer (of two classes the share of the positive one) may "
               "only rise or only fall, a:+,b:-",
       .word = "none",
       .needs = {{.when = "monotone!=none",
                  .needs = "split=axis search=exact leaf=distribution missing=auto,learned,impute",
                  .why = "answers must be known when a split is chosen"}},
       .python = "monotonic_cst"},
      max_depth_option(),
      {.name = "min-split",
       .type = OptionType::real,
       .fallback = "2",
       .help = "least weight (rows) of a node that may be split",
       .low = 0,
       .high = unbounded,
       .python = "min_samples_split"},
      {.name = "min-leaf",
       .type = OptionType::real,
       .fallback = "1",
       .help = "least weight (rows) of a leaf",
       .low = 0,
       .high = unbounded,
       .elsewhere = {"minbucket", "minobj"},
       .python = "min_samples_leaf"},
      max_leaves_option("most leaves; the leaf that improves most is split first"),
      {.name = "min-decrease",
       .type = OptionType::real,
       .fallback = "0",
       .help = "least decrease of the criterion, per row (see decrease-per), that is worth a split",
       .low = 0,
       .high = unbounded,
       .python = "min_impurity_decrease"},
      {.name = "decrease-per",
       .type = OptionType::choice,
       .fallback = "node-row",
       .help =
           "min-decrease is per row of the node (node-row), or per row of all (all-rows), as in "
           "scikit-learn",
       .choices = {"node-row", "all-rows"}},
      {.name = "leaf",
       .type = OptionType::choice,
       .fallback = "distribution",
       .help = "what leaves answer with: shares of classes or the mean, with criterion=mae the "
               "median (distribution), the largest class (majority), smoothed shares (laplace, "
               "m-estimate), or a model of their rows",
       .choices = fit::leaf_choices()},
      {.name = "m",
       .type = OptionType::real,
       .fallback = "2",
       .help = "the weight that the root's class shares have in every leaf",
       .low = 0,
       .high = 1e9,
       .only_with = "leaf=m-estimate"},
      {.name = "leaf-penalty",
       .type = OptionType::real,
       .fallback = "auto",
       .help = "penalty of squared coefficients, in standard deviations; auto: by generalised "
               "cross-validation in each leaf (ridge), 1 (logistic)",
       .low = 0,
       .high = 1e9,
       .only_with = "leaf=ridge,logistic",
       .word = "auto"},
  };
}

}  // namespace softwood::grow

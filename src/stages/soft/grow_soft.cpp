#include "stages/soft/grow_soft.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>

#include "data/convert.h"
#include "stages/soft/choose.h"
#include "stages/soft/constants.h"
#include "stages/soft/last_fit.h"
#include "stages/soft/published.h"

namespace softwood::soft {

using gradient::Map;
using gradient::Products;

namespace {

enum class TreeShape { grown, full };
constexpr Named<TreeShape> shapes[] = {{"grown", TreeShape::grown}, {"full", TreeShape::full}};
// No value: what the held-out rows say.
constexpr Named<std::optional<bool>> linear_leaves[] = {
    {"auto", std::nullopt}, {"constant", false}, {"linear", true}};
constexpr Named<std::optional<Products>> term_choices[] = {{"auto", std::nullopt},
                                                           {"linear", Products::none},
                                                           {"squares", Products::squares},
                                                           {"quadratic", Products::all}};
constexpr Named<std::optional<Map>> map_choices[] = {
    {"auto", std::nullopt}, {"none", Map::none}, {"asinh", Map::asinh}, {"knots", Map::knots}};

constexpr Named<std::optional<Imputation>> imputations[] = {
    {"auto", std::nullopt},
    {"typical", Imputation::typical},
    {"informative", Imputation::informative}};

constexpr Named<fit::Tolerance> preferred[] = {
    {"accuracy", fit::exact_choice}, {"balanced", fit::balanced_choice}, {"size", fit::small_size}};

// `outputs`: of a leaf.
Preferences preferences_of(const Options& options, size_t rows, size_t outputs) {
  Preferences preferences;
  Settings& settings = preferences.settings;
  preferences.any_depth = !options.has_number("depth");
  if (!preferences.any_depth) settings.depth = options.count("depth");
  const std::optional<bool> linear = options.choice("leaves", linear_leaves);
  preferences.any_leaves = !linear;
  settings.linear_leaves = linear.value_or(false);
  const std::optional<Products> products = options.choice("terms", term_choices);
  preferences.any_terms = !products;
  settings.products = products.value_or(Products::none);
  const std::optional<Map> map = options.choice("map", map_choices);
  preferences.any_map = !map && settings.products == Products::none;
  settings.map = map.value_or(Map::none);
  preferences.any_decay = !options.has_number("decay");
  if (!preferences.any_decay) settings.schedule.decay = options.real("decay");
  preferences.any_l1 = !options.has_number("l1");
  if (!preferences.any_l1) settings.schedule.l1 = options.real("l1");
  preferences.imputation = options.choice("impute", imputations);
  preferences.starts = options.count("starts");
  preferences.tolerance = options.choice("prefer", preferred);
  if (options.has_number("sparse")) {
    settings.most_features = options.count("sparse");
  }
  settings.schedule.batch = options.count("batch");
  settings.schedule.rate = options.real("rate");
  settings.schedule.set_steps(options.has_number("steps")
                                  ? options.count("steps")
                                  : usual_steps(rows, settings.schedule.batch));
  if (!options.has_number("steps")) {
    const double paced = static_cast<double>(std::min(rows, Constants::most_paced_rows));
    const double times =
        std::clamp(static_cast<double>(outputs) / static_cast<double>(Constants::outputs_of_work),
                   1.0, static_cast<double>(Constants::most_times_work));
    settings.most_work =
        times * Constants::most_work * paced / std::max(1.0, static_cast<double>(rows));
  }
  return preferences;
}

// What an ensemble brought.
std::string told(const Trial& trial, gradient::Loss loss) {
  return fmt::format(
      "{}; for {} held-out rows the loss of such a tree is {}, by itself {}",
      trial.helps ? " by itself; distilled from an ensemble" : "; not distilled from an ensemble",
      trial.rows, gradient::loss_text(loss, trial.taught), gradient::loss_text(loss, trial.alone));
}

// What was chosen, and what became of it.
std::string told(const Finished& finished, gradient::Loss loss, bool held_out,
                 Imputation imputation) {
  const Settings& settings = finished.made_as->settings;
  const char* const terms = settings.products == Products::squares ? "inputs and squares"
                            : settings.products == Products::all   ? "inputs, squares and products"
                                                                   : "inputs";
  const char* const map = settings.map == Map::asinh   ? " mapped by asinh"
                          : settings.map == Map::knots ? " mapped by asinh about knots"
                                                       : "";
  const Shape shape = shape_of(finished.tree);
  const std::string size = settings.greedy_leaves > 0 ? counted(shape.leaves, "leaf", "leaves") +
                                                            ", started from a greedy tree"
                                                      : fmt::format("depth {}", shape.depth);
  std::string text = fmt::format("grow-soft: {}, {} leaves, {}{}, decay {:.3g}", size,
                                 settings.linear_leaves ? "linear" : "constant", terms, map,
                                 settings.schedule.decay);
  if (settings.schedule.l1 > 0) text += fmt::format(", l1 {:.3g}", settings.schedule.l1);
  if (imputation == Imputation::informative) text += ", informative values for missing cells";
  text += fmt::format("; {} loss {}", held_out ? "held-out" : "training",
                      gradient::loss_text(loss, finished.made_as->held_out_loss));
  if (finished.trial) text += told(*finished.trial, loss);
  if (shape.leaves == 1 && settings.linear_leaves) {
    text += fmt::format("; a single leaf: a {} regression, not a tree",
                        loss == gradient::Loss::squared ? "linear" : "logistic");
  }
  return text;
}

}  // namespace

// NOLINTNEXTLINE(performance-unnecessary-value-param): the signature that every stage has
Tree run(Context& context, Tree) {
  const Options& options = context.options;
  if (options.choice("shape", shapes) == TreeShape::grown) {
    const fit::HeldOut rows({&context.table(), context.rows}, context.validation.take(),
                            options.real("hold-out"), context.seed);
    PublishedSettings settings;
    settings.tries = options.count("tries");
    settings.epochs = options.count("epochs");
    settings.momentum = options.real("momentum");
    settings.least_gain = options.real("gain");
    return grow_published(context, rows, settings);
  }
  const Parts parts(context, options.has_number("folds") ? options.count("folds") : 0);
  FinishedWork kept(context.checkpoint);
  if (kept.known() > 0) {
    context.control.say(
        fmt::format("goes on from {} of the checkpoint", counted(kept.known(), "fit")));
  }
  FitRun fit_run{parts, context.seed, context.parallel, context.control};
  fit_run.finished = context.checkpoint == nullptr ? nullptr : &kept;
  if (const auto end = context.control.deadline) {
    const auto now = Control::Clock::now();
    const auto left = std::chrono::duration<double>(*end - now) * Constants::choosing_share;
    fit_run.end_of_budget = end;
    fit_run.control.deadline = now + std::chrono::duration_cast<Control::Clock::duration>(left);
  }
  FitData data(fit_run);
  CandidateFits fits(fit_run, data);
  const Preferences preferences = preferences_of(options, parts.rows(), data.outputs());
  const Chosen chosen = choose(fits, preferences);
  Finished finished = finish(fits, chosen.pool[chosen.best], chosen.pool, options.count("members"),
                             preferences.tolerance.share == 0);
  context.report.part_of_rows = !finished.all_rows;
  if (finished.all_rows) {
    context.control.say(told(finished, gradient::usual_loss(context.table()), parts.count() > 1,
                             data.imputation()));
  }
  if (parts.all().size() > 1 && !fit_run.stopped) {
    context.control.say(
        "grow-soft: validation rows judge as the training rows do and take part in the last fit");
  }
  if (parts.count() == 1) {
    context.control.warn(
        "grow-soft: nothing was held out to choose the tree by; it may fit its rows alone");
  }
  if (fit_run.stopped) {
    context.report.stopped = context.control.interrupted() ? Stopped::interrupt : Stopped::budget;
  }
  return std::move(finished.tree);
}

std::vector<OptionSpec> options() {
  return {
      {.name = "shape",
       .type = OptionType::choice,
       .fallback = "grown",
       .help = "grown: leaf after leaf, as published; full: all gates down to a depth, trained "
               "together",
       .choices = names_of(shapes)},
      {.name = "hold-out",
       .type = OptionType::real,
       .fallback = "0.25",
       .help = "share of the training rows that splits are judged by, when there are no validation "
               "rows",
       .low = 0,
       .high = 0.9,
       .only_with = "shape=grown"},
      {.name = "tries",
       .type = OptionType::integer,
       .fallback = "10",
       .help = "tries of each split, with rates of 5, 2.5, 1.25, ...",
       .low = 1,
       .high = 40,
       .only_with = "shape=grown"},
      {.name = "epochs",
       .type = OptionType::integer,
       .fallback = "25",
       .help = "passes over the rows in each try",
       .low = 1,
       .high = 500,
       .only_with = "shape=grown"},
      {.name = "momentum",
       .type = OptionType::real,
       .fallback = "0.1",
       .help = "part of the last step that is added to the next one",
       .low = 0,
       .high = 0.99,
       .only_with = "shape=grown"},
      {.name = "gain",
       .type = OptionType::real,
       .fallback = "0.001",
       .help = "least fall of the error on the held-out rows for a split to be kept",
       .low = 0,
       .high = 1,
       .only_with = "shape=grown"},
      {.name = "folds",
       .type = OptionType::integer,
       .fallback = "auto",
       .help = "parts of the rows, each judging trees fitted to the others; auto: 5 with fewer "
               "than 1000 rows, 3 with fewer than 20000, else 2",
       .low = 1,
       .high = 20,
       .only_with = "shape=full",
       .word = "auto"},
      {.name = "depth",
       .type = OptionType::integer,
       .fallback = "auto",
       .help = "depth of the tree; 0: a single leaf",
       .low = 0,
       .high = 8,
       .only_with = "shape=full",
       .word = "auto"},
      {.name = "leaves",
       .type = OptionType::choice,
       .fallback = "auto",
       .help = "constant or linear outputs of the leaves",
       .choices = names_of(linear_leaves),
       .only_with = "shape=full"},
      {.name = "terms",
       .type = OptionType::choice,
       .fallback = "auto",
       .help = "what scores are made of: the inputs, also their squares, also products",
       .choices = names_of(term_choices),
       .only_with = "shape=full",
       .needs = {{.when = "terms=squares,quadratic",
                  .needs = "map=auto,none",
                  .why = "squares and products are made of the inputs themselves"}}},
      {.name = "map",
       .type = OptionType::choice,
       .fallback = "auto",
       .help =
           "numeric inputs x as they are, as asinh((x - median) / scale), or as five such "
           "terms about points that divide the rows evenly (knots); with at most 12 distinct whole "
           "values, one term between each pair of neighbours",
       .choices = names_of(map_choices),
       .only_with = "shape=full"},
      {.name = "decay",
       .type = OptionType::real,
       .fallback = "auto",
       .help = "how strongly weights are drawn to 0 while the tree is trained",
       .low = 0,
       .high = 100,
       .only_with = "shape=full",
       .word = "auto"},
      {.name = "impute",
       .type = OptionType::choice,
       .fallback = "auto",
       .help = "what stands for missing cells: the median or the most frequent level (typical), or "
               "the value whose rows have targets most like those of the rows without one "
               "(informative)",
       .choices = names_of(imputations),
       .only_with = "shape=full"},
      {.name = "l1",
       .type = OptionType::real,
       .fallback = "auto",
       .help = "how strongly weak weights are held at 0 while the tree is trained; 1 holds all of "
               "them",
       .low = 0,
       .high = 1,
       .only_with = "shape=full",
       .word = "auto"},
      {.name = "sparse",
       .type = OptionType::integer,
       .fallback = "none",
       .help = "most inputs of a gate, a level of one being none of its own; branches that hardly "
               "any row reaches are left out then",
       .low = 1,
       .high = 1e6,
       .only_with = "shape=full",
       .word = "none"},
      {.name = "prefer",
       .type = OptionType::choice,
       .fallback = "accuracy",
       .help = "accuracy: what answers best; balanced: the smallest tree that loses at most a "
               "standard error or 5 % of the held-out loss, or of what is gained over the "
               "baseline if that is less; size: two standard errors or 20 %",
       .choices = names_of(preferred),
       .only_with = "shape=full"},
      {.name = "starts",
       .type = OptionType::integer,
       .fallback = "1",
       .help = "random starts of each candidate",
       .low = 1,
       .high = 100,
       .only_with = "shape=full"},
      {.name = "members",
       .type = OptionType::integer,
       .fallback = "12",
       .help =
           "members of the ensemble from which the tree is distilled: trees of different kinds, "
           "hard ones with random cuts among them; 1: no ensemble, the tree is fitted to the "
           "rows alone",
       .low = 1,
       .high = 100,
       .only_with = "shape=full",
       .aliases = {"teachers"}},
      {.name = "steps",
       .type = OptionType::integer,
       .fallback = "auto",
       .help = "steps of the training, one a batch",
       .low = 1,
       .high = 1e7,
       .only_with = "shape=full",
       .word = "auto"},
      {.name = "batch",
       .type = OptionType::integer,
       .fallback = "128",
       .help = "rows of a step",
       .low = 1,
       .high = 1e5,
       .only_with = "shape=full"},
      {.name = "rate",
       .type = OptionType::real,
       .fallback = "0.03",
       .help = "highest rate of the training",
       .low = 1e-6,
       .high = 10,
       .only_with = "shape=full"},
  };
}

std::vector<TraitRule> traits() { return {{"", {.makes_soft = true, .divides_rows = true}}}; }

}  // namespace softwood::soft

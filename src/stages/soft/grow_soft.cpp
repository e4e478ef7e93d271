#include "stages/soft/grow_soft.h"

#include <fmt/format.h>

#include <algorithm>

#include "stages/soft/choose.h"
#include "stages/soft/constants.h"
#include "stages/soft/last_fit.h"
#include "stages/soft/published.h"

namespace softwood::soft {

using gradient::Map;
using gradient::Products;

namespace {

bool is_auto(const Options& options, const char* name) { return options.text(name) == "auto"; }

Preferences preferences_of(const Options& options, size_t rows) {
  Preferences preferences;
  Settings& settings = preferences.settings;
  preferences.any_depth = !options.has_number("depth");
  if (!preferences.any_depth) settings.depth = static_cast<size_t>(options.integer("depth"));
  preferences.any_leaves = is_auto(options, "leaves");
  settings.linear_leaves = options.text("leaves") == "linear";
  preferences.any_terms = is_auto(options, "terms");
  const std::string& terms = options.text("terms");
  settings.products = terms == "squares"     ? Products::squares
                      : terms == "quadratic" ? Products::all
                                             : Products::none;
  // Squares and products are made of the inputs themselves.
  preferences.any_map = is_auto(options, "map") && settings.products == Products::none;
  settings.map = options.text("map") == "asinh"   ? Map::asinh
                 : options.text("map") == "knots" ? Map::knots
                                                  : Map::none;
  if (settings.map != Map::none && settings.products != Products::none) {
    throw Error(ErrorKind::usage,
                fmt::format("terms={} does not work with map={}: squares and products are made of "
                            "the inputs themselves",
                            terms, options.text("map")),
                {}, "leave map= out, or use terms=linear");
  }
  preferences.any_decay = !options.has_number("decay");
  if (!preferences.any_decay) settings.schedule.decay = options.real("decay");
  preferences.starts = static_cast<size_t>(options.integer("starts"));
  const std::string& prefer = options.text("prefer");
  preferences.allowance = prefer == "size"       ? Constants::size_allowance
                          : prefer == "balanced" ? Constants::balanced_allowance
                                                 : 0;
  preferences.standard_errors = prefer == "size"       ? Constants::size_errors
                                : prefer == "balanced" ? Constants::balanced_errors
                                                       : 0;
  if (options.has_number("sparse")) {
    settings.most_features = static_cast<size_t>(options.integer("sparse"));
  }
  settings.schedule.batch = static_cast<size_t>(options.integer("batch"));
  settings.schedule.rate = options.real("rate");
  settings.schedule.set_steps(options.has_number("steps")
                                  ? static_cast<size_t>(options.integer("steps"))
                                  : usual_steps(rows, settings.schedule.batch));
  if (!options.has_number("steps")) settings.most_work = Constants::most_work;
  return preferences;
}

// What was chosen, and what became of it.
std::string told(const Finished& finished, gradient::Loss loss, bool held_out) {
  const Settings& settings = finished.made_as->settings;
  const char* const terms = settings.products == Products::squares ? "inputs and squares"
                            : settings.products == Products::all   ? "inputs, squares and products"
                                                                   : "inputs";
  const char* const map = settings.map == Map::asinh   ? " mapped by asinh"
                          : settings.map == Map::knots ? " mapped by asinh about five points"
                                                       : "";
  const Shape shape = shape_of(finished.tree);
  const std::string size = settings.greedy_leaves > 0
                               ? fmt::format("{} leaves, started from a greedy tree", shape.leaves)
                               : fmt::format("depth {}", shape.depth);
  return fmt::format("grow-soft: {}, {} leaves, {}{}, decay {:.3g}; {} loss {}{}", size,
                     settings.linear_leaves ? "linear" : "constant", terms, map,
                     settings.schedule.decay, held_out ? "held-out" : "training",
                     gradient::loss_text(loss, finished.made_as->held_out_loss),
                     finished.distilled ? " by itself; distilled from an ensemble" : "");
}

}  // namespace

// NOLINTNEXTLINE(performance-unnecessary-value-param): the signature that every stage has
Tree run(Context& context, Tree) {
  const Options& options = context.options;
  if (options.text("shape") == "grown") {
    const fit::HeldOut rows({&context.table(), context.rows}, context.validation.take(),
                            options.real("hold-out"), context.seed);
    PublishedSettings settings;
    settings.tries = static_cast<size_t>(options.integer("tries"));
    settings.epochs = static_cast<size_t>(options.integer("epochs"));
    settings.momentum = options.real("momentum");
    settings.least_gain = options.real("gain");
    return grow_published(context, rows, settings);
  }
  const Parts parts(
      context, options.has_number("folds") ? static_cast<size_t>(options.integer("folds")) : 0);
  FitRun fit_run{parts, context.seed, context.parallel, context.control};
  FitData data(fit_run);
  CandidateFits fits(fit_run, data);
  const Preferences preferences = preferences_of(options, parts.rows());
  const Chosen chosen = choose(fits, preferences);
  Finished finished =
      finish(fits, chosen.pool[chosen.best], chosen.pool,
             static_cast<size_t>(options.integer("members")), preferences.allowance == 0);
  const bool no_tree =
      fit_run.stopped && finished.tree.size() == 1 && finished.made_as->settings.depth > 0;
  context.control.say(
      no_tree ? "grow-soft: stopped before a tree was trained; all rows get one answer"
              : told(finished, gradient::usual_loss(context.table()), parts.count() > 1));
  if (parts.all().size() > 1 && !fit_run.stopped) {
    context.control.say(fmt::format(
        "grow-soft: {} validation rows judge as the training rows do and take part in the last fit",
        parts.all()[1].rows.size()));
  }
  if (parts.count() == 1) {
    context.control.warn(
        "grow-soft: nothing was held out to choose the tree by; it may fit its rows alone");
  }
  if (fit_run.stopped) {
    context.report.stopped = context.control.should_stop().value_or(Stopped::interrupt);
  }
  return std::move(finished.tree);
}

std::vector<OptionSpec> options() {
  return {
      {"shape",
       OptionType::choice,
       "grown",
       "grown: leaf after leaf, as published; full: all gates down to a depth, trained together",
       0,
       0,
       {"grown", "full"}},
      {"hold-out",
       OptionType::real,
       "0.25",
       "share of the training rows that splits are judged by, when there are no "
       "validation rows",
       0,
       0.9,
       {},
       "shape=grown"},
      {"tries",
       OptionType::integer,
       "10",
       "tries of each split, with rates of 5, 2.5, 1.25, ...",
       1,
       40,
       {},
       "shape=grown"},
      {"epochs",
       OptionType::integer,
       "25",
       "passes over the rows in each try",
       1,
       500,
       {},
       "shape=grown"},
      {"momentum",
       OptionType::real,
       "0.1",
       "part of the last step that is added to the next one",
       0,
       0.99,
       {},
       "shape=grown"},
      {"gain",
       OptionType::real,
       "0.001",
       "least fall of the error on the held-out rows for a split to be kept",
       0,
       1,
       {},
       "shape=grown"},
      {"folds",
       OptionType::integer,
       "auto",
       "parts of the rows, each judging trees fitted to the others; auto: 5 with fewer "
       "than 5000 rows, 3 with fewer than 20000, else 2",
       1,
       20,
       {},
       "shape=full"},
      {"depth",
       OptionType::integer,
       "auto",
       "depth of the tree; 0: a single leaf",
       0,
       8,
       {},
       "shape=full"},
      {"leaves",
       OptionType::choice,
       "auto",
       "constant or linear outputs of the leaves",
       0,
       0,
       {"auto", "constant", "linear"},
       "shape=full"},
      {"terms",
       OptionType::choice,
       "auto",
       "what scores are made of: the inputs, also their squares, also products",
       0,
       0,
       {"auto", "linear", "squares", "quadratic"},
       "shape=full"},
      {"map",
       OptionType::choice,
       "auto",
       "numeric inputs x as they are, as asinh((x - median) / scale), or as five such "
       "terms about points that divide the rows evenly (knots)",
       0,
       0,
       {"auto", "none", "asinh", "knots"},
       "shape=full"},
      {"decay",
       OptionType::real,
       "auto",
       "how strongly weights are drawn to 0 while the tree is trained",
       0,
       100,
       {},
       "shape=full"},
      {"sparse", OptionType::integer, "none", "most inputs of a gate", 1, 1e6, {}, "shape=full"},
      {"prefer",
       OptionType::choice,
       "accuracy",
       "accuracy: what answers best; balanced: the smallest tree that loses at most a standard "
       "error or 5 % of the held-out loss; size: two standard errors or 20 %",
       0,
       0,
       {"accuracy", "balanced", "size"},
       "shape=full"},
      {"starts",
       OptionType::integer,
       "1",
       "random starts of each candidate",
       1,
       100,
       {},
       "shape=full"},
      {"members",
       OptionType::integer,
       "12",
       "members of the ensemble from which the tree is distilled: trees of different kinds, hard "
       "ones with random cuts among them; 1: no ensemble, the tree is fitted to the rows alone",
       1,
       100,
       {},
       "shape=full"},
      {"steps",
       OptionType::integer,
       "auto",
       "steps of the training, one a batch",
       1,
       1e7,
       {},
       "shape=full"},
      {"batch", OptionType::integer, "128", "rows of a step", 1, 1e5, {}, "shape=full"},
      {"rate",
       OptionType::real,
       "0.03",
       "highest rate of the training",
       1e-6,
       10,
       {},
       "shape=full"},
  };
}

StageTraits traits(const Options& /*options*/) { return {.makes_soft = true}; }

}  // namespace softwood::soft

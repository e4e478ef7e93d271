#include "stages/auto/auto.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>

#include "base/text.h"
#include "data/convert.h"
#include "softwood/error.h"
#include "stages/auto/constants.h"
#include "stages/auto/pick.h"
#include "stages/recipe.h"
#include "stages/size_options.h"

namespace softwood::choice {
namespace {

constexpr Named<bool> yes_or_no[] = {{"yes", true}, {"no", false}};

Limits limits_of(const Options& options) {
  const auto limit = [&](const char* name) {
    return options.has_number(name) ? std::optional(options.count(name)) : std::nullopt;
  };
  return {limit("max-parameters"), limit("max-leaves"), limit("inputs-per-split"),
          options.choice("hard", yes_or_no)};
}

// A recipe on all rows, and what it has to say, which is told where its tree is taken.
struct LastFit {
  Trained trained;
  std::vector<Note> notes;
};

std::optional<LastFit> last_fit(const Context& context, const std::string& recipe) {
  LastFit fitted{
      {Tree(context.table().schema().task(), context.table().schema().classes()), {}, {}}, {}};
  Control control = context.control.silent();
  control.note = [&](const Note& note) { fitted.notes.push_back(note); };
  const Training training{.derived = context.derived,
                          .rows = context.rows,
                          .validation = {},
                          .seed = context.seed,
                          .costs = {context.costs.begin(), context.costs.end()}};
  try {
    fitted.trained = run_recipe(Recipe::parse(recipe), training, context.parallel, control);
  } catch (const Error& error) {
    if (error.kind() != ErrorKind::interrupted) throw;
    return {};
  }
  if (fitted.trained.report.stopped != Stopped::converged) return {};
  return fitted;
}

class Choosing {
 public:
  explicit Choosing(Context& context)
      : context_(context),
        limits_(limits_of(context.options)),
        prefer_(context.options.choice("prefer", preferences)),
        field_(field_of(context, metric_for(context.options.choice("metric", metrics),
                                            context.table().schema().task()))),
        race_(field_, candidates()) {}

  Tree run() {
    if (field_.parts.empty()) return without_parts();
    race_.run();
    judged_ = race_.judged();
    allow();
    Tree tree = fitted();
    if (!allowed_.empty() && chosen_) tell();
    return tree;
  }

 private:
  std::vector<Candidate> candidates() const {
    return candidates_for({&context_.table(), context_.rows}, limits_,
                          field_.metric == Metric::logloss);
  }
  size_t classes() const { return context_.table().schema().classes(); }

  // Which of the judged may be taken: within the limits, and after a stop with a split.
  void allow() {
    for (const Entrant* entrant : judged_.entrants) {
      const bool usable = !race_.stopped() || entrant->looks.leaves > 1;
      allowed_.push_back(usable && keeps(entrant->looks, limits_) ? 1 : 0);
    }
  }
  bool any_allowed() const {
    return std::any_of(allowed_.begin(), allowed_.end(), [](char may) { return may != 0; });
  }

  // The preferred tree, fitted to all rows. It may be larger than those of fewer rows were: what
  // breaks a limit then is not taken.
  Tree fitted() {
    while (any_allowed()) {
      const size_t i = Picking(judged_, allowed_, classes()).picks().by(prefer_);
      const Entrant& entrant = *judged_.entrants[i];
      if (std::optional<Tree> tree = fitted(entrant)) {
        const Looks looks = looks_of(*tree);
        const bool read = prefer_ != Prefer::readable || is_readable(looks, classes()) ||
                          !is_readable(entrant.looks, classes());
        if (keeps(looks, limits_) && read) {
          chosen_ = i;
          return std::move(*tree);
        }
        allowed_[i] = 0;
        continue;
      }
      break;  // stopped
    }
    return left_by_stop();
  }

  std::optional<Tree> fitted(const Entrant& entrant) {
    if (entrant.whole) return entrant.whole;
    if (race_.spare() && race_.spare_entrant() == &entrant) return race_.spare();
    context_.control.report("auto: last fit", 0.9);
    std::optional<LastFit> fit = last_fit(context_, entrant.candidate.recipe);
    if (!fit) return {};
    for (const Note& note : fit->notes) context_.control.say(note);
    context_.report.complexity = std::move(fit->trained.report.complexity);
    return std::move(fit->trained.tree);
  }

  // The best of those that are quick to fit, where there is one by now.
  Tree left_by_stop() {
    context_.report.complexity.reset();
    const Entrant* const spare = race_.spare_entrant();
    for (size_t i = 0; i < judged_.entrants.size(); ++i) {
      if (judged_.entrants[i] != spare || !keeps(looks_of(*race_.spare()), limits_)) continue;
      chosen_ = i;
      allowed_[i] = 1;
      spare_taken_ = true;
      stop();
      return *race_.spare();
    }
    context_.report.part_of_rows = true;
    stop();
    return {context_.table().schema().task(), classes()};
  }

  void stop() {
    context_.report.stopped =
        context_.control.should_stop().value_or(race_.stopped().value_or(Stopped::budget));
  }

  // Too few rows to judge by: cart, or what keeps the limits.
  Tree without_parts() {
    context_.control.warn(
        fmt::format("auto: {} are too few to hold any out ({} are needed): it takes cart",
                    counted(context_.rows.size(), "row"), Constants::least_rows));
    std::optional<Tree> last;
    std::vector<Candidate> list = candidates();
    list.erase(list.begin() + 2, list.end());
    std::reverse(list.begin(), list.end());
    for (const Candidate& candidate : list) {
      const Training training{.derived = context_.derived,
                              .rows = context_.rows,
                              .validation = {},
                              .seed = context_.seed,
                              .costs = {context_.costs.begin(), context_.costs.end()}};
      Trained trained = run_recipe(Recipe::parse(candidate.recipe), training, context_.parallel,
                                   context_.control.silent());
      last = std::move(trained.tree);
      if (!keeps(looks_of(*last), limits_)) continue;
      context_.report.complexity = std::move(trained.report.complexity);
      break;
    }
    return std::move(*last);
  }

  void tell() {
    if (race_.stopped() && context_.report.stopped == Stopped::converged) stop();
    const Picking picking(judged_, allowed_, classes());
    Picks picks = picking.picks();
    Frontier frontier;
    frontier.metric = metric_name(field_.metric);
    frontier.figure = metric_name(field_.plain);
    frontier.rows = judged_.rows;
    const Mean expected = expected_of_new_rows(picking);
    frontier.estimate = expected.value;
    frontier.standard_error = expected.standard_error;
    frontier.baseline = judged_.entrants[0]->loss(judged_.weights).value;
    add_points(picking, picks, frontier);
    say(frontier);
    context_.report.frontier = std::move(frontier);
  }

  // Of the tree that was taken, by the choice that took it.
  Mean expected_of_new_rows(const Picking& picking) const {
    if (!spare_taken_) return picking.estimate(prefer_, context_.seed);
    std::vector<char> quick;
    for (const Entrant* entrant : judged_.entrants) {
      const bool is_quick = entrant->candidate.effort == Effort::quick && entrant->looks.leaves > 1;
      quick.push_back(is_quick ? 1 : 0);
    }
    return Picking(judged_, quick, classes()).estimate(Prefer::accuracy, context_.seed);
  }

  // Those of the frontier, and what is preferred besides.
  void add_points(const Picking& picking, const Picks& picks, Frontier& frontier) const {
    const std::vector<size_t> best = picking.frontier();
    std::vector<size_t> list = best;
    for (const size_t i : {picks.accuracy, picks.balanced, picks.readable, *chosen_}) {
      if (std::find(list.begin(), list.end(), i) == list.end()) list.push_back(i);
    }
    std::stable_sort(list.begin(), list.end(), [&](size_t a, size_t b) {
      return judged_.entrants[a]->looks.parameters < judged_.entrants[b]->looks.parameters;
    });
    for (const size_t i : list) {
      const Entrant& entrant = *judged_.entrants[i];
      const Mean loss = entrant.loss(judged_.weights);
      const Looks& looks = entrant.looks;
      const bool dominated = std::find(best.begin(), best.end(), i) == best.end();
      frontier.points.push_back({entrant.candidate.recipe, looks.parameters, looks.leaves,
                                 loss.value, loss.standard_error, looks.inputs_per_split,
                                 looks.hard, looks.constant_leaves, dominated});
    }
    const auto place = [&](size_t i) {
      return static_cast<size_t>(std::find(list.begin(), list.end(), i) - list.begin());
    };
    frontier.choices = {place(picks.accuracy), place(picks.balanced), place(picks.readable)};
    frontier.chosen = place(*chosen_);
  }

  void say(const Frontier& frontier) const {
    size_t dropped = 0, unfit = 0;
    for (const Entrant& entrant : race_.all()) {
      dropped += entrant.dropped ? 1 : 0;
      unfit += entrant.judged == 0 && !entrant.dropped ? 1 : 0;
    }
    context_.control.say(
        fmt::format("auto: {} tried in {:.1f} s, {} dropped on the way{}; judged by {} in {}",
                    counted(race_.all().size() - unfit, "recipe"), seconds_since(began_), dropped,
                    race_.stopped() ? ", stopped before the end" : "", counted(judged_.rows, "row"),
                    field_.whole ? "the validation rows"
                                 : fmt::format("{} that trees were not fitted to",
                                               counted(field_.parts.size(), "part"))));
    const FrontierPoint& taken = frontier.points[frontier.chosen];
    context_.control.say(fmt::format(
        "auto: takes '{}', {} {} ± {} with {} numbers: {}; a single leaf has {}", taken.recipe,
        metric_text(frontier.metric), short_number(taken.loss), short_number(taken.standard_error),
        taken.parameters, reason(frontier), short_number(frontier.baseline)));
    context_.control.say(fmt::format(
        "auto: expected of new rows: {} {} ± {}, the choice allowed for", frontier.figure,
        short_number(frontier.estimate), short_number(frontier.standard_error)));
  }

  static std::string metric_text(const std::string& metric) {
    return metric == "auc" ? "1 - auc" : metric;
  }

  // Why it and not the others.
  std::string reason(const Frontier& frontier) const {
    const FrontierPoint& best = frontier.points[frontier.choices.accuracy];
    const std::string least =
        fmt::format("{} with {} numbers", short_number(best.loss), best.parameters);
    if (context_.report.stopped != Stopped::converged) return "the best by then";
    if (frontier.chosen == frontier.choices.accuracy) {
      const auto least_of_all = [&](const FrontierPoint& other) { return best.loss <= other.loss; };
      if (!std::all_of(frontier.points.begin(), frontier.points.end(), least_of_all)) {
        return "nothing is better by a standard error of the difference";
      }
      return limits_.parameters || limits_.leaves || limits_.inputs_per_split || limits_.hard
                 ? "the least within the limits"
                 : "the least of all";
    }
    if (prefer_ == Prefer::balanced) {
      return fmt::format("the smallest within a standard error of the least, {}", least);
    }
    return fmt::format("the least of those that are easy to read, of all {}", least);
  }

  static double seconds_since(Control::Clock::time_point start) {
    return std::chrono::duration<double>(Control::Clock::now() - start).count();
  }

  Control::Clock::time_point began_ = Control::Clock::now();
  Context& context_;
  Limits limits_;
  Prefer prefer_;
  Field field_;
  Race race_;
  Judged judged_;
  std::vector<char> allowed_;
  std::optional<size_t> chosen_;
  bool spare_taken_ = false;  // a stop left nothing better
};

}  // namespace

// NOLINTNEXTLINE(performance-unnecessary-value-param): the signature that every stage has
Tree run(Context& context, Tree) { return Choosing(context).run(); }

std::vector<OptionSpec> options() {
  return {
      {.name = "prefer",
       .type = OptionType::choice,
       .fallback = "accuracy",
       .help = "accuracy: what loses least, the soft tree where nothing is better by a standard "
               "error; balanced: the smallest tree that loses at most a "
               "standard error more, or 5 % of the loss, or of what is gained over the baseline if "
               "that is less; readable: the best with axis splits or sums of at most 3 inputs, "
               "constant leaves, and no more of them than 16 or twice the classes",
       .choices = names_of(preferences)},
      {.name = "metric",
       .type = OptionType::choice,
       .fallback = "auto",
       .help = "the loss of held-out rows that trees are compared by; auto: logloss for classes, "
               "mse for numbers; auc: 1 - auc",
       .choices = names_of(metrics)},
      {.name = "max-parameters",
       .type = OptionType::integer,
       .fallback = "none",
       .help = "most numbers that a person would have to read",
       .low = 1,
       .high = 1e9,
       .word = "none"},
      max_leaves_option("most leaves"),
      {.name = "inputs-per-split",
       .type = OptionType::integer,
       .fallback = "none",
       .help = "most inputs that a split may ask about",
       .low = 1,
       .high = 1e6,
       .word = "none"},
      {.name = "hard",
       .type = OptionType::choice,
       .fallback = "no",
       .help = "yes: only trees in which every row has one path",
       .choices = names_of(yes_or_no)},
  };
}

std::vector<TraitRule> traits() {
  return {{"", {.divides_rows = true}}, {"hard=no", {.makes_soft = true}}};
}

}  // namespace softwood::choice

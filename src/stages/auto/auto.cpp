#include "stages/auto/auto.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <exception>

#include "base/text.h"
#include "data/convert.h"
#include "softwood/error.h"
#include "stages/auto/constants.h"
#include "stages/auto/fitted.h"
#include "stages/auto/pick.h"
#include "stages/recipe.h"
#include "stages/size_options.h"
#include "stages/unsuitable.h"
#include "tree/shown_frontier.h"

namespace softwood::choice {
namespace {

constexpr Named<bool> yes_or_no[] = {{"yes", true}, {"no", false}};

// No tree has fewer parameters than a single leaf.
void check_limits(const Limits& limits, const Sample& rows) {
  const size_t least = least_parameters(rows);
  if (limits.parameters.value_or(least) >= least) return;
  throw Error(
      ErrorKind::usage,
      fmt::format("max-parameters={} can't be kept: a single leaf has {}, one for each class",
                  *limits.parameters, counted(least, "parameter")),
      {}, fmt::format("allow {} or more", least));
}

class Choosing {
 public:
  explicit Choosing(Context& context)
      : context_(context),
        wanted_{limits_of(context.options), context.options.choice("prefer", preferences)},
        field_(field_of(context, metric_for(context.options.choice("metric", metrics),
                                            context.table().schema().task()))),
        race_(field_, candidates(), wanted_) {}

  Tree run() {
    check_limits(wanted_.limits, {&context_.table(), context_.rows});
    if (field_.metric == Metric::cost && context_.costs.empty()) {
      context_.control.warn("auto: metric=cost without costs: every error costs 1");
    }
    if (field_.parts.empty()) return without_parts();
    race_.run();
    judged_ = race_.judged();
    // Rows that no recipe can learn from: the error says why.
    if (judged_.entrants.empty() && !race_.stopped() && race_.baseline_failure()) {
      std::rethrow_exception(race_.baseline_failure());
    }
    allow();
    Tree tree = fitted();
    taken_ = figures_of(tree);
    if (!allowed_.empty() && chosen_) tell();
    return tree;
  }

 private:
  std::vector<Candidate> candidates() const {
    return candidates_for({&context_.table(), context_.rows}, wanted_.limits,
                          field_.metric == Metric::logloss);
  }
  size_t classes() const { return context_.table().schema().classes(); }

  // Which of the judged may be taken: within the limits, and after a stop with a split.
  void allow() {
    allowed_.clear();
    for (const Entrant* entrant : judged_.entrants) {
      const bool usable = !race_.stopped() || entrant->figures.leaves > 1;
      allowed_.push_back(usable && within_limits(entrant->figures, wanted_.limits) ? 1 : 0);
    }
  }
  bool any_allowed() const {
    return std::any_of(allowed_.begin(), allowed_.end(), [](char may) { return may != 0; });
  }

  // The preferred tree, fitted to all rows. It may be larger than those of fewer rows were: what
  // breaks a limit then is not taken. Nor is what can't be fitted to all rows.
  Tree fitted() {
    while (any_allowed()) {
      const size_t i = Picking(judged_, allowed_, classes()).picks().by(wanted_.prefer);
      const Entrant& entrant = *judged_.entrants[i];
      bool failed = false;
      std::optional<Fitted> fit = fitted(entrant, failed);
      if (!fit && !failed) return left_by_stop();
      if (fit && is_wanted(*fit, entrant)) {
        if (is_less_than_judged(field_, entrant, *fit)) {
          allowed_[i] = 0;
          cut_ = std::move(fit);
          cut_recipe_ = entrant.candidate.recipe;
          return left_by_stop();
        }
        chosen_ = i;
        return taken(std::move(*fit));
      }
      allowed_[i] = 0;
    }
    if (failure_) std::rethrow_exception(failure_);
    return left_by_stop();
  }

  bool is_wanted(const Fitted& fit, const Entrant& entrant) const {
    const TreeFigures figures = figures_of(fit.tree);
    const bool read = wanted_.prefer != Prefer::readable || is_readable(figures, classes()) ||
                      !is_readable(entrant.figures, classes());
    return within_limits(figures, wanted_.limits) && read;
  }

  // None where it was stopped, or `failed`.
  std::optional<Fitted> fitted(const Entrant& entrant, bool& failed) {
    if (entrant.final_fit) return entrant.final_fit;
    if (race_.spare() && race_.spare_entrant() == &entrant) return race_.spare();
    context_.control.report("auto: last fit", 0.9);
    try {
      return fit_recipe(context_, entrant.candidate.recipe, context_.rows, context_.control);
    } catch (...) {
      context_.control.warn(
          fmt::format("auto: '{}' can't be fitted to all rows ({}): the next best",
                      entrant.candidate.recipe, why_unsuitable()));
      failure_ = std::current_exception();
      failed = true;
      return {};
    }
  }

  // What is told of a tree is told where it is taken.
  Tree taken(Fitted fit) {
    if (fit.cut_short) stop();
    for (const Note& note : fit.notes) context_.control.say(note);
    context_.report.complexity = std::move(fit.complexity);
    return std::move(fit.tree);
  }

  // The best of those that are quick to fit, where there is one by now. The race may have dropped
  // it after the first part, which then compares.
  Tree left_by_stop() {
    stop();
    if (cut_ && cut_is_better()) {
      context_.control.warn(fmt::format(
          "auto: the budget cut the last fit, '{}', short: it loses {} {} on rows that it has "
          "seen, and what it loses on new rows is not known",
          cut_recipe_, loss_name(metric_name(field_.metric)),
          short_number(loss_on_first_part(field_, cut_->tree))));
      return taken(std::move(*cut_));
    }
    if (!race_.spare()) {
      context_.report.part_of_rows = true;
      return {context_.table().schema().task(), classes()};
    }
    if (!place_of(race_.spare_entrant())) {
      judged_ = race_.judged_by_first();
      allow();
    }
    chosen_ = place_of(race_.spare_entrant());
    allowed_[*chosen_] = 1;
    spare_taken_ = true;
    return taken(*race_.spare());
  }

  // Better than the spare on rows that both have seen.
  bool cut_is_better() const {
    return !race_.spare() ||
           loss_on_first_part(field_, cut_->tree) < loss_on_first_part(field_, race_.spare()->tree);
  }

  std::optional<size_t> place_of(const Entrant* entrant) const {
    const auto& list = judged_.entrants;
    const auto found = std::find(list.begin(), list.end(), entrant);
    if (found == list.end()) return {};
    return static_cast<size_t>(found - list.begin());
  }

  void stop() {
    context_.report.stopped =
        context_.control.should_stop().value_or(race_.stopped().value_or(Stopped::budget));
  }

  // Too few rows to judge by: cart, or where that breaks the limits a single leaf.
  Tree without_parts() {
    const size_t rows = rows_of(weights_of({&context_.table(), context_.rows}));
    context_.control.warn(
        rows < Constants::least_rows
            ? fmt::format("auto: {} {} too few to hold any out ({} are needed): it takes cart",
                          counted(rows, "row"), rows == 1 ? "is" : "are", Constants::least_rows)
            : "auto: too few of the rows differ to hold any out: it takes cart");
    std::optional<Tree> last;
    for (const char* recipe : {"grow | prune", "grow max-leaves=1"}) {
      const Training training{.derived = context_.derived,
                              .rows = context_.rows,
                              .validation = {},
                              .seed = context_.seed,
                              .costs = {context_.costs.begin(), context_.costs.end()}};
      Trained trained =
          run_recipe(Recipe::parse(recipe), training, context_.parallel, context_.control.silent());
      last = std::move(trained.tree);
      if (!within_limits(figures_of(*last), wanted_.limits)) continue;
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
    frontier.rows = rows_of(judged_.weights);
    const Expected expected = expected_of_new_rows(picking);
    // Fewer samples than otherwise may have given it.
    if (context_.control.interrupted() && context_.report.stopped == Stopped::converged) stop();
    frontier.estimate = expected.plain.value;
    frontier.standard_error = expected.plain.standard_error;
    frontier.expected_loss = {expected.loss.value, expected.loss.standard_error};
    frontier.baseline = judged_.entrants[0]->loss(judged_.weights).value;
    add_points(picking, picks, frontier);
    say(frontier);
    context_.report.frontier = std::move(frontier);
  }

  // Of the tree that was taken, by the choice that took it.
  Expected expected_of_new_rows(const Picking& picking) const {
    const bool counts = field_.plain != Metric::mse;
    const Control& control = context_.control;
    if (!spare_taken_) return picking.estimate(wanted_.prefer, context_.seed, counts, control);
    std::vector<char> quick;
    bool read = false;
    for (const Entrant* entrant : judged_.entrants) {
      quick.push_back(race_.may_be_spare(*entrant) ? 1 : 0);
      read = read || (quick.back() != 0 && is_readable(entrant->figures, classes()));
    }
    const bool readable = wanted_.prefer == Prefer::readable && read;
    return Picking(judged_, quick, classes())
        .estimate(readable ? Prefer::readable : Prefer::accuracy, context_.seed, counts, control,
                  chosen_);
  }

  // Those of the frontier, and what is preferred besides.
  void add_points(const Picking& picking, const Picks& picks, Frontier& frontier) const {
    const std::vector<size_t> best = picking.frontier();
    std::vector<size_t> list = best;
    for (const size_t i : {picks.accuracy, picks.balanced, picks.readable, *chosen_}) {
      if (std::find(list.begin(), list.end(), i) == list.end()) list.push_back(i);
    }
    std::stable_sort(list.begin(), list.end(), [&](size_t a, size_t b) {
      return judged_.entrants[a]->figures.parameters < judged_.entrants[b]->figures.parameters;
    });
    for (const size_t i : list) {
      const Entrant& entrant = *judged_.entrants[i];
      const Mean loss = entrant.loss(judged_.weights);
      const TreeFigures& figures = entrant.figures;
      const bool dominated = std::find(best.begin(), best.end(), i) == best.end();
      frontier.points.push_back({entrant.candidate.recipe,
                                 figures.parameters,
                                 figures.leaves,
                                 loss.value,
                                 loss.standard_error,
                                 figures.inputs_per_split,
                                 figures.hard,
                                 figures.constant_leaves,
                                 dominated,
                                 {}});
    }
    const auto place = [&](size_t i) {
      return static_cast<size_t>(std::find(list.begin(), list.end(), i) - list.begin());
    };
    frontier.choices = {place(picks.accuracy), place(picks.balanced), place(picks.readable)};
    frontier.chosen = place(*chosen_);
    frontier.points[frontier.chosen].saved = {taken_.parameters, taken_.leaves};
  }

  void say(const Frontier& frontier) const {
    size_t dropped = 0, unfit = 0;
    for (const Entrant& entrant : race_.all()) {
      dropped += entrant.dropped ? 1 : 0;
      unfit += entrant.judged == 0 && !entrant.dropped ? 1 : 0;
    }
    context_.control.say(
        fmt::format("auto: {} tried in {:.1f} s, {} dropped on the way{}; judged by {}",
                    counted(race_.all().size() - unfit, "recipe"), seconds_since(began_), dropped,
                    race_.stopped() ? ", stopped before the end" : "", judges(frontier)));
    const FrontierPoint& taken = frontier.points[frontier.chosen];
    context_.control.say(
        fmt::format("auto: takes '{}', {} {} ± {} with {}: {}; a single leaf has {}{}",
                    taken.recipe, loss_name(frontier.metric), short_number(taken.loss),
                    short_number(taken.standard_error), counted(taken_.parameters, "parameter"),
                    reason(frontier), short_number(frontier.baseline), no_tree(taken)));
    std::string expected = fmt::format("{} {} ± {}", loss_name(frontier.metric),
                                       short_number(frontier.expected_loss->value),
                                       short_number(frontier.expected_loss->standard_error));
    if (frontier.figure != frontier.metric) {
      expected += fmt::format(", {} {} ± {}", frontier.figure, short_number(frontier.estimate),
                              short_number(frontier.standard_error));
    }
    context_.control.say(
        fmt::format("auto: expected on new rows: {} (corrected for the choice)", expected));
    const bool constant = taken_.leaves == 1 && taken_.constant_leaves;
    if (!constant && frontier.expected_loss->value >= frontier.baseline) {
      context_.control.say("auto: on new rows it may be no better than a single leaf");
    }
  }

  // "256 rows in 1 part that trees were not fitted to", "80 validation rows".
  std::string judges(const Frontier& frontier) const {
    if (field_.judges != &context_.table()) return counted(frontier.rows, "validation row");
    return fmt::format("{} in {} that trees were not fitted to", counted(frontier.rows, "row"),
                       counted(judged_.parts, "part"));
  }

  std::string no_tree(const FrontierPoint& taken) const {
    if (!is_only_a_regression(taken_)) return {};
    const bool bayes = taken.recipe.find("naive-bayes") != std::string::npos;
    return fmt::format("; it is a single leaf: {}, not a tree",
                       bayes ? "naive Bayes" : "a regression");
  }

  // Why it and not the others.
  std::string reason(const Frontier& frontier) const {
    const FrontierPoint& best = frontier.points[frontier.choices.accuracy];
    const std::string least =
        fmt::format("{} with {}", short_number(best.loss), counted(best.parameters, "parameter"));
    if (spare_taken_) return "the best of those that are quick to fit";
    if (context_.report.stopped != Stopped::converged) return "the best by then";
    if (frontier.chosen == frontier.choices.accuracy) {
      const auto least_of_all = [&](const FrontierPoint& other) { return best.loss <= other.loss; };
      if (!std::all_of(frontier.points.begin(), frontier.points.end(), least_of_all)) {
        return "nothing is better by two standard errors of the difference";
      }
      return any_limit() ? "the least within the limits" : "the least of all";
    }
    if (wanted_.prefer == Prefer::balanced) {
      return fmt::format(
          "the smallest that loses little more than the least, {}, by a standard error of the "
          "difference or 5 %",
          least);
    }
    return fmt::format("the least of those that are easy to read, of all {}", least);
  }

  bool any_limit() const {
    const Limits& limits = wanted_.limits;
    return limits.parameters || limits.leaves || limits.inputs_per_split || limits.hard;
  }

  static double seconds_since(Control::Clock::time_point start) {
    return std::chrono::duration<double>(Control::Clock::now() - start).count();
  }

  Control::Clock::time_point began_ = Control::Clock::now();
  Context& context_;
  Wanted wanted_;
  Field field_;
  Race race_;
  Judged judged_;
  std::vector<char> allowed_;
  std::optional<size_t> chosen_;
  std::optional<Fitted> cut_;  // the last fit, cut short: not what its candidate was judged to be
  std::string cut_recipe_;
  bool spare_taken_ = false;    // a stop left nothing better
  TreeFigures taken_;           // of the tree that is returned
  std::exception_ptr failure_;  // of the last fit that was tried
};

}  // namespace

Limits limits_of(const Options& options) {
  const auto limit = [&](const char* name) {
    return options.has_number(name) ? std::optional(options.count(name)) : std::nullopt;
  };
  return {limit("max-parameters"), limit("max-leaves"), limit("inputs-per-split"),
          options.choice("hard", yes_or_no)};
}

// NOLINTNEXTLINE(performance-unnecessary-value-param): the signature that every stage has
Tree run(Context& context, Tree) { return Choosing(context).run(); }

std::vector<OptionSpec> options() {
  return {
      {.name = "prefer",
       .type = OptionType::choice,
       .fallback = "accuracy",
       .help = "accuracy: what loses least, the soft tree where nothing is better by two standard "
               "errors; balanced: the smallest tree that loses at most a "
               "standard error more, or 5 % of the loss, or of what is gained over the baseline if "
               "that is less; readable: the best with axis splits or sums of at most 3 inputs, "
               "constant leaves, and no more of them than 16 or twice the classes",
       .choices = names_of(preferences)},
      {.name = "metric",
       .type = OptionType::choice,
       .fallback = "auto",
       .help = "the loss of held-out rows that trees are compared by; auto: logloss for classes, "
               "mse for regression; auc: 1 - auc",
       .choices = names_of(metrics)},
      {.name = "max-parameters",
       .type = OptionType::integer,
       .fallback = "none",
       .help = "most parameters, numbers that a person would have to read, of the tree that is "
               "saved",
       .low = 1,
       .high = 1e9,
       .word = "none"},
      max_leaves_option("most leaves"),
      {.name = "inputs-per-split",
       .type = OptionType::integer,
       .fallback = "none",
       .help = "most inputs that a split, or the model of a leaf, may ask about; a level or a "
               "mapped value is none of its own",
       .low = 1,
       .high = 1e6,
       .word = "none"},
      {.name = "hard",
       .type = OptionType::choice,
       .fallback = "no",
       .help = "yes: only trees in which every row has one path; a single leaf with a model, a "
               "regression, is none",
       .choices = names_of(yes_or_no)},
  };
}

std::vector<TraitRule> traits() {
  return {{"", {.divides_rows = true}}, {"hard=no", {.makes_soft = true}}};
}

}  // namespace softwood::choice

#include "gradient/tune.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/math.h"
#include "base/random.h"
#include "fit/held_out.h"
#include "fit/leaf_models.h"
#include "fit/training_loss.h"
#include "gradient/sharpen.h"
#include "tree/gates/kinds.h"
#include "tree/leaf.h"
#include "use/predict.h"

namespace softwood::gradient {

namespace {

class Tuning {
 public:
  Tuning(const TuneTask& task, const Tree& tree, const TuneSettings& settings)
      : task_(task),
        settings_(settings),
        tree_(tree),
        held_(task.training, task.validation, settings.hold_out, task.seed),
        regrown_(regrown()),
        softness_(settings.softness.front()),
        compiled_(compile(regrown_ && regrown_->size() > 1 ? *regrown_ : tree, held_.train())) {}

  Tree run() {
    note_stop(task_.control.should_stop().has_value());
    // Nothing to find out with it.
    if (regrown_ && regrown_->size() == 1)
      return unchanged("a tree without the held-out rows is a leaf");
    if (!is_finite(compiled_)) return unchanged("its inputs are beyond single precision");
    const std::vector<Sample> all = held_.all();
    const Outcome best = best_trial();
    note_stop(best);
    // Gates that were soft all the same can be made steeper.
    if (best.steps == 0 && !(settings_.sharpen && was_soft())) return unchanged(losses_);
    // What was trained has another shape.
    if (best.stopped && regrown_) return unchanged("stopped before its length was known");
    say(fmt::format("{} steps of training; {}", best.steps, losses_));
    if (best.stopped || !settings_.refit) return emit(compiled_, best.parameters, all);
    std::optional<CompiledTree> given;
    if (regrown_) given.emplace(compile(tree_, all[0]));
    const CompiledTree& compiled = given ? *given : compiled_;
    if (!is_finite(compiled)) return unchanged("its inputs are beyond single precision");
    const Outcome last = refit(compiled, all, best);
    note_stop(last);
    if (!last.stopped && all.size() > 1) {
      say(fmt::format("{} validation rows take part in the last fit", all[1].rows.size()));
    }
    if (last.stopped && !regrown_) return emit(compiled_, best.parameters, all);
    if (last.stopped) return better_of(emit(compiled, last.parameters, all));
    if (!settings_.sharpen) return emit(compiled, last.parameters, all);
    return emit(compiled, sharpened(compiled, all, best, last.parameters), all);
  }

  Stopped stopped() const { return stopped_; }

 private:
  void say(const std::string& text) const { task_.control.say(settings_.name + ": " + text); }
  std::string text_of(double loss) const { return loss_text(compiled_.net.loss, loss); }
  Tree unchanged(const std::string& why) const {
    say("the tree stays as it is: " + why);
    return tree_;
  }

  std::optional<Tree> regrown() const {
    if (!settings_.regrow || !held_.is_part_of_training() || !task_.rerun) return std::nullopt;
    Tree grown = task_.rerun(held_.train().rows, task_.parallel);
    grown.canonicalise();
    return grown;
  }

  CompiledTree compile(const Tree& tree, const Sample& sample) const {
    CompileOptions options = settings_.compile;
    options.softness = softness_;
    CompiledTree compiled(tree, sample, options, task_.control);
    if (settings_.loss) compiled.net.loss = *settings_.loss;
    set_freedom(compiled.net, settings_.freedom, compiled.start);
    if (!settings_.compile.all_inputs) compiled.hold_terms(compiled.start);
    return compiled;
  }

  // Single precision has no room for some inputs.
  static bool is_finite(const CompiledTree& compiled) {
    const std::vector<float>& start = compiled.start.parameters;
    return std::all_of(start.begin(), start.end(), [](float v) { return std::isfinite(v); });
  }

  // Of the tree as it was and one that was trained for a while, by the training rows.
  Tree better_of(const Tree& part) const {
    const auto loss = [&](const Tree& tree) {
      return fit::training_loss(tree, *task_.training.table, task_.training.rows, task_.parallel);
    };
    return loss(part) < loss(tree_) ? part : tree_;
  }

  static Tree emit(const CompiledTree& compiled, std::span<const float> parameters,
                   const std::vector<Sample>& all) {
    Tree tree = emit_tree(compiled.net, parameters, compiled.inputs, compiled.scale, all,
                          &compiled.origin, compiled.as_given);
    limit_answers(tree, all);
    return tree;
  }

  // What the training takes up of the progress that is told.
  Schedule schedule(double decay, double from, double to) const {
    Schedule chosen = settings_.schedule;
    chosen.decay = decay;
    chosen.progress = [this, from, to](double share) {
      task_.control.report("training", from + share * (to - from));
    };
    return chosen;
  }

  struct Trial {
    size_t number;  // of the start
    double softness, decay;
    Start start;
  };

  // The first is the tree as it is.
  Start start_number(const CompiledTree& compiled, size_t number) const {
    Start start = compiled.start;
    if (number > 0) move_about(compiled.net, mix64(task_.seed ^ mix64(number)), start);
    return start;
  }

  // Whether the held-out rows had no part in the tree that they judge.
  bool is_fair() const {
    return regrown_ || !(held_.is_part_of_training() || held_.are_training_rows());
  }

  std::vector<Trial> trials() {
    std::vector<Trial> list;
    for (size_t number = 0; number < settings_.starts; ++number) {
      for (const double softness : settings_.softness) {
        // Rows that had a part in the tree would choose the start that is nearest to it.
        if (softness != settings_.softness.front() && !is_fair()) break;
        softness_ = softness;
        const Start start =
            softness == settings_.softness.front()
                ? start_number(compiled_, number)
                : start_number(compile(regrown_ ? *regrown_ : tree_, held_.train()), number);
        for (const double decay : settings_.decays) {
          list.push_back({number, softness, decay, start});
        }
      }
    }
    return list;
  }

  // The best start, and its training; no steps where the tree as it was is as good.
  Outcome best_trial() {
    const Sample train_rows = held_.train(), others = held_.held_out();
    const Rows<float> rows = compiled_.rows({&train_rows, 1}, task_.control);
    const Rows<float> held_out = compiled_.rows({&others, 1}, task_.control);
    trained_rows_ = rows.count;
    std::vector<Trial> trials = this->trials();
    std::vector<Outcome> outcomes(trials.size());
    task_.parallel.each(outcomes.size(), [&](size_t i) {
      Schedule chosen = schedule(trials[i].decay, 0, part_of_trials);
      if (i > 0) chosen.progress = nullptr;  // it is told by one of them
      outcomes[i] =
          train(compiled_.net, rows, &held_out, trials[i].start, chosen, task_.seed, task_.control);
    });
    // One that training brought nothing to is taken only where it brought nothing to any.
    const auto rank = [&](size_t i) {
      return std::pair(outcomes[i].steps == 0, outcomes[i].held_out.loss);
    };
    size_t best = 0;
    for (size_t i = 1; i < outcomes.size(); ++i) {
      if (rank(i) < rank(best)) best = i;
    }
    const bool measured = !outcomes[best].stopped || outcomes[best].steps > 0;
    if (!measured) losses_ = "stopped before the training brought anything";
    const bool gain = measured && is_gain(outcomes[best].parameters, held_out);
    if (outcomes[best].steps == 0 || !gain) {
      softness_ = settings_.softness.front();
      outcomes[best].parameters = compiled_.start.parameters;
      outcomes[best].steps = 0;
      return std::move(outcomes[best]);
    }
    decay_ = trials[best].decay;
    softness_ = trials[best].softness;
    start_ = trials[best].number;
    compiled_.start = std::move(trials[best].start);
    return std::move(outcomes[best]);
  }

  // Whether the held-out rows gain by the training what they have to.
  bool is_gain(const std::vector<float>& trained, const Rows<float>& held_out) {
    const bool fair = is_fair();
    const std::vector<float> given =
        fair ? with_steps(compiled_) : std::vector<float>(compiled_.start.parameters);
    std::vector<float> before, after;
    const double first =
        fair && tree_.leaf_plan().fits_models()
            ? measure_outputs<float>(compiled_.net, outputs_with_models(), held_out, &before).loss
            : measure(compiled_.net, given.data(), held_out, &before).loss;
    const double last = measure(compiled_.net, trained.data(), held_out, &after).loss;
    losses_ = fmt::format("mean loss on the held-out rows {}, {} {}", text_of(last),
                          fair ? "of the tree as it was" : "before the training", text_of(first));
    const auto count = static_cast<double>(before.size());
    double mean = 0, squares = 0;
    for (size_t i = 0; i < before.size(); ++i) mean += (before[i] - after[i]) / count;
    for (size_t i = 0; i < before.size(); ++i) {
      const double gap = static_cast<double>(before[i]) - static_cast<double>(after[i]) - mean;
      squares += gap * gap;
    }
    const double error = std::sqrt(squares / count / std::max(1.0, count - 1));
    return last < first && (!was_soft() || mean > settings_.clear_gain * error);
  }

  // Of the tree as it was, for the held-out rows: leaves get their models when all stages are done.
  std::vector<float> outputs_with_models() const {
    constexpr double least = 1e-6;
    Tree tree = regrown_ ? *regrown_ : tree_;
    const Sample fitted = held_.train(), judges = held_.held_out();
    fit::fit_leaf_models(tree, *fitted.table, fitted.rows, task_.parallel);
    const Predictions answers = predict(tree, *judges.table, judges.rows, task_.parallel);
    std::vector<float> outputs;
    for (size_t i = 0; i < answers.rows; ++i) {
      const double* const answer = &answers.answers[i * answers.width];
      const auto log_of = [&](size_t k) { return math::log(std::max(least, answer[k])); };
      const TargetScale& scale = compiled_.scale;
      for (size_t k = 0; k < compiled_.net.outputs; ++k) {
        outputs.push_back(static_cast<float>(
            compiled_.net.loss == Loss::squared    ? (answer[0] - scale.centre) / scale.scale
            : compiled_.net.loss == Loss::logistic ? log_of(1) - log_of(0)
                                                   : log_of(k)));
      }
    }
    return outputs;
  }

  bool was_soft() const { return with_steps(compiled_) == compiled_.start.parameters; }

  // The numbers of the tree as it was: gates that were hard are so again.
  static std::vector<float> with_steps(const CompiledTree& compiled) {
    constexpr float narrow = -20;  // logarithm of a width
    const Network& net = compiled.net;
    std::vector<float> parameters = compiled.start.parameters;
    for (NodeIndex i = 0; i < compiled.origin.size(); ++i) {
      if (net.nodes[i].gate < 0) continue;
      const auto g = static_cast<size_t>(net.nodes[i].gate);
      if (!is_hard(compiled.origin.node(i).gate())) continue;
      switch (net.links[g]) {
        case SoftLink::ramp:
          std::fill_n(&parameters[net.widths_at() + 2 * g], 2, narrow);
          break;
        case SoftLink::logistic:
          scale_gate(net, g, as_steep_as_a_step, parameters);
          break;
      }
    }
    return parameters;
  }

  // As many passes over all rows as were best over the training rows.
  Outcome refit(const CompiledTree& compiled, const std::vector<Sample>& all,
                const Outcome& best) const {
    const Rows<float> rows = compiled.rows(all, task_.control);
    const double more =
        static_cast<double>(rows.count) / static_cast<double>(std::max<size_t>(1, trained_rows_));
    const auto times = [&](size_t steps) {
      return static_cast<size_t>(std::lround(static_cast<double>(steps) * more));
    };
    Schedule longer = schedule(decay_, part_of_trials, settings_.sharpen ? part_of_fit : 1);
    longer.steps = times(longer.steps);
    longer.last = times(best.steps);
    // Starts of another tree tell nothing of those of this one: the best of as many.
    const bool same = !regrown_ || start_ == 0;
    std::vector<Outcome> outcomes(same ? 1 : settings_.starts);
    task_.parallel.each(outcomes.size(), [&](size_t i) {
      Schedule chosen = longer;
      if (i > 0) chosen.progress = nullptr;
      outcomes[i] =
          train(compiled.net, rows, nullptr, same ? compiled.start : start_number(compiled, i),
                chosen, task_.seed, task_.control);
    });
    const bool stopped = std::any_of(outcomes.begin(), outcomes.end(),
                                     [](const Outcome& outcome) { return outcome.stopped; });
    Outcome least = std::move(*std::min_element(
        outcomes.begin(), outcomes.end(),
        [](const Outcome& a, const Outcome& b) { return a.held_out.loss < b.held_out.loss; }));
    least.stopped = stopped;
    return least;
  }

  // How steep gates may be is found out with the held-out rows, starting from what was fitted
  // without them; then the gates of the last fit become as steep.
  std::vector<float> sharpened(const CompiledTree& compiled, const std::vector<Sample>& all,
                               const Outcome& best, const std::vector<float>& parameters) {
    const Sample train_rows = held_.train(), others = held_.held_out();
    const Rows<float> rows = compiled_.rows({&train_rows, 1}), held = compiled_.rows({&others, 1});
    Sharpening plan;
    plan.most_loss = *settings_.sharpen;
    plan.schedule = settings_.schedule;
    constexpr size_t share_of_steps = 4;  // a round starts from what is good already
    plan.schedule.set_steps(settings_.schedule.steps / share_of_steps + 1);
    Start start = compiled_.start;
    start.parameters = best.parameters;
    const Sharpened trial =
        sharpen(compiled_.net, rows, &held, start, plan, task_.seed, task_.control);
    say(fmt::format(
        "gates {} times as steep; mean loss on the held-out rows {}, before {}, hard {}",
        size_t{1} << trial.rounds, text_of(trial.after), text_of(trial.before),
        text_of(trial.hard)));
    plan.most_rounds = trial.rounds;
    start = compiled.start;
    start.parameters = parameters;
    const Sharpened last =
        sharpen(compiled.net, compiled.rows(all), nullptr, start, plan, task_.seed, task_.control);
    note_stop(trial.stopped || last.stopped);
    return last.parameters;
  }

  void note_stop(const Outcome& outcome) { note_stop(outcome.stopped); }
  void note_stop(bool stopped) {
    if (!stopped) return;
    stopped_ = task_.control.should_stop().value_or(Stopped::interrupt);
  }

  const TuneTask& task_;
  const TuneSettings& settings_;
  const Tree& tree_;
  // Of all progress, up to where it is when this is done.
  static constexpr double part_of_trials = 0.5, part_of_fit = 0.75;

  fit::HeldOut held_;
  std::optional<Tree> regrown_;
  double softness_;
  CompiledTree compiled_;  // of the regrown tree if there is one
  size_t trained_rows_ = 0;
  std::string losses_;  // of the held-out rows, as text
  double decay_ = 0;
  size_t start_ = 0;  // number
  Stopped stopped_ = Stopped::converged;
};

}  // namespace

Tuned tune(const TuneTask& task, const Tree& tree, const TuneSettings& settings) {
  Tree ordered = tree;
  ordered.canonicalise();
  Tuning tuning(task, ordered, settings);
  Tree tuned = tuning.run();
  return {std::move(tuned), tuning.stopped()};
}

OptionSpec tuning_steps_option() {
  return {.name = "steps",
          .type = OptionType::integer,
          .fallback = "auto",
          .help = "steps of the training, one a batch",
          .low = 1,
          .high = 1e7,
          .only_with = "by=gradient",
          .word = "auto"};
}

OptionSpec hold_out_option() {
  return {.name = "hold-out",
          .type = OptionType::real,
          .fallback = "0.2",
          .help =
              "share of the training rows by which the length of the training is chosen, when "
              "there are no validation rows",
          .low = 0,
          .high = 0.9,
          .only_with = "by=gradient"};
}

size_t tuning_steps(size_t rows, size_t batch) {
  constexpr size_t passes = 100, most_by_row = 25, enough = 3000;
  return std::max(passes * rows / batch, std::clamp<size_t>(most_by_row * rows, 200, enough));
}

}  // namespace softwood::gradient

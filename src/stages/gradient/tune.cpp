#include "stages/gradient/tune.h"

#include <algorithm>
#include <cmath>

#include "tree/gates/kinds.h"

namespace softwood::gradient {

namespace {

class Tuning {
 public:
  Tuning(Context& context, const Tree& tree, const TuneSettings& settings)
      : context_(context),
        settings_(settings),
        held_(context, settings.hold_out),
        compiled_(tree, held_.train(), settings.compile) {
    if (settings.loss) compiled_.net.loss = *settings.loss;
    set_freedom(compiled_.net, settings.freedom, compiled_.start);
    if (!settings.compile.all_inputs) compiled_.hold_terms(compiled_.start);
  }

  Tree run() {
    const std::vector<Sample> all = held_.all();
    const Outcome best = best_decay();
    std::vector<float> parameters = best.parameters;
    if (settings_.refit && best.steps > 0 && !best.stopped) {
      const Outcome last = refit(all, best);
      if (!last.stopped) parameters = last.parameters;
      note_stop(last);
    }
    note_stop(best);
    return emit_tree(compiled_.net, parameters, compiled_.inputs, compiled_.scale, all,
                     &compiled_.origin);
  }

 private:
  Schedule schedule(double decay) const {
    Schedule chosen = settings_.schedule;
    chosen.decay = decay;
    return chosen;
  }

  Outcome best_decay() {
    const Sample train_rows = held_.train(), others = held_.held_out();
    const Rows<float> rows = compiled_.rows({&train_rows, 1});
    const Rows<float> held_out = compiled_.rows({&others, 1});
    trained_rows_ = rows.count;
    std::vector<Outcome> outcomes(settings_.decays.size());
    context_.parallel.each(outcomes.size(), [&](size_t i) {
      outcomes[i] = train(compiled_.net, rows, &held_out, compiled_.start,
                          schedule(settings_.decays[i]), context_.seed, context_.control);
    });
    size_t best = 0;
    for (size_t i = 1; i < outcomes.size(); ++i) {
      if (outcomes[i].held_out.loss < outcomes[best].held_out.loss) best = i;
    }
    decay_ = settings_.decays[best];
    return outcomes[best];
  }

  // As many passes over all rows as were best over the training rows.
  Outcome refit(const std::vector<Sample>& all, const Outcome& best) const {
    const Rows<float> rows = compiled_.rows(all);
    const double more =
        static_cast<double>(rows.count) / static_cast<double>(std::max<size_t>(1, trained_rows_));
    const auto times = [&](size_t steps) {
      return static_cast<size_t>(std::lround(static_cast<double>(steps) * more));
    };
    Schedule longer = schedule(decay_);
    longer.steps = times(longer.steps);
    longer.last = times(best.steps);
    return train(compiled_.net, rows, nullptr, compiled_.start, longer, context_.seed,
                 context_.control);
  }

  void note_stop(const Outcome& outcome) {
    if (!outcome.stopped) return;
    context_.findings.stopped = context_.control.should_stop().value_or(Stopped::interrupt);
  }

  Context& context_;
  const TuneSettings& settings_;
  HeldOut held_;
  CompiledTree compiled_;
  size_t trained_rows_ = 0;
  double decay_ = 0;
};

}  // namespace

Tree tune(Context& context, const Tree& tree, const TuneSettings& settings) {
  Tree ordered = tree;
  ordered.canonicalise();
  return Tuning(context, ordered, settings).run();
}

size_t tuning_steps(size_t rows, size_t batch) {
  constexpr size_t passes = 100, most_by_row = 25, enough = 3000;
  return std::max(passes * rows / batch, std::clamp<size_t>(most_by_row * rows, 200, enough));
}

}  // namespace softwood::gradient

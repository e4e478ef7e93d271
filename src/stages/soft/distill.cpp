#include "stages/soft/distill.h"

#include <algorithm>
#include <limits>

#include "base/random.h"
#include "stages/soft/constants.h"
#include "stages/soft/synthetic_rows.h"

namespace softwood::soft {

using gradient::Network;
using gradient::Outcome;
using gradient::Rows;
using gradient::Start;

namespace {

// What students learn from and are then asked, with the ensemble's answers; those are missing when
// stopped.
class Lessons {
 public:
  explicit Lessons(CandidateFits& fits)
      : asked_(fits.run().parts.all()),
        cells_(fits.data().plain_rows(asked_)),
        count_(std::min(Constants::most_synthetic,
                        Constants::synthetic_times * fits.run().parts.rows())),
        more_(synthetic_rows(asked_, cells_, count_, fits.run().seed)),
        others_(synthetic_rows(asked_, cells_, count_ / 2 + 1, mix64(fits.run().seed))),
        more_rows_(all_rows(more_)),
        other_rows_(all_rows(others_)),
        judges_{{&others_, other_rows_}},
        outputs_(fits.data().outputs()) {
    asked_.push_back({&more_, more_rows_});
  }
  Lessons(const Lessons&) = delete;

  void answer(CandidateFits& fits, const Ensemble& ensemble) {
    std::vector<Sample> both = asked_;
    both.push_back(judges_[0]);
    answers_ = mean_answers(fits, ensemble, both);
  }

  Rows<float> train(const FitData& data, const FittedNetwork& student) const {
    const std::span<const double> own =
        std::span(answers_).first(answers_.size() - judged_answers());
    return distilled_rows(student.net, own, data.rows(student.basis, asked_));
  }
  Rows<float> held_out(const FitData& data, const FittedNetwork& student) const {
    return distilled_rows(student.net, std::span(answers_).last(judged_answers()),
                          data.rows(student.basis, judges_));
  }

 private:
  size_t judged_answers() const { return other_rows_.size() * outputs_; }

  std::vector<Sample> asked_;
  Rows<float> cells_;
  size_t count_;
  Table more_, others_;
  std::vector<RowIndex> more_rows_, other_rows_;
  std::vector<Sample> judges_;
  size_t outputs_;
  std::vector<double> answers_;  // of asked_, then of judges_
};

Outcome train_student(const CandidateFits& fits, const FitData& data, const FittedNetwork& student,
                      const Settings& settings, const Lessons& lessons) {
  const FitRun& run = fits.run();
  Start from = student.basis.greedy ? student.basis.greedy->start
                                    : gradient::random_start(student.net, run.seed);
  from.parameters = student.parameters;
  if (settings.most_features > 0) {
    gradient::keep_features(student.net, student.basis.terms().features(), settings.most_features,
                            from);
  }
  gradient::Schedule schedule = settings.schedule;
  schedule.set_steps(Constants::times_longer * std::max<size_t>(schedule.last, 1));
  schedule.decay = 0;  // what the ensemble answers has no noise to be kept from
  const Rows<float> held_out = lessons.held_out(data, student);
  return gradient::train(student.net, lessons.train(data, student), &held_out, from, schedule,
                         run.seed, run.control);
}

// The smallest of those that learned about as well as the best.
size_t smallest_of_best(FitData& data, std::span<const Outcome> outcomes,
                        const std::vector<const Fitted*>& fitted) {
  double least = std::numeric_limits<double>::infinity();
  for (const Outcome& outcome : outcomes) least = std::min(least, outcome.held_out.loss);
  const double allowed = least + Constants::lost_by_smaller * fitted[0]->held_out_loss;
  size_t best = 0, smallest = std::numeric_limits<size_t>::max();
  for (size_t i = 0; i < outcomes.size(); ++i) {
    const size_t size = data.size(fitted[i]->settings);
    if (!(outcomes[i].held_out.loss <= allowed) || size >= smallest) continue;
    best = i;
    smallest = size;
  }
  return best;
}

}  // namespace

Rows<float> distilled_rows(const Network& net, std::span<const double> answers, Rows<float> rows) {
  (net.loss == gradient::Loss::softmax ? rows.shares : rows.target)
      .assign(answers.begin(), answers.end());
  return rows;
}

size_t distill(CandidateFits& fits, std::span<FittedNetwork> students,
               const std::vector<const Fitted*>& fitted, const Ensemble& ensemble) {
  FitRun& run = fits.run();
  Lessons lessons(fits);
  lessons.answer(fits, ensemble);
  if (run.stopped) return 0;
  std::vector<Settings> settings;
  settings.reserve(fitted.size());
  for (const Fitted* of : fitted) settings.push_back(fits.settings_for(*of, run.parts.rows()));
  std::vector<Outcome> outcomes(students.size());
  run.parallel.each(students.size(), [&](size_t i) {
    outcomes[i] = train_student(fits, fits.data(), students[i], settings[i], lessons);
  });
  for (const Outcome& outcome : outcomes) run.note_stop(outcome.stopped);
  if (run.stopped) return 0;
  const size_t best = smallest_of_best(fits.data(), outcomes, fitted);
  students[best].parameters = std::move(outcomes[best].parameters);
  return best;
}

}  // namespace softwood::soft

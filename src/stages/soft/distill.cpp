#include "stages/soft/distill.h"

#include <algorithm>
#include <limits>
#include <numeric>

#include "stages/soft/choose.h"
#include "stages/soft/constants.h"

namespace softwood::soft {

using gradient::Network;
using gradient::Outcome;
using gradient::Rows;
using gradient::Start;

namespace {

// What a student learns, without a part of the rows or with all of them.
struct Lesson {
  AskedRows::Some learned, judged;
  std::vector<double> to_learn, to_judge;  // the ensemble's answers

  Lesson(const AskedRows& asked, const Ensemble& ensemble, std::optional<size_t> without)
      : learned(asked.to_learn(without)), judged(asked.to_judge(without)) {
    const std::vector<double> answers = ensemble.answers(without);
    to_learn = ensemble.picked(answers, learned.numbers);
    to_judge = ensemble.picked(answers, judged.numbers);
  }
};

// A fit of the student, trained further with the ensemble's answers, until it comes no nearer to
// them for synthetic rows that it does not learn from.
Outcome teach(const FitRun& run, const FitData& data, const FittedNetwork& from,
              const Settings& settings, size_t times_longer, const Lesson& lesson) {
  Start start(from.net);
  if (from.basis.greedy) {
    start = from.basis.greedy->start;
  } else {
    gradient::set_freedom(from.net, {}, start);
  }
  start.parameters = from.parameters;
  if (settings.most_features > 0) {
    gradient::keep_features(from.net, from.basis.terms().features(), settings.most_features, start);
  }
  gradient::Schedule schedule = settings.schedule;
  schedule.set_steps(times_longer * std::max<size_t>(schedule.last, 1));
  // What the ensemble answers has no noise to be kept from. Weights that were held at 0 stay there.
  schedule.decay = 0;
  for (size_t i = 0; schedule.l1 > 0 && i < start.parameters.size(); ++i) {
    if (start.parameters[i] == 0 && start.decay[i] > 0) start.pace[i] = 0;
  }
  schedule.l1 = 0;
  const auto rows = [&](const AskedRows::Some& some, std::span<const double> answers) {
    return distilled_rows(from.net, answers, data.rows(from.basis, some.samples));
  };
  const Rows<float> held_out = rows(lesson.judged, lesson.to_judge);
  return gradient::train(from.net, rows(lesson.learned, lesson.to_learn), &held_out, start,
                         schedule, run.seed, run.control);
}

FittedNetwork fit_without(FitData& data, const Fitted& fitted, size_t part) {
  const FitBasis& basis = data.by_part(fitted.settings).bases[part];
  return {basis, data.network(fitted.settings, basis), fitted.parameters[part]};
}

double mean_of(std::span<const float> losses) {
  return std::accumulate(losses.begin(), losses.end(), 0.0) /
         static_cast<double>(std::max<size_t>(1, losses.size()));
}

// The smallest of those that learned about as well as the best.
size_t smallest_of_best(FitData& data, const std::vector<double>& losses, double allowed,
                        const std::vector<const Fitted*>& students) {
  const double least = *std::min_element(losses.begin(), losses.end());
  size_t best = 0, smallest = std::numeric_limits<size_t>::max();
  for (size_t i = 0; i < losses.size(); ++i) {
    const size_t size = data.size(students[i]->settings);
    if (!(losses[i] <= least + allowed) || size >= smallest) continue;
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

Trial try_students(CandidateFits& fits, const AskedRows& asked, const Ensemble& ensemble,
                   const Fitted& best, const std::vector<const Fitted*>& students) {
  FitRun& run = fits.run();
  FitData& data = fits.data();
  const Parts& parts = run.parts;
  const size_t enough =
      parts.rows() / parts.count() < Constants::least_tried_rows ? Constants::most_tried_parts : 1;
  const size_t tried = std::min(enough, parts.count());
  std::vector<Settings> settings;
  std::vector<Lesson> lessons;
  std::vector<FittedNetwork> networks;
  std::vector<const Rows<float>*> judges;
  for (size_t part = 0; part < tried; ++part) lessons.emplace_back(asked, ensemble, part);
  for (const Fitted* student : students) {
    settings.push_back(fits.settings_for(*student, data.by_part(student->settings).train[0].count));
    for (size_t part = 0; part < tried; ++part) {
      networks.push_back(fit_without(data, *student, part));
      judges.push_back(&data.by_part(student->settings).held_out[part]);
    }
  }
  std::vector<std::vector<float>> losses(networks.size());
  std::vector<char> stopped(networks.size(), 0);
  run.parallel.each(networks.size(), [&](size_t i) {
    const Outcome outcome =
        teach(run, data, networks[i], settings[i / tried], 1, lessons[i % tried]);
    stopped[i] = outcome.stopped ? 1 : 0;
    measure(networks[i].net, outcome.parameters.data(), *judges[i], &losses[i]);
  });
  for (const char one : stopped) run.note_stop(one != 0);
  if (run.stopped) return {};
  std::vector<double> means;
  std::vector<std::vector<float>> of_student(students.size());
  for (size_t s = 0; s < students.size(); ++s) {
    for (size_t part = 0; part < tried; ++part) {
      const std::vector<float>& own = losses[s * tried + part];
      of_student[s].insert(of_student[s].end(), own.begin(), own.end());
    }
    means.push_back(mean_of(of_student[s]));
  }
  Trial trial;
  trial.rows = of_student[0].size();
  const std::span<const float> alone = std::span(best.losses).first(trial.rows);
  trial.alone = mean_of(alone);
  const size_t chosen =
      smallest_of_best(data, means, Constants::lost_by_smaller * trial.alone, students);
  trial.student = students[chosen];
  trial.taught = means[chosen];
  const double allowed =
      std::max(Constants::student_errors * standard_error(of_student[chosen], alone),
               Constants::student_allowance * trial.alone);
  trial.helps = trial.taught - trial.alone <= allowed;
  return trial;
}

FittedNetwork taught(CandidateFits& fits, const AskedRows& asked, const Ensemble& ensemble,
                     const Fitted& student) {
  FitRun& run = fits.run();
  FitData& data = fits.data();
  FittedNetwork network = fit_without(data, student, 0);
  Outcome outcome = teach(run, data, network, fits.settings_for(student, run.parts.rows()),
                          Constants::times_longer, Lesson(asked, ensemble, std::nullopt));
  run.note_stop(outcome.stopped);
  if (!outcome.stopped) network.parameters = std::move(outcome.parameters);
  return network;
}

}  // namespace softwood::soft

// The tree that comes of what was chosen: others teach it.
#include <algorithm>
#include <limits>

#include "base/random.h"
#include "stages/soft/candidate_fits.h"
#include "stages/soft/hard_start.h"
#include "stages/soft/hard_trees.h"
#include "stages/soft/invent.h"
#include "stages/soft/teach.h"

namespace softwood::soft {

using gradient::Network;
using gradient::Outcome;
using gradient::Rows;
using gradient::Start;

namespace {

// The kinds among which teachers are chosen, and how many trees of each are tried.
constexpr size_t most_kinds = 6, tried_of_kind = 2;
// Rows that a taught tree is asked for besides its own.
constexpr size_t times_invented = 2, most_invented = 10000;
// What a smaller tree may lose of what it was taught, as a share of the loss of held-out rows.
constexpr double lost_by_smaller = 0.005;

// The numbers of a single leaf that answers what the rows are in the mean.
std::vector<float> leaf_parameters(const Network& leaf, const Rows<float>& rows) {
  const std::vector<double> shares(rows.count, 1.0);
  Rows<double> known;
  known.count = rows.count;
  known.target.assign(rows.target.begin(), rows.target.end());
  known.weight.assign(rows.weight.begin(), rows.weight.end());
  const std::vector<double> answer = leaf_answer(leaf.loss, leaf.outputs, known, shares);
  std::vector<float> parameters(leaf.parameters(), 0.0F);
  for (size_t k = 0; k < leaf.outputs; ++k) {
    parameters[leaf.constant_at(leaf.unit_of_leaf(0, k))] = static_cast<float>(answer[k]);
  }
  return parameters;
}

// The best that differ in more than their decay.
std::vector<const Fitted*> different(const std::vector<Fitted>& pool, size_t most) {
  std::vector<const Fitted*> sorted, kept;
  for (const Fitted& fitted : pool) sorted.push_back(&fitted);
  std::stable_sort(sorted.begin(), sorted.end(), [](const Fitted* a, const Fitted* b) {
    return a->held_out_loss < b->held_out_loss;
  });
  for (const Fitted* fitted : sorted) {
    const bool known = std::any_of(kept.begin(), kept.end(), [&](const Fitted* other) {
      return same_shape(other->settings, fitted->settings);
    });
    if (!known && kept.size() < most) kept.push_back(fitted);
  }
  return kept;
}

}  // namespace

// Kinds are judged by what several trees of a kind answer in the mean for the rows of each part,
// fitted to the others.
CandidateFits::Committee CandidateFits::committee(const std::vector<const Fitted*>& kinds,
                                                  size_t members) {
  std::vector<const Fitted*> tried;
  for (size_t start = 0; start < tried_of_kind; ++start) {
    tried.insert(tried.end(), kinds.begin(), kinds.end());
  }
  // Random trees know the rows that they were grown from by heart: others must judge them.
  const bool random = parts_.count() > 1 && parts_.all()[0].rows.size() > 1;
  std::vector<std::vector<double>> answers(kinds.size() + (random ? 1 : 0));  // theirs at the end
  const auto add = [&](size_t kind, const std::vector<double>& more) {
    answers[kind].insert(answers[kind].end(), more.begin(), more.end());
  };
  Rows<float> rows;
  const Network any = network(kinds[0]->settings, prepared(kinds[0]->settings).grounds[0]);
  for (size_t part = 0; part < parts_.count(); ++part) {
    const std::vector<Model> models = fit_members(tried, parts_.others(part), 0);
    for (size_t kind = 0; kind < kinds.size() && !stopped_; ++kind) {
      std::vector<Model> same;
      for (size_t i = kind; i < models.size(); i += kinds.size()) same.push_back(models[i]);
      add(kind, mean_answers(same, parts_.part(part)));
    }
    if (random && !stopped_)
      add(kinds.size(), random_answers(parts_.others(part), parts_.part(part)));
    if (stopped_) return {};
    const Rows<float>& judges = prepared(kinds[0]->settings).held_out[part];
    rows.count += judges.count;
    rows.target.insert(rows.target.end(), judges.target.begin(), judges.target.end());
    rows.weight.insert(rows.weight.end(), judges.weight.begin(), judges.weight.end());
  }
  Committee chosen;
  for (const size_t kind : best_committee(any, answers, rows, members)) {
    if (kind < kinds.size()) {
      chosen.trees.push_back(kinds[kind]);
    } else {
      ++chosen.random;
    }
  }
  return chosen;
}

std::vector<double> CandidateFits::mean_answers(std::span<const Model> models,
                                                std::span<const Sample> samples) const {
  std::vector<double> mean;
  for (const Model& model : models) {
    const std::vector<double> answers =
        soft::answers_of(model.net, model.parameters, rows_of(model.ground, samples));
    mean.resize(answers.size(), 0.0);
    for (size_t i = 0; i < mean.size(); ++i) {
      mean[i] += answers[i] / static_cast<double>(models.size());
    }
  }
  return mean;
}

std::vector<double> CandidateFits::random_answers(std::span<const Sample> samples,
                                                  std::span<const Sample> asked) {
  std::vector<double> all =
      answers_of_random_trees(derived_, samples, asked, seed_, parallel_, control_.silent());
  stopped_ = stopped_ || control_.should_stop().has_value();
  const gradient::Loss loss = gradient::usual_loss(table_);
  if (loss == gradient::Loss::softmax) return all;
  // Of two classes the second.
  const size_t width = loss == gradient::Loss::logistic ? 2 : 1;
  std::vector<double> answers(all.size() / width);
  for (size_t i = 0; i < answers.size(); ++i) {
    answers[i] = width == 2 ? all[2 * i + 1] : (all[i] - scale_.centre) / scale_.scale;
  }
  return answers;
}

std::vector<double> CandidateFits::answers_of(const Teachers& teachers,
                                              std::span<const Sample> asked) {
  const auto all = static_cast<double>(teachers.trees.size() + teachers.random);
  std::vector<double> mean = mean_answers(teachers.trees, asked);
  for (double& answer : mean) answer *= static_cast<double>(teachers.trees.size()) / all;
  if (teachers.random == 0) return mean;
  const std::vector<double> random = random_answers(parts_.all(), asked);
  if (stopped_) return {};
  mean.resize(random.size(), 0.0);
  for (size_t i = 0; i < random.size(); ++i) {
    mean[i] += random[i] * static_cast<double>(teachers.random) / all;
  }
  return mean;
}

size_t CandidateFits::teach(std::span<Model> pupils, const std::vector<const Fitted*>& fitted,
                            const Teachers& teachers) {
  constexpr size_t times_longer = 4;
  std::vector<Sample> asked = parts_.all();
  const Rows<float> cells = inputs_for(Settings())->rows<float>(asked, scale_);
  const size_t count = std::min(most_invented, times_invented * parts_.rows());
  const Table more = invented_rows(asked, cells, count, seed_);
  const Table others = invented_rows(asked, cells, count / 2 + 1, mix64(seed_));
  const std::vector<RowIndex> more_rows = all_rows(more), other_rows = all_rows(others);
  asked.push_back({&more, more_rows});
  const std::vector<Sample> judges = {{&others, other_rows}};
  std::vector<Sample> both = asked;
  both.push_back(judges[0]);
  const std::vector<double> answers = answers_of(teachers, both);
  if (stopped_) return 0;
  const std::span<const double> question = std::span(answers).last(other_rows.size() * outputs());
  const std::span<const double> lesson = std::span(answers).first(answers.size() - question.size());
  std::vector<Settings> settings;
  settings.reserve(fitted.size());
  for (const Fitted* of : fitted) settings.push_back(settings_for(*of, parts_.rows()));
  std::vector<Outcome> outcomes(pupils.size());
  parallel_.each(pupils.size(), [&](size_t i) {
    const Model& pupil = pupils[i];
    const size_t most_features = settings[i].most_features;
    Start from =
        pupil.ground.greedy ? pupil.ground.greedy->start : gradient::random_start(pupil.net, seed_);
    from.parameters = pupil.parameters;
    if (most_features > 0) {
      gradient::keep_features(pupil.net, pupil.ground.terms().features(), most_features, from);
    }
    gradient::Schedule schedule = settings[i].schedule;
    schedule.set_steps(times_longer * std::max<size_t>(schedule.last, 1));
    schedule.decay = 0;  // what the teachers answer has no noise to be kept from
    const Rows<float> held_out = taught_rows(pupil.net, question, rows_of(pupil.ground, judges));
    outcomes[i] =
        gradient::train(pupil.net, taught_rows(pupil.net, lesson, rows_of(pupil.ground, asked)),
                        &held_out, from, schedule, seed_, control_);
  });
  for (const Outcome& outcome : outcomes) stopped_ = stopped_ || outcome.stopped;
  if (stopped_) return 0;
  const size_t best = smallest_of_best(outcomes, fitted);
  pupils[best].parameters = std::move(outcomes[best].parameters);
  return best;
}

CandidateFits::Model CandidateFits::untrained(const Prepared& data) {
  Settings leaf;
  leaf.depth = 0;
  const FitData ground = ground_of(leaf, {});
  const Network net = network(leaf, ground);
  return {ground, net, leaf_parameters(net, data.train[0])};
}

size_t CandidateFits::smallest_of_best(std::span<const Outcome> outcomes,
                                       const std::vector<const Fitted*>& fitted) {
  double least = std::numeric_limits<double>::infinity();
  for (const Outcome& outcome : outcomes) least = std::min(least, outcome.held_out.loss);
  const double allowed = least + lost_by_smaller * fitted[0]->held_out_loss;
  size_t best = 0, smallest = std::numeric_limits<size_t>::max();
  for (size_t i = 0; i < outcomes.size(); ++i) {
    const size_t size = this->size(fitted[i]->settings);
    if (!(outcomes[i].held_out.loss <= allowed) || size >= smallest) continue;
    best = i;
    smallest = size;
  }
  return best;
}

bool CandidateFits::has_gates(const Fitted& fitted) {
  return network(fitted.settings, prepared(fitted.settings).grounds[0]).gates() > 0;
}

Finished CandidateFits::finish(const Fitted& best, const std::vector<Fitted>& pool, size_t teachers,
                               bool any_kind) {
  const std::vector<Sample>& all = parts_.all();
  std::vector<const Fitted*> members = {&best};
  // A single leaf can't learn what trees know.
  const bool taught = teachers > 1 && has_gates(best);
  const std::vector<const Fitted*> kinds = different(pool, most_kinds);
  for (const Fitted* kind : kinds) {
    if (taught && any_kind && kind != &best && has_gates(*kind)) members.push_back(kind);
  }
  const size_t pupils = members.size();
  size_t random = 0;
  if (taught && !stopped_) {
    const Committee chosen = committee(kinds, teachers);
    members.insert(members.end(), chosen.trees.begin(), chosen.trees.end());
    random = chosen.random;
    report(0.8);
  }
  std::vector<Model> models;
  if (!stopped_) models = fit_members(members, all, pupils);
  // Told to stop: what was chosen on held-out rows is complete, this is not.
  if (stopped_) {
    const Prepared& data = prepared(best.settings);
    models = {{data.grounds[0], network(best.settings, data.grounds[0]), best.parameters[0]}};
    if (!(best.passes > 0)) models = {untrained(data)};
  }
  size_t last = 0;
  if (!stopped_ && taught) {
    report(0.9);
    members.resize(pupils);
    last = teach(std::span(models).first(pupils), members,
                 {std::span(models).subspan(pupils), random});
  }
  const Model& result = models[last];
  const gradient::CompiledTree* const greedy = result.ground.greedy.get();
  Tree tree = gradient::emit_tree(result.net, result.parameters, result.ground.terms(), scale_, all,
                                  greedy != nullptr ? &greedy->origin : nullptr);
  gradient::limit_answers(tree, all);
  return {std::move(tree), members[last], taught && !stopped_};
}

}  // namespace softwood::soft

#include "softwood/train.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "api/border.h"
#include "api/class_settings.h"
#include "api/held.h"
#include "api/listener.h"
#include "api/rows.h"
#include "study/checkpoint.h"
#include "study/cv.h"
#include "study/train.h"
#include "tree/costs.h"

namespace softwood {
namespace {

using NamedCosts = std::map<std::string, std::map<std::string, double>>;

std::vector<double> costs_by_name(const NamedCosts& named, const Schema& schema) {
  refuse_numbers(schema, "costs");
  const auto code_of = [&](const std::string& name) {
    const int32_t code = schema.target.level_code(name);
    if (code >= 0) return static_cast<size_t>(code);
    throw Error(ErrorKind::usage, "costs: there is no class '" + name + "'", {},
                classes_hint(schema));
  };
  const size_t classes = schema.classes();
  std::vector<double> costs(classes * classes, 1.0);
  for (size_t k = 0; k < classes; ++k) costs[k * classes + k] = 0;
  for (const auto& [actual, by_prediction] : named) {
    for (const auto& [predicted, cost] : by_prediction) {
      costs[code_of(actual) * classes + code_of(predicted)] = cost;
    }
  }
  const std::string fault = fault_of_costs(costs, schema.target.levels);
  if (!fault.empty()) throw Error(ErrorKind::usage, "costs: " + fault);
  return costs;
}

}  // namespace

ClassCosts class_costs_of(const ClassSettings& settings, const Schema& schema) {
  if (!settings.weights.empty() && !settings.priors.empty()) {
    throw Error(ErrorKind::usage, "weights and priors of classes can't be given together");
  }
  const auto named = [](const std::map<std::string, double>& numbers) {
    return NamedNumbers(numbers.begin(), numbers.end());
  };
  ClassCosts class_costs;
  if (!settings.weights.empty()) {
    class_costs.classes = weights_by_class(named(settings.weights), schema, "class weights");
  }
  if (!settings.priors.empty()) {
    class_costs.classes = priors_by_class(named(settings.priors), schema, "priors");
  }
  if (!settings.costs.empty()) class_costs.costs = costs_by_name(settings.costs, schema);
  return class_costs;
}

Candidate candidate_of(const std::string& method, const std::string& recipe,
                       const std::vector<std::string>& settings) {
  if (!method.empty() && !recipe.empty()) {
    throw Error(
        ErrorKind::usage, "a method and a recipe can't be given together", {},
        fmt::format("method '{}' is the recipe \"{}\"", method, find_method(method).recipe));
  }
  if (!recipe.empty()) return {"", Recipe::parse(recipe, settings)};
  const std::string name = method.empty() ? "cart" : method;
  return {name, Recipe::parse(find_method(name).recipe, settings)};
}

namespace {

TrainResult result_of(TrainOutcome outcome, const Listener& listener) {
  return {tree_model(std::move(outcome.model)), std::move(outcome.seconds), outcome.stopped,
          listener.notes(), listener.warnings()};
}

// One run per list of test rows.
std::vector<Run> runs_of(const Table& table, const std::vector<std::vector<size_t>>& test_rows) {
  std::vector<Run> runs;
  for (const std::vector<size_t>& rows : test_rows) {
    std::vector<bool> tests(table.rows(), false);
    for (const size_t row : rows) {
      if (row >= table.rows()) {
        throw Error(ErrorKind::usage,
                    fmt::format("there is no row {} to test with: the data have {} rows, from 0 on",
                                row, table.rows()));
      }
      tests[row] = true;
    }
    Run& run = runs.emplace_back();
    for (RowIndex row = 0; row < table.rows(); ++row) {
      (tests[row] ? run.test : run.train).push_back(row);
    }
    if (run.test.empty() || run.train.empty()) {
      throw Error(ErrorKind::usage, "every run needs rows to train and rows to test with");
    }
  }
  return runs;
}

std::vector<Run> runs_of(const Table& table, const std::vector<TrainSettings::Split>& splits) {
  const auto rows_of = [&](const std::vector<size_t>& rows) {
    std::vector<RowIndex> result;
    for (const size_t row : rows) {
      if (row >= table.rows()) {
        throw Error(ErrorKind::usage,
                    fmt::format("a split names row {}: the data have {} rows, from 0 on", row,
                                table.rows()));
      }
      result.push_back(static_cast<RowIndex>(row));
    }
    return result;
  };
  std::vector<Run> runs;
  for (const TrainSettings::Split& split : splits) {
    runs.push_back({rows_of(split.train), {}, rows_of(split.test)});
    if (split.train.empty() || split.test.empty()) {
      throw Error(ErrorKind::usage, "every split needs rows to train and rows to test with");
    }
  }
  return runs;
}

// Settings of a training that mean nothing for a finished model.
void refuse_unused(const TrainSettings& settings) {
  if (settings.recipe.empty() || !settings.method.empty()) {
    throw Error(ErrorKind::usage, "rework needs a recipe, not a method", {},
                "such as \"prune | soften\"");
  }
  const ClassSettings& classes = settings.classes;
  if (!classes.weights.empty() || !classes.priors.empty() || !classes.costs.empty()) {
    throw Error(ErrorKind::usage,
                "rework keeps the weights, priors and costs of classes that the model has", {},
                "leave `classes` out, or train a new model with it");
  }
  if (!settings.checkpoint.empty()) {
    throw Error(ErrorKind::usage, "rework keeps no checkpoint", {},
                "leave `checkpoint` out: no stage that works on a finished tree goes on from one");
  }
}

}  // namespace

TrainResult train(const DataSet& data, const TrainSettings& settings) {
  return at_border([&] {
    const Table& table = table_to_learn_from(data);
    const Candidate chosen = candidate_of(settings.method, settings.recipe, settings.settings);
    TrainRequest request{chosen.method, chosen.recipe, settings.seed};
    request.class_costs = class_costs_of(settings.classes, table.schema());
    if (settings.validation) request.validation = &table_to_learn_from(*settings.validation);
    request.runs = runs_of(table, settings.splits);
    Listener listener(settings.controls);
    Checkpoint checkpoint;
    if (!settings.checkpoint.empty()) {
      checkpoint = open_checkpoint(settings.checkpoint, request, table, listener.control());
      request.checkpoint = &checkpoint;
    }
    return result_of(train(table, request, threads_for(settings.threads), listener.control()),
                     listener);
  });
}

TrainResult rework(const TreeModel& model, const DataSet& data, const TrainSettings& settings) {
  return at_border([&] {
    refuse_unused(settings);
    const Table& table = table_to_learn_from(data);
    const Model& before = model.held().model;
    if (!table.has_target() || table.schema().features != before.schema.features ||
        table.schema().target != before.schema.target) {
      throw Error(ErrorKind::data, "the data do not have the model's columns and target", {},
                  "make them with DataSet::read_to_evaluate or DataSet::from_to_evaluate");
    }
    TrainRequest request{"", Recipe::parse(settings.recipe, settings.settings, true),
                         settings.seed};
    if (settings.validation) request.validation = &table_to_learn_from(*settings.validation);
    request.runs = runs_of(table, settings.splits);
    Listener listener(settings.controls);
    return result_of(
        rework(before, table, request, threads_for(settings.threads), listener.control()),
        listener);
  });
}

CvResult cross_validate(const DataSet& data, const CvSettings& settings) {
  return at_border([&] {
    const Table& given = table_to_learn_from(data);
    const Parallel parallel = threads_for(settings.threads);
    const bool own_folds = settings.test_rows.empty();
    const Table table = own_folds ? rows_for_folds(given, settings.folds, parallel) : given;
    std::vector<Candidate> candidates;
    for (const CvCandidate& candidate : settings.candidates) {
      candidates.push_back(candidate_of(candidate.method, candidate.recipe, candidate.settings));
    }
    const std::vector<Run> runs =
        own_folds ? cross_validation_runs(table, settings.folds, settings.repeats, settings.seed)
                  : runs_of(table, settings.test_rows);
    Listener listener(settings.controls);
    const CvOutcome outcome =
        cross_validate(table, runs, candidates, settings.seed, parallel, listener.control(),
                       class_costs_of(settings.classes, table.schema()));
    CvResult result;
    for (const CandidateResult& candidate : outcome.candidates) {
      result.candidates.push_back({candidate.method,
                                   candidate.recipe,
                                   {candidate.figures.begin(), candidate.figures.end()}});
    }
    for (const PairedTest& test : outcome.tests) {
      result.comparisons.push_back({test.first, test.second, test.difference, test.p});
    }
    return result;
  });
}

}  // namespace softwood

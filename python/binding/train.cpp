#include <nanobind/stl/map.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/string_view.h>
#include <nanobind/stl/vector.h>

#include "binding.h"

namespace softwood::python {
namespace {

using Rows = std::vector<size_t>;
using Costs = std::map<std::string, std::map<std::string, double>>;

}  // namespace

nb::tuple result_tuple(const TrainResult& result) {
  nb::dict seconds;
  for (const auto& [stage, time] : result.seconds) {
    const double before =
        seconds.contains(stage.c_str()) ? nb::cast<double>(seconds[stage.c_str()]) : 0.0;
    seconds[stage.c_str()] = before + time;
  }
  return nb::make_tuple(result.model, seconds, stopped_name(result.stopped),
                        note_list(result.notes), note_list(result.warnings));
}

namespace {

// Progress and interruption, but not the budget.
void watch(Controls& controls, const Controls& by) {
  controls.stop_flag = by.stop_flag;
  controls.progress = by.progress;
}

}  // namespace

void bind_train(nb::module_& module) {
  using namespace nb::literals;
  nb::class_<TrainSettings>(module, "TrainSettings")
      .def(
          "__init__",
          [](TrainSettings* self, const std::string& method, const std::string& recipe,
             const std::vector<std::string>& settings, uint64_t seed, int threads,
             const std::optional<DataSet>& validation,
             const std::map<std::string, double>& class_weights,
             const std::map<std::string, double>& priors, const Costs& costs,
             std::optional<double> budget, const std::string& checkpoint,
             const std::vector<std::pair<Rows, Rows>>& splits) {
            new (self) TrainSettings();
            self->method = method;
            self->recipe = recipe;
            self->settings = settings;
            self->seed = seed;
            self->threads = threads;
            self->validation = validation;
            self->classes = {class_weights, priors, costs};
            if (budget) self->controls.budget = std::chrono::duration<double>(*budget);
            self->checkpoint = checkpoint;
            for (const auto& [train, test] : splits) self->splits.push_back({train, test});
          },
          nb::kw_only(), "method"_a = "", "recipe"_a = "",
          "settings"_a = std::vector<std::string>(), "seed"_a = 1, "threads"_a = 0,
          "validation"_a = nb::none(), "class_weights"_a = std::map<std::string, double>(),
          "priors"_a = std::map<std::string, double>(), "costs"_a = Costs(),
          "budget"_a = nb::none(), "checkpoint"_a = "",
          "splits"_a = std::vector<std::pair<Rows, Rows>>());

  module.def(
      "train",
      [](const DataSet& data, TrainSettings settings, const nb::object& progress) {
        const auto result = std::make_shared<std::optional<TrainResult>>();
        run_interruptibly(progress, [result, data, settings](const Controls& controls) mutable {
          watch(settings.controls, controls);
          *result = train(data, settings);
        });
        return result_tuple(**result);
      },
      "data"_a, "settings"_a, "progress"_a = nb::none(),
      "(model, seconds by stage, why it ended, notes, those that are warnings)");
  module.def(
      "rework",
      [](const TreeModel& model, const DataSet& data, TrainSettings settings,
         const nb::object& progress) {
        const auto result = std::make_shared<std::optional<TrainResult>>();
        run_interruptibly(progress,
                          [result, model, data, settings](const Controls& controls) mutable {
                            watch(settings.controls, controls);
                            *result = rework(model, data, settings);
                          });
        return result_tuple(**result);
      },
      "model"_a, "data"_a, "settings"_a, "progress"_a = nb::none());
  module.def(
      "cross_validate",
      [](const DataSet& data, const std::vector<TrainSettings>& candidates, size_t folds,
         size_t repeats, const std::vector<std::vector<size_t>>& test_rows, uint64_t seed,
         int threads, const nb::object& progress) {
        CvSettings settings;
        settings.candidates.clear();
        for (const TrainSettings& candidate : candidates) {
          settings.candidates.push_back({candidate.method, candidate.recipe, candidate.settings});
          settings.classes = candidate.classes;
        }
        settings.folds = folds;
        settings.repeats = repeats;
        settings.test_rows = test_rows;
        settings.seed = seed;
        settings.threads = threads;
        const auto found = std::make_shared<CvResult>();
        run_interruptibly(progress, [found, data, settings](const Controls& controls) mutable {
          watch(settings.controls, controls);
          *found = cross_validate(data, settings);
        });
        const CvResult& result = *found;
        nb::list figures, comparisons;
        for (const CvFigures& candidate : result.candidates) {
          figures.append(nb::make_tuple(candidate.method, candidate.recipe, candidate.figures));
        }
        for (const CvComparison& test : result.comparisons) {
          comparisons.append(nb::make_tuple(test.first, test.second, test.difference, test.p));
        }
        return nb::make_tuple(figures, comparisons);
      },
      "data"_a, "candidates"_a, "folds"_a, "repeats"_a, "test_rows"_a, "seed"_a, "threads"_a,
      "progress"_a = nb::none());
}

}  // namespace softwood::python

#include <nanobind/stl/map.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/string_view.h>
#include <nanobind/stl/vector.h>

#include <condition_variable>
#include <mutex>
#include <thread>

#include "binding.h"

namespace softwood::python {
namespace {

using Rows = std::vector<size_t>;
using Costs = std::map<std::string, std::map<std::string, double>>;

nb::tuple result_tuple(const TrainResult& result) {
  nb::dict seconds;
  for (const auto& [stage, time] : result.seconds) {
    const double before =
        seconds.contains(stage.c_str()) ? nb::cast<double>(seconds[stage.c_str()]) : 0.0;
    seconds[stage.c_str()] = before + time;
  }
  return nb::make_tuple(result.model, seconds, stopped_name(result.stopped),
                        note_list(result.notes));
}

struct Latest {
  std::mutex mutex;
  std::condition_variable ended;
  bool done = false;
  bool fresh = false;
  std::string stage, activity;
  double share = 0;
};

// Calls progress under the interpreter lock; what it raises is raised.
void tell(const nb::object& progress, Latest& latest) {
  std::string stage, activity;
  double share = 0;
  {
    const std::lock_guard lock(latest.mutex);
    if (!latest.fresh) return;
    latest.fresh = false;
    stage = latest.stage;
    activity = latest.activity;
    share = latest.share;
  }
  progress(stage, activity, share);
}

}  // namespace

void run_interruptibly(Controls& controls, const nb::object& progress,
                       const std::function<void()>& work) {
  constexpr std::chrono::milliseconds tick(100);
  std::atomic<bool> stop = false;
  controls.stop_flag = &stop;
  Latest latest;
  if (!progress.is_none()) {
    controls.progress = [&latest](const Progress& now) {
      const std::lock_guard lock(latest.mutex);
      latest.stage = now.stage;
      latest.activity = now.activity;
      latest.share = now.share();
      latest.fresh = true;
    };
  }
  std::exception_ptr failure, raised;
  std::thread worker([&] {
    try {
      work();
    } catch (...) {
      failure = std::current_exception();
    }
    const std::lock_guard lock(latest.mutex);
    latest.done = true;
    latest.ended.notify_all();
  });
  {
    const nb::gil_scoped_release unlocked;
    for (bool ended = false; !ended;) {
      {
        std::unique_lock lock(latest.mutex);
        ended = latest.ended.wait_for(lock, tick, [&] { return latest.done; });
      }
      if (ended || raised) continue;
      const nb::gil_scoped_acquire locked;
      try {
        if (PyErr_CheckSignals() != 0) nb::raise_python_error();
        if (!progress.is_none()) tell(progress, latest);
      } catch (...) {
        raised = std::current_exception();
        stop = true;
      }
    }
    worker.join();
  }
  controls.stop_flag = nullptr;
  if (raised) std::rethrow_exception(raised);
  if (failure) std::rethrow_exception(failure);
}

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
        std::optional<TrainResult> result;
        run_interruptibly(settings.controls, progress, [&] { result = train(data, settings); });
        return result_tuple(*result);
      },
      "data"_a, "settings"_a, "progress"_a = nb::none(),
      "(model, seconds by stage, why it ended, notes)");
  module.def(
      "rework",
      [](const TreeModel& model, const DataSet& data, TrainSettings settings,
         const nb::object& progress) {
        std::optional<TrainResult> result;
        run_interruptibly(settings.controls, progress,
                          [&] { result = rework(model, data, settings); });
        return result_tuple(*result);
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
        CvResult result;
        run_interruptibly(settings.controls, progress,
                          [&] { result = cross_validate(data, settings); });
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

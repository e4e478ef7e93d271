#include <fmt/format.h>

#include <algorithm>

#include "cli/common.h"
#include "cli/training.h"
#include "cli/verb.h"
#include "data/convert.h"
#include "data/missing_marks.h"
#include "softwood/error.h"
#include "study/train.h"

namespace softwood {
namespace {

struct ReworkOptions {
  std::string model, data, recipe, validation, budget, output;
  FileOptions file;
  std::vector<std::string> settings;
  RunOptions run;
};

void run_rework(const ReworkOptions& options) {
  const Stopwatch total;
  if (options.recipe.empty() || options.output.empty()) {
    throw Error(ErrorKind::usage,
                fmt::format("'rework' needs {}", options.recipe.empty() ? "--recipe" : "-o"), {},
                "'softwood rework --help' explains");
  }
  Console console(options.run.quiet);
  Control control = console.control();
  if (!options.budget.empty()) {
    control.deadline = Control::Clock::now() + parse_duration(options.budget);
  }
  refuse_reading_twice({options.model, options.data, options.validation});
  TrainRequest request;
  request.recipe = Recipe::parse(options.recipe, options.settings, true);
  request.seed = static_cast<uint64_t>(options.run.seed);
  Model model = load_model(options.model);
  add_missing_marks(options.file.na, model.schema);
  refuse_overwriting(options.output, {options.data, options.validation});
  ModelOutput output(options.output);
  const Parallel parallel = options.run.parallel();

  const Stopwatch reading;
  const auto read = [&](const std::string& path) {
    return read_for_model(path, model.schema, options.file, true, parallel, control);
  };
  const Table table = read(options.data);
  std::optional<Table> validation;
  if (!options.validation.empty()) {
    validation = read(options.validation);
    request.validation = &*validation;
  }
  TrainingReport report{table, options.run, options.output, reading.seconds(),
                        validation.has_value()};
  const TrainOutcome outcome = rework(model, table, request, parallel, control);
  output.save(outcome.model);
  report.print(outcome, total, parallel, console);
}

}  // namespace

std::function<void()> declare_rework(Arguments& arguments) {
  auto options = std::make_shared<ReworkOptions>();
  arguments.positional("MODEL", options->model, "Model file to begin with.");
  arguments.positional("DATA", options->data, "Rows for the stages, with the model's columns.");
  arguments.group("Method");
  arguments.text("--recipe", "R", options->recipe, "Stages to run: \"prune rule=min\".");
  arguments.list("--set", "STAGE.KEY=VALUE", options->settings, false,
                 "Changes an option of a stage. May be given again.");
  hint_at_stage_options(arguments);
  arguments.text("--validation", "FILE", options->validation,
                 "Further rows for stages that choose by them.");
  options->run.declare_seed(arguments);
  arguments.group("Options");
  arguments.text("-o,--output", "FILE", options->output, "Saves the new model there.");
  options->file.declare(arguments);
  options->run.declare_json(arguments);
  options->run.declare_threads(arguments);
  arguments.text("--budget", "TIME", options->budget,
                 "Stages that can stop early stop at their best tree after 500ms, 30s, 2m, 1h.");
  options->run.declare_quiet(arguments);
  return [options] { run_rework(*options); };
}

}  // namespace softwood

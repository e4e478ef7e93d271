#include <fmt/format.h>

#include "base/text.h"
#include "cli/common.h"
#include "cli/figures.h"
#include "cli/output.h"
#include "cli/stakes.h"
#include "cli/training.h"
#include "cli/verb.h"
#include "softwood/error.h"
#include "study/train.h"

namespace softwood {
namespace {

struct TrainOptions {
  DataOptions data;
  RunOptions run;
  RecipeOptions recipe;
  StakesOptions stakes;
  std::string validation, budget, model;
};

void run_train(const TrainOptions& options) {
  const Stopwatch total;
  Console console(options.run.quiet);
  Control control = console.control();
  if (!options.budget.empty()) {
    control.deadline = Control::Clock::now() + parse_duration(options.budget);
  }
  // Everything that can be wrong with the command is found before the data are read.
  TrainRequest request;
  request.method = options.recipe.method_name();
  request.recipe = options.recipe.parse();
  request.seed = static_cast<uint64_t>(options.run.seed);
  const Roles roles = options.data.roles();
  refuse_overwriting(options.model, {options.data.path, options.validation, options.stakes.costs});
  ModelOutput output(options.model);
  const Parallel parallel = options.run.parallel();

  const Stopwatch reading;
  const Prepared prepared = training_table(options.data.read(parallel), roles, control);
  const Table& table = prepared.table;
  refuse_unlearnable(table, source_name(options.data.path));
  request.stakes = options.stakes.read(table, parallel);
  std::optional<Table> validation;
  if (!options.validation.empty()) {
    validation = read_for_model(options.validation, table.schema(), !options.data.no_header, true,
                                parallel, control);
    request.validation = &*validation;
  }
  TrainingReport report{table, options.run, options.model, reading.seconds()};
  std::unique_ptr<AnytimeWork> anytime = anytime_work(request.recipe);
  const TrainOutcome outcome = train(table, request, parallel, control);
  anytime.reset();
  output.save(outcome.model);
  report.print(outcome, total, parallel, console);
}

}  // namespace

std::function<void()> declare_train(Arguments& arguments) {
  auto options = std::make_shared<TrainOptions>();
  arguments.group("Method");
  options->recipe.declare(arguments);
  arguments.text("--validation", "FILE", options->validation,
                 "Further rows by which a stage such as prune chooses.");
  options->run.declare_seed(arguments);
  options->stakes.declare(arguments);
  options->data.declare(arguments);
  arguments.group("Options");
  arguments.text("-o,--output", "FILE", options->model, "Saves the model there.");
  options->run.declare_json(arguments);
  options->run.declare_threads(arguments);
  arguments.text("--budget", "TIME", options->budget,
                 "Stages that can stop early stop at their best tree after 500ms, 30s, 2m, 1h.");
  options->run.declare_quiet(arguments);
  return [options] { run_train(*options); };
}

}  // namespace softwood

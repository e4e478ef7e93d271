#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

#include "base/text.h"
#include "cli/class_costs.h"
#include "cli/common.h"
#include "cli/figures.h"
#include "cli/frontier.h"
#include "cli/output.h"
#include "cli/training.h"
#include "cli/verb.h"
#include "softwood/error.h"
#include "study/checkpoint.h"
#include "study/train.h"

namespace softwood {
namespace {

struct TrainOptions {
  DataOptions data;
  RunOptions run;
  RecipeOptions recipe;
  ClassCostOptions class_costs;
  std::string validation, budget, model, checkpoint, frontier;
};

// The file that a path leads to, whether it is there or not.
std::filesystem::path place_of(const std::string& path) {
  std::error_code error;
  const auto absolute = std::filesystem::absolute(path, error);
  const auto place = std::filesystem::weakly_canonical(absolute, error);
  return error ? absolute.lexically_normal() : place;
}

std::string resuming_stages() {
  std::vector<std::string> names;
  for (const Stage& stage : stages()) {
    if (stage.resumes) names.push_back("'" + stage.name + "'");
  }
  return join(names, " or ");
}

// A checkpoint that nobody would write, or that the model would replace.
void refuse_checkpoint(const TrainOptions& options, const Recipe& recipe) {
  if (options.checkpoint.empty()) return;
  if (!recipe.resumes()) {
    throw Error(ErrorKind::usage, "no stage of this recipe keeps a checkpoint", {},
                fmt::format("{} does; leave --checkpoint out", resuming_stages()));
  }
  if (!options.model.empty() && place_of(options.checkpoint) == place_of(options.model)) {
    throw Error(ErrorKind::usage, "the model and the checkpoint can't be one file", {},
                "name another file with --checkpoint");
  }
}

// The trees of the frontier are saved after the model, under names of their own.
void refuse_frontier_file(const TrainOptions& options) {
  if (options.frontier.empty() || options.model.empty()) return;
  const std::filesystem::path model = place_of(options.model);
  if (model.parent_path() != place_of(options.frontier)) return;
  if (!is_frontier_file(model.filename().string())) return;
  throw Error(ErrorKind::usage,
              fmt::format("the model can't be saved as {}: --frontier saves a file of that name",
                          options.model),
              {}, "name another file with -o");
}

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
  refuse_checkpoint(options, request.recipe);
  refuse_frontier_file(options);
  refuse_reading_twice({options.data.path, options.validation, options.class_costs.costs});
  refuse_overwriting(options.model,
                     {options.data.path, options.validation, options.class_costs.costs});
  ModelOutput output(options.model);
  const FrontierFolder folder(options.frontier, request.recipe);
  if (options.model.empty()) console.note("nothing will be saved; '-o model.json' saves the model");
  const Parallel parallel = options.run.parallel();

  const Stopwatch reading;
  Frame frame = options.data.read(parallel);
  const std::vector<std::string> columns = column_names(frame);
  const Prepared prepared = training_table(std::move(frame), roles, control);
  const Table& table = prepared.table;
  refuse_unlearnable(table, columns, roles, source_name(options.data.path));
  request.class_costs = options.class_costs.read(table.schema(), parallel);
  std::optional<Table> validation;
  if (!options.validation.empty()) {
    validation = read_for_model(options.validation, table.schema(), options.data.file, true,
                                parallel, control);
    request.validation = &*validation;
  }
  Checkpoint checkpoint;
  if (!options.checkpoint.empty()) {
    checkpoint = open_checkpoint(options.checkpoint, request, table, control);
    request.checkpoint = &checkpoint;
  }
  TrainingReport report{table, options.run, options.model, reading.seconds(),
                        validation.has_value()};
  TrainOutcome outcome = train(table, request, parallel, control);
  output.save(outcome.model);
  if (folder.wanted()) {
    folder.save(table, request, outcome, parallel, control);
    // Again, with the sizes of the trees that were saved.
    ModelOutput(options.model).save(outcome.model);
  }
  report.print(outcome, total, parallel, console);
}

}  // namespace

std::function<void()> declare_train(Arguments& arguments) {
  auto options = std::make_shared<TrainOptions>();
  arguments.group("Method");
  options->recipe.declare(arguments);
  arguments.text(
      "--validation", "FILE", options->validation,
      "Further rows by which a stage such as prune chooses; shape=full of grow-soft, and refine "
      "and soften by=gradient, also fit their last tree to them.");
  options->run.declare_seed(arguments);
  options->class_costs.declare(arguments);
  options->data.declare(arguments);
  arguments.group("Options");
  arguments.text("-o,--output", "FILE", options->model, "Saves the model there.");
  arguments.text("--frontier", "DIR", options->frontier,
                 "Saves in DIR every tree of the frontier that auto chooses from, and "
                 "frontier.json.");
  options->run.declare_json(arguments);
  options->run.declare_threads(arguments);
  arguments.text("--budget", "TIME", options->budget,
                 "Stages that can stop early stop at their best tree after 500ms, 30s, 2m, 1h.");
  arguments.text("--checkpoint", "FILE", options->checkpoint,
                 "Keeps the state of a long stage there; the same command goes on from it.");
  options->run.declare_quiet(arguments);
  return [options] { run_train(*options); };
}

}  // namespace softwood

#include "use/evaluate.h"

#include <fmt/format.h>

#include "base/text.h"
#include "cli/common.h"
#include "cli/figures.h"
#include "cli/output.h"
#include "cli/stakes.h"
#include "cli/verb.h"
#include "softwood/error.h"

namespace softwood {
namespace {

struct EvaluateOptions {
  std::string model, data, threshold, costs;
  bool no_header = false;
  RunOptions run;
};

double parse_threshold(const std::string& text) {
  double value = no_note;
  if (text.empty()) return value;
  if (parse_number(text, value) && value > 0 && value < 1) return value;
  throw Error(ErrorKind::usage, fmt::format("option '--threshold' can't be '{}'", text), {},
              "expected a probability between 0 and 1");
}

void run_evaluate(const EvaluateOptions& options) {
  Console console(options.run.quiet);
  const Control control = console.control();
  const Parallel parallel = options.run.parallel();
  const double threshold = parse_threshold(options.threshold);
  const Model model = load_model(options.model);
  if (!options.threshold.empty() && model.schema.classes() != 2) {
    throw Error(ErrorKind::usage, "'--threshold' is for models with two classes", {},
                model.schema.classes() == 0
                    ? "this model predicts a number"
                    : fmt::format("this model has {} classes", model.schema.classes()));
  }
  if (!options.threshold.empty()) {
    control.say(fmt::format("'{}' is answered where its probability is at least {}",
                            model.schema.target.levels[1], options.threshold));
  }
  std::vector<double> costs;
  if (!options.costs.empty()) costs = read_costs(options.costs, model.schema, parallel);
  const Table table =
      read_for_model(options.data, model.schema, !options.no_header, true, parallel, control);
  if (table.rows() == 0) throw Error(ErrorKind::data, "has no rows", source_name(options.data));
  const std::vector<RowIndex> rows = all_rows(table);
  const Predictions predictions = predict(model.tree, table, rows, parallel);
  const Evaluation evaluation =
      evaluate(predictions, table, rows, model.tree.majority(0), threshold, costs);
  std::vector<CalibrationBin> bins;
  if (evaluation.task == Task::classification) bins = calibration(predictions, table, rows);
  if (options.run.json) {
    Json object = evaluation_json(evaluation);
    if (!bins.empty()) object["calibration"] = calibration_json(bins);
    print_json(object);
  } else {
    print(evaluation_text(evaluation));
    if (!bins.empty()) print("\n" + calibration_text(bins, model.schema));
  }
}

}  // namespace

std::function<void()> declare_evaluate(Arguments& arguments) {
  auto options = std::make_shared<EvaluateOptions>();
  arguments.positional("MODEL", options->model, "Model file, from 'softwood train -o'.");
  arguments.positional("DATA", options->data, "Rows with the target; columns are found by name.");
  arguments.text("--threshold", "H", options->threshold,
                 "Two classes: answer the second one when its probability is at least H.");
  arguments.text(
      "--costs", "FILE", options->costs,
      "What wrong answers cost, instead of what the model says; the answers stay its own.");
  arguments.flag("--no-header", options->no_header,
                 "The first line is data; columns are c1, c2, ...");
  options->run.declare_json(arguments);
  options->run.declare_threads(arguments);
  options->run.declare_quiet(arguments);
  return [options] { run_evaluate(*options); };
}

}  // namespace softwood

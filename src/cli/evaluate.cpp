#include "use/evaluate.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/text.h"
#include "cli/class_costs.h"
#include "cli/common.h"
#include "cli/figures.h"
#include "cli/output.h"
#include "cli/thresholds.h"
#include "cli/verb.h"
#include "data/convert.h"
#include "softwood/error.h"
#include "study/train.h"
#include "use/permutation.h"
#include "use/roc.h"

namespace softwood {
namespace {

struct EvaluateOptions {
  std::string model, data, threshold, positive, costs;
  ThresholdOptions thresholds;
  bool importance = false;
  long repeats = 10;
  FileOptions file;
  RunOptions run;
};

// The figures on the rows of the training flatter a model. The model may have more inputs than were
// read: then the data are read again with all of them, where so many rows make it likely.
std::optional<bool> is_training_data(const EvaluateOptions& options, const Model& model,
                                     const Table& table, const std::vector<bool>& read,
                                     const Parallel& parallel, Control control) {
  if (std::find(read.begin(), read.end(), false) == read.end()) {
    return are_training_rows(table, model);
  }
  if (table.rows() != model.provenance.rows || options.data == "-") return false;
  control.note = control.warning = nullptr;  // all was said at the first reading
  try {
    return are_training_rows(
        read_for_model(options.data, model.schema, options.file, true, parallel, control), model);
  } catch (const Error&) {
    if (control.should_stop()) throw;
    return false;  // columns that were not read may be absent or have anything in them
  }
}

void run_evaluate(const EvaluateOptions& options) {
  Console console(options.run.quiet);
  const Control control = console.control();
  const Parallel parallel = options.run.parallel();
  refuse_reading_twice({options.model, options.data, options.costs});
  options.thresholds.check({options.model, options.data, options.costs});
  Model model = load_model(options.model);
  if (!options.positive.empty()) {
    model.schema.positive = positive_code(model.schema, options.positive);
  }
  const ClassThreshold threshold = threshold_option(options.threshold, model.schema);
  std::vector<double> costs;
  if (!options.costs.empty()) costs = read_costs(options.costs, model.schema, parallel);
  const std::vector<bool> needed = features_used(model.tree, model.schema.features.size());
  const Table table =
      read_for_model(options.data, model.schema, options.file, true, parallel, control, needed);
  if (table.rows() == 0) throw Error(ErrorKind::data, "has no rows", source_name(options.data));
  const Cells<double>& weights = table.weights();
  if (table.weighted() &&
      std::all_of(weights.begin(), weights.end(), [](double w) { return w == 0; })) {
    throw Error(ErrorKind::data, "all rows have weight 0", source_name(options.data));
  }
  const std::optional<bool> training_data =
      is_training_data(options, model, table, needed, parallel, control);
  if (training_data.value_or(false)) {
    console.note(
        "these are the rows that the model was trained on: on others it will do worse; 'softwood "
        "cv' estimates how it does there");
  }
  const std::vector<RowIndex> rows = all_rows(table);
  const size_t majority = training_majority(model.tree, model.provenance.class_weights);
  const Predictions predictions = predict(model.tree, table, rows, parallel);
  const Evaluation evaluation = evaluate(predictions, table, rows, majority, threshold, costs);
  std::optional<ThresholdTable> curve;
  if (options.thresholds.needed()) curve = threshold_table(predictions, table, rows, costs);
  if (curve) options.thresholds.write_roc(*curve);
  std::vector<InputImportance> importance;
  if (options.importance) {
    importance = permutation_importance(model.tree, table, static_cast<size_t>(options.repeats),
                                        static_cast<uint64_t>(options.run.seed), parallel, costs);
  }
  std::vector<CalibrationBin> bins;
  if (evaluation.task == Task::classification) bins = calibration(predictions, table, rows);
  if (options.run.json) {
    Json object = evaluation_json(evaluation);
    object["training_data"] = training_data ? Json(*training_data) : Json(nullptr);
    if (!bins.empty()) object["calibration"] = calibration_json(bins);
    if (options.thresholds.shown) object["thresholds"] = options.thresholds.json(*curve);
    if (options.importance) object["importance"] = importance_json(importance);
    print_json(object);
  } else {
    print(evaluation_text(evaluation));
    if (!bins.empty()) print("\n" + calibration_text(bins, model.schema, table.weighted()));
    if (options.importance) {
      print("\n" + importance_text(importance, evaluation.task == Task::regression ? "mse"
                                               : std::isnan(evaluation.cost)       ? "error"
                                                                             : "cost per row"));
    }
    if (options.thresholds.shown) {
      print("\n" + options.thresholds.text(*curve, !costs.empty() || !predictions.costs.empty()));
    }
  }
}

}  // namespace

std::function<void()> declare_evaluate(Arguments& arguments) {
  auto options = std::make_shared<EvaluateOptions>();
  arguments.positional("MODEL", options->model,
                       "Model file, from 'softwood train -o'; - is standard input.");
  arguments.positional("DATA", options->data, "Rows with the target; columns are found by name.");
  arguments.text("--threshold", "H", options->threshold,
                 "Two classes: predict the positive one, or CLASS with CLASS:H, when its "
                 "probability is at least H.");
  arguments.text("--positive", "CLASS", options->positive,
                 "Two classes: the positive one, instead of what the model says.");
  arguments.text(
      "--costs", "FILE", options->costs,
      "What errors cost, instead of what the model says; its predictions stay the same.");
  options->thresholds.declare(arguments);
  arguments.flag("--importance", options->importance,
                 "What the model loses when the values of one input are shuffled among the rows.");
  arguments.integer("--repeats", "N", options->repeats, 1, 10000,
                    "With --importance: shuffles of each input, default 10.");
  options->run.declare_seed(arguments);
  options->file.declare(arguments);
  options->run.declare_json(arguments);
  options->run.declare_threads(arguments);
  options->run.declare_quiet(arguments);
  return [options] { run_evaluate(*options); };
}

}  // namespace softwood

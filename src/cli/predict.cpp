#include "use/predict.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/text.h"
#include "cli/common.h"
#include "cli/output.h"
#include "cli/verb.h"
#include "data/convert.h"
#include "lower/lower.h"
#include "render/text/paths.h"
#include "softwood/error.h"
#include "use/evaluate.h"

namespace softwood {
namespace {

struct PredictOptions {
  std::string model, data, output, threshold;
  std::vector<std::string> keep;  // columns of the data that are copied
  bool proba = false, leaf = false, path = false;
  FileOptions file;
  RunOptions run;
};

std::vector<std::string> csv_cells(const std::vector<std::string>& texts) {
  std::vector<std::string> cells;
  cells.reserve(texts.size());
  for (const std::string& text : texts) cells.push_back(csv_cell(text));
  return cells;
}

std::vector<std::string> columns_of(const Schema& schema, const PredictOptions& options) {
  std::vector<std::string> names = options.keep;
  names.emplace_back("prediction");
  if (options.proba) {
    for (const std::string& level : schema.target.levels) names.push_back("proba_" + level);
  }
  if (options.leaf) names.emplace_back("leaf");
  if (options.path) names.emplace_back("path");
  return names;
}

// The data, and the columns to be copied as cells of a CSV file.
struct Rows {
  Table table;
  UnknownCells unknown;
  std::vector<std::vector<std::string>> kept;  // by column
};

Rows read_rows(const PredictOptions& options, const Model& model, const Parallel& parallel,
               const Control& control) {
  const Schema& schema = model.schema;
  const std::vector<bool> needed = features_used(model.tree, schema.features.size());
  ReadOptions reading = read_options_for(schema, false, needed);
  reading.no_rows_allowed = true;
  for (const std::string& name : options.keep) {
    if (std::find(reading.only.begin(), reading.only.end(), name) != reading.only.end()) continue;
    reading.only.push_back(name);
    reading.nominal.push_back(name);  // as they are written
  }
  Frame frame = options.file.read(options.data, std::move(reading), parallel, schema.missing_marks);
  std::vector<std::vector<std::string>> kept;
  for (const std::string& name : options.keep) {
    const FrameColumn* const column = frame.find(name);
    if (column == nullptr) {
      throw Error(ErrorKind::data, fmt::format("there is no column '{}' to keep", name),
                  frame.source, "'--keep' names columns of the data");
    }
    std::vector<std::string>& cells = kept.emplace_back();
    for (size_t row = 0; row < frame.rows; ++row) {
      const std::string text = cell_text(*column, row);
      cells.push_back(text.empty() ? text : csv_cell(text));
    }
  }
  UnknownCells unknown;
  Table table = table_for(std::move(frame), schema, false, control, needed, &unknown);
  return {std::move(table), std::move(unknown), std::move(kept)};
}

// Two columns of one name could not be told apart by whoever reads the predictions.
void refuse_same_names(const Schema& schema, const PredictOptions& options) {
  std::vector<std::string> names = columns_of(schema, options);
  std::sort(names.begin(), names.end());
  const auto twice = std::adjacent_find(names.begin(), names.end());
  if (twice == names.end()) return;
  const bool kept_twice = std::count(options.keep.begin(), options.keep.end(), *twice) > 1;
  throw Error(ErrorKind::usage,
              kept_twice ? fmt::format("'--keep' names column '{}' twice", *twice)
                         : fmt::format("'--keep {0}': the predictions have a column '{0}' of "
                                       "their own",
                                       *twice),
              {}, kept_twice ? "name it once" : "leave it out, or rename it in the data");
}

void run_predict(const PredictOptions& options) {
  Console console(options.run.quiet);
  const Control control = console.control();
  const Parallel parallel = options.run.parallel();
  refuse_reading_twice({options.model, options.data});
  const Model model = load_model(options.model);
  if (options.proba && model.schema.task() == Task::regression) {
    throw Error(ErrorKind::usage, "--proba is for classification, and this model predicts a number",
                {}, "leave --proba out");
  }
  const ClassThreshold threshold = threshold_option(options.threshold, model.schema);
  if (threshold.is_given()) {
    console.note_always(threshold_text(threshold, model.schema.target.levels));
  }
  refuse_same_names(model.schema, options);
  refuse_overwriting(options.output, {options.data, options.model});
  Output output(options.output);
  const Rows rows_read = read_rows(options, model, parallel, control);
  const Table& table = rows_read.table;
  const std::vector<RowIndex> rows = all_rows(table);
  const Predictions predictions = predict(model.tree, table, rows, parallel);
  std::vector<NodeIndex> nodes;
  std::vector<std::string> paths;
  if (options.leaf || options.path) nodes = predict_nodes(model.tree, table, rows, parallel);
  if (options.path) {
    render::PathTexts texts(lower(model), rows_read.unknown);
    for (const RowIndex row : rows) paths.push_back(csv_cell(texts.text(nodes[row], table, row)));
  }
  const std::vector<std::string> classes = csv_cells(model.schema.target.levels);
  const bool classify = model.schema.task() == Task::classification;

  output.write(join(csv_cells(columns_of(model.schema, options)), ",") + "\n");
  constexpr size_t block_rows = 16384;
  const Blocks blocks{rows.size(), block_rows};
  std::vector<std::string> texts(blocks.blocks());
  parallel.each(texts.size(), [&](size_t block) {
    fmt::memory_buffer line;
    const auto append = [&line](double value) {
      fmt::format_to(std::back_inserter(line), "{}", value);
    };
    for (size_t i = blocks.begin(block); i < blocks.end(block); ++i) {
      for (const std::vector<std::string>& column : rows_read.kept) {
        line.append(column[i]);
        line.push_back(',');
      }
      if (classify) {
        line.append(classes[answered_class(predictions, i, threshold)]);
      } else {
        append(predictions.answers[i]);
      }
      for (size_t c = 0; options.proba && classify && c < predictions.width; ++c) {
        line.push_back(',');
        append(predictions.answers[i * predictions.width + c]);
      }
      if (options.leaf) fmt::format_to(std::back_inserter(line), ",{}", nodes[i]);
      if (options.path) fmt::format_to(std::back_inserter(line), ",{}", paths[i]);
      line.push_back('\n');
    }
    texts[block].assign(line.data(), line.size());
  });
  for (const std::string& text : texts) output.write(text);
  output.finish();
}

}  // namespace

std::function<void()> declare_predict(Arguments& arguments) {
  auto options = std::make_shared<PredictOptions>();
  arguments.positional("MODEL", options->model,
                       "Model file, from 'softwood train -o'; - is standard input.");
  arguments.positional("DATA", options->data,
                       "Rows to predict; columns are found by name, the target may be missing.");
  arguments.group("Columns after 'prediction'");
  arguments.flag("--proba", options->proba, "proba_CLASS: the probability of each class.");
  arguments.flag("--leaf", options->leaf,
                 "leaf: number of the node where the row ends, as 'softwood show' prints it.");
  arguments.flag("--path", options->path, "path: the conditions that led there, in words.");
  arguments.group("Options");
  arguments.list("--keep", "A,B", options->keep, true,
                 "Columns of the data to copy, before 'prediction'.");
  arguments.text("--threshold", "H", options->threshold,
                 "Two classes: predict the positive one, or CLASS with CLASS:H, when its "
                 "probability is at least H. Standard error names it, also with --quiet.");
  arguments.text("-o,--output", "FILE", options->output,
                 "Writes the predictions there instead of to standard output.");
  options->file.declare(arguments);
  options->run.declare_threads(arguments);
  options->run.declare_quiet(arguments);
  return [options] { run_predict(*options); };
}

}  // namespace softwood

#include "render/html/report.h"

#include <fmt/format.h>

#include <deque>
#include <filesystem>

#include "base/text.h"
#include "cli/common.h"
#include "cli/output.h"
#include "cli/verb.h"
#include "softwood/error.h"
#include "study/lowered.h"

namespace softwood {
namespace {

using render::ReportOptions;

struct ReportArguments {
  std::string model, data, output, rows;
  std::vector<std::string> against;
  FileOptions file;
  RunOptions run;
};

size_t rows_option(const std::string& text) {
  if (text.empty()) return ReportOptions().rows;
  if (text == "none") return 0;
  long rows = 0;
  if (parse_integer(text, rows) && rows >= 0) return static_cast<size_t>(rows);
  throw Error(ErrorKind::usage, fmt::format("option '--rows' can't be '{}'", printable(text)), {},
              "expected a whole number, or none");
}

// Folders would say where a person keeps the file.
std::string shown_name(const std::string& path) {
  return path == "-" ? "standard input" : std::filesystem::path(path).filename().string();
}

struct ReportRows {
  Table table;
  std::vector<bool> absent;         // as in ReportOptions
  std::vector<size_t> row_numbers;  // as in ReportOptions
};

std::vector<bool> others(std::vector<bool> used) {
  used.flip();
  return used;
}

// Rows without a target are left out of a table, yet people count them.
std::vector<size_t> numbers_of_kept(const Frame& frame, const std::string& target) {
  const FrameColumn* const column = frame.find(target);
  if (column == nullptr) return {};
  std::vector<size_t> numbers;
  for (size_t row = 0; row < frame.rows; ++row) {
    if (!column->cells.is_missing(row)) numbers.push_back(row + 1);
  }
  return numbers;
}

class RowsReader {
 public:
  RowsReader(const ReportArguments& arguments, const Model& model, const Parallel& parallel,
             const Control& control)
      : arguments_(arguments), model_(model), parallel_(parallel), control_(control) {}

  // With all inputs where the file has them, and inputs in use in any case; without a target only
  // where it need not be there.
  ReportRows read(bool need_target) const {
    const std::vector<bool> used = features_used(model_.tree, model_.schema.features.size());
    if (arguments_.data == "-") return read(true, {}, control_);  // it is read once only
    if (can_read(true, {})) return read(true, {}, control_);
    if (need_target || can_read(true, used)) return read(true, used, control_);
    return read(false, used, control_);
  }

 private:
  ReportRows read(bool target, const std::vector<bool>& needed, const Control& control) const {
    const Schema& schema = model_.schema;
    Frame frame = arguments_.file.read(arguments_.data, read_options_for(schema, target, needed),
                                       parallel_, schema.missing_marks);
    std::vector<size_t> numbers;
    if (target) numbers = numbers_of_kept(frame, schema.target.name);
    return {table_for(std::move(frame), schema, target, control, needed),
            needed.empty() ? std::vector<bool>() : others(needed), std::move(numbers)};
  }

  bool can_read(bool target, const std::vector<bool>& needed) const {
    try {
      read(target, needed, control_.silent());
      return true;
    } catch (const Error& error) {
      if (error.kind() != ErrorKind::data) throw;
      return false;
    }
  }

  const ReportArguments& arguments_;
  const Model& model_;
  const Parallel& parallel_;
  const Control& control_;
};

std::string one_report(const ReportArguments& arguments, ReportOptions options,
                       const Parallel& parallel, const Control& control) {
  const Model model = load_model(arguments.model);
  std::optional<ReportRows> rows;
  if (!arguments.data.empty()) {
    rows = RowsReader(arguments, model, parallel, control).read(false);
    options.absent = rows->absent;
    options.row_numbers = rows->row_numbers;
  }
  const LoweredTree tree = lowered_with_recipe(model);
  return render::report_page(
      {model, tree, rows ? &rows->table : nullptr, options, parallel, control});
}

std::string compared_report(const ReportArguments& arguments, ReportOptions options,
                            const Parallel& parallel, const Control& control) {
  if (arguments.data.empty()) {
    throw Error(ErrorKind::usage, "'--against' compares models on rows", {},
                "name DATA after MODEL");
  }
  std::vector<std::string> paths = {arguments.model};
  paths.insert(paths.end(), arguments.against.begin(), arguments.against.end());
  // What the compared models refer to must not move.
  std::deque<Model> models;
  std::deque<LoweredTree> trees;
  std::deque<ReportRows> tables;
  std::vector<render::ComparedModel> compared;
  for (const std::string& path : paths) {
    const Model& model = models.emplace_back(load_model(path));
    const LoweredTree& tree = trees.emplace_back(lowered_with_recipe(model));
    const ReportRows& rows =
        tables.emplace_back(RowsReader(arguments, model, parallel, control).read(true));
    if (rows.row_numbers != tables[0].row_numbers) {
      throw Error(ErrorKind::data,
                  fmt::format("'{}' and '{}' know different marks of missing values",
                              shown_name(paths[0]), shown_name(path)),
                  {}, "models are compared on the same rows: name the marks with --na");
    }
    compared.push_back({shown_name(path), model, tree, rows.table, rows.absent.empty()});
  }
  options.row_numbers = tables[0].row_numbers;
  return render::comparison_page(compared, options, parallel, control);
}

void run_report(const ReportArguments& arguments) {
  Console console(arguments.run.quiet);
  const Control control = console.control();
  const Parallel parallel = arguments.run.parallel();
  ReportOptions options;
  options.rows = rows_option(arguments.rows);
  options.model_name = shown_name(arguments.model);
  if (!arguments.data.empty()) options.data_name = shown_name(arguments.data);
  std::vector<std::string> inputs = {arguments.model, arguments.data};
  inputs.insert(inputs.end(), arguments.against.begin(), arguments.against.end());
  refuse_reading_twice(inputs);
  if (arguments.data == "-" && !arguments.against.empty()) {
    throw Error(ErrorKind::usage, "'--against' reads the data once per model", {},
                "name a file instead of -");
  }
  refuse_overwriting(arguments.output, inputs);
  Output output(arguments.output);
  output.write(arguments.against.empty() ? one_report(arguments, options, parallel, control)
                                         : compared_report(arguments, options, parallel, control));
  output.finish();
}

}  // namespace

std::function<void()> declare_report(Arguments& arguments) {
  auto given = std::make_shared<ReportArguments>();
  arguments.positional("MODEL", given->model,
                       "Model file, from 'softwood train -o'; - is standard input.");
  arguments.positional("DATA", given->data,
                       "Rows to measure the model on; columns are found by name.", false);
  arguments.text("-o,--output", "FILE", given->output, "HTML file; without it to standard output.");
  arguments.list("--against", "MODEL", given->against, false,
                 "Compare with this model on the rows of DATA; up to four times.");
  arguments.text("--rows", "N", given->rows,
                 "Rows of DATA that the page may hold, default 200, or none; all else are "
                 "aggregates.");
  given->file.declare(arguments);
  given->run.declare_threads(arguments);
  given->run.declare_quiet(arguments);
  return [given] { run_report(*given); };
}

}  // namespace softwood

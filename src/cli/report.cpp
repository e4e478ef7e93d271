#include "api/report.h"

#include <fmt/format.h>

#include <filesystem>

#include "api/held.h"
#include "base/text.h"
#include "cli/common.h"
#include "cli/output.h"
#include "cli/verb.h"
#include "softwood/error.h"

namespace softwood {
namespace {

struct ReportArguments {
  std::string model, data, output, rows;
  std::vector<std::string> against;
  FileOptions file;
  RunOptions run;
};

size_t rows_option(const std::string& text) {
  if (text.empty()) return ReportSettings().rows;
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

std::vector<bool> others(std::vector<bool> used) {
  used.flip();
  return used;
}

// With all inputs and the target where the file has them; inputs in use must be there.
DataSet read_rows(const ReportArguments& arguments, const Model& model, const Parallel& parallel,
                  const Control& control) {
  const std::vector<bool> used = features_used(model.tree, model.schema.features.size());
  const auto read = [&](bool target, const std::vector<bool>& needed, const Control& told) {
    return read_for_model(arguments.data, model.schema, arguments.file, target, parallel, told,
                          needed);
  };
  if (arguments.data == "-") return data_set(read(true, {}, control));  // it is read once only
  Control silent = control;
  silent.note = silent.warning = nullptr;
  const auto can_read = [&](bool target, const std::vector<bool>& needed) {
    try {
      read(target, needed, silent);
      return true;
    } catch (const Error& error) {
      if (error.kind() != ErrorKind::data) throw;
      return false;
    }
  };
  if (can_read(true, {})) return data_set(read(true, {}, control));
  if (can_read(true, used)) return data_set(read(true, used, control), others(used));
  return data_set(read(false, used, control), others(used));
}

std::string one_report(const ReportArguments& arguments, const ReportSettings& settings,
                       const Parallel& parallel, const Control& control) {
  const TreeModel model = tree_model(load_model(arguments.model));
  if (arguments.data.empty()) return report_of(model, nullptr, settings, parallel, control);
  const DataSet rows = read_rows(arguments, model.held().model, parallel, control);
  return report_of(model, &rows, settings, parallel, control);
}

std::string compared_report(const ReportArguments& arguments, const ReportSettings& settings,
                            const Parallel& parallel, const Control& control) {
  if (arguments.data.empty()) {
    throw Error(ErrorKind::usage, "'--against' compares models on rows", {},
                "name DATA after MODEL");
  }
  std::vector<std::string> paths = {arguments.model};
  paths.insert(paths.end(), arguments.against.begin(), arguments.against.end());
  std::vector<ReportedModel> compared;
  for (const std::string& path : paths) {
    const TreeModel model = tree_model(load_model(path));
    Table rows = read_for_model(arguments.data, model.held().model.schema, arguments.file, true,
                                parallel, control, model.inputs_used());
    compared.push_back(
        {shown_name(path), model, data_set(std::move(rows), others(model.inputs_used()))});
  }
  return comparison_of(compared, settings, parallel, control);
}

void run_report(const ReportArguments& arguments) {
  Console console(arguments.run.quiet);
  const Control control = console.control();
  const Parallel parallel = arguments.run.parallel();
  ReportSettings settings;
  settings.rows = rows_option(arguments.rows);
  settings.model_name = shown_name(arguments.model);
  if (!arguments.data.empty()) settings.data_name = shown_name(arguments.data);
  std::vector<std::string> inputs = {arguments.model, arguments.data};
  inputs.insert(inputs.end(), arguments.against.begin(), arguments.against.end());
  refuse_reading_twice(inputs);
  if (arguments.data == "-" && !arguments.against.empty()) {
    throw Error(ErrorKind::usage, "'--against' reads the data once per model", {},
                "name a file instead of -");
  }
  refuse_overwriting(arguments.output, inputs);
  Output output(arguments.output);
  output.write(arguments.against.empty() ? one_report(arguments, settings, parallel, control)
                                         : compared_report(arguments, settings, parallel, control));
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

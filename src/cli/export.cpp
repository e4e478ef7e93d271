#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <optional>

#include "base/text.h"
#include "cli/check/check.h"
#include "cli/common.h"
#include "cli/output.h"
#include "cli/verb.h"
#include "data/convert.h"
#include "data/missing_marks.h"
#include "data/readers/number.h"
#include "render/export/exporter.h"
#include "render/export/literals.h"
#include "render/export/self_test.h"
#include "softwood/error.h"
#include "study/lowered.h"
#include "use/evaluate.h"

namespace softwood {
namespace {

using render::Exporter;
using render::ExportOptions;

struct ExportArguments {
  std::string model, format, output, name, check, threshold;
  bool header = false, self_test = false, formats = false;
  ExportOptions options;
  FileOptions file;
  RunOptions run;
};

std::vector<std::string> format_names() {
  std::vector<std::string> names;
  for (const Exporter& exporter : render::exporters()) names.push_back(exporter.name);
  return names;
}

std::string header_path(const std::string& output) {
  return std::filesystem::path(output).replace_extension(".h").string();
}

// Java wants a class in a file of its name.
std::string java_file_class(const ExportArguments& given, const Exporter& exporter) {
  const std::filesystem::path output(given.output);
  return exporter.name == "java" && output.extension() == exporter.extension
             ? output.stem().string()
             : "";
}

void set_name(ExportArguments& given, const Exporter& exporter) {
  const std::string file = java_file_class(given, exporter);
  if (!given.name.empty()) {
    given.options.name = given.name;
  } else if (render::is_identifier(file)) {
    given.options.name = file;
  }
}

void warn_of_java_file(const ExportArguments& given, const Exporter& exporter,
                       const Control& control) {
  const std::string file = java_file_class(given, exporter);
  const std::string name = render::identifier(render::Language::java, given.options.name);
  if (file.empty() || file == name) return;
  control.warn(
      fmt::format("the class is {0}, and Java compiles it only from a file {0}.java: "
                  "rename {1}",
                  name, given.output));
}

void check_arguments(const ExportArguments& given, const Exporter& exporter) {
  render::check_options(exporter, given.options);
  if (given.header && exporter.header == nullptr) {
    throw Error(ErrorKind::usage,
                fmt::format("'--header' is for --to c, not for --to {}", exporter.name));
  }
  if (given.header && header_path(given.output) == given.output) {
    throw Error(ErrorKind::usage, "'--header' would replace the file that '-o' names", {},
                "give the program another extension: tree.c");
  }
  const bool to_output = given.output.empty() || given.output == "-";
  if (to_output && (given.header || given.self_test)) {
    throw Error(ErrorKind::usage,
                fmt::format("'{}' writes a file beside that of '-o'",
                            given.header ? "--header" : "--self-test"),
                {}, "add -o FILE");
  }
}

// Rows of the exported inputs and what the library answers for them.
class ModelRows {
 public:
  ModelRows(const Model& model, const LoweredTree& exported, const ExportArguments& arguments)
      : model_(model), exported_(exported), arguments_(arguments) {
    for (const Feature& feature : model.schema.features) {
      needed_.push_back(
          std::any_of(exported.inputs.begin(), exported.inputs.end(),
                      [&](const LoweredInput& input) { return input.name == feature.name; }));
    }
  }

  CheckRows read(const std::string& path, const Control& control) const {
    const Parallel parallel = arguments_.run.parallel();
    ReadOptions reading = read_options_for(model_.schema, false, needed_);
    reading.no_rows_allowed = true;
    std::vector<std::string> texts = reading.nominal;
    texts.insert(texts.end(), reading.ordinal.begin(), reading.ordinal.end());
    Frame frame = arguments_.file.read(path, std::move(reading), parallel, marks(false));
    if (path == arguments_.check) refuse_absent_kept(frame);
    if (arguments_.options.single_precision) round_numbers(frame);
    // The export sees numbers and levels that are marks, and must take them for missing by itself.
    UnknownCells unknown;
    Control silent = control;
    silent.note = silent.warning = nullptr;
    const Table given = table_for(frame, model_.schema, false, silent, needed_, &unknown);
    mark_missing(frame, marks(true), texts);
    const Table table = table_for(std::move(frame), model_.schema, false, control, needed_);
    return check_rows(model_, exported_, given, unknown, table, parallel);
  }

 private:
  // The model's texts of missing cells: those that are numbers, or the others, which no cell of a
  // number can hold.
  std::vector<std::string> marks(bool numbers) const {
    std::vector<std::string> chosen;
    for (const std::string& mark : model_.schema.missing_marks) {
      double value = 0;
      if ((read_number(mark, value) == NumberText::finite) != numbers) continue;
      chosen.push_back(mark);
      if (arguments_.options.single_precision && numbers) {
        chosen.push_back(number_text(static_cast<float>(value)));
      }
    }
    return chosen;
  }

  void refuse_absent_kept(const Frame& frame) const {
    std::vector<std::string> names = frame.skipped;
    for (const FrameColumn& column : frame.columns) names.push_back(column.name);
    for (const std::string& keep : arguments_.options.keep) {
      if (std::find(names.begin(), names.end(), keep) != names.end()) continue;
      throw Error(ErrorKind::data, fmt::format("there is no column '{}' to keep", printable(keep)),
                  frame.source, known_names_hint(keep, names));
    }
  }

  // As callers of the export hand them over.
  static void round_numbers(Frame& frame) {
    for (FrameColumn& column : frame.columns) {
      if (column.cells.kind != Kind::numeric) continue;
      std::vector<double> numbers = std::move(column.cells.numbers).take();
      for (double& number : numbers) number = static_cast<float>(number);
      column.cells.numbers = std::move(numbers);
    }
  }

  const Model& model_;
  const LoweredTree& exported_;
  const ExportArguments& arguments_;
  std::vector<bool> needed_;
};

std::string check_text(const Exporter& exporter, const CheckResult& result) {
  if (!result.compared) return fmt::format("{}: the file is valid\n", exporter.name);
  std::string text =
      fmt::format("{}: {} rows compared, {} differ, largest difference {}\n", exporter.name,
                  result.rows, result.differing, short_number(result.largest_difference, 3));
  for (const std::string& line : result.first_differences) text += "  " + line + "\n";
  return text;
}

// As 'predict --proba' writes them.
std::string expected_text(const Model& model, const ExportOptions& options,
                          const Predictions& expected) {
  const std::vector<std::string>& classes = model.schema.target.levels;
  std::string text = "prediction";
  for (const std::string& name : classes) text += "," + csv_cell("proba_" + name);
  text += "\n";
  for (size_t row = 0; row < expected.rows; ++row) {
    std::vector<std::string> cells;
    if (!classes.empty()) {
      cells.push_back(csv_cell(
          classes[answered_class(expected, row, {options.threshold_class, options.threshold})]));
    }
    for (size_t k = 0; k < expected.width; ++k) {
      cells.push_back(number_text(expected.answers[row * expected.width + k]));
    }
    text += join(cells, ",") + "\n";
  }
  return text;
}

// Rows and expected answers beside the export, written after it.
struct SelfTest {
  Output rows, expected;
  std::string rows_text, expected_texts;

  explicit SelfTest(const std::string& output)
      : rows(output + ".rows.csv"), expected(output + ".expected.csv") {}
  void finish() {
    rows.write(rows_text);
    expected.write(expected_texts);
    rows.finish();
    expected.finish();
  }
};

void run_export(ExportArguments& arguments) {
  if (arguments.formats) return print(render::export_features_table());
  if (arguments.model.empty()) {
    throw Error(ErrorKind::usage, "MODEL is missing", {}, "'softwood export --help' says more");
  }
  Console console(arguments.run.quiet);
  const Control control = console.control();
  if (arguments.format.empty()) {
    throw Error(ErrorKind::usage, "'--to FORMAT' is missing", {},
                "expected one of " + join(format_names(), ", "));
  }
  const Exporter& exporter = render::find_exporter(arguments.format);
  set_name(arguments, exporter);
  check_arguments(arguments, exporter);
  warn_of_java_file(arguments, exporter, control);
  refuse_reading_twice({arguments.model, arguments.check});
  const Model model = load_model(arguments.model);
  ExportOptions options = arguments.options;
  const ClassThreshold threshold = threshold_option(arguments.threshold, model.schema);
  if (threshold.is_given()) {
    options.threshold = threshold.least;
    options.threshold_class = static_cast<uint32_t>(threshold.of);
  }
  refuse_overwriting(arguments.output, {arguments.model, arguments.check});
  Output output(arguments.output);
  std::optional<Output> header;
  if (arguments.header) {
    refuse_overwriting(header_path(arguments.output), {arguments.model, arguments.check});
    header.emplace(header_path(arguments.output));
  }
  std::optional<SelfTest> self_test;
  if (arguments.self_test) self_test.emplace(arguments.output);

  const LoweredTree lowered = lowered_with_recipe(model);
  const std::string text = render::export_tree(lowered, exporter, options);
  const LoweredTree exported = render::exported_tree(lowered);
  const ModelRows rows(model, exported, arguments);
  if (!arguments.check.empty()) {
    const CheckResult result =
        check_export(exported, exporter, options, text, rows.read(arguments.check, control));
    const std::string said = check_text(exporter, result);
    const bool to_output = arguments.output.empty() || arguments.output == "-";
    to_output ? console.note(std::string(trim(said))) : print(said);
    if (result.differing > 0) {
      throw Error(ErrorKind::failure,
                  fmt::format("the export answers {} of {} rows otherwise than the model",
                              result.differing, result.rows),
                  arguments.check, "nothing was written; please report this model");
    }
  }
  if (self_test) {
    const TemporaryFolder folder;
    self_test->rows_text = render::self_test_rows(exported, exporter.exactness);
    write_file(folder.file("rows.csv"), self_test->rows_text);
    Control silent = control;
    silent.note = silent.warning = nullptr;  // of levels that are unknown on purpose
    self_test->expected_texts =
        expected_text(model, options, rows.read(folder.file("rows.csv"), silent).expected);
  }
  output.write(text);
  if (header) {
    header->write(exporter.header(exported, options));
    header->finish();
  }
  if (self_test) self_test->finish();
  output.finish();
}

}  // namespace

std::function<void()> declare_export(Arguments& arguments) {
  auto given = std::make_shared<ExportArguments>();
  ExportOptions& options = given->options;
  arguments.positional("MODEL", given->model,
                       "Model file, from 'softwood train -o'; - is standard input.", false);
  arguments.text("--to", "FORMAT", given->format,
                 "Language or format: " + join(format_names(), ", ") + ".");
  arguments.text("-o,--output", "FILE", given->output,
                 "Where the export goes; without it to standard output.");
  arguments.text("--name", "NAME", given->name,
                 "What names in the file begin with: tree_predict; of Java's class. 'tree' by "
                 "default, in Java the name of FILE.");
  arguments.text("--threshold", "H", given->threshold,
                 "Answer the positive class from this probability on; CLASS:H for another one.");
  arguments.flag("--formats", given->formats, "List what each format can express, and end.");
  arguments.group("Of one format");
  arguments.flag("--header", given->header, "c: write declarations to FILE.h as well.");
  arguments.flag("--float", options.single_precision,
                 "c: single precision; cuts are rounded so that single precision inputs go the "
                 "same way.");
  arguments.text("--module", "KIND", options.module,
                 "javascript: esm (export functions), or script (one global object).");
  arguments.text("--dialect", "NAME", options.dialect,
                 "sql: " + join(render::sql_dialects(), ", ") + "; sqlite is the default.");
  arguments.text("--table", "NAME", options.table,
                 "sql: the table with the rows; data by default.");
  arguments.list("--keep", "COLUMNS", options.keep, true,
                 "sql: columns of the table that are passed through.");
  arguments.group("Proof");
  arguments.text("--check", "DATA", given->check,
                 "Run the export on these rows with the program that it is for, and compare its "
                 "answers with the model's.");
  arguments.flag("--self-test", given->self_test,
                 "Write rows and expected answers beside FILE: FILE.rows.csv, FILE.expected.csv.");
  arguments.group("Data and run");
  given->file.declare(arguments);
  given->run.declare_threads(arguments);
  given->run.declare_quiet(arguments);
  return [given] { run_export(*given); };
}

}  // namespace softwood

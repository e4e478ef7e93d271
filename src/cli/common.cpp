#include "cli/common.h"

#include <fmt/format.h>

#include <filesystem>

#include <algorithm>
#include <cmath>

#include "base/text.h"
#include "cli/advice.h"
#include "cli/openml.h"
#include "cli/output.h"
#include "data/missing_marks.h"
#include "data/readers/source.h"
#include "softwood/error.h"
#include "stages/recipe_checks.h"
#include "study/class_costs.h"

namespace softwood {

void FileOptions::declare(Arguments& arguments) {
  arguments.list("--na", "A,B", na, true,
                 "Texts of missing cells, beside empty, ?, NA, nan and null: N/A,-999. Models keep "
                 "them.");
  arguments.flag("--no-header", no_header, "The first line is data; columns are c1, c2, ...");
}

Frame FileOptions::read(const std::string& path, ReadOptions options, const Parallel& parallel,
                        const std::vector<std::string>& marks, Source* bytes) const {
  options.header = !no_header;
  // What is wrong with a file of the cache is said of the set.
  const bool fetched = is_openml(path);
  std::vector<std::string> all = marks;
  all.insert(all.end(), na.begin(), na.end());
  const Source source =
      Source::open(fetched ? openml_set(path).file : path, options.unpack_limit, parallel);
  if (bytes != nullptr) *bytes = source;
  Frame frame = read_frame(source, std::move(options), all, parallel);
  if (fetched) frame.source = path;
  return frame;
}

void DataOptions::declare(Arguments& arguments) {
  arguments.positional(
      "DATA", path,
      "CSV, TSV or ARFF file, also as .gz; - is standard input; openml:61 or openml:iris@1 "
      "is a set of OpenML.");
  arguments.group("Data");
  arguments.text("--target", "NAME", target, "Column to predict; the last one by default.");
  arguments.text("--task", "TASK", task,
                 "classification or regression; found out from the target by default.");
  arguments.text("--positive", "CLASS", positive,
                 "Of two classes the one that thresholds, precision and recall, and monotone "
                 "inputs are about; the last one by default.");
  arguments.list("--nominal", "A,B", nominal, true, "Columns to take as categories.");
  arguments.list("--numeric", "A,B", numeric, true, "Columns to take as numbers.");
  arguments.list("--ordinal", "C=LOW:MID:HIGH", ordinal, true,
                 "Column whose levels have an order, from low to high.");
  arguments.list("--ignore", "A,B", ignore, true, "Columns to leave out.");
  arguments.text("--weights", "NAME", weights, "Column with the weight of each row.");
  file.declare(arguments);
}

namespace {

// The target that the description names.
std::string openml_target(const std::string& path) {
  const OpenmlSet& set = openml_set(path);
  if (!set.target.empty()) return set.target;
  throw Error(ErrorKind::data,
              set.targets.empty() ? "the set has no target of its own"
                                  : "the set has several targets: " + join(set.targets, ", "),
              path, "choose one column with --target");
}

// Columns that are not for learning, unless the user has a use for them.
void add_openml_ignored(const OpenmlSet& set, const std::string& target, ReadOptions& options) {
  for (const std::string& name : set.ignored) {
    const auto named = [&](const std::vector<std::string>& list) {
      return std::find(list.begin(), list.end(), name) != list.end();
    };
    if (named(options.nominal) || named(options.numeric) || named(options.ordinal) ||
        named(options.ignore) || name == options.weights || name == target) {
      continue;
    }
    options.ignore.push_back(name);
  }
}

}  // namespace

Roles DataOptions::roles() const {
  Roles roles;
  roles.target = target.empty() && is_openml(path) ? openml_target(path) : target;
  roles.weights = weights;
  roles.nominal = nominal;
  roles.positive = positive;
  roles.missing_marks = file.na;
  if (task == "classification") roles.task = Task::classification;
  if (task == "regression") roles.task = Task::regression;
  if (!task.empty() && !roles.task) {
    throw Error(ErrorKind::usage, fmt::format("option '--task' can't be '{}'", task), {},
                "expected classification or regression");
  }
  for (const std::string& text : ordinal) {
    const size_t equals = text.rfind('=');
    std::vector<std::string> levels;
    if (equals != std::string::npos) {
      for (const std::string_view level : split(std::string_view(text).substr(equals + 1), ':')) {
        levels.emplace_back(trim(level));
      }
    }
    if (levels.size() < 2 || equals == 0) {
      throw Error(ErrorKind::usage, fmt::format("option '--ordinal' can't be '{}'", text), {},
                  "expected a column and its levels from low to high: size=small:medium:large");
    }
    if (!roles.ordinal.emplace(text.substr(0, equals), levels).second) {
      throw Error(ErrorKind::usage, fmt::format("option '--ordinal' names column '{}' twice",
                                                text.substr(0, equals)));
    }
  }
  return roles;
}

Frame DataOptions::read(const Parallel& parallel, Source* bytes) const {
  ReadOptions options;
  options.nominal = nominal;
  for (const auto& [name, levels] : roles().ordinal) options.ordinal.push_back(name);
  options.numeric = numeric;
  options.weights = weights;
  options.ignore = ignore;
  if (is_openml(path)) add_openml_ignored(openml_set(path), target, options);
  return file.read(path, std::move(options), parallel, {}, bytes);
}

void RunOptions::declare_seed(Arguments& arguments) {
  arguments.integer("--seed", "N", seed, 0, (1L << 62), "Start of the random numbers, default 1.");
}
void RunOptions::declare_threads(Arguments& arguments) {
  arguments.integer("--threads", "N", threads, 1, 1024,
                    "Threads to use, default all; results do not depend on it.");
}
void RunOptions::declare_quiet(Arguments& arguments) {
  arguments.flag("--quiet", quiet, "No progress bar and no notes; warnings stay.");
}
void RunOptions::declare_json(Arguments& arguments) {
  arguments.flag("--json", json, "Print one JSON object instead of text.");
}

void RecipeOptions::declare(Arguments& arguments) {
  arguments.text("--method", "M", method, "Method, default cart; 'softwood methods' lists them.");
  arguments.text("--recipe", "R", recipe,
                 "Stages with their options instead of a method: \"grow min-leaf=5 | prune\".");
  arguments.list("--set", "STAGE.KEY=VALUE", settings, false,
                 "Changes an option of a stage: --set grow.max-depth=4. May be given again.");
  arguments.exclusive("--method", "--recipe");
  hint_at_stage_options(arguments, this);
}

namespace {

// Those of the recipe, then all; the recipe may be wrong itself.
std::vector<const Stage*> stages_from(const RecipeOptions* wanted) {
  std::vector<const Stage*> list;
  try {
    if (wanted != nullptr) {
      const Recipe recipe = wanted->parse();
      for (const Step& step : recipe.steps()) list.push_back(step.stage);
    }
  } catch (const Error&) {
    list.clear();
  }
  for (const Stage& stage : stages()) list.push_back(&stage);
  return list;
}

}  // namespace

void hint_at_stage_options(Arguments& arguments, const RecipeOptions* wanted) {
  arguments.hint_at_unknown([&arguments, wanted](const std::string& name) -> std::string {
    for (const Stage* const stage : stages_from(wanted)) {
      const OptionSpec* const option = option_called(name, stage->options);
      if (option == nullptr) continue;
      return fmt::format("options of stages are set by --set {}.{}=VALUE", stage->name,
                         option->name);
    }
    for (const Stage& stage : stages()) {
      const std::optional<Advice> advice = foreign_option_advice(stage, name);
      if (!advice) continue;
      if (advice->code == AdviceCode::set_parameter && !arguments.has("--" + advice->values[0])) {
        return {};
      }
      return advice_text(*advice);
    }
    if (name == "--dot") return "'softwood export MODEL --to dot' writes it for a saved model";
    return {};
  });
}

Recipe RecipeOptions::parse() const {
  return Recipe::parse(recipe.empty() ? find_method(method_name()).recipe : recipe, settings);
}

Model load_model(const std::string& path) {
  const std::string text =
      path == "-" ? std::string(Source::open(path, 0).bytes()) : read_model_text(path);
  return model_from_text(text, source_name(path));
}

ClassThreshold threshold_option(const std::string& text, const Schema& schema) {
  if (text.empty()) return {};
  const size_t colon = text.rfind(':');
  double value = 0;
  if (!parse_number(text.substr(colon == std::string::npos ? 0 : colon + 1), value) ||
      !(value >= 0 && value <= 1)) {
    throw Error(ErrorKind::usage, fmt::format("option '--threshold' can't be '{}'", text), {},
                "expected a probability from 0 to 1: 0.3, or CLASS:0.3");
  }
  if (schema.classes() == 2) {
    if (colon == std::string::npos) return {schema.positive, value};
    const std::string named = text.substr(0, colon);
    const int32_t code = schema.target.level_code(named);
    if (code >= 0) return {static_cast<size_t>(code), value};
    throw Error(ErrorKind::usage,
                fmt::format("option '--threshold': there is no class '{}'", named), {},
                classes_hint(schema));
  }
  throw Error(ErrorKind::usage, "'--threshold' is for models with two classes", {},
              schema.classes() == 0 ? "this model predicts a number"
                                    : fmt::format("this model has {} classes", schema.classes()));
}

Table read_for_model(const std::string& path, const Schema& schema, const FileOptions& file,
                     bool need_target, const Parallel& parallel, const Control& control,
                     const std::vector<bool>& needed) {
  return table_for(file.read(path, read_options_for(schema, need_target, needed), parallel,
                             schema.missing_marks),
                   schema, need_target, control, needed);
}

namespace {

// Why the data have no input, and what would give them one: columns are left out by themselves only
// where all their values are different.
[[noreturn]] void refuse_no_input(const Schema& schema, const std::vector<std::string>& columns,
                                  const std::string& source) {
  const std::string message = "has no input column besides the target";
  std::vector<std::string> left_out;
  for (const std::string& name : columns) {
    if (name != schema.target.name && name != schema.weight) left_out.push_back(name);
  }
  if (left_out.empty()) {
    throw Error(ErrorKind::data, message, source, "a tree needs at least one column to ask about");
  }
  const bool one = left_out.size() == 1;
  throw Error(ErrorKind::data,
              fmt::format("{}: {} {} left out, as all {} values are different", message,
                          names_list(left_out), one ? "was" : "were", one ? "its" : "their"),
              source,
              fmt::format("a tree asks about values that several rows have; --nominal {} keeps {}",
                          shell_word(csv_cell(left_out[0])), one ? "it" : "the first of them"));
}

}  // namespace

std::vector<std::string> column_names(const Frame& frame) {
  std::vector<std::string> names;
  for (const FrameColumn& column : frame.columns) names.push_back(column.name);
  return names;
}

void refuse_unlearnable(const Table& table, const std::vector<std::string>& columns,
                        const Roles& roles, const std::string& source) {
  const Schema& schema = table.schema();
  if (table.features() == 0) refuse_no_input(schema, columns, source);
  if (schema.task() != Task::classification) return;
  if (!roles.task && schema.classes() >= fewest_identifiers && schema.classes() == table.rows()) {
    throw Error(ErrorKind::data,
                fmt::format("every row has a class of its own in the target '{}'",
                            printable(schema.target.name, 40)),
                source, "choose another column with --target, or say --task classification");
  }
  const Cells<int32_t>& codes = table.target().codes;
  if (std::adjacent_find(codes.begin(), codes.end(), std::not_equal_to<>()) != codes.end()) return;
  throw Error(
      ErrorKind::data,
      fmt::format(
          "target '{}' has only one class{}", printable(schema.target.name, 40),
          schema.classes() == 1 ? ", '" + printable(schema.target.levels[0], 40) + "'" : ""),
      source, "choose another column with --target");
}

std::string source_name(const std::string& path) { return path == "-" ? "standard input" : path; }

void refuse_reading_twice(const std::vector<std::string>& inputs) {
  if (std::count(inputs.begin(), inputs.end(), "-") < 2) return;
  throw Error(ErrorKind::usage, "standard input can be read only once", {},
              "name a file instead of one '-'");
}

void refuse_overwriting(const std::string& output, const std::vector<std::string>& inputs,
                        const std::string& option) {
  for (const std::string& input : inputs) {
    std::error_code none;
    if (output.empty() || !std::filesystem::is_regular_file(input, none) ||
        !std::filesystem::equivalent(output, input, none)) {
      continue;
    }
    throw Error(ErrorKind::usage, fmt::format("'{} {}' would replace the input", option, output),
                {}, "name another file");
  }
}

}  // namespace softwood

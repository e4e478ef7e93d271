#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <optional>

#include "base/text.h"
#include "cli/common.h"
#include "cli/explain_output.h"
#include "cli/output.h"
#include "cli/verb.h"
#include "data/convert.h"
#include "data/typical.h"
#include "explain/change.h"
#include "explain/partial.h"
#include "softwood/error.h"
#include "study/lowered.h"
#include "tree/costs.h"

namespace softwood {
namespace {

struct ExplainOptions {
  std::string model, data, background, output, scale = "usual", of_class, reach;
  std::vector<std::string> rows, partial;
  long top = 4, points = 20, most_inputs = 3;
  bool change = false, individual = false;
  ChangeGoal goal;
  FileOptions file;
  RunOptions run;
};

// Rows that are shown where nobody says which.
constexpr size_t first_rows = 10;

AnswerScale scale_of(const std::string& name) {
  if (name == "usual") return AnswerScale::usual;
  if (name == "probability") return AnswerScale::probability;
  if (name == "log-odds") return AnswerScale::log_odds;
  throw Error(ErrorKind::usage, fmt::format("option '--scale' can't be '{}'", name), {},
              "expected probability or log-odds");
}

double reach_of(const std::string& text) {
  double value = ChangeGoal::unknown_goal;
  if (text.empty()) return value;
  if (parse_number(text, value) && std::isfinite(value)) return value;
  throw Error(ErrorKind::usage, fmt::format("option '--reach': '{}' is not a number", text));
}

std::optional<uint32_t> class_of(const std::string& name, const LoweredTree& tree) {
  if (name.empty()) return {};
  const std::vector<std::string>& classes = tree.target.classes;
  const auto found = std::find(classes.begin(), classes.end(), name);
  if (found != classes.end()) return static_cast<uint32_t>(found - classes.begin());
  throw Error(ErrorKind::usage, fmt::format("option '--class': there is no class '{}'", name), {},
              classes.empty() ? "this model predicts a number" : known_names_hint(name, classes));
}

// The rows of the data that are asked for, counted from 1.
std::vector<RowIndex> rows_asked(const std::vector<std::string>& texts, const Table& table) {
  std::vector<RowIndex> rows;
  for (const std::string& text : texts) {
    long number = 0;
    if (!parse_integer(text, number) || number < 1 || static_cast<size_t>(number) > table.rows()) {
      throw Error(ErrorKind::usage, fmt::format("option '--row': there is no row '{}'", text), {},
                  fmt::format("the data have rows 1 to {}", table.rows()));
    }
    rows.push_back(static_cast<RowIndex>(number - 1));
  }
  return rows;
}

class ExplainRun {
 public:
  explicit ExplainRun(const ExplainOptions& options)
      : options_(options),
        console_(options.run.quiet),
        control_(console_.control()),
        parallel_(options.run.parallel()),
        model_(load_model(options.model)),
        lowered_(lowered_with_recipe(model_)),
        predictor_(model_.tree),
        to_file_(!options.output.empty() && options.output != "-") {}

  void run() {
    const std::optional<uint32_t> shown_class = class_of(options_.of_class, lowered_);
    refuse_overwriting(options_.output, {options_.model, options_.data, options_.background});
    Output output(options_.output);
    const Table table = read(options_.data);
    if (table.rows() == 0) throw Error(ErrorKind::data, "has no rows", source_name(options_.data));
    output.write(options_.partial.empty() ? explained(table, shown_class) : partial(table));
    output.finish();
  }

 private:
  Table read(const std::string& path) const {
    const std::vector<bool> needed = features_used(model_.tree, model_.schema.features.size());
    return read_for_model(path, model_.schema, options_.file, false, parallel_, control_, needed);
  }

  std::string partial(const Table& table) const {
    PartialSettings settings;
    settings.inputs = options_.partial;
    settings.points = static_cast<size_t>(options_.points);
    settings.individual = options_.individual;
    settings.scale = scale_of(options_.scale);
    if (options_.individual && !to_file_ && !options_.run.json) {
      throw Error(ErrorKind::usage, "'--individual' gives a curve per row, too much to read", {},
                  "add -o FILE for a CSV file, or --json");
    }
    const std::vector<uint32_t> used = inputs_in_use(lowered_);
    for (const std::string& name : settings.inputs) {
      const uint32_t input = input_index(lowered_, name);
      if (std::find(used.begin(), used.end(), input) != used.end()) continue;
      throw Error(ErrorKind::usage,
                  fmt::format("the tree does not ask about '{}': no answer depends on it", name));
    }
    const PartialDependence result =
        partial_dependence({lowered_, predictor_}, table, settings, parallel_, control_);
    if (options_.run.json) return json_text(partial_json(lowered_, result)) + "\n";
    return to_file_ ? partial_csv(lowered_, result) : partial_text(lowered_, result);
  }

  std::string explained(const Table& table, std::optional<uint32_t> shown_class) const {
    std::optional<Table> background;
    if (!options_.background.empty()) background = read(options_.background);
    const bool text = !to_file_ && !options_.run.json;
    std::vector<RowIndex> rows = rows_asked(options_.rows, table);
    if (rows.empty()) {
      rows = all_rows(table);
      if (text) rows.resize(std::min(rows.size(), first_rows));
    }
    ExplainSettings settings;
    settings.scale = scale_of(options_.scale);
    settings.seed = static_cast<uint64_t>(options_.run.seed);
    Explained result{
        lowered_,
        table,
        rows,
        explain_rows({lowered_, predictor_}, table, rows, background ? &*background : nullptr,
                     settings, parallel_, control_),
        std::vector<double>(rows.size() * model_.tree.answer_width()),
        {},
        {},
        {},
        options_.goal,
        shown_class};
    predictor_.answers(table, rows, result.answers, parallel_);
    for (size_t i = 0; i < rows.size() && lowered_.is_classifier(); ++i) {
      result.classes.push_back(
          cheapest_answer(std::span(result.answers).subspan(i * result.width(), result.width()),
                          model_.tree.costs()));
    }
    const Table& reference = background ? *background : table;
    // A few rows, which may be those that are explained, do not say what is typical.
    constexpr size_t fewest_rows = 10;
    result.typical.assign(lowered_.inputs.size(), unknown_number);
    if (reference.rows() >= fewest_rows) {
      result.typical = typical_values(reference, all_rows(reference), control_);
    }
    for (size_t f = 0; f < lowered_.inputs.size(); ++f) {
      if (!std::isnan(lowered_.inputs[f].typical)) result.typical[f] = lowered_.inputs[f].typical;
    }
    if (options_.change) {
      check_goal();
      result.goal.reach = reach_of(options_.reach);
      result.goal.most_inputs = static_cast<size_t>(options_.most_inputs);
      result.changes = nearest_changes({lowered_, predictor_}, table, rows, reference, result.goal,
                                       parallel_, control_);
    }
    if (options_.run.json) {
      return json_text(explanation_json(result, static_cast<size_t>(options_.top))) + "\n";
    }
    return to_file_ ? explanation_csv(result) : rows_text(result);
  }

  void check_goal() const {
    if (!lowered_.is_classifier() && options_.reach.empty()) {
      throw Error(ErrorKind::usage, "'--change' of a model that predicts a number needs a goal", {},
                  "add --reach NUMBER");
    }
    if (lowered_.target.classes.size() > 2 && !options_.reach.empty() && options_.goal.to.empty()) {
      throw Error(ErrorKind::usage,
                  "'--reach' of a model with several classes is about one of them", {},
                  "add --to CLASS");
    }
  }

  std::string rows_text(const Explained& result) const {
    std::string text = explanation_heading(result);
    for (size_t i = 0; i < result.rows.size(); ++i) {
      text += "\n" + explained_row_text(result, i, static_cast<size_t>(options_.top));
    }
    const size_t more = result.table.rows() - result.rows.size();
    if (options_.rows.empty() && more > 0) {
      text += fmt::format("\n{} more {}: --row N shows one, -o FILE.csv writes all\n", more,
                          more == 1 ? "row" : "rows");
    }
    return text;
  }

  const ExplainOptions& options_;
  Console console_;
  const Control control_;
  const Parallel parallel_;
  const Model model_;
  const LoweredTree lowered_;
  const Predictor predictor_;
  const bool to_file_;
};

void check_arguments(const ExplainOptions& options) {
  refuse_reading_twice({options.model, options.data, options.background});
  const ChangeGoal& goal = options.goal;
  if (!options.change) {
    const bool given = !goal.to.empty() || !options.reach.empty() || !goal.fixed.empty() ||
                       !goal.only_up.empty() || !goal.only_down.empty();
    if (given) {
      throw Error(ErrorKind::usage,
                  "'--to', '--reach', '--fixed', '--only-up' and '--only-down' "
                  "say what a change may be",
                  {}, "add --change");
    }
  }
  if (options.partial.empty() && options.individual) {
    throw Error(ErrorKind::usage, "'--individual' is for partial dependence", {},
                "add --partial INPUT");
  }
}

}  // namespace

std::function<void()> declare_explain(Arguments& arguments) {
  auto options = std::make_shared<ExplainOptions>();
  arguments.positional("MODEL", options->model,
                       "Model file, from 'softwood train -o'; - is standard input.");
  arguments.positional("DATA", options->data,
                       "Rows to explain; columns are found by name, the target may be missing.");
  arguments.group("Reasons");
  arguments.list("--row", "N", options->rows, true,
                 "Rows of DATA, counted from 1; may be given again. Without it the first 10, with "
                 "-o or --json all.");
  arguments.integer("--top", "N", options->top, 1, 1000000,
                    "Reasons per row, the largest first, default 4; in CSV all.");
  arguments.text("--class", "CLASS", options->of_class,
                 "The class whose probability is explained; by default the positive one of two, of "
                 "more the one that is answered.");
  arguments.text("--scale", "SCALE", options->scale,
                 "probability or log-odds; by default log odds for trees that mix them, else "
                 "probability.");
  arguments.text("--background", "FILE", options->background,
                 "Rows to compare with, for interventional values. Without it: path-dependent "
                 "values where the tree allows, else 200 rows of DATA.");
  arguments.group("What would change the answer");
  arguments.flag("--change", options->change,
                 "The nearest change that gives another answer: of the fewest inputs, then the "
                 "smallest in units of their standard deviations.");
  arguments.text("--to", "CLASS", options->goal.to, "The answer to be reached.");
  arguments.text("--reach", "P", options->reach,
                 "The probability to be reached, of --to or the positive class; in regression the "
                 "number.");
  arguments.list("--fixed", "COLUMNS", options->goal.fixed, true, "Inputs that must not change.");
  arguments.list("--only-up", "COLUMNS", options->goal.only_up, true, "Inputs that may only rise.");
  arguments.list("--only-down", "COLUMNS", options->goal.only_down, true,
                 "Inputs that may only fall.");
  arguments.integer("--most-inputs", "N", options->most_inputs, 1, 3,
                    "Inputs that a search changes at most, default 3; trees of thresholds need no "
                    "search.");
  arguments.group("Partial dependence");
  arguments.list("--partial", "A[,B]", options->partial, true,
                 "The mean answer over DATA for values of one input or of two.");
  arguments.flag("--individual", options->individual, "The answers of every row as well.");
  arguments.integer("--points", "N", options->points, 2, 10000,
                    "Values of a numeric input at most, default 20: quantiles of DATA.");
  arguments.exclusive("--partial", "--row");
  arguments.exclusive("--partial", "--change");
  arguments.group("Options");
  arguments.text("-o,--output", "FILE", options->output,
                 "Writes CSV (with --json JSON) of all rows there.");
  options->run.declare_json(arguments);
  options->run.declare_seed(arguments);
  options->file.declare(arguments);
  options->run.declare_threads(arguments);
  options->run.declare_quiet(arguments);
  return [options] {
    check_arguments(*options);
    ExplainRun(*options).run();
  };
}

}  // namespace softwood

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "base/text.h"
#include "cli/class_costs.h"
#include "cli/common.h"
#include "cli/figures.h"
#include "cli/output.h"
#include "cli/stability.h"
#include "cli/verb.h"
#include "data/convert.h"
#include "softwood/error.h"
#include "study/checkpoint.h"
#include "study/cv.h"
#include "tree/costs.h"
#include "use/intervals.h"

namespace softwood {
namespace {

struct CvOptions {
  DataOptions data;
  RunOptions run;
  ClassCostOptions class_costs;
  std::vector<std::string> methods, recipes, settings;
  std::string folds_file, checkpoint;
  long folds = 10, repeats = 1, samples = 100;
  bool stability = false;
};

// Of the settings "stage.key=value" those whose stage this recipe has. One that fits no candidate
// is left in all of them, so that parsing explains what is wrong with it.
std::vector<std::string> fitting_settings(const std::vector<Recipe>& plain, size_t which,
                                          const std::vector<std::string>& settings) {
  const auto fits = [](const Recipe& recipe, const std::string& setting) {
    return std::any_of(recipe.steps().begin(), recipe.steps().end(), [&](const Step& step) {
      return setting.starts_with(step.stage->name + ".");
    });
  };
  std::vector<std::string> kept;
  for (const std::string& setting : settings) {
    const bool somewhere = std::any_of(plain.begin(), plain.end(),
                                       [&](const Recipe& recipe) { return fits(recipe, setting); });
    if (!somewhere || fits(plain[which], setting)) kept.push_back(setting);
  }
  return kept;
}

std::vector<Candidate> parse_candidates(const CvOptions& options) {
  std::vector<std::pair<std::string, std::string>> named;  // method, recipe
  for (const std::string& method : options.methods) {
    named.emplace_back(method, find_method(method).recipe);
  }
  for (const std::string& recipe : options.recipes) named.emplace_back("", recipe);
  if (named.empty()) named.emplace_back("cart", find_method("cart").recipe);
  std::vector<Recipe> plain;
  plain.reserve(named.size());
  for (const auto& [method, recipe] : named) plain.push_back(Recipe::parse(recipe));
  std::vector<Candidate> candidates;
  for (size_t i = 0; i < named.size(); ++i) {
    candidates.push_back(
        {named[i].first,
         Recipe::parse(named[i].second, fitting_settings(plain, i, options.settings))});
  }
  return candidates;
}

// `table` has the prepared rows; where no file divides them, in the order of their content.
FoldRuns make_runs(const CvOptions& options, const Prepared& prepared, const Table& table,
                   const Parallel& parallel) {
  if (!options.folds_file.empty()) {
    return runs_from_file(read_frame(options.folds_file, {}, parallel), table, prepared.kept_rows,
                          prepared.frame_rows);
  }
  const auto folds = static_cast<size_t>(options.folds);
  if (folds > table.rows()) {
    throw Error(ErrorKind::usage,
                fmt::format("{} can't be cut into {} folds", counted(table.rows(), "row"), folds),
                {}, fmt::format("use --folds {} at most", table.rows()));
  }
  const auto repeats = static_cast<size_t>(options.repeats);
  return {cross_validation_runs(table, folds, repeats, static_cast<uint64_t>(options.run.seed)),
          folds, repeats};
}

Json outcome_json(const CvOutcome& outcome, const FoldRuns& runs, const CvOptions& options) {
  Json object;
  object["folds"] = runs.folds;
  object["repeats"] = runs.repeats;
  if (runs.fixed_test) object["fixed_test"] = true;
  object["seed"] = options.run.seed;
  object["methods"] = Json::array();
  for (const CandidateResult& candidate : outcome.candidates) {
    Json entry;
    entry["method"] = candidate.method.empty() ? Json(nullptr) : Json(candidate.method);
    entry["recipe"] = candidate.recipe;
    Json intervals;
    intervals["level"] = interval_level;
    for (const auto& [name, values] : candidate.figures) {
      const MeanSd summary = mean_sd(values);
      Json list = Json::array();
      for (const double value : values) list.push_back(json_number(value));
      entry[name] = {{"mean", json_number(summary.mean)},
                     {"sd", json_number(summary.sd)},
                     {"values", std::move(list)}};
      const Interval interval = mean_interval(values, outcome.test_to_train);
      if (std::isfinite(interval.low)) intervals[name] = {interval.low, interval.high};
    }
    entry["intervals"] = std::move(intervals);
    object["methods"].push_back(std::move(entry));
  }
  object["tests"] = Json::array();
  for (const PairedTest& test : outcome.tests) {
    object["tests"].push_back({{"first", test.first},
                               {"second", test.second},
                               {"difference", json_number(test.difference)},
                               {"p", json_number(test.p)}});
  }
  return object;
}

std::string label(const CandidateResult& candidate) {
  return candidate.method.empty() ? candidate.recipe : candidate.method;
}

// Mean ± sd of one figure for all candidates, with the same number of decimals and the points
// below each other.
std::vector<std::string> figure_cells(const CvOutcome& outcome, const std::string& figure) {
  std::vector<MeanSd> summaries;
  double largest = 0;
  for (const CandidateResult& candidate : outcome.candidates) {
    const auto found = std::find_if(candidate.figures.begin(), candidate.figures.end(),
                                    [&](const auto& f) { return f.first == figure; });
    summaries.push_back(found == candidate.figures.end() ? MeanSd{no_note, no_note}
                                                         : mean_sd(found->second));
    if (std::isfinite(summaries.back().mean)) {
      largest = std::max(largest, std::abs(summaries.back().mean));
    }
  }
  constexpr int digits = 3, most_decimals = 5;
  const int before = largest > 0 ? static_cast<int>(std::floor(std::log10(largest))) + 1 : 1;
  const int decimals = std::clamp(digits - std::min(before, 2), 0, most_decimals);
  std::vector<std::string> cells, means;
  size_t width = 0;
  for (const MeanSd& summary : summaries) {
    means.push_back(fmt::format("{:.{}f}", summary.mean, decimals));
    if (std::isfinite(summary.mean)) width = std::max(width, means.back().size());
  }
  for (size_t i = 0; i < summaries.size(); ++i) {
    cells.push_back(std::isfinite(summaries[i].mean) ? fmt::format("{:>{}} ± {:.{}f}", means[i],
                                                                   width, summaries[i].sd, decimals)
                                                     : "-");
  }
  return cells;
}

// The figures a person looks at first; --json has all of them.
std::string figures_table(const CvOutcome& outcome, Task task, bool costs) {
  std::vector<std::string> shown = {"error", "logloss",    "auc",        "leaves",
                                    "depth", "parameters", "fit_seconds"};
  if (task == Task::regression)
    shown = {"rmse", "mae", "r2", "leaves", "depth", "parameters", "fit_seconds"};
  if (costs) shown.insert(shown.begin(), {"cost", "cost_per_row"});
  std::vector<std::vector<std::string>> columns;
  std::vector<std::string> header = {"method"};
  for (const std::string& figure : shown) {
    header.push_back(figure == "fit_seconds"    ? "seconds"
                     : figure == "cost_per_row" ? "per row"
                                                : figure);
    columns.push_back(figure_cells(outcome, figure));
  }
  TextTable table(header);
  for (size_t i = 0; i < outcome.candidates.size(); ++i) {
    std::vector<std::string> row = {label(outcome.candidates[i])};
    for (const auto& column : columns) row.push_back(column[i]);
    table.add(row);
  }
  return table.text();
}

// Of always answering what most rows have, or their mean. The majority of each run's training rows
// would be wrong about every row that is left out alone from classes of equal size.
double error_of_majority(const Table& table, const FoldRuns& runs) {
  std::vector<double> all(table.schema().classes(), 0.0);
  for (const RowIndex row : all_rows(table)) {
    all[static_cast<size_t>(table.target().codes[row])] += table.weight(row);
  }
  const auto majority = std::max_element(all.begin(), all.end()) - all.begin();
  double wrong = 0, tested = 0;
  for (const Run& run : runs.runs) {
    for (const RowIndex row : run.test) {
      tested += table.weight(row);
      if (table.target().codes[row] != majority) wrong += table.weight(row);
    }
  }
  return wrong / tested;
}

double rmse_of_mean(const Table& table) {
  double weight = 0, mean = 0, squares = 0;  // by Welford's recurrence
  for (const RowIndex row : all_rows(table)) {
    const double w = table.weight(row), y = table.target().numbers[row];
    if (!(w > 0)) continue;
    weight += w;
    const double step = y - mean;
    mean += step * w / weight;
    squares += w * step * (y - mean);
  }
  return std::sqrt(squares / weight);
}

// The error, and cost, of one constant answer: the yardstick for the figures.
std::string baseline_text(const Table& table, const FoldRuns& runs, std::span<const double> costs) {
  const Schema& schema = table.schema();
  if (schema.task() == Task::regression) {
    return fmt::format("baseline (mean of all rows): rmse {}\n", short_number(rmse_of_mean(table)));
  }
  std::string text =
      fmt::format("baseline (majority class): error {:.3f}", error_of_majority(table, runs));
  if (!costs.empty()) {
    std::vector<double> all(schema.classes(), 0.0), tested(schema.classes(), 0.0);
    const auto add = [&](std::vector<double>& weights, RowIndex row) {
      weights[static_cast<size_t>(table.target().codes[row])] += table.weight(row);
    };
    for (const RowIndex row : all_rows(table)) add(all, row);
    for (const Run& run : runs.runs) {
      for (const RowIndex row : run.test) add(tested, row);
    }
    const size_t answer = cheapest_answer(all, costs);
    const double cost = cost_of_answer(tested, costs, answer);
    text += fmt::format("; cheapest class (always '{}'): cost {}, per row {}",
                        schema.target.levels[answer],
                        short_number(cost / static_cast<double>(runs.runs.size())),
                        short_number(cost / std::reduce(tested.begin(), tested.end())));
  }
  return text + "\n";
}

std::string p_text(double p) {
  if (!std::isfinite(p)) return "-";
  return p < 0.001 ? "< 0.001" : fmt::format("{:.3f}", p);
}

std::string tests_table(const CvOutcome& outcome, const std::string& compared) {
  TextTable table({"first", "second", "difference in " + compared, "p"});
  for (const PairedTest& test : outcome.tests) {
    table.add({label(outcome.candidates[test.first]), label(outcome.candidates[test.second]),
               fmt::format("{:+.3g}", test.difference), p_text(test.p)});
  }
  return "Paired test on the same folds (corrected resampled t test, Nadeau & Bengio 2003)\n" +
         table.text();
}

bool asks_monotone(const Candidate& candidate) {
  const std::vector<Step>& steps = candidate.recipe.steps();
  return std::any_of(steps.begin(), steps.end(),
                     [](const Step& step) { return step.traits().asks_monotone; });
}

void run_cv(const CvOptions& options) {
  Console console(options.run.quiet);
  const Control control = console.control();
  const std::vector<Candidate> candidates = parse_candidates(options);
  const Roles roles = options.data.roles();
  refuse_reading_twice({options.data.path, options.folds_file, options.class_costs.costs});
  const Parallel parallel = options.run.parallel();
  Frame frame = options.data.read(parallel);
  const std::vector<std::string> columns = column_names(frame);
  const Prepared prepared = training_table(std::move(frame), roles, control);
  const std::string source = source_name(options.data.path);
  refuse_unlearnable(prepared.table, columns, roles, source);
  const Table table =
      options.folds_file.empty()
          ? rows_for_folds(prepared.table, static_cast<size_t>(options.folds), parallel, control)
          : prepared.table;
  const ClassCosts class_costs = options.class_costs.read(table.schema(), parallel);
  const FoldRuns runs = make_runs(options, prepared, table, parallel);
  if (runs.fixed_test) {
    control.warn(
        {"part 0 of the folds file is the fixed test part of every run; the others train and "
         "validate in turn",
         "number the parts from 1 to test on each of them once"});
  }
  const auto seed = static_cast<uint64_t>(options.run.seed);
  Checkpoint checkpoint;
  if (!options.checkpoint.empty()) {
    checkpoint = open_checkpoint(options.checkpoint, runs.runs, seed, class_costs, table, control);
  }
  const CvOutcome outcome =
      cross_validate(table, runs.runs, candidates, seed, parallel, control, class_costs,
                     options.checkpoint.empty() ? nullptr : &checkpoint);
  std::vector<Stability> stability;
  for (const Candidate& candidate : candidates) {
    if (!options.stability) break;
    const TrainRequest request{candidate.method, candidate.recipe,
                               static_cast<uint64_t>(options.run.seed), nullptr, class_costs};
    stability.push_back(bootstrap_stability(
        prepared.table, request, static_cast<size_t>(options.samples), parallel, control));
  }
  if (options.run.json) {
    Json object = outcome_json(outcome, runs, options);
    for (size_t i = 0; i < stability.size(); ++i) {
      object["methods"][i]["stability"] = stability_json(stability[i]);
    }
    if (table.schema().classes() == 2) object["positive"] = table.schema().positive_class();
    return print_json(object);
  }
  const Task task = table.schema().task();
  print(fmt::format("{}: {} of {}, {}, {} ({}, {}), mean ± sd\n\n", source, task_name(task),
                    table.schema().target.name, counted(prepared.table.rows(), "row"),
                    counted(runs.runs.size(), "run"), counted(runs.folds, "fold"),
                    counted(runs.repeats, "repeat")));
  const bool costs = !class_costs.costs.empty();
  print(figures_table(outcome, task, costs));
  print(printable_lines(baseline_text(table, runs, class_costs.costs)));
  if (table.schema().classes() == 2 &&
      std::any_of(candidates.begin(), candidates.end(), asks_monotone)) {
    print(fmt::format("monotone is about the share of {}\n", table.schema().positive_class()));
  }
  if (!outcome.tests.empty()) {
    print("\n" + tests_table(outcome, costs                          ? "cost"
                                      : task == Task::classification ? "error"
                                                                     : "mse"));
  }
  for (size_t i = 0; i < stability.size(); ++i) {
    print("\n" + stability_text(label(outcome.candidates[i]), stability[i]));
  }
}

}  // namespace

std::function<void()> declare_cv(Arguments& arguments) {
  auto options = std::make_shared<CvOptions>();
  arguments.group("Methods");
  arguments.list("--method", "M,M2", options->methods, true,
                 "Methods to compare, default cart; 'softwood methods' lists them.");
  arguments.list("--recipe", "R", options->recipes, false,
                 "Stages with their options to compare. May be given again.");
  arguments.list("--set", "STAGE.KEY=VALUE", options->settings, false,
                 "Changes an option of a stage in all recipes that have it. May be given again.");
  hint_at_stage_options(arguments);
  arguments.group("Folds");
  arguments.integer("--folds", "K", options->folds, 2, 1000000,
                    "Parts of which each is the test part once, default 10.");
  arguments.integer("--repeats", "N", options->repeats, 1, 100000,
                    "Times to cut anew into folds, default 1.");
  arguments.text(
      "--folds-file", "FILE", options->folds_file,
      "Folds from a file: a header line, then one column per repeat, one line per row, numbers of "
      "folds from 1. Number 0 marks rows that every run tests on, and no other.");
  arguments.exclusive("--folds-file", "--folds");
  arguments.exclusive("--folds-file", "--repeats");
  arguments.flag("--stability", options->stability,
                 "How often each split comes again in trees of bootstrap samples, and how often "
                 "their answers agree.");
  arguments.integer("--samples", "N", options->samples, 2, 100000,
                    "With --stability: bootstrap samples, default 100.");
  arguments.text("--checkpoint", "FILE", options->checkpoint,
                 "Keeps the figures of finished runs there, and goes on from those of an earlier "
                 "call on the same folds.");
  options->run.declare_seed(arguments);
  options->class_costs.declare(arguments);
  options->data.declare(arguments);
  arguments.group("Options");
  options->run.declare_json(arguments);
  options->run.declare_threads(arguments);
  options->run.declare_quiet(arguments);
  return [options] { run_cv(*options); };
}

}  // namespace softwood

#include <fmt/format.h>

#include "base/text.h"
#include "cli/common.h"
#include "cli/figures.h"
#include "cli/iris.h"
#include "cli/output.h"
#include "cli/verb.h"
#include "data/generate.h"
#include "softwood/error.h"
#include "study/cv.h"
#include "study/train.h"
#include "tree/show.h"

namespace softwood {
namespace {

constexpr uint64_t demo_seed = 1;
constexpr size_t demo_folds = 5;

Frame iris_frame() {
  Frame frame;
  frame.source = "iris";
  frame.rows = iris_flowers.size();
  for (const char* name : {"sepal_length", "sepal_width", "petal_length", "petal_width"}) {
    const size_t feature = frame.columns.size();
    std::vector<double> sizes;
    for (const auto& flower : iris_flowers) sizes.push_back(flower[feature] / 10.0);
    frame.columns.push_back({name, {Kind::numeric, std::move(sizes), {}, 0}, {}});
  }
  std::vector<int32_t> species;
  for (size_t row = 0; row < frame.rows; ++row) species.push_back(static_cast<int32_t>(row / 50));
  frame.columns.push_back({"species",
                           {Kind::nominal, {}, std::move(species), 0},
                           {"setosa", "versicolor", "virginica"}});
  return frame;
}

Frame drawn_frame(const std::string& name, const Options::Pairs& options) {
  return generated_frame(prepare(find_generator(name), options), demo_seed, name);
}

std::string mean_text(const CandidateResult& result, const std::string& figure, bool as_percent) {
  for (const auto& [name, values] : result.figures) {
    if (name != figure) continue;
    const double mean = mean_sd(values).mean;
    if (as_percent) return fmt::format("{:.1f}%", 100 * mean);
    const int decimals = figure == "fit_seconds" ? 4 : figure == "leaves" ? 1 : 2;
    return fmt::format("{:.{}f}", mean, decimals);
  }
  return "-";
}

// Every method of the table on one set of data; a method that can't do the task is left out.
void compare_methods(const Table& table, const Parallel& parallel, const Control& control) {
  const bool classes = table.schema().task() == Task::classification;
  const std::vector<Run> runs = cross_validation_runs(table, demo_folds, 1, demo_seed);
  TextTable text({"method", classes ? "error" : "rmse", "leaves", "seconds a tree"});
  for (const Method& method : methods()) {
    try {
      const CvOutcome outcome = cross_validate(
          table, runs, {{method.name, Recipe::parse(method.recipe)}}, demo_seed, parallel, control);
      const CandidateResult& result = outcome.candidates.front();
      text.add({method.name, mean_text(result, classes ? "error" : "rmse", classes),
                mean_text(result, "leaves", false), mean_text(result, "fit_seconds", false)});
    } catch (const Error& error) {
      if (error.kind() != ErrorKind::usage) throw;
    }
  }
  print(text.text() + "\n");
  flush_output();
}

void run_demo(const RunOptions& run) {
  Console console(run.quiet);
  const Control control = console.control();
  const Parallel parallel = run.parallel();
  const Stopwatch total;
  print(fmt::format("All methods on three sets of data, {}-fold cross-validation\n\n", demo_folds));

  const Prepared iris = training_table(iris_frame(), {}, control);
  print("Iris (Fisher 1936): 150 flowers, 4 measures, 3 species\n\n");
  compare_methods(iris.table, parallel, control);
  print("Chessboard: 1600 points on 4 x 4 squares, 2 classes; no single cut helps at first\n\n");
  compare_methods(
      training_table(drawn_frame("chessboard", {{"side", "4"}, {"per-cell", "100"}}), {}, control)
          .table,
      parallel, control);
  print("Friedman 1: 1000 rows, 10 inputs of which 5 count, a number to predict\n\n");
  compare_methods(training_table(drawn_frame("friedman1", {{"rows", "1000"}}), {}, control).table,
                  parallel, control);

  TrainRequest request;
  request.method = methods().front().name;
  for (const Method& method : methods()) {
    if (method.name == "cart") request.method = method.name;
  }
  request.recipe = Recipe::parse(find_method(request.method).recipe);
  request.seed = demo_seed;
  const TrainOutcome outcome = train(iris.table, request, parallel, control);
  print(fmt::format("The tree of '{}' for iris\n\n{}\n", request.method,
                    show_tree(outcome.model, page_width())));
  print(fmt::format("All of this took {} seconds. To try next:\n", seconds_text(total.seconds())));
  print(
      "  softwood data generate chessboard side=4 rows=2000 -o board.csv\n"
      "  softwood train board.csv --set prune.rule=min -o board.json\n"
      "  softwood show board.json --rules\n"
      "  softwood methods cart\n");
}

}  // namespace

std::function<void()> declare_demo(Arguments& arguments) {
  auto run = std::make_shared<RunOptions>();
  run->declare_threads(arguments);
  run->declare_quiet(arguments);
  return [run] { run_demo(*run); };
}

}  // namespace softwood

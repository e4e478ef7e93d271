#include <fmt/format.h>

#include "base/text.h"
#include "cli/common.h"
#include "cli/figures.h"
#include "cli/iris.h"
#include "cli/output.h"
#include "cli/verb.h"
#include "data/generate.h"
#include "render/renderer.h"
#include "softwood/error.h"
#include "study/cv.h"
#include "study/lowered.h"
#include "study/train.h"

namespace softwood {
namespace {

constexpr uint64_t demo_seed = 1;

// How much is compared: a glance takes seconds, the whole a minute or two.
struct Extent {
  size_t folds;
  size_t squares, points_per_square;  // of the chessboard: along a side, within one
  size_t friedman_rows;
};
constexpr Extent glance{2, 3, 25, 120};
constexpr Extent whole{5, 4, 100, 1000};

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

std::string mean_text(const CandidateResult& result, const std::string& figure) {
  const double mean = mean_sd(result.figure(figure)).mean;
  return figure == "error"  ? fmt::format("{:.1f} %", 100 * mean)
         : figure == "rmse" ? fmt::format("{:.2f}", mean)
                            : fmt::format("{:.1f}", mean);
}

// Every method of the table on one set of data; a method that can't do the task is left out, and so
// is one that chooses among the others.
void compare_methods(const Table& given, size_t folds, const Parallel& parallel,
                     const Control& control) {
  const Table table = rows_for_folds(given, folds, parallel, control);
  const bool classes = table.schema().task() == Task::classification;
  const std::vector<std::string> figures = {classes ? "error" : "rmse", "nodes", "leaves",
                                            "parameters"};
  const std::vector<Run> runs = cross_validation_runs(table, folds, 1, demo_seed);
  std::vector<std::string> header = {"method"};
  header.insert(header.end(), figures.begin(), figures.end());
  TextTable text(header);
  for (const Method& method : methods()) {
    // What chooses among the others takes as long as all of them.
    if (Recipe::parse(method.recipe).steps()[0].stage->chooses) continue;
    try {
      const CvOutcome outcome = cross_validate(
          table, runs, {{method.name, Recipe::parse(method.recipe)}}, demo_seed, parallel, control);
      std::vector<std::string> row = {method.name};
      for (const std::string& figure : figures) {
        row.push_back(mean_text(outcome.candidates.front(), figure));
      }
      text.add(row);
    } catch (const Error& error) {
      if (error.kind() != ErrorKind::usage) throw;
    }
  }
  print(text.text() + "\n");
  flush_output();
}

void print_tree(const Table& table, const Parallel& parallel, const Control& control) {
  TrainRequest request;
  request.method = "cart";
  request.recipe = Recipe::parse(find_method(request.method).recipe);
  request.seed = demo_seed;
  const TrainOutcome outcome = train(table, request, parallel, control);
  print(fmt::format("The tree of 'cart' for iris\n\n{}\n",
                    render::tree_text(lowered_with_recipe(outcome.model), {page_width(), false})));
}

void run_demo(const RunOptions& run, const Extent& extent) {
  Console console(run.quiet);
  const Control control = console.control();
  const Parallel parallel = run.parallel();
  const auto compare = [&](const Table& table) {
    compare_methods(table, extent.folds, parallel, control);
  };
  const auto drawn = [&](const std::string& name, const Options::Pairs& options) {
    return training_table(drawn_frame(name, options), {}, control).table;
  };
  print(fmt::format("All methods on three sets of data: means over {}-fold cross-validation\n\n",
                    extent.folds));

  const Prepared iris = training_table(iris_frame(), {}, control);
  print("Iris (Fisher 1936): 150 flowers, 4 measures, 3 species\n\n");
  compare(iris.table);
  const Table board = drawn("chessboard", {{"side", std::to_string(extent.squares)},
                                           {"per-cell", std::to_string(extent.points_per_square)}});
  print(
      fmt::format("Chessboard: {} points on {} x {} squares, 2 classes; no single cut helps at "
                  "first\n\n",
                  board.rows(), extent.squares, extent.squares));
  compare(board);
  const Table friedman = drawn("friedman1", {{"rows", std::to_string(extent.friedman_rows)}});
  print(fmt::format("Friedman 1: {} rows, 10 inputs of which 5 count, regression\n\n",
                    friedman.rows()));
  compare(friedman);

  print_tree(iris.table, parallel, control);
  print("To try next:\n");
  if (extent.folds != whole.folds) print("  softwood demo --full\n");
  print(
      "  softwood data generate chessboard side=4 rows=2000 -o board.csv\n"
      "  softwood train board.csv --set prune.rule=min -o board.json\n"
      "  softwood show board.json --rules\n"
      "  softwood methods cart\n");
}

}  // namespace

std::function<void()> declare_demo(Arguments& arguments) {
  auto run = std::make_shared<RunOptions>();
  auto full = std::make_shared<bool>(false);
  arguments.flag("--full", *full, "Larger sets and more folds: a minute or two, not seconds.");
  run->declare_threads(arguments);
  run->declare_quiet(arguments);
  return [run, full] { run_demo(*run, *full ? whole : glance); };
}

}  // namespace softwood

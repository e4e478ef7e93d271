#include "items.h"

#include <sys/resource.h>

#include <chrono>
#include <fstream>

#include "data.h"
#include "data/frame.h"
#include "data/typical.h"
#include "gradient/emit.h"
#include "gradient/start.h"
#include "study/train.h"
#include "use/predict.h"

namespace softwood::bench {
namespace {

// getrusage counts the peak of the program that started this one too, so it is only asked where
// the system has no better answer.
long peak_kib() {
  std::ifstream status("/proc/self/status");
  for (std::string line; std::getline(status, line);) {
    if (line.starts_with("VmHWM:")) return std::stol(line.substr(6));
  }
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  return usage.ru_maxrss;
}

// Repeats the work. What it returns is dropped before the next time, as the peers' is.
template <class Work>
auto measure(size_t reps, Result& result, const Work& work) {
  result.data_kib = peak_kib();
  std::optional<decltype(work())> last;
  for (size_t i = 0; i < reps; ++i) {
    last.reset();
    const auto start = std::chrono::steady_clock::now();
    last.emplace(work());
    const std::chrono::duration<double> took = std::chrono::steady_clock::now() - start;
    result.seconds.push_back(took.count());
  }
  result.peak_kib = peak_kib();
  return std::move(*last);
}

Table table_of(const Item& item, const Request& request, const Parallel& parallel) {
  if (request.columns > 0) {
    return generated_table(request.rows, request.columns, request.classes, parallel);
  }
  return read_table(request.work + "/" + item.file + ".f64", request.rows, item.regression ? 0 : 2);
}

void add_quality(Result& result, const Tree& tree, const Table& table, const Parallel& parallel) {
  result.rows = table.rows();
  result.shape = shape_of(tree);
  const std::vector<RowIndex> rows = all_rows(table);
  const auto count = static_cast<double>(rows.size());
  if (tree.task() == Task::classification) {
    const std::vector<uint32_t> classes = predict_classes(tree, table, rows, parallel);
    size_t right = 0;
    for (const RowIndex row : rows) {
      if (static_cast<int32_t>(classes[row]) == table.target().codes[row]) ++right;
    }
    result.train_accuracy = static_cast<double>(right) / count;
  } else {
    const Predictions means = predict(tree, table, rows, parallel);
    double squares = 0;
    for (const RowIndex row : rows) {
      const double error = means.answers[row] - table.target().numbers[row];
      squares += error * error;
    }
    result.train_mse = squares / count;
  }
}

Tree trained_tree(const std::string& recipe, const Table& table, const Parallel& parallel) {
  TrainRequest request;
  request.recipe = Recipe::parse(recipe);
  return train(table, request, parallel, Control{}).model.tree;
}

Result run_fit(const Item& item, const Request& request) {
  const Parallel parallel(request.threads);
  const Table table = table_of(item, request, parallel);
  Result result;
  const Tree tree =
      measure(request.reps, result, [&] { return trained_tree(item.recipe, table, parallel); });
  add_quality(result, tree, table, parallel);
  return result;
}

Result run_iris(const Item& item, const Request& request) {
  const Parallel parallel(request.threads);
  const Table table = iris_table();
  Result result;
  const Tree tree =
      measure(request.reps, result, [&] { return trained_tree(item.recipe, table, parallel); });
  add_quality(result, tree, table, parallel);
  return result;
}

// The tree is grown before the clock starts.
template <class Answer>
Result run_answers(const Item& item, const Request& request, const Answer& answer) {
  const Parallel parallel(request.threads);
  const Table table = table_of(item, request, parallel);
  const std::vector<RowIndex> rows = all_rows(table);
  const Tree tree = trained_tree(item.recipe, table, parallel);
  Result result;
  measure(request.reps, result, [&] { return answer(tree, table, rows, parallel); });
  add_quality(result, tree, table, parallel);
  return result;
}

Result run_predict(const Item& item, const Request& request) {
  return run_answers(item, request, predict_classes);
}

Result run_probabilities(const Item& item, const Request& request) {
  return run_answers(item, request, predict);
}

// One pass over the rows in batches of 128: forward, backward and a step of Adam each. The tree is
// full, of depth 5, with one logistic gate over all inputs a node.
Result run_soft_epoch(const Item& item, const Request& request) {
  constexpr size_t depth = 5, passes = 10;
  const Parallel parallel(request.threads);
  const Table table = table_of(item, request, parallel);
  const std::vector<RowIndex> all = all_rows(table);
  const Sample sample{&table, all};
  const gradient::Inputs inputs(sample, typical_values(table, all), gradient::Map::none,
                                gradient::Products::none);
  const gradient::Rows<float> rows =
      inputs.rows<float>({&sample, 1}, gradient::target_scale(sample));
  const gradient::Loss loss = gradient::usual_loss(table);
  const gradient::Network net = gradient::full_network(
      depth, inputs.terms(), gradient::outputs_for(loss, table), false, loss);
  const gradient::Start start = gradient::random_start(net, 1);
  gradient::Schedule schedule;
  schedule.set_steps(passes * ((rows.count + schedule.batch - 1) / schedule.batch));
  Result result;
  const Control control;
  measure(request.reps, result,
          [&] { return gradient::train(net, rows, nullptr, start, schedule, 1, control); });
  for (double& seconds : result.seconds) seconds /= passes;
  result.rows = table.rows();
  return result;
}

Result run_read(const Item& item, const Request& request) {
  const Parallel parallel(request.threads);
  const std::string path = request.work + "/" + item.file + ".csv";
  Result result;
  const Frame frame =
      measure(request.reps, result, [&] { return read_frame(path, ReadOptions{}, parallel); });
  result.rows = frame.rows;
  return result;
}

}  // namespace

std::span<const Item> items() {
  static const std::vector<Item> table = {
      {"fit_depth10", "exact tree, depth 10", run_fit, "grow max-depth=10", "bench", false},
      {"fit_depth30", "exact tree, depth 30: rpart's limit", run_fit, "grow max-depth=30", "bench",
       false},
      {"fit_unlimited", "exact tree without a limit", run_fit, "grow", "bench", false},
      {"fit_reg_depth10", "regression, depth 10", run_fit, "grow max-depth=10", "bench_reg", true},
      {"fit_reg_unlimited", "regression without a limit", run_fit, "grow", "bench_reg", true},
      {"fit_mae_depth3", "regression by absolute error, depth 3", run_fit,
       "grow criterion=mae max-depth=3", "bench_reg", true},
      {"binned_depth10", "binned tree, depth 10, binning included", run_fit,
       "grow search=binned bins=255 max-depth=10", "bench", false},
      {"predict", "classes by the tree of depth 10", run_predict, "grow max-depth=10", "bench",
       false},
      {"probabilities", "class probabilities by the tree of depth 10", run_probabilities,
       "grow max-depth=10", "bench", false},
      {"cv", "cost-complexity path with 10-fold cross-validation, on bench_mid", run_fit,
       "grow min-split=20 min-leaf=7 max-depth=30 | prune folds=10", "bench_mid", false},
      {"soft_epoch", "one epoch of a soft tree of depth 5, with --columns", run_soft_epoch, "",
       "bench", false},
      {"read_csv", "read bench.csv", run_read, "", "bench", false},
      {"iris", "method cart on 150 rows", run_iris, "grow | prune", "", false},
  };
  return table;
}

}  // namespace softwood::bench

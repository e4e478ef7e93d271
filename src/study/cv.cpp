#include "study/cv.h"

#include <fmt/format.h>

#include <boost/math/distributions/students_t.hpp>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <mutex>

#include "data/canonical.h"
#include "data/class_weights.h"
#include "data/convert.h"
#include "softwood/error.h"
#include "stages/finished_work.h"
#include "study/orderless.h"
#include "tree/tree.h"
#include "use/intervals.h"

namespace softwood {
namespace {

using Figures = std::vector<std::pair<std::string, double>>;

// Of the rows as they are, not as class_costs weigh them.
size_t majority_of(const Table& table, std::span<const RowIndex> rows) {
  const std::vector<double> totals = class_totals(table, rows);
  return static_cast<size_t>(std::max_element(totals.begin(), totals.end()) - totals.begin());
}

struct RunResult {
  Figures figures;
  size_t unseen_cells = 0;  // whose level no training row of the run has
  std::optional<Frontier> frontier = {};
};

// For each nominal input and level whether one of these rows has it; empty for other inputs. Levels
// that have an order are known by their place in it.
std::vector<std::vector<char>> seen_levels(const Table& table, std::span<const RowIndex> rows) {
  std::vector<std::vector<char>> seen(table.features());
  for (size_t f = 0; f < table.features(); ++f) {
    const Feature& feature = table.schema().features[f];
    if (feature.kind != Kind::nominal) continue;
    seen[f].assign(feature.levels.size(), 0);
    for (const RowIndex row : rows) {
      const int32_t code = table.input(f).codes[row];
      if (code >= 0) seen[f][static_cast<size_t>(code)] = 1;
    }
  }
  return seen;
}

// The table with cells of other levels taken as missing, as a model takes them that was trained on
// rows without these levels. `unseen_cells` counts them.
Table with_levels(const Table& table, const std::vector<std::vector<char>>& seen,
                  size_t& unseen_cells) {
  std::vector<Column> inputs;
  unseen_cells = 0;
  for (size_t f = 0; f < table.features(); ++f) {
    inputs.push_back(table.input(f));
    if (std::find(seen[f].begin(), seen[f].end(), 0) == seen[f].end()) continue;
    ColumnDraft draft(inputs[f]);
    for (int32_t& code : draft.codes) {
      if (code < 0 || seen[f][static_cast<size_t>(code)]) continue;
      ++unseen_cells;
      code = missing_code;
    }
    inputs[f] = std::move(draft);
  }
  return {table.schema(), table.rows(), std::move(inputs), table.target(), table.weights()};
}

// "train_error", or "train_mse": the same figure on the rows that the tree was trained on.
std::pair<std::string, double> training_figure(const Tree& tree, const Table& table,
                                               std::span<const RowIndex> rows, size_t majority,
                                               const Parallel& parallel) {
  const Evaluation evaluation =
      evaluate(predict(tree, table, rows, parallel), table, rows, majority);
  if (evaluation.task == Task::regression) return {"train_mse", evaluation.mse};
  return {"train_error", evaluation.error};
}

// The figures of a tree on the test rows of the run, of a table where levels that no training row
// has are missing, and on its training rows.
Figures figures_of(const Tree& tree, const Table& table, const Table& tested, const Run& run,
                   double seconds, const Parallel& parallel) {
  const size_t majority =
      table.schema().task() == Task::classification ? majority_of(table, run.train) : 0;
  const Predictions predictions = predict(tree, tested, run.test, parallel);
  Figures figures = evaluation_figures(evaluate(predictions, tested, run.test, majority));
  figures.push_back(training_figure(tree, table, run.train, majority, parallel));
  const Shape shape = shape_of(tree);
  figures.emplace_back("nodes", static_cast<double>(shape.nodes));
  figures.emplace_back("leaves", static_cast<double>(shape.leaves));
  figures.emplace_back("depth", static_cast<double>(shape.depth));
  figures.emplace_back("parameters", static_cast<double>(shape.parameters));
  figures.emplace_back("fit_seconds", seconds);
  return figures;
}

// The classes count as the training rows of the run say; the test rows are not looked at, and weigh
// as they are.
RunResult run_one(Derived& shared, const Run& run, const Candidate& candidate, uint64_t seed,
                  const ClassCosts& class_costs, const Parallel& parallel, const Control& control,
                  const std::function<void(const Tree&)>& each_tree) {
  RunResult result;
  const auto start = std::chrono::steady_clock::now();
  const Table& table = shared.table();
  const bool reweighting = !class_costs.classes.empty();
  const bool canonical =
      order_may_show(candidate.recipe, table, run.train, reweighting, parallel, control);
  OrderlessRows rows(table, run.train, canonical, candidate.recipe, parallel, control);
  const std::vector<double> factors = class_costs.classes.factors(rows.table(), rows.rows());
  rows.reweigh(factors);
  Derived own(rows.table());
  Training training{
      &rows.table() == &table ? shared : own, rows.rows(), {}, seed, false, class_costs.costs};
  const Table tested = with_levels(table, seen_levels(table, run.train), result.unseen_cells);
  OrderlessRows validation(tested, run.validation, canonical, candidate.recipe, parallel, control);
  validation.reweigh(factors);
  if (!run.validation.empty()) training.validation = validation.sample();
  Trained trained = run_recipe(candidate.recipe, training, parallel, control);
  control.throw_if_interrupted();  // figures of a tree that was stopped compare with no others
  const double seconds =
      std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  result.figures = figures_of(trained.tree, table, tested, run, seconds, parallel);
  result.frontier = std::move(trained.report.frontier);
  if (each_tree) each_tree(trained.tree);
  return result;
}

Bytes bytes_of(const RunResult& result) {
  ByteWriter out;
  out.value(static_cast<uint64_t>(result.unseen_cells));
  out.value(static_cast<uint64_t>(result.figures.size()));
  for (const auto& [name, value] : result.figures) {
    out.text(name);
    out.value(value);
  }
  return out.take();
}

RunResult result_of(const Bytes& bytes) {
  RunResult result;
  ByteReader in(bytes);
  result.unseen_cells = in.value<uint64_t>();
  for (auto count = in.value<uint64_t>(); count > 0; --count) {
    std::string name = in.text();
    result.figures.emplace_back(std::move(name), in.value<double>());
  }
  in.end();
  return result;
}

void warn_of_unseen(const std::vector<RunResult>& results, size_t candidates,
                    const Control& control) {
  size_t cells = 0;
  for (size_t i = 0; i < results.size(); i += candidates) cells += results[i].unseen_cells;
  if (cells == 0) return;
  control.warn(
      fmt::format("{} with a level that the training rows of the run do not have, taken as missing",
                  counted(cells, "test cell")));
}

// Nadeau & Bengio 2003: the variance of the mean difference over runs that share
// training rows is (1/runs + test/train) times the variance of the differences.
PairedTest paired_test(const std::vector<double>& first, const std::vector<double>& second,
                       double test_to_train) {
  std::vector<double> differences(first.size());
  std::transform(first.begin(), first.end(), second.begin(), differences.begin(), std::minus<>());
  const MeanSd d = mean_sd(differences);
  PairedTest test{0, 0, d.mean, missing_number};
  const auto runs = static_cast<double>(differences.size());
  if (runs < 2) return test;
  if (!(d.sd > 0)) {
    test.p = d.mean == 0 ? 1 : 0;
    return test;
  }
  const double t = d.mean / (d.sd * std::sqrt(1 / runs + test_to_train));
  const boost::math::students_t distribution(runs - 1);
  test.p = 2 * boost::math::cdf(boost::math::complement(distribution, std::abs(t)));
  return test;
}

}  // namespace

const std::vector<double>& CandidateResult::figure(const std::string& name) const {
  return std::find_if(figures.begin(), figures.end(),
                      [&](const auto& entry) { return entry.first == name; })
      ->second;
}

Table rows_for_folds(const Table& table, size_t folds, const Parallel& parallel,
                     const Control& control) {
  // Stages may divide the training rows again.
  return canonical_table(table, all_rows(table), std::max(folds, parts_of_shares), parallel,
                         control);
}

CvOutcome cross_validate(const Table& table, const std::vector<Run>& runs,
                         const std::vector<Candidate>& candidates, uint64_t seed,
                         const Parallel& parallel, const Control& control,
                         const ClassCosts& class_costs, const Checkpoint* checkpoint,
                         const std::function<void(const Tree&)>& each_tree) {
  for (const Candidate& candidate : candidates) {
    refuse_unfit_method(candidate.method, candidate.recipe, table.schema());
  }
  if (runs.empty() || candidates.empty()) {
    throw Error(ErrorKind::usage, "there is nothing to compare");
  }
  const StoppableWork work(control);
  Control inner = control.silent();
  inner.deadline.reset();  // a run is compared with others as a whole
  Derived derived(table);
  // Sorted by all threads now, instead of by the first run while the others wait.
  if (class_costs.classes.empty()) derived.sorted(parallel, control);
  const size_t tasks = runs.size() * candidates.size();
  std::vector<RunResult> results(tasks);
  FinishedWork finished(checkpoint);
  if (finished.known() > 0) {
    control.say(fmt::format("goes on from {} of the checkpoint", counted(finished.known(), "run")));
  }
  std::mutex reporting;
  size_t done = 0;
  control.report("cross-validating", 0, static_cast<double>(tasks));
  parallel.each(tasks, [&](size_t task) {
    const size_t run = task / candidates.size(), candidate = task % candidates.size();
    const std::string key = fmt::format("{} {}", run, candidates[candidate].recipe.text());
    if (const std::optional<Bytes> known = finished.find(key)) {
      results[task] = result_of(*known);
    } else {
      results[task] = run_one(derived, runs[run], candidates[candidate], seed, class_costs,
                              parallel, inner, each_tree);
      finished.add(key, bytes_of(results[task]));
    }
    const std::lock_guard lock(reporting);
    control.report("cross-validating", static_cast<double>(++done), static_cast<double>(tasks));
  });
  warn_of_unseen(results, candidates.size(), control);
  CvOutcome outcome;
  for (size_t c = 0; c < candidates.size(); ++c) {
    CandidateResult result{candidates[c].method, candidates[c].recipe.text(), {}};
    for (const auto& [name, value] : results[c].figures)
      result.figures.emplace_back(name, std::vector<double>());
    for (size_t run = 0; run < runs.size(); ++run) {
      const RunResult& one = results[run * candidates.size() + c];
      const Figures& figures = one.figures;
      result.frontiers.push_back(one.frontier);
      for (size_t f = 0; f < figures.size(); ++f)
        result.figures[f].second.push_back(figures[f].second);
    }
    outcome.candidates.push_back(std::move(result));
  }
  const std::string compared = !class_costs.costs.empty()                      ? "cost"
                               : table.schema().task() == Task::classification ? "error"
                                                                               : "mse";
  outcome.test_to_train = static_cast<double>(runs.front().test.size()) /
                          static_cast<double>(runs.front().train.size());
  for (size_t a = 0; a < candidates.size(); ++a) {
    for (size_t b = a + 1; b < candidates.size(); ++b) {
      PairedTest test = paired_test(outcome.candidates[a].figure(compared),
                                    outcome.candidates[b].figure(compared), outcome.test_to_train);
      test.first = a;
      test.second = b;
      outcome.tests.push_back(test);
    }
  }
  return outcome;
}

Interval mean_interval(const std::vector<double>& values, double test_to_train) {
  const auto runs = static_cast<double>(
      std::count_if(values.begin(), values.end(), [](double v) { return !std::isnan(v); }));
  if (runs < 2) return {};
  const MeanSd summary = mean_sd(values);
  const boost::math::students_t distribution(runs - 1);
  const double half = boost::math::quantile(distribution, (1 + interval_level) / 2) * summary.sd *
                      std::sqrt(1 / runs + test_to_train);
  return {summary.mean - half, summary.mean + half};
}

MeanSd mean_sd(const std::vector<double>& values) {
  double sum = 0, squares = 0, count = 0;
  for (const double value : values) {
    if (std::isnan(value)) continue;
    sum += value;
    ++count;
  }
  if (count == 0) return {missing_number, missing_number};
  const double mean = sum / count;
  for (const double value : values) {
    if (!std::isnan(value)) squares += (value - mean) * (value - mean);
  }
  return {mean, count > 1 ? std::sqrt(squares / (count - 1)) : 0};
}

}  // namespace softwood

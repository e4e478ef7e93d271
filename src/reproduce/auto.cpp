// One tree chosen from all families, beside the methods that it chooses from and beside ensembles.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <ctime>
#include <filesystem>
#include <memory>

#include "base/random.h"
#include "base/text.h"
#include "lower/lower.h"
#include "render/svg/plot.h"
#include "reproduce/auto_figures.h"
#include "softwood/error.h"
#include "stages/auto/candidates.h"
#include "study/cv.h"
#include "study/files.h"

namespace softwood {
namespace {

using namespace auto_experiment;  // NOLINT(google-build-using-namespace): its own parts

const std::vector<std::string> quick_sets = {"boston", "breast_wisc", "bupa", "concrete",
                                             "iris",   "pima",        "vote", "wine"};
const std::vector<std::string> kept_figures = {"error", "logloss", "auc",        "nmse",
                                               "mse",   "leaves",  "parameters", "majority_error"};

void write_text(const std::filesystem::path& path, const std::string& text) {
  std::filesystem::create_directories(path.parent_path());
  FileOutput file(path.string());
  file.write(text);
  file.finish();
}

// The same rows with their targets dealt out anew: nothing can be learnt.
Table with_random_labels(const Table& table) {
  ColumnDraft target(table.target());
  Random random(seed, "random labels");
  if (target.kind == Kind::nominal) {
    random.shuffle(target.codes);
  } else {
    random.shuffle(target.numbers);
  }
  std::vector<Column> inputs;
  for (size_t f = 0; f < table.features(); ++f) inputs.push_back(table.input(f));
  return {table.schema(), table.rows(), std::move(inputs), std::move(target), table.weights()};
}

struct Fitted {
  std::vector<std::pair<std::string, std::vector<double>>> figures;
  std::optional<Frontier> frontier;
  double seconds;  // of the processor, with the prediction of the test rows
  bool readable;

  double figure(const std::string& wanted) const {
    for (const auto& [figure, values] : figures) {
      if (figure == wanted) return values[0];
    }
    return missing_number;
  }
};

// Fits what is not finished yet.
class Folds {
 public:
  Folds(const ExperimentRequest& request, Finished& finished, std::string set,
        const Prepared& prepared, size_t wanted)
      : request_(request),
        finished_(finished),
        set_(std::move(set)),
        table_(prepared.table),
        runs_(cross_validation_runs(prepared.table, folds, 1, seed)) {
    write_rows(prepared);
    runs_.resize(wanted);
  }

  void run(size_t fold) {
    if (!finished_.has(set_, fold, preferences().back())) choose(fold);
    finished_.save();
    for (const OwnMethod& method : own_methods()) {
      if (!method.suits(table_) || finished_.has(set_, fold, method.name)) continue;
      attempt(method.name,
              [&] { note(fold, method.name, fit(table_, fold, find_method(method.name).recipe)); });
    }
    for (const EqualSize& method : equal_sizes()) {
      if (method.only_classes && !classes()) continue;
      if (finished_.has(set_, fold, method.name)) continue;
      attempt(method.name, [&] { fit_equal_size(fold, method); });
    }
    if (fold == 0 && !request_.quick && !finished_.has(set_, fold, random_labels) &&
        std::find(random_sets().begin(), random_sets().end(), set_) != random_sets().end()) {
      attempt(random_labels, [&] { choose_by_chance(fold); });
    }
    finished_.save();
    request_.control.say(fmt::format("{}: fold {} of {}", set_, fold + 1, runs_.size()));
  }

 private:
  bool classes() const { return table_.schema().task() == Task::classification; }

  // One method that can't work on a set does not end the experiment.
  template <class Work>
  void attempt(const std::string& method, const Work& work) const {
    try {
      work();
    } catch (const Error& error) {
      if (error.kind() == ErrorKind::interrupted) throw;
      request_.control.warn(fmt::format("{}: no figures of {}: {}", set_, method, error.what()));
    }
  }

  // One run of auto; the trees of its other preferences are those that its frontier names.
  void choose(size_t fold) {
    const Fitted chosen = fit(table_, fold, "auto");
    note(fold, "auto", chosen);
    if (!chosen.frontier) {  // too few rows to choose by: one tree for all
      for (const std::string& other : preferences()) note(fold, other, chosen);
      return;
    }
    const Frontier& frontier = *chosen.frontier;
    note_estimate(fold, "auto", frontier);
    const auto recipe = [&](size_t point) { return frontier.points[point].recipe; };
    note(fold, "auto-balanced", fit(table_, fold, recipe(frontier.choices.balanced)));
    std::optional<Fitted> readable;
    readable_point(frontier, table_.schema().classes(), [&](size_t point) {
      readable = fit(table_, fold, recipe(point));
      return readable->readable;
    });
    note(fold, "auto-readable", *readable);
    if (fold == 0) draw(frontier);
  }

  void choose_by_chance(size_t fold) {
    const Fitted chosen = fit(with_random_labels(table_), fold, "auto");
    note(fold, random_labels, chosen);
    if (chosen.frontier) note_estimate(fold, random_labels, *chosen.frontier);
    double baseline = chosen.figure("majority_error");
    if (!classes()) baseline = chosen.figure("mse") / chosen.figure("nmse");
    finished_.add(set_, fold, random_labels, "baseline", baseline);
  }

  void note_estimate(size_t fold, const std::string& method, const Frontier& frontier) {
    finished_.add(set_, fold, method, "expected", frontier.estimate);
    finished_.add(set_, fold, method, "expected_error",
                  std::sqrt(frontier.standard_error * frontier.standard_error +
                            test_variance(frontier, runs_[fold].test.size())));
  }

  // Test rows are few, too. The variance of the mean loss of so many: by the share of errors, or by
  // what the judging rows showed.
  double test_variance(const Frontier& frontier, size_t rows) const {
    const auto count = static_cast<double>(std::max<size_t>(1, rows));
    if (classes()) return frontier.estimate * (1 - frontier.estimate) / count;
    const double error = frontier.points[frontier.chosen].standard_error;
    return error * error * static_cast<double>(frontier.rows) / count;
  }

  // The largest tree with no more parameters than auto-readable: the cost of a leaf is found by
  // bisection between 1e-6 and 1, on a logarithmic scale.
  void fit_equal_size(size_t fold, const EqualSize& method) {
    constexpr int most_fits = 12;
    constexpr double least_cost = 1e-6;
    const double most = finished_.values(set_, preferences().back(), "parameters")[fold];
    const auto fit_at = [&](double cost) {
      return fit(table_, fold, method.recipe + number_text(cost));
    };
    Fitted best = fit_at(0);
    if (best.figure("parameters") > most) {
      best = fit_at(1);  // a leaf, which every readable tree is at least as large as
      double low = std::log2(least_cost), high = 0;
      for (int i = 0; i < most_fits; ++i) {
        const double middle = (low + high) / 2;
        Fitted fitted = fit_at(std::exp2(middle));
        if (fitted.figure("parameters") <= most) {
          best = std::move(fitted);
          high = middle;
        } else {
          low = middle;
        }
      }
    }
    note(fold, method.name, best);
  }

  Fitted fit(const Table& table, size_t fold, const std::string& recipe) const {
    const std::clock_t start = std::clock();
    bool readable = false;
    const auto look = [&](const Tree& tree) {
      readable = choice::is_readable(choice::figures_of(tree), table.schema().classes());
    };
    CvOutcome outcome = cross_validate(table, {runs_[fold]}, {{"", Recipe::parse(recipe)}}, seed,
                                       request_.parallel, request_.control, {}, nullptr, look);
    const double seconds = static_cast<double>(std::clock() - start) / CLOCKS_PER_SEC;
    CandidateResult& result = outcome.candidates[0];
    return {std::move(result.figures), std::move(result.frontiers[0]), seconds, readable};
  }

  void note(size_t fold, const std::string& method, const Fitted& fitted) {
    for (const std::string& figure : kept_figures) {
      const double value = fitted.figure(figure);
      if (!std::isnan(value)) finished_.add(set_, fold, method, figure, value);
    }
    finished_.add(set_, fold, method, "fit_seconds", fitted.seconds);
  }

  // The view of a model that was chosen from the frontier; it asks for nothing else of it.
  void draw(const Frontier& frontier) const {
    if (request_.output.empty()) return;
    const Schema& schema = table_.schema();
    const Model model{schema, Tree(schema.task(), schema.classes()), {}, {}, frontier};
    const render::PlotOptions options;
    const LoweredTree tree;
    const render::PlotTask task{model, tree, nullptr, options, request_.parallel, request_.control};
    write_text(std::filesystem::path(request_.output) / "auto-frontiers" / (set_ + ".svg"),
               render::plot_frontier(task));
  }

  // A line for each row of the data file: the fold in which it is tested, 0 where it has no target.
  void write_rows(const Prepared& prepared) const {
    if (request_.output.empty()) return;
    std::vector<size_t> fold_of(prepared.frame_rows, 0);
    for (size_t fold = 0; fold < runs_.size(); ++fold) {
      for (const RowIndex row : runs_[fold].test) {
        fold_of[prepared.kept_rows.empty() ? row : prepared.kept_rows[row]] = fold + 1;
      }
    }
    std::string text = "fold\n";
    for (const size_t fold : fold_of) text += fmt::format("{}\n", fold);
    write_text(std::filesystem::path(request_.output) / "auto-rows" / (set_ + ".csv"), text);
  }

  const ExperimentRequest& request_;
  Finished& finished_;
  std::string set_;
  const Table& table_;
  std::vector<Run> runs_;
};

std::vector<std::string> wanted_sets(const ExperimentRequest& request) {
  if (request.sets.empty()) return request.quick ? quick_sets : shared_sets();
  for (const std::string& set : request.sets) {
    const auto path = std::filesystem::path(request.data) / (set + ".csv");
    if (std::filesystem::exists(path)) continue;
    throw Error(ErrorKind::usage, fmt::format("there is no {}", path.string()), {},
                "--sets names files of --data without '.csv'");
  }
  return request.sets;
}

}  // namespace

// The first folds of all sets first, small sets before large ones: a run that ends early has
// something of many sets.
void reproduce_auto(const ExperimentRequest& request) {
  const size_t wanted = request.quick ? quick_folds : std::min(folds, request.most_runs);
  Finished finished(request);
  std::vector<std::unique_ptr<Prepared>> prepared_sets;
  std::vector<std::pair<size_t, std::unique_ptr<Folds>>> work;  // by cells
  std::vector<Set> sets;
  for (const std::string& set : wanted_sets(request)) {
    std::optional<Prepared> prepared = read_set(request, set);
    if (!prepared) continue;
    prepared_sets.push_back(std::make_unique<Prepared>(std::move(*prepared)));
    const Table& table = prepared_sets.back()->table;
    work.emplace_back(
        table.rows() * (table.features() + table.schema().classes()),
        std::make_unique<Folds>(request, finished, set, *prepared_sets.back(), wanted));
    const bool classes = table.schema().task() == Task::classification;
    sets.push_back({set, classes ? table.schema().classes() : 0});
  }
  std::stable_sort(work.begin(), work.end(),
                   [](const auto& a, const auto& b) { return a.first < b.first; });
  const Means means(request, finished, std::move(sets));
  const auto publish = [&] {
    publish_means(means);
    publish_aims(means);
  };
  try {
    for (size_t fold = 0; fold < wanted; ++fold) {
      for (const auto& [cells, of_set] : work) of_set->run(fold);
    }
  } catch (const Error& error) {
    if (error.kind() == ErrorKind::interrupted) publish();
    throw;
  }
  publish();
}

}  // namespace softwood

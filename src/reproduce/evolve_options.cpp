// What the options of `evolve` bring, and how much depends on what Krętowski & Grześ 2005 leave
// open: by the fitness that is reached on the training rows, so no row is used to test with.
// Oblique tests, which change what trees can say, are compared by cross-validation.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "data/generate.h"
#include "reproduce/evolve_scores.h"
#include "study/cv.h"
#include "study/train.h"

namespace softwood {
namespace {

// Of larger sets a part of so many rows is taken.
constexpr size_t most_rows = 1000;

struct Variant {
  std::string name;
  std::string recipe;
};

struct DataSample {
  std::string name;
  Table table;
  std::vector<RowIndex> rows;
};

std::vector<RowIndex> some_rows(const Table& table) {
  std::vector<RowIndex> rows = all_rows(table);
  if (rows.size() <= most_rows) return rows;
  const double share = static_cast<double>(most_rows) / static_cast<double>(rows.size());
  const std::vector<char> inside = stratified_part(table, rows, share, 1);
  std::erase_if(rows, [&](RowIndex row) { return inside[row] == 0; });
  return rows;
}

// Equation 1 of the paper with alpha = 0.0025; in regression with the share of the variance that is
// explained.
double fitness_of(const Tree& tree) {
  double risk = 0;
  for (NodeIndex i = 0; i < tree.size(); ++i) risk += tree.node(i).is_leaf() ? tree.risk(i) : 0;
  const double all = tree.task() == Task::classification ? tree.weight(0) : tree.risk(0);
  return 1 - risk / all - 0.0025 * static_cast<double>(tree.size());
}

struct Reached {
  std::vector<double> fitness, worked;  // a value for each seed
};

Reached run_variant(const ExperimentRequest& request, const DataSample& ground,
                    const Variant& variant, uint64_t seeds) {
  const Recipe recipe = Recipe::parse(variant.recipe, {"evolve.alpha=0.0025"});
  Reached reached;
  for (uint64_t seed = 1; seed <= seeds; ++seed) {
    const Timer timer;
    Derived derived(ground.table);
    const Trained trained =
        run_recipe(recipe, {derived, ground.rows, {}, seed}, request.parallel, Control{});
    reached.worked.push_back(timer.worked());
    reached.fitness.push_back(fitness_of(trained.tree));
  }
  return reached;
}

// Against the first variant, by ground.
struct Comparison {
  std::vector<double> difference;  // of the mean fitness
  std::vector<double> error;       // its standard error, by the seeds
  double worked = 0;               // seconds of all grounds
};

std::vector<std::string> summary_cells(const Variant& variant, const Comparison& one,
                                       double first_worked) {
  constexpr double unit = 1e-4;
  const auto beyond = [&](double sign) {
    size_t count = 0;
    for (size_t g = 0; g < one.difference.size(); ++g) {
      count += sign * one.difference[g] > std::max(unit, 2 * one.error[g]) ? 1 : 0;
    }
    return std::to_string(count);
  };
  const auto [worst, best] = std::minmax_element(one.difference.begin(), one.difference.end());
  const MeanSd mean = mean_sd(one.difference);
  const double error = mean.sd / std::sqrt(static_cast<double>(one.difference.size()));
  return {variant.name,
          fmt::format("{:+.1f} ± {:.1f}", mean.mean / unit, error / unit),
          fmt::format("{:+.1f}", *worst / unit),
          fmt::format("{:+.1f}", *best / unit),
          beyond(-1),
          beyond(1),
          fmt::format("{:.2f}", one.worked / first_worked)};
}

void compare(const ExperimentRequest& request, const std::string& name, const std::string& title,
             const std::vector<DataSample>& grounds, const std::vector<Variant>& variants,
             uint64_t seeds) {
  ResultTable table{name + "-sets", title + ": mean fitness on each set", {"set"}, {}, {}, false};
  for (const Variant& variant : variants) table.header.push_back(variant.name);
  std::vector<Comparison> all(variants.size());
  for (const DataSample& ground : grounds) {
    std::vector<std::string> cells = {ground.name};
    Reached first;
    for (size_t v = 0; v < variants.size(); ++v) {
      request.control.report(fmt::format("{}: {}", ground.name, variants[v].name), 0);
      const Reached reached = run_variant(request, ground, variants[v], seeds);
      if (v == 0) first = reached;
      const MeanSd here = mean_sd(reached.fitness), there = mean_sd(first.fitness);
      all[v].difference.push_back(here.mean - there.mean);
      all[v].error.push_back(std::hypot(here.sd, there.sd) / std::sqrt(static_cast<double>(seeds)));
      all[v].worked += std::accumulate(reached.worked.begin(), reached.worked.end(), 0.0);
      cells.push_back(fmt::format("{:.4f}", here.mean));
    }
    table.rows.push_back(std::move(cells));
  }
  request.publish(table);
  ResultTable summary{
      name,
      fmt::format("{}: {} sets, {} seeds, against '{}'; fitness in units of 0.0001", title,
                  grounds.size(), seeds, variants[0].name),
      {"variant", "mean", "worst set", "best set", "worse", "better", "CPU"},
      {},
      {"mean ± standard error over the sets; worse, better: sets that differ by more than 0.0001 "
       "and two standard errors of the seeds; CPU: ratio of the seconds of all threads, over all "
       "sets",
       fmt::format("of sets with more than {0} rows, {0} are used", most_rows)},
      true};
  for (size_t v = 1; v < variants.size() && !grounds.empty(); ++v) {
    summary.rows.push_back(summary_cells(variants[v], all[v], all[0].worked));
  }
  request.publish(summary);
}

std::vector<DataSample> grounds_of(const ExperimentRequest& request,
                                   const std::vector<std::string>& names) {
  std::vector<DataSample> grounds;
  const auto add = [&](const std::string& name, Table table) {
    std::vector<RowIndex> rows = some_rows(table);
    grounds.push_back({name, std::move(table), std::move(rows)});
  };
  for (const std::string& name : names) {
    std::optional<Prepared> prepared = read_set(request, name);
    if (prepared) add(name, std::move(prepared->table));
  }
  const auto board = [&](const std::string& name, const Options::Pairs& options) {
    add(name, training_table(
                  generated_frame(prepare(find_generator("chessboard"), options), 1, name), {}, {})
                  .table);
  };
  board("board 3x3", {{"side", "3"}, {"per-cell", "100"}});
  board("board 4x4 with noise",
        {{"side", "4"}, {"rows", "1000"}, {"noise-columns", "6"}, {"label-noise", "0.05"}});
  return grounds;
}

bool has_numbers(const Table& table) {
  size_t count = 0;
  for (size_t f = 0; f < table.features(); ++f) {
    count += table.input(f).kind == Kind::numeric ? 1 : 0;
  }
  return count > 1;
}

// Cross-validated: what weighted sums as tests bring.
void oblique(const ExperimentRequest& request, const std::vector<DataSample>& grounds) {
  constexpr size_t folds = 5;
  const std::vector<Candidate> candidates = {
      {"evolve", Recipe::parse("evolve alpha=0.0025")},
      {"", Recipe::parse("evolve split=oblique alpha=0.0025")}};
  ResultTable table{"oblique",
                    fmt::format("evolve and evolve split=oblique, {}-fold cross-validation: error "
                                "in %, or in regression the share of the variance not explained in "
                                "%, and leaves",
                                folds),
                    {"set", "axis", "leaves", "oblique", "leaves", "difference"},
                    {},
                    {},
                    true};
  std::vector<double> differences;
  size_t better = 0, worse = 0;
  for (const DataSample& ground : grounds) {
    if (!has_numbers(ground.table)) continue;
    const bool classes = ground.table.schema().task() == Task::classification;
    const CvOutcome outcome =
        cross_validate(ground.table, runs_over(ground.table, ground.rows, folds, 1), candidates, 1,
                       request.parallel, request.control);
    std::vector<double> errors[2], difference;
    std::vector<std::string> cells = {ground.name};
    for (size_t c = 0; c < 2; ++c) {
      for (const double figure : outcome.candidates[c].figure(classes ? "error" : "r2")) {
        errors[c].push_back(100 * (classes ? figure : 1 - figure));
      }
      cells.push_back(fmt::format("{:.1f}", mean_sd(errors[c]).mean));
      cells.push_back(fmt::format("{:.1f}", mean_sd(outcome.candidates[c].figure("leaves")).mean));
    }
    for (size_t k = 0; k < folds; ++k) difference.push_back(errors[1][k] - errors[0][k]);
    const MeanSd mean = mean_sd(difference);
    const double error = mean.sd / std::sqrt(static_cast<double>(folds));
    cells.push_back(fmt::format("{:+.1f} ± {:.1f}", mean.mean, error));
    differences.push_back(mean.mean);
    better += mean.mean < -error ? 1 : 0;
    worse += mean.mean > error ? 1 : 0;
    table.rows.push_back(std::move(cells));
  }
  if (differences.empty()) return;
  const MeanSd all = mean_sd(differences);
  table.notes.push_back(fmt::format(
      "difference ± standard error over the folds; mean over {} sets {:+.2f} ± {:.2f}; by more "
      "than one standard error oblique tests are better on {} sets and worse on {}",
      differences.size(), all.mean, all.sd / std::sqrt(static_cast<double>(differences.size())),
      better, worse));
  request.publish(table);
}

}  // namespace

void reproduce_evolve_options(const ExperimentRequest& request) {
  const std::vector<std::string> published = {"breast_wisc", "bupa", "cmc",     "iris",
                                              "page_blocks", "pima", "vehicle", "wine"};
  const std::vector<std::string> few = {"bupa", "iris", "wine"};
  std::vector<std::string> all = published;
  for (const char* name : {"abalone",       "add10",       "boston",   "california_housing",
                           "car",           "comp_activ",  "concrete", "credit_approval",
                           "german_credit", "kr_vs_kp",    "letter",   "magic",
                           "mushroom",      "musk2",       "nursery",  "polyadenylation",
                           "puma8fh",       "puma8fm",     "puma8nh",  "puma8nm",
                           "ringnorm",      "satellite47", "satimage", "soybean",
                           "spambase",      "tic_tac_toe", "twonorm",  "vote"}) {
    all.emplace_back(name);
  }
  const std::vector<DataSample> grounds = grounds_of(request, request.quick ? few : all);
  compare(request, "options", "evolve without one of its options", grounds,
          {{"evolve", "evolve"},
           {"without seeds: seeded=0", "evolve seeded=0"},
           {"without improvement: improve=0", "evolve improve=0"},
           {"fixed rates: rates=fixed", "evolve rates=fixed"},
           {"one island of 100: islands=1", "evolve islands=1 population=100"},
           {"no migration", "evolve migration=1000000"},
           {"without restarts: restart=0", "evolve restart=0"},
           {"all thresholds: cuts=boundary", "evolve cuts=boundary"},
           {"half the patience: patience=30", "evolve patience=30"},
           {"twice the patience: patience=120", "evolve patience=120"}},
          request.quick ? 1 : 3);
  const std::string base = find_method("evolve-published").recipe;
  const auto with = [&](const std::string& setting) {
    return Recipe::parse(base, {"evolve." + setting}).text();
  };
  compare(request, "open", "evolve-published, what the paper leaves open",
          grounds_of(request, request.quick ? few : published),
          {{"evolve-published", base},
           {"crossover=0", with("crossover=0")},
           {"crossover=0.1", with("crossover=0.1")},
           {"crossover=0.4", with("crossover=0.4")},
           {"crossover=0.8", with("crossover=0.8")},
           {"pressure=1.2", with("pressure=1.2")},
           {"pressure=1.5", with("pressure=1.5")},
           {"pruning=0.1", with("pruning=0.1")},
           {"pruning=0.5", with("pruning=0.5")},
           {"first-depth=1", with("first-depth=1")},
           {"first-depth=3", with("first-depth=3")},
           {"first-depth=6", with("first-depth=6")}},
          request.quick ? 1 : 5);
  oblique(request, grounds);
}

}  // namespace softwood

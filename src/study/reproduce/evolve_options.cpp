// What the options of `evolve` bring, and how much depends on what Krętowski & Grześ 2005 leave
// open: by the fitness that is reached on the training rows, so no row is used to test with.
#include <fmt/format.h>

#include <algorithm>

#include "data/generate.h"
#include "study/cv.h"
#include "study/reproduce/experiment.h"
#include "study/train.h"

namespace softwood {
namespace {

struct Variant {
  std::string name;
  std::string recipe;
};

struct Ground {
  std::string name;
  Table table;
};

// Equation 1 of the paper with alpha = 0.0025; for numbers with the share of the variance that is
// explained.
double fitness_of(const Tree& tree) {
  double risk = 0;
  for (NodeIndex i = 0; i < tree.size(); ++i) risk += tree.node(i).is_leaf() ? tree.risk(i) : 0;
  const double all = tree.task() == Task::classification ? tree.weight(0) : tree.risk(0);
  return 1 - risk / all - 0.0025 * static_cast<double>(tree.size());
}

struct Reached {
  std::vector<double> fitness, seconds;  // a value for each seed
};

Reached run_variant(const ExperimentRequest& request, const Ground& ground, const Variant& variant,
                    uint64_t seeds) {
  const Recipe recipe = Recipe::parse(variant.recipe);
  const std::vector<RowIndex> rows = all_rows(ground.table);
  Reached reached;
  for (uint64_t seed = 1; seed <= seeds; ++seed) {
    Derived derived(ground.table);
    const Trained trained =
        run_recipe(recipe, {derived, rows, {}, seed}, request.parallel, Control{});
    reached.fitness.push_back(fitness_of(trained.tree));
    double sum = 0;
    for (const auto& [stage, taken] : trained.seconds) sum += taken;
    reached.seconds.push_back(sum);
  }
  return reached;
}

// A line for each variant: what it reaches beside the first one.
struct Comparison {
  std::vector<double> difference;  // of the mean fitness, by ground
  std::vector<double> ratio;       // of the seconds
};

void compare(const ExperimentRequest& request, const std::string& name, const std::string& title,
             const std::vector<Ground>& grounds, const std::vector<Variant>& variants,
             uint64_t seeds) {
  ResultTable table{name + "-sets", title + ": mean fitness on each set", {"set"}, {}, {}, false};
  for (const Variant& variant : variants) table.header.push_back(variant.name);
  std::vector<Comparison> all(variants.size());
  for (const Ground& ground : grounds) {
    std::vector<std::string> cells = {ground.name};
    double first = 0, first_seconds = 0;
    for (size_t v = 0; v < variants.size(); ++v) {
      request.control.report(0, fmt::format("{}: {}", ground.name, variants[v].name));
      const Reached reached = run_variant(request, ground, variants[v], seeds);
      const double fitness = mean_sd(reached.fitness).mean;
      const double seconds = mean_sd(reached.seconds).mean;
      if (v == 0) {
        first = fitness;
        first_seconds = seconds;
      }
      all[v].difference.push_back(fitness - first);
      all[v].ratio.push_back(seconds / first_seconds);
      cells.push_back(fmt::format("{:.4f}", fitness));
    }
    table.rows.push_back(std::move(cells));
  }
  request.publish(table);
  ResultTable summary{
      name,
      fmt::format("{}: {} sets, {} seeds, against '{}'; fitness in units of 0.0001", title,
                  grounds.size(), seeds, variants[0].name),
      {"variant", "mean", "worst set", "best set", "worse", "better", "time"},
      {},
      {"worse, better: sets whose fitness differs by more than 0.0001; time: median "
       "ratio"},
      true};
  for (size_t v = 1; v < variants.size(); ++v) {
    Comparison& one = all[v];
    if (one.difference.empty()) continue;
    constexpr double unit = 1e-4;
    const auto beyond = [&](double sign) {
      return std::count_if(one.difference.begin(), one.difference.end(),
                           [=](double d) { return sign * d > unit; });
    };
    const auto [worst, best] = std::minmax_element(one.difference.begin(), one.difference.end());
    std::sort(one.ratio.begin(), one.ratio.end());
    summary.rows.push_back(
        {variants[v].name, fmt::format("{:+.1f}", mean_sd(one.difference).mean / unit),
         fmt::format("{:+.1f}", *worst / unit), fmt::format("{:+.1f}", *best / unit),
         std::to_string(beyond(-1)), std::to_string(beyond(1)),
         fmt::format("{:.2f}", one.ratio[one.ratio.size() / 2])});
  }
  request.publish(summary);
}

std::vector<Ground> grounds_of(const ExperimentRequest& request,
                               const std::vector<std::string>& names) {
  std::vector<Ground> grounds;
  for (const std::string& name : names) {
    std::optional<Prepared> prepared = read_set(request, name);
    if (prepared) grounds.push_back({name, std::move(prepared->table)});
  }
  const auto board = [&](const std::string& name, const Options::Pairs& options) {
    grounds.push_back(
        {name, training_table(
                   generated_frame(prepare(find_generator("chessboard"), options), 1, name), {}, {})
                   .table});
  };
  board("board 4x4", {{"side", "4"}, {"per-cell", "100"}});
  board("board 4x4 with noise",
        {{"side", "4"}, {"rows", "2000"}, {"noise-columns", "6"}, {"label-noise", "0.05"}});
  return grounds;
}

}  // namespace

void reproduce_evolve_options(const ExperimentRequest& request) {
  const std::vector<std::string> published = {"breast_wisc", "bupa", "cmc",     "iris",
                                              "page_blocks", "pima", "vehicle", "wine"};
  const std::vector<std::string> few = {"bupa", "iris", "wine"};
  std::vector<std::string> most = published;
  for (const char* name : {"credit_approval", "vote", "boston", "concrete"}) {
    most.emplace_back(name);
  }
  const uint64_t seeds = request.quick ? 1 : 2;
  compare(request, "options", "evolve without one of its options",
          grounds_of(request, request.quick ? few : most),
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
          seeds);
  const std::string base = find_method("evolve-published").recipe;
  compare(request, "open", "evolve-published, what the paper leaves open",
          grounds_of(request, request.quick ? few : published),
          {{"evolve-published", base},
           {"crossover=0", base + " crossover=0"},
           {"crossover=0.1", base + " crossover=0.1"},
           {"crossover=0.4", base + " crossover=0.4"},
           {"crossover=0.8", base + " crossover=0.8"},
           {"pressure=1.2", base + " pressure=1.2"},
           {"pressure=1.5", base + " pressure=1.5"},
           {"first-depth=1", base + " first-depth=1"},
           {"first-depth=3", base + " first-depth=3"},
           {"first-depth=6", base + " first-depth=6"}},
          seeds);
}

}  // namespace softwood

// How long evolve works, against evtree (Grubinger, Zeileis & Pfeiffer 2014), on what evtree's time
// was measured for.
#include <fmt/format.h>

#include <array>
#include <cmath>

#include "reproduce/evolve_scores.h"
#include "study/cv.h"
#include "study/train.h"

namespace softwood {
namespace {

struct Timed {
  const char* name;
  const char* set;  // of the folder; empty: a board
  size_t side;
  double seconds;  // of CPU that evtree works: with R, for a board, or nine tenths of a set
  bool quick;
};
constexpr std::array<Timed, 7> timed = {{{"board 2x2", "", 2, 2.5, true},
                                         {"board 3x3", "", 3, 15, true},
                                         {"board 4x4", "", 4, 80, true},
                                         {"bupa", "bupa", 0, 5, true},
                                         {"cmc", "cmc", 0, 28, false},
                                         {"page-blocks", "page_blocks", 0, 74, false},
                                         {"vehicle", "vehicle", 0, 41, false}}};

// What came of one recipe, a value for each part of the rows or each board.
struct Reached {
  std::vector<double> fitness, leaves, worked;

  // Equation 5 of evtree's paper as a share: accuracy less M log(N) / (2 N).
  void add(const Tree& tree, double seconds) {
    double wrong = 0;
    for (NodeIndex i = 0; i < tree.size(); ++i) wrong += tree.node(i).is_leaf() ? tree.risk(i) : 0;
    const double rows = tree.weight(0);
    leaves.push_back(static_cast<double>(shape_of(tree).leaves));
    fitness.push_back(1 - wrong / rows - leaves.back() * std::log(rows) / (2 * rows));
    worked.push_back(seconds);
  }
};

void run(const ExperimentRequest& request, const std::string& recipe, const Table& table,
         std::span<const RowIndex> rows, uint64_t seed, Reached& reached) {
  const Timer timer;
  Derived derived(table);
  const Trained trained = run_recipe(Recipe::parse(recipe), {derived, rows, {}, seed},
                                     request.parallel, request.control);
  reached.add(trained.tree, timer.worked());
}

}  // namespace

void reproduce_evtree_times(const ExperimentRequest& request) {
  ResultTable table{"evtree",
                    "Seconds of CPU a tree, against evtree's: with evtree's own fitness, and with "
                    "that of the paper; sets without a tenth of their rows",
                    {"data", "evtree CPU", "evolve complexity=bic: fitness", "leaves", "CPU",
                     "times", "evolve: leaves", "CPU", "times"},
                    {},
                    {"fitness: accuracy - leaves log(rows) / (2 rows) on the training rows, which "
                     "is what evtree maximises; times: how many times longer evtree works",
                     "evtree's seconds were measured elsewhere, with R; it is not run here"},
                    true};
  const size_t runs = request.quick ? 3 : 10;
  for (const Timed& one : timed) {
    if (request.quick && !one.quick) continue;
    std::array<Reached, 2> reached;
    const auto both = [&](const Table& rows_of, std::span<const RowIndex> rows, uint64_t seed) {
      run(request, "evolve complexity=bic", rows_of, rows, seed, reached[0]);
      run(request, "evolve alpha=0.0025", rows_of, rows, seed, reached[1]);
    };
    if (one.side > 0) {
      const Options::Pairs options = {{"side", std::to_string(one.side)}, {"per-cell", "100"}};
      for (uint64_t seed = 1; seed <= runs; ++seed) {
        const Table board = draw("chessboard", options, options, seed).train;
        both(board, all_rows(board), seed);
      }
    } else {
      const std::optional<Prepared> prepared = read_set(request, one.set);
      if (!prepared) continue;
      const std::vector<Run> parts = cross_validation_runs(prepared->table, 10, 1, 1);
      for (size_t i = 0; i < runs; ++i) both(prepared->table, parts[i].train, i + 1);
    }
    const auto mean = [](const std::vector<double>& values, const char* digits) {
      return fmt::format(fmt::runtime(digits), mean_sd(values).mean);
    };
    table.rows.push_back(
        {one.name, fmt::format("{:.1f}", one.seconds), mean(reached[0].fitness, "{:.4f}"),
         mean(reached[0].leaves, "{:.1f}"), mean(reached[0].worked, "{:.3f}"),
         times_faster(one.seconds, reached[0].worked), mean(reached[1].leaves, "{:.1f}"),
         mean(reached[1].worked, "{:.3f}"), times_faster(one.seconds, reached[1].worked)});
  }
  request.publish(table);
}

}  // namespace softwood

#include "stages/evolve/evolve.h"

#include <fmt/format.h>

#include <limits>

#include "stages/evolve/search.h"
#include "stages/evolve/to_tree.h"
#include "stages/grow/feature_options.h"

namespace softwood::evolve {
namespace {

size_t number_or_all(const Options& options, std::string_view name) {
  return options.has_number(name) ? static_cast<size_t>(options.integer(name))
                                  : std::numeric_limits<size_t>::max();
}

Complexity complexity_option(const Options& options) {
  const std::string& text = options.text("complexity");
  if (text == "leaves") return Complexity::leaves;
  return text == "bic" ? Complexity::bic : Complexity::nodes;
}

Objective objective_for(const Context& context, const CodedRows& rows) {
  const Options& options = context.options;
  Objective objective;
  objective.classes = rows.classes();
  objective.costs.assign(context.costs.begin(), context.costs.end());
  objective.complexity = complexity_option(options);
  objective.alpha = options.has_number("alpha")               ? options.real("alpha")
                    : objective.complexity == Complexity::bic ? 1
                                                              : 0.0025;
  objective.weight = rows.weight();
  objective.feature_costs = grow::feature_costs(options, context.table().schema());
  objective.max_depth = number_or_all(options, "max-depth");
  objective.max_leaves = number_or_all(options, "max-leaves");
  std::vector<double> sums(rows.sums_width());
  rows.sums(rows.all(), rows.rows(), sums.data());
  Gene root;
  objective.judge(sums.data(), root);
  objective.root_loss = root.loss;
  return objective;
}

SearchSettings settings_for(const Context& context) {
  const Options& options = context.options;
  SearchSettings settings;
  settings.seed = context.seed;
  settings.population = static_cast<size_t>(options.integer("population"));
  settings.crossover = options.real("crossover");
  settings.mutation = options.real("mutation");
  settings.pressure = options.real("pressure");
  return settings;
}

constexpr size_t most_cuts = 255;

}  // namespace

// NOLINTNEXTLINE(performance-unnecessary-value-param): the signature that every stage has
Tree run(Context& context, Tree) {
  const bool all_boundaries = context.options.text("cuts") == "boundary";
  const Cuts all = boundary_cuts(context.derived, context.rows, context.parallel);
  const Cuts cuts = all_boundaries ? all : quantiles(all, most_cuts);
  const CodedRows rows(context.table(), context.rows, cuts, true, context.parallel);
  const Objective objective = objective_for(context, rows);
  const SearchSettings settings = settings_for(context);
  const auto generations = static_cast<size_t>(context.options.integer("generations"));
  const auto patience = static_cast<size_t>(context.options.integer("patience"));
  Island island(rows, objective, settings, 0, settings.population,
                static_cast<size_t>(context.parallel.threads()));
  island.start(context.parallel);
  double best = island.best().fitness;
  size_t improved = 0;
  for (size_t g = 0; g < generations && g - improved < patience; ++g) {
    if (const auto stop = context.control.should_stop()) {
      context.findings.stopped = *stop;
      break;
    }
    island.generation(g, context.parallel);
    if (island.best().fitness > best) {
      best = island.best().fitness;
      improved = g;
    }
    if (g % 16 == 0) {
      context.control.report(
          static_cast<double>(g) / static_cast<double>(generations),
          fmt::format("generation {}, fitness {:.4f}, {} leaves", g, best, island.best().leaves));
    }
  }
  Router router(rows, objective);
  Tree tree = to_tree(island.best().genes, router, context.table(), context.rows);
  if (!all_boundaries) centre_cuts(tree, context.table(), context.rows);
  return tree;
}

std::vector<OptionSpec> options() {
  constexpr double unbounded = 1e15;
  return {
      {"alpha", OptionType::real, "auto",
       "what a node (or leaf, see complexity) costs, as a share of the rows; auto: 0.0025, or 1 "
       "with complexity=bic",
       0, 1e9},
      {"complexity",
       OptionType::choice,
       "nodes",
       "what alpha counts: nodes; leaves; or leaves at a price that falls with the rows, as evtree",
       0,
       0,
       {"nodes", "leaves", "bic"}},
      {"population", OptionType::integer, "50", "trees that evolve at the same time", 2, 1000},
      {"generations", OptionType::integer, "10000", "most generations", 0, unbounded},
      {"patience", OptionType::integer, "1000",
       "generations without a better tree after which the search ends", 1, unbounded},
      {"crossover", OptionType::real, "0.5", "chance that two parents are crossed", 0, 1},
      {"mutation", OptionType::real, "0.05", "chance that a node is mutated", 0, 1},
      {"pressure", OptionType::real, "1.5",
       "linear ranking: how often the best tree is chosen, against a mean one", 1, 2},
      {"cuts",
       OptionType::choice,
       "quantiles",
       "thresholds between rows of different classes: at most 255 of an input, then the best ones "
       "placed exactly (quantiles), or all (boundary)",
       0,
       0,
       {"quantiles", "boundary"}},
      {"feature-costs", OptionType::text, "none",
       "what it costs to know an input, a:2,b:5: a node that asks for it counts as so many"},
      {"max-depth", OptionType::integer, "none", "most questions from the root to a leaf", 0,
       unbounded},
      {"max-leaves", OptionType::integer, "none", "most leaves", 1, unbounded},
  };
}

}  // namespace softwood::evolve

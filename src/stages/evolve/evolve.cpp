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
  settings.islands = static_cast<size_t>(options.integer("islands"));
  settings.migration = static_cast<size_t>(options.integer("migration"));
  settings.restart = static_cast<size_t>(options.integer("restart"));
  // Improvements can make the rest of a subtree; without them it must come from dipoles.
  settings.dipolar_levels = options.real("improve") > 0 ? 4 : std::numeric_limits<size_t>::max();
  settings.seeded = options.real("seeded");
  settings.improve = options.real("improve");
  settings.adapt = options.text("rates") == "adaptive";
  return settings;
}

constexpr size_t most_cuts = 255;

// Moves the thresholds of trees that were found on some of the cuts to the best of all: around each
// threshold in use more cuts are looked at, until there are no more between it and its neighbours.
// Returns the best tree.
Tree place_exactly(const Context& context, const Cuts& all, Cuts cuts, const CodedRows& coarse,
                   std::vector<Individual> trees) {
  std::optional<CodedRows> finer;
  const CodedRows* rows = &coarse;
  const Table& table = context.table();
  constexpr size_t most_rounds = 6, most_passes = 20;
  Cuts used;
  for (size_t round = 0; round < most_rounds; ++round) {
    used.clear();
    for (const Individual& tree : trees) add_used_cuts(tree.genes, *rows, used);
    used.resize(table.features());
    Cuts next = finer_cuts(all, cuts, used, 4 * most_cuts);
    if (next == cuts) break;
    CodedRows more(table, context.rows, next, true, context.parallel);
    for (Individual& tree : trees) translate(tree.genes, *rows, more);
    finer.emplace(std::move(more));
    rows = &*finer;
    cuts = std::move(next);
    const Objective objective = objective_for(context, *rows);
    context.parallel.each(trees.size(), [&](size_t i) {
      Workshop workshop(*rows, objective, 0);
      workshop.operators.router().reroute(trees[i], false);
      workshop.improver.polish(trees[i], most_passes);
    });
  }
  const auto best = std::max_element(
      trees.begin(), trees.end(),
      [](const Individual& a, const Individual& b) { return a.fitness < b.fitness; });
  const Objective objective = objective_for(context, *rows);
  Router router(*rows, objective);
  Tree tree = to_tree(best->genes, router, table, context.rows);
  centre_cuts(tree, table, context.rows);
  return tree;
}

void report(const Context& context, const Search& search, size_t generations) {
  constexpr size_t every = 16;
  if (search.rounds() % every != 0) return;
  const Individual& best = search.best();
  context.control.report(static_cast<double>(search.rounds()) / static_cast<double>(generations),
                         fmt::format("generation {}, fitness {:.4f}, {} leaves", search.rounds(),
                                     best.fitness, best.leaves));
}

void note_stop(const Context& context, const Search& search, Stopped reason) {
  context.findings.stopped = reason;
  context.control.say(
      fmt::format("stopped in generation {0}; 'evolve generations={0}' gives the "
                  "same tree again",
                  search.rounds()));
}

void evolve(const Context& context, Search& search) {
  const auto generations = static_cast<size_t>(context.options.integer("generations"));
  const auto patience = static_cast<size_t>(context.options.integer("patience"));
  search.start();
  while (search.rounds() < generations && search.rounds() - search.last_improvement() < patience) {
    if (const auto stop = context.control.should_stop()) {
      note_stop(context, search, *stop);
      break;
    }
    search.round();
    report(context, search, generations);
  }
}

}  // namespace

// NOLINTNEXTLINE(performance-unnecessary-value-param): the signature that every stage has
Tree run(Context& context, Tree) {
  const bool all_boundaries = context.options.text("cuts") == "boundary";
  const Cuts all = boundary_cuts(context.derived, context.rows, context.parallel);
  const Cuts cuts = all_boundaries ? all : quantiles(all, most_cuts);
  const CodedRows rows(context.table(), context.rows, cuts, true, context.parallel);
  const Objective objective = objective_for(context, rows);
  if (!(objective.root_loss > 0)) {  // nothing to learn
    Router router(rows, objective);
    return to_tree(Genes{Gene{}}, router, context.table(), context.rows);
  }
  const SearchSettings settings = settings_for(context);
  Search search(rows, objective, settings, context.parallel);
  evolve(context, search);
  const Individual& best = search.best();
  if (!all_boundaries) {
    std::vector<Individual> trees = {best};
    for (size_t i = 0; i < settings.islands; ++i) trees.push_back(search.island(i).best());
    return place_exactly(context, all, cuts, rows, std::move(trees));
  }
  Router router(rows, objective);
  return to_tree(best.genes, router, context.table(), context.rows);
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
      {"population", OptionType::integer, "25", "trees of one island", 2, 500},
      {"generations", OptionType::integer, "2000",
       "most generations; islands that evolve as published make ten of them in one", 0, unbounded},
      {"patience", OptionType::integer, "60",
       "generations without a better tree after which the search ends", 1, unbounded},
      {"crossover", OptionType::real, "0.2", "chance that two parents are crossed", 0, 1},
      {"mutation", OptionType::real, "0.05", "chance that a node is mutated", 0, 1},
      {"pressure", OptionType::real, "2",
       "linear ranking: how often the best tree is chosen, against a mean one", 1, 2},
      {"seeded", OptionType::real, "0.5",
       "share of the first trees that is grown greedily, on random parts of rows and inputs", 0, 1},
      {"improve", OptionType::real, "0.5",
       "chance that an offspring is improved by an exact choice instead of being mutated", 0, 1},
      {"rates",
       OptionType::choice,
       "adaptive",
       "improvements that succeed are tried more often (adaptive), or all alike (fixed)",
       0,
       0,
       {"adaptive", "fixed"}},
      {"islands", OptionType::integer, "4",
       "populations that exchange their best trees; every second one evolves as published", 1, 16},
      {"migration", OptionType::integer, "20", "generations from one exchange to the next", 1,
       unbounded},
      {"restart", OptionType::integer, "30",
       "generations without a better tree after which an island begins anew; 0: never", 0,
       unbounded},
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

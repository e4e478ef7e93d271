#include "stages/evolve/evolve.h"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cmath>
#include <limits>

#include "data/convert.h"
#include "data/feature_options.h"
#include "data/folds.h"
#include "engine/merged.h"
#include "softwood/error.h"
#include "stages/evolve/directions.h"
#include "stages/evolve/grace_period.h"
#include "stages/evolve/search.h"
#include "stages/evolve/to_tree.h"
#include "stages/recipe.h"
#include "stages/size_options.h"

namespace softwood::evolve {
namespace {

size_t number_or_all(const Options& options, std::string_view name) {
  return options.has_number(name) ? options.count(name) : std::numeric_limits<size_t>::max();
}

constexpr Named<Complexity> complexities[] = {
    {"nodes", Complexity::nodes}, {"leaves", Complexity::leaves}, {"bic", Complexity::bic}};
constexpr double published_alpha = 0.0025;
constexpr Named<bool> adaptive_rates[] = {{"adaptive", true}, {"fixed", false}};
enum class CutsTried { quantiles, boundary, bins };
constexpr Named<CutsTried> cut_choices[] = {{"quantiles", CutsTried::quantiles},
                                            {"boundary", CutsTried::boundary},
                                            {"bins", CutsTried::bins}};
constexpr Named<bool> oblique_splits[] = {{"axis", false}, {"oblique", true}};

// More rows than these say little more about what a leaf must mend. By time.
constexpr size_t most_priced_rows = 10000;

// By what rows say, so that their order does not matter.
std::vector<RowIndex> priced_rows(const Context& context) {
  const double share =
      static_cast<double>(most_priced_rows) / static_cast<double>(context.rows.size());
  if (share >= 1) return {context.rows.begin(), context.rows.end()};
  const std::vector<char> inside =
      stratified_part(context.table(), context.rows, share, context.seed, context.control);
  std::vector<RowIndex> rows;
  for (size_t i = 0; i < inside.size(); ++i) {
    if (inside[i] != 0) rows.push_back(context.rows[i]);
  }
  return rows;
}

// Of a leaf, as a share of the rows or of the variance: what cost-complexity pruning of a greedy
// tree takes by cross-validation (Breiman et al. 1984). It falls with rows and classes, which need
// more leaves, and rises with noise. None where no split pays.
std::optional<double> price_of_leaf(const Context& context) {
  const std::vector<RowIndex> rows = priced_rows(context);
  const Training training{.derived = context.derived,
                          .rows = rows,
                          .validation = {},
                          .seed = context.seed,
                          .costs = {context.costs.begin(), context.costs.end()}};
  Trained greedy = run_recipe(Recipe::parse("grow | prune rule=min"), training, context.parallel,
                              context.control.silent());
  const auto& table = greedy.report.complexity;
  if (!table || table->chosen == 0 || !(table->root_weight > 0)) return std::nullopt;
  // The tree is the best for prices between its own and that of the next smaller one.
  const double share = std::sqrt(table->rows[table->chosen].cp * table->rows[table->chosen - 1].cp);
  // Fitness counts what a single leaf costs as its errors, whatever the unit of the costs.
  greedy.tree.set_costs({});
  const double scale = context.table().schema().task() == Task::classification
                           ? greedy.tree.risk(0) / table->root_weight
                           : 1;
  // Half a row at least, as Quinlan 1987 counts leaves: a tree without errors would have no price.
  const double price = std::max(share * scale, 0.5 / table->root_weight);
  // Of more rows a leaf must mend as many.
  return price * static_cast<double>(rows.size()) / static_cast<double>(context.rows.size());
}

// No more than what the paper takes: where greedy growth finds nothing, as on a chessboard, it says
// nothing about trees that are searched as a whole. A leaf of a tree with two branches per node
// comes with another node.
double alpha_for(const Context& context) {
  const Options& options = context.options;
  if (options.has_number("alpha")) return options.real("alpha");
  const Complexity complexity = options.choice("complexity", complexities);
  if (complexity == Complexity::bic) return 1;
  // Rows that were merged by their bins may be all that there is of the table.
  if (options.choice("cuts", cut_choices) == CutsTried::bins) return published_alpha;
  const std::optional<double> price = price_of_leaf(context);
  if (!price) return published_alpha;
  return std::min(published_alpha, complexity == Complexity::nodes ? *price / 2 : *price);
}

// What is searched on: the training table, or one with further columns.
struct SearchData {
  const Context& context;
  Derived& derived;
  std::vector<double> costs;  // of the columns
  double alpha;

  const Table& table() const { return derived.table(); }
  std::span<const RowIndex> rows() const { return context.rows; }
  CodedRows coded(const Cuts& cuts, const Control& control) const {
    return {table(), rows(), cuts, true, context.parallel, control};
  }
};

Fitness fitness_for(const SearchData& data, const CodedRows& rows) {
  const Context& context = data.context;
  const Options& options = context.options;
  Fitness fitness;
  fitness.classes = rows.classes();
  fitness.complexity = options.choice("complexity", complexities);
  fitness.alpha = data.alpha;
  fitness.weight = rows.weight();
  fitness.feature_costs = data.costs;
  fitness.max_depth = number_or_all(options, "max-depth");
  fitness.max_leaves = number_or_all(options, "max-leaves");
  std::vector<double> sums(rows.sums_width());
  rows.sums(rows.all(), rows.rows(), sums.data());
  Gene root;
  fitness.judge(sums.data(), root);
  if (!context.costs.empty()) {
    // A single leaf costs as much as it makes errors: alpha does not depend on the unit of costs.
    const double errors = root.loss;
    fitness.costs.assign(context.costs.begin(), context.costs.end());
    fitness.judge(sums.data(), root);
    const double unit = root.loss > 0 && errors > 0 ? root.loss / errors : 1;
    for (double& cost : fitness.costs) cost /= unit;
    fitness.judge(sums.data(), root);
  }
  fitness.root_loss = root.loss;
  // The logarithm of the weight is what a leaf costs.
  if (fitness.complexity == Complexity::bic && root.loss > 0 && !(rows.weight() > 1)) {
    throw Error(ErrorKind::data, "complexity=bic needs weights that count rows", {},
                "scale the weights, or choose another complexity");
  }
  return fitness;
}

SearchSettings settings_for(const Context& context) {
  const Options& options = context.options;
  SearchSettings settings{};
  settings.seed = context.seed;
  settings.population = options.count("population");
  settings.crossover = options.real("crossover");
  settings.mutation = options.real("mutation");
  settings.pruning = options.real("pruning");
  settings.pressure = options.real("pressure");
  settings.islands = options.count("islands");
  settings.migration = options.count("migration");
  settings.restart = options.count("restart");
  settings.first_levels = number_or_all(options, "first-depth");
  // Improvements can make the rest of a subtree; without them it must come from dipoles.
  settings.dipolar_levels = options.real("improve") > 0 ? 4 : std::numeric_limits<size_t>::max();
  settings.seeded = options.real("seeded");
  settings.improve = options.real("improve");
  settings.adapt = options.choice("rates", adaptive_rates);
  return settings;
}

constexpr size_t most_cuts = 255;

// Moves the thresholds of trees that were found on some of the cuts to the best of all: around each
// threshold in use more cuts are looked at, until there are no more between it and its neighbours.
class Placing {
 public:
  Placing(const SearchData& data, Cuts cuts, const CodedRows& rows, std::vector<Individual> trees)
      : data_(data), cuts_(std::move(cuts)), rows_(&rows), trees_(std::move(trees)) {}

  enum class Went { on, no_further, unfinished };
  // Takes the trees as they were when it is not finished.
  Went round(const Cuts& all, GracePeriod& grace) {
    Cuts used;
    for (const Individual& tree : trees_) add_used_cuts(tree.genes, *rows_, used);
    used.resize(data_.table().features());
    Cuts next = finer_cuts(all, cuts_, used, 4 * most_cuts);
    if (next == cuts_) return Went::no_further;
    if (grace.is_over()) return Went::unfinished;
    CodedRows more = data_.coded(next, grace.control());
    const Fitness fitness = fitness_for(data_, more);
    std::vector<Individual> trees = trees_;
    std::atomic<bool> finished = true;
    constexpr size_t most_passes = 20;
    data_.context.parallel.each(trees.size(), [&](size_t i) {
      translate(trees[i].genes, *rows_, more);
      Workspace workspace(more, fitness, 0, 0);
      workspace.operators.router().reroute(trees[i], false);
      const auto must_stop = [&] { return grace.is_over(); };
      if (!workspace.improver.polish(trees[i], most_passes, must_stop)) finished = false;
    });
    if (!finished) return Went::unfinished;
    finer_.emplace(std::move(more));
    rows_ = &*finer_;
    cuts_ = std::move(next);
    trees_ = std::move(trees);
    return Went::on;
  }
  Tree best() const;

 private:
  const SearchData& data_;
  Cuts cuts_;
  const CodedRows* rows_;
  std::optional<CodedRows> finer_;
  std::vector<Individual> trees_;
};

Tree Placing::best() const {
  const Fitness fitness = fitness_for(data_, *rows_);
  const auto best = std::max_element(
      trees_.begin(), trees_.end(),
      [](const Individual& a, const Individual& b) { return a.fitness < b.fitness; });
  Router router(*rows_, fitness);
  Tree tree = to_tree(best->genes, router, data_.table(), data_.rows());
  centre_cuts(tree, data_.table(), data_.rows());
  return tree;
}

void report(const Context& context, const Search& search, double done) {
  if (!context.control.progress) return;
  const Individual& best = search.best();
  const Fitness& fitness = search.fitness();
  const bool classes = fitness.classes > 0;
  const double error = best.loss / (classes ? fitness.weight : fitness.root_loss);
  const char* const what = !classes                ? "squared error relative to the root's"
                           : context.costs.empty() ? "error"
                                                   : "cost per row";
  context.control.report(
      fmt::format("evolving: {} {:.4f}, {}, fitness {:.4f}, generation {}", what, error,
                  counted(best.genes.size(), "node"), best.fitness, search.rounds()),
      done, 1, error);
}

// With `placed`, thresholds were placed in so many rounds and should have been in more.
void note_stop(const Context& context, const Search& search, Stopped reason,
               std::optional<size_t> placed = {}) {
  context.report.stopped = reason;
  if (!search.started()) {
    return context.control.say(
        "stopped while the first trees were grown: this is the best of them");
  }
  std::vector<std::string>& settings = context.report.repeat_settings;
  settings = {fmt::format("evolve.generations={}", search.rounds())};
  if (placed) settings.push_back(fmt::format("evolve.placing={}", *placed));
  context.control.say(
      fmt::format("stopped in generation {}{}; the same recipe and seed with {}{} "
                  "give the same tree again",
                  search.rounds(), placed ? ", before all thresholds were placed" : "", settings[0],
                  placed ? " and " + settings[1] : ""));
}

// Why it was stopped before its end, if it was.
std::optional<Stopped> evolve(const Context& context, Search& search) {
  using Clock = std::chrono::steady_clock;
  constexpr auto between_saves = std::chrono::seconds(10);
  const auto generations = context.options.count("generations");
  const auto patience = context.options.count("patience");
  const auto share = [](size_t part, size_t all) {
    return static_cast<double>(part) / static_cast<double>(all);
  };
  const bool saves = context.checkpoint != nullptr && context.checkpoint->save;
  if (context.checkpoint != nullptr && !context.checkpoint->saved.empty()) {
    search.go_on_from(context.checkpoint->saved);
    context.control.say(
        fmt::format("goes on from generation {} of the checkpoint", search.rounds()));
  } else {
    if (!search.start(context.control)) return context.control.should_stop();
  }
  Bytes state;  // after the last generation that was finished
  const auto note_state = [&] {
    if (saves) state = search.state();
  };
  note_state();
  Clock::time_point saved = Clock::now();
  std::optional<Stopped> stopped;
  while (search.rounds() < generations && search.rounds() - search.last_improvement() < patience) {
    if (!search.round(context.control)) {
      stopped = context.control.should_stop();
      break;
    }
    note_state();
    // The generations until the end if no better tree comes.
    const size_t last = std::min(generations, search.last_improvement() + patience);
    report(context, search, share(search.rounds(), last));
    if (saves && Clock::now() - saved > between_saves) {
      context.checkpoint->save(state);
      saved = Clock::now();
    }
  }
  if (saves) context.checkpoint->save(state);
  return stopped;
}

// In how many rounds thresholds were placed, when there was no time for all.
std::optional<size_t> place_exactly(const SearchData& data, Placing& placing, GracePeriod& grace) {
  const Context& context = data.context;
  const auto most_rounds = context.options.count("placing");
  size_t round = 0;
  try {
    const Cuts all = all_cuts(data.derived, data.rows(), context.parallel, grace.control());
    for (; round < most_rounds; ++round) {
      const Placing::Went went = placing.round(all, grace);
      if (went == Placing::Went::unfinished) return round;
      if (went == Placing::Went::no_further) break;
    }
  } catch (const Error& error) {
    if (error.kind() != ErrorKind::interrupted) throw;
    return round;
  }
  return std::nullopt;
}

// Thresholds between bins of about equal weight, whatever the targets are; equal rows are merged
// before the search, maybe on other machines.
MergedRows rows_by_bins(const SearchData& data) {
  const Context& context = data.context;
  const bool shared = context.coded != nullptr && &context.coded->table() == &data.table();
  CodedCache own(data.table(), data.rows());
  const std::shared_ptr<const CodedTraining> coded =
      (shared ? *context.coded : own).get(most_cuts, false, context.parallel, context.control);
  return merged_rows(*coded, data.rows(), data.context.control);
}

Tree best_tree_by_bins(const SearchData& data) {
  const Context& context = data.context;
  const Schema& schema = data.table().schema();
  std::optional<MergedRows> own;
  if (context.merged == nullptr) own = rows_by_bins(data);
  const MergedRows& merged = own ? *own : *context.merged;
  const CodedRows rows(merged, schema, context.parallel, context.control);
  const Fitness fitness = fitness_for(data, rows);
  Router router(rows, fitness);
  if (!(fitness.root_loss > 0)) return to_tree(Genes{Gene{}}, router, schema, merged);
  Search search(rows, fitness, settings_for(context), context.parallel);
  const std::optional<Stopped> stopped = evolve(context, search);
  if (stopped) note_stop(context, search, *stopped);
  return to_tree(search.best().genes, router, schema, merged);
}

Tree best_tree(const SearchData& data) {
  const Context& context = data.context;
  const CutsTried tried = context.options.choice("cuts", cut_choices);
  if (tried == CutsTried::bins) return best_tree_by_bins(data);
  Cuts cuts = boundary_cuts(data.derived, data.rows(), context.parallel, context.control);
  if (tried == CutsTried::quantiles) cuts = quantiles(cuts, most_cuts);
  const CodedRows rows = data.coded(cuts, context.control);
  const Fitness fitness = fitness_for(data, rows);
  Router router(rows, fitness);
  if (!(fitness.root_loss > 0)) {  // nothing to learn
    return to_tree(Genes{Gene{}}, router, data.table(), data.rows());
  }
  const SearchSettings settings = settings_for(context);
  GracePeriod grace(context.control);
  Search search(rows, fitness, settings, context.parallel);
  std::optional<Stopped> stopped = evolve(context, search);
  const Individual& best = search.best();
  if (tried != CutsTried::quantiles) {
    if (stopped) note_stop(context, search, *stopped);
    return to_tree(best.genes, router, data.table(), data.rows());
  }
  std::vector<Individual> trees = {best};
  for (size_t i = 0; i < settings.islands; ++i) {
    const Individual& other = search.best_of(i);
    const bool known = std::any_of(trees.begin(), trees.end(), [&](const Individual& tree) {
      return tree.genes == other.genes;
    });
    if (!known) trees.push_back(other);
  }
  Placing placing(data, std::move(cuts), rows, std::move(trees));
  const std::optional<size_t> placed = place_exactly(data, placing, grace);
  if (placed && !stopped) stopped = context.control.should_stop();
  if (stopped) note_stop(context, search, *stopped, placed);
  return placing.best();
}

Tree best_oblique_tree(const SearchData& plain) {
  const Context& context = plain.context;
  // By all thresholds: rows are drawn by their values, and those merged must not differ in them.
  const Cuts cuts = all_cuts(plain.derived, plain.rows(), context.parallel, context.control);
  const Directions directions = find_directions(
      plain.table(), plain.rows(), plain.coded(cuts, context.control),
      context.options.count("directions"), context.seed, context.parallel, context.control);
  const Table table = with_directions(plain.table(), directions);
  Derived derived(table);
  Tree tree =
      best_tree({context, derived, costs_with_directions(plain.costs, directions), plain.alpha});
  name_inputs(tree, plain.table().features(), directions);
  return tree;
}

}  // namespace

// NOLINTNEXTLINE(performance-unnecessary-value-param): the signature that every stage has
Tree run(Context& context, Tree) {
  const SearchData data{context, context.derived,
                        feature_costs(context.options, context.table().schema()),
                        alpha_for(context)};
  return context.options.choice("split", oblique_splits) ? best_oblique_tree(data)
                                                         : best_tree(data);
}

std::vector<TraitRule> traits() {
  return {{"alpha=auto complexity!=bic cuts!=bins", {.divides_rows = true}},
          {"cuts=bins split=axis", {.whole_sums = true}}};
}

std::vector<OptionSpec> options() {
  return {
      {.name = "alpha",
       .type = OptionType::real,
       .fallback = "auto",
       .help = "what a node (or leaf, see complexity) costs, as a share of the rows; auto: what "
               "cross-validation takes for a greedy tree, but not more than 0.0025, which is "
               "that with cuts=bins; 1 with complexity=bic",
       .low = 0,
       .high = 1e9,
       .word = "auto"},
      {.name = "complexity",
       .type = OptionType::choice,
       .fallback = "nodes",
       .help = "what alpha counts: nodes; leaves; or leaves at a price that falls with the rows, "
               "as evtree",
       .choices = names_of(complexities)},
      {.name = "population",
       .type = OptionType::integer,
       .fallback = "25",
       .help = "trees of one island",
       .low = 2,
       .high = 500},
      {.name = "generations",
       .type = OptionType::integer,
       .fallback = "2000",
       .help = "most generations; islands that evolve as published make ten of them in one",
       .low = 0,
       .high = unbounded},
      {.name = "patience",
       .type = OptionType::integer,
       .fallback = "60",
       .help = "generations without a better tree after which the search ends",
       .low = 1,
       .high = unbounded},
      {.name = "crossover",
       .type = OptionType::real,
       .fallback = "0.2",
       .help = "chance that two parents are crossed",
       .low = 0,
       .high = 1},
      {.name = "mutation",
       .type = OptionType::real,
       .fallback = "0.05",
       .help = "chance that a node is mutated",
       .low = 0,
       .high = 1},
      {.name = "pruning",
       .type = OptionType::real,
       .fallback = "0.5",
       .help = "chance that an inner node that is mutated becomes a leaf, instead of asking "
               "something else",
       .low = 0,
       .high = 1},
      {.name = "pressure",
       .type = OptionType::real,
       .fallback = "2",
       .help = "linear ranking: how often the best tree is chosen, against a mean one",
       .low = 1,
       .high = 2},
      {.name = "first-depth",
       .type = OptionType::integer,
       .fallback = "none",
       .help = "most levels of the first trees that are grown by dipoles; none: until a split "
               "can't pay",
       .low = 1,
       .high = unbounded,
       .word = "none"},
      {.name = "seeded",
       .type = OptionType::real,
       .fallback = "0.5",
       .help =
           "share of the first trees that is grown greedily, on random parts of rows and inputs",
       .low = 0,
       .high = 1},
      {.name = "improve",
       .type = OptionType::real,
       .fallback = "0.5",
       .help = "chance that an offspring is improved by an exact choice instead of being mutated",
       .low = 0,
       .high = 1},
      {.name = "rates",
       .type = OptionType::choice,
       .fallback = "adaptive",
       .help = "improvements that succeed are tried more often (adaptive), or all alike (fixed)",
       .choices = names_of(adaptive_rates)},
      {.name = "islands",
       .type = OptionType::integer,
       .fallback = "4",
       .help = "populations that exchange their best trees; every second one evolves as published",
       .low = 1,
       .high = 16},
      {.name = "migration",
       .type = OptionType::integer,
       .fallback = "20",
       .help = "generations from one exchange to the next",
       .low = 1,
       .high = unbounded},
      {.name = "restart",
       .type = OptionType::integer,
       .fallback = "30",
       .help = "generations without a better tree after which an island begins anew; 0: never",
       .low = 0,
       .high = unbounded},
      {.name = "cuts",
       .type = OptionType::choice,
       .fallback = "quantiles",
       .help = "thresholds between rows of different classes: at most 255 of an input, then the "
               "best ones placed exactly (quantiles), or all (boundary); or those between 255 bins "
               "of about equal weight, which rows in parts have, too (bins)",
       .choices = names_of(cut_choices)},
      {.name = "placing",
       .type = OptionType::integer,
       .fallback = "6",
       .help = "most rounds of placing the thresholds exactly after the search",
       .low = 0,
       .high = 100,
       .only_with = "cuts=quantiles"},
      {.name = "split",
       .type = OptionType::choice,
       .fallback = "axis",
       .help = "what a node may ask: one input (axis), or also weighted sums of several (oblique), "
               "which count as so many nodes as they have inputs",
       .choices = names_of(oblique_splits)},
      {.name = "directions",
       .type = OptionType::integer,
       .fallback = "64",
       .help = "weighted sums that nodes may ask for",
       .low = 1,
       .high = 10000,
       .only_with = "split=oblique"},
      {.name = "feature-costs",
       .type = OptionType::text,
       .fallback = "none",
       .help = "what it costs to know an input, a:2,b:5: a node that asks for it counts as so "
               "many; where leaves are counted, as so many less one",
       .word = "none"},
      max_depth_option(),
      max_leaves_option("most leaves"),
  };
}

}  // namespace softwood::evolve

// The evolutionary search: populations of trees, selected by rank, crossed and mutated.
#pragma once

#include <array>
#include <atomic>
#include <memory>
#include <vector>

#include "base/bytes.h"
#include "base/control.h"
#include "stages/evolve/improve.h"

namespace softwood::evolve {

// All are set by the options of the stage.
struct SearchSettings {
  uint64_t seed;
  size_t islands;
  size_t population;      // of one island
  double crossover;       // chance of a pair of parents
  double mutation;        // chance of a node
  double pruning;         // chance that an inner node that mutates becomes a leaf
  double pressure;        // linear ranking: how often the best is chosen, against a mean one
  double seeded;          // share of the first trees that is grown greedily
  double improve;         // chance that an offspring gets an improvement in place of a mutation
  bool adapt;             // improvements that succeed are tried more often
  size_t first_levels;    // most levels of the first trees that are grown by dipoles
  size_t dipolar_levels;  // most levels of dipolar subtrees that mutation makes
  size_t migration;       // rounds between two migrations
  size_t restart;         // an island begins anew after so many rounds without a better tree
};

// What an offspring gets in place of the published mutation.
enum class Improvement : uint8_t {
  nudge,       // a threshold moves a little
  test,        // the best test of a node
  input,       // the best threshold of a random input
  leaf,        // a leaf is split greedily
  subtree,     // a subtree is grown anew, greedily
  look_ahead,  // the same, by two tests at once
  polish       // all tests are optimised once
};
constexpr size_t improvements = 7;

// Asked before every first tree and every pair of offspring: a generation can take long. What was
// asked for and not done leaves no valid population.
class StopCheck {
 public:
  explicit StopCheck(const Control& control) : control_(control) {}
  bool must_stop() {
    if (control_.should_stop()) stopped_ = true;
    return stopped_;
  }
  bool stopped() const { return stopped_; }

 private:
  const Control& control_;
  std::atomic<bool> stopped_ = false;
};

// The working memory of one thread.
struct Workspace {
  Workspace(const CodedRows& rows, const Fitness& fitness, size_t most_levels, double pruning)
      : operators(rows, fitness, most_levels, pruning), improver(operators) {}
  Operators operators;
  Improver improver;
};

// One population. What happens in a generation depends on its number, the seed, the island's number
// and the trees there are, and on nothing else.
class Island {
 public:
  // An explorer evolves as published, without seeds and improvements.
  Island(const SearchSettings& settings, size_t number, bool explorer, bool worth_threads);

  using Workspaces = std::span<const std::unique_ptr<Workspace>>;
  // Pairs of parents are divided among the workspaces.
  // When it is stopped, the trees that are not grown yet are leaves.
  void start(const Parallel& parallel, Workspaces workspaces, StopCheck& stop);
  void generation(const Parallel& parallel, Workspaces workspaces, StopCheck& stop);
  const Individual& best() const { return current_[ranking_[0]]; }
  // Takes the place of the worst.
  void receive(const Individual& tree);
  bool explorer() const { return explorer_; }

  void write(ByteWriter& out) const;
  void read(ByteReader& in, Router& router);

 private:
  struct Attempt {
    int improvement = -1;  // none
    bool better = false;
  };
  void first_tree(size_t i, Workspace& workspace);
  void offspring(size_t pair, Workspace& workspace);
  void change(size_t i, Workspace& workspace, Random& random);
  void improve(Individual& tree, Improvement improvement, Workspace& workspace,
               Random& random) const;
  size_t select(Random& random) const;
  void rank();
  void learn();
  template <class Body>
  void each_pair(const Parallel& parallel, Workspaces workspaces, const Body& body);
  uint64_t key(size_t item) const { return (generation_ * 65536 + number_) * 65536 + item; }

  const SearchSettings& settings_;
  size_t number_;
  bool explorer_, worth_threads_;
  size_t generation_ = 0;
  std::vector<Individual> current_, next_;
  std::vector<Attempt> attempts_;             // of next_
  std::vector<uint32_t> ranking_;             // best first
  std::vector<double> cumulative_;            // chance of being chosen, by rank
  std::array<double, improvements> success_;  // share of the attempts that made a better tree
};

// Islands that evolve on their own and now and then send their best trees to others. With more than
// one, every second is an explorer: what exact choices lead to is found soon and by all islands
// that use them, so some do not. Explorers send and never receive; they make ten generations in the
// time of one, as theirs cost a tenth.
class Search {
 public:
  Search(const CodedRows& rows, const Fitness& fitness, const SearchSettings& settings,
         const Parallel& parallel);

  // Grows the first trees. False when it was stopped on the way: the search then can't go on, and
  // there are those that were grown.
  bool start(const Control& control);
  bool started() const { return started_; }
  // One generation, or ten of an explorer. False when it was stopped on the way: the search then
  // can't go on, and what it has found is what it had before.
  bool round(const Control& control);
  size_t rounds() const { return round_; }
  size_t last_improvement() const { return improved_; }  // the round that found the best
  const Individual& best() const { return best_; }
  const Fitness& fitness() const { return fitness_; }
  // The best tree of an island in the last round that was finished.
  const Individual& best_of(size_t island) const { return island_trees_[island]; }

  // All that the further rounds depend on. A search with the same rows and settings goes on from
  // there as the one that wrote it would. Data Error when the bytes are none of such a search.
  Bytes state() const;
  void go_on_from(const Bytes& state);

 private:
  void run_island(size_t i, const Parallel& inner, Island::Workspaces workspaces, StopCheck& stop);
  void migrate();
  void note_best();
  void keep_if_best(const Individual& tree);
  void read(const Bytes& state);

  const Fitness& fitness_;
  SearchSettings settings_;
  const Parallel& parallel_;
  Parallel serial_;
  std::vector<std::unique_ptr<Workspace>> workshops_;
  std::vector<Island> islands_;
  std::vector<size_t> stale_;        // rounds without a better tree
  std::vector<double> island_best_;  // its fitness, until the island begins anew
  std::vector<Individual> island_trees_;
  Individual best_;
  bool started_ = false;
  size_t round_ = 0, improved_ = 0;
};

}  // namespace softwood::evolve

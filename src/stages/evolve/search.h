// The evolutionary search: populations of trees, selected by rank, crossed and mutated.
#pragma once

#include <array>
#include <memory>
#include <vector>

#include "stages/evolve/improve.h"

namespace softwood::evolve {

struct SearchSettings {
  uint64_t seed = 1;
  size_t population = 50;  // of one island
  size_t islands = 1;
  size_t migration = 50;   // generations between two migrations
  size_t restart = 100;    // an island begins anew after so many without a better tree
  double crossover = 0.2;  // chance of a pair of parents
  double mutation = 0.05;  // chance of a node
  double pressure = 2;     // linear ranking: how often the best is chosen, against a mean one
  double seeded = 0;       // share of the first trees that is grown greedily
  double improve = 0;      // chance that an offspring gets an improvement in place of a mutation
  bool adapt = false;      // improvements that succeed are tried more often
};

// What an offspring gets in the place of the published mutation.
enum class Improvement : uint8_t {
  nudge,    // a threshold moves a little
  test,     // the best test of a node
  input,    // the best threshold of a random input
  leaf,     // a leaf is split greedily
  subtree,  // a subtree is grown anew, greedily
  polish    // all tests are optimised once
};
constexpr size_t improvements = 6;

// The working memory of one thread.
struct Workshop {
  Workshop(const CodedRows& rows, const Objective& objective)
      : operators(rows, objective), improver(operators) {}
  Operators operators;
  Improver improver;
};

// One population. What happens in a generation depends on its number, the seed and the island's
// number, and on nothing else.
class Island {
 public:
  Island(const CodedRows& rows, const Objective& objective, const SearchSettings& settings,
         size_t number);

  void start(size_t generation, const Parallel& parallel,
             std::span<const std::unique_ptr<Workshop>> workshops);
  void generation(size_t number, const Parallel& parallel,
                  std::span<const std::unique_ptr<Workshop>> workshops);
  const Individual& best() const { return current_[ranking_[0]]; }
  // Takes the place of the worst.
  void receive(const Individual& tree);

 private:
  struct Attempt {
    int improvement = -1;  // none
    bool better = false;
  };
  void first_tree(size_t generation, size_t i, Workshop& workshop);
  void offspring(size_t generation, size_t pair, Workshop& workshop);
  void change(size_t i, Workshop& workshop, Random& random);
  void improve(Individual& tree, Improvement improvement, Workshop& workshop, Random& random) const;
  size_t select(Random& random) const;
  void rank();
  void learn();
  template <class Body>
  void each_pair(const Parallel& parallel, std::span<const std::unique_ptr<Workshop>> workshops,
                 const Body& body);

  const SearchSettings& settings_;
  size_t number_;
  bool worth_threads_;
  std::vector<Individual> current_, next_;
  std::vector<Attempt> attempts_;             // of next_
  std::vector<uint32_t> ranking_;             // best first
  std::vector<double> cumulative_;            // chance of being chosen, by rank
  std::array<double, improvements> success_;  // share of the attempts that made a better tree
};

}  // namespace softwood::evolve

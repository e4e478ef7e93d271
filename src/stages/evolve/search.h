// The evolutionary search: populations of trees, selected by rank, crossed and mutated.
#pragma once

#include <memory>
#include <vector>

#include "stages/evolve/operators.h"

namespace softwood::evolve {

struct SearchSettings {
  uint64_t seed = 1;
  size_t population = 50;  // of all islands together
  size_t islands = 1;
  size_t epoch = 20;       // generations between two migrations
  double crossover = 0.5;  // chance of a pair of parents
  double mutation = 0.05;  // chance of a node
  double pressure = 1.5;   // linear ranking: how often the best is expected to be chosen
};

// One population. What happens in a generation depends on its number, the seed and the island's
// number, and on nothing else.
class Island {
 public:
  Island(const CodedRows& rows, const Objective& objective, const SearchSettings& settings,
         size_t number, size_t size, size_t workers);

  void start(const Parallel& parallel);
  void generation(size_t number, const Parallel& parallel);
  const Individual& best() const { return current_[ranking_[0]]; }

 private:
  void offspring(size_t generation, size_t pair, Operators& operators);
  size_t select(Random& random) const;
  void rank();
  template <class Body>
  void each_pair(const Parallel& parallel, const Body& body);

  const SearchSettings& settings_;
  size_t number_;
  std::vector<Individual> current_, next_;
  std::vector<uint32_t> ranking_;                      // best first
  std::vector<double> cumulative_;                     // chance of being chosen, by rank
  std::vector<std::unique_ptr<Operators>> operators_;  // one a worker
  bool worth_threads_;
};

}  // namespace softwood::evolve

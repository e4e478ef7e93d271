#include "stages/evolve/search.h"

#include <algorithm>
#include <numeric>

namespace softwood::evolve {

Island::Island(const CodedRows& rows, const Objective& objective, const SearchSettings& settings,
               size_t number, size_t size, size_t workers)
    : settings_(settings), number_(number), current_(size), next_(size), ranking_(size) {
  for (size_t w = 0; w < workers; ++w) {
    operators_.push_back(std::make_unique<Operators>(rows, objective));
  }
  // Linear ranking (Michalewicz 1996, section 4.1): chances fall linearly with the rank, from
  // pressure / n for the best to (2 - pressure) / n for the worst.
  const auto n = static_cast<double>(size);
  double sum = 0;
  for (size_t rank = 0; rank < size; ++rank) {
    const double place = size > 1 ? static_cast<double>(rank) / (n - 1) : 0.5;
    sum += (settings.pressure - (2 * settings.pressure - 2) * place) / n;
    cumulative_.push_back(sum);
  }
  worth_threads_ = rows.words() * size > 2000;
}

template <class Body>
void Island::each_pair(const Parallel& parallel, const Body& body) {
  const size_t pairs = (current_.size() + 1) / 2;
  if (!worth_threads_ || operators_.size() < 2) {
    for (size_t pair = 0; pair < pairs; ++pair) body(pair, *operators_[0]);
  } else {
    parallel.each(pairs, [&](size_t pair) { body(pair, *operators_[parallel.worker()]); });
  }
}

void Island::start(const Parallel& parallel) {
  each_pair(parallel, [&](size_t pair, Operators& operators) {
    for (size_t i = 2 * pair; i < std::min(2 * pair + 2, current_.size()); ++i) {
      Random random(settings_.seed, "evolve start", number_ * 65536 + i);
      operators.dipolar_tree(current_[i], random);
    }
  });
  rank();
}

void Island::rank() {
  std::iota(ranking_.begin(), ranking_.end(), 0U);
  std::stable_sort(ranking_.begin(), ranking_.end(), [&](uint32_t a, uint32_t b) {
    return current_[a].fitness > current_[b].fitness;
  });
}

size_t Island::select(Random& random) const {
  const double u = random.uniform() * cumulative_.back();
  const auto at = std::upper_bound(cumulative_.begin(), cumulative_.end() - 1, u);
  return ranking_[static_cast<size_t>(at - cumulative_.begin())];
}

void Island::offspring(size_t generation, size_t pair, Operators& operators) {
  Random random(settings_.seed, "evolve", (generation * 65536 + number_) * 65536 + pair);
  Individual& a = next_[2 * pair];
  a = current_[select(random)];
  if (2 * pair + 1 < next_.size()) {
    Individual& b = next_[2 * pair + 1];
    b = current_[select(random)];
    if (random.uniform() < settings_.crossover) operators.cross_trees(a, b, random);
    operators.mutate_tree(b, settings_.mutation, random);
  }
  operators.mutate_tree(a, settings_.mutation, random);
}

void Island::generation(size_t number, const Parallel& parallel) {
  each_pair(parallel,
            [&](size_t pair, Operators& operators) { offspring(number, pair, operators); });
  // The best of the last generation stays, in the place of the worst offspring.
  const auto worst = std::min_element(
      next_.begin(), next_.end(),
      [](const Individual& a, const Individual& b) { return a.fitness < b.fitness; });
  *worst = best();
  current_.swap(next_);
  rank();
}

}  // namespace softwood::evolve

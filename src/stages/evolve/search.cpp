#include "stages/evolve/search.h"

#include <algorithm>
#include <numeric>

namespace softwood::evolve {

Island::Island(const SearchSettings& settings, size_t number, bool explorer, bool worth_threads)
    : settings_(settings),
      number_(number),
      explorer_(explorer),
      worth_threads_(worth_threads),
      current_(settings.population),
      next_(settings.population),
      attempts_(settings.population),
      ranking_(settings.population) {
  // Linear ranking (Michalewicz 1996, section 4.1): chances fall linearly with the rank, from
  // pressure / n for the best to (2 - pressure) / n for the worst.
  const auto n = static_cast<double>(settings.population);
  double sum = 0;
  for (size_t rank = 0; rank < settings.population; ++rank) {
    const double place = static_cast<double>(rank) / (n - 1);
    sum += (settings.pressure - (2 * settings.pressure - 2) * place) / n;
    cumulative_.push_back(sum);
  }
  success_.fill(0.5);
}

template <class Body>
void Island::each_pair(const Parallel& parallel, Workspaces workspaces, const Body& body) {
  const size_t pairs = (current_.size() + 1) / 2;
  if (!worth_threads_ || workspaces.size() < 2) {
    for (size_t pair = 0; pair < pairs; ++pair) body(pair, *workspaces[0]);
  } else {
    parallel.each(pairs, [&](size_t pair) { body(pair, *workspaces[parallel.worker()]); });
  }
}

void Island::first_tree(size_t i, Workspace& workspace) {
  Random random(settings_.seed, "evolve start", key(i));
  Individual& tree = current_[i];
  if (explorer_ || random.uniform() >= settings_.seeded) {
    return workspace.operators.dipolar_tree(tree, random, settings_.first_levels);
  }
  tree = Individual{};
  Improver::Greed greed = workspace.improver.random_greed(random);
  greed.levels = 2 + random.below(8);
  workspace.improver.regrow(tree, 0, greed, random);
}

void Island::start(const Parallel& parallel, Workspaces workspaces, StopCheck& stop) {
  each_pair(parallel, workspaces, [&](size_t pair, Workspace& workspace) {
    for (size_t i = 2 * pair; i < std::min(2 * pair + 2, current_.size()); ++i) {
      if (stop.must_stop()) {
        current_[i] = Individual{};
        workspace.operators.router().reroute(current_[i], false);
      } else {
        first_tree(i, workspace);
      }
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

void Island::improve(Individual& tree, Improvement improvement, Workspace& workspace,
                     Random& random) const {
  constexpr size_t looks = 8;
  const size_t node = random.below(tree.genes.size());
  Improver& improver = workspace.improver;
  switch (improvement) {
    case Improvement::nudge:
      return workspace.operators.nudge(tree, node, random);
    case Improvement::test:
      improver.optimise(tree, node);
      return;
    case Improvement::input:
      if (workspace.operators.features() == 0) return;  // nothing can be asked
      improver.choose_input(tree, node,
                            static_cast<uint32_t>(random.below(workspace.operators.features())));
      return;
    case Improvement::leaf:
    case Improvement::subtree: {
      const bool leaf = improvement == Improvement::leaf;
      if (leaf != tree.genes[node].is_leaf()) return;
      Improver::Greed greed = improver.random_greed(random);
      greed.levels = 1 + random.below(leaf ? 2 : 4);
      return improver.regrow(tree, node, greed, random);
    }
    case Improvement::look_ahead:
      return improver.look_ahead(tree, node, looks, random);
    case Improvement::polish:
      improver.polish(tree, 1);
      return;
  }
}

void Island::change(size_t i, Workspace& workspace, Random& random) {
  Individual& tree = next_[i];
  attempts_[i] = {};
  if (explorer_ || random.uniform() >= settings_.improve) {
    return workspace.operators.mutate_tree(tree, settings_.mutation, random);
  }
  double all = 0;
  for (const double s : success_) all += s;
  double u = random.uniform() * all;
  size_t k = 0;
  while (k + 1 < improvements && u >= success_[k]) u -= success_[k++];
  const double before = tree.fitness;
  improve(tree, static_cast<Improvement>(k), workspace, random);
  attempts_[i] = {static_cast<int>(k), tree.fitness > before};
}

void Island::offspring(size_t pair, Workspace& workspace) {
  Random random(settings_.seed, "evolve", key(pair));
  const size_t a = 2 * pair, b = a + 1;
  next_[a] = current_[select(random)];
  if (b < next_.size()) {
    next_[b] = current_[select(random)];
    if (random.uniform() < settings_.crossover) {
      workspace.operators.cross_trees(next_[a], next_[b], random);
    }
    change(b, workspace, random);
  }
  change(a, workspace, random);
}

void Island::generation(const Parallel& parallel, Workspaces workspaces, StopCheck& stop) {
  ++generation_;
  each_pair(parallel, workspaces, [&](size_t pair, Workspace& workspace) {
    if (!stop.must_stop()) offspring(pair, workspace);
  });
  if (stop.stopped()) return;
  if (settings_.adapt) learn();
  // The best of the last generation stays, in place of the worst offspring.
  const auto worst = std::min_element(
      next_.begin(), next_.end(),
      [](const Individual& a, const Individual& b) { return a.fitness < b.fitness; });
  *worst = best();
  current_.swap(next_);
  rank();
}

void Island::learn() {
  constexpr double memory = 0.98, least = 0.05;
  for (const Attempt& attempt : attempts_) {
    if (attempt.improvement < 0) continue;
    double& success = success_[static_cast<size_t>(attempt.improvement)];
    success = std::max(least, memory * success + (1 - memory) * (attempt.better ? 1 : 0));
  }
}

void Island::receive(const Individual& tree) {
  current_[ranking_.back()] = tree;
  rank();
}

Search::Search(const CodedRows& rows, const Fitness& fitness, const SearchSettings& settings,
               const Parallel& parallel)
    : fitness_(fitness),
      settings_(settings),
      parallel_(parallel),
      serial_(1),
      stale_(settings.islands, 0),
      island_best_(settings.islands),
      island_trees_(settings.islands) {
  // Islands are tasks, or, when there is one, pairs of parents, unless a generation of them takes
  // less than some tens of microseconds.
  const bool worth_threads = settings.islands == 1 && rows.words() * settings.population > 2000;
  const size_t workers =
      settings.islands == 1 ? static_cast<size_t>(parallel.threads()) : settings.islands;
  for (size_t w = 0; w < workers; ++w) {
    workshops_.push_back(
        std::make_unique<Workspace>(rows, fitness, settings.dipolar_levels, settings.pruning));
  }
  for (size_t i = 0; i < settings.islands; ++i) {
    islands_.emplace_back(settings_, i, i % 2 == 1, worth_threads);
  }
}

bool Search::start(const Control& control) {
  StopCheck stop(control);
  if (islands_.size() == 1) {
    islands_[0].start(parallel_, workshops_, stop);
  } else {
    parallel_.each(islands_.size(), [&](size_t i) {
      islands_[i].start(serial_, Island::Workspaces(workshops_).subspan(i, 1), stop);
    });
  }
  // A single leaf is within all limits.
  best_ = Individual{};
  workshops_[0]->operators.router().reroute(best_, false);
  note_best();
  for (size_t i = 0; i < islands_.size(); ++i) island_trees_[i] = islands_[i].best();
  started_ = !stop.stopped();
  return started_;
}

void Search::run_island(size_t i, const Parallel& inner, Island::Workspaces workspaces,
                        StopCheck& stop) {
  Island& island = islands_[i];
  constexpr size_t explorer_generations = 10;
  if (settings_.restart > 0 && stale_[i] >= settings_.restart) {
    island.start(inner, workspaces, stop);
    stale_[i] = 0;
    island_best_[i] = island.best().fitness;
  }
  for (size_t g = 0; g < (island.explorer() ? explorer_generations : 1) && !stop.stopped(); ++g) {
    island.generation(inner, workspaces, stop);
  }
}

bool Search::round(const Control& control) {
  StopCheck stop(control);
  if (islands_.size() == 1) {
    run_island(0, parallel_, workshops_, stop);
  } else {
    parallel_.each(islands_.size(), [&](size_t i) {
      run_island(i, serial_, Island::Workspaces(workshops_).subspan(i, 1), stop);
    });
  }
  if (stop.stopped()) return false;
  ++round_;
  note_best();
  if (islands_.size() > 1 && round_ % settings_.migration == 0) migrate();
  for (size_t i = 0; i < islands_.size(); ++i) island_trees_[i] = islands_[i].best();
  return true;
}

void Search::note_best() {
  for (size_t i = 0; i < islands_.size(); ++i) {
    const Individual& best = islands_[i].best();
    stale_[i] = round_ == 0 || best.fitness > island_best_[i] ? 0 : stale_[i] + 1;
    island_best_[i] = best.fitness;
    keep_if_best(best);
  }
}

void Search::keep_if_best(const Individual& tree) {
  if (!(tree.fitness > best_.fitness)) return;
  best_ = tree;
  improved_ = round_;
}

// Around the ring, improved on the way; explorers pass on what comes to them.
void Search::migrate() {
  constexpr size_t passes = 5;
  const size_t count = islands_.size();
  std::vector<Individual> travellers(count);
  parallel_.each(count, [&](size_t i) {
    travellers[i] = islands_[i].best();
    workshops_[i]->improver.polish(travellers[i], passes);
  });
  for (size_t i = 0; i < count; ++i) {
    keep_if_best(travellers[i]);
    for (size_t to = (i + 1) % count; to != i; to = (to + 1) % count) {
      if (islands_[to].explorer()) continue;
      islands_[to].receive(travellers[i]);
      break;
    }
  }
}

}  // namespace softwood::evolve

#include "gradient/start.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "base/random.h"

namespace softwood::gradient {

void set_freedom(const Network& net, const Freedom& freedom, Start& start) {
  const auto pace = [](bool free) { return free ? 1.0F : 0.0F; };
  for (size_t g = 0; g < net.gates(); ++g) {
    for (size_t t = 0; t < net.terms; ++t) {
      start.pace[net.weight_at(g, t)] = pace(freedom.gates);
      start.decay[net.weight_at(g, t)] = 1;
    }
    start.pace[net.constant_at(g)] = pace(freedom.cuts);
    start.pace[net.widths_at() + 2 * g] = pace(freedom.widths);
    start.pace[net.widths_at() + 2 * g + 1] = pace(freedom.widths);
  }
  for (size_t u = net.unit_of_leaf(0, 0); u < net.unit_of_leaf(net.leaves, 0); ++u) {
    start.pace[net.constant_at(u)] = pace(freedom.leaves);
    if (!net.linear_leaves) continue;
    for (size_t t = 0; t < net.terms; ++t) {
      start.pace[net.weight_at(u, t)] = pace(freedom.leaves);
      start.decay[net.weight_at(u, t)] = 1;
    }
  }
}

Start random_start(const Network& net, uint64_t seed, std::span<const double> answer) {
  constexpr double leaf_spread = 0.1;
  Start start(net);
  set_freedom(net, {}, start);
  Random random(seed, "soft start");
  const double size = 1 / std::sqrt(static_cast<double>(std::max<size_t>(net.terms, 1)));
  for (size_t g = 0; g < net.gates(); ++g) {
    for (size_t t = 0; t < net.terms; ++t) {
      start.parameters[net.weight_at(g, t)] = static_cast<float>(size * random.normal());
    }
  }
  for (size_t leaf = 0; leaf < net.leaves; ++leaf) {
    for (size_t k = 0; k < net.outputs; ++k) {
      start.parameters[net.constant_at(net.unit_of_leaf(leaf, k))] =
          static_cast<float>((answer.empty() ? 0 : answer[k]) + leaf_spread * random.normal());
    }
  }
  return start;
}

void move_about(const Network& net, uint64_t seed, Start& start) {
  constexpr double of_cut = 0.3, of_weights = 0.2;
  Random random(seed, "start nearby");
  for (size_t g = 0; g < net.gates(); ++g) {
    double squares = 0, free = 0;
    for (size_t t = 0; t < net.terms; ++t) {
      const double weight = start.parameters[net.weight_at(g, t)];
      squares += weight * weight;
      free += start.pace[net.weight_at(g, t)] > 0 ? 1 : 0;
    }
    const double size = std::sqrt(squares);
    const auto move = [&](size_t i, double by) {
      const double step = by * size * random.normal();
      if (start.pace[i] > 0) start.parameters[i] += static_cast<float>(step);
    };
    for (size_t t = 0; t < net.terms; ++t) {
      move(net.weight_at(g, t), of_weights / std::sqrt(std::max(1.0, free)));
    }
    move(net.constant_at(g), of_cut);
  }
}

void keep_features(const Network& net, std::span<const std::vector<uint32_t>> features, size_t most,
                   Start& start) {
  uint32_t count = 0;
  for (const std::vector<uint32_t>& of_term : features) {
    for (const uint32_t feature : of_term) count = std::max(count, feature + 1);
  }
  std::vector<uint32_t> order(count);
  std::vector<double> size(count);
  std::vector<char> kept(count);
  for (size_t g = 0; g < net.gates(); ++g) {
    std::fill(size.begin(), size.end(), 0.0);
    for (size_t t = 0; t < net.terms; ++t) {
      const double weight = start.parameters[net.weight_at(g, t)];
      for (const uint32_t feature : features[t]) size[feature] += weight * weight;
    }
    std::iota(order.begin(), order.end(), 0U);
    std::stable_sort(order.begin(), order.end(),
                     [&](uint32_t a, uint32_t b) { return size[a] > size[b]; });
    std::fill(kept.begin(), kept.end(), char{0});
    for (size_t k = 0; k < std::min<size_t>(most, count); ++k) kept[order[k]] = 1;
    for (size_t t = 0; t < net.terms; ++t) {
      const bool stays = std::all_of(features[t].begin(), features[t].end(),
                                     [&](uint32_t feature) { return kept[feature] != 0; });
      if (stays) continue;
      start.parameters[net.weight_at(g, t)] = 0;
      start.pace[net.weight_at(g, t)] = 0;
    }
  }
}

}  // namespace softwood::gradient

#include "stages/gradient/full.h"

#include <cmath>

#include "base/random.h"

namespace softwood::gradient {

Start random_start(const Network& net, const Settings& settings, uint64_t seed) {
  Start start(net);
  Random random(seed, "soft start");
  const double size =
      settings.spread / std::sqrt(static_cast<double>(std::max<size_t>(net.terms, 1)));
  for (size_t g = 0; g < net.gates(); ++g) {
    for (size_t t = 0; t < net.terms; ++t) {
      const size_t i = net.weight_at(g, t);
      start.parameters[i] = static_cast<float>(size * random.normal());
      start.pace[i] = 1;
      start.decay[i] = 1;
    }
    start.pace[net.constant_at(g)] = 1;
  }
  for (size_t l = 0; l < net.leaves; ++l) {
    for (size_t k = 0; k < net.outputs; ++k) {
      const size_t unit = net.unit_of_leaf(l, k);
      start.parameters[net.constant_at(unit)] = static_cast<float>(0.1 * random.normal());
      start.pace[net.constant_at(unit)] = 1;
      if (!net.linear_leaves) continue;
      for (size_t t = 0; t < net.terms; ++t) {
        start.pace[net.weight_at(unit, t)] = 1;
        start.decay[net.weight_at(unit, t)] = static_cast<float>(settings.leaf_decay);
      }
    }
  }
  return start;
}

}  // namespace softwood::gradient

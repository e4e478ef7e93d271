// A soft tree whose gates and leaves are all trained together.
#pragma once

#include "stages/gradient/emit.h"
#include "stages/gradient/trainer.h"

namespace softwood::gradient {

// What a soft tree is made of.
struct Shape {
  size_t depth = 4;
  bool linear_leaves = false;
  Map map = Map::none;
  Products products = Products::none;
};

struct Settings {
  Shape shape;
  Schedule schedule;
  double leaf_decay = 1;  // of the weights of linear leaves, as a multiple of the decay
  double spread = 1;      // of the gates' scores at the start
};

// A start with small random gates, told apart by the seed.
Start random_start(const Network& net, const Settings& settings, uint64_t seed);

}  // namespace softwood::gradient

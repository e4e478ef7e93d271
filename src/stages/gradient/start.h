// Where the training of a network begins.
#pragma once

#include "stages/gradient/trainer.h"

namespace softwood::gradient {

struct Freedom {
  bool gates = true;      // their weights
  bool cuts = true;       // their constants
  bool widths = true;     // of ramps
  bool leaves = true;     // constants and weights
  double leaf_decay = 1;  // of the weights of leaves, as a multiple of that of the gates
};

// Lets the numbers of a network move.
void set_freedom(const Network& net, const Freedom& freedom, Start& start);

// Random gates whose scores have a standard deviation of about `spread`, and leaves near 0.
Start random_start(const Network& net, double spread, uint64_t seed);

// Moves the gates about: cuts by about three tenths of a standard deviation of the score, weights
// by a fifth of what all of the gate are together. What may not move stays.
void move_about(const Network& net, uint64_t seed, Start& start);

// Keeps of each gate the `most` weights with the largest size; the others become 0 and stay so.
void keep_largest(const Network& net, size_t most, Start& start);

}  // namespace softwood::gradient

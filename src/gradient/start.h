// Where the training of a network begins.
#pragma once

#include <span>

#include "gradient/trainer.h"

namespace softwood::gradient {

struct Freedom {
  bool gates = true;   // their weights
  bool cuts = true;    // their constants
  bool widths = true;  // of ramps
  bool leaves = true;  // constants and weights
};

// Lets the numbers of a network move.
void set_freedom(const Network& net, const Freedom& freedom, Start& start);

// Random gates whose scores have a standard deviation of about 1, and leaves near `answer`, which
// has a number for each output; empty: near 0.
Start random_start(const Network& net, uint64_t seed, std::span<const double> answer = {});

// Moves the gates about: cuts by about three tenths of a standard deviation of the score, weights
// by a fifth of what all of the gate are together. What may not move stays.
void move_about(const Network& net, uint64_t seed, Start& start);

// Keeps of each gate the terms of the `most` features that count most, by the squares of the
// weights of all terms that they are part of; the other weights become 0 and stay so. `features`
// are those of each term: a product is kept where both of its are.
void keep_features(const Network& net, std::span<const std::vector<uint32_t>> features, size_t most,
                   Start& start);

}  // namespace softwood::gradient

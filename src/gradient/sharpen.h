// Soft gates made steeper and steeper, until they are all but hard.
#pragma once

#include "gradient/start.h"

namespace softwood::gradient {

// So steep that a gate is a step.
constexpr float as_steep_as_a_step = 1e12F;
void scale_gate(const Network& net, size_t gate, float factor, std::vector<float>& parameters);

struct Sharpening {
  // Share of the held-out loss that may be lost by it.
  double most_loss = 0.05;
  // Each doubles the steepness; after so many a gate is as good as a step.
  size_t most_rounds = 8;
  Schedule schedule;  // of each round
};

struct Sharpened {
  std::vector<float> parameters;
  size_t rounds = 0;             // that were made
  double before = 0, after = 0;  // held-out loss
  double hard = 0;               // the same with steps in place of the gates
  bool stopped = false;          // by the user
};

// In every round the scores of all gates are doubled and everything is trained on; gates that
// training has made softer again get the steepness back, and the leaves are trained once more for
// these gates. With held-out rows the rounds end when their loss has grown by more than is allowed;
// without them all are made.
Sharpened sharpen(const Network& net, const Rows<float>& rows, const Rows<float>* held_out,
                  const Start& start, const Sharpening& plan, uint64_t seed,
                  const Control& control);

}  // namespace softwood::gradient

// Trains the numbers of a network by Adam (Kingma & Ba 2015, algorithm 1) with decoupled weight
// decay (Loshchilov & Hutter 2019, algorithm 2). The l1 penalty is decoupled in the same way: a
// step of soft thresholding after each step (Parikh & Boyd 2014, Proximal algorithms, 6.5.2).
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "base/control.h"
#include "gradient/kernel.h"

namespace softwood::gradient {

struct Schedule {
  size_t steps = 4000;  // of one mini-batch each, over which the rate falls to 0
  size_t last = 4000;   // step with which training ends, at most `steps`
  size_t batch = 128;   // rows
  double rate = 0.01;   // at its highest; rises over the first steps, falls as a cosine
  double decay = 0;     // of weights per unit of the rate, where the start says so
  // What the same weights move towards 0 per unit of the rate; they stay at 0 while the gradient is
  // weaker. 1 is as strong as a gradient that always has the same sign.
  double l1 = 0;
  double average = 0.998;  // share of the running mean of the numbers that a step keeps
  // The held-out rows are asked after 10 steps and then each time that a tenth more were made.
  // Training ends when so many times the steps that were best bring nothing better.
  double patience = 3;
  bool keep_losses = false;                  // of the held-out rows, each time that they are asked
  Instructions most = Instructions::avx512;  // of the processor; results are the same with all
  // Told the share of the steps that are made, now and then.
  std::function<void(double)> progress = {};

  void set_steps(size_t count) { steps = last = count; }
};

// Where training begins, and how freely each number moves.
struct Start {
  explicit Start(const Network& net)
      : parameters(net.parameters(), 0.0F),
        pace(net.parameters(), 0.0F),
        decay(net.parameters(), 0.0F) {}
  std::vector<float> parameters;
  std::vector<float> pace;   // factor of the rate; 0: stays as it is
  std::vector<float> decay;  // factor of the decay
};

// The losses of the held-out rows, times their weights, after so many steps.
struct Check {
  size_t steps = 0;
  std::vector<float> losses;
};

struct Outcome {
  std::vector<float> parameters;
  // Of the parameters; of the training rows when none are held out. An infinite loss: interrupted
  // before it was measured.
  Fit held_out;
  size_t steps = 0;         // after which the parameters were best
  size_t steps_before = 0;  // of the training that this one went on from
  bool stopped = false;     // before the end, by the user
  // If wanted; the first before any step. None where it was interrupted before that.
  std::vector<Check> checks;
};

// The running mean of the numbers that is best on the held-out rows; without such rows that of the
// last step. Depends on the seed, not on threads.
Outcome train(const Network& net, const Rows<float>& rows, const Rows<float>* held_out,
              const Start& start, const Schedule& schedule, uint64_t seed, const Control& control);

}  // namespace softwood::gradient

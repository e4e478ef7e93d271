// A tree as a function of its numbers, for training all of them together by gradients.
//
// A unit is a linear score of standardised terms, u = constant + weights * x. Gates are units, and
// so are the outputs of leaves. The gate of a node gives child 0 the weight g(u):
//   logistic  1 / (1 + exp(-u))                               (Irsoy et al. 2012, response g_m)
//   ramp      1/2 + u / (2 a) held at 1 for u >= 0, 1/2 + u / (2 b) held at 0 for u < 0
//             (Dvorak & Savicky, section 3; a and b are kept as logarithms)
// and the tree answers the mix of its leaves, each with the product of the gates on its path.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "tree/gate.h"

namespace softwood::gradient {

// F is the mix of the leaves' outputs, w the weight of a row.
//   squared      w (F - y)^2 / 2
//   logistic     two classes, one output: -w log of the probability, which is the sigmoid of F for
//                the second class
//   softmax      one output per class: -w log softmax(F)_y
// In the following each leaf answers the softmax of its outputs, and p is the mix of these:
//   mixed_log          -w log p_y
//   mixed_exponential  w exp(alpha (1 - p_y - 1)), alpha = 4   (Dvorak & Savicky, equation 1)
//   mixed_squared      w |p - e_y|^2 / 2
enum class Loss : uint8_t {
  squared,
  logistic,
  softmax,
  mixed_log,
  mixed_exponential,
  mixed_squared
};

constexpr bool mixes_answers(Loss loss) { return loss >= Loss::mixed_log; }

// How a gate that is trained divides rows. Ask by a switch over all of them, so that the compiler
// shows what another one needs.
enum class SoftLink : uint8_t { ramp, logistic };
// None: a step, which can't be trained as it is.
std::optional<SoftLink> soft_link(LinkForm form);
LinkForm link_form(SoftLink link);

struct NetNode {
  uint32_t first = 0;     // first child; children come after their parents
  uint32_t children = 0;  // 0: a leaf
  int32_t gate = -1;      // of a node with a gate that can be trained; it has two children
  int32_t fixed = -1;     // else: the column of given weights of its first child
  int32_t leaf = -1;
};

struct Network {
  std::vector<NetNode> nodes;
  std::vector<SoftLink> links;  // of the gates
  size_t terms = 0;
  size_t leaves = 0;
  size_t outputs = 1;          // of each leaf
  bool linear_leaves = false;  // outputs depend on x; else they are constants
  size_t fixed_columns = 0;
  Loss loss = Loss::squared;

  size_t gates() const { return links.size(); }
  // Units that are computed from x, in groups of 4: the gates, then the outputs of linear leaves.
  size_t scored_units() const {
    return (gates() + (linear_leaves ? leaves * outputs : 0) + 3) / 4 * 4;
  }
  size_t padded_terms() const { return (terms + 3) / 4 * 4; }

  // The numbers stand in one vector: the weights of the scored units, unit after unit; the
  // constants of gates and leaf outputs; the logarithms of the widths a and b of each gate.
  size_t weight_at(size_t unit, size_t term) const { return unit * padded_terms() + term; }
  size_t constants_at() const { return scored_units() * padded_terms(); }
  size_t constant_at(size_t unit) const { return constants_at() + unit; }
  size_t unit_of_leaf(size_t leaf, size_t output) const {
    // Constant outputs come after the places that fill up the last group of gates.
    return (linear_leaves ? gates() : scored_units()) + leaf * outputs + output;
  }
  size_t widths_at() const { return constants_at() + (unit_of_leaf(leaves, 0) + 3) / 4 * 4; }
  size_t parameters() const { return (widths_at() + 2 * gates() + 7) / 8 * 8; }
};

// Every node of a full tree of this depth splits.
Network full_network(size_t depth, size_t terms, size_t outputs, bool linear_leaves, Loss loss);

}  // namespace softwood::gradient

// A finished tree as a network.
#pragma once

#include "gradient/emit.h"
#include "gradient/start.h"

namespace softwood::gradient {

struct CompileOptions {
  SoftLink steps = SoftLink::logistic;  // what hard gates become
  bool all_inputs = false;              // gates may use every input, not only their own terms
  Map map = Map::none;                  // of these
  bool linear_leaves = false;           // outputs of leaves may come to depend on all inputs
  bool train_levels = true;             // gates over levels with two children are trained, too
  bool mix_answers = false;             // leaves answer probabilities, which are mixed
  bool exact_leaves = false;            // they start with what they answer now, not smoothed
  // How far a hard gate is softened at first: its score passes from one child to the other within
  // this many standard deviations of it (logistic: from 12 % to 88 %).
  double softness = 0.5;
  bool node_spread = false;  // deviations among the rows that reach the node, not among all
};

// Gates over scores and those that send levels to two children are trained; others keep the weights
// that they give, and their numbers in the tree. Rows without a value go by the rules of the tree:
// to children whose shares are not trained, or through the gate with typical values. Those that
// would stay at a node are divided there.
struct CompiledTree {
  CompiledTree(const Tree& tree, const Sample& sample, const CompileOptions& options,
               const Control& control = {});

  // The rows as the network wants them.
  Rows<float> rows(std::span<const Sample> samples, const Control& control = {}) const;
  // Keeps gates to their own terms.
  void hold_terms(Start& from) const;

  Tree origin;  // with the rules for missing values that the network goes by
  Inputs inputs;
  TargetScale scale;
  Network net;
  Start start;
  std::vector<float> as_given;  // the numbers of the tree, wherever a training starts
};

}  // namespace softwood::gradient

// A trained network as an ordinary tree.
#pragma once

#include "gradient/inputs.h"
#include "tree/tree.h"

namespace softwood::gradient {

// The loss and the number of outputs of a leaf for a table's target.
Loss usual_loss(const Table& table);
size_t outputs_for(Loss loss, const Table& table);

// The tree has the sums of the samples. Nodes whose gates were not trained, and the rules for
// missing values, are those of `origin`; without it rows are judged by typical values. `given` are
// the parameters that stand for the origin's numbers: gates and leaves whose parameters are still
// the same keep these to the last bit.
Tree emit_tree(const Network& net, std::span<const float> parameters, const Inputs& inputs,
               const TargetScale& target, std::span<const Sample> samples,
               const Tree* origin = nullptr, std::span<const float> given = {});

// Linear leaves of a regression tree answer within what they answer for the rows of which at least
// a twentieth reaches them; other rows would be answered by running on along a line. What the tree
// answers is held within the targets and a tenth of their width beyond.
void limit_answers(Tree& tree, std::span<const Sample> samples);

}  // namespace softwood::gradient

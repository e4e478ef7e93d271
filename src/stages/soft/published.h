// LearnSoftTree: O. Irsoy, O. T. Yildiz & E. Alpaydin, "Soft decision trees", ICPR 2012.
#pragma once

#include "fit/held_out.h"
#include "stages/stage.h"
#include "tree/tree.h"

namespace softwood::soft {

struct PublishedSettings {
  size_t tries = 10;   // of each split, with the rates 5, 2.5, 1.25, ...
  size_t epochs = 25;  // of a try
  double momentum = 0.1;
  double rate_decay = 0.9999;  // of the rate with each row
  double least_gain = 0.001;   // of the validation error, for a split to be kept
};

// Splits leaf after leaf, the left one first. A new node and its two leaves are trained on all
// rows, online, all other nodes staying as they are; it is kept when the error on the held-out rows
// falls.
//
// The paper's listing is read so: v_m is the gate g_m(x); delta multiplies the gates of all
// ancestors, not of the parent alone; the error of two classes is minus the printed one. There the
// answer is the sigmoid of F_root, whose leaves are any numbers, for only then is F_root - r,
// with the sigmoid of F_root, the gradient; for more classes it is the softmax.
Tree grow_published(const Context& context, const fit::HeldOut& rows,
                    const PublishedSettings& settings);

}  // namespace softwood::soft

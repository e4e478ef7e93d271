// A soft split in training, row by row: lines 6 to 10 of LearnSoftTree, O. Irsoy, O. T. Yildiz & E.
// Alpaydin, "Soft decision trees", ICPR 2012.
#pragma once

#include <vector>

#include "gradient/network.h"

namespace softwood::soft {

// A node with its two leaves.
struct Split {
  std::vector<double> weights;      // of the terms, then the constant
  std::vector<double> left, right;  // what the leaves answer

  double gate(const double* x) const;
  // What it answers in place of a leaf, less what the leaf does.
  double change(double gate, size_t output, const std::vector<double>& leaf) const {
    return right[output] + gate * (left[output] - right[output]) - leaf[output];
  }
};

// A row, as far as the split is concerned.
struct OnlineRow {
  const double* x;
  const double* outputs;  // F_root with the leaf in place of the split
  double target;
  double weight;
  double path;  // share of the row that reaches the split
};

// The training of a split. To each step against the gradient a part of the one before is added.
class OnlineTraining {
 public:
  OnlineTraining(gradient::Loss loss, double momentum, const std::vector<double>& leaf,
                 Split start);

  // One step against the gradient of the row's loss, and a part of the one before.
  void step(const OnlineRow& row, double rate);
  const Split& split() const { return split_; }

 private:
  // (F_root - r): the derivative of the loss by F_root.
  void set_errors(double target);

  gradient::Loss loss_;
  double momentum_;
  const std::vector<double>& leaf_;  // answer of the leaf that is split
  Split split_, last_;               // the second: the last steps, without what was added
  std::vector<double> outputs_, errors_;
};

}  // namespace softwood::soft

// One forward and backward pass of a network over a block of rows.
//
// Rows of a block stand side by side (structure of arrays), so that every operation is done for
// several of them at once. The same code is compiled for every processor and for those with AVX2 or
// AVX-512, chosen when the program runs; sums are made in the same order by all, so all give the
// same bits.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <vector>

#include "gradient/network.h"

namespace softwood::gradient {

constexpr size_t block_rows = 128;

// A pass forward leaves out subtrees that no row of the block reaches: beyond the ends of a ramp
// exactly nothing goes to one of the children, and outputs stay the same. Of steep logistic gates
// (pass.h) that is said of children with no more than this share of every row. What is left out of
// a tree with L leaves is at most L times this, and an output changes by no more than that times
// the largest output of a leaf.
constexpr double negligible_path = 1e-8;
// With fewer gates there is hardly a block of rows of which nothing reaches a node.
constexpr size_t least_gates_to_skip = 32;

// A row without a value goes to child 0 of a gate with this weight, whatever the score is.
struct Given {
  uint32_t row = 0, gate = 0;
  float weight = 0;
};

// The rows of a sample as the network sees them.
template <class Real>
struct Rows {
  size_t count = 0;
  size_t stride = 0;         // padded terms
  std::vector<Real> cells;   // row after row, padded with zeros
  std::vector<Real> target;  // the number, or the code of the class; with two, it may be between
  std::vector<Real> shares;  // softmax: of the classes, row after row, in place of the target
  std::vector<Real> weight;  // mean 1
  std::vector<Real> fixed;   // fixed columns of each row, row after row
  std::vector<Given> given;  // by row
};

// Memory at the beginning of a cache line.
template <class Real>
class Buffer {
 public:
  void resize(size_t size) {
    memory_.assign(size + line / sizeof(Real), Real(0));
    void* at = memory_.data();
    size_t space = memory_.size() * sizeof(Real);
    start_ = static_cast<Real*>(std::align(line, size * sizeof(Real), at, space));
  }
  Real* data() { return start_; }
  const Real* data() const { return start_; }

 private:
  static constexpr size_t line = 64;
  std::vector<Real> memory_;
  Real* start_ = nullptr;
};

// Of the processor, those that a kernel uses where there are any.
enum class Instructions { portable, avx2, avx512 };

// Working memory of one thread. Real is float for training, double where digits matter.
template <class Real>
class Kernel {
 public:
  explicit Kernel(const Network& net, Instructions most = Instructions::avx512);
  Kernel(const Kernel&) = delete;
  Kernel& operator=(const Kernel&) = delete;

  // The outputs for at most block_rows of the rows. It is the quicker the nearer these are to each
  // other in the tree, see by_leaf.
  void forward(const Real* parameters, const Rows<Real>& rows, std::span<const uint32_t> chosen);
  // The same, and adds the gradient of the sum of their losses.
  void backward(const Real* parameters, const Rows<Real>& rows, std::span<const uint32_t> chosen,
                Real* gradient);

  // F of the i-th row of the block; where answers are mixed, the probability.
  Real output(size_t k, size_t i) const { return outputs_.data()[k * block_rows + i]; }
  // Number of the leaf that most of the i-th row reaches, the first of equals. After forward.
  uint32_t main_leaf(size_t i) const;

 private:
  template <class>
  friend struct Pass;
  void load(const Rows<Real>& rows, std::span<const uint32_t> chosen);
  void set_answers(const Real* parameters);
  void run(const Real* parameters, Real* gradient);
  void take_given(const Rows<Real>& rows, std::span<const uint32_t> chosen);
  void add_answer_gradient(Real* gradient);

  const Network& net_;
  Instructions most_;
  Buffer<Real> x_;      // terms x rows
  Buffer<Real> fixed_;  // fixed columns x rows
  Buffer<Real> target_, weight_;
  struct GivenScore {
    size_t at = 0;  // in gates_ and scores_
    Real weight = 0;
  };
  std::vector<GivenScore> given_;  // by place
  Buffer<Real> shares_;            // classes x rows
  bool has_shares_ = false;
  Buffer<Real> scores_;                   // units x rows; after the pass back their derivatives
  Buffer<Real> gates_;                    // gates x rows: weight of child 0
  Buffer<Real> paths_;                    // nodes x rows: share of the row
  Buffer<Real> slopes_;                   // nodes x rows: derivative of the loss by the path
  Buffer<Real> outputs_, output_slopes_;  // outputs x rows
  std::vector<Real> answers_, answer_slopes_;  // leaves x outputs: constants
  std::vector<char> reached_;                  // of each node: whether it has a part in the pass
  std::vector<uint32_t> parents_;              // of the nodes
  std::vector<uint32_t> unit_nodes_;           // whose the scored units are
};

// Sum of the losses of the rows, weights counted; in double.
struct Fit {
  double loss = 0;  // mean loss
  double wrong =
      0;  // classes: weight of the wrong answers over all; regression: mean squared error
};
// The mean loss in words: in regression the squared error as a share of the variance, which is what
// targets are scaled by; else the loss itself.
std::string loss_text(Loss loss, double mean);
// `losses` gets the loss of each row, times its weight, at its end. `order`: in which the rows are
// gone through, all of them; it changes the time, and outputs by no more than what is left out.
template <class Real>
Fit measure(const Network& net, const Real* parameters, const Rows<Real>& rows,
            std::vector<Real>* losses = nullptr, std::span<const uint32_t> order = {});
// The same for outputs that are known, row after row.
template <class Real>
Fit measure_outputs(const Network& net, std::span<const Real> outputs, const Rows<Real>& rows,
                    std::vector<Real>* losses);
// All rows, those side by side that reach the same leaves.
std::vector<uint32_t> by_leaf(const Network& net, const float* parameters, const Rows<float>& rows);

extern template class Kernel<float>;
extern template class Kernel<double>;

}  // namespace softwood::gradient

// Derivatives of the losses of a block of rows by the outputs of a network.
#pragma once

#include "gradient/kernel.h"
#include "gradient/lanes.h"

namespace softwood::gradient {

template <class L>
struct LossSlopes {
  using Real = typename L::Real;
  using Vec = typename L::Vec;
  static constexpr size_t lanes = L::count;
  SOFTWOOD_BODY static const Vec& at(const Real* p) { return lanes_at<L>(p); }
  SOFTWOOD_BODY static Vec& at(Real* p) { return lanes_at<L>(p); }

  // `shares`: of the classes; null: all of the row is the target's.
  SOFTWOOD_BODY static void softmax_slopes(const Network& net, const Real* outputs,
                                           const Real* target, const Real* shares,
                                           const Real* weight, Real* slopes) {
    for (size_t r = 0; r < block_rows; r += lanes) {
      Vec top = at(outputs + r);
      for (size_t k = 1; k < net.outputs; ++k) {
        const Vec v = at(outputs + k * block_rows + r);
        top = v > top ? v : top;
      }
      Vec sum{};
      for (size_t k = 0; k < net.outputs; ++k) {
        Vec v = at(outputs + k * block_rows + r) - top;
        exponential<L>(v);
        at(slopes + k * block_rows + r) = v;
        sum += v;
      }
      const Vec w = at(weight + r), factor = w / sum;
      const Vec zero{};
      for (size_t k = 0; k < net.outputs; ++k) {
        const Vec own = shares != nullptr                   ? w * at(shares + k * block_rows + r)
                        : at(target + r) == Real(k) - Vec{} ? w
                                                            : zero;
        at(slopes + k * block_rows + r) = at(slopes + k * block_rows + r) * factor - own;
      }
    }
  }

  SOFTWOOD_BODY static void mixed_slopes(const Network& net, const Real* outputs,
                                         const Real* target, const Real* weight, Real* slopes) {
    constexpr Real alpha = 4;     // Dvorak & Savicky, section 3
    constexpr Real least = 1e-6;  // of a probability in the logarithm
    const Vec zero{}, floor = least - Vec{};
    for (size_t k = 0; k < net.outputs; ++k) {
      for (size_t r = 0; r < block_rows; r += lanes) {
        const Vec p = at(outputs + k * block_rows + r), w = at(weight + r);
        const Vec own = at(target + r) == Real(k) - Vec{} ? Real(1) - zero : zero;
        Vec slope{};
        if (net.loss == Loss::mixed_log) {
          slope = -own / (p > floor ? p : floor);
        } else if (net.loss == Loss::mixed_exponential) {
          Vec v = -alpha * p;
          exponential<L>(v);
          slope = -alpha * own * v;
        } else {
          slope = p - own;
        }
        at(slopes + k * block_rows + r) = w * slope;
      }
    }
  }

  SOFTWOOD_BODY static void compute(const Network& net, const Real* outputs, const Real* target,
                                    const Real* shares, const Real* weight, Real* slopes) {
    if (net.loss == Loss::softmax) {
      return softmax_slopes(net, outputs, target, shares, weight, slopes);
    }
    if (mixes_answers(net.loss)) return mixed_slopes(net, outputs, target, weight, slopes);
    for (size_t r = 0; r < block_rows; r += lanes) {
      Vec v = at(outputs + r);
      if (net.loss == Loss::logistic) {
        v = -v;
        exponential<L>(v);
        v = Real(1) / (Real(1) + v);
      }
      at(slopes + r) = at(weight + r) * (v - at(target + r));
    }
  }
};

}  // namespace softwood::gradient

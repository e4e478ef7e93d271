// The steps of a pass of a network over a block of rows. Part of kernel.cpp.
#pragma once

#include <algorithm>
#include <bit>
#include <cmath>

#include "base/math.h"
#include "gradient/lanes.h"
#include "gradient/loss_slopes.h"

namespace softwood::gradient {

// A logistic gate whose score has this standard deviation or more leaves nearly nothing to one of
// its children for many rows.
constexpr double steep = 32;

// The steps of a pass, each for the whole block. In a struct, so that they see the buffers.
// `L`: how many numbers at a time are worked on, where each is by itself.
template <class L>
struct Pass {
  using Real = typename L::Real;
  using Vec = typename L::Vec;
  using Sums = Lanes<Real>;  // for what is added up over rows
  using SumVec = typename Sums::Vec;
  static constexpr size_t lanes = L::count, sum_lanes = Sums::count;
  static constexpr bool is_wide = lanes > sum_lanes;
  SOFTWOOD_BODY static const Vec& at(const Real* p) { return lanes_at<L>(p); }
  SOFTWOOD_BODY static Vec& at(Real* p) { return lanes_at<L>(p); }
  SOFTWOOD_BODY static const SumVec& sums_at(const Real* p) { return lanes_at<Sums>(p); }

  // scores = constants + weights * x, 4 units and two vectors of rows at a time.
  SOFTWOOD_BODY static void score_group(const Network& net, const Real* parameters, size_t u,
                                        const Real* x, Real* scores) {
    const size_t terms = net.terms, stride = net.padded_terms();
    const Real* const w = parameters + net.weight_at(u, 0);
    const Real* const c = parameters + net.constant_at(u);
    for (size_t r = 0; r < block_rows; r += 2 * lanes) {
      const size_t q = r + lanes;
      Vec a0 = c[0] - Vec{}, a1 = c[1] - Vec{}, a2 = c[2] - Vec{}, a3 = c[3] - Vec{};
      Vec b0 = a0, b1 = a1, b2 = a2, b3 = a3;
      for (size_t t = 0; t < terms; ++t) {
        const Vec v0 = at(x + t * block_rows + r), v1 = at(x + t * block_rows + q);
        const Real w0 = w[t], w1 = w[stride + t], w2 = w[2 * stride + t], w3 = w[3 * stride + t];
        a0 += w0 * v0;
        b0 += w0 * v1;
        a1 += w1 * v0;
        b1 += w1 * v1;
        a2 += w2 * v0;
        b2 += w2 * v1;
        a3 += w3 * v0;
        b3 += w3 * v1;
      }
      Real* const out = scores + u * block_rows;
      at(out + r) = a0;
      at(out + q) = b0;
      at(out + block_rows + r) = a1;
      at(out + block_rows + q) = b1;
      at(out + 2 * block_rows + r) = a2;
      at(out + 2 * block_rows + q) = b2;
      at(out + 3 * block_rows + r) = a3;
      at(out + 3 * block_rows + q) = b3;
    }
  }

  // Of 4 units and two terms, unit after unit: sums over the rows of slope times term.
  SOFTWOOD_BODY static void sum_two_terms(const Real* s, const Real* x, Real* of_terms) {
    const Real* const next = x + block_rows;
    SumVec sums[8]{};
    for (size_t r = 0; r < block_rows; r += sum_lanes) {
      const SumVec v0 = sums_at(x + r), v1 = sums_at(next + r);
      const SumVec s0 = sums_at(s + r), s1 = sums_at(s + block_rows + r);
      const SumVec s2 = sums_at(s + 2 * block_rows + r), s3 = sums_at(s + 3 * block_rows + r);
      sums[0] += s0 * v0;
      sums[1] += s0 * v1;
      sums[2] += s1 * v0;
      sums[3] += s1 * v1;
      sums[4] += s2 * v0;
      sums[5] += s2 * v1;
      sums[6] += s3 * v0;
      sums[7] += s3 * v1;
    }
    sums_of(sums, of_terms);
  }

  // The same of four terms, two of them side by side in a vector; the first two of all units come
  // first.
  SOFTWOOD_BODY static void sum_four_terms(const Real* s, const Real* x, Real* of_terms) {
    Vec sums[8]{};
    for (size_t r = 0; r < block_rows; r += sum_lanes) {
      Vec v0, v1, s0, s1, s2, s3;
      join(sums_at(x + r), sums_at(x + block_rows + r), v0);
      join(sums_at(x + 2 * block_rows + r), sums_at(x + 3 * block_rows + r), v1);
      join(sums_at(s + r), sums_at(s + r), s0);
      join(sums_at(s + block_rows + r), sums_at(s + block_rows + r), s1);
      join(sums_at(s + 2 * block_rows + r), sums_at(s + 2 * block_rows + r), s2);
      join(sums_at(s + 3 * block_rows + r), sums_at(s + 3 * block_rows + r), s3);
      sums[0] += s0 * v0;
      sums[1] += s1 * v0;
      sums[2] += s2 * v0;
      sums[3] += s3 * v0;
      sums[4] += s0 * v1;
      sums[5] += s1 * v1;
      sums[6] += s2 * v1;
      sums[7] += s3 * v1;
    }
    for (size_t pair = 0; pair < 2; ++pair) {
      SumVec apart[8];
      for (size_t k = 0; k < 4; ++k) {
        gradient::divide(sums[4 * pair + k], apart[2 * k], apart[2 * k + 1]);
      }
      sums_of(apart, of_terms + 8 * pair);
    }
  }

  // gradient of weights += slopes * x', 4 units at a time.
  SOFTWOOD_BODY static void add_group_gradient(const Network& net, size_t u, const Real* slopes,
                                               const Real* x, Real* gradient) {
    constexpr size_t together = is_wide ? 4 : 2;
    const size_t stride = net.padded_terms();
    const Real* const s = slopes + u * block_rows;
    Real* const g = gradient + net.weight_at(u, 0);
    for (size_t t = 0; t < stride; t += together) {
      Real of_terms[4 * together];
      if constexpr (is_wide) {
        sum_four_terms(s, x + t * block_rows, of_terms);
      } else {
        sum_two_terms(s, x + t * block_rows, of_terms);
      }
      for (size_t i = 0; i < 4 * together; ++i) {
        g[i % 8 / 2 * stride + t + i / 8 * 2 + i % 2] += of_terms[i];
      }
    }
    for (size_t k = 0; k < 4; ++k) {
      SumVec sum{};
      for (size_t r = 0; r < block_rows; r += sum_lanes) sum += sums_at(s + k * block_rows + r);
      gradient[net.constant_at(u + k)] += sum_of<Real>(sum);
    }
  }

  SOFTWOOD_BODY static void logistic_gate(const Real* scores, Real* gate) {
    for (size_t r = 0; r < block_rows; r += lanes) {
      Vec v = -at(scores + r);
      exponential<L>(v);
      at(gate + r) = Real(1) / (Real(1) + v);
    }
  }

  SOFTWOOD_BODY static void ramp_gate(const Real* scores, Real half_above, Real half_below,
                                      Real* gate) {
    const Vec one = Real(1) - Vec{}, zero{};
    for (size_t r = 0; r < block_rows; r += lanes) {
      const Vec u = at(scores + r);
      Vec v = u >= zero ? u * half_below : u * half_above;
      v += Real(0.5);
      v = v > one ? one : v;
      at(gate + r) = v < zero ? zero : v;
    }
  }

  // Whether of some row more than `least` goes to each of two children.
  SOFTWOOD_BODY static void find_reached(const Real* path, const Real* gate, Real least,
                                         char* reached) {
    Vec left{}, right{};
    for (size_t r = 0; r < block_rows; r += lanes) {
      const Vec p = at(path + r), g = at(gate + r);
      const Vec a = p * g, b = p * (Real(1) - g);
      left = a > left ? a : left;
      right = b > right ? b : right;
    }
    reached[0] = reached[1] = 0;
    for (size_t l = 0; l < lanes; ++l) {
      reached[0] = left[l] > least ? 1 : reached[0];
      reached[1] = right[l] > least ? 1 : reached[1];
    }
  }

  // The score is a sum of standardised terms.
  static bool is_steep(const Network& net, const Real* parameters, size_t gate) {
    Real squares = 0;
    const Real* const w = parameters + net.weight_at(gate, 0);
    for (size_t t = 0; t < net.terms; ++t) squares += w[t] * w[t];
    return squares >= Real(steep * steep);
  }

  // Child 0 of node i has g of what reaches it, child 1 the rest.
  SOFTWOOD_BODY static void divide(Kernel<Real>& k, const Real* parameters, size_t i, bool skips,
                                   size_t& next_given) {
    const Network& net = k.net_;
    const NetNode& node = net.nodes[i];
    const auto g = static_cast<size_t>(node.gate);
    Real *const scores = k.scores_.data() + g * block_rows, *const gate =
                                                                k.gates_.data() + g * block_rows;
    bool leaves_out = skips;  // children that no row of the block comes to
    Real negligible = 0;      // shares of at most this do not count as coming
    switch (net.links[g]) {
      case SoftLink::ramp:
        ramp_gate(scores, half_above(net, parameters, g), half_below(net, parameters, g), gate);
        break;
      case SoftLink::logistic:
        logistic_gate(scores, gate);
        leaves_out = skips && is_steep(net, parameters, g);
        negligible = Real(negligible_path);
        break;
    }
    // A score of 0 has no part in the slopes of the widths.
    for (; next_given < k.given_.size() && k.given_[next_given].at < (g + 1) * block_rows;
         ++next_given) {
      k.gates_.data()[k.given_[next_given].at] = k.given_[next_given].weight;
      k.scores_.data()[k.given_[next_given].at] = 0;
    }
    const Real* const path = k.paths_.data() + i * block_rows;
    Real* const child = k.paths_.data() + node.first * block_rows;
    for (size_t r = 0; r < block_rows; r += lanes) {
      const Vec share = at(path + r) * at(gate + r);
      at(child + r) = share;
      at(child + block_rows + r) = at(path + r) - share;
    }
    char* const reached = &k.reached_[node.first];
    reached[0] = reached[1] = 1;
    if (leaves_out) find_reached(path, gate, negligible, reached);
  }

  SOFTWOOD_BODY static void divide_as_given(Kernel<Real>& k, size_t i) {
    const NetNode& node = k.net_.nodes[i];
    const Real* const path = k.paths_.data() + i * block_rows;
    for (size_t c = 0; c < node.children; ++c) {
      const Real* const given =
          k.fixed_.data() + (static_cast<size_t>(node.fixed) + c) * block_rows;
      Real* const child = k.paths_.data() + (node.first + c) * block_rows;
      for (size_t r = 0; r < block_rows; r += lanes) at(child + r) = at(path + r) * at(given + r);
      k.reached_[node.first + c] = 1;
    }
  }

  // Scores of 4 units, as far as they are needed, when the nodes before `end` are done. Where a
  // unit's node is not known yet, the nearest node above it that is tells.
  SOFTWOOD_BODY static void score(Kernel<Real>& k, const Real* parameters, size_t unit, size_t end,
                                  bool skips) {
    bool needed = !skips;
    for (size_t u = unit; !needed && u < std::min(unit + 4, k.unit_nodes_.size()); ++u) {
      size_t i = k.unit_nodes_[u];
      while (i > 0 && k.parents_[i] >= end) i = k.parents_[i];
      needed = k.reached_[i] != 0;
    }
    if (needed) score_group(k.net_, parameters, unit, k.x_.data(), k.scores_.data());
  }

  // Shares of the rows at all nodes.
  SOFTWOOD_BODY static void descend(Kernel<Real>& k, const Real* parameters, bool skips) {
    const Network& net = k.net_;
    Real* const paths = k.paths_.data();
    for (size_t r = 0; r < block_rows; r += lanes) at(paths + r) = Real(1) - Vec{};
    k.reached_[0] = 1;
    size_t next_given = 0;
    for (size_t i = 0; i < net.nodes.size(); ++i) {
      const NetNode& node = net.nodes[i];
      if (node.gate >= 0 && node.gate % 4 == 0) {
        score(k, parameters, static_cast<size_t>(node.gate), i, skips);
      }
      if (node.children == 0) continue;
      if (k.reached_[i] == 0) {
        std::fill_n(&k.reached_[node.first], node.children, char{0});
      } else if (node.gate >= 0) {
        divide(k, parameters, i, skips, next_given);
      } else {
        divide_as_given(k, i);
      }
    }
    for (size_t u = (net.gates() + 3) / 4 * 4; u < net.scored_units(); u += 4) {
      score(k, parameters, u, net.nodes.size(), skips);
    }
  }

  SOFTWOOD_BODY static void add_leaf(Kernel<Real>& k, size_t i) {
    const Network& net = k.net_;
    const auto leaf = static_cast<size_t>(net.nodes[i].leaf);
    const Real* const path = k.paths_.data() + i * block_rows;
    for (size_t o = 0; o < net.outputs; ++o) {
      Real* const out = k.outputs_.data() + o * block_rows;
      if (net.linear_leaves) {
        const Real* const z = k.scores_.data() + net.unit_of_leaf(leaf, o) * block_rows;
        for (size_t r = 0; r < block_rows; r += lanes) {
          at(out + r) += at(path + r) * at(z + r);
        }
      } else {
        const Real z = k.answers_[leaf * net.outputs + o];
        for (size_t r = 0; r < block_rows; r += lanes) {
          at(out + r) += at(path + r) * z;
        }
      }
    }
  }

  SOFTWOOD_BODY static void mix(Kernel<Real>& k) {
    const Network& net = k.net_;
    std::fill_n(k.outputs_.data(), net.outputs * block_rows, Real(0));
    for (size_t i = 0; i < net.nodes.size(); ++i) {
      if (net.nodes[i].leaf >= 0 && k.reached_[i] != 0) add_leaf(k, i);
    }
  }

  // Derivatives by the share of a leaf, and by its outputs.
  SOFTWOOD_BODY static void leaf_slopes(Kernel<Real>& k, size_t i) {
    const Network& net = k.net_;
    const auto leaf = static_cast<size_t>(net.nodes[i].leaf);
    const Real* const path = k.paths_.data() + i * block_rows;
    Real* const slope = k.slopes_.data() + i * block_rows;
    for (size_t r = 0; r < block_rows; r += lanes) at(slope + r) = Vec{};
    for (size_t o = 0; o < net.outputs; ++o) {
      const Real* const down = k.output_slopes_.data() + o * block_rows;
      if (net.linear_leaves) {
        Real* const z = k.scores_.data() + net.unit_of_leaf(leaf, o) * block_rows;
        for (size_t r = 0; r < block_rows; r += lanes) {
          at(slope + r) += at(down + r) * at(z + r);
          at(z + r) = at(path + r) * at(down + r);
        }
      } else {
        const Real z = k.answers_[leaf * net.outputs + o];
        for (size_t r = 0; r < block_rows; r += lanes) at(slope + r) += at(down + r) * z;
        SumVec sum{};
        for (size_t r = 0; r < block_rows; r += sum_lanes) {
          sum += sums_at(path + r) * sums_at(down + r);
        }
        k.answer_slopes_[leaf * net.outputs + o] = sum_of<Real>(sum);
      }
    }
  }

  // g' for logistic gates is g (1 - g); see Irsoy et al., LearnSoftTree, line 8, where v_m stands
  // for g_m and delta is the product over all ancestors.
  SOFTWOOD_BODY static void logistic_slopes(const Real* path, const Real* gate, const Real* left,
                                            const Real* right, Real* slope, Real* score) {
    for (size_t r = 0; r < block_rows; r += lanes) {
      const Vec g = at(gate + r), difference = at(left + r) - at(right + r);
      at(score + r) = at(path + r) * g * (Real(1) - g) * difference;
      at(slope + r) = at(right + r) + g * difference;
    }
  }

  SOFTWOOD_BODY static void ramp_slopes(const Real* path, const Real* gate, const Real* left,
                                        const Real* right, Real half_above, Real half_below,
                                        Real* slope, Real* score, Real* widths) {
    const SumVec zero{}, one = Real(1) - SumVec{};
    SumVec below{}, above{};
    for (size_t r = 0; r < block_rows; r += sum_lanes) {
      const SumVec g = sums_at(gate + r), u = sums_at(score + r);
      const SumVec difference = sums_at(left + r) - sums_at(right + r);
      SumVec by_gate = sums_at(path + r) * difference;
      by_gate = g > zero ? by_gate : zero;
      by_gate = g < one ? by_gate : zero;
      // By the logarithm of the width: -u / (2 width).
      below -= u >= zero ? by_gate * u * half_below : zero;
      above -= u < zero ? by_gate * u * half_above : zero;
      lanes_at<Sums>(score + r) = u >= zero ? by_gate * half_below : by_gate * half_above;
      lanes_at<Sums>(slope + r) = sums_at(right + r) + g * difference;
    }
    widths[0] += sum_of<Real>(below);
    widths[1] += sum_of<Real>(above);
  }

  SOFTWOOD_BODY static void gate_slopes(Kernel<Real>& k, const Real* parameters, size_t i,
                                        Real* gradient) {
    const Network& net = k.net_;
    const auto g = static_cast<size_t>(net.nodes[i].gate);
    Real *const slope = k.slopes_.data() + i * block_rows, *const score =
                                                               k.scores_.data() + g * block_rows;
    const Real* const child = k.slopes_.data() + net.nodes[i].first * block_rows;
    const Real *const path = k.paths_.data() + i * block_rows, *const gate =
                                                                   k.gates_.data() + g * block_rows;
    switch (net.links[g]) {
      case SoftLink::ramp:
        ramp_slopes(path, gate, child, child + block_rows, half_above(net, parameters, g),
                    half_below(net, parameters, g), slope, score,
                    gradient + net.widths_at() + 2 * g);
        break;
      case SoftLink::logistic:
        logistic_slopes(path, gate, child, child + block_rows, slope, score);
        break;
    }
  }

  SOFTWOOD_BODY static void fixed_slopes(Kernel<Real>& k, size_t i) {
    const NetNode& node = k.net_.nodes[i];
    Real* const slope = k.slopes_.data() + i * block_rows;
    const Real* const child = k.slopes_.data() + node.first * block_rows;
    const Real* const given = k.fixed_.data() + static_cast<size_t>(node.fixed) * block_rows;
    for (size_t r = 0; r < block_rows; r += lanes) {
      Vec sum{};
      for (size_t c = 0; c < node.children; ++c) {
        sum += at(given + c * block_rows + r) * at(child + c * block_rows + r);
      }
      at(slope + r) = sum;
    }
  }

  // Derivatives by what reaches the nodes, from the leaves up.
  SOFTWOOD_BODY static void ascend(Kernel<Real>& k, const Real* parameters, Real* gradient) {
    const Network& net = k.net_;
    for (size_t i = net.nodes.size(); i-- > 0;) {
      const NetNode& node = net.nodes[i];
      if (node.leaf >= 0) {
        leaf_slopes(k, i);
      } else if (node.gate >= 0) {
        gate_slopes(k, parameters, i, gradient);
      } else {
        fixed_slopes(k, i);
      }
    }
  }

  SOFTWOOD_BODY static void add_weight_gradient(Kernel<Real>& k, Real* gradient) {
    const Network& net = k.net_;
    Real* const slopes = k.scores_.data();
    for (const auto& place : k.given_) slopes[place.at] = 0;
    for (size_t u = 0; u < net.scored_units(); u += 4) {
      add_group_gradient(net, u, slopes, k.x_.data(), gradient);
    }
  }

  static Real half_below(const Network& net, const Real* parameters, size_t gate) {
    return Real(0.5) * static_cast<Real>(math::exp(-parameters[net.widths_at() + 2 * gate]));
  }
  static Real half_above(const Network& net, const Real* parameters, size_t gate) {
    return Real(0.5) * static_cast<Real>(math::exp(-parameters[net.widths_at() + 2 * gate + 1]));
  }

  SOFTWOOD_BODY static void run(Kernel<Real>& k, const Real* parameters, Real* gradient) {
    // All of the tree has a part in the gradient.
    const bool skips = gradient == nullptr && k.net_.gates() >= least_gates_to_skip;
    descend(k, parameters, skips);
    mix(k);
    if (gradient == nullptr) return;
    LossSlopes<L>::compute(k.net_, k.outputs_.data(), k.target_.data(),
                           k.has_shares_ ? k.shares_.data() : nullptr, k.weight_.data(),
                           k.output_slopes_.data());
    ascend(k, parameters, gradient);
    add_weight_gradient(k, gradient);
  }

  static void run_portable(Kernel<Real>& k, const Real* parameters, Real* gradient) {
    run(k, parameters, gradient);
  }
#if defined(SOFTWOOD_HAS_AVX2_FUNCTIONS)
  SOFTWOOD_AVX2 static void run_avx2(Kernel<Real>& k, const Real* parameters, Real* gradient) {
    run(k, parameters, gradient);
  }
  SOFTWOOD_AVX512 static void run_avx512(Kernel<Real>& k, const Real* parameters, Real* gradient) {
    run(k, parameters, gradient);
  }
#endif
};

}  // namespace softwood::gradient

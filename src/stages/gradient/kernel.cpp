#include "stages/gradient/kernel.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "base/vectors.h"

namespace softwood::gradient {

namespace {

// Several numbers at a time: 8 floats or 4 doubles, in one AVX register or two of SSE2.
template <class Real>
struct Lanes;
template <>
struct Lanes<float> {
  using Vec __attribute__((vector_size(32), may_alias)) = float;
  using Bits __attribute__((vector_size(32), may_alias)) = int32_t;
  static constexpr size_t count = 8;
  static constexpr float most = 87, magic = 12582912.0F;  // 1.5 * 2^23
  static constexpr float ln2_high = 0.693359375F, ln2_low = -2.12194440e-4F;
  static constexpr int mantissa = 23, bias = 127, degree = 7;
};
template <>
struct Lanes<double> {
  using Vec __attribute__((vector_size(32), may_alias)) = double;
  using Bits __attribute__((vector_size(32), may_alias)) = int64_t;
  static constexpr size_t count = 4;
  static constexpr double most = 700, magic = 6755399441055744.0;  // 1.5 * 2^52
  static constexpr double ln2_high = 0.693145751953125, ln2_low = 1.42860682030941723212e-6;
  static constexpr int mantissa = 52, bias = 1023, degree = 13;
};

// exp(x), held between exp(-most) and exp(most): 2^n times the Taylor sum of the rest, whose next
// term is below half a unit in the last place.
template <class Real>
SOFTWOOD_BODY void exponential(typename Lanes<Real>::Vec& x) {
  using L = Lanes<Real>;
  using Vec = typename L::Vec;
  using Bits = typename L::Bits;
  const Vec most = L::most - Vec{}, least = -most;
  x = x > most ? most : x;
  x = x < least ? least : x;
  const Vec shifted = x * Real(1.44269504088896340736) + L::magic;
  const Vec whole = shifted - L::magic;
  const Vec rest = (x - whole * L::ln2_high) - whole * L::ln2_low;
  Vec sum = Real(1) / Real(L::degree) * rest + Real(1);
  for (int k = L::degree - 1; k >= 1; --k) sum = rest * sum * (Real(1) / Real(k)) + Real(1);
  using Int = std::conditional_t<sizeof(Real) == 4, int32_t, int64_t>;
  const Bits exponent =
      (reinterpret_cast<Bits>(shifted) << L::mantissa) + (static_cast<Int>(L::bias) << L::mantissa);
  x = sum * reinterpret_cast<Vec>(exponent);
}

template <class Real>
SOFTWOOD_BODY Real sum_of(const typename Lanes<Real>::Vec& v) {
  Real sum = v[0];
  for (size_t l = 1; l < Lanes<Real>::count; ++l) sum += v[l];
  return sum;
}

}  // namespace

// The steps of a pass, each for the whole block. In a struct, so that they see the buffers.
template <class Real>
struct Pass {
  using L = Lanes<Real>;
  using Vec = typename L::Vec;
  static constexpr size_t lanes = L::count;
  static constexpr size_t tile = 2 * lanes;  // rows that a step of the product works on

  SOFTWOOD_BODY static const Vec& at(const Real* p) { return *reinterpret_cast<const Vec*>(p); }
  SOFTWOOD_BODY static Vec& at(Real* p) { return *reinterpret_cast<Vec*>(p); }

  // scores = constants + weights * x, 4 units and two vectors of rows at a time.
  SOFTWOOD_BODY static void score_units(const Network& net, const Real* parameters, const Real* x,
                                        Real* scores) {
    const size_t terms = net.terms, stride = net.padded_terms();
    for (size_t u = 0; u < net.scored_units(); u += 4) {
      const Real* const w = parameters + net.weight_at(u, 0);
      const Real* const c = parameters + net.constant_at(u);
      for (size_t r = 0; r < block_rows; r += tile) {
        Vec a0 = c[0] - Vec{}, a1 = c[1] - Vec{}, a2 = c[2] - Vec{}, a3 = c[3] - Vec{};
        Vec b0 = a0, b1 = a1, b2 = a2, b3 = a3;
        for (size_t t = 0; t < terms; ++t) {
          const Vec v0 = at(x + t * block_rows + r), v1 = at(x + t * block_rows + r + lanes);
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
        Real* const out = scores + u * block_rows + r;
        at(out) = a0;
        at(out + lanes) = b0;
        at(out + block_rows) = a1;
        at(out + block_rows + lanes) = b1;
        at(out + 2 * block_rows) = a2;
        at(out + 2 * block_rows + lanes) = b2;
        at(out + 3 * block_rows) = a3;
        at(out + 3 * block_rows + lanes) = b3;
      }
    }
  }

  // gradient of weights += slopes * x', 4 units and two terms at a time.
  SOFTWOOD_BODY static void add_weight_gradient(const Network& net, const Real* slopes,
                                                const Real* x, Real* gradient) {
    const size_t stride = net.padded_terms();
    for (size_t u = 0; u < net.scored_units(); u += 4) {
      const Real* const s = slopes + u * block_rows;
      Real* const g = gradient + net.weight_at(u, 0);
      for (size_t t = 0; t < stride; t += 2) {
        const Real *const x0 = x + t * block_rows, *const x1 = x0 + block_rows;
        Vec a0{}, a1{}, a2{}, a3{}, b0{}, b1{}, b2{}, b3{};
        for (size_t r = 0; r < block_rows; r += lanes) {
          const Vec v0 = at(x0 + r), v1 = at(x1 + r);
          const Vec s0 = at(s + r), s1 = at(s + block_rows + r);
          const Vec s2 = at(s + 2 * block_rows + r), s3 = at(s + 3 * block_rows + r);
          a0 += s0 * v0;
          b0 += s0 * v1;
          a1 += s1 * v0;
          b1 += s1 * v1;
          a2 += s2 * v0;
          b2 += s2 * v1;
          a3 += s3 * v0;
          b3 += s3 * v1;
        }
        g[t] += sum_of<Real>(a0);
        g[t + 1] += sum_of<Real>(b0);
        g[stride + t] += sum_of<Real>(a1);
        g[stride + t + 1] += sum_of<Real>(b1);
        g[2 * stride + t] += sum_of<Real>(a2);
        g[2 * stride + t + 1] += sum_of<Real>(b2);
        g[3 * stride + t] += sum_of<Real>(a3);
        g[3 * stride + t + 1] += sum_of<Real>(b3);
      }
      for (size_t k = 0; k < 4; ++k) {
        Vec sum{};
        for (size_t r = 0; r < block_rows; r += lanes) sum += at(s + k * block_rows + r);
        gradient[net.constant_at(u + k)] += sum_of<Real>(sum);
      }
    }
  }

  SOFTWOOD_BODY static void logistic_gate(const Real* scores, Real* gate) {
    for (size_t r = 0; r < block_rows; r += lanes) {
      Vec v = -at(scores + r);
      exponential<Real>(v);
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

  // Shares of the rows at all nodes.
  SOFTWOOD_BODY static void descend(const Network& net, const Real* gates, const Real* fixed,
                                    Real* paths) {
    for (size_t r = 0; r < block_rows; r += lanes) at(paths + r) = Real(1) - Vec{};
    for (size_t i = 0; i < net.nodes.size(); ++i) {
      const NetNode& node = net.nodes[i];
      if (node.children == 0) continue;
      const Real* const path = paths + i * block_rows;
      Real* const child = paths + node.first * block_rows;
      if (node.gate >= 0) {
        const Real* const gate = gates + static_cast<size_t>(node.gate) * block_rows;
        for (size_t r = 0; r < block_rows; r += lanes) {
          const Vec share = at(path + r) * at(gate + r);
          at(child + r) = share;
          at(child + block_rows + r) = at(path + r) - share;
        }
        continue;
      }
      for (size_t c = 0; c < node.children; ++c) {
        const Real* const given = fixed + (static_cast<size_t>(node.fixed) + c) * block_rows;
        for (size_t r = 0; r < block_rows; r += lanes) {
          at(child + c * block_rows + r) = at(path + r) * at(given + r);
        }
      }
    }
  }

  SOFTWOOD_BODY static void mix(const Network& net, const Real* paths, const Real* answers,
                                const Real* scores, Real* outputs) {
    std::fill_n(outputs, net.outputs * block_rows, Real(0));
    for (size_t i = 0; i < net.nodes.size(); ++i) {
      if (net.nodes[i].leaf < 0) continue;
      const auto leaf = static_cast<size_t>(net.nodes[i].leaf);
      const Real* const path = paths + i * block_rows;
      for (size_t k = 0; k < net.outputs; ++k) {
        Real* const out = outputs + k * block_rows;
        if (net.linear_leaves) {
          const Real* const z = scores + net.unit_of_leaf(leaf, k) * block_rows;
          for (size_t r = 0; r < block_rows; r += lanes) at(out + r) += at(path + r) * at(z + r);
        } else {
          const Real z = answers[leaf * net.outputs + k];
          for (size_t r = 0; r < block_rows; r += lanes) at(out + r) += at(path + r) * z;
        }
      }
    }
  }

  // Derivatives of the loss by the outputs.
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
        exponential<Real>(v);
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
          exponential<Real>(v);
          slope = -alpha * own * v;
        } else {
          slope = p - own;
        }
        at(slopes + k * block_rows + r) = w * slope;
      }
    }
  }

  SOFTWOOD_BODY static void loss_slopes(const Network& net, const Real* outputs, const Real* target,
                                        const Real* shares, const Real* weight, Real* slopes) {
    if (net.loss == Loss::softmax) {
      return softmax_slopes(net, outputs, target, shares, weight, slopes);
    }
    if (mixes_answers(net.loss)) return mixed_slopes(net, outputs, target, weight, slopes);
    for (size_t r = 0; r < block_rows; r += lanes) {
      Vec v = at(outputs + r);
      if (net.loss == Loss::logistic) {
        v = -v;
        exponential<Real>(v);
        v = Real(1) / (Real(1) + v);
      }
      at(slopes + r) = at(weight + r) * (v - at(target + r));
    }
  }

  // Derivatives by the shares of the leaves, and by the outputs of the leaves.
  SOFTWOOD_BODY static void leaf_slopes(const Network& net, const Real* paths, const Real* answers,
                                        const Real* output_slopes, Real* scores, Real* slopes,
                                        Real* answer_slopes) {
    for (size_t i = 0; i < net.nodes.size(); ++i) {
      if (net.nodes[i].leaf < 0) continue;
      const auto leaf = static_cast<size_t>(net.nodes[i].leaf);
      const Real* const path = paths + i * block_rows;
      Real* const slope = slopes + i * block_rows;
      for (size_t r = 0; r < block_rows; r += lanes) at(slope + r) = Vec{};
      for (size_t k = 0; k < net.outputs; ++k) {
        const Real* const down = output_slopes + k * block_rows;
        if (net.linear_leaves) {
          Real* const z = scores + net.unit_of_leaf(leaf, k) * block_rows;
          for (size_t r = 0; r < block_rows; r += lanes) {
            at(slope + r) += at(down + r) * at(z + r);
            at(z + r) = at(path + r) * at(down + r);
          }
        } else {
          const Real z = answers[leaf * net.outputs + k];
          Vec sum{};
          for (size_t r = 0; r < block_rows; r += lanes) {
            at(slope + r) += at(down + r) * z;
            sum += at(path + r) * at(down + r);
          }
          answer_slopes[leaf * net.outputs + k] = sum_of<Real>(sum);
        }
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
    const Vec zero{}, one = Real(1) - Vec{};
    Vec below{}, above{};
    for (size_t r = 0; r < block_rows; r += lanes) {
      const Vec g = at(gate + r), difference = at(left + r) - at(right + r), u = at(score + r);
      Vec by_gate = at(path + r) * difference;
      by_gate = g > zero ? by_gate : zero;
      by_gate = g < one ? by_gate : zero;
      // By the logarithm of the width: -u / (2 width).
      below -= u >= zero ? by_gate * u * half_below : zero;
      above -= u < zero ? by_gate * u * half_above : zero;
      at(score + r) = u >= zero ? by_gate * half_below : by_gate * half_above;
      at(slope + r) = at(right + r) + g * difference;
    }
    widths[0] += sum_of<Real>(below);
    widths[1] += sum_of<Real>(above);
  }

  SOFTWOOD_BODY static void ascend(const Network& net, const Real* parameters, const Real* paths,
                                   const Real* gates, const Real* fixed, Real* slopes, Real* scores,
                                   Real* gradient) {
    for (size_t i = net.nodes.size(); i-- > 0;) {
      const NetNode& node = net.nodes[i];
      if (node.children == 0) continue;
      Real* const slope = slopes + i * block_rows;
      const Real* const child = slopes + node.first * block_rows;
      if (node.gate < 0) {
        for (size_t r = 0; r < block_rows; r += lanes) at(slope + r) = Vec{};
        for (size_t c = 0; c < node.children; ++c) {
          const Real* const given = fixed + (static_cast<size_t>(node.fixed) + c) * block_rows;
          for (size_t r = 0; r < block_rows; r += lanes) {
            at(slope + r) += at(given + r) * at(child + c * block_rows + r);
          }
        }
        continue;
      }
      const auto g = static_cast<size_t>(node.gate);
      const Real *const path = paths + i * block_rows, *const gate = gates + g * block_rows;
      if (net.links[g] == LinkForm::ramp) {
        ramp_slopes(path, gate, child, child + block_rows, half_above(net, parameters, g),
                    half_below(net, parameters, g), slope, scores + g * block_rows,
                    gradient + net.widths_at() + 2 * g);
      } else {
        logistic_slopes(path, gate, child, child + block_rows, slope, scores + g * block_rows);
      }
    }
  }

  static Real half_below(const Network& net, const Real* parameters, size_t gate) {
    return Real(0.5) * std::exp(-parameters[net.widths_at() + 2 * gate]);
  }
  static Real half_above(const Network& net, const Real* parameters, size_t gate) {
    return Real(0.5) * std::exp(-parameters[net.widths_at() + 2 * gate + 1]);
  }

  SOFTWOOD_BODY static void run(Kernel<Real>& k, const Real* parameters, Real* gradient) {
    const Network& net = k.net_;
    Real *const scores = k.scores_.data(), *const gates = k.gates_.data();
    score_units(net, parameters, k.x_.data(), scores);
    for (size_t g = 0; g < net.gates(); ++g) {
      if (net.links[g] == LinkForm::ramp) {
        ramp_gate(scores + g * block_rows, half_above(net, parameters, g),
                  half_below(net, parameters, g), gates + g * block_rows);
      } else {
        logistic_gate(scores + g * block_rows, gates + g * block_rows);
      }
    }
    // A score of 0 has no part in the slopes of the widths.
    for (const auto& place : k.given_) {
      gates[place.at] = place.weight;
      scores[place.at] = 0;
    }
    descend(net, gates, k.fixed_.data(), k.paths_.data());
    mix(net, k.paths_.data(), k.answers_.data(), scores, k.outputs_.data());
    if (gradient == nullptr) return;
    loss_slopes(net, k.outputs_.data(), k.target_.data(),
                k.has_shares_ ? k.shares_.data() : nullptr, k.weight_.data(),
                k.output_slopes_.data());
    leaf_slopes(net, k.paths_.data(), k.answers_.data(), k.output_slopes_.data(), scores,
                k.slopes_.data(), k.answer_slopes_.data());
    ascend(net, parameters, k.paths_.data(), gates, k.fixed_.data(), k.slopes_.data(), scores,
           gradient);
    for (const auto& place : k.given_) scores[place.at] = 0;
    add_weight_gradient(net, scores, k.x_.data(), gradient);
  }

  static void run_portable(Kernel<Real>& k, const Real* parameters, Real* gradient) {
    run(k, parameters, gradient);
  }
#if defined(SOFTWOOD_HAS_AVX2_FUNCTIONS)
  SOFTWOOD_AVX2 static void run_avx2(Kernel<Real>& k, const Real* parameters, Real* gradient) {
    run(k, parameters, gradient);
  }
#endif
};

template <class Real>
Kernel<Real>::Kernel(const Network& net, bool portable) : net_(net), portable_(portable) {
  x_.resize(std::max<size_t>(net.padded_terms(), 1) * block_rows);
  fixed_.resize(std::max<size_t>(net.fixed_columns, 1) * block_rows);
  target_.resize(block_rows);
  weight_.resize(block_rows);
  shares_.resize(net.outputs * block_rows);
  scores_.resize(std::max<size_t>(net.scored_units(), 4) * block_rows);
  gates_.resize(std::max<size_t>(net.gates(), 1) * block_rows);
  paths_.resize(net.nodes.size() * block_rows);
  slopes_.resize(net.nodes.size() * block_rows);
  outputs_.resize(net.outputs * block_rows);
  output_slopes_.resize(net.outputs * block_rows);
  answers_.resize(net.leaves * net.outputs);
  answer_slopes_.resize(net.leaves * net.outputs);
}

// Rows become columns, eight at a time; places beyond the last row have no weight.
template <class Real>
void Kernel<Real>::load(const Rows<Real>& rows, std::span<const uint32_t> chosen) {
  constexpr size_t together = 8;
  const size_t columns = net_.fixed_columns, outputs = net_.outputs;
  has_shares_ = !rows.shares.empty();
  const Real* row[together];
  for (size_t first = 0; first < block_rows; first += together) {
    for (size_t i = 0; i < together; ++i) {
      const bool there = first + i < chosen.size();
      const size_t from = there ? chosen[first + i] : chosen[0];
      row[i] = rows.cells.data() + from * rows.stride;
      target_.data()[first + i] = rows.target[from];
      weight_.data()[first + i] = there ? rows.weight[from] : Real(0);
      for (size_t c = 0; c < columns; ++c) {
        fixed_.data()[c * block_rows + first + i] = rows.fixed[from * columns + c];
      }
      for (size_t k = 0; has_shares_ && k < outputs; ++k) {
        shares_.data()[k * block_rows + first + i] = rows.shares[from * outputs + k];
      }
    }
    Real* const out = x_.data() + first;
    for (size_t t = 0; t < net_.terms; ++t) {
      for (size_t i = 0; i < together; ++i) out[t * block_rows + i] = row[i][t];
    }
  }
}

template <class Real>
void Kernel<Real>::take_given(const Rows<Real>& rows, std::span<const uint32_t> chosen) {
  given_.clear();
  if (rows.given.empty()) return;
  for (size_t i = 0; i < chosen.size(); ++i) {
    auto entry = std::lower_bound(rows.given.begin(), rows.given.end(), chosen[i],
                                  [](const Given& given, uint32_t row) { return given.row < row; });
    for (; entry != rows.given.end() && entry->row == chosen[i]; ++entry) {
      given_.push_back({entry->gate * block_rows + i, static_cast<Real>(entry->weight)});
    }
  }
}

// The constants of the leaves, or where answers are mixed their softmax.
template <class Real>
void Kernel<Real>::set_answers(const Real* parameters) {
  if (net_.linear_leaves) return;
  const size_t outputs = net_.outputs;
  for (size_t l = 0; l < net_.leaves; ++l) {
    const Real* const z = parameters + net_.constant_at(net_.unit_of_leaf(l, 0));
    Real* const answer = &answers_[l * outputs];
    std::copy_n(z, outputs, answer);
    if (!mixes_answers(net_.loss)) continue;
    const Real top = *std::max_element(z, z + outputs);
    Real sum = 0;
    for (size_t k = 0; k < outputs; ++k) sum += answer[k] = std::exp(z[k] - top);
    for (size_t k = 0; k < outputs; ++k) answer[k] /= sum;
  }
}

template <class Real>
void Kernel<Real>::run(const Real* parameters, Real* gradient) {
  set_answers(parameters);
#if defined(SOFTWOOD_HAS_AVX2_FUNCTIONS)
  if (!portable_ && use_avx2()) {
    Pass<Real>::run_avx2(*this, parameters, gradient);
    return;
  }
#endif
  Pass<Real>::run_portable(*this, parameters, gradient);
}

template <class Real>
void Kernel<Real>::add_answer_gradient(Real* gradient) {
  if (net_.linear_leaves) return;
  const size_t outputs = net_.outputs;
  for (size_t l = 0; l < net_.leaves; ++l) {
    Real* const g = gradient + net_.constant_at(net_.unit_of_leaf(l, 0));
    const Real *const slope = &answer_slopes_[l * outputs], *const answer = &answers_[l * outputs];
    Real mean = 0;
    if (mixes_answers(net_.loss)) {
      for (size_t k = 0; k < outputs; ++k) mean += slope[k] * answer[k];
    }
    for (size_t k = 0; k < outputs; ++k) {
      g[k] += mixes_answers(net_.loss) ? answer[k] * (slope[k] - mean) : slope[k];
    }
  }
}

template <class Real>
void Kernel<Real>::forward(const Real* parameters, const Rows<Real>& rows,
                           std::span<const uint32_t> chosen) {
  load(rows, chosen);
  take_given(rows, chosen);
  run(parameters, nullptr);
}

template <class Real>
void Kernel<Real>::backward(const Real* parameters, const Rows<Real>& rows,
                            std::span<const uint32_t> chosen, Real* gradient) {
  load(rows, chosen);
  take_given(rows, chosen);
  run(parameters, gradient);
  add_answer_gradient(gradient);
}

template class Kernel<float>;
template class Kernel<double>;

}  // namespace softwood::gradient

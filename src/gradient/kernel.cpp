#include "gradient/kernel.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "base/math.h"
#include "gradient/pass.h"

namespace softwood::gradient {

template <class Real>
Kernel<Real>::Kernel(const Network& net, Instructions most) : net_(net), most_(most) {
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
  reached_.resize(net.nodes.size());
  parents_.resize(net.nodes.size());
  unit_nodes_.resize(net.gates() + (net.linear_leaves ? net.leaves * net.outputs : 0));
  for (uint32_t i = 0; i < net.nodes.size(); ++i) {
    const NetNode& node = net.nodes[i];
    for (uint32_t c = 0; c < node.children; ++c) parents_[node.first + c] = i;
    if (node.gate >= 0) unit_nodes_[static_cast<size_t>(node.gate)] = i;
    for (size_t o = 0; net.linear_leaves && node.leaf >= 0 && o < net.outputs; ++o) {
      unit_nodes_[net.unit_of_leaf(static_cast<size_t>(node.leaf), o)] = i;
    }
  }
}

// Four terms of four rows become four rows of each term. Rows are padded to fours of terms.
template <class Real>
SOFTWOOD_BODY void transpose(const Real* const* row, size_t terms, Real* out) {
  using Four __attribute__((vector_size(4 * sizeof(Real)), aligned(alignof(Real)), may_alias)) =
      Real;
  const auto of = [](const Real* p) -> const Four& { return *reinterpret_cast<const Four*>(p); };
  for (size_t t = 0; t < terms; t += 4) {
    const Four &a = of(row[0] + t), &b = of(row[1] + t), &c = of(row[2] + t), &d = of(row[3] + t);
    const Four low = __builtin_shufflevector(a, b, 0, 4, 1, 5);
    const Four high = __builtin_shufflevector(a, b, 2, 6, 3, 7);
    const Four low2 = __builtin_shufflevector(c, d, 0, 4, 1, 5);
    const Four high2 = __builtin_shufflevector(c, d, 2, 6, 3, 7);
    auto* const to = reinterpret_cast<Four*>(out + t * block_rows);
    constexpr size_t next = block_rows / 4;
    to[0] = __builtin_shufflevector(low, low2, 0, 1, 4, 5);
    to[next] = __builtin_shufflevector(low, low2, 2, 3, 6, 7);
    to[2 * next] = __builtin_shufflevector(high, high2, 0, 1, 4, 5);
    to[3 * next] = __builtin_shufflevector(high, high2, 2, 3, 6, 7);
  }
}

// Rows become columns, four at a time; places beyond the last row have no weight.
template <class Real>
void Kernel<Real>::load(const Rows<Real>& rows, std::span<const uint32_t> chosen) {
  constexpr size_t together = 4;
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
    transpose(row, net_.terms, x_.data() + first);
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
  std::sort(given_.begin(), given_.end(),
            [](const GivenScore& a, const GivenScore& b) { return a.at < b.at; });
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
    for (size_t k = 0; k < outputs; ++k) {
      sum += answer[k] = static_cast<Real>(math::exp(z[k] - top));
    }
    for (size_t k = 0; k < outputs; ++k) answer[k] /= sum;
  }
}

template <class Real>
void Kernel<Real>::run(const Real* parameters, Real* gradient) {
  set_answers(parameters);
#if defined(SOFTWOOD_HAS_AVX2_FUNCTIONS)
  if (most_ == Instructions::avx512 && use_avx512()) {
    Pass<WideLanes<Real>>::run_avx512(*this, parameters, gradient);
    return;
  }
  if (most_ != Instructions::portable && use_avx2()) {
    Pass<Lanes<Real>>::run_avx2(*this, parameters, gradient);
    return;
  }
#endif
  Pass<Lanes<Real>>::run_portable(*this, parameters, gradient);
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

template <class Real>
uint32_t Kernel<Real>::main_leaf(size_t i) const {
  uint32_t best = 0;
  Real most = -1;
  for (size_t n = 0; n < net_.nodes.size(); ++n) {
    const Real share = paths_.data()[n * block_rows + i];
    if (net_.nodes[n].leaf < 0 || reached_[n] == 0 || !(share > most)) continue;
    most = share;
    best = static_cast<uint32_t>(net_.nodes[n].leaf);
  }
  return best;
}

template class Kernel<float>;
template class Kernel<double>;

}  // namespace softwood::gradient

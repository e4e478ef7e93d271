#include "use/mixer.h"

#include <algorithm>
#include <cmath>

#include "base/math.h"
#include "data/sample.h"
#include "tree/gates/term_values.h"

namespace softwood {
namespace {

// Rows that go down together: their shares at a level of the tree should fit into the second-level
// cache.
constexpr size_t most_shares = size_t{1} << 15;
constexpr size_t least_rows = 512;

}  // namespace

bool is_breadth_first(const Tree& tree) {
  NodeIndex next = 1;
  for (NodeIndex i = 0; i < tree.size(); ++i) {
    if (tree.node(i).is_leaf()) continue;
    if (tree.node(i).first_child != next) return false;
    next += tree.children(i);
  }
  return true;
}

Mixer::Mixer(const Tree& tree, const Table& table, std::span<const double> constants)
    : tree_(tree),
      table_(table),
      constants_(constants),
      width_(tree.answer_width()),
      scores_(tree.leaf_plan().mixes_scores()),
      descent_(tree, table, negligible_share) {}

void Mixer::answer(std::span<const RowIndex> rows, std::span<double> out) {
  std::fill(out.begin(), out.end(), 0.0);
  const size_t block =
      std::clamp(most_shares / (tree_.size() / 2 + 1), least_rows, most_block_rows);
  for (size_t begin = 0; begin < rows.size(); begin += block) {
    rows_ = rows.subspan(begin, std::min(block, rows.size() - begin));
    out_ = out.subspan(begin * width_, rows_.size() * width_);
    start_.resize(rows_.size());
    for (uint32_t i = 0; i < start_.size(); ++i) start_[i] = {i, 1.0};
    descent_.run(0, rows_, start_, *this);
    if (!scores_) continue;
    for (size_t i = 0; i < rows_.size(); ++i) math::softmax(out_.subspan(i * width_, width_));
  }
}

void Mixer::reach(NodeIndex node, std::span<const Share> shares) {
  if (tree_.node(node).is_leaf()) add(node, shares);
}

// Rows without a value that stay at a node.
void Mixer::end(NodeIndex node, const Share& share) {
  if (!tree_.node(node).is_leaf()) add(node, {&share, 1});
}

void Mixer::add_constant(NodeIndex node, const Share& share) {
  for (size_t c = 0; c < width_; ++c) {
    const double answer = constants_[node * width_ + c];
    out_[share.position * width_ + c] += share.weight * (scores_ ? math::log(answer) : answer);
  }
}

void Mixer::compute_outputs(const LeafModel& model, std::span<const Share> shares) {
  const size_t count = shares.size();
  here_.resize(count);
  for (size_t i = 0; i < count; ++i) here_[i] = rows_[shares[i].position];
  values_.resize(count);
  outputs_.resize(model.outputs() * count);
  for (size_t o = 0; o < model.outputs(); ++o) {
    std::fill_n(outputs_.begin() + static_cast<std::ptrdiff_t>(o * count), count, model.row(o)[0]);
  }
  const bool contiguous = are_contiguous(here_);
  for (size_t t = 0; t < model.terms.size(); ++t) {
    const double* const values =
        term_values(model.terms[t], table_, here_, contiguous, tree_.typical(), values_);
    for (size_t o = 0; o < model.outputs(); ++o) {
      const double factor = model.row(o)[1 + t];
      double* const sums = &outputs_[o * count];
      for (size_t i = 0; i < count; ++i) sums[i] += factor * values[i];
    }
  }
}

// False, and nothing added: an output is not finite.
bool Mixer::add_sums(const LeafModel& model, std::span<const Share> shares) {
  const size_t count = shares.size();
  double zeros = 0;  // NaN where an output is not finite
  for (const double output : outputs_) zeros += output - output;
  if (zeros != 0 || std::isnan(zeros)) return false;
  for (size_t o = 0; o < model.outputs(); ++o) {
    double* const sums = &outputs_[o * count];
    if (!scores_) {
      for (size_t i = 0; i < count; ++i) sums[i] = std::clamp(sums[i], model.low, model.high);
    }
    for (size_t i = 0; i < count; ++i) {
      out_[shares[i].position * width_ + o] += shares[i].weight * sums[i];
    }
  }
  return true;
}

// One row after the other.
void Mixer::add_each(NodeIndex node, const LeafModel& model, std::span<const Share> shares) {
  const size_t count = shares.size(), outputs = model.outputs();
  one_.resize(outputs);
  for (size_t i = 0; i < count; ++i) {
    const Share& share = shares[i];
    double* const out = &out_[share.position * width_];
    bool finite = true;
    for (size_t o = 0; o < outputs; ++o) {
      one_[o] = outputs_[o * count + i];
      finite = finite && std::isfinite(one_[o]);
    }
    if (!finite) {
      add_constant(node, share);
    } else if (model.link == LeafLink::identity) {
      *out += share.weight * std::clamp(one_[0], model.low, model.high);
    } else {
      if (!scores_) math::softmax(one_);
      for (size_t o = 0; o < outputs; ++o) {
        out[scores_ ? o : model.classes[o]] += share.weight * one_[o];
      }
    }
  }
}

void Mixer::add(NodeIndex node, std::span<const Share> shares) {
  const auto& model = tree_.node(node).model;
  if (!model) {
    for (const Share& share : shares) add_constant(node, share);
    return;
  }
  compute_outputs(*model, shares);
  const bool are_sums = scores_ || model->link == LeafLink::identity;
  if (!are_sums || !add_sums(*model, shares)) add_each(node, *model, shares);
}

}  // namespace softwood

#include "fit/unseen_sums.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "fit/sequence_sums.h"
#include "softwood/error.h"
#include "stats/histogram.h"
#include "tree/costs.h"

namespace softwood::fit {
namespace {

using stats::Whole;

// A power of two in which sums up to `total` have room.
double unit_for(double total) {
  if (!std::isfinite(total)) return std::numeric_limits<double>::infinity();  // nothing has
  int exponent = 0;
  std::frexp(total, &exponent);
  constexpr int digits = 124;
  return std::ldexp(1.0, std::max(exponent - digits, -1070));
}

Whole times(double value, double weight, double unit) {
  if (!std::isfinite(unit)) return 0;
  constexpr double most_copies = 9007199254740992.0;            // 2^53
  if (weight == std::floor(weight) && weight <= most_copies) {  // counts copies of the row
    return static_cast<Whole>(value / unit) * static_cast<int64_t>(weight);
  }
  return static_cast<Whole>(value * weight / unit);
}

}  // namespace

UnseenQuery::UnseenQuery(const Tree& tree, double least, double largest, double weight,
                         bool whole_weights)
    : parent(parents_of(tree)), classes(tree.classes()) {
  weight_unit = unit_of_weights(weight, whole_weights);
  if (tree.task() == Task::classification) return;
  answer = tree.answers();
  for (const double number : answer) {
    least = std::min(least, number);
    largest = std::max(largest, number);
  }
  const double loss = (largest - least) * (largest - least);
  loss_unit = unit_for(loss * weight);
  square_unit = unit_for(loss * loss * weight);
}

UnseenSums::UnseenSums(const UnseenQuery& query) {
  if (query.classes > 0) {
    ended_.resize(query.parent.size() * (query.classes + 1));
  } else {
    reached_losses_.resize(query.parent.size());
    ended_losses_.resize(query.parent.size());
  }
}

void UnseenSums::add_class(const UnseenQuery& query, NodeIndex end, int32_t code, double weight) {
  const size_t k = code < 0 ? query.classes : static_cast<size_t>(code);
  ended_[end * (query.classes + 1) + k] += std::llround(weight / query.weight_unit);
}

void UnseenSums::add_number(const UnseenQuery& query, NodeIndex end, double number, double weight) {
  for (NodeIndex node = end;; node = query.parent[node]) {
    const double deviation = number - query.answer[node], loss = deviation * deviation;
    const Whole sum = times(loss, weight, query.loss_unit);
    const Whole squares = times(loss * loss, weight, query.square_unit);
    reached_losses_[node].sum += sum;
    reached_losses_[node].squares += squares;
    if (node == end) {
      ended_losses_[node].sum += sum;
      ended_losses_[node].squares += squares;
    }
    if (node == 0) break;
  }
}

void UnseenSums::merge(const UnseenSums& other) {
  if (ended_.size() != other.ended_.size() ||
      reached_losses_.size() != other.reached_losses_.size() ||
      ended_losses_.size() != other.ended_losses_.size()) {
    throw Error(ErrorKind::failure, "sums over different trees can't be merged");
  }
  std::transform(ended_.begin(), ended_.end(), other.ended_.begin(), ended_.begin(), std::plus<>());
  const auto plus = [](const Losses& a, const Losses& b) {
    return Losses{a.sum + b.sum, a.squares + b.squares};
  };
  std::transform(reached_losses_.begin(), reached_losses_.end(), other.reached_losses_.begin(),
                 reached_losses_.begin(), plus);
  std::transform(ended_losses_.begin(), ended_losses_.end(), other.ended_losses_.begin(),
                 ended_losses_.begin(), plus);
}

namespace {

// What a part has seen of a node in regression.
enum Seen : int64_t { nothing, reached, ended, both };  // ended: all rows that reach it

}  // namespace

// Most nodes of a deep tree see no row of a small part.
void UnseenSums::write(ByteWriter& out) const {
  out.wholes(ended_);
  std::vector<int64_t> seen;
  std::vector<Losses> losses;
  for (size_t node = 0; node < reached_losses_.size(); ++node) {
    const Losses& all = reached_losses_[node];
    const Losses& own = ended_losses_[node];
    seen.push_back(all == own ? (all == Losses() ? nothing : ended)
                              : (own == Losses() ? reached : both));
    if (seen.back() != nothing) losses.push_back(all);
    if (seen.back() == both) losses.push_back(own);
  }
  out.wholes(seen);
  out.vector(losses);
}

UnseenSums UnseenSums::read(ByteReader& in) {
  UnseenSums sums;
  sums.ended_ = in.wholes();
  const std::vector<int64_t> seen = in.wholes();
  const std::vector<Losses> losses = in.vector<Losses>();
  size_t at = 0;
  const auto next = [&] {
    if (at == losses.size()) throw Error(ErrorKind::failure, "losses of other nodes");
    return losses[at++];
  };
  for (const int64_t kind : seen) {
    const Losses all = kind == nothing ? Losses() : next();
    sums.reached_losses_.push_back(all);
    sums.ended_losses_.push_back(kind == both ? next() : kind == ended ? all : Losses());
  }
  return sums;
}

// A row ends, for the tree at alphas[i], at the first node on its path whose alpha note is not
// larger: a node answers for the rows that reach it from its parent's alpha to its own, and beyond
// that for those that end there.
SequenceErrors UnseenSums::errors(const Tree& tree, std::span<const double> alphas,
                                  const UnseenQuery& query) const {
  const std::vector<size_t> stays_from = first_stays(tree, alphas);
  SequenceSums sums(alphas.size());
  const auto each_node = [&](const auto& reached, const auto& ended) {
    for (NodeIndex node = 0; node < tree.size(); ++node) {
      const size_t from = node == 0 ? 0 : stays_from[query.parent[node]];
      const size_t until = std::max(from, stays_from[node]);
      if (from < until) reached(node, from, until);
      if (!tree.node(node).is_leaf()) ended(node, until, alphas.size());
    }
  };
  if (query.classes == 0) {
    const auto add_losses = [&](const Losses& losses, size_t from, size_t until) {
      if (from >= until || (losses.sum == 0 && losses.squares == 0)) return;
      const auto value = [](Whole sum, double unit) {
        return sum == 0 ? 0 : static_cast<double>(sum) * unit;
      };
      sums.add(from, until, value(losses.sum, query.loss_unit),
               value(losses.squares, query.square_unit));
    };
    each_node([&](NodeIndex node, size_t from,
                  size_t until) { add_losses(reached_losses_[node], from, until); },
              [&](NodeIndex node, size_t from, size_t until) {
                add_losses(ended_losses_[node], from, until);
              });
    return std::move(sums).errors();
  }
  const size_t width = query.classes + 1;
  std::vector<int64_t> reached_counts = ended_;
  for (auto node = static_cast<NodeIndex>(tree.size()); node-- > 1;) {
    for (size_t k = 0; k < width; ++k) {
      reached_counts[query.parent[node] * width + k] += reached_counts[node * width + k];
    }
  }
  const std::vector<double> answers = tree.answers();
  const auto add_counts = [&](const std::vector<int64_t>& counts, NodeIndex node, size_t from,
                              size_t until) {
    if (from >= until) return;
    const size_t answer =
        cheapest_answer({&answers[node * query.classes], query.classes}, tree.costs());
    double sum = 0, squares = 0;
    for (size_t k = 0; k < width; ++k) {
      const int32_t code = k == query.classes ? -1 : static_cast<int32_t>(k);
      const double loss = cost_for_row(tree.costs(), query.classes, code, answer);
      const double weight = static_cast<double>(counts[node * width + k]) * query.weight_unit;
      sum += weight * loss;
      squares += weight * loss * loss;
    }
    sums.add(from, until, sum, squares);
  };
  each_node(
      [&](NodeIndex node, size_t from, size_t until) {
        add_counts(reached_counts, node, from, until);
      },
      [&](NodeIndex node, size_t from, size_t until) { add_counts(ended_, node, from, until); });
  return std::move(sums).errors();
}

}  // namespace softwood::fit

#include "fit/sequence_sums.h"

#include <algorithm>
#include <functional>
#include <numeric>
#include <utility>

namespace softwood::fit {

std::vector<size_t> first_stays(const Tree& tree, std::span<const double> alphas) {
  std::vector<size_t> stays_from(tree.size(), alphas.size());
  for (NodeIndex i = 0; i < tree.size(); ++i) {
    if (tree.node(i).is_leaf()) continue;
    const double alpha = tree.node(i).notes().alpha;
    stays_from[i] = static_cast<size_t>(
        std::lower_bound(alphas.begin(), alphas.end(), alpha, std::greater_equal<>()) -
        alphas.begin());
  }
  return stays_from;
}

SequenceErrors SequenceSums::errors() && {
  for (auto* sums : {&sum_, &squares_}) {
    std::partial_sum(sums->begin(), sums->end(), sums->begin());
    sums->pop_back();
  }
  return {std::move(sum_), std::move(squares_)};
}

}  // namespace softwood::fit

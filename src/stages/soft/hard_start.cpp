#include "stages/soft/hard_start.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "base/math.h"

namespace softwood::soft {

using gradient::Loss;
using gradient::Rows;

namespace {

// Of the gate, in standard deviations of the term.
constexpr double steepness = 0.5;

// Sums of the target, or of each class, and the weight.
class Sums {
 public:
  Sums(Loss loss, size_t outputs)
      : numbers_(loss == Loss::squared), sums_(numbers_ ? 1 : std::max<size_t>(2, outputs), 0.0) {}
  void add(double target, double weight) {
    weight_ += weight;
    if (numbers_) {
      sums_[0] += weight * target;
    } else {
      sums_[static_cast<size_t>(target)] += weight;
    }
  }
  double weight() const { return weight_; }
  const std::vector<double>& values() const { return sums_; }
  // Sum of squared means times weight: what squared deviations fall by.
  double purity() const {
    double squares = 0;
    for (const double sum : sums_) squares += sum * sum;
    return weight_ > 0 ? squares / weight_ : 0;
  }
  // With `other` for the rest.
  double rest_purity(const Sums& all) const {
    double squares = 0;
    for (size_t k = 0; k < sums_.size(); ++k) {
      squares += (all.sums_[k] - sums_[k]) * (all.sums_[k] - sums_[k]);
    }
    const double rest = all.weight_ - weight_;
    return rest > 0 ? squares / rest : 0;
  }

 private:
  bool numbers_;
  std::vector<double> sums_;
  double weight_ = 0;
};

// The mean of the target, or the shares of the classes; of two classes the second one's.
std::vector<double> means(Loss loss, const Sums& sums) {
  std::vector<double> list = sums.values();
  if (loss == Loss::logistic) list.erase(list.begin());
  for (double& value : list) value = sums.weight() > 0 ? value / sums.weight() : 0;
  return list;
}

}  // namespace

std::vector<double> leaf_answer(Loss loss, size_t outputs, const Rows<double>& rows,
                                const std::vector<double>& shares) {
  Sums sums(loss, outputs);
  for (size_t i = 0; i < rows.count; ++i) sums.add(rows.target[i], rows.weight[i] * shares[i]);
  if (loss == Loss::squared) return means(loss, sums);
  const std::vector<double>& values = sums.values();
  if (loss == Loss::logistic) return {math::log((values[1] + 1) / (values[0] + 1))};
  std::vector<double> answer;
  answer.reserve(values.size());
  const auto classes = static_cast<double>(outputs);
  for (const double value : values) {
    answer.push_back(math::log((value + 1) / (sums.weight() + classes)));
  }
  return answer;
}

std::vector<double> leaf_answer(Loss loss, size_t outputs, const Rows<float>& rows) {
  Rows<double> known;
  known.count = rows.count;
  known.target.assign(rows.target.begin(), rows.target.end());
  known.weight.assign(rows.weight.begin(), rows.weight.end());
  return leaf_answer(loss, outputs, known, std::vector<double>(rows.count, 1.0));
}

std::optional<HardStart> hard_start(Loss loss, size_t outputs, const Rows<double>& rows,
                                    size_t terms, const std::vector<double>& shares) {
  std::vector<uint32_t> order(rows.count);
  std::iota(order.begin(), order.end(), 0U);
  Sums all(loss, outputs);
  for (const uint32_t i : order) all.add(rows.target[i], rows.weight[i] * shares[i]);
  double best = -1, cut = 0;
  size_t term = terms;
  for (size_t t = 0; t < terms; ++t) {
    const auto value = [&](uint32_t i) { return rows.cells[i * rows.stride + t]; };
    std::sort(order.begin(), order.end(), [&](uint32_t a, uint32_t b) {
      return value(a) != value(b) ? value(a) < value(b) : a < b;
    });
    Sums left(loss, outputs);
    for (size_t k = 0; k + 1 < order.size(); ++k) {
      left.add(rows.target[order[k]], rows.weight[order[k]] * shares[order[k]]);
      const double here = value(order[k]), next = value(order[k + 1]);
      if (!(next > here)) continue;
      const double score = left.purity() + left.rest_purity(all);
      if (score > best * (1 + 1e-11)) {
        best = score;
        term = t;
        cut = here + (next - here) / 2;
      }
    }
  }
  if (term == terms) return std::nullopt;
  Sums low(loss, outputs), high(loss, outputs);
  for (const uint32_t i : order) {
    (rows.cells[i * rows.stride + term] <= cut ? low : high)
        .add(rows.target[i], rows.weight[i] * shares[i]);
  }
  return HardStart{all.weight(),     term, -steepness, steepness * cut, means(loss, low),
                   means(loss, high)};
}

}  // namespace softwood::soft

// Monotone answers (monotone=). The answer of a node is its mean, or the share of the second class:
// in a cell {weight, sum} or {weight of the first class, of the second} the second number divided
// by the weight.
//
// A split on a monotone feature must order its children, and the middle between their answers is a
// bound for everything below them. Every split must keep its children within the bounds of the
// node. So for two rows that differ in that feature alone, which part where it is asked first, all
// answers below the one child are on one side of the middle, and all below the other on the other.
// (The bounds are those of XGBoost's monotone constraints; there answers are moved to them, here a
// split that would break them is not made.)
#pragma once

#include <algorithm>
#include <limits>
#include <span>
#include <utility>

namespace softwood::stats {

struct AnswerBounds {
  double low = -std::numeric_limits<double>::infinity();
  double high = std::numeric_limits<double>::infinity();

  bool hold(double answer) const { return low <= answer && answer <= high; }

  // Those of one child of a split in two by a feature of this direction, children's answers given.
  AnswerBounds of_child(uint32_t child, int direction, double first, double second) const {
    if (direction == 0) return *this;
    const double middle = first + (second - first) / 2;
    const bool is_low = (child == 0) == (direction > 0);
    return is_low ? AnswerBounds{low, std::min(high, middle)}
                  : AnswerBounds{std::max(low, middle), high};
  }
};

struct Monotone {
  AnswerBounds bounds;
  int direction = 0;  // of the feature that is searched

  bool allows(double left, double right) const {
    return bounds.hold(left) && bounds.hold(right) && (right - left) * direction >= 0;
  }
};

// A side whose score is 0 where a cut is not allowed.
template <class Side>
class MonotoneSide {
 public:
  // `sum` is the second number of the node's cell.
  MonotoneSide(Side side, double sum, const Monotone& rule)
      : side_(std::move(side)), rule_(&rule), sum_(sum) {}

  template <class Value>
  void move_row(Value value, double weight) {
    left_sum_ += weight * static_cast<double>(value);
    side_.move_row(value, weight);
  }
  double left_weight() const { return side_.left_weight(); }
  double right_weight() const { return side_.right_weight(); }
  double score() const {
    const double left = left_sum_ / left_weight();
    const double right = (sum_ - left_sum_) / right_weight();
    return rule_->allows(left, right) ? side_.score() : 0;
  }

 private:
  Side side_;
  const Monotone* rule_;
  double sum_, left_sum_ = 0;
};

}  // namespace softwood::stats

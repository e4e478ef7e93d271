// Where the bins of an input end.
#pragma once

#include <utility>

#include "data/bins.h"
#include "data/sorted.h"

namespace softwood {

// Greedy: a bin is closed once it holds its share of what is left for the remaining bins. Gets the
// different values in ascending order, or several at once where no bin ends among them.
class BinCloser {
 public:
  // `divide`: there are more values than bins; otherwise each gets one.
  BinCloser(double total, size_t max_bins, bool divide)
      : total_(total), left_(max_bins), divide_(divide) {}

  double passed() const { return passed_; }
  double closed() const { return closed_; }  // bins that are closed hold so much
  size_t left() const { return left_; }      // bins
  bool full() const { return left_ == 1; }
  // Whether a bin ends before the values that follow.
  bool ends_bin() const { return any_ && !full() && !(divide_ && passed_ - closed_ < share()); }
  // To be called with the lowest of the values that follow; then may_skip() can be asked.
  void before(double value) {
    if (!ends_bin()) return;
    bins_.cuts.push_back(middle(last_, value));
    closed_ = passed_;
    --left_;
  }
  // Whether values of this weight leave the bin open.
  bool may_skip(double weight) const {
    return divide_ && (full() || passed_ + weight - closed_ < share());
  }
  void skip(double weight) {
    any_ = true;
    passed_ += weight;
  }
  void pass(double value, double weight) {
    skip(weight);
    last_ = value;
  }
  FeatureBins take() {
    bins_.bins = static_cast<uint32_t>(bins_.cuts.size() + 1);
    return std::move(bins_);
  }

 private:
  double share() const { return (total_ - closed_) / static_cast<double>(left_); }

  double total_;
  size_t left_;
  bool divide_;
  bool any_ = false;
  double last_ = 0, passed_ = 0, closed_ = 0;
  FeatureBins bins_;
};

}  // namespace softwood

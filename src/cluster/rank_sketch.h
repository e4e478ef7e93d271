// About how many rows are below values of a column. Each part chooses the values by its own first
// rows and counts in the pass that describes them; together the counts bracket where bins end, so
// that the next pass can list the values there. They decide nothing: exact counts of that pass do.
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "base/bytes.h"
#include "cluster/quantile_search.h"
#include "data/coder.h"
#include "data/summary.h"

namespace softwood::cluster {

class RankSketch {
 public:
  RankSketch() = default;
  // Rows up to the first knot, then those of so many even steps between each knot and the next,
  // then those beyond the last knot.
  RankSketch(std::vector<double> knots, uint64_t steps, std::vector<int64_t> counts)
      : knots_(std::move(knots)), steps_(steps), counts_(std::move(counts)) {}
  // Of all values, ascending: nothing is left open.
  static RankSketch of_values(std::span<const ValueCount> values);

  bool empty() const { return levels_.empty() && counts_.empty(); }
  void merge(const RankSketch& other);
  // Lists the ranges where bins (of no most: the median) probably end, or divides them where they
  // have many rows; not asked: the counts are too coarse for that.
  ColumnQuestion brackets(uint64_t max_bins) const;
  void write(ByteWriter& out) const;
  static RankSketch read(ByteReader& in);

 private:
  // Between `least` and `most` rows are not above the value.
  struct Point {
    double value;
    uint64_t least, most;
  };
  struct Bracket {
    double low, high;  // without the former, with the latter
    uint64_t rows;
  };
  using Points = std::vector<Point>;
  Points points() const;
  Points own_points() const;
  std::vector<Points> levels() const;
  static Points merged(const Points& a, const Points& b);
  static void drop_close(Points& points);
  void raise(Points points, size_t level);
  void check() const;
  static std::vector<Bracket> bin_ends(const Points& points, uint64_t max_bins);

  std::vector<double> knots_;
  uint64_t steps_ = 0;
  std::vector<int64_t> counts_;
  // Instead, of several parts: of 2^l of them in place l, or none. Each part's points are merged,
  // and dropped, as many times as there are places, not parts.
  std::vector<Points> levels_;
};

// Counts the rows of a part for a sketch.
class RankSketcher {
 public:
  // With values that were counted before.
  explicit RankSketcher(std::span<const ValueCount> before);

  void add(double value) {
    pending_.push_back(value);
    if (pending_.size() == most_pending) count_pending();
  }
  RankSketch take();

 private:
  static constexpr size_t most_pending = 65536;
  void count_pending();
  void sum_up();
  void choose_steps();
  void choose_steps(std::vector<double> sample, uint32_t ranges);
  uint32_t step_of(double value) const {
    const uint32_t below = coder_->code(value);
    if (below == 0) return 0;
    if (below == knots_.size()) return static_cast<uint32_t>(counts_.size() - 1);
    const double step = (value / 2 - knots_[below - 1] / 2) * scale_[below - 1];
    return 1 + (below - 1) * steps_ + static_cast<uint32_t>(std::min(step, last_step_));
  }

  std::vector<double> pending_;
  std::vector<double> knots_;
  std::vector<double> scale_;  // of each knot and the next: steps per unit
  uint32_t steps_ = 0;
  double last_step_ = 0;
  std::optional<Coder> coder_;  // none: no knots yet
  std::vector<uint32_t> counts_;
  std::vector<int64_t> sums_;  // of counts that might overflow
  uint64_t counted_ = 0;       // since the last sum
};

}  // namespace softwood::cluster

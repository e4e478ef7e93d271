#include "cluster/rank_sketch.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "softwood/error.h"

namespace softwood::cluster {
namespace {

constexpr double infinite = std::numeric_limits<double>::infinity();
constexpr uint32_t most_sampled = 4096, most_knots = 256;
// Ranges of a part: their counts, four bytes each, stay in the cache.
constexpr uint32_t fewest_ranges = 1024, most_ranges = 32768;
// Points that are kept of several parts.
constexpr size_t most_points = size_t{4} * most_ranges;

}  // namespace

RankSketcher::RankSketcher(std::span<const ValueCount> before) {
  for (const ValueCount& value : before) {
    for (uint64_t row = 0; row < value.rows; ++row) add(value.value);
  }
}

// Knots are evenly spaced among the values so far. A part that is not at its end may have any
// number of rows.
void RankSketcher::choose_steps() {
  std::vector<double> sample;
  const size_t apart = (pending_.size() + most_sampled - 1) / most_sampled;
  for (size_t i = 0; i < pending_.size(); i += apart) sample.push_back(pending_[i]);
  std::sort(sample.begin(), sample.end());
  for (size_t i = 0; i < most_knots; ++i) {
    knots_.push_back(sample[sample.size() * i / most_knots]);
  }
  knots_.push_back(sample.back());
  knots_.erase(std::unique(knots_.begin(), knots_.end()), knots_.end());
  // As few bytes as counts and the values that are listed by them take together.
  uint32_t ranges = most_ranges;
  if (pending_.size() < most_pending) {
    const double fewer = std::sqrt(5.0 * most_knots * static_cast<double>(pending_.size()));
    ranges = std::clamp(static_cast<uint32_t>(fewer), fewest_ranges, most_ranges);
  }
  steps_ = ranges / most_knots;
  last_step_ = steps_ - 1;
  for (size_t k = 0; k + 1 < knots_.size(); ++k) {
    // Halves: the difference of two numbers may be infinite.
    const double scale = static_cast<double>(steps_) / (knots_[k + 1] / 2 - knots_[k] / 2);
    scale_.push_back(std::isfinite(scale) ? scale : 0);
  }
  coder_.emplace(knots_);
  counts_.resize((knots_.size() - 1) * steps_ + 2);
  sums_.resize(counts_.size());
}

void RankSketcher::count_pending() {
  if (!coder_) choose_steps();
  // First the steps of some rows: their counts come from the memory while others are found.
  constexpr size_t together = 256;
  std::array<uint32_t, together> steps{};
  for (size_t row = 0; row < pending_.size();) {
    size_t count = 0;
    for (const size_t end = std::min(row + together, pending_.size()); row < end; ++row) {
      steps[count] = step_of(pending_[row]);
      __builtin_prefetch(counts_.data() + steps[count++], 1);
    }
    for (size_t i = 0; i < count; ++i) ++counts_[steps[i]];
  }
  counted_ += pending_.size();
  pending_.clear();
  if (counted_ >= uint64_t{1} << 31) sum_up();
}

void RankSketcher::sum_up() {
  for (size_t r = 0; r < counts_.size(); ++r) sums_[r] += counts_[r];
  std::fill(counts_.begin(), counts_.end(), 0);
  counted_ = 0;
}

RankSketch RankSketcher::take() {
  if (pending_.empty() && !coder_) return {};
  count_pending();
  sum_up();
  return {std::move(knots_), steps_, std::move(sums_)};
}

RankSketch RankSketch::of_values(std::span<const ValueCount> values) {
  RankSketch sketch;
  uint64_t rows = 0;
  for (const ValueCount& value : values) {
    rows += value.rows;
    sketch.points_.push_back({value.value, rows, rows});
  }
  return sketch;
}

std::vector<RankSketch::Point> RankSketch::points() const {
  if (counts_.empty()) return points_;
  if (knots_.empty() || counts_.size() != (knots_.size() - 1) * steps_ + 2) {
    throw Error(ErrorKind::failure, "counts of other ranges than those asked for");
  }
  std::vector<Point> points;
  points.reserve(counts_.size());
  uint64_t rows = 0;
  const auto add = [&](double value, int64_t more) {
    rows += static_cast<uint64_t>(more);
    if (!points.empty() && !(points.back().value < value)) points.pop_back();
    points.push_back({value, rows, rows});
  };
  add(knots_[0], counts_[0]);
  const auto pieces = static_cast<double>(steps_);
  for (size_t k = 0; k + 1 < knots_.size(); ++k) {
    for (size_t i = 1; i <= steps_; ++i) {
      const double low = knots_[k] / pieces * static_cast<double>(steps_ - i);
      const double edge =
          i == steps_ ? knots_[k + 1] : low + knots_[k + 1] / pieces * static_cast<double>(i);
      add(std::max(edge, points.back().value), counts_[k * steps_ + i]);
    }
  }
  add(infinite, counts_.back());
  return points;
}

// What one says of the values of the other lies between its points before and after them.
void RankSketch::merge(const RankSketch& other) {
  const std::vector<Point> a = points(), b = other.points();
  std::vector<Point> all;
  all.reserve(a.size() + b.size());
  const auto total = [](const std::vector<Point>& of) { return of.empty() ? 0 : of.back().most; };
  const uint64_t a_rows = total(a), b_rows = total(b);
  // What was passed of one side, and the most rows up to a value between its points.
  const auto passed = [](const std::vector<Point>& of, size_t next) {
    return next == 0 ? 0 : of[next - 1].least;
  };
  const auto ahead = [](const std::vector<Point>& of, size_t next, uint64_t rows) {
    return next == of.size() ? rows : of[next].most;
  };
  for (size_t i = 0, j = 0; i < a.size() || j < b.size();) {
    const double value = std::min(i < a.size() ? a[i].value : infinite,  //
                                  j < b.size() ? b[j].value : infinite);
    const bool of_a = i < a.size() && a[i].value == value;
    const bool of_b = j < b.size() && b[j].value == value;
    i += of_a ? 1 : 0;
    j += of_b ? 1 : 0;
    all.push_back({value, passed(a, i) + passed(b, j),
                   (of_a ? a[i - 1].most : ahead(a, i, a_rows)) +
                       (of_b ? b[j - 1].most : ahead(b, j, b_rows))});
  }
  // Points that are closer than need be are dropped.
  const uint64_t step = (a_rows + b_rows) / most_points;
  size_t kept = 0;
  for (size_t i = 0; i < all.size(); ++i) {
    const bool needed = kept == 0 || i + 1 == all.size() ||
                        all[i + 1].most - std::min(all[i + 1].most, all[kept - 1].least) > step;
    if (needed) all[kept++] = all[i];
  }
  all.resize(kept);
  *this = RankSketch();
  points_ = std::move(all);
}

// A bin of rows whose values differ ends with the first row beyond its share. What it is after
// rows that share values is not known, so the next bins may end some rows before or after.
std::vector<RankSketch::Bracket> RankSketch::bin_ends(const std::vector<Point>& points,
                                                      uint64_t max_bins) {
  const auto total = static_cast<double>(points.back().most);
  std::vector<double> ends;
  if (max_bins == 0) {
    ends.push_back(std::ceil(total / 2));
  } else {
    double closed = 0;
    for (uint64_t left = max_bins; left > 1; --left) {
      closed += std::ceil((total - closed) / static_cast<double>(left));
      ends.push_back(closed);
    }
  }
  std::vector<Bracket> found;
  size_t low = 0, high = 0;  // the first points that may be at or beyond the end, or must be
  double slack = 2;
  for (const double end : ends) {
    while (low < points.size() && static_cast<double>(points[low].most) < end - slack) ++low;
    while (high + 1 < points.size() && static_cast<double>(points[high].least) < end + slack) {
      ++high;
    }
    slack += 1.0 / 64;
    const Point before = low == 0 ? Point{-infinite, 0, 0} : points[low - 1];
    const uint64_t rows = points[high].most - before.least;
    if (!found.empty() && !(found.back().high < before.value)) {
      found.back().high = points[high].value;
      found.back().rows += rows;
    } else {
      found.push_back({before.value, points[high].value, rows});
    }
  }
  return found;
}

ColumnQuestion RankSketch::brackets(uint64_t max_bins) const {
  // Of more rows, or of a value that so many rows share, exact counts say more.
  constexpr double most_part = 1.0 / 4;
  const std::vector<Point> all = points();
  ColumnQuestion question;
  if (all.empty() || all.back().most == 0) return question;
  const std::vector<Bracket> found = bin_ends(all, max_bins);
  uint64_t rows = 0, heaviest = 0;
  for (const Bracket& bracket : found) {
    rows += bracket.rows;
    heaviest = std::max(heaviest, bracket.rows);
  }
  const auto total = static_cast<double>(all.back().most);
  const double bin = total / static_cast<double>(std::max<uint64_t>(max_bins, 2));
  if (static_cast<double>(rows) > total * most_part || static_cast<double>(heaviest) > bin) {
    return question;
  }
  question.asked = true;
  question.max_bins = max_bins;
  const auto add = [&](double edge, RangeWork work) {
    question.edges.push_back(edge);
    question.work.push_back(work);
  };
  const bool list = rows <= most_listed_values;
  uint64_t divided = 0;
  for (const Bracket& bracket : found) {
    const bool follows = !question.edges.empty() && question.edges.back() == bracket.low;
    const bool bounded = bracket.low > -infinite && bracket.high < infinite;
    const bool is_light = bracket.rows <= most_listed_values / found.size();
    const bool divide = !list && !is_light && bounded;
    divided += divide ? 1 : 0;
    if (!follows && bracket.low > -infinite) add(bracket.low, RangeWork::count);
    const RangeWork work = divide ? RangeWork::divide : RangeWork::list;
    if (bracket.high < infinite) {
      add(bracket.high, work);
    } else {
      question.work.push_back(work);
    }
  }
  if (question.work.size() == question.edges.size()) question.work.push_back(RangeWork::count);
  question.finer = finer_pieces(divided);
  return question;
}

void RankSketch::write(ByteWriter& out) const {
  out.vector(knots_);
  out.value(steps_);
  out.wholes(counts_);
  out.vector(points_);
}

RankSketch RankSketch::read(ByteReader& in) {
  RankSketch sketch;
  sketch.knots_ = in.vector<double>();
  sketch.steps_ = in.value<uint64_t>();
  sketch.counts_ = in.wholes();
  sketch.points_ = in.vector<Point>();
  return sketch;
}

}  // namespace softwood::cluster

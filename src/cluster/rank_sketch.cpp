#include "cluster/rank_sketch.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
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

// Where these are many, knots are by all of them: the values are in order, and the first ones say
// nothing about the others.
RankSketcher::RankSketcher(std::span<const ValueCount> before) {
  uint64_t rows = 0;
  for (const ValueCount& value : before) rows += value.rows;
  if (rows < most_pending) {
    for (const ValueCount& value : before) pending_.insert(pending_.end(), value.rows, value.value);
    return;
  }
  std::vector<double> sample;
  uint64_t passed = 0;
  for (const ValueCount& value : before) {
    passed += value.rows;
    const auto upto =
        static_cast<size_t>(static_cast<double>(passed) / static_cast<double>(rows) * most_sampled);
    if (sample.size() < upto) sample.resize(upto, value.value);
  }
  choose_steps(std::move(sample), most_ranges);
  for (const ValueCount& value : before) {
    sums_[step_of(value.value)] += static_cast<int64_t>(value.rows);
  }
}

// As few bytes as counts and the values that are listed by them take together. A part that is not
// at its end may have any number of rows.
void RankSketcher::choose_steps() {
  std::vector<double> sample;
  const size_t apart = (pending_.size() + most_sampled - 1) / most_sampled;
  for (size_t i = 0; i < pending_.size(); i += apart) sample.push_back(pending_[i]);
  uint32_t ranges = most_ranges;
  if (pending_.size() < most_pending) {
    const double fewer = std::sqrt(5.0 * most_knots * static_cast<double>(pending_.size()));
    ranges = std::clamp(static_cast<uint32_t>(fewer), fewest_ranges, most_ranges);
  }
  choose_steps(std::move(sample), ranges);
}

// Knots are evenly spaced among the sample.
void RankSketcher::choose_steps(std::vector<double> sample, uint32_t ranges) {
  std::sort(sample.begin(), sample.end());
  for (size_t i = 0; i < most_knots; ++i) {
    knots_.push_back(sample[sample.size() * i / most_knots]);
  }
  knots_.push_back(sample.back());
  knots_.erase(std::unique(knots_.begin(), knots_.end()), knots_.end());
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
  if (values.empty()) return sketch;
  Points points;
  uint64_t rows = 0;
  for (const ValueCount& value : values) {
    rows += value.rows;
    points.push_back({value.value, rows, rows});
  }
  sketch.levels_.push_back(std::move(points));
  return sketch;
}

RankSketch::Points RankSketch::own_points() const {
  Points points;
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

std::vector<RankSketch::Points> RankSketch::levels() const {
  return counts_.empty() ? levels_ : std::vector<Points>{own_points()};
}

RankSketch::Points RankSketch::points() const {
  Points all;
  for (const Points& level : levels()) all = all.empty() ? level : merged(all, level);
  return all;
}

// What one says of the values of the other lies between its points before and after them.
RankSketch::Points RankSketch::merged(const Points& a, const Points& b) {
  Points all;
  all.reserve(a.size() + b.size());
  const auto total = [](const Points& of) { return of.empty() ? 0 : of.back().most; };
  const uint64_t a_rows = total(a), b_rows = total(b);
  // What was passed of one side, and the most rows up to a value between its points.
  const auto passed = [](const Points& of, size_t next) {
    return next == 0 ? 0 : of[next - 1].least;
  };
  const auto ahead = [](const Points& of, size_t next, uint64_t rows) {
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
  return all;
}

// Drops points where those beside them say nearly as much. How little is known of the rows up to
// each does not count: of many parts that is more than what lies between points.
void RankSketch::drop_close(Points& points) {
  if (points.size() <= most_points) return;
  const uint64_t step = 4 * (points.back().most / most_points);
  size_t kept = 0;
  for (size_t i = 0; i < points.size(); ++i) {
    const bool needed = kept == 0 || i + 1 == points.size() ||
                        points[i + 1].most - points[kept - 1].most > step ||
                        points[i + 1].least - points[kept - 1].least > step;
    if (needed) points[kept++] = points[i];
  }
  points.resize(kept);
}

void RankSketch::merge(const RankSketch& other) {
  if (!counts_.empty()) {
    RankSketch own;
    own.levels_.push_back(own_points());
    *this = std::move(own);
  }
  const std::vector<Points> more = other.levels();
  for (size_t level = 0; level < more.size(); ++level) {
    if (!more[level].empty()) raise(more[level], level);
  }
}

void RankSketch::raise(Points points, size_t level) {
  for (; level < levels_.size() && !levels_[level].empty(); ++level) {
    points = merged(levels_[level], points);
    drop_close(points);
    levels_[level].clear();
  }
  if (level >= levels_.size()) levels_.resize(level + 1);
  levels_[level] = std::move(points);
}

// A bin of rows whose values differ ends with the first row beyond its share. What it is after
// rows that share values is not known, so the next bins may end some rows before or after.
std::vector<RankSketch::Bracket> RankSketch::bin_ends(const Points& points, uint64_t max_bins) {
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
  const Points all = points();
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
    const bool bounded = bracket.low > -infinite && bracket.high < infinite;
    const bool is_light = bracket.rows <= most_listed_values / found.size();
    const bool divide = !list && !is_light && bounded;
    divided += divide ? 1 : 0;
    if (bracket.low > -infinite) add(bracket.low, RangeWork::count);
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
  out.value(static_cast<uint64_t>(levels_.size()));
  for (const Points& level : levels_) out.vector(level);
}

RankSketch RankSketch::read(ByteReader& in) {
  RankSketch sketch;
  sketch.knots_ = in.vector<double>();
  sketch.steps_ = in.value<uint64_t>();
  sketch.counts_ = in.wholes();
  const auto levels = in.value<uint64_t>();
  for (uint64_t level = 0; level < levels; ++level) {
    sketch.levels_.push_back(in.vector<Point>());
  }
  sketch.check();
  return sketch;
}

// Bytes of others may hold anything.
void RankSketch::check() const {
  const auto are_ascending = [](const auto& items, const auto& value_of) {
    for (size_t i = 0; i < items.size(); ++i) {
      if (std::isnan(value_of(items[i]))) return false;
      if (i > 0 && !(value_of(items[i - 1]) < value_of(items[i]))) return false;
    }
    return true;
  };
  bool fits = counts_.empty() == knots_.empty() && are_ascending(knots_, std::identity());
  if (fits && !counts_.empty()) {
    const size_t gaps = knots_.size() - 1;
    fits = counts_.size() >= 2 && (gaps == 0 || steps_ <= counts_.size()) &&
           counts_.size() - 2 == gaps * static_cast<size_t>(steps_) &&
           *std::min_element(counts_.begin(), counts_.end()) >= 0;
  }
  for (const Points& level : levels_)
    fits = fits && are_ascending(level, [](const Point& point) { return point.value; });
  if (!fits) throw Error(ErrorKind::failure, "a sketch of ranks that are not in order");
}

}  // namespace softwood::cluster

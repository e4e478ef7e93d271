#include "cluster/quantile_search.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "softwood/error.h"

namespace softwood::cluster {
namespace {

constexpr double infinite = std::numeric_limits<double>::infinity();
// So many that their counts stay in the cache while rows are counted.
constexpr double fewest_ranges = 1024, most_ranges = 16384;
constexpr uint64_t most_divided = 8192, fewest_pieces = 32, most_pieces = 1024;
// After so many rounds all values are listed that a bin may depend on.
constexpr uint64_t last_round = 5;

// Finds the bins of a column, or its median, from one answer, or what to ask next.
class Search {
 public:
  Search(const ColumnQuestion& question, const ColumnAnswer& answer)
      : question_(question), answer_(answer), wanted_(answer.ranges.size(), false) {
    if (answer_.ranges.size() != question_.work.size()) {
      throw Error(ErrorKind::failure, "counts of other ranges than those asked for");
    }
    values_begin_.assign(1, 0);
    for (size_t r = 0; r < answer_.ranges.size(); ++r) {
      const auto after = std::upper_bound(
          answer_.values.begin(), answer_.values.end(), end_of(r),
          [](double edge, const ValueWeight& value) { return edge < value.value; });
      values_begin_.push_back(static_cast<size_t>(after - answer_.values.begin()));
      total_ += answer_.ranges[r].weight;
    }
  }

  ColumnFinding run() {
    const bool found = question_.max_bins == 0 ? search_median() : search_bins();
    if (!found) ask();
    return std::move(finding_);
  }

 private:
  double end_of(size_t range) const {
    return range < question_.edges.size() ? question_.edges[range] : infinite;
  }
  bool is_listed(size_t range) const { return question_.work[range] == RangeWork::list; }
  bool is_known(size_t range) const {
    return is_listed(range) || answer_.ranges[range].is_single();
  }
  // Minus infinity: not known.
  double least_of(size_t range) const {
    return is_listed(range) ? answer_.values[values_begin_[range]].value
                            : answer_.ranges[range].least;
  }
  std::span<const ValueWeight> values_of(size_t range, ValueWeight& one) const {
    if (is_listed(range)) {
      return {answer_.values.data() + values_begin_[range],
              values_begin_[range + 1] - values_begin_[range]};
    }
    one = {answer_.ranges[range].least, answer_.ranges[range].weight};
    return {&one, 1};
  }

  bool search_bins();
  bool search_median();
  struct BinsSoFar {
    double passed = 0, closed = 0;
    size_t left = 0;
  };
  void want_ends(size_t from, BinsSoFar so_far);
  bool is_last_round() const { return question_.rounds + 1 >= last_round; }
  void ask();

  const ColumnQuestion& question_;  // expanded
  const ColumnAnswer& answer_;
  std::vector<bool> wanted_;
  std::vector<size_t> values_begin_;  // of each range in the answer's values
  double total_ = 0;
  ColumnFinding finding_;
};

bool Search::search_bins() {
  // Where all values are known, they may be fewer than bins.
  size_t values = 0;
  bool all_known = true;
  for (size_t r = 0; r < answer_.ranges.size(); ++r) {
    if (answer_.ranges[r].rows == 0) continue;
    all_known = all_known && is_known(r);
    values += is_listed(r) ? values_begin_[r + 1] - values_begin_[r] : 1;
  }
  const size_t bins = question_.max_bins;
  BinCloser closer(total_, bins, !all_known || values > bins);
  ValueWeight one{};
  for (size_t r = 0; r < answer_.ranges.size(); ++r) {
    const RangeCount& range = answer_.ranges[r];
    if (range.rows == 0) continue;
    const bool hidden_end = closer.ends_bin() && least_of(r) == -infinite;
    if (!hidden_end) {
      closer.before(least_of(r));
      if (closer.may_skip(range.weight)) {
        closer.skip(range.weight);
        continue;
      }
    }
    if (hidden_end || !is_known(r)) {
      want_ends(r, {closer.passed(), closer.closed(), closer.left()});
      return false;
    }
    wanted_[r] = true;  // if there is another round: a bin may end here
    const std::span<const ValueWeight> own = values_of(r, one);
    for (size_t i = 0; i < own.size(); ++i) {
      if (i > 0) closer.before(own[i].value);
      closer.pass(own[i].value, own[i].weight);
    }
  }
  finding_.bins = closer.take();
  return true;
}

// The range from which on values are not known, and those where the bins after it will probably
// end. In a range of less than a share that is a row beyond it at most; a heavier one has one value
// that nearly all of its rows share, and the bin ends with it.
void Search::want_ends(size_t from, BinsSoFar so_far) {
  for (size_t r = from; r < answer_.ranges.size(); ++r) {
    wanted_[r] = is_listed(r) || (is_last_round() && answer_.ranges[r].rows > 0);
  }
  uint64_t rows = 0;
  for (const RangeCount& range : answer_.ranges) rows += range.rows;
  const double row = total_ / static_cast<double>(rows);
  double slack = 2 * row, light = 0;
  double& passed = so_far.passed;
  double& closed = so_far.closed;
  size_t& left = so_far.left;
  const auto share = [&] { return (total_ - closed) / static_cast<double>(left); };
  // Where rows weigh 1 and values differ, the bin ends with the first row beyond its share.
  const bool plain = row == 1;
  const auto end_beyond_share = [&] {
    closed += plain ? std::ceil(share()) : share() + row / 2;
    --left;
    slack += plain ? row / 8 : row / 2;
  };
  ValueWeight one{};
  for (size_t r = from; r < answer_.ranges.size() && left > 1; ++r) {
    const RangeCount& range = answer_.ranges[r];
    if (range.rows == 0) continue;
    const double after = passed + range.weight;
    if (closed + share() - slack <= after) wanted_[r] = true;
    if (is_known(r)) {
      for (const ValueWeight& value : values_of(r, one)) {
        const double before = passed, end = closed + share();
        passed += value.weight;
        if (left == 1 || !(end + slack < passed)) continue;
        if (before < end - slack) {  // with this value, then, whatever was before
          closed = passed;
          --left;
          slack = 2 * row;
        } else {
          end_beyond_share();
        }
      }
    } else if (range.weight >= share()) {
      // The other rows of the range may be in the bin or in the next one.
      constexpr double most_slack = 1.0 / 128;
      slack = std::max(slack, std::min(slack + light, share() * most_slack));
      closed = after;
      --left;
    } else {
      light = range.weight;
      if (closed + share() + slack < after) end_beyond_share();
    }
    passed = after;
  }
  wanted_[from] = true;
}

bool Search::search_median() {
  double below = 0;
  ValueWeight one{};
  for (size_t r = 0; r < answer_.ranges.size(); ++r) {
    const RangeCount& range = answer_.ranges[r];
    if (range.rows == 0) continue;
    if (2 * (below + range.weight) < total_) {
      below += range.weight;
      continue;
    }
    if (!is_known(r)) {
      wanted_[r] = true;
      return false;
    }
    for (const ValueWeight& value : values_of(r, one)) {
      below += value.weight;
      finding_.median = value.value;
      if (2 * below >= total_) break;
    }
    return true;
  }
  return true;
}

// Edges around the ranges that are wanted. Where these hold many rows the heaviest are divided
// instead of listed.
void Search::ask() {
  uint64_t listed = 0, ranges = 0;
  const auto rows_of = [&](size_t r) -> uint64_t {
    if (is_listed(r)) return values_begin_[r + 1] - values_begin_[r];
    return is_known(r) ? 1 : answer_.ranges[r].rows;
  };
  for (size_t r = 0; r < wanted_.size(); ++r) {
    if (!wanted_[r]) continue;
    listed += rows_of(r);
    ++ranges;
  }
  const bool list = listed <= most_listed_values || is_last_round();
  for (size_t r = 0; r < wanted_.size(); ++r) {
    const bool is_last = r + 1 == wanted_.size();
    if (!is_last && !wanted_[r] && !wanted_[r + 1]) continue;
    RangeWork work = RangeWork::count;
    if (wanted_[r]) {
      const bool bounded = r > 0 && !is_last;
      const bool is_light = is_known(r) || rows_of(r) <= most_listed_values / ranges;
      work = list || is_light || !bounded ? RangeWork::list : RangeWork::divide;
    }
    finding_.next.push_back({r, work});
  }
}

}  // namespace

uint64_t finer_pieces(uint64_t divided) {
  return std::clamp(most_divided / std::max<uint64_t>(divided, 1), fewest_pieces, most_pieces);
}

ColumnFinding search_quantiles(const ColumnQuestion& question, const ColumnAnswer& answer) {
  const ColumnQuestion asked = question.expanded();
  return Search(asked, answer).run();
}

ColumnQuestion ColumnQuestion::first(std::span<const double> knots, double least, double largest,
                                     uint64_t rows, size_t parts, size_t max_bins) {
  ColumnQuestion question;
  question.asked = true;
  question.max_bins = max_bins;
  const auto add = [&](double edge, RangeWork what) {
    if (!question.edges.empty() && !(question.edges.back() < edge)) return;
    question.edges.push_back(edge);
    question.work.push_back(what);
  };
  if (least <= largest) {
    add(least, RangeWork::count);
    for (const double knot : knots) add(knot, RangeWork::divide);
    add(largest, RangeWork::divide);
  }
  question.work.push_back(RangeWork::count);
  // Every part sends a byte or two per range, and all of them together some five bytes for each
  // value in the ranges where bins end: the fewest bytes in all.
  const double per_part = static_cast<double>(rows) / static_cast<double>(parts);
  const double values = 5 * static_cast<double>(std::max<size_t>(max_bins, 2) - 1);
  const double ranges = std::clamp(std::sqrt(values * per_part), fewest_ranges, most_ranges);
  const auto divided = static_cast<double>(std::max<size_t>(question.edges.size(), 2) - 1);
  question.finer = static_cast<uint64_t>(std::ceil(ranges / divided));
  return question;
}

ColumnQuestion ColumnQuestion::expanded() const {
  ColumnQuestion all = *this;
  all.edges.clear();
  all.work.clear();
  const auto pieces = static_cast<double>(finer);
  for (size_t r = 0; r < work.size(); ++r) {
    const bool divide = work[r] == RangeWork::divide;
    for (uint64_t i = 1; divide && i < finer; ++i) {
      const double low = edges[r - 1], high = edges[r];
      const double edge =
          low / pieces * static_cast<double>(finer - i) + high / pieces * static_cast<double>(i);
      if (!(edge > all.edges.back() && edge < high)) continue;
      all.edges.push_back(edge);
      all.work.push_back(RangeWork::count);
    }
    if (r < edges.size()) all.edges.push_back(edges[r]);
    all.work.push_back(divide ? RangeWork::count : work[r]);
  }
  return all;
}

void ColumnQuestion::write(ByteWriter& out) const {
  out.value(asked);
  if (!asked) return;
  out.value(max_bins);
  out.value(rounds);
  out.value(finer);
  out.vector(edges);
  out.vector(work);
}

ColumnQuestion ColumnQuestion::read(ByteReader& in) {
  ColumnQuestion question;
  question.asked = in.value<bool>();
  if (!question.asked) return question;
  question.max_bins = in.value<uint64_t>();
  question.rounds = in.value<uint64_t>();
  question.finer = in.value<uint64_t>();
  question.edges = in.vector<double>();
  question.work = in.vector<RangeWork>();
  const size_t ranges = question.work.size();
  if (ranges != question.edges.size() + 1 || static_cast<double>(question.finer) > most_ranges ||
      question.work.front() == RangeWork::divide || question.work.back() == RangeWork::divide) {
    throw Error(ErrorKind::failure, "a question about ranges that are not there");
  }
  return question;
}

void CountQuestion::write(ByteWriter& out) const {
  out.value(weight_unit);
  out.value(static_cast<uint64_t>(columns.size()));
  for (const ColumnQuestion& column : columns) column.write(out);
}

CountQuestion CountQuestion::read(ByteReader& in) {
  CountQuestion question;
  question.weight_unit = in.value<double>();
  for (auto count = in.value<uint64_t>(); count > 0; --count) {
    question.columns.push_back(ColumnQuestion::read(in));
  }
  return question;
}

bool CountQuestion::any() const {
  return std::any_of(columns.begin(), columns.end(),
                     [](const ColumnQuestion& column) { return column.asked; });
}

ColumnQuestion ColumnFinding::question_after(const ColumnQuestion& before) const {
  ColumnQuestion question;
  if (next.empty()) return question;
  const ColumnQuestion all = before.expanded();
  question.asked = true;
  question.max_bins = before.max_bins;
  question.rounds = before.rounds + 1;
  const auto divided =
      static_cast<uint64_t>(std::count_if(next.begin(), next.end(), [](const NextRange& range) {
        return range.work == RangeWork::divide;
      }));
  question.finer = finer_pieces(divided);
  for (const NextRange& range : next) {
    question.work.push_back(range.work);
    if (&range != &next.back()) question.edges.push_back(all.edges.at(range.last));
  }
  return question;
}

// One number for each range: how far it goes, and its work.
void ColumnFinding::write(ByteWriter& out) const {
  std::vector<int64_t> ranges;
  uint64_t last = 0;
  for (const NextRange& range : next) {
    ranges.push_back(
        static_cast<int64_t>((range.last - last) * 3 + static_cast<uint64_t>(range.work)));
    last = range.last;
  }
  out.wholes(ranges);
  out.value(bins.bins);
  out.vector(bins.cuts);
  out.value(median);
}

ColumnFinding ColumnFinding::read(ByteReader& in) {
  ColumnFinding finding;
  uint64_t last = 0;
  for (const int64_t range : in.wholes()) {
    last += static_cast<uint64_t>(range) / 3;
    finding.next.push_back({last, static_cast<RangeWork>(static_cast<uint64_t>(range) % 3)});
  }
  finding.bins.bins = in.value<uint32_t>();
  finding.bins.cuts = in.vector<double>();
  finding.median = in.value<double>();
  return finding;
}

}  // namespace softwood::cluster

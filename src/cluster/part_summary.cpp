#include "cluster/part_summary.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <iterator>
#include <limits>
#include <numeric>

#include "base/random.h"
#include "base/text.h"
#include "cluster/node_search.h"
#include "data/convert.h"
#include "data/readers/fault.h"
#include "softwood/error.h"

namespace softwood::cluster {
namespace {

constexpr size_t part_sample = 2048, whole_sample = 16384, most_knots = 256;

void write_names(ByteWriter& out, const std::vector<std::string>& names) {
  out.value(static_cast<uint64_t>(names.size()));
  for (const std::string& name : names) out.text(name);
}

std::vector<std::string> read_names(ByteReader& in) {
  std::vector<std::string> names;
  for (auto count = in.value<uint64_t>(); count > 0; --count) names.push_back(in.text());
  return names;
}

bool contains(const std::vector<std::string>& names, const std::string& name) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

uint64_t hash_of(const std::string& level) {
  uint64_t hash = level.size();
  for (const char letter : level) hash = mix64(hash ^ static_cast<unsigned char>(letter));
  return hash;
}

void thin_out(std::vector<double>& sample, size_t most) {
  while (sample.size() > most) {
    size_t kept = 0;
    for (size_t i = 0; i < sample.size(); i += 2) sample[kept++] = sample[i];
    sample.resize(kept);
  }
}

}  // namespace

void ColumnRoles::write(ByteWriter& out) const {
  out.text(target);
  out.text(weights);
  write_names(out, nominal);
  write_names(out, ignore);
  out.text(positive);
  out.value(static_cast<uint8_t>(!task ? 0 : *task == Task::classification ? 1 : 2));
}

ColumnRoles ColumnRoles::read(ByteReader& in) {
  ColumnRoles roles;
  roles.target = in.text();
  roles.weights = in.text();
  roles.nominal = read_names(in);
  roles.ignore = read_names(in);
  roles.positive = in.text();
  const auto task = in.value<uint8_t>();
  if (task > 0) roles.task = task == 1 ? Task::classification : Task::regression;
  return roles;
}

void SummaryColumn::merge(const SummaryColumn& other) {
  if (name != other.name || nominal != other.nominal) {
    throw Error(ErrorKind::data,
                "column " + shown(name) + " is not of one type in all parts of the data");
  }
  missing += other.missing;
  too_many_levels = too_many_levels || other.too_many_levels;
  for (const auto& [level, rows] : other.levels) count(level, rows);
  limit_levels();
  is_target = is_target || other.is_target;
  if (many_values || other.many_values) {
    // Where one has none of its many values, the other says nothing about all.
    const bool any = !(has_no_ranks() || other.has_no_ranks());
    if (any) {
      if (!many_values) sketch = RankSketch::of_values(counts());
      sketch.merge(other.many_values ? other.sketch : RankSketch::of_values(other.counts()));
    } else {
      sketch = RankSketch();
    }
    many_values = true;
    values.clear();
  } else {
    for (const auto& [value, rows] : other.values) values[value] += rows;
    if (values.size() > most_values) {
      sketch = RankSketch::of_values(counts());
      many_values = true;
      values.clear();
    }
  }
  least = std::fmin(least, other.least);
  largest = std::fmax(largest, other.largest);
  whole = whole && other.whole;
  sample.insert(sample.end(), other.sample.begin(), other.sample.end());
  thin_out(sample, whole_sample);
}

void SummaryColumn::count(const std::string& level, const LevelRows& rows) {
  if (largest_hash_ < UINT64_MAX && hash_of(level) > largest_hash_) return;
  LevelRows& own = levels[level];
  own.all += rows.all;
  own.kept += rows.kept;
}

// Which levels stay depends on no order: one that is dropped has a hash above that of all that
// stay, here and wherever this is merged.
void SummaryColumn::limit_levels() {
  if (!too_many_levels && levels.size() <= most_levels) return;
  too_many_levels = true;
  if (levels.size() <= listed_levels) return;
  std::vector<uint64_t> hashes;
  for (const auto& [level, rows] : levels) hashes.push_back(hash_of(level));
  const auto last = hashes.begin() + listed_levels - 1;
  std::nth_element(hashes.begin(), last, hashes.end());
  largest_hash_ = *last;
  std::erase_if(levels, [&](const auto& item) { return hash_of(item.first) > largest_hash_; });
}

void SummaryColumn::condense(uint64_t max_bins) {
  brackets = sketch.brackets(is_target ? 0 : max_bins);
  sketch = RankSketch();
  if (brackets.asked) sample.clear();
  std::sort(sample.begin(), sample.end());
  if (sample.size() <= most_knots) return;
  std::vector<double> knots;
  for (size_t i = 0; i < most_knots; ++i) knots.push_back(sample[sample.size() * i / most_knots]);
  sample = std::move(knots);
}

std::vector<ValueCount> SummaryColumn::counts() const {
  std::vector<ValueCount> counts;
  for (const auto& [value, rows] : values) counts.push_back({value, rows});
  std::sort(counts.begin(), counts.end(),
            [](const ValueCount& a, const ValueCount& b) { return a.value < b.value; });
  return counts;
}

void SummaryColumn::write(ByteWriter& out) const {
  out.text(name);
  out.value(nominal);
  out.value(missing);
  out.value(static_cast<uint64_t>(levels.size()));
  for (const auto& [level, rows] : levels) {
    out.text(level);
    out.value(rows);
  }
  out.value(too_many_levels);
  out.vector(counts());
  out.value(many_values);
  out.value(least);
  out.value(largest);
  out.value(whole);
  out.vector(sample);
  sketch.write(out);
  out.value(is_target);
  brackets.write(out);
}

SummaryColumn SummaryColumn::read(ByteReader& in) {
  SummaryColumn column;
  column.name = in.text();
  column.nominal = in.value<bool>();
  column.missing = in.value<uint64_t>();
  for (auto count = in.value<uint64_t>(); count > 0; --count) {
    std::string level = in.text();
    column.levels[std::move(level)] = in.value<LevelRows>();
  }
  column.too_many_levels = in.value<bool>();
  for (const ValueCount& count : in.vector<ValueCount>()) column.values[count.value] = count.rows;
  column.many_values = in.value<bool>();
  column.least = in.value<double>();
  column.largest = in.value<double>();
  column.whole = in.value<bool>();
  column.sample = in.vector<double>();
  column.sketch = RankSketch::read(in);
  column.is_target = in.value<bool>();
  column.brackets = ColumnQuestion::read(in);
  return column;
}

size_t PartSummary::target_of(const Frame& frame) const {
  size_t last = frame.columns.size() - 1;
  if (!roles_.target.empty()) {
    for (size_t c = 0; c < frame.columns.size(); ++c) {
      if (frame.columns[c].name == roles_.target) return c;
    }
    throw Error(ErrorKind::data, "there is no column " + shown(roles_.target) + " for the target");
  }
  while (last > 0 && (frame.columns[last].name == roles_.weights ||
                      contains(roles_.ignore, frame.columns[last].name))) {
    --last;
  }
  return last;
}

void PartSummary::add_weights(const Frame& frame, std::span<const RowIndex> known) {
  const FrameColumn* const column = roles_.weights.empty() ? nullptr : frame.find(roles_.weights);
  if (column == nullptr) {
    for (size_t i = 0; i < known.size(); ++i) weight.add(1);
    return;
  }
  const char* const hint = "weights are finite numbers that are not negative";
  const std::string where = "column " + shown(column->name);
  for (const RowIndex row : known) {
    if (column->cells.is_missing(row)) {
      throw Error(ErrorKind::data, "the weight is missing", where, hint);
    }
    if (column->cells.kind != Kind::numeric) {
      throw Error(ErrorKind::data, "the column of weights " + shown(column->name) + " is nominal",
                  {}, hint);
    }
    const double own = column->cells.numbers[row];
    if (own < 0) throw Error(ErrorKind::data, number_text(own) + " is no weight", where, hint);
    weight.add(own);
    whole_weights = whole_weights && own == std::floor(own);
  }
}

bool SummaryColumn::count_value(double value) {
  whole = whole && value == std::floor(value);
  ++values[value];
  many_values = values.size() > most_values;
  return !many_values;
}

void PartSummary::add_numbers(size_t place, const Column& cells, std::span<const RowIndex> known) {
  SummaryColumn& column = columns[place];
  std::optional<RankSketcher>& sketcher = sketchers_[place];
  constexpr double infinite = std::numeric_limits<double>::infinity();
  const double* const numbers = cells.numbers.data();
  size_t next = 0;
  for (; next < known.size() && !column.many_values; ++next) {
    const double value = numbers[known[next]] + 0.0;  // -0 is 0
    if (std::isnan(value) || column.count_value(value)) continue;
    if (sketched_) sketcher.emplace(column.counts());
    column.values.clear();
  }
  if (sketcher) {
    for (; next < known.size(); ++next) {
      const double value = numbers[known[next]] + 0.0;
      if (!std::isnan(value)) sketcher->add(value);
    }
  }
  // Several rows at a time, so that none waits for the one before.
  constexpr size_t together = 4;
  std::array<double, together> least{}, largest{};
  least.fill(infinite);
  largest.fill(-infinite);
  uint64_t missing = 0;
  const auto add = [&](size_t i, size_t lane) {
    const double value = numbers[known[i]];
    least[lane] = value < least[lane] ? value : least[lane];
    largest[lane] = largest[lane] < value ? value : largest[lane];
    missing += std::isnan(value) ? 1 : 0;
  };
  size_t i = 0;
  for (; i + together <= known.size(); i += together) {
    for (size_t lane = 0; lane < together; ++lane) add(i + lane, lane);
  }
  for (; i < known.size(); ++i) add(i, 0);
  column.missing += missing;
  if (missing < known.size()) {
    column.least = std::fmin(column.least, *std::min_element(least.begin(), least.end()) + 0.0);
    column.largest =
        std::fmax(column.largest, *std::max_element(largest.begin(), largest.end()) + 0.0);
  }
  for (i = 0; i < known.size(); i += step_) {
    const double value = numbers[known[i]];
    if (!std::isnan(value)) column.sample.push_back(value + 0.0);
  }
}

void PartSummary::add_levels(SummaryColumn& column, const FrameColumn& from,
                             std::span<const RowIndex> known) {
  std::vector<SummaryColumn::LevelRows> counts(from.levels.size());
  for (size_t row = 0; row < from.cells.codes.size(); ++row) {
    const int32_t code = from.cells.codes[row];
    if (code >= 0) ++counts[static_cast<size_t>(code)].all;
  }
  for (const RowIndex row : known) {
    const int32_t code = from.cells.codes[row];
    if (code < 0) {
      ++column.missing;
    } else {
      ++counts[static_cast<size_t>(code)].kept;
    }
  }
  for (size_t i = 0; i < counts.size(); ++i) column.count(from.levels[i], counts[i]);
  column.limit_levels();
}

void PartSummary::add(const Frame& frame) {
  if (frame.columns.empty()) throw Error(ErrorKind::data, "there are no columns");
  if (columns.empty()) {
    for (const FrameColumn& column : frame.columns) {
      SummaryColumn own;
      own.name = column.name;
      own.nominal = column.cells.kind != Kind::numeric;
      columns.push_back(std::move(own));
    }
  }
  const size_t target = target_of(frame);
  sketchers_.resize(columns.size());
  columns[target].is_target = true;
  const FrameColumn* const weights = roles_.weights.empty() ? nullptr : frame.find(roles_.weights);
  std::vector<RowIndex> all(frame.rows), kept_rows, weighing_rows;
  std::iota(all.begin(), all.end(), RowIndex{0});
  for (RowIndex row = 0; row < frame.rows; ++row) {
    if (frame.columns[target].cells.is_missing(row)) continue;
    kept_rows.push_back(row);
  }
  add_weights(frame, kept_rows);
  for (const RowIndex row : kept_rows) {
    if (weights == nullptr || weights->cells.numbers[row] > 0) weighing_rows.push_back(row);
  }
  rows += frame.rows;
  kept += kept_rows.size();
  weighing += weighing_rows.size();
  while (weighing / step_ > part_sample) {
    step_ *= 2;
    for (SummaryColumn& column : columns) thin_out(column.sample, column.sample.size() / 2 + 1);
  }
  for (size_t c = 0; c < columns.size(); ++c) {
    const FrameColumn& from = frame.columns[c];
    if (columns[c].nominal) {
      add_levels(columns[c], from, kept_rows);
    } else if (c == target) {
      add_numbers(c, from.cells, kept_rows);
    } else {
      // Numbers that become levels are levels in whatever row they are, as texts are.
      const bool levels = contains(roles_.nominal, columns[c].name);
      add_numbers(c, from.cells, levels ? all : weighing_rows);
    }
  }
}

void PartSummary::end() {
  for (size_t c = 0; c < sketchers_.size(); ++c) {
    if (sketchers_[c]) columns[c].sketch = sketchers_[c]->take();
  }
  sketchers_.clear();
}

void PartSummary::merge(const PartSummary& other) {
  if (other.rows == 0) return;
  if (rows == 0) {
    *this = other;
    return;
  }
  if (columns.size() != other.columns.size()) {
    throw Error(ErrorKind::failure, "summaries of different tables can't be merged");
  }
  rows += other.rows;
  kept += other.kept;
  weighing += other.weighing;
  weight.merge(other.weight);
  whole_weights = whole_weights && other.whole_weights;
  for (size_t c = 0; c < columns.size(); ++c) columns[c].merge(other.columns[c]);
}

std::vector<PartSummary> PartSummary::pieces(size_t count) const {
  PartSummary rest = *this;
  rest.columns.clear();
  std::vector<PartSummary> all(count, rest);
  for (size_t p = 0; p < count; ++p) {
    const grow::InputRange own = piece_of(columns.size(), p, count);
    all[p].columns.assign(columns.begin() + static_cast<std::ptrdiff_t>(own.begin),
                          columns.begin() + static_cast<std::ptrdiff_t>(own.end));
  }
  return all;
}

void PartSummary::append(PartSummary more) {
  std::move(more.columns.begin(), more.columns.end(), std::back_inserter(columns));
}

void PartSummary::write(ByteWriter& out) const {
  roles_.write(out);
  out.value(rows);
  out.value(kept);
  out.value(weighing);
  out.value(static_cast<uint64_t>(columns.size()));
  for (const SummaryColumn& column : columns) column.write(out);
  weight.write(out);
  out.value(whole_weights);
}

PartSummary PartSummary::read(ByteReader& in) {
  PartSummary summary(ColumnRoles::read(in));
  summary.rows = in.value<uint64_t>();
  summary.kept = in.value<uint64_t>();
  summary.weighing = in.value<uint64_t>();
  for (auto count = in.value<uint64_t>(); count > 0; --count) {
    summary.columns.push_back(SummaryColumn::read(in));
  }
  summary.weight = ExactSum::read(in);
  summary.whole_weights = in.value<bool>();
  return summary;
}

const SummaryColumn* PartSummary::find(const std::string& name) const {
  const auto found = std::find_if(columns.begin(), columns.end(),
                                  [&](const SummaryColumn& column) { return column.name == name; });
  return found == columns.end() ? nullptr : &*found;
}

}  // namespace softwood::cluster

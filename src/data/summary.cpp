#include "data/summary.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <utility>

#include "data/sorted.h"
#include "softwood/error.h"

namespace softwood {
namespace {

constexpr ByteForm summary_form{{'S', 'W', 'T', 'S'}, 2, "a summary of a table"};
constexpr int least_exponent = -1074;  // of the last bit of any double

// Adds the counts of equal keys; both are ascending.
template <class Count, class Key>
std::vector<Count> merged_counts(const std::vector<Count>& a, const std::vector<Count>& b,
                                 const Key& key) {
  std::vector<Count> all;
  all.reserve(a.size() + b.size());
  std::merge(a.begin(), a.end(), b.begin(), b.end(), std::back_inserter(all),
             [&](const Count& x, const Count& y) { return key(x) < key(y); });
  size_t kept = 0;
  for (size_t i = 0; i < all.size(); ++i) {
    if (kept > 0 && key(all[kept - 1]) == key(all[i])) {
      all[kept - 1].rows += all[i].rows;
    } else {
      if (kept != i) all[kept] = std::move(all[i]);
      ++kept;
    }
  }
  all.resize(kept);
  return all;
}

bool is_whole(double value) { return value == std::floor(value); }

double value_of(const ValueCount& count) { return count.value; }
const std::string& name_of(const LevelCount& count) { return count.name; }

}  // namespace

void ExactSum::add(double value) {
  int exponent = 0;
  const double fraction = std::frexp(value, &exponent);
  // value = mantissa * 2^(exponent - 53); the lowest bits of small numbers are 0.
  auto mantissa = static_cast<int64_t>(std::ldexp(fraction, 53));
  int shift = exponent - 53 - least_exponent;
  if (shift < 0) {
    mantissa >>= -shift;
    shift = 0;
  }
  // The 53 bits, moved up by less than a digit, lie in three digits.
  const int64_t sign = mantissa < 0 ? -1 : 1;
  const auto size = static_cast<uint64_t>(sign * mantissa);
  const unsigned up = static_cast<unsigned>(shift) % digit_bits;
  const uint64_t low = (size & 0xFFFFFFFFU) << up, high = (size >> digit_bits) << up;
  const uint64_t middle = (low >> digit_bits) + (high & 0xFFFFFFFFU);
  int64_t* const digit = &digits_[static_cast<size_t>(shift) / digit_bits];
  digit[0] += sign * static_cast<int64_t>(low & 0xFFFFFFFFU);
  digit[1] += sign * static_cast<int64_t>(middle & 0xFFFFFFFFU);
  digit[2] += sign * static_cast<int64_t>((high >> digit_bits) + (middle >> digit_bits));
}

ExactSum::Digits ExactSum::normalised() const {
  Digits whole = digits_;
  for (size_t i = 0; i + 1 < digits; ++i) {
    const int64_t carry = whole[i] >> digit_bits;  // rounded down, also of a negative one
    whole[i] -= carry * (int64_t{1} << digit_bits);
    whole[i + 1] += carry;
  }
  return whole;
}

void ExactSum::merge(const ExactSum& other) {
  digits_ = normalised();
  const Digits more = other.normalised();
  for (size_t i = 0; i < digits; ++i) digits_[i] += more[i];
}

double ExactSum::value() const {
  const Digits whole = normalised();
  if (whole.back() < 0) {  // the digits of a negative sum do not add up without overflow
    ExactSum negated;
    for (size_t i = 0; i < digits; ++i) negated.digits_[i] = -whole[i];
    return -negated.value();
  }
  double sum = 0;
  for (size_t i = digits; i-- > 0;) {
    sum += std::ldexp(static_cast<double>(whole[i]),
                      static_cast<int>(i * digit_bits) + least_exponent);
  }
  return sum;
}

void ExactSum::write(ByteWriter& out) const { out.value(normalised()); }

ExactSum ExactSum::read(ByteReader& in) {
  ExactSum sum;
  sum.digits_ = in.value<Digits>();
  return sum;
}

std::vector<ValueCount> count_values(const Column& column, std::span<const RowIndex> rows,
                                     const Control& control) {
  std::vector<double> numbers;
  for (const RowIndex row : rows) {
    if (!column.is_missing(row)) numbers.push_back(column.value(row) + 0.0);
  }
  const Column part{Kind::numeric, std::move(numbers), {}, 0};
  SortSpace space;
  const SortedColumn sorted = sort_column(part, space, control);
  std::vector<ValueCount> counts;
  for (const uint32_t entry : sorted.order) {
    if ((entry & new_value_mark) != 0) {
      counts.push_back({part.numbers[entry & ~new_value_mark], 0});
    }
    ++counts.back().rows;
  }
  return counts;
}

double ColumnSummary::bracket_of(double value) {
  constexpr unsigned kept_fraction_bits = 4, fraction_bits = 52;
  constexpr uint64_t dropped = (uint64_t{1} << (fraction_bits - kept_fraction_bits)) - 1;
  const auto bits = std::bit_cast<uint64_t>(value);
  if (value >= 0) return std::bit_cast<double>(bits & ~dropped);
  // Below zero the lowest value of a bracket is the one of the largest size.
  return std::bit_cast<double>(bits | dropped);
}

void ColumnSummary::count_by_bracket() {
  by_bracket = true;
  std::vector<ValueCount> brackets;
  for (const ValueCount& count : values) {
    const double bracket = bracket_of(count.value);
    if (brackets.empty() || brackets.back().value != bracket) brackets.push_back({bracket, 0});
    brackets.back().rows += count.rows;
  }
  values = std::move(brackets);
}

ColumnSummary summarise(const Column& column, const Feature& feature,
                        std::span<const RowIndex> rows, const Control& control) {
  ColumnSummary summary;
  summary.name = feature.name;
  summary.kind = feature.kind;
  for (const RowIndex row : rows) summary.missing += column.is_missing(row) ? 1 : 0;
  if (feature.kind == Kind::numeric) {
    summary.values = count_values(column, rows, control);
    if (summary.values.empty()) return summary;
    summary.least = summary.values.front().value;
    summary.largest = summary.values.back().value;
    if (summary.values.size() > ColumnSummary::most_values) summary.count_by_bracket();
    return summary;
  }
  for (const std::string& level : feature.levels) summary.levels.push_back({level, 0});
  for (const RowIndex row : rows) {
    if (!column.is_missing(row)) ++summary.levels[static_cast<size_t>(column.codes[row])].rows;
  }
  std::sort(summary.levels.begin(), summary.levels.end(),
            [](const LevelCount& a, const LevelCount& b) { return a.name < b.name; });
  return summary;
}

void ColumnSummary::merge(const ColumnSummary& other) {
  if (name != other.name || kind != other.kind) {
    throw Error(ErrorKind::data, "summaries of different columns can't be merged", {},
                "summarise parts of one table");
  }
  missing += other.missing;
  levels = merged_counts(levels, other.levels, name_of);
  least = std::fmin(least, other.least);  // NaN gives way
  largest = std::fmax(largest, other.largest);
  // Whatever the order of merging: by value while all rows together have few, else by bracket.
  ColumnSummary more = other;
  if (by_bracket && !more.by_bracket) more.count_by_bracket();
  if (!by_bracket && more.by_bracket) count_by_bracket();
  values = merged_counts(values, more.values, value_of);
  if (!by_bracket && values.size() > most_values) count_by_bracket();
}

void ColumnSummary::write(ByteWriter& out) const {
  out.text(name);
  out.value(kind);
  out.value(missing);
  out.value(static_cast<uint64_t>(levels.size()));
  for (const LevelCount& level : levels) {
    out.text(level.name);
    out.value(level.rows);
  }
  out.value(least);
  out.value(largest);
  out.value(static_cast<uint8_t>(by_bracket));
  out.vector(values);
}

ColumnSummary ColumnSummary::read(ByteReader& in) {
  ColumnSummary summary;
  summary.name = in.text();
  summary.kind = in.value<Kind>();
  if (summary.kind > Kind::ordinal) throw Error(ErrorKind::failure, "a column of no known kind");
  summary.missing = in.value<uint64_t>();
  for (auto count = in.value<uint64_t>(); count > 0; --count) {
    std::string name = in.text();
    summary.levels.push_back({std::move(name), in.value<uint64_t>()});
  }
  summary.least = in.value<double>();
  summary.largest = in.value<double>();
  summary.by_bracket = in.value<uint8_t>() != 0;
  summary.values = in.vector<ValueCount>();
  return summary;
}

TableSummary summarise(const Table& table, std::span<const RowIndex> rows, const Parallel& parallel,
                       const Control& control) {
  TableSummary summary;
  summary.rows = rows.size();
  summary.inputs.resize(table.features());
  const Schema& schema = table.schema();
  parallel.each(table.features(), [&](size_t f) {
    control.throw_if_interrupted();
    summary.inputs[f] = summarise(table.input(f), schema.features[f], rows, control);
  });
  if (table.has_target()) summary.target = summarise(table.target(), schema.target, rows, control);
  const bool numbers = table.has_target() && schema.task() == Task::regression;
  for (const RowIndex row : rows) {
    summary.weight.add(table.weight(row));
    summary.whole_weights = summary.whole_weights && is_whole(table.weight(row));
    if (numbers) summary.target_sum.add(table.weight(row) * table.target().numbers[row]);
  }
  return summary;
}

void TableSummary::merge(const TableSummary& other) {
  if (inputs.size() != other.inputs.size()) {
    throw Error(ErrorKind::data, "summaries of different tables can't be merged", {},
                "summarise parts of one table");
  }
  rows += other.rows;
  for (size_t f = 0; f < inputs.size(); ++f) inputs[f].merge(other.inputs[f]);
  target.merge(other.target);
  weight.merge(other.weight);
  target_sum.merge(other.target_sum);
  whole_weights = whole_weights && other.whole_weights;
}

Bytes TableSummary::to_bytes() const {
  ByteWriter out;
  out.form(summary_form);
  out.value(rows);
  out.value(static_cast<uint64_t>(inputs.size()));
  for (const ColumnSummary& input : inputs) input.write(out);
  target.write(out);
  weight.write(out);
  target_sum.write(out);
  out.value(static_cast<uint8_t>(whole_weights));
  return out.take();
}

TableSummary TableSummary::from_bytes(const Bytes& bytes) {
  ByteReader in(bytes);
  in.form(summary_form);
  TableSummary summary;
  summary.rows = in.value<uint64_t>();
  for (auto count = in.value<uint64_t>(); count > 0; --count) {
    summary.inputs.push_back(ColumnSummary::read(in));
  }
  summary.target = ColumnSummary::read(in);
  summary.weight = ExactSum::read(in);
  summary.target_sum = ExactSum::read(in);
  summary.whole_weights = in.value<uint8_t>() != 0;
  in.end();
  return summary;
}

AmountSummary summarise_amounts(const Table& table, std::span<const RowIndex> rows, double centre,
                                const Control& control) {
  AmountSummary summary;
  RowsUntilAsk until_ask;
  for (const RowIndex row : rows) {
    until_ask.add(1, control);
    summary.add(table.target().numbers[row], table.weight(row), centre);
  }
  return summary;
}

void AmountSummary::add(double target, double weight, double centre) {
  const double value = target - centre, amount = value * weight;
  if (!std::isfinite(amount * value)) {
    throw Error(ErrorKind::data, "the target's values or the weights are too large to be squared",
                {}, "divide them by a power of ten");
  }
  size.add(std::abs(amount));
  // What the product was rounded by: a row of weight 3 is the row three times.
  size.add(std::fma(std::abs(value), weight, -std::abs(amount)));
  squares.add(amount * value);
  whole = whole && is_whole(value) && is_whole(weight);
  least = std::fmin(least, target);
  largest = std::fmax(largest, target);
}

void AmountSummary::merge(const AmountSummary& other) {
  size.merge(other.size);
  squares.merge(other.squares);
  whole = whole && other.whole;
  least = std::fmin(least, other.least);
  largest = std::fmax(largest, other.largest);
}

void AmountSummary::write(ByteWriter& out) const {
  size.write(out);
  squares.write(out);
  out.value(static_cast<uint8_t>(whole));
  out.value(least);
  out.value(largest);
}

AmountSummary AmountSummary::read(ByteReader& in) {
  AmountSummary summary;
  summary.size = ExactSum::read(in);
  summary.squares = ExactSum::read(in);
  summary.whole = in.value<uint8_t>() != 0;
  summary.least = in.value<double>();
  summary.largest = in.value<double>();
  return summary;
}

}  // namespace softwood

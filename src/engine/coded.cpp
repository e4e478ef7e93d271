#include "engine/coded.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "base/random.h"
#include "data/content.h"
#include "data/quantiles.h"
#include "softwood/error.h"

namespace softwood {
namespace {

constexpr ByteForm coding_form{{'S', 'W', 'R', 'C'}, 2, "a coding of rows"};
constexpr ByteForm rows_form{{'S', 'W', 'C', 'R'}, 2, "coded rows"};

template <class T>
void append_to(std::vector<T>& to, std::span<const T> more) {
  to.insert(to.end(), more.begin(), more.end());
}

template <class T>
std::vector<T> at_rows(const std::vector<T>& all, std::span<const uint32_t> rows) {
  std::vector<T> some;
  if (all.empty()) return some;
  some.reserve(rows.size());
  for (const uint32_t row : rows) some.push_back(all[row]);
  return some;
}

template <class Code>
std::vector<Code> codes_at(std::span<const Code> all, size_t features,
                           std::span<const uint32_t> rows) {
  std::vector<Code> some;
  if (all.empty()) return some;
  some.reserve(rows.size() * features);
  for (const uint32_t row : rows) {
    const auto first = all.begin() + static_cast<std::ptrdiff_t>(row * features);
    some.insert(some.end(), first, first + static_cast<std::ptrdiff_t>(features));
  }
  return some;
}

}  // namespace

void RowCoding::set_units(double all_weight, bool whole_weights, const AmountSummary& amounts) {
  weight = all_weight;
  weight_unit = unit_of_weights(weight, whole_weights);
  if (classes > 0) return;
  amount_unit = fixed_point_unit(amounts.size.value(), amounts.whole);
  least = amounts.least;
  largest = amounts.largest;
  squares = amounts.squares.value();
}

bool RowCoding::is_narrow() const {
  return std::all_of(bins.begin(), bins.end(),
                     [](const FeatureBins& feature) { return feature.bins <= 255; });
}

uint64_t RowCoding::stamp() const {
  uint64_t stamp = mix64(classes);
  for (const FeatureBins& feature : bins) stamp = mix64(stamp ^ feature.bins);
  return stamp;
}

void RowCoding::write(ByteWriter& out) const {
  out.form(coding_form);
  out.value(static_cast<uint64_t>(bins.size()));
  for (const FeatureBins& feature : bins) {
    out.value(feature.bins);
    out.vector(feature.cuts);
  }
  out.value(classes);
  for (const double number : {centre, weight_unit, amount_unit, least, largest, squares, weight}) {
    out.value(number);
  }
}

RowCoding RowCoding::read(ByteReader& in) {
  in.form(coding_form);
  RowCoding coding;
  for (auto count = in.value<uint64_t>(); count > 0; --count) {
    const auto bins = in.value<uint32_t>();
    coding.bins.push_back({bins, in.vector<double>()});
  }
  coding.classes = in.value<uint64_t>();
  for (double* number : {&coding.centre, &coding.weight_unit, &coding.amount_unit, &coding.least,
                         &coding.largest, &coding.squares, &coding.weight}) {
    *number = in.value<double>();
  }
  return coding;
}

Bytes RowCoding::to_bytes() const {
  ByteWriter out;
  write(out);
  return out.take();
}

RowCoding RowCoding::from_bytes(const Bytes& bytes) {
  ByteReader in(bytes);
  RowCoding coding = read(in);
  in.end();
  return coding;
}

void check_sums(const RowCoding& coding) {
  // Searches square what is a product of two weights.
  const double weight = coding.weight, square = weight * weight;
  if (!(weight > 0) || !std::isfinite(square * square)) {
    throw Error(ErrorKind::data, weight > 0 ? "the weights are too large to be added up"
                                            : "the rows to learn from have no weight");
  }
  if (coding.classes > 0) return;
  // The largest number that the search squares.
  const double farthest =
      std::max(std::abs(coding.least - coding.centre), std::abs(coding.largest - coding.centre));
  const double bound = farthest * weight * weight;
  if (!std::isfinite(bound * bound)) {
    throw Error(ErrorKind::data, "the target's values or the weights are too large to be squared",
                {}, "divide them by a power of ten");
  }
}

CodedRows CodedRows::at(std::span<const uint32_t> rows) const {
  const size_t features = codes.features();
  return {BinnedRows(features, codes_at(codes.narrow(), features, rows),
                     codes_at(codes.wide(), features, rows)),
          at_rows(klass, rows),
          at_rows(number, rows),
          at_rows(weight, rows),
          at_rows(hash, rows),
          at_rows(fold, rows),
          stamp};
}

Bytes CodedRows::to_bytes() const {
  ByteWriter out;
  out.form(rows_form);
  out.value(static_cast<uint64_t>(codes.features()));
  out.span(codes.narrow());
  out.span(codes.wide());
  // A class is written in one byte where that is enough.
  const bool small = std::all_of(klass.begin(), klass.end(), [](uint32_t k) { return k < 256; });
  out.value(static_cast<uint8_t>(small));
  if (small) {
    out.vector(std::vector<uint8_t>(klass.begin(), klass.end()));
  } else {
    out.vector(klass);
  }
  out.vector(number);
  out.vector(weight);
  out.vector(hash);
  out.vector(fold);
  out.value(stamp);
  return out.take();
}

CodedRows CodedRows::in_place(ByteView bytes) {
  ByteReader in(bytes);
  in.form(rows_form);
  const auto features = in.value<uint64_t>();
  const std::span<const uint8_t> narrow = in.view<uint8_t>();
  std::vector<uint32_t> wide = in.vector<uint32_t>();
  CodedRows rows;
  if (in.value<uint8_t>() != 0) {
    const std::span<const uint8_t> small = in.view<uint8_t>();
    rows.klass.assign(small.begin(), small.end());
  } else {
    rows.klass = in.vector<uint32_t>();
  }
  rows.number = in.vector<double>();
  rows.weight = in.vector<double>();
  rows.hash = in.vector<uint64_t>();
  rows.fold = in.vector<uint16_t>();
  rows.stamp = in.value<uint64_t>();
  in.end();
  const size_t count = rows.rows(), cells = narrow.size() + wide.size();
  const auto fits = [&](size_t size) { return size == 0 || size == count; };
  if ((features == 0 ? cells != 0 : cells / features != count || cells % features != 0) ||
      (!narrow.empty() && !wide.empty()) || !fits(rows.klass.size()) || !fits(rows.weight.size()) ||
      !fits(rows.hash.size()) || !fits(rows.fold.size())) {
    throw Error(ErrorKind::failure, "coded rows that do not belong together");
  }
  rows.codes =
      wide.empty() ? BinnedRows(features, narrow) : BinnedRows(features, {}, std::move(wide));
  return rows;
}

namespace {

// Appends the rows to those so far, whose codes are kept apart until all are there.
void append_rows(CodedRows& all, std::vector<uint8_t>& narrow, std::vector<uint32_t>& wide,
                 size_t& features, const CodedRows& more) {
  if (more.rows() == 0) return;
  const bool first = all.rows() == 0;
  const auto alike = [&](const auto& one, const auto& other) {
    return first || one.empty() == other.empty();
  };
  if ((!first && (features != more.codes.features() || all.stamp != more.stamp)) ||
      !alike(wide, more.codes.wide()) || !alike(all.klass, more.klass) ||
      !alike(all.hash, more.hash) || !alike(all.fold, more.fold)) {
    throw Error(ErrorKind::failure, "coded rows that do not belong together");
  }
  // Where all rows of a message weigh 1, it has no weights.
  if (!alike(all.weight, more.weight)) {
    all.weight.resize(all.rows(), 1);
    all.weight.resize(all.rows() + (more.weight.empty() ? more.rows() : 0), 1);
  }
  features = more.codes.features();
  all.stamp = more.stamp;
  append_to(narrow, more.codes.narrow());
  append_to(wide, more.codes.wide());
  append_to<double>(all.weight, more.weight);
  append_to<uint32_t>(all.klass, more.klass);
  append_to<double>(all.number, more.number);
  append_to<uint64_t>(all.hash, more.hash);
  append_to<uint16_t>(all.fold, more.fold);
}

}  // namespace

CodedRows CodedRows::joined(std::span<const CodedRows> parts) {
  CodedRows all;
  std::vector<uint8_t> narrow;
  std::vector<uint32_t> wide;
  size_t features = 0;
  for (const CodedRows& rows : parts) append_rows(all, narrow, wide, features, rows);
  all.codes = BinnedRows(features, std::move(narrow), std::move(wide));
  return all;
}

CodedRows CodedRows::joined(std::span<const ByteView> parts) {
  CodedRows all;
  std::vector<uint8_t> narrow;
  std::vector<uint32_t> wide;
  size_t features = 0;
  for (const ByteView& bytes : parts) append_rows(all, narrow, wide, features, in_place(bytes));
  all.codes = BinnedRows(features, std::move(narrow), std::move(wide));
  return all;
}

CodedRows code_rows(const Table& table, std::span<const RowIndex> rows, const RowCoding& coding,
                    WithHashes hashes, const Parallel& parallel, const Control& control) {
  CodedRows coded;
  coded.stamp = coding.stamp();
  coded.codes = BinnedRows(table, rows, coding.bins, parallel, control);
  for (const RowIndex row : rows) {
    if (coding.classes > 0) {
      coded.klass.push_back(static_cast<uint32_t>(table.target().codes[row]));
    } else {
      coded.number.push_back(table.target().numbers[row]);
    }
    if (table.weighted()) coded.weight.push_back(table.weight(row));
  }
  if (hashes == WithHashes::yes) coded.hash = content_hashes(table, rows, parallel, control);
  return coded;
}

FixedPoint fixed_targets(const CodedRows& rows, const RowCoding& coding) {
  FixedPoint fixed;
  fixed.classes = coding.classes;
  fixed.weight_unit = coding.weight_unit;
  fixed.amount_unit = coding.amount_unit;
  if (!rows.weight.empty()) {
    to_fixed_point(rows.weight, coding.weight_unit, fixed.weight);
  } else if (coding.weight_unit != 1) {
    // Rows without stored weights weigh 1, which is one unit only where the unit is 1.
    to_fixed_point(std::vector<double>(rows.rows(), 1.0), coding.weight_unit, fixed.weight);
  }
  if (coding.classes > 0) {
    fixed.klass = rows.klass;
    if (std::any_of(fixed.klass.begin(), fixed.klass.end(),
                    [&](uint32_t k) { return k >= coding.classes; })) {
      throw Error(ErrorKind::failure, "coded rows of a class that there is not");
    }
    return fixed;
  }
  std::vector<double> values(rows.number.size());
  for (size_t row = 0; row < values.size(); ++row) values[row] = rows.number[row] - coding.centre;
  set_amounts(fixed, values, rows.weight);
  return fixed;
}

CodedTraining::CodedTraining(const Table& table, std::span<const RowIndex> rows, size_t bins,
                             bool from_zero, const Parallel& parallel, const Control& control) {
  if (rows.empty()) throw Error(ErrorKind::data, "there are no rows to learn from");
  coding.classes = table.schema().classes();
  ExactSum weight;
  bool whole = true;
  for (const RowIndex row : rows) {
    weight.add(table.weight(row));
    whole = whole && table.weight(row) == std::floor(table.weight(row));
  }
  AmountSummary amounts;
  if (coding.classes == 0) {
    if (!from_zero) {
      coding.centre = weighted_median(table.target(), quantile_weights(table, rows), rows);
    }
    amounts = summarise_amounts(table, rows, coding.centre, control);
  }
  coding.set_units(weight.value(), whole, amounts);
  check_sums(coding);
  coding.bins = make_bins(table, rows, bins, parallel, control);
  CodedRows coded = code_rows(table, rows, coding, WithHashes::no, parallel, control);
  target = fixed_targets(coded, coding);
  codes = std::move(coded.codes);
  slot_of_row.resize(table.rows());
  for (size_t slot = 0; slot < rows.size(); ++slot) {
    slot_of_row[rows[slot]] = static_cast<uint32_t>(slot);
  }
}

std::shared_ptr<const CodedTraining> CodedCache::get(size_t bins, bool from_zero,
                                                     const Parallel& parallel,
                                                     const Control& control) {
  const std::lock_guard lock(mutex_);
  if (!coded_ || bins_ != bins || from_zero_ != from_zero) {
    coded_ =
        std::make_shared<const CodedTraining>(table_, rows_, bins, from_zero, parallel, control);
    bins_ = bins;
    from_zero_ = from_zero;
  }
  return coded_;
}

}  // namespace softwood

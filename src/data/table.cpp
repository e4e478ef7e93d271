#include "data/table.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <bit>
#include <iterator>
#include <numeric>
#include <string_view>

#include "base/random.h"
#include "softwood/error.h"

namespace softwood {
namespace {

[[noreturn]] void fail(const std::string& message) { throw Error(ErrorKind::data, message); }

size_t count_missing_numbers(const Cells<double>& numbers, const std::string& name) {
  size_t missing = 0;
  bool infinite = false;
  for (double number : numbers) {
    missing += number != number ? 1 : 0;
    infinite |= std::abs(number) > std::numeric_limits<double>::max();
  }
  if (infinite) fail(fmt::format("column '{}' has infinite values", name));
  return missing;
}

size_t count_missing_codes(const Cells<int32_t>& codes, const Feature& feature) {
  const auto levels = static_cast<int32_t>(feature.levels.size());
  size_t missing = 0;
  bool outside = false;
  for (int32_t code : codes) {
    missing += code < 0 ? 1 : 0;
    outside |= code >= levels || code < missing_code;
  }
  if (outside)
    fail(fmt::format("column '{}' has codes that are not those of levels", feature.name));
  return missing;
}

// Checks that the column has `rows` cells that fit the feature; counts the missing ones.
void check_column(Column& column, const Feature& feature, size_t rows) {
  if (column.kind != feature.kind) {
    fail(fmt::format("column '{}' is {}, but the schema says {}", feature.name,
                     kind_name(column.kind), kind_name(feature.kind)));
  }
  const bool numeric = column.kind == Kind::numeric;
  if (column.size() != rows)
    fail(fmt::format("column '{}' has {} cells, not {}", feature.name, column.size(), rows));
  column.missing = numeric ? count_missing_numbers(column.numbers, feature.name)
                           : count_missing_codes(column.codes, feature);
}

// A hash of 64-bit words in four lanes that do not wait for each other; made of whole number
// arithmetic alone, so that it is the same on every machine.
class Fingerprint {
 public:
  void add(uint64_t word) { lanes_[0] = mixed(lanes_[0], word); }
  void add(std::string_view text) {
    add(text.size());
    for (unsigned char byte : text) add(byte);
  }
  void add(const Cells<double>& numbers) {
    add_all(numbers, [](double number) {
      return std::bit_cast<uint64_t>(number != number ? missing_number : number);
    });
  }
  void add(const Cells<int32_t>& codes) {
    add_all(codes, [](int32_t code) { return uint64_t{static_cast<uint32_t>(code)}; });
  }
  uint64_t value() const {
    uint64_t hash = 0;
    for (uint64_t lane : lanes_) hash = mix64(hash ^ lane);
    return hash;
  }

 private:
  static uint64_t mixed(uint64_t lane, uint64_t word) {
    return std::rotl(lane ^ word, 29) * 0x9e3779b97f4a7c15ULL;
  }
  template <class T, class ToWord>
  void add_all(const Cells<T>& cells, const ToWord& to_word) {
    add(cells.size());
    std::array<uint64_t, 4> lanes = lanes_;  // a copy, so that it may live in registers
    size_t i = 0;
    for (; i + lanes.size() <= cells.size(); i += lanes.size()) {
      for (size_t lane = 0; lane < lanes.size(); ++lane) {
        lanes[lane] = mixed(lanes[lane], to_word(cells[i + lane]));
      }
    }
    lanes_ = lanes;
    for (; i < cells.size(); ++i) add(to_word(cells[i]));
  }

  std::array<uint64_t, 4> lanes_{0x8bb84b93962eacc9ULL, 0x2d358dccaa6c78a5ULL,
                                 0x4b33a62ed433d4a3ULL, 0x4d5a2da51de1aa47ULL};
};

void add_column(Fingerprint& hash, const Feature& feature, const Column& column) {
  hash.add(static_cast<uint64_t>(feature.kind));
  hash.add(feature.name);
  hash.add(feature.levels.size());
  for (const std::string& level : feature.levels) hash.add(level);
  hash.add(column.numbers);
  hash.add(column.codes);
}

}  // namespace

std::vector<Column> finished(std::vector<ColumnDraft> drafts) {
  return {std::make_move_iterator(drafts.begin()), std::make_move_iterator(drafts.end())};
}

Table::Table(Schema schema, size_t rows, std::vector<Column> inputs, Column target,
             Cells<double> weights)
    : schema_(std::move(schema)),
      rows_(rows),
      inputs_(std::move(inputs)),
      target_(std::move(target)),
      weights_(std::move(weights)),
      has_target_(rows > 0 && !(target_.numbers.empty() && target_.codes.empty())) {
  if (rows_ > max_rows)
    fail(fmt::format("{} rows, but at most {} can be handled", rows_, max_rows));
  if (inputs_.size() != schema_.features.size()) {
    fail(fmt::format("{} input columns, but the schema has {}", inputs_.size(),
                     schema_.features.size()));
  }
  for (size_t f = 0; f < inputs_.size(); ++f) check_column(inputs_[f], schema_.features[f], rows_);
  if (has_target_) check_column(target_, schema_.target, rows_);
  if (!weights_.empty() && weights_.size() != rows_) {
    fail(fmt::format("{} weights for {} rows", weights_.size(), rows_));
  }
  for (size_t row = 0; row < weights_.size(); ++row) {
    if (std::isfinite(weights_[row]) && weights_[row] >= 0) continue;
    fail(fmt::format("the weight of row {} is {}: weights are finite and not negative", row + 1,
                     weights_[row]));
  }
}

std::string Table::fingerprint() const {
  Fingerprint hash;
  hash.add(rows_);
  hash.add(inputs_.size());
  for (size_t f = 0; f < inputs_.size(); ++f) add_column(hash, schema_.features[f], inputs_[f]);
  add_column(hash, schema_.target, target_);
  hash.add(weights_);
  return fmt::format("{:016x}", hash.value());
}

std::vector<RowIndex> all_rows(const Table& table) {
  std::vector<RowIndex> rows(table.rows());
  std::iota(rows.begin(), rows.end(), RowIndex{0});
  return rows;
}

bool is_whole_table(const Table& table, std::span<const RowIndex> rows) {
  if (rows.size() != table.rows()) return false;
  for (size_t i = 0; i < rows.size(); ++i) {
    if (rows[i] != i) return false;
  }
  return true;
}

}  // namespace softwood

// The typed columns that methods learn from and answer for. Immutable after construction.
//
// Missing cells are marked in the column itself: NaN in a numeric column, code -1 in a nominal or
// ordinal one. Infinite values never get in, so no mask beside the column is needed.
#pragma once

#include <cmath>
#include <cstdint>
#include <limits>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "data/cells.h"
#include "data/schema.h"

namespace softwood {

// Row numbers have 31 bits: growing uses the highest bit of an index as a mark.
using RowIndex = uint32_t;
constexpr size_t max_rows = (size_t{1} << 31) - 1;

constexpr int32_t missing_code = -1;
constexpr double missing_number = std::numeric_limits<double>::quiet_NaN();

struct Column {
  Kind kind = Kind::numeric;
  Cells<double> numbers;  // numeric
  Cells<int32_t> codes;   // nominal, ordinal: index into the feature's levels
  size_t missing = 0;     // number of missing cells

  bool is_missing(size_t row) const {
    return kind == Kind::numeric ? std::isnan(numbers[row]) : codes[row] < 0;
  }
  // Number, or for ordinal and nominal columns the code; NaN when missing.
  double value(size_t row) const {
    if (kind == Kind::numeric) return numbers[row];
    return codes[row] < 0 ? missing_number : static_cast<double>(codes[row]);
  }
  size_t size() const { return kind == Kind::numeric ? numbers.size() : codes.size(); }
};

// A column that is still being written.
struct ColumnDraft {
  Kind kind = Kind::numeric;
  std::vector<double> numbers;
  std::vector<int32_t> codes;
  size_t missing = 0;

  ColumnDraft() = default;
  explicit ColumnDraft(Kind of) : kind(of) {}
  // Copies the cells only when somebody else has them, too.
  explicit ColumnDraft(Column column)
      : kind(column.kind),
        numbers(std::move(column.numbers).take()),
        codes(std::move(column.codes).take()),
        missing(column.missing) {}
  // NOLINTNEXTLINE(google-explicit-constructor): finishing a column needs no ceremony
  operator Column() && { return {kind, std::move(numbers), std::move(codes), missing}; }
};
std::vector<Column> finished(std::vector<ColumnDraft> drafts);

class Table {
 public:
  // Checks that the columns have `rows` cells and fit the schema, counts missing cells.
  // `target` may have no cells at all (data to be predicted); a class not in the schema is -1.
  // `weights` is empty (all 1) or has `rows` finite, non-negative cells.
  Table(Schema schema, size_t rows, std::vector<Column> inputs, Column target,
        Cells<double> weights);

  const Schema& schema() const { return schema_; }
  size_t rows() const { return rows_; }
  size_t features() const { return inputs_.size(); }
  const Column& input(size_t feature) const { return inputs_[feature]; }
  const Column& target() const { return target_; }
  bool has_target() const { return has_target_; }
  bool weighted() const { return !weights_.empty(); }
  double weight(size_t row) const { return weights_.empty() ? 1.0 : weights_[row]; }
  const Cells<double>& weights() const { return weights_; }

  // Whether the rows stand in the order of their content, equal ones merged (canonical.h).
  bool canonical() const { return canonical_; }
  void set_canonical() { canonical_ = true; }

  // 64-bit hash of schema and rows, as 16 hex digits: the same data give the same text. The order
  // of rows does not matter, and a row of weight 2 is the row twice. In content.cpp.
  std::string fingerprint() const;

 private:
  Schema schema_;
  size_t rows_;
  std::vector<Column> inputs_;
  Column target_;
  Cells<double> weights_;
  bool has_target_;
  bool canonical_ = false;
};

// Row numbers 0 … rows-1.
std::vector<RowIndex> all_rows(const Table& table);
// Whether these are they.
bool is_whole_table(const Table& table, std::span<const RowIndex> rows);

}  // namespace softwood

#include "data/table.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <numeric>

#include "data/finite.h"
#include "softwood/error.h"

namespace softwood {
namespace {

[[noreturn]] void fail(const std::string& message) { throw Error(ErrorKind::data, message); }

size_t count_missing_numbers(const Cells<double>& numbers, const std::string& name) {
  if (all_finite(numbers)) return 0;
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

#include "explain/rows.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "data/content.h"
#include "data/draw.h"

namespace softwood {

Column constant_column(Kind kind, size_t rows, double value) {
  ColumnDraft column(kind);
  if (kind == Kind::numeric) {
    column.numbers.assign(rows, value);
  } else {
    column.codes.assign(rows, std::isnan(value) ? missing_code : static_cast<int32_t>(value));
  }
  return column;
}

Table table_of_inputs(const Schema& schema, size_t rows, std::span<const uint32_t> inputs,
                      std::vector<Column> columns) {
  std::vector<Column> all(schema.features.size());
  std::vector<bool> given(all.size(), false);
  for (size_t i = 0; i < inputs.size(); ++i) {
    all[inputs[i]] = std::move(columns[i]);
    given[inputs[i]] = true;
  }
  for (size_t f = 0; f < all.size(); ++f) {
    if (!given[f]) all[f] = constant_column(schema.features[f].kind, rows, missing_number);
  }
  return {schema, rows, std::move(all), Column{schema.target.kind, {}, {}, 0}, {}};
}

Table rows_of(const Table& table, std::span<const RowIndex> rows,
              std::span<const uint32_t> inputs) {
  std::vector<Column> columns;
  for (const uint32_t input : inputs) columns.push_back(drawn_cells(table.input(input), rows));
  return table_of_inputs(table.schema(), rows.size(), inputs, std::move(columns));
}

Table background_of(const Table& table, size_t rows, std::span<const uint32_t> inputs) {
  constexpr uint64_t key = 0x6261636b67726f75;  // any number, always the same
  std::vector<Column> columns;
  for (const uint32_t input : inputs) columns.push_back(table.input(input));
  const Table plain = table_of_inputs(table.schema(), table.rows(), inputs, std::move(columns));
  std::vector<uint32_t> order = shuffled_by_content(plain, all_rows(plain), key);
  order.resize(std::min(order.size(), rows));
  return rows_of(plain, order, inputs);
}

}  // namespace softwood

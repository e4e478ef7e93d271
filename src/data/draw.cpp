#include "data/draw.h"

#include <utility>

namespace softwood {

Column drawn_cells(const Column& column, std::span<const RowIndex> rows) {
  if (column.size() == 0) return column;  // a target that there is not
  ColumnDraft drawn(column.kind);
  const auto draw = [rows](const auto& from, auto& to) {
    to.reserve(rows.size());
    for (const RowIndex row : rows) to.push_back(from[row]);
  };
  if (column.kind == Kind::numeric) {
    draw(column.numbers, drawn.numbers);
  } else {
    draw(column.codes, drawn.codes);
  }
  return drawn;
}

Table drawn_rows(const Table& table, std::span<const RowIndex> rows, double weight) {
  std::vector<Column> inputs;
  for (size_t f = 0; f < table.features(); ++f) {
    inputs.push_back(drawn_cells(table.input(f), rows));
  }
  std::vector<double> weights;
  if (weight != 1) weights.assign(rows.size(), weight);
  return {table.schema(), rows.size(), std::move(inputs), drawn_cells(table.target(), rows),
          std::move(weights)};
}

}  // namespace softwood

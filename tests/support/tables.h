// Small tables for tests, written column by column, and random ones.
#pragma once

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "base/random.h"
#include "data/table.h"

namespace softwood::test {

inline Column numbers(std::vector<double> cells) {
  Column column;
  column.numbers = std::move(cells);
  return column;
}

inline Column codes(std::vector<int32_t> cells, Kind kind = Kind::nominal) {
  Column column;
  column.kind = kind;
  column.codes = std::move(cells);
  return column;
}

inline std::vector<std::string> level_names(size_t count, const std::string& prefix) {
  std::vector<std::string> names;
  for (size_t i = 0; i < count; ++i) names.push_back(prefix + std::to_string(i));
  return names;
}

// A feature for the column: as many levels as its largest code needs, at least `levels`.
inline Feature feature_of(const Column& column, const std::string& name, size_t levels = 0) {
  Feature feature{name, column.kind, {}};
  if (column.kind == Kind::numeric) return feature;
  for (const int32_t code : column.codes) levels = std::max<size_t>(levels, code + 1);
  feature.levels = level_names(levels, "l");
  return feature;
}

inline Schema schema_of(const std::vector<Column>& inputs) {
  Schema schema;
  for (size_t f = 0; f < inputs.size(); ++f) {
    schema.features.push_back(feature_of(inputs[f], "x" + std::to_string(f)));
  }
  return schema;
}

inline Table classes_table(std::vector<Column> inputs, std::vector<int32_t> classes,
                           std::vector<double> weights = {}, size_t at_least = 2) {
  Schema schema = schema_of(inputs);
  Column target = codes(std::move(classes));
  schema.target = feature_of(target, "class", at_least);
  const size_t rows = target.codes.size();
  return {std::move(schema), rows, std::move(inputs), std::move(target), std::move(weights)};
}

inline Table numbers_table(std::vector<Column> inputs, std::vector<double> target,
                           std::vector<double> weights = {}) {
  Schema schema = schema_of(inputs);
  schema.target = {"y", Kind::numeric, {}};
  const size_t rows = target.size();
  return {std::move(schema), rows, std::move(inputs), numbers(std::move(target)),
          std::move(weights)};
}

inline Column part_of(const Column& column, const std::vector<RowIndex>& rows) {
  ColumnDraft part(column.kind);
  for (const RowIndex row : rows) {
    if (column.kind == Kind::numeric) {
      part.numbers.push_back(column.numbers[row]);
    } else {
      part.codes.push_back(column.codes[row]);
    }
  }
  return part;
}

// These rows, in this order, as a table with the same schema. Rows may occur more than once.
inline Table part_of(const Table& table, const std::vector<RowIndex>& rows) {
  std::vector<Column> inputs;
  for (size_t f = 0; f < table.features(); ++f) inputs.push_back(part_of(table.input(f), rows));
  std::vector<double> weights;
  for (const RowIndex row : rows) {
    if (table.weighted()) weights.push_back(table.weight(row));
  }
  return {table.schema(), rows.size(), std::move(inputs), part_of(table.target(), rows),
          std::move(weights)};
}

inline Table with_weights(const Table& table, std::vector<double> weights) {
  std::vector<Column> inputs;
  for (size_t f = 0; f < table.features(); ++f) inputs.push_back(table.input(f));
  return {table.schema(), table.rows(), std::move(inputs), table.target(), std::move(weights)};
}

struct RandomTable {
  size_t rows = 100;
  size_t classes = 2;  // 0: regression
  size_t numeric = 2;  // columns
  size_t nominal = 1, levels = 5;
  size_t ordinal = 0;
  uint64_t distinct = 10;  // values of a numeric column; 0: all different
  double missing = 0;      // share of the cells
  double noise = 0.3;      // share of the targets that say nothing about the inputs
};

// The target depends on all inputs, in steps.
inline Table random_table(const RandomTable& what, uint64_t seed) {
  Random random(seed, "test table");
  std::vector<Column> inputs;
  std::vector<double> signal(what.rows, 0.0);
  const size_t columns = what.numeric + what.nominal + what.ordinal;
  for (size_t c = 0; c < columns; ++c) {
    ColumnDraft column;
    if (c >= what.numeric)
      column.kind = c < what.numeric + what.nominal ? Kind::nominal : Kind::ordinal;
    for (size_t i = 0; i < what.rows; ++i) {
      const bool missing = random.uniform() < what.missing;
      double value = 0;
      if (column.kind == Kind::numeric) {
        value = what.distinct > 0 ? static_cast<double>(random.below(what.distinct)) / 4
                                  : random.normal();
        column.numbers.push_back(missing ? missing_number : value);
      } else {
        const auto code = static_cast<int32_t>(random.below(what.levels));
        value = column.kind == Kind::nominal ? code % 3 : code;
        column.codes.push_back(missing ? missing_code : code);
      }
      signal[i] += missing ? 0.7 : value * static_cast<double>(1 + c % 3);
    }
    inputs.push_back(std::move(column));
  }
  std::vector<double> y(what.rows);
  std::vector<int32_t> classes(what.rows);
  for (size_t i = 0; i < what.rows; ++i) {
    const double step = std::floor(signal[i]);
    const bool noisy = random.uniform() < what.noise;
    y[i] = step + (noisy ? random.normal() : 0.0);
    if (what.classes == 0) continue;
    classes[i] = static_cast<int32_t>(noisy ? random.below(what.classes)
                                            : static_cast<uint64_t>(std::abs(step)) % what.classes);
  }
  return what.classes == 0 ? numbers_table(std::move(inputs), std::move(y))
                           : classes_table(std::move(inputs), std::move(classes), {}, what.classes);
}

}  // namespace softwood::test

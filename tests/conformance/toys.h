// Small data sets with one difficulty each, that every method must cope with.
#pragma once

#include <string>
#include <vector>

#include "support/iris.h"
#include "support/tables.h"

namespace softwood::test {

struct Toy {
  std::string name;
  Table table;
};

inline std::vector<double> counting(size_t rows, size_t period) {
  std::vector<double> cells(rows);
  for (size_t i = 0; i < rows; ++i) cells[i] = static_cast<double>(i % period);
  return cells;
}

inline std::vector<int32_t> counting_codes(size_t rows, size_t period) {
  std::vector<int32_t> cells(rows);
  for (size_t i = 0; i < rows; ++i) cells[i] = static_cast<int32_t>(i % period);
  return cells;
}

inline Table wide_table(size_t classes) {
  return random_table(
      {.rows = 30, .classes = classes, .numeric = 150, .nominal = 40, .distinct = 0}, 3);
}

inline Table weighted_table(size_t classes) {
  const Table table = random_table({.rows = 120, .classes = classes, .missing = 0.1}, 4);
  std::vector<double> weights(table.rows());
  for (size_t i = 0; i < weights.size(); ++i) weights[i] = 0.25 * static_cast<double>(i % 7);
  return with_weights(table, weights);
}

// Some levels are in the schema and in no row, among classes, too.
inline Table gaps_table() {
  Schema schema;
  schema.features = {{"colour", Kind::nominal, {"red", "green", "blue", "white"}},
                     {"size", Kind::ordinal, {"low", "mid", "high"}}};
  schema.target = {"class", Kind::nominal, {"never", "a", "b", "neither"}};
  return {schema,
          6,
          {codes({1, 1, 1, 3, 3, 3}), codes({0, 0, 2, 2, 2, 0}, Kind::ordinal)},
          codes({1, 1, 2, 2, 2, 1}),
          {}};
}

// `many`: of levels and classes where a toy is about having many.
inline std::vector<Toy> toys(size_t many = 300) {
  const double no = missing_number;
  const auto constant = [](size_t rows) { return std::vector<double>(rows, 7.0); };
  return {
      {"iris", iris_table()},
      {"xor", classes_table({numbers({0, 0, 1, 1}), numbers({0, 1, 0, 1})}, {0, 1, 1, 0})},
      {"constant_column",
       classes_table({numbers(constant(8)), numbers(counting(8, 4))}, {0, 0, 1, 1, 0, 0, 1, 1})},
      {"only_constant_columns",
       classes_table({numbers(constant(4)), codes({0, 0, 0, 0})}, {0, 0, 1, 1})},
      {"no_columns", classes_table({}, {0, 0, 1, 1})},
      {"one_class", classes_table({numbers({1, 2, 3, 4})}, {1, 1, 1, 1})},
      {"one_known_class", classes_table({numbers({1, 2, 3})}, {0, 0, 0}, {}, 1)},
      {"all_missing",
       classes_table({numbers({no, no, no, no}), codes({-1, -1, -1, -1})}, {0, 1, 1, 0})},
      {"mostly_missing",
       random_table({.rows = 100, .classes = 3, .nominal = 2, .ordinal = 1, .missing = 0.7}, 5)},
      {"one_row", classes_table({numbers({1}), codes({0})}, {0})},
      {"two_rows", classes_table({numbers({1, 2})}, {0, 1})},
      {"heavy_ties", random_table({.rows = 300, .classes = 3, .distinct = 2, .noise = 0.5}, 6)},
      {"contradictions", classes_table({numbers(counting(40, 2))}, counting_codes(40, 4))},
      {"many_levels",
       classes_table({codes(counting_codes(3 * many, many))}, counting_codes(3 * many, 3))},
      {"many_classes",
       classes_table({numbers(counting(2 * many, many))}, counting_codes(2 * many, many))},
      {"weights", weighted_table(3)},
      {"gaps", gaps_table()},
      {"wide", wide_table(3)},
      {"huge_numbers",
       classes_table({numbers({-1e308, 1e308, 5e-324, 0, -0.0, 1})}, {0, 1, 1, 0, 0, 1})},
      {"line", numbers_table({numbers(counting(50, 50))}, counting(50, 50))},
      {"line_constant_target", numbers_table({numbers({1, 2, 3})}, {0.1, 0.1, 0.1})},
      {"line_one_row", numbers_table({numbers({1})}, {5})},
      {"line_all_missing", numbers_table({numbers({no, no, no})}, {1, 2, 3})},
      {"line_many_levels",
       numbers_table({codes(counting_codes(3 * many, many))}, counting(3 * many, many / 2))},
      {"line_weights", weighted_table(0)},
      {"line_ties", random_table({.rows = 300, .classes = 0, .distinct = 2}, 7)},
      {"line_missing", random_table({.rows = 100, .classes = 0, .ordinal = 1, .missing = 0.5}, 8)},
      {"line_wide", wide_table(0)},
      {"line_far_from_zero", numbers_table({numbers(counting(6, 6))},
                                           {1e12, 1e12, 1e12 + 1, 1e12 + 1, 1e12 + 5, 1e12 + 5})},
      {"line_huge_targets", numbers_table({numbers({1, 2, 3, 4})}, {-1e150, 1e150, 1e-300, 0})},
  };
}

}  // namespace softwood::test

// What databases do differently. A dialect is a line in the table.
#pragma once

#include <string>
#include <string_view>

namespace softwood::render {

struct SqlDialect {
  std::string name;
  std::string real, text;       // types: of doubles, of strings
  std::string collation;        // after an expression: compares bytes
  std::string least, greatest;  // functions of several numbers
  std::string infinity;
  // At the end of a named step: without it the expression of a column is computed again wherever a
  // later step mentions the column, which grows exponentially with the steps.
  std::string fence;
  bool has_nan;                    // as a value, equal to itself and above all others
  bool has_typed_cells;            // the types of a column's cells may differ
  bool ignores_case;               // of names, also of quoted ones
  bool range_errors;               // overflow and underflow of a double end the query
  std::string (*literal)(double);  // a finite double, to the last bit
};
// Throws a usage Error for a name that is not in the table.
const SqlDialect& find_sql_dialect(std::string_view name);

// "name", 'text'.
std::string sql_identifier(std::string_view name);
std::string sql_string(std::string_view text);
// The statement as Spark quotes: `name`, and in texts a backslash before a quote or another one.
std::string with_spark_quotes(std::string_view sql);
// Of a table, with those of its schema: parts between points, each may be in double quotes.
std::string sql_table(std::string_view name);

}  // namespace softwood::render

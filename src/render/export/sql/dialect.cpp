#include "render/export/sql/dialect.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <cstdlib>
#include <vector>

#include "base/text.h"
#include "render/export/exporter.h"
#include "softwood/error.h"

namespace softwood::render {
namespace {

// The shortest digits as a whole number and a power of ten: 2.45 is 245 and -2.
struct Decimal {
  double digits = 0;
  int exponent = 0;
};

Decimal decimal_of(double value) {
  std::array<char, 32> buffer{};
  const auto end = std::to_chars(buffer.data(), buffer.data() + buffer.size(), std::fabs(value),
                                 std::chars_format::scientific);
  const std::string_view all(buffer.data(), static_cast<size_t>(end.ptr - buffer.data()));
  const size_t mark = all.find('e');
  std::string digits(all.substr(0, mark));
  int fraction = 0;
  if (const size_t point = digits.find('.'); point != std::string::npos) {
    fraction = static_cast<int>(digits.size() - point - 1);
    digits.erase(point, 1);
  }
  const int exponent = std::atoi(std::string(all.substr(mark + 1)).c_str());
  return {std::strtod(digits.c_str(), nullptr), exponent - fraction};
}

// Whether SQLite reads the digits of a number to its last bit. It divides them by a power of ten in
// the widest arithmetic that its compiler has (3.42 and before) or in pairs of doubles, and rounds
// the result once more. Where digits and power are exact the quotient is right but for that second
// rounding, which matters next to the middle between two doubles only.
bool is_read_exactly(double value) {
  constexpr double largest_exact = 0x1p53;
  if (value == 0) return true;
  const Decimal decimal = decimal_of(value);
  if (decimal.digits >= largest_exact || decimal.exponent > 0 || decimal.exponent < -22) {
    return decimal.exponent >= 0 && std::fabs(value) < largest_exact;
  }
  double power = 1;
  for (int i = 0; i < -decimal.exponent; ++i) power *= 10;
  const double size = std::fabs(value);
  const double rest = std::fabs(std::fma(-size, power, decimal.digits)) / power;
  const double half_step = (std::nextafter(size, HUGE_VAL) - size) / 2;
  return rest < 0.99 * half_step;
}

// A whole number times or divided by powers of two, all of which SQLite reads exactly.
std::string exact_product(double value) {
  int exponent = 0;
  double whole = std::ldexp(std::frexp(std::fabs(value), &exponent), 53);
  exponent -= 53;
  while (whole == 2 * std::floor(whole / 2)) {
    whole /= 2;
    ++exponent;
  }
  std::string text = fmt::format("({}{:.1f}", value < 0 ? "-" : "", whole);
  constexpr int step = 62;
  for (int left = std::abs(exponent); left > 0; left -= step) {
    text +=
        fmt::format(" {} {:.1f}", exponent < 0 ? '/' : '*', std::ldexp(1, std::min(left, step)));
  }
  return text + ")";
}

std::string sqlite_literal(double value) {
  if (!is_read_exactly(value)) return exact_product(value);
  const std::string text = number_text(value);
  return text.find_first_of(".e") == std::string::npos ? text + ".0" : text;
}

std::string with_exponent(double value) {
  const std::string text = number_text(value);
  return text.find('e') == std::string::npos ? text + "e0" : text;
}

std::string postgresql_literal(double value) {
  const std::string text = number_text(value) + "::float8";
  return value < 0 ? "(" + text + ")" : text;
}

std::string spark_literal(double value) { return number_text(value) + "D"; }

std::string doubled(std::string_view text, char quote) {
  std::string out(1, quote);
  for (const char c : text) {
    out += c;
    if (c == quote) out += c;
  }
  return out + quote;
}

const std::vector<SqlDialect>& dialects() {
  static const std::vector<SqlDialect> table = {
      {"sqlite", "REAL", "TEXT", " COLLATE BINARY", "MIN", "MAX", "9e999", "LIMIT -1 OFFSET 0",
       false, true, true, false, sqlite_literal},
      {"duckdb", "DOUBLE", "VARCHAR", " COLLATE \"binary\"", "LEAST", "GREATEST",
       "CAST('Infinity' AS DOUBLE)", "", true, false, true, false, with_exponent},
      {"postgresql", "DOUBLE PRECISION", "TEXT", " COLLATE \"C\"", "LEAST", "GREATEST",
       "'Infinity'::float8", "OFFSET 0", true, false, false, true, postgresql_literal},
      {"spark", "DOUBLE", "STRING", "", "LEAST", "GREATEST", "CAST('Infinity' AS DOUBLE)", "", true,
       false, true, false, spark_literal},
  };
  return table;
}

}  // namespace

const std::vector<std::string>& sql_dialects() {
  static const std::vector<std::string> names = [] {
    std::vector<std::string> all;
    for (const SqlDialect& dialect : dialects()) all.push_back(dialect.name);
    return all;
  }();
  return names;
}

const SqlDialect& find_sql_dialect(std::string_view name) {
  for (const SqlDialect& dialect : dialects()) {
    if (dialect.name == name) return dialect;
  }
  throw Error(ErrorKind::usage, fmt::format("there is no SQL dialect '{}'", name), {},
              known_names_hint(name, sql_dialects()));
}

std::string sql_identifier(std::string_view name) { return doubled(name, '"'); }
std::string sql_string(std::string_view text) { return doubled(text, '\''); }

namespace {

// The text between quotes that begins at `at`, doubled quotes as one; `at` is then after it.
std::string unquoted(std::string_view sql, size_t& at) {
  const char quote = sql[at++];
  std::string text;
  while (at < sql.size()) {
    if (sql[at] == quote && (at + 1 == sql.size() || sql[at + 1] != quote)) break;
    if (sql[at] == quote) ++at;
    text += sql[at++];
  }
  ++at;
  return text;
}

}  // namespace

std::string with_spark_quotes(std::string_view sql) {
  std::string out;
  for (size_t at = 0; at < sql.size();) {
    if (sql.substr(at, 2) == "--") {
      const size_t end = std::min(sql.find('\n', at), sql.size());
      out += sql.substr(at, end - at);
      at = end;
    } else if (sql[at] == '"') {
      out += doubled(unquoted(sql, at), '`');
    } else if (sql[at] == '\'') {
      out += '\'';
      for (const char c : unquoted(sql, at)) {
        if (c == '\'' || c == '\\') out += '\\';
        out += c;
      }
      out += '\'';
    } else {
      out += sql[at++];
    }
  }
  return out;
}

std::string sql_table(std::string_view name) {
  std::string text;
  bool quoted = false;
  std::string part;
  const auto close = [&] {
    const bool as_written = part.size() > 2 && part.front() == '"' && part.back() == '"';
    text += (text.empty() ? "" : ".") + (as_written ? part : sql_identifier(part));
    part.clear();
  };
  for (const char c : name) {
    if (c == '"' && (part.empty() || quoted)) quoted = !quoted;
    if (c == '.' && !quoted && !part.empty()) {
      close();
    } else {
      part += c;
    }
  }
  close();
  return text;
}

}  // namespace softwood::render

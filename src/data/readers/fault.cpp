#include "data/readers/fault.h"

#include <fmt/format.h>

#include "base/text.h"
#include "data/readers/utf8.h"
#include "data/table.h"

namespace softwood {

std::string shown(std::string_view text) {
  constexpr size_t most = 40;
  return fmt::format("'{}'", printable(text, most));
}

bool has_number_commas(std::string_view text) {
  if (!text.empty() && (text[0] == '-' || text[0] == '+')) text.remove_prefix(1);
  constexpr std::string_view digits = "0123456789";
  return text.find(',') != std::string_view::npos && !text.empty() &&
         digits.find(text[0]) != std::string_view::npos &&
         digits.find(text.back()) != std::string_view::npos &&
         text.find_first_not_of("0123456789,.") == std::string_view::npos;
}

bool has_number_signs(std::string_view text) {
  bool any = false;
  const auto drop = [&](std::string_view sign) {
    if (text.starts_with(sign)) {
      text = trim(text.substr(sign.size()));
    } else if (text.ends_with(sign)) {
      text = trim(text.substr(0, text.size() - sign.size()));
    } else {
      return;
    }
    any = true;
  };
  for (const std::string_view sign : {"%", "$", "€", "£", "¥"}) drop(sign);
  double ignored = 0;
  return any && (has_number_commas(text) || parse_number(text, ignored));
}

Advice number_hint(std::string_view text, const std::string& known) {
  if (has_number_commas(text)) {
    return known +
           "write numbers with a decimal point and without thousands separators: 50.95, 32559.77";
  }
  if (has_number_signs(text)) {
    return known + "write numbers without signs of percent or currency: 81, 1.50";
  }
  return {AdviceCode::declare_missing,
          known + "correct it; a missing value is an empty cell, or a declared mark",
          {known}};
}

size_t line_of(const Source& source, const char* at) {
  if (!source.holds(at)) return 0;  // read by parts: will be read again for the message
  const char* begin = source.bytes().data();
  return count_newlines({begin, static_cast<size_t>(at - begin)}) + 1;
}

std::string place(const std::string& file, size_t line, std::string_view column) {
  std::string text = fmt::format("{}, line {}", file, line);
  if (!column.empty()) text += ", column " + shown(column);
  return text;
}

void fail_at(const Source& source, const char* at, std::string_view column,
             const std::string& message, const Advice& hint) {
  throw Error(ErrorKind::data, message, place(source.name(), line_of(source, at), column), hint);
}

void check_row_count(size_t rows, const std::string& file) {
  if (rows <= max_rows) return;
  throw Error(ErrorKind::data,
              fmt::format("{} rows, but at most {} can be handled", rows, max_rows), file,
              "take a sample of the rows");
}

}  // namespace softwood

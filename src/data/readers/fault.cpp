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

size_t line_of(const Source& source, const char* at) {
  const char* begin = source.bytes().data();
  return count_newlines({begin, static_cast<size_t>(at - begin)}) + 1;
}

std::string place(const std::string& file, size_t line, std::string_view column) {
  std::string text = fmt::format("{}, line {}", file, line);
  if (!column.empty()) text += ", column " + shown(column);
  return text;
}

void fail_at(const Source& source, const char* at, std::string_view column,
             const std::string& message, const std::string& hint) {
  throw Error(ErrorKind::data, message, place(source.name(), line_of(source, at), column), hint);
}

void check_row_count(size_t rows, const std::string& file) {
  if (rows <= max_rows) return;
  throw Error(ErrorKind::data,
              fmt::format("{} rows, but at most {} can be handled", rows, max_rows), file,
              "take a sample of the rows");
}

}  // namespace softwood

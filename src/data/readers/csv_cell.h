// Cells of a CSV text (RFC 4180, and what people write instead of it):
//  - blanks around a cell do not belong to it;
//  - a cell that begins with a quote goes to the next quote that is not doubled, over any number of
//    lines; a quote further inside of a cell is an ordinary character;
//  - quotes protect delimiters, newlines and blanks, they do not change what a cell means: "12" is
//    a number and "NA" is missing.
#pragma once

#include <cstring>
#include <string>
#include <string_view>

namespace softwood {

struct CsvCell {
  std::string_view text;          // without quotes; doubled ones are still doubled
  const char* begin = nullptr;    // where the cell stands, its quote included
  const char* next = nullptr;     // the delimiter, newline or end of the text after it
  bool doubled = false;           // has doubled quotes
  bool unclosed = false;          // the quote at `begin` is never closed
  bool text_after_quote = false;  // something follows the closing quote
};

inline bool is_blank(char c, char delimiter) {
  return (c == ' ' || c == '\t' || c == '\r') && c != delimiter;
}

// The text ends with a zero byte (which is nowhere else) at or after `end`.
CsvCell read_csv_cell(const char* p, const char* end, char delimiter);

// The quote that closes a cell whose text begins at `p`; null when there is none before `end`.
inline const char* closing_quote(const char* p, const char* end) {
  while (p < end) {
    const auto* quote = static_cast<const char*>(std::memchr(p, '"', static_cast<size_t>(end - p)));
    if (quote == nullptr) return nullptr;
    if (quote + 1 == end || quote[1] != '"') return quote;
    p = quote + 2;
  }
  return nullptr;
}

// Text with doubled quotes made single, in `scratch`.
std::string_view undouble(std::string_view text, std::string& scratch);

// Comma, tab, semicolon or bar: the one that cuts the first lines into equally many cells.
char find_delimiter(const char* begin, const char* end);

}  // namespace softwood

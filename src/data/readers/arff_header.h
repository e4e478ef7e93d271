// The part of an ARFF file before the rows: names and types of the columns.
//
// Types: numeric, real and integer are numbers; {a, b, c} is nominal with these levels and no
// others; string and date are nominal with the levels that occur. Relational columns are refused.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "data/readers/columns.h"
#include "data/readers/source.h"

namespace softwood {

// A value: between quotes ' or " (with \ before a quote or \ inside), or up to a separator.
struct ArffValue {
  std::string_view text;        // without quotes, escapes still in it
  const char* begin = nullptr;  // where it stands, its quote included
  const char* next = nullptr;   // after it and the blanks behind it
  bool quoted = false;
  bool escaped = false;
  bool unclosed = false;
};

// `stops` are the characters that end a value without quotes.
ArffValue read_arff_value(const char* p, const char* line_end, std::string_view stops);
std::string_view unescape(std::string_view text, std::string& scratch);

struct ArffHeader {
  std::vector<ColumnSpec> columns;
  const char* rows = nullptr;  // first byte after the line of @data
};

ArffHeader read_arff_header(const Source& source);

}  // namespace softwood

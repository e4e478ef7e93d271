// Text helpers: numbers that read back exactly, aligned tables, nearest names.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace softwood {

// Shortest text that std::from_chars reads back to the same double ("0.1", "1e-05", "150").
std::string number_text(double value);
// At most `digits` significant digits, for people: "0.0817", "12.3".
std::string short_number(double value, int digits = 4);

// Parses the whole of `text` as a finite or infinite decimal number; false when it is not one.
bool parse_number(std::string_view text, double& value);
bool parse_integer(std::string_view text, long& value);

std::string_view trim(std::string_view text);
std::vector<std::string_view> split(std::string_view text, char separator);
std::string join(std::span<const std::string> parts, std::string_view separator);
std::string in_lower_case(std::string_view text);  // of the letters A to Z

// A cell of a CSV file: quoted when it would be read as something else.
std::string csv_cell(std::string_view text);

// The length of the UTF-8 sequence that begins at text[0], 0 when it is not a valid one.
size_t utf8_length(std::string_view text);
// Text of a file for a person to see: escapes for what a terminal may obey instead of showing it
// (control characters, bytes that are not UTF-8), and "..." after `most` characters.
std::string printable(std::string_view text, size_t most = std::string::npos);
std::string printable_lines(std::string_view text, size_t most = std::string::npos);  // of a line

// The candidate with the smallest edit distance when it is near enough to be a slip of the
// fingers, else "". Upper and lower case of a letter are no distance.
std::string nearest_name(std::string_view name, std::span<const std::string> candidates);
// A hint for an unknown name: "did you mean 'x'?" or "known are a, b, c".
std::string known_names_hint(std::string_view name, std::span<const std::string> candidates);

// "a, b, c": the first names, cut to a readable length.
std::string names_list(std::span<const std::string> names);

// Parts joined by ", ", in at most `room` columns: what does not fit is counted, "a, b, ... 7
// more". The first part is always there.
std::string shortened_list(std::span<const std::string> parts, size_t room);

// `lead` and then the words of `text`, in lines of at most `width` columns; later lines begin under
// the first word. No line break at the end.
std::string wrapped(std::string_view lead, std::string_view text, size_t width);

// Display width in terminal columns of UTF-8 text (code points; combining marks are not resolved).
size_t display_width(std::string_view text);

// Rows of cells in aligned columns. Columns whose cells all look like numbers are right-aligned.
class TextTable {
 public:
  explicit TextTable(std::vector<std::string> header);
  void add(std::vector<std::string> row);
  std::string text() const;
  std::vector<std::string> lines() const;  // the header's first

 private:
  std::vector<std::vector<std::string>> rows_;
};

}  // namespace softwood

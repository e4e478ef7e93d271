#include "base/text.h"

#include <fmt/format.h>
#include <array>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <numeric>

namespace softwood {

std::string number_text(double value) { return fmt::format("{}", value); }

std::string short_number(double value, int digits) {
  constexpr double most_in_digits = 1e15;
  std::string text = fmt::format("{:.{}g}", value, digits);
  const double size = std::fabs(value);
  if (size < 1 || size >= most_in_digits || text.find('e') == std::string::npos) return text;
  return fmt::format("{:.0f}", value);
}

bool parse_number(std::string_view text, double& value) {
  if (text.size() > 1 && text.front() == '+' && text[1] != '-' && text[1] != '+') {
    text.remove_prefix(1);
  }
  const char* end = text.data() + text.size();
  const auto result = std::from_chars(text.data(), end, value);
  return result.ec == std::errc() && result.ptr == end;
}

bool parse_integer(std::string_view text, long& value) {
  const char* end = text.data() + text.size();
  const auto result = std::from_chars(text.data(), end, value);
  return result.ec == std::errc() && result.ptr == end;
}

std::string_view trim(std::string_view text) {
  const auto blank = [](char c) { return c == ' ' || c == '\t' || c == '\r' || c == '\n'; };
  while (!text.empty() && blank(text.front())) text.remove_prefix(1);
  while (!text.empty() && blank(text.back())) text.remove_suffix(1);
  return text;
}

std::vector<std::string_view> split(std::string_view text, char separator) {
  std::vector<std::string_view> parts;
  for (size_t begin = 0;;) {
    const size_t end = text.find(separator, begin);
    if (end == std::string_view::npos) {
      parts.push_back(text.substr(begin));
      return parts;
    }
    parts.push_back(text.substr(begin, end - begin));
    begin = end + 1;
  }
}

std::string join(std::span<const std::string> parts, std::string_view separator) {
  return fmt::format("{}", fmt::join(parts.begin(), parts.end(), separator));
}

std::string in_lower_case(std::string_view text) {
  std::string lower(text);
  for (char& c : lower) {
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  }
  return lower;
}

std::string csv_cell(std::string_view text) {
  if (!text.empty() && text.find_first_of(",\"\n\r") == std::string_view::npos) {
    return std::string(text);
  }
  std::string cell = "\"";
  for (const char c : text) {
    if (c == '"') cell += '"';
    cell += c;
  }
  return cell + '"';
}

size_t utf8_length(std::string_view text) {
  const auto byte = [&](size_t i) -> unsigned {
    return i < text.size() ? static_cast<unsigned char>(text[i]) : 0U;
  };
  const auto follows = [&](size_t i) { return (byte(i) & 0xC0U) == 0x80U; };
  const unsigned first = byte(0);
  if (text.empty()) return 0;
  if (first < 0x80) return 1;
  if (first < 0xC2) return 0;  // a following byte, or an overlong form
  if (first < 0xE0) return follows(1) ? 2 : 0;
  if (first < 0xF0) {
    const bool overlong = first == 0xE0 && byte(1) < 0xA0;
    const bool surrogate = first == 0xED && byte(1) >= 0xA0;
    return follows(1) && follows(2) && !overlong && !surrogate ? 3 : 0;
  }
  const bool overlong = first == 0xF0 && byte(1) < 0x90;
  const bool too_large = first > 0xF4 || (first == 0xF4 && byte(1) >= 0x90);
  return follows(1) && follows(2) && follows(3) && !overlong && !too_large ? 4 : 0;
}

namespace {

// Characters without a shape that change the order of others or end a line: U+061C, U+200E, U+200F,
// U+2028 to U+202E, U+2066 to U+2069.
bool changes_direction(std::string_view character) {
  static constexpr std::array<std::string_view, 14> all = {
      "\u061c", "\u200e", "\u200f", "\u2028", "\u2029", "\u202a", "\u202b",
      "\u202c", "\u202d", "\u202e", "\u2066", "\u2067", "\u2068", "\u2069"};
  return std::find(all.begin(), all.end(), character) != all.end();
}

}  // namespace

std::string printable(std::string_view text, size_t most) {
  std::string result;
  for (size_t count = 0; !text.empty(); ++count) {
    if (count == most) return result + "...";
    const size_t length = utf8_length(text);
    const auto byte = static_cast<unsigned char>(text[0]);
    // U+0080 to U+009F are control characters as well.
    const bool high_control =
        length == 2 && byte == 0xC2 && static_cast<unsigned char>(text[1]) < 0xA0;
    if (text[0] == '\n') {
      result += "\\n";
    } else if (text[0] == '\t') {
      result += "\\t";
    } else if (text[0] == '\r') {
      result += "\\r";
    } else if (high_control) {
      result += fmt::format("\\x{:02x}", static_cast<unsigned char>(text[1]));
    } else if (length == 0 || byte < 0x20 || byte == 0x7F) {
      result += fmt::format("\\x{:02x}", byte);
    } else if (changes_direction(text.substr(0, length))) {
      for (const char part : text.substr(0, length)) {
        result += fmt::format("\\x{:02x}", static_cast<unsigned char>(part));
      }
    } else {
      result += text.substr(0, length);
    }
    text.remove_prefix(length == 0 ? 1 : length);
  }
  return result;
}

std::string printable_lines(std::string_view text, size_t most) {
  std::string lines;
  for (const std::string_view line : split(text, '\n')) lines += printable(line, most) + '\n';
  lines.pop_back();
  return lines;
}

namespace {

// Levenshtein distance by the usual two-row recurrence.
size_t edit_distance(std::string_view a, std::string_view b) {
  std::vector<size_t> row(b.size() + 1);
  std::iota(row.begin(), row.end(), size_t{0});
  for (size_t i = 1; i <= a.size(); ++i) {
    size_t diagonal = row[0];
    row[0] = i;
    for (size_t j = 1; j <= b.size(); ++j) {
      const size_t above = row[j];
      row[j] = std::min({above + 1, row[j - 1] + 1, diagonal + (a[i - 1] == b[j - 1] ? 0 : 1)});
      diagonal = above;
    }
  }
  return row[b.size()];
}

// Also when it is too large or too small for a double, as some p-values are.
bool looks_like_number(std::string_view cell) {
  if (cell.empty() || cell == "-") return true;
  if (cell.front() == '+') cell.remove_prefix(1);
  if (!cell.empty() && cell.back() == '%') cell = trim(cell.substr(0, cell.size() - 1));
  double ignored = 0;
  const char* end = cell.data() + cell.size();
  const auto result = std::from_chars(cell.data(), end, ignored);
  return result.ec != std::errc::invalid_argument && result.ptr == end;
}

}  // namespace

std::string nearest_name(std::string_view name, std::span<const std::string> candidates) {
  const std::string* best = nullptr;
  // Near enough, and with something in common: every letter is near to every other.
  size_t best_distance =
      std::min(std::max<size_t>(2, name.size() / 3) + 1, std::max<size_t>(1, name.size()));
  if (name.size() > 200) return {};
  const std::string given = in_lower_case(name);
  for (const std::string& candidate : candidates) {
    if (candidate.size() > 200) continue;
    const size_t distance = edit_distance(given, in_lower_case(candidate));
    if (distance < best_distance) {
      best = &candidate;
      best_distance = distance;
    }
  }
  return best == nullptr ? std::string() : *best;
}

std::string known_names_hint(std::string_view name, std::span<const std::string> candidates) {
  const std::string nearest = nearest_name(name, candidates);
  if (!nearest.empty()) return fmt::format("did you mean '{}'?", printable(nearest));
  return "known: " + names_list(candidates);
}

std::string names_list(std::span<const std::string> names) {
  constexpr size_t most_characters = 40, room = 700;
  std::vector<std::string> shown;
  for (const std::string& name : names) {
    const std::string cut = printable(name, most_characters);
    shown.push_back(name.find(',') == std::string::npos ? cut : csv_cell(cut));
  }
  return shortened_list(shown, room);
}

std::string shortened_list(std::span<const std::string> parts, size_t room) {
  std::string whole = join(parts, ", ");
  if (display_width(whole) <= room) return whole;
  std::string text;
  for (size_t i = 0; i < parts.size(); ++i) {
    const std::string rest = fmt::format(", ... {} more", parts.size() - i);
    if (i > 0 && display_width(text) + 2 + display_width(parts[i]) + rest.size() > room) {
      return text + rest;
    }
    if (i > 0) text += ", ";
    text += parts[i];
  }
  return text;
}

namespace {

// Where lines may be broken: between words, but in a set only after a comma, so that levels of
// several words stay whole.
std::vector<std::string_view> unbroken_parts(std::string_view text) {
  const bool sets =
      std::count(text.begin(), text.end(), '{') == std::count(text.begin(), text.end(), '}');
  std::vector<std::string_view> parts;
  bool in_set = false, goes_on = false;
  for (const std::string_view word : split(text, ' ')) {
    if (goes_on) {
      const char* const begin = parts.back().data();
      parts.back() = {begin, static_cast<size_t>(word.data() + word.size() - begin)};
    } else {
      parts.push_back(word);
    }
    const size_t brace = word.find_last_of("{}");
    if (brace != std::string_view::npos) in_set = sets && word[brace] == '{';
    goes_on = in_set && !word.ends_with(',');
  }
  return parts;
}

}  // namespace

std::string wrapped(std::string_view lead, std::string_view text, size_t width) {
  const std::string margin(display_width(lead), ' ');
  std::string lines;
  std::string line(lead);
  bool fresh = true;
  for (const std::string_view word : unbroken_parts(text)) {
    if (!fresh && display_width(line) + 1 + display_width(word) > width) {
      lines += line + '\n';
      line = margin;
      fresh = true;
    }
    if (!fresh) line += ' ';
    line += word;
    fresh = false;
  }
  return lines + line;
}

size_t display_width(std::string_view text) {
  return static_cast<size_t>(std::count_if(text.begin(), text.end(), [](char c) {
    return (static_cast<unsigned char>(c) & 0xC0U) != 0x80U;
  }));
}

namespace {
constexpr size_t longest_cell = 1000;
}  // namespace

TextTable::TextTable(std::vector<std::string> header) {
  rows_.push_back(std::move(header));
  for (std::string& cell : rows_.back()) cell = printable(cell, longest_cell);
}

void TextTable::add(std::vector<std::string> row) {
  row.resize(rows_.front().size());
  for (std::string& cell : row) cell = printable(cell, longest_cell);
  rows_.push_back(std::move(row));
}

std::vector<std::string> TextTable::lines() const {
  const size_t columns = rows_.front().size();
  std::vector<size_t> width(columns, 0);
  std::vector<bool> right(columns, true);
  for (size_t r = 0; r < rows_.size(); ++r) {
    for (size_t c = 0; c < columns; ++c) {
      width[c] = std::max(width[c], display_width(rows_[r][c]));
      if (r > 0 && !looks_like_number(rows_[r][c])) right[c] = false;
    }
  }
  std::vector<std::string> lines;
  for (const auto& row : rows_) {
    std::string& line = lines.emplace_back();
    for (size_t c = 0; c < columns; ++c) {
      const std::string pad(width[c] - display_width(row[c]), ' ');
      if (c > 0) line += "  ";
      line += right[c] ? pad + row[c] : row[c] + pad;
    }
    while (!line.empty() && line.back() == ' ') line.pop_back();
  }
  return lines;
}

std::string TextTable::text() const { return join(lines(), "\n") + '\n'; }

}  // namespace softwood

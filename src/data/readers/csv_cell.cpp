#include "data/readers/csv_cell.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <vector>

namespace softwood {

CsvCell read_csv_cell(const char* p, const char* end, char delimiter) {
  CsvCell cell;
  while (is_blank(*p, delimiter)) ++p;
  cell.begin = p;
  if (*p == '"') {
    const char* const close = closing_quote(p + 1, end);
    if (close == nullptr) {
      cell.unclosed = true;
      cell.next = end;
      return cell;
    }
    cell.text = {p + 1, static_cast<size_t>(close - p - 1)};
    cell.doubled = cell.text.find('"') != std::string_view::npos;
    p = close + 1;
    while (*p != delimiter && *p != '\n' && *p != '\0') {
      cell.text_after_quote |= !is_blank(*p, delimiter);
      ++p;
    }
    cell.next = p;
    return cell;
  }
  while (*p != delimiter && *p != '\n' && *p != '\0') ++p;
  cell.next = p;
  while (p > cell.begin && is_blank(p[-1], delimiter)) --p;
  cell.text = {cell.begin, static_cast<size_t>(p - cell.begin)};
  return cell;
}

std::string_view undouble(std::string_view text, std::string& scratch) {
  scratch.clear();
  for (size_t i = 0; i < text.size(); ++i) {
    scratch += text[i];
    if (text[i] == '"') ++i;
  }
  return scratch;
}

namespace {

struct DelimiterTrial {
  size_t cells = 0;  // of the first line
  bool even = true;  // all lines have so many
};

DelimiterTrial try_delimiter(const char* p, const char* end, char delimiter) {
  constexpr size_t most_lines = 30;
  constexpr ptrdiff_t most_bytes = 1 << 16;
  DelimiterTrial trial;
  const char* const begin = p;
  for (size_t line = 0; line < most_lines && p < end; ++line) {
    size_t cells = 0;
    do {
      const CsvCell cell = read_csv_cell(p, end, delimiter);
      p = cell.next;
      ++cells;
    } while (p < end && *p++ == delimiter);
    if (line == 0) trial.cells = cells;
    trial.even &= cells == trial.cells;
    if (p - begin > most_bytes) break;
  }
  return trial;
}

}  // namespace

char find_delimiter(const char* begin, const char* end) {
  char best = ',';
  DelimiterTrial best_trial{1, false};
  for (char delimiter : {',', '\t', ';', '|'}) {
    const DelimiterTrial trial = try_delimiter(begin, end, delimiter);
    if (trial.cells < 2) continue;
    const bool better = trial.even != best_trial.even ? trial.even : trial.cells > best_trial.cells;
    if (!better) continue;
    best = delimiter;
    best_trial = trial;
  }
  return best;
}

}  // namespace softwood

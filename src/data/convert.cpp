#include "data/convert.h"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>
#include <optional>
#include <tuple>
#include <unordered_map>

#include "base/text.h"
#include "data/readers/fault.h"
#include "data/readers/number.h"
#include "data/truth.h"
#include "softwood/error.h"

namespace softwood {

std::string counted(size_t count, std::string_view noun, std::string_view plural) {
  if (count != 1 && !plural.empty()) return fmt::format("{} {}", count, plural);
  return fmt::format("{} {}{}", count, noun, count == 1 ? "" : "s");
}

std::string cell_text(const FrameColumn& column, size_t row) {
  if (column.cells.is_missing(row)) return {};
  if (column.cells.kind == Kind::numeric) return number_text(column.cells.numbers[row]);
  return column.levels[static_cast<size_t>(column.cells.codes[row])];
}

std::string place(const Frame& frame, size_t row, const FrameColumn& column) {
  if (frame.source.empty()) {
    return fmt::format("column {}, {}", shown(column.name), frame.row_name(row));
  }
  return place(frame.source, frame.line(row), column.name);
}

namespace {

// The codes of those levels that are numbers.
std::unordered_map<double, int32_t> codes_by_number(const std::vector<std::string>& levels) {
  std::unordered_map<double, int32_t> codes;
  for (size_t code = 0; code < levels.size(); ++code) {
    double number = 0;
    if (read_number(levels[code], number) == NumberText::finite) {
      codes.emplace(number, static_cast<int32_t>(code));
    }
  }
  if (const auto truth = TruthLevels::of(levels)) {
    codes.emplace(0.0, truth->code(false));
    codes.emplace(1.0, truth->code(true));
  }
  return codes;
}

Column numbers_with_levels(const FrameColumn& column, const std::vector<std::string>& levels,
                           Kind kind, const std::function<void(size_t)>& unknown) {
  const std::unordered_map<double, int32_t> codes = codes_by_number(levels);
  ColumnDraft result(kind);
  result.codes.reserve(column.cells.numbers.size());
  for (size_t row = 0; row < column.cells.numbers.size(); ++row) {
    int32_t code = missing_code;
    if (!column.cells.is_missing(row)) {
      const auto found = codes.find(column.cells.numbers[row]);
      if (found != codes.end()) {
        code = found->second;
      } else {
        unknown(row);
      }
    }
    result.codes.push_back(code);
  }
  return result;
}

// The code of a text that is none of the levels, but says the same as one.
int32_t code_of_same(const std::string& text, const std::unordered_map<double, int32_t>& numbers,
                     const std::optional<TruthLevels>& truth) {
  if (truth) {
    if (const auto code = truth->code_of(text)) return *code;
  }
  double number = 0;
  if (numbers.empty() || read_number(text, number) != NumberText::finite) return missing_code;
  const auto same = numbers.find(number);
  return same == numbers.end() ? missing_code : same->second;
}

// For each level of the column its code in `levels`.
std::vector<int32_t> level_map(const FrameColumn& column, const std::vector<std::string>& levels,
                               Compare compare) {
  std::unordered_map<std::string_view, int32_t> codes;
  for (size_t code = 0; code < levels.size(); ++code) {
    codes.emplace(levels[code], static_cast<int32_t>(code));
  }
  std::unordered_map<double, int32_t> numbers;
  if (compare == Compare::numbers) numbers = codes_by_number(levels);
  const std::optional<TruthLevels> truth = TruthLevels::of(levels);
  std::vector<int32_t> map;
  for (const std::string& level : column.levels) {
    const auto found = codes.find(level);
    map.push_back(found == codes.end() ? code_of_same(level, numbers, truth) : found->second);
  }
  return map;
}

bool is_identity(const std::vector<int32_t>& map) {
  for (size_t code = 0; code < map.size(); ++code) {
    if (map[code] != static_cast<int32_t>(code)) return false;
  }
  return true;
}

}  // namespace

Column column_with_levels(const FrameColumn& column, const std::vector<std::string>& levels,
                          Kind kind, const std::function<void(size_t)>& unknown, Compare compare) {
  if (column.cells.kind == Kind::numeric) return numbers_with_levels(column, levels, kind, unknown);
  const std::vector<int32_t> map = level_map(column, levels, compare);
  if (is_identity(map)) return {kind, {}, column.cells.codes, column.cells.missing};
  ColumnDraft result(kind);
  result.codes.reserve(column.cells.codes.size());
  for (size_t row = 0; row < column.cells.codes.size(); ++row) {
    const int32_t old = column.cells.codes[row];
    result.codes.push_back(old < 0 ? missing_code : map[static_cast<size_t>(old)]);
    if (old >= 0 && result.codes.back() < 0) unknown(row);
  }
  return result;
}

void make_nominal(FrameColumn& column) {
  if (column.cells.kind != Kind::numeric) return;
  std::unordered_map<double, int32_t> codes;
  ColumnDraft result(Kind::nominal);
  result.missing = column.cells.missing;
  result.codes.reserve(column.cells.numbers.size());
  for (double number : column.cells.numbers) {
    if (std::isnan(number)) {
      result.codes.push_back(missing_code);
      continue;
    }
    const auto [entry, is_new] = codes.emplace(number, static_cast<int32_t>(codes.size()));
    if (is_new) column.levels.push_back(number_text(number == 0 ? 0.0 : number));  // not "-0"
    result.codes.push_back(entry->second);
  }
  column.cells = std::move(result);
}

namespace {

// UTF-8 has the order of code points in the order of its bytes.
struct LevelRank {
  bool is_text;
  double number;  // 0 for texts
  std::string_view text;

  explicit LevelRank(std::string_view level) : is_text(false), number(0), text(level) {
    is_text = read_number(level, number) != NumberText::finite;
    if (is_text) number = 0;
  }
  bool operator<(const LevelRank& other) const {
    return std::tie(is_text, number, text) < std::tie(other.is_text, other.number, other.text);
  }
};

}  // namespace

bool level_order(std::string_view a, std::string_view b) { return LevelRank(a) < LevelRank(b); }

void order_levels(FrameColumn& column) {
  if (column.declared || column.cells.kind == Kind::numeric) return;
  const std::vector<LevelRank> ranks(column.levels.begin(), column.levels.end());
  if (std::is_sorted(ranks.begin(), ranks.end())) return;
  std::vector<size_t> order(ranks.size());
  std::iota(order.begin(), order.end(), size_t{0});
  std::sort(order.begin(), order.end(), [&](size_t a, size_t b) { return ranks[a] < ranks[b]; });
  std::vector<std::string> levels;
  std::vector<int32_t> code_of(order.size());
  for (const size_t old : order) {
    code_of[old] = static_cast<int32_t>(levels.size());
    levels.push_back(std::move(column.levels[old]));
  }
  ColumnDraft cells(std::move(column.cells));
  for (int32_t& code : cells.codes) {
    if (code >= 0) code = code_of[static_cast<size_t>(code)];
  }
  column.levels = std::move(levels);
  column.cells = std::move(cells);
}

size_t positive_code(const Schema& schema, const std::string& name) {
  const std::string known = "the classes are " + names_list(schema.target.levels);
  if (schema.classes() != 2) {
    throw Error(ErrorKind::usage, "a positive class is one of two classes", {},
                schema.classes() == 0 ? "the target is a number" : known);
  }
  const int32_t code = schema.target.level_code(name);
  if (code >= 0) return static_cast<size_t>(code);
  throw Error(ErrorKind::usage, fmt::format("there is no class {} to be positive", shown(name)), {},
              known);
}

void select_rows(Column& column, std::span<const RowIndex> rows) {
  if (rows.size() == column.size()) return;
  ColumnDraft kept(std::move(column));
  const auto select = [&](auto& cells) {
    for (size_t i = 0; i < rows.size(); ++i) cells[i] = cells[rows[i]];
    cells.resize(rows.size());
  };
  if (kept.kind == Kind::numeric) {
    select(kept.numbers);
  } else {
    select(kept.codes);
  }
  column = std::move(kept);
}

}  // namespace softwood

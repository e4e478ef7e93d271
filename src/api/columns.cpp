#include "api/columns.h"

#include <fmt/format.h>

#include <bit>
#include <cmath>
#include <cstring>
#include <limits>
#include <string>
#include <type_traits>
#include <unordered_map>
#include <unordered_set>
#include <utility>

#include "base/text.h"
#include "data/convert.h"
#include "data/finite.h"
#include "data/readers/fault.h"

namespace softwood {
namespace {

[[noreturn]] void fail(const std::string& column, const std::string& message) {
  throw Error(ErrorKind::data, message, fmt::format("column {}", shown(column)));
}
// Rows are numbered from 1 on.
[[noreturn]] void fail_at(const std::string& column, size_t row, const std::string& message) {
  throw Error(ErrorKind::data, message, fmt::format("column {}, row {}", shown(column), row + 1));
}

bool bit(const uint8_t* bits, size_t i) { return (bits[i / 8] >> (i % 8) & 1) != 0; }

bool is_valid(const ColumnChunk& chunk, size_t row) {
  if (chunk.valid_bits != nullptr) return bit(chunk.valid_bits, chunk.first_valid_bit + row);
  return chunk.valid_bytes == nullptr || chunk.valid_bytes[row] != 0;
}

bool has_null(const ColumnChunk& chunk) {
  if (chunk.valid_bits == nullptr && chunk.valid_bytes == nullptr) return false;
  for (size_t row = 0; row < chunk.rows; ++row) {
    if (!is_valid(chunk, row)) return true;
  }
  return false;
}

bool is_text(const ColumnChunk& chunk) {
  return chunk.type == ElementType::text32 || chunk.type == ElementType::text64 ||
         chunk.type == ElementType::string_views;
}
bool is_bool(const ColumnChunk& chunk) {
  return chunk.type == ElementType::bool_bytes || chunk.type == ElementType::bool_bits;
}
bool is_nominal(const ColumnChunk& chunk) {
  return chunk.levels != nullptr || is_text(chunk) || is_bool(chunk);
}

// The cell of a type that lies there; borrowed memory need not be aligned.
template <class T>
T cell(const ColumnChunk& chunk, size_t row) {
  const ptrdiff_t stride = chunk.stride != 0 ? chunk.stride : static_cast<ptrdiff_t>(sizeof(T));
  T value;
  std::memcpy(&value, static_cast<const char*>(chunk.values) + static_cast<ptrdiff_t>(row) * stride,
              sizeof(T));
  return value;
}

// Calls visit(row, value) for every cell of a numeric type that is there.
template <class T, class Visit, class Missing>
void each_cell_of(const ColumnChunk& chunk, const Visit& visit, const Missing& missing) {
  for (size_t row = 0; row < chunk.rows; ++row) {
    if (is_valid(chunk, row)) {
      visit(row, cell<T>(chunk, row));
    } else {
      missing(row);
    }
  }
}
template <class Visit, class Missing>
bool each_number(const ColumnChunk& chunk, const Visit& visit, const Missing& missing) {
  switch (chunk.type) {
    case ElementType::float32:
      return each_cell_of<float>(chunk, visit, missing), true;
    case ElementType::float64:
      return each_cell_of<double>(chunk, visit, missing), true;
    case ElementType::int8:
      return each_cell_of<int8_t>(chunk, visit, missing), true;
    case ElementType::int16:
      return each_cell_of<int16_t>(chunk, visit, missing), true;
    case ElementType::int32:
      return each_cell_of<int32_t>(chunk, visit, missing), true;
    case ElementType::int64:
      return each_cell_of<int64_t>(chunk, visit, missing), true;
    case ElementType::uint8:
      return each_cell_of<uint8_t>(chunk, visit, missing), true;
    case ElementType::uint16:
      return each_cell_of<uint16_t>(chunk, visit, missing), true;
    case ElementType::uint32:
      return each_cell_of<uint32_t>(chunk, visit, missing), true;
    case ElementType::uint64:
      return each_cell_of<uint64_t>(chunk, visit, missing), true;
    default:
      return false;
  }
}

// Whether the only chunk has cells of this type one after the other, all of them there.
template <class T>
bool can_be_read_in_place(const ColumnView& view) {
  if (view.chunks.size() != 1) return false;
  const ColumnChunk& chunk = view.chunks[0];
  return chunk.type == element_type<T>() &&
         (chunk.stride == 0 || chunk.stride == static_cast<ptrdiff_t>(sizeof(T))) &&
         reinterpret_cast<uintptr_t>(chunk.values) % alignof(T) == 0 && !has_null(chunk);
}
template <class T>
Cells<T> borrowed(const ColumnView& view) {
  return {static_cast<const T*>(view.chunks[0].values), view.chunks[0].rows, view.owner};
}

// Whether a whole number has more significant bits than a double.
template <class T>
bool loses_digits(T value) {
  if constexpr (std::is_integral_v<T> && sizeof(T) == sizeof(double)) {
    const auto bits = static_cast<uint64_t>(value);
    const uint64_t size = value < 0 ? 0 - bits : bits;
    const int beyond = std::bit_width(size) - std::numeric_limits<double>::digits;
    return beyond > 0 && (size & ((uint64_t{1} << beyond) - 1)) != 0;
  } else {
    return false;
  }
}

// Numbers of any type as doubles.
class Converted {
 public:
  explicit Converted(size_t rows) { numbers_.reserve(rows); }

  void add(const ColumnChunk& chunk) {
    each_number(
        chunk,
        [&](size_t, auto value) {
          if (loses_digits(value) && lost_++ == 0) first_lost_ = std::to_string(value);
          numbers_.push_back(static_cast<double>(value));
        },
        [&](size_t) { numbers_.push_back(missing_number); });
  }
  void warn(const std::string& column, NoteList* notes) const {
    if (lost_ == 0 || notes == nullptr) return;
    notes->push_back(
        {fmt::format("column {} has {} with more digits than a number keeps, such as {}",
                     shown(column), counted(lost_, "cell"), first_lost_),
         "as text or categories it keeps them"});
  }
  std::vector<double> take() && { return std::move(numbers_); }

 private:
  std::vector<double> numbers_;
  size_t lost_ = 0;
  std::string first_lost_;
};

Column numbers_of(const ColumnView& view, size_t rows, NoteList* notes) {
  if (can_be_read_in_place<double>(view)) {
    return number_column(view.name, borrowed<double>(view));
  }
  Converted numbers(rows);
  for (const ColumnChunk& chunk : view.chunks) numbers.add(chunk);
  numbers.warn(view.name, notes);
  return number_column(view.name, std::move(numbers).take());
}

// Gathers the codes of a nominal column over its chunks, and the levels in the order of their
// codes.
class Coder {
 public:
  Coder(const ColumnView& view, size_t rows) : view_(view) { column_.codes.reserve(rows); }

  void add(const ColumnChunk& chunk) {
    if (chunk.levels != nullptr) {
      add_dictionary(chunk);
    } else if (is_bool(chunk)) {
      add_bools(chunk);
    } else {
      for (size_t row = 0; row < chunk.rows; ++row) {
        add_code(is_valid(chunk, row) ? code_of(text(chunk, row)) : missing_code);
      }
    }
  }
  FrameColumn finish() && {
    FrameColumn column{view_.name, std::move(column_), {}};
    column.levels.assign(levels_.begin(), levels_.end());
    return column;
  }

  // The codes of all levels of a dictionary; "" is a missing cell.
  std::vector<int32_t> codes_of(const std::vector<std::string>& levels) {
    std::vector<int32_t> codes;
    codes.reserve(levels.size());
    for (const std::string& level : levels) codes.push_back(code_of(level));
    return codes;
  }

 private:
  int32_t code_of(std::string_view level) {
    if (level.empty()) return missing_code;
    const auto [entry, is_new] = codes_.try_emplace(level, static_cast<int32_t>(levels_.size()));
    if (is_new) levels_.push_back(level);
    return entry->second;
  }
  void add_code(int32_t code) {
    column_.codes.push_back(code);
    column_.missing += code < 0 ? 1 : 0;
  }
  void add_dictionary(const ColumnChunk& chunk) {
    // Chunks of one column usually share a dictionary.
    if (chunk.levels.get() != coded_levels_) level_codes_ = codes_of(*chunk.levels);
    coded_levels_ = chunk.levels.get();
    const std::vector<int32_t>& codes = level_codes_;
    const size_t before = column_.codes.size();
    const auto add = [&](size_t row, auto value) {
      if (value < 0) return add_code(missing_code);
      if (static_cast<uint64_t>(value) >= codes.size()) {
        fail_at(view_.name, before + row,
                fmt::format("code {} is outside of the dictionary, which has {} levels",
                            static_cast<uint64_t>(value), codes.size()));
      }
      add_code(codes[static_cast<size_t>(value)]);
    };
    each_number(chunk, add, [&](size_t) { add_code(missing_code); });
  }
  void add_bools(const ColumnChunk& chunk) {
    const int32_t no = code_of("false"), yes = code_of("true");
    for (size_t row = 0; row < chunk.rows; ++row) {
      const bool value = chunk.type == ElementType::bool_bits
                             ? bit(static_cast<const uint8_t*>(chunk.values), chunk.first_bit + row)
                             : cell<uint8_t>(chunk, row) != 0;
      add_code(is_valid(chunk, row) ? (value ? yes : no) : missing_code);
    }
  }
  std::string_view text(const ColumnChunk& chunk, size_t row) const {
    if (chunk.type == ElementType::string_views) return cell<std::string_view>(chunk, row);
    return chunk.type == ElementType::text32 ? between<int32_t>(chunk, row)
                                             : between<int64_t>(chunk, row);
  }
  template <class Offset>
  std::string_view between(const ColumnChunk& chunk, size_t row) const {
    const Offset begin = cell<Offset>(chunk, row), end = cell<Offset>(chunk, row + 1);
    if (begin < 0 || end < begin) {
      fail_at(view_.name, column_.codes.size(), "the offsets of the text do not ascend");
    }
    if (begin == end) return {};
    if (chunk.text == nullptr) fail(view_.name, "the chunk has no text");
    return {chunk.text + begin, static_cast<size_t>(end - begin)};
  }

  const ColumnView& view_;
  ColumnDraft column_{Kind::nominal};
  std::vector<std::string_view> levels_;
  std::unordered_map<std::string_view, int32_t> codes_;
  const std::vector<std::string>* coded_levels_ = nullptr;  // the last dictionary
  std::vector<int32_t> level_codes_;                        // and its codes
};

// Codes where they are: each is that of its level, or the mark of missing cells.
bool are_own_codes(const ColumnView& view) {
  if (view.chunks[0].levels == nullptr || !can_be_read_in_place<int32_t>(view)) return false;
  const std::vector<int32_t> codes = Coder(view, 0).codes_of(*view.chunks[0].levels);
  for (size_t i = 0; i < codes.size(); ++i) {
    if (codes[i] != static_cast<int32_t>(i)) return false;
  }
  const auto levels = static_cast<int32_t>(codes.size());
  for (const int32_t code : borrowed<int32_t>(view)) {
    if (code < missing_code || code >= levels) return false;
  }
  return true;
}

FrameColumn nominal_column(const ColumnView& view, size_t rows) {
  if (are_own_codes(view)) {
    FrameColumn column{view.name, {Kind::nominal, {}, borrowed<int32_t>(view), 0}, {}};
    column.levels = *view.chunks[0].levels;
    for (const int32_t code : column.cells.codes) column.cells.missing += code < 0 ? 1 : 0;
    return column;
  }
  Coder coder(view, rows);
  for (const ColumnChunk& chunk : view.chunks) coder.add(chunk);
  return std::move(coder).finish();
}

void check_chunk(const ColumnView& view, const ColumnChunk& chunk) {
  if (chunk.type > ElementType::string_views)
    fail(view.name, "the element type is none of those known");
  if (chunk.rows > 0 && chunk.values == nullptr) fail(view.name, "the chunk has no values");
  if (is_nominal(chunk) != is_nominal(view.chunks[0])) {
    fail(view.name, "some chunks are numbers and some are not");
  }
  const bool codes = !is_text(chunk) && !is_bool(chunk) && chunk.type != ElementType::float32 &&
                     chunk.type != ElementType::float64;
  if (chunk.levels != nullptr && !codes) fail(view.name, "the codes of levels are whole numbers");
  const bool offsets = chunk.type == ElementType::text32 || chunk.type == ElementType::text64;
  if (chunk.stride != 0 && (offsets || chunk.type == ElementType::bool_bits)) {
    fail(view.name, "bits and texts by offsets have no stride");
  }
}

size_t rows_of(const ColumnView& view) {
  size_t rows = 0;
  for (const ColumnChunk& chunk : view.chunks) rows += chunk.rows;
  return rows;
}

}  // namespace

void fail_infinite(const std::string& column, size_t row, double number) {
  fail_at(column, row, number > 0 ? "inf is infinite" : "-inf is infinite");
}

Column number_column(const std::string& name, Cells<double> numbers) {
  Column column;
  column.numbers = std::move(numbers);
  if (all_finite(column.numbers)) return column;
  for (size_t row = 0; row < column.numbers.size(); ++row) {
    const double number = column.numbers[row];
    if (std::isinf(number)) fail_infinite(name, row, number);
    column.missing += std::isnan(number) ? 1 : 0;
  }
  return column;
}

FrameColumn frame_column(const ColumnView& view, NoteList* notes) {
  if (view.chunks.empty()) fail(view.name, "the column has no chunk");
  for (const ColumnChunk& chunk : view.chunks) check_chunk(view, chunk);
  const size_t rows = rows_of(view);
  if (rows > max_rows) {
    fail(view.name, fmt::format("{} rows, but at most {} can be handled", rows, max_rows));
  }
  if (is_nominal(view.chunks[0])) {
    FrameColumn column = nominal_column(view, rows);
    column.declared = view.ordered || view.declared;
    return column;
  }
  return {view.name, numbers_of(view, rows, notes), {}};
}

Frame frame_of(const DataColumns& columns, NoteList* notes) {
  Frame frame;
  std::unordered_set<std::string_view> names;
  for (const ColumnView& view : columns.columns()) {
    if (!names.insert(view.name).second) {
      throw Error(ErrorKind::data, fmt::format("two columns are named {}", shown(view.name)));
    }
    FrameColumn column = frame_column(view, notes);
    const size_t rows = column.cells.size();
    if (!frame.columns.empty() && rows != frame.rows) {
      fail(view.name, fmt::format("{}, the others have {}", counted(rows, "cell"), frame.rows));
    }
    frame.rows = rows;
    frame.columns.push_back(std::move(column));
  }
  return frame;
}

ColumnView view_of(const std::string& name, const Column& column,
                   const std::vector<std::string>& levels) {
  const auto owner = std::make_shared<const Column>(column);  // shares the cells
  ColumnView view{name, {}, owner, column.kind == Kind::ordinal, false};
  if (column.kind == Kind::numeric) {
    view.chunks = {chunk_of(std::span<const double>(owner->numbers))};
  } else {
    view.chunks = {dictionary_chunk(std::span<const int32_t>(owner->codes),
                                    std::make_shared<const std::vector<std::string>>(levels))};
  }
  return view;
}

DataColumns columns_of(const Frame& frame) {
  DataColumns columns;
  for (const FrameColumn& column : frame.columns) {
    ColumnView view = view_of(column.name, column.cells, column.levels);
    view.declared = column.declared;
    columns.add(std::move(view));
  }
  return columns;
}

}  // namespace softwood

#include "arrow.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstddef>
#include <cstring>
#include <limits>
#include <memory>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

namespace softwood::python {
namespace {

constexpr int64_t flag_ordered = 1;

// A stream that was read: its batches, and what was made of them, as long as columns borrow them.
struct Batches {
  ArrowSchema schema = {};
  std::vector<ArrowArray> arrays;
  std::vector<std::vector<std::string_view>> texts;  // of string views
  std::vector<std::vector<double>> numbers;          // of columns of the null type, and of decimals
  // The dictionary that was read last: writers give the same one with every batch.
  const ArrowSchema* levels_type = nullptr;
  const ArrowArray* levels_array = nullptr;
  std::shared_ptr<const std::vector<std::string>> levels;

  Batches() = default;
  Batches(const Batches&) = delete;
  Batches& operator=(const Batches&) = delete;
  ~Batches() {
    for (ArrowArray& array : arrays) {
      if (array.release != nullptr) array.release(&array);
    }
    if (schema.release != nullptr) schema.release(&schema);
  }
};

[[noreturn]] void refuse(const std::string& column, const std::string& what,
                         const std::string& hint) {
  throw Error(ErrorKind::data, what, "column '" + column + "'", hint);
}

void read_all(ArrowArrayStream& stream, Batches& batches,
              const std::function<void()>& between_batches) {
  const auto check = [&](int code) {
    if (code == 0) return;
    const char* const why = stream.get_last_error(&stream);
    throw Error(ErrorKind::data, std::string("the Arrow stream failed: ") +
                                     (why != nullptr ? why : "it does not say why"));
  };
  check(stream.get_schema(&stream, &batches.schema));
  for (;;) {
    ArrowArray array = {};
    check(stream.get_next(&stream, &array));
    if (array.release == nullptr) return;
    batches.arrays.push_back(array);
    between_batches();
  }
}

// Memory of a stream need not be aligned.
template <class T>
T cell(const void* cells, size_t row) {
  T value;
  std::memcpy(&value, static_cast<const char*>(cells) + row * sizeof(T), sizeof value);
  return value;
}

bool is_valid(const ArrowArray& array, size_t row) {
  if (array.null_count == 0 || array.n_buffers < 1 || array.buffers[0] == nullptr) return true;
  return (static_cast<const uint8_t*>(array.buffers[0])[row / 8] >> (row % 8) & 1) != 0;
}

// Up to 12 bytes of a text are in its view, others in a buffer.
struct TextView {
  static constexpr int32_t inlined = 12;
  int32_t length;
  char prefix[4];
  int32_t buffer, offset;
};

[[noreturn]] void refuse_broken(const std::string& column, const std::string& what) {
  refuse(column, "the Arrow stream is broken: " + what, "report it to whoever wrote the stream");
}

// What can be seen of a stream without knowing how large its buffers are.
void check_schema(const std::string& column, const ArrowSchema& schema) {
  if (schema.format == nullptr) refuse_broken(column, "a column without a type");
  const bool table = std::string_view(schema.format) == "+s";
  if (!table) return;
  if (schema.n_children < 0 || (schema.n_children > 0 && schema.children == nullptr)) {
    refuse_broken(column, "a table without its columns");
  }
  for (int64_t c = 0; c < schema.n_children; ++c) {
    if (schema.children[c] == nullptr || schema.children[c]->format == nullptr) {
      refuse_broken(column, "a column without a type");
    }
  }
}

void check_size(const std::string& column, const ArrowArray& array) {
  constexpr int64_t most = int64_t{1} << 60;
  if (array.length < 0 || array.offset < 0 || array.length > most || array.offset > most) {
    refuse_broken(column, "a length that can't be");
  }
}

// Before anything is made of the rows.
void check_rows(const std::string& column, const std::vector<ArrowArray>& arrays) {
  constexpr int64_t most = std::numeric_limits<int32_t>::max();
  int64_t rows = 0;
  for (const ArrowArray& array : arrays) {
    check_size(column, array);
    rows += array.length;
    if (rows <= most) continue;
    refuse(column,
           std::to_string(rows) + " rows, but at most " + std::to_string(most) + " can be handled",
           "take a sample of the rows");
  }
}

void check_buffers(const std::string& column, const ArrowArray& array, int64_t least) {
  if (array.n_buffers < least || array.buffers == nullptr || array.buffers[1] == nullptr) {
    refuse_broken(column, "cells without memory");
  }
}

template <class Offset>
void check_offsets(const std::string& column, const ArrowArray& array, size_t first,
                   size_t length) {
  check_buffers(column, array, 3);
  const auto offset = [&](size_t i) { return cell<Offset>(array.buffers[1], first + i); };
  for (size_t i = 0; i < length; ++i) {
    if (offset(i) < 0 || offset(i + 1) < offset(i)) {
      refuse_broken(column, "texts that end before they begin");
    }
  }
  if (offset(length) > offset(0) && array.buffers[2] == nullptr) {
    refuse_broken(column, "texts without memory");
  }
}

// The last buffer has the sizes of those between it and the views.
void check_views(const std::string& column, const ArrowArray& array, size_t first, size_t length) {
  check_buffers(column, array, 3);
  const int64_t parts = array.n_buffers - 3;
  const void* const sizes = array.buffers[array.n_buffers - 1];
  for (size_t row = first; row < first + length; ++row) {
    if (!is_valid(array, row)) continue;
    const auto view = cell<TextView>(array.buffers[1], row);
    const bool inside = view.length >= 0 && view.length <= TextView::inlined;
    const bool elsewhere = view.length > TextView::inlined && view.buffer >= 0 &&
                           view.buffer < parts && view.offset >= 0 && sizes != nullptr &&
                           array.buffers[2 + view.buffer] != nullptr &&
                           int64_t{view.offset} + view.length <=
                               cell<int64_t>(sizes, static_cast<size_t>(view.buffer));
    if (!inside && !elsewhere) refuse_broken(column, "a text outside of its memory");
  }
}

// Cells that are to be read: that they are there, as far as the stream says it.
void check_cells(const std::string& column, std::string_view format, const ArrowArray& array,
                 size_t first, size_t length) {
  check_size(column, array);
  if (length == 0) return;
  if (array.n_buffers > 0 && array.buffers == nullptr)
    refuse_broken(column, "cells without memory");
  if (format == "n") return;            // has no cells
  if (format.starts_with('+')) return;  // refused by its type; some have one buffer or none
  if (format == "u") return check_offsets<int32_t>(column, array, first, length);
  if (format == "U") return check_offsets<int64_t>(column, array, first, length);
  if (format == "vu") return check_views(column, array, first, length);
  check_buffers(column, array, 2);
}

std::optional<ElementType> number_type(std::string_view format) {
  if (format == "g") return ElementType::float64;
  if (format == "f") return ElementType::float32;
  if (format == "c") return ElementType::int8;
  if (format == "C") return ElementType::uint8;
  if (format == "s") return ElementType::int16;
  if (format == "S") return ElementType::uint16;
  if (format == "i") return ElementType::int32;
  if (format == "I") return ElementType::uint32;
  if (format == "l") return ElementType::int64;
  if (format == "L") return ElementType::uint64;
  return std::nullopt;
}

size_t size_of(ElementType type) {
  switch (type) {
    case ElementType::int8:
    case ElementType::uint8:
      return 1;
    case ElementType::int16:
    case ElementType::uint16:
      return 2;
    case ElementType::int32:
    case ElementType::uint32:
    case ElementType::float32:
      return 4;
    default:
      return 8;
  }
}

std::string_view viewed_text(const ArrowArray& array, size_t row) {
  const auto view = cell<TextView>(array.buffers[1], row);
  const auto length = static_cast<size_t>(view.length);
  if (view.length <= TextView::inlined) {
    const auto* const begin = static_cast<const char*>(array.buffers[1]) + row * sizeof view;
    return {begin + offsetof(TextView, prefix), length};
  }
  return {static_cast<const char*>(array.buffers[2 + view.buffer]) + view.offset, length};
}

template <class Offset>
std::string_view text_between(const ArrowArray& array, size_t row) {
  const auto begin = cell<Offset>(array.buffers[1], row);
  const auto end = cell<Offset>(array.buffers[1], row + 1);
  return {static_cast<const char*>(array.buffers[2]) + begin, static_cast<size_t>(end - begin)};
}

template <class T>
std::string number_text(const ArrowArray& array, size_t row) {
  char text[32];
  const T value = cell<T>(array.buffers[1], row);
  const auto end = std::to_chars(text, text + sizeof text, value).ptr;
  return {text, end};
}

// A value of a dictionary as the name of a level.
std::string level_text(const std::string& column, std::string_view format, const ArrowArray& array,
                       size_t row) {
  if (!is_valid(array, row)) return {};
  if (format == "u") return std::string(text_between<int32_t>(array, row));
  if (format == "U") return std::string(text_between<int64_t>(array, row));
  if (format == "vu") return std::string(viewed_text(array, row));
  if (format == "c") return number_text<int8_t>(array, row);
  if (format == "C") return number_text<uint8_t>(array, row);
  if (format == "s") return number_text<int16_t>(array, row);
  if (format == "S") return number_text<uint16_t>(array, row);
  if (format == "i") return number_text<int32_t>(array, row);
  if (format == "I") return number_text<uint32_t>(array, row);
  if (format == "l") return number_text<int64_t>(array, row);
  if (format == "L") return number_text<uint64_t>(array, row);
  if (format == "f") return number_text<float>(array, row);
  if (format == "g") return number_text<double>(array, row);
  refuse(column, "a dictionary of values that are neither text nor numbers",
         "cast the column to text");
}

std::shared_ptr<const std::vector<std::string>> levels_of(const std::string& column,
                                                          const ArrowSchema& schema,
                                                          const ArrowArray& array) {
  if (schema.format == nullptr) refuse_broken(column, "a dictionary without a type");
  check_size(column, array);
  check_cells(column, schema.format, array, static_cast<size_t>(array.offset),
              static_cast<size_t>(array.length));
  auto levels = std::make_shared<std::vector<std::string>>();
  for (int64_t i = 0; i < array.length; ++i) {
    levels->push_back(
        level_text(column, schema.format, array, static_cast<size_t>(array.offset + i)));
  }
  return levels;
}

// Whether these are the same cells in the same memory, which both arrays keep.
bool same_cells(const ArrowArray& one, const ArrowArray& other) {
  if (one.length != other.length || one.offset != other.offset ||
      one.null_count != other.null_count || one.n_buffers != other.n_buffers ||
      one.n_buffers <= 0 || one.buffers == nullptr || other.buffers == nullptr) {
    return false;
  }
  return std::equal(one.buffers, one.buffers + one.n_buffers, other.buffers);
}

// A dictionary of 100 000 levels is held once, not once per batch.
std::shared_ptr<const std::vector<std::string>> shared_levels(const std::string& column,
                                                              const ArrowSchema& schema,
                                                              const ArrowArray& array,
                                                              Batches& batches) {
  const bool same = batches.levels_type == &schema && same_cells(*batches.levels_array, array);
  if (!same) batches.levels = levels_of(column, schema, array);
  batches.levels_type = &schema;
  batches.levels_array = &array;
  return batches.levels;
}

[[noreturn]] void refuse_format(const std::string& column, std::string_view format) {
  if (format.starts_with("t")) {
    refuse(column, "dates and times are no inputs of a tree",
           "make numbers of them first: the year, the day of the week, the days since something");
  }
  if (format.starts_with("d:") || format == "e") {
    refuse(column, "numbers of this type can't be read", "cast the column to float64");
  }
  if (format.starts_with("+")) {
    refuse(column, "lists and nested values are no inputs of a tree", "make columns of its parts");
  }
  refuse(column, "cells of the Arrow type '" + std::string(format) + "' can't be read",
         "cast the column to numbers or text");
}

// Decimals are whole numbers of 32 to 256 bits in units of 10^-scale: "d:precision,scale" or
// "d:precision,scale,bits".
struct Decimals {
  int scale = 0;
  size_t bytes = 16;
};
std::optional<Decimals> decimals_of(std::string_view format) {
  if (!format.starts_with("d:")) return std::nullopt;
  const auto number = [&] {
    int value = 0;
    const auto end = std::from_chars(format.data(), format.data() + format.size(), value);
    format.remove_prefix(static_cast<size_t>(end.ptr - format.data()));
    if (!format.empty()) format.remove_prefix(1);  // the comma
    return value;
  };
  format.remove_prefix(2);
  number();
  Decimals found;
  found.scale = number();
  if (!format.empty()) found.bytes = static_cast<size_t>(number()) / 8;
  const bool known = found.bytes == 4 || found.bytes == 8 || found.bytes == 16 || found.bytes == 32;
  return known ? std::optional(found) : std::nullopt;
}

// The nearest double where the digits fit into 53 bits. Two's complement, the lowest word first.
double decimal(const unsigned char* cell, const Decimals& type, double unit) {
  constexpr size_t word = 4;
  constexpr double base = 4294967296.0;
  const bool negative = (cell[type.bytes - 1] & 0x80U) != 0;
  double value = 0;
  for (size_t at = type.bytes; at > 0; at -= word) {
    uint32_t part = 0;
    std::memcpy(&part, cell + at - word, word);
    value = value * base + (negative ? ~part : part);
  }
  return (negative ? -(value + 1) : value) / unit;
}

std::vector<double> decimal_cells(const ArrowArray& array, const Decimals& type, size_t first,
                                  size_t length) {
  const auto* const cells = static_cast<const unsigned char*>(array.buffers[1]);
  const double unit = std::pow(10.0, type.scale);
  std::vector<double> numbers(length);
  for (size_t i = 0; i < length; ++i) {
    numbers[i] = decimal(cells + (first + i) * type.bytes, type, unit);
  }
  return numbers;
}

// `length` cells of the array from cell `first` on.
ColumnChunk chunk_of_array(const std::string& column, const ArrowSchema& schema,
                           const ArrowArray& array, size_t first, size_t length, Batches& batches) {
  const std::string_view format = schema.format;
  check_cells(column, format, array, first, length);
  ColumnChunk chunk;
  chunk.rows = length;
  if (array.null_count != 0 && array.n_buffers > 0 && array.buffers[0] != nullptr) {
    chunk.valid_bits = static_cast<const uint8_t*>(array.buffers[0]);
    chunk.first_valid_bit = first;
  }
  if (format == "n") {
    const auto& cells = batches.numbers.emplace_back(length, unknown_number);
    chunk.values = cells.data();
    chunk.valid_bits = nullptr;
    return chunk;
  }
  if (const auto type = number_type(format)) {
    chunk.type = *type;
    chunk.values = static_cast<const char*>(array.buffers[1]) + first * size_of(*type);
    if (schema.dictionary != nullptr) {
      if (array.dictionary == nullptr) refuse_broken(column, "a dictionary that is not there");
      chunk.levels = shared_levels(column, *schema.dictionary, *array.dictionary, batches);
    }
    return chunk;
  }
  if (const auto type = decimals_of(format)) {
    chunk.values = batches.numbers.emplace_back(decimal_cells(array, *type, first, length)).data();
    chunk.first_valid_bit = first;
    return chunk;
  }
  if (format == "b") {
    chunk.type = ElementType::bool_bits;
    chunk.values = array.buffers[1];
    chunk.first_bit = first;
    return chunk;
  }
  if (format == "u" || format == "U") {
    const size_t offset_size = format == "u" ? sizeof(int32_t) : sizeof(int64_t);
    chunk.type = format == "u" ? ElementType::text32 : ElementType::text64;
    chunk.values = static_cast<const char*>(array.buffers[1]) + first * offset_size;
    chunk.text = static_cast<const char*>(array.buffers[2]);
    return chunk;
  }
  if (format == "vu") {
    auto& texts = batches.texts.emplace_back();
    texts.reserve(length);
    for (size_t row = first; row < first + length; ++row) {
      texts.push_back(is_valid(array, row) ? viewed_text(array, row) : std::string_view());
    }
    chunk.type = ElementType::string_views;
    chunk.values = texts.data();
    return chunk;
  }
  refuse_format(column, format);
}

// A column without rows still has a type.
ColumnChunk no_rows(const ArrowSchema& schema) {
  static const double nothing = 0;
  ColumnChunk chunk;
  chunk.values = &nothing;
  if (schema.dictionary != nullptr || std::string_view(schema.format).ends_with('u') ||
      std::string_view(schema.format) == "U") {
    chunk.type = ElementType::string_views;
  }
  return chunk;
}

void add_column(DataColumns& columns, const std::string& name, const ArrowSchema& schema,
                ColumnView view) {
  view.name = name;
  if (view.chunks.empty()) view.chunks.push_back(no_rows(schema));
  columns.add(std::move(view));
}

void add_batches(DataColumns& columns, const std::shared_ptr<Batches>& batches,
                 const std::string& name, bool ordered) {
  const ArrowSchema& schema = batches->schema;
  check_rows(name, batches->arrays);
  const auto is_ordered = [&](const ArrowSchema& of) {
    return ordered && of.dictionary != nullptr && (of.flags & flag_ordered) != 0;
  };
  if (std::string_view(schema.format) != "+s") {
    ColumnView view{name, {}, batches, is_ordered(schema)};
    for (const ArrowArray& array : batches->arrays) {
      check_size(name, array);
      if (array.length == 0) continue;
      view.chunks.push_back(chunk_of_array(name, schema, array, static_cast<size_t>(array.offset),
                                           static_cast<size_t>(array.length), *batches));
    }
    return add_column(columns, name, schema, std::move(view));
  }
  for (int64_t c = 0; c < schema.n_children; ++c) {
    const ArrowSchema& child = *schema.children[c];
    const std::string child_name = child.name != nullptr ? child.name : "";
    ColumnView view{child_name, {}, batches, is_ordered(child)};
    for (const ArrowArray& batch : batches->arrays) {
      check_size(child_name, batch);
      if (batch.length == 0) continue;
      if (batch.n_children != schema.n_children || batch.children == nullptr ||
          batch.children[c] == nullptr) {
        refuse_broken(child_name, "a batch without this column");
      }
      const ArrowArray& array = *batch.children[c];
      check_size(child_name, array);
      if (array.length < batch.offset + batch.length) {
        refuse_broken(child_name, "fewer cells than rows");
      }
      view.chunks.push_back(chunk_of_array(child_name, child, array,
                                           static_cast<size_t>(array.offset + batch.offset),
                                           static_cast<size_t>(batch.length), *batches));
    }
    add_column(columns, child_name, child, std::move(view));
  }
}

}  // namespace

void add_arrow_stream(DataColumns& columns, ArrowArrayStream& stream, const std::string& name,
                      bool ordered, const std::function<void()>& between_batches) {
  const auto batches = std::make_shared<Batches>();
  read_all(stream, *batches, between_batches);
  check_schema(name, batches->schema);
  add_batches(columns, batches, name, ordered);
}

}  // namespace softwood::python

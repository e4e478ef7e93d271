// Data for training and prediction: files, and columns that the caller has in memory.
//
// Columns in memory are borrowed. A cell that the library can read where it is, is not copied:
//   - float64, contiguous, in one chunk, NaN for missing cells, and without a null in the validity;
//   - codes of a dictionary as int32, contiguous, in one chunk, -1 for missing cells, without a
//     null in the validity, where the dictionary has the levels in the order that they are to have
//     (DataSettings::levels).
// All else is copied once, into columns of those two forms: other element types, strides, several
// chunks, cells that a validity says are missing, text, other orders of levels, and every column
// where rows are left out because their target is missing.
//
// Borrowed memory must not change, and stays borrowed by the DataSet made of it, by its copies and
// by nobody else: models keep nothing of it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include "softwood/error.h"
#include "softwood/note.h"

namespace softwood {

enum class ElementType : uint8_t {
  float32,
  float64,
  int8,
  int16,
  int32,
  int64,
  uint8,
  uint16,
  uint32,
  uint64,
  bool_bytes,   // one byte per cell, not 0: true
  bool_bits,    // one bit per cell, the lowest bit of a byte first (Arrow)
  text32,       // text between offsets of 32 bits (Arrow's string)
  text64,       // text between offsets of 64 bits (Arrow's large string)
  string_views  // std::string_view
};

// Rows of a column, one after the other in memory. The layout is Arrow's where Arrow has one.
struct ColumnChunk {
  ElementType type = ElementType::float64;
  size_t rows = 0;
  // The first cell. Text: the first of rows + 1 offsets into `text`, where cell i is
  // [offset i, offset i + 1).
  const void* values = nullptr;
  const char* text = nullptr;
  ptrdiff_t stride = 0;  // bytes from one cell to the next; 0: cells follow each other
  size_t first_bit = 0;  // bool_bits: the bit of `values` that is the first cell

  // Which cells are there; neither: all. Bits are as in bool_bits, bytes are 0 for missing cells.
  const uint8_t* valid_bits = nullptr;
  size_t first_valid_bit = 0;
  const uint8_t* valid_bytes = nullptr;

  // Not null: `values` are whole numbers that index these levels; less than 0 is missing. Each
  // chunk of a column may have levels of its own.
  std::shared_ptr<const std::vector<std::string>> levels = {};
};

template <class T>
constexpr ElementType element_type() {
  if constexpr (std::is_same_v<T, std::string_view>)
    return ElementType::string_views;
  else if constexpr (std::is_same_v<T, bool>)
    return ElementType::bool_bytes;
  else if constexpr (std::is_floating_point_v<T>)
    return sizeof(T) == 4 ? ElementType::float32 : ElementType::float64;
  else {
    static_assert(std::is_integral_v<T> && sizeof(T) <= 8, "no element of a column");
    constexpr bool is_signed = std::is_signed_v<T>;
    switch (sizeof(T)) {
      case 1:
        return is_signed ? ElementType::int8 : ElementType::uint8;
      case 2:
        return is_signed ? ElementType::int16 : ElementType::uint16;
      case 4:
        return is_signed ? ElementType::int32 : ElementType::uint32;
      default:
        return is_signed ? ElementType::int64 : ElementType::uint64;
    }
  }
}

// Chunks of contiguous cells; set validity and stride afterwards where they are needed.
template <class T>
ColumnChunk chunk_of(std::span<const T> cells) {
  ColumnChunk chunk;
  chunk.type = element_type<T>();
  chunk.rows = cells.size();
  chunk.values = cells.data();
  return chunk;
}
template <class T>
ColumnChunk chunk_of(const std::vector<T>& cells) {
  return chunk_of(std::span<const T>(cells));
}
template <class T>
ColumnChunk dictionary_chunk(std::span<const T> codes,
                             std::shared_ptr<const std::vector<std::string>> levels) {
  ColumnChunk chunk = chunk_of(codes);
  chunk.levels = std::move(levels);
  return chunk;
}

struct ColumnView {
  std::string name;
  // One or more. Dictionaries that differ are unified: where their order is meant, new levels come
  // after those known.
  std::vector<ColumnChunk> chunks;
  // Keeps the memory of all chunks alive, as long as the library needs it; null: the caller does.
  std::shared_ptr<const void> owner = {};
  // A dictionary whose levels are in order from low to high: the input is ordinal.
  bool ordered = false;
  // A dictionary in which the order of the levels is meant, without being one from low to high:
  // levels and classes keep it. Always so where `ordered`.
  bool declared = false;
};

// What is to be known about columns beyond what is found out.
struct DataSettings {
  std::string target;   // empty: the last column
  std::string weights;  // a column of weights; empty: every row weighs 1
  std::string task;     // "classification", "regression" or empty: found out
  std::vector<std::string> nominal, numeric, ignore;
  std::map<std::string, std::vector<std::string>> ordinal;  // column -> levels from low to high
  // Column (an input or the target) -> its levels or classes in the order that they are to have. A
  // cell with another one is an error. Columns that are not named: the order that an ARFF file or a
  // dictionary declares, else numbers by value, then texts by code points; never that of the rows.
  std::map<std::string, std::vector<std::string>> levels;
  // Of two classes, the one that thresholds and monotone inputs are about; empty: the last one.
  std::string positive;
  // Texts that stand for missing cells beside the usual ones ("", "?", "NA", "nan", "null" in
  // files, NaN and "" in memory); one that is a number stands for that number, too. Models keep
  // them and find them again in the rows that they answer.
  std::vector<std::string> missing;
  bool header = true;  // files: the first line has the names of the columns
};

using NoteList = std::vector<Note>;  // what the user should know

// Named columns, one cell per row and column: in memory, read from a file, or generated.
class DataColumns {
 public:
  DataColumns() = default;
  // The columns of a file as they are read, before anybody has said which one is the target.
  static DataColumns read(const std::string& path, const DataSettings& settings = {});

  // Borrowed columns.
  DataColumns& add(ColumnView column);
  DataColumns& target(ColumnView column);   // instead of DataSettings::target
  DataColumns& weights(ColumnView column);  // instead of DataSettings::weights
  // Columns that are handed over. NaN and empty text are missing.
  DataColumns& number(std::string name, std::vector<double> cells);
  DataColumns& text(std::string name, const std::vector<std::string>& cells);

  size_t rows() const;
  // In order; those that were read or generated are float64, or int32 codes of a dictionary.
  const std::vector<ColumnView>& columns() const { return columns_; }
  const std::string& target_name() const { return target_; }    // "" where target() was not called
  const std::string& weights_name() const { return weights_; }  // the same for weights()

 private:
  std::vector<ColumnView> columns_;
  std::string target_, weights_;
};

// Rows of numbers as they lie in memory, row after row or column after column, such as NumPy's
// arrays. NaN is missing. Borrowed for the time of a call.
struct NumberMatrix {
  ElementType type = ElementType::float64;  // or float32; aligned as these are
  const void* cells = nullptr;
  size_t rows = 0, columns = 0;
  ptrdiff_t row_stride = 0, column_stride = 0;  // bytes
  // The column of each of TreeModel::tree().inputs; of those that the model does not ask about
  // (TreeModel::inputs_used) any number.
  std::span<const size_t> inputs = {};
};

class TreeModel;

// Rows to learn from, or to be answered. Cheap to copy; may be used from several threads.
//
// Data errors name the column and the row (from 1 on; in files the line): an infinite number, a
// code outside of its dictionary, columns of different lengths, two columns of one name.
class DataSet {
 public:
  // To learn from: kinds, levels and task are found out. `notes` receives what the user should know
  // (columns left out, rows dropped).
  static DataSet read(const std::string& path, const DataSettings& settings = {},
                      NoteList* notes = nullptr);
  static DataSet from(const DataColumns& columns, const DataSettings& settings = {},
                      NoteList* notes = nullptr);
  // With the schema of a model, for its answers. Columns are found by name, and only those that the
  // model asks about are read; levels that it does not know are missing, with a note. The target is
  // not read.
  static DataSet read_for(const TreeModel& model, const std::string& path,
                          NoteList* notes = nullptr);
  static DataSet from_for(const TreeModel& model, const DataColumns& columns,
                          NoteList* notes = nullptr);
  // The same with known answers, for TreeModel::evaluate and rework: rows without one are left out.
  // Inputs that the model does not ask about are read, too, where they are there: rework needs all.
  // Weights given by DataColumns::weights count, also where the model was trained without.
  static DataSet read_to_evaluate(const TreeModel& model, const std::string& path,
                                  NoteList* notes = nullptr);
  static DataSet from_to_evaluate(const TreeModel& model, const DataColumns& columns,
                                  NoteList* notes = nullptr);
  // With the schema of other data, for validation rows and rework: all columns must be there.
  static DataSet read_like(const DataSet& data, const std::string& path, NoteList* notes = nullptr);
  static DataSet from_like(const DataSet& data, const DataColumns& columns,
                           NoteList* notes = nullptr);

  size_t rows() const;
  std::vector<std::string> inputs() const;
  const std::string& target() const;
  std::vector<std::string> classes() const;  // empty for regression
  std::string positive() const;              // the positive one of two classes, else ""
  const std::vector<std::string>& missing_marks() const;  // DataSettings::missing
  bool is_classification() const;
  // The inputs as the library holds them, without a copy: float64 with NaN for missing cells, or
  // int32 codes of a dictionary with -1.
  std::vector<ColumnView> input_columns() const;
  // 64-bit hash of all rows in whatever order, as 16 hex digits; a row of weight 2 is the row
  // twice. Models keep that of their training data.
  std::string fingerprint() const;

  struct Held;  // the library's own form
  explicit DataSet(std::shared_ptr<const Held> held) : held_(std::move(held)) {}
  const Held& held() const { return *held_; }

 private:
  std::shared_ptr<const Held> held_;
};

}  // namespace softwood

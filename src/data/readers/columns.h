// The columns of a Frame while they are read: chunk by chunk, each chunk in one thread, the cells
// straight into their place. What comes out does not depend on how the file was cut into chunks.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/parallel.h"
#include "data/frame.h"
#include "data/readers/levels.h"
#include "data/readers/source.h"

namespace softwood {

enum class Use : uint8_t { skip, number, text };

struct ColumnSpec {
  std::string name;
  Use use = Use::number;
  bool settled = false;               // by the user or the file; else a text makes it a text column
  bool closed = false;                // only the declared levels are allowed
  std::vector<std::string> declared;  // levels in the order of their codes
};

// Sets uses as the options say. Throws when they name a column that is not there.
void apply_options(std::vector<ColumnSpec>& specs, const ReadOptions& options,
                   const std::string& file);
std::vector<std::string> skipped_names(const std::vector<ColumnSpec>& specs);
// Throws when a name is empty or occurs twice.
void check_names(const std::vector<ColumnSpec>& specs, const std::string& where,
                 const Advice& hint);

// What one chunk found in one column.
struct ChunkColumn {
  size_t missing = 0;
  bool has_text = false;           // a cell that is not a number
  const char* infinite = nullptr;  // first infinite number
  std::unique_ptr<LevelIndex> levels;
};

// The cells of a column while they are written; zeros at first.
struct CellDraft {
  std::shared_ptr<double> numbers;
  std::shared_ptr<int32_t> codes;
  size_t missing = 0;
};

class ColumnFiller;

// One chunk's way into the columns.
class ChunkWriter {
 public:
  Use use(size_t column) const { return uses_[column]; }
  void number(size_t column, size_t row, double value) { numbers_[column][row] = value; }
  double* numbers(size_t column) { return numbers_[column]; }  // of all rows
  // A cell as text without its quotes; `at` is where it stands in the file. `lasting`: the text is
  // part of the file itself.
  void cell(size_t column, size_t row, std::string_view text, const char* at, bool lasting);

 private:
  friend class ColumnFiller;
  void number_cell(size_t column, size_t row, std::string_view text, const char* at);
  void text_cell(size_t column, size_t row, std::string_view text, const char* at, bool lasting);

  const ColumnFiller* filler_ = nullptr;
  std::vector<Use> uses_;
  std::vector<double*> numbers_;
  std::vector<int32_t*> codes_;
  std::vector<ChunkColumn> found_;
};

class ColumnFiller {
 public:
  // `first_rows[chunk]` is the row that a chunk begins with; one more entry: the number of rows.
  ColumnFiller(const Source& source, std::vector<ColumnSpec> specs, std::vector<size_t> first_rows,
               const Parallel& parallel);

  // Calls parse(chunk, writer) for every chunk, which hands every cell of a column that is not
  // skipped to the writer; twice when columns turn out to be text after they were read as numbers.
  // Of several errors that of the first chunk is thrown.
  using Parse = std::function<void(size_t chunk, ChunkWriter& writer)>;
  std::vector<FrameColumn> fill(const Parse& parse);

 private:
  friend class ChunkWriter;
  size_t chunks() const { return first_rows_.size() - 1; }
  void check_memory(const std::vector<size_t>& columns) const;
  void run_pass(const Parse& parse, const std::vector<size_t>& columns);
  std::vector<size_t> turn_to_text(const std::vector<size_t>& columns);
  void check_finite(size_t column) const;
  void finish_column(size_t column);
  void merge_levels(size_t column);

  const Source& source_;
  std::vector<ColumnSpec> specs_;
  std::vector<size_t> first_rows_;
  const Parallel& parallel_;
  std::vector<FrameColumn> columns_;
  std::vector<CellDraft> drafts_;  // the cells of columns_ until they are finished
  std::vector<std::unique_ptr<LevelIndex>> declared_;  // of closed columns
  std::vector<std::vector<ChunkColumn>> found_;        // [chunk][column]
};

}  // namespace softwood

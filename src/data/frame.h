// A file as read: named columns, found to be numbers or text, before anybody has said which one is
// the target. A Frame becomes a Table for training (roles and kinds are decided, a Schema is made)
// or for use with a model (the model's Schema is applied).
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "base/control.h"
#include "base/parallel.h"
#include "data/table.h"

namespace softwood {

struct FrameColumn {
  std::string name;
  Column cells;                     // numeric, or nominal with codes into levels
  std::vector<std::string> levels;  // in some order, which means something only where declared
  bool declared = false;            // the file, or the caller, has put the levels in this order
};

struct Frame {
  std::string source;  // file name, or "standard input": for messages; empty: columns in memory
  size_t rows = 0;
  std::vector<FrameColumn> columns;
  std::vector<std::string> skipped;  // names of the file's columns that were not kept
  // Row r begins in line lines[r] of the file, or in line first_line + r when `lines` is empty. Of
  // columns in memory these are rows, from 1.
  size_t first_line = 1;
  std::vector<size_t> lines;

  const FrameColumn* find(const std::string& name) const;  // null when there is none
  // In memory the number of the row, from 1 on.
  size_t line(size_t row) const { return lines.empty() ? first_line + row : lines[row]; }
  std::string row_name(size_t row) const;  // "line 12", "row 12"
};

struct ReadOptions {
  bool header = true;                   // false: columns are named c1, c2, …
  std::vector<std::string> nominal;     // columns forced to text
  std::vector<std::string> ordinal;     // columns with levels in an order: forced to text as well
  std::vector<std::string> numeric;     // columns forced to numbers: other cells are errors
  std::string weights;                  // column of weights: forced to numbers as well
  std::vector<std::string> ignore;      // columns not kept
  std::vector<std::string> only;        // not empty: all other columns are not kept
  bool absent_columns_allowed = false;  // the lists may name columns that the file does not have
  bool no_rows_allowed = false;         // a header without rows is no error
  // Bytes that a .gz or standard input may give; 0: half of the machine's memory.
  uint64_t unpack_limit = 0;
};

// Reads CSV, TSV or ARFF, plain or .gz; "-" is standard input. Throws a data Error
// that names file, line, column and the offending text for anything that is not right.
Frame read_frame(const std::string& path, const ReadOptions& options, const Parallel& parallel);

// What the user said about the columns for training.
struct Roles {
  std::string target;  // empty: the last column
  std::string weights;
  std::map<std::string, std::vector<std::string>> ordinal;  // column -> levels from low to high
  std::optional<Task> task;
  std::vector<std::string> nominal;        // as in ReadOptions: never reinterpreted
  std::string positive;                    // the positive one of two classes; empty: the last
  std::vector<std::string> missing_marks;  // kept in the schema
};

// In fewer rows all values of a column may well differ by chance.
constexpr size_t fewest_identifiers = 11;

// Decides target, task, kinds and features: nominal target or at most 10 distinct whole numbers:
// classification; identifiers (nominal, all values different) are left out; rows without a target
// are left out. Everything that the user should know is said through control.note. Throws a data
// Error when the data can't be learned from (no such target, infinite values…). A target with one
// class and a table without inputs are accepted here; `softwood train` refuses them.
struct Prepared {
  Table table;
  std::vector<RowIndex> kept_rows;  // the frame's row that each row of the table came from
  size_t frame_rows = 0;            // how many rows the frame had
};
Prepared training_table(Frame frame, const Roles& roles, const Control& control);

// Cells with levels that a model does not know, by row and input: their texts.
using UnknownCells = std::map<std::pair<RowIndex, uint32_t>, std::string>;

// Reading options and table for data that a model with this schema is used on: columns are found by
// name, kinds are the schema's, unknown levels become missing (one counted warning). Target and
// weights are read only with `need_target`, which makes the target required; a class that the
// schema does not know gets code -1 and stays in the table, with a warning. `needed` says which
// features must be there, all when it is empty; the others are not read and all their cells are
// missing. `unknown` gets the texts of unknown levels.
ReadOptions read_options_for(const Schema& schema, bool need_target = false,
                             const std::vector<bool>& needed = {});
Table table_for(Frame frame, const Schema& schema, bool need_target, const Control& control,
                const std::vector<bool>& needed = {}, UnknownCells* unknown = nullptr);

}  // namespace softwood

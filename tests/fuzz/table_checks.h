// What must hold for whatever a reader made of arbitrary bytes.
#pragma once

#include <bit>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <string_view>

#include "data/frame.h"
#include "data/readers/readers.h"
#include "softwood/error.h"

namespace softwood::fuzz {

inline void require(bool holds, const char* what) {
  if (holds) return;
  std::fprintf(stderr, "violated: %s\n", what);
  std::abort();
}

struct Outcome {
  Frame frame;
  std::string error;  // empty when there was none
};

inline Outcome read(std::string_view bytes, Format format, const ReadOptions& options,
                    const Parallel& parallel, size_t chunk_bytes) {
  try {
    return {read_frame_bytes(bytes, format, "input", options, {parallel, chunk_bytes}), {}};
  } catch (const Error& error) {
    require(!error.text().empty() && error.kind() == ErrorKind::data, "errors are about the data");
    return {{}, error.text()};
  }
}

inline void check_frame(const Frame& frame) {
  for (const FrameColumn& column : frame.columns) {
    const Column& cells = column.cells;
    const bool numeric = cells.kind == Kind::numeric;
    require((numeric ? cells.numbers.size() : cells.codes.size()) == frame.rows,
            "a cell for each row");
    size_t missing = 0;
    for (size_t row = 0; row < frame.rows; ++row) {
      missing += cells.is_missing(row) ? 1 : 0;
      if (numeric) {
        require(!std::isinf(cells.numbers[row]), "numbers are finite");
      } else {
        require(cells.codes[row] < static_cast<int32_t>(column.levels.size()),
                "codes are of levels");
      }
    }
    require(missing == cells.missing, "missing cells are counted");
  }
  size_t line = 0;
  for (size_t row = 0; row < frame.rows; ++row) {
    require(frame.line(row) > line, "lines ascend");
    line = frame.line(row);
  }
}

inline void check_same(const Outcome& a, const Outcome& b) {
  require(a.error == b.error, "the same error");
  require(a.frame.rows == b.frame.rows && a.frame.columns.size() == b.frame.columns.size(),
          "the same size");
  for (size_t row = 0; row < a.frame.rows; ++row) {
    require(a.frame.line(row) == b.frame.line(row), "the same lines");
  }
  for (size_t c = 0; c < a.frame.columns.size(); ++c) {
    const FrameColumn& x = a.frame.columns[c];
    const FrameColumn& y = b.frame.columns[c];
    require(x.name == y.name && x.levels == y.levels && x.cells.kind == y.cells.kind,
            "the same column");
    require(x.cells.codes == y.cells.codes, "the same codes");
    for (size_t row = 0; row < x.cells.numbers.size(); ++row) {
      require(std::bit_cast<uint64_t>(x.cells.numbers[row]) ==
                  std::bit_cast<uint64_t>(y.cells.numbers[row]),
              "the same numbers");
    }
  }
}

// Reads in one piece and in tiny chunks; then prepares a table and uses its schema on the frame.
inline void check_reader(std::string_view bytes, Format format, const ReadOptions& options) {
  const Parallel alone(1);
  Outcome whole = read(bytes, format, options, alone, 0);
  check_frame(whole.frame);
  for (size_t chunk_bytes : {1, 13}) {
    check_same(whole, read(bytes, format, options, alone, chunk_bytes));
  }
  if (!whole.error.empty()) return;
  try {
    const Frame again = whole.frame;
    const Prepared prepared = training_table(std::move(whole.frame), {}, {});
    require(prepared.kept_rows.size() == prepared.table.rows(), "each row came from somewhere");
    require(prepared.table.fingerprint().size() == 16, "a fingerprint has 16 digits");
    const Schema& schema = prepared.table.schema();
    require(table_for(again, schema, true, {}).rows() == prepared.table.rows(), "the same rows");
    Outcome used = read(bytes, format, read_options_for(schema), alone, 0);
    if (used.error.empty()) table_for(std::move(used.frame), schema, false, {});
  } catch (const Error& error) {
    require(error.kind() == ErrorKind::data, "errors are about the data");
  }
}

}  // namespace softwood::fuzz

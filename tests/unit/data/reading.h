// Shortcuts for tests that read data from memory.
#pragma once

#include <gtest/gtest.h>

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "data/frame.h"
#include "data/readers/readers.h"
#include "softwood/error.h"

namespace softwood::test {

inline Frame csv(std::string_view text, const ReadOptions& options = {}, int threads = 1,
                 size_t chunk_bytes = 0) {
  const Parallel parallel(threads);
  return read_frame_bytes(text, Format::csv, "data.csv", options, {parallel, chunk_bytes});
}

inline Frame arff(std::string_view text, const ReadOptions& options = {}, int threads = 1,
                  size_t chunk_bytes = 0) {
  const Parallel parallel(threads);
  return read_frame_bytes(text, Format::arff, "data.arff", options, {parallel, chunk_bytes});
}

// The cells of a column as text; "-" where it is missing.
inline std::vector<std::string> cells(const Frame& frame, const std::string& name) {
  const FrameColumn* column = frame.find(name);
  if (column == nullptr) return {"no such column"};
  std::vector<std::string> texts;
  for (size_t row = 0; row < frame.rows; ++row) {
    if (column->cells.is_missing(row)) {
      texts.emplace_back("-");
    } else if (column->cells.kind == Kind::numeric) {
      std::string text = std::to_string(column->cells.numbers[row]);
      texts.push_back(text.substr(0, text.find_last_not_of("0.") + 1));
      if (texts.back().empty() || texts.back() == "-") texts.back() = "0";
    } else {
      texts.push_back(column->levels[static_cast<size_t>(column->cells.codes[row])]);
    }
  }
  return texts;
}

using Texts = std::vector<std::string>;

// Expects an Error about the data whose text has all the parts in it.
inline void expect_data_error(const std::function<void()>& act, const Texts& parts) {
  try {
    act();
    ADD_FAILURE() << "no error; expected: " << parts.front();
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::data) << error.text();
    for (const std::string& part : parts) {
      EXPECT_NE(error.text().find(part), std::string::npos)
          << "'" << part << "' is not in: " << error.text();
    }
  }
}

// Equal to the last bit, missing cells and order of the levels included.
void expect_same(const Frame& a, const Frame& b);

// Collects what is said to the user.
struct Notes {
  Texts texts;
  Control control;
  Notes() {
    control.note = [this](const Note& said) { texts.push_back(said.text()); };
  }
};

}  // namespace softwood::test

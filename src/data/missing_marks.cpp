#include "data/missing_marks.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/text.h"
#include "data/convert.h"
#include "data/readers/fault.h"
#include "data/readers/number.h"
#include "data/readers/readers.h"
#include "softwood/error.h"

namespace softwood {
namespace {

void mark_numbers(Column& column, std::span<const std::string> texts) {
  for (const std::string& text : texts) {
    double mark = 0;
    if (read_number(text, mark) != NumberText::finite) continue;
    const Cells<double>& numbers = column.numbers;
    if (std::find(numbers.begin(), numbers.end(), mark) == numbers.end()) continue;
    ColumnDraft marked(std::move(column));
    std::replace(marked.numbers.begin(), marked.numbers.end(), mark, missing_number);
    column = std::move(marked);
  }
}

// Takes the levels out; true when there were some.
bool drop_levels(FrameColumn& column, std::span<const std::string> texts) {
  std::vector<int32_t> code_of(column.levels.size());
  std::vector<std::string> kept;
  for (size_t code = 0; code < column.levels.size(); ++code) {
    const bool marked = std::find(texts.begin(), texts.end(), column.levels[code]) != texts.end();
    code_of[code] = marked ? missing_code : static_cast<int32_t>(kept.size());
    if (!marked) kept.push_back(std::move(column.levels[code]));
  }
  const bool any = kept.size() < column.levels.size();
  column.levels = std::move(kept);
  if (!any) return false;
  ColumnDraft cells(std::move(column.cells));
  for (int32_t& code : cells.codes) {
    if (code >= 0) code = code_of[static_cast<size_t>(code)];
  }
  column.cells = std::move(cells);
  return true;
}

void make_numeric_if_numbers(FrameColumn& column) {
  std::vector<double> values(column.levels.size());
  for (size_t code = 0; code < values.size(); ++code) {
    if (read_number(column.levels[code], values[code]) != NumberText::finite) return;
  }
  ColumnDraft cells(Kind::numeric);
  cells.numbers.reserve(column.cells.codes.size());
  for (const int32_t code : column.cells.codes) {
    cells.numbers.push_back(code < 0 ? missing_number : values[static_cast<size_t>(code)]);
  }
  column.cells = std::move(cells);
  column.levels.clear();
}

void refuse_absent(const Frame& frame, const std::string& name) {
  if (frame.find(name) != nullptr) return;
  std::vector<std::string> names;
  for (const FrameColumn& column : frame.columns) names.push_back(column.name);
  throw Error(ErrorKind::data, fmt::format("no column '{}' to be numeric", name), frame.source,
              known_names_hint(name, names));
}

}  // namespace

void mark_missing(Frame& frame, std::span<const std::string> texts,
                  std::span<const std::string> nominal) {
  for (FrameColumn& column : frame.columns) {
    if (column.cells.kind == Kind::numeric) {
      mark_numbers(column.cells, texts);
    } else if (drop_levels(column, texts) &&
               std::find(nominal.begin(), nominal.end(), column.name) == nominal.end()) {
      make_numeric_if_numbers(column);
    }
  }
}

void add_missing_marks(std::span<const std::string> texts, Schema& schema) {
  std::vector<std::string>& marks = schema.missing_marks;
  for (const std::string& text : texts) {
    if (std::find(marks.begin(), marks.end(), text) == marks.end()) marks.push_back(text);
  }
}

void refuse_text(const Frame& frame, const std::string& name) {
  const FrameColumn* const column = frame.find(name);
  if (column == nullptr || column->cells.kind == Kind::numeric) return;
  for (size_t row = 0; row < frame.rows; ++row) {
    const std::string text = cell_text(*column, row);
    double ignored = 0;
    if (text.empty() || parse_number(text, ignored)) continue;
    throw Error(ErrorKind::data, shown(text) + " is not a number", place(frame, row, *column),
                number_hint(text));
  }
}

Frame read_frame(const std::string& path, ReadOptions options, std::span<const std::string> marks,
                 const Parallel& parallel) {
  const Source source = Source::open(path, options.unpack_limit, parallel);
  return read_frame(source, std::move(options), marks, parallel);
}

Frame read_frame(const Source& source, ReadOptions options, std::span<const std::string> marks,
                 const Parallel& parallel) {
  if (marks.empty()) return read_frame(source, options, parallel);
  std::vector<std::string> numeric = std::move(options.numeric);
  options.numeric.clear();
  if (!options.weights.empty()) numeric.push_back(std::move(options.weights));
  options.weights.clear();
  Frame frame = read_frame(source, options, parallel);
  std::vector<std::string> texts = options.nominal;
  texts.insert(texts.end(), options.ordinal.begin(), options.ordinal.end());
  mark_missing(frame, marks, texts);
  for (const std::string& name : numeric) {
    if (!options.absent_columns_allowed) refuse_absent(frame, name);
    refuse_text(frame, name);
  }
  return frame;
}

}  // namespace softwood

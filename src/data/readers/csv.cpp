#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "base/text.h"
#include "data/convert.h"
#include "data/readers/columns.h"
#include "data/readers/csv_cell.h"
#include "data/readers/csv_numbers.h"
#include "data/readers/csv_rows.h"
#include "data/readers/csv_separators.h"
#include "data/readers/fault.h"
#include "data/readers/number.h"
#include "data/readers/readers.h"
#include "data/readers/utf8.h"
#include "softwood/error.h"

namespace softwood {
namespace {

// `before` is said first, where names matter.
Advice no_header_advice(const std::string& before) {
  return {
      AdviceCode::first_line_is_data, before + "if the first line is no header, say so", {before}};
}

constexpr size_t most_part = size_t{1} << 18;  // of a file, in memory at once: in the cache

// Without blanks at the end.
size_t end_of_text(const FileParts& file) {
  constexpr size_t step = 4096;
  std::vector<char> buffer;
  for (size_t end = file.size(); end > 0;) {
    const size_t begin = end - std::min(end, step);
    const size_t last = file.read(begin, end, buffer).find_last_not_of(" \r\n");
    if (last != std::string_view::npos) return begin + last + 1;
    end = begin;
  }
  return 0;
}

template <class Chunk>
std::vector<size_t> first_rows_of(const std::vector<Chunk>& chunks) {
  std::vector<size_t> first_rows{0};
  for (const Chunk& chunk : chunks) first_rows.push_back(first_rows.back() + chunk.rows);
  return first_rows;
}

class CsvReader {
 public:
  CsvReader(const Source& source, const ReadOptions& options, const Reading& reading)
      : source_(source), options_(options), reading_(reading) {}
  Frame read();
  // The source is the beginning of the file. Nothing when the file has to be read as a whole.
  std::optional<Frame> read_rest(const FileParts& file);

 private:
  void read_columns();
  void find_body();
  void read_header();
  void name_columns();
  Frame fill_columns(const std::vector<size_t>& first_rows, const ColumnFiller::Parse& parse);
  void settle_texts_of_first_rows();
  void parse_chunk(const RowChunk& chunk, size_t row, ChunkWriter& writer) const;
  bool parse_plain_chunk(const RowChunk& chunk, size_t row, ChunkWriter& writer) const;
  void parse_plain_cells(const char* const* starts, size_t rows, size_t column, size_t row,
                         ChunkWriter& writer, std::vector<uint32_t>& others) const;
  const char* parse_row(const char* p, size_t row, ChunkWriter& writer, std::string& scratch) const;
  const char* parse_cell(const char* p, size_t column, size_t row, ChunkWriter& writer,
                         std::string& scratch) const;
  void number_lines(const CsvRows& rows, const std::vector<size_t>& first_rows, Frame& frame) const;
  // Goes from the beginning of a row to its end.
  size_t count_cells(const char*& p) const;
  [[noreturn]] void fail_ragged(const char* row_begin) const;

  const Source& source_;
  const ReadOptions& options_;
  const Reading& reading_;
  char delimiter_ = ',';
  const char* begin_ = nullptr;  // what is not yet read: first the header, then the rows
  const char* end_ = nullptr;
  std::vector<ColumnSpec> specs_;
};

// What comes before the rows.
void CsvReader::read_columns() {
  find_body();
  if (options_.header) {
    read_header();
  } else {
    name_columns();
  }
  apply_options(specs_, options_, source_.name());
}

Frame CsvReader::read() {
  read_columns();
  const bool old_line_ends = begin_ >= end_ &&
                             source_.bytes().find('\r') < source_.bytes().size() - 1 &&
                             source_.bytes().find('\n') == std::string_view::npos;
  if (begin_ >= end_ && (old_line_ends || !options_.no_rows_allowed)) {
    throw Error(ErrorKind::data, "there are no rows after the header", source_.name(),
                old_line_ends ? Advice("its lines end with CR alone: convert them to LF or CR LF")
                              : no_header_advice(""));
  }
  const std::string_view body(begin_, static_cast<size_t>(end_ - begin_));
  const size_t chunk_bytes = reading_.chunk_bytes > 0
                                 ? reading_.chunk_bytes
                                 : default_chunk_bytes(body.size(), specs_.size());
  const CsvRows rows = find_csv_rows(source_, body, delimiter_, chunk_bytes, reading_.parallel);
  const std::vector<size_t> first_rows = first_rows_of(rows.chunks);
  Frame frame = fill_columns(first_rows, [&](size_t chunk, ChunkWriter& writer) {
    parse_chunk(rows.chunks[chunk], first_rows[chunk], writer);
  });
  if (rows.multiline) number_lines(rows, first_rows, frame);
  return frame;
}

std::optional<Frame> CsvReader::read_rest(const FileParts& file) {
  read_columns();
  if (begin_ >= end_) return {};
  const auto begin = static_cast<size_t>(begin_ - source_.bytes().data());
  const size_t end = end_of_text(file);
  const size_t chunk_bytes = std::min(default_chunk_bytes(end - begin, specs_.size()), most_part);
  if ((end - begin) / chunk_bytes >= most_notes / std::max<size_t>(specs_.size(), 1)) return {};
  const std::vector<FileChunk> chunks =
      find_plain_rows(file, begin, end, chunk_bytes, reading_.parallel);
  if (chunks.empty()) return {};
  const std::vector<size_t> first_rows = first_rows_of(chunks);
  std::vector<std::vector<char>> buffers(static_cast<size_t>(reading_.parallel.threads()));
  Frame frame = fill_columns(first_rows, [&](size_t i, ChunkWriter& writer) {
    std::vector<char>& buffer = buffers[reading_.parallel.worker()];
    const std::string_view text = file.read(chunks[i].begin, chunks[i].end, buffer);
    const RowChunk chunk{text.data(), text.data() + text.size(), chunks[i].rows, false};
    if (!parse_plain_chunk(chunk, first_rows[i], writer)) throw Error(ErrorKind::data, "a fault");
  });
  return file.has_changed() ? std::nullopt : std::optional(std::move(frame));
}

Frame CsvReader::fill_columns(const std::vector<size_t>& first_rows,
                              const ColumnFiller::Parse& parse) {
  settle_texts_of_first_rows();
  Frame frame;
  frame.source = source_.name();
  frame.rows = first_rows.back();
  frame.first_line = line_of(source_, begin_);
  ColumnFiller filler(source_, specs_, first_rows, reading_.parallel);
  frame.skipped = skipped_names(specs_);
  frame.columns = filler.fill(parse);
  return frame;
}

// Leaves out the byte order mark and blank lines at both ends; finds the delimiter.
void CsvReader::find_body() {
  std::string_view bytes = source_.bytes();
  if (bytes.starts_with("\xEF\xBB\xBF")) bytes.remove_prefix(3);
  const auto blank = [](char c) { return c == ' ' || c == '\r' || c == '\n'; };
  while (!bytes.empty() && blank(bytes.front())) bytes.remove_prefix(1);
  while (!bytes.empty() && blank(bytes.back())) bytes.remove_suffix(1);
  if (bytes.empty()) throw Error(ErrorKind::data, "the file is empty", source_.name());
  begin_ = bytes.data();
  end_ = begin_ + bytes.size();
  delimiter_ = find_delimiter(begin_, end_);
}

void CsvReader::read_header() {
  std::string scratch;
  const char* const header = begin_;
  for (;;) {
    const CsvCell cell = read_csv_cell(begin_, end_, delimiter_);
    if (cell.unclosed || cell.text_after_quote) {
      fail_at(source_, cell.begin, {},
              cell.unclosed ? "a quote in the header is never closed"
                            : "text follows a closing quote in the header",
              "close it, or double it if it belongs to the name");
    }
    ColumnSpec spec;
    spec.name = trim(cell.doubled ? undouble(cell.text, scratch) : cell.text);
    specs_.push_back(std::move(spec));
    begin_ = cell.next;
    if (begin_ >= end_ || *begin_ != delimiter_) break;
    ++begin_;
  }
  if (begin_ < end_) ++begin_;  // the newline
  const TextSummary summary = summarise_text({header, static_cast<size_t>(begin_ - header)});
  if (summary.fault != nullptr) fail_at_bad_byte(source_, summary.fault);
  check_names(specs_, place(source_.name(), line_of(source_, header)),
              no_header_advice("every column needs a name of its own; "));
}

void CsvReader::name_columns() {
  const char* p = begin_;
  specs_.resize(count_cells(p));
  for (size_t c = 0; c < specs_.size(); ++c) specs_[c].name = fmt::format("c{}", c + 1);
}

// A text among the first rows is proof that the column is not numeric: it need not be read twice.
void CsvReader::settle_texts_of_first_rows() {
  constexpr size_t most_rows = 50;
  constexpr ptrdiff_t most_bytes = 1 << 20;
  const char* p = begin_;
  for (size_t row = 0; row < most_rows && p < end_ && p - begin_ < most_bytes; ++row) {
    for (size_t column = 0;; ++column) {
      const CsvCell cell = read_csv_cell(p, end_, delimiter_);
      p = cell.next;
      const std::string_view text = trim(cell.text);
      double ignored = 0;
      if (column < specs_.size() && specs_[column].use == Use::number && !specs_[column].settled &&
          !is_missing_text(text) && read_number(text, ignored) == NumberText::none) {
        specs_[column].use = Use::text;
      }
      if (p >= end_ || *p != delimiter_) break;
      ++p;
    }
    ++p;
  }
}

void CsvReader::parse_chunk(const RowChunk& chunk, size_t row, ChunkWriter& writer) const {
  if (!chunk.has_quotes && parse_plain_chunk(chunk, row, writer)) return;
  const char* p = chunk.begin;  // of the row that is read
  try {
    std::string scratch;
    for (; p < chunk.end; ++row) p = parse_row(p, row, writer, scratch);
  } catch (const Error&) {
    // Whichever was met first: what is wrong with the whole row goes before a wrong cell.
    const char* end = p;
    if (count_cells(end) != specs_.size()) fail_ragged(p);
    throw;
  }
}

// Without quotes all ends of cells can be found in advance, and some rows be read column by column:
// so the cells are written one after the other, and those of one column look alike. False when
// something is wrong; what it is first in the order of the file is found by reading row by row.
bool CsvReader::parse_plain_chunk(const RowChunk& chunk, size_t row, ChunkWriter& writer) const {
  const size_t columns = specs_.size();
  constexpr size_t usual_cells = 2048;  // they and their text stay in the nearest cache
  const size_t most_rows = std::max<size_t>(usual_cells / columns, 8);
  CellScanner scanner(chunk.begin, chunk.end, delimiter_);
  std::vector<uint32_t> others(most_rows);
  // Each row ends with a newline, and there are as many newlines as rows, so none is inside of a
  // row. Only when all are read is that known.
  for (size_t left = chunk.rows; left > 0;) {
    const size_t rows = std::min(left, most_rows);
    if (scanner.available(rows * columns) < rows * columns) return false;
    const char* const* const starts = scanner.starts();
    for (size_t r = 1; r <= rows; ++r) {
      const char* const end = starts[r * columns] - 1;
      if (*end != '\n' && end != chunk.end) return false;
    }
    try {
      for (size_t column = 0; column < columns; ++column) {
        parse_plain_cells(starts + column, rows, column, row, writer, others);
      }
    } catch (const Error&) {
      return false;
    }
    scanner.take(rows * columns);
    row += rows;
    left -= rows;
  }
  return scanner.available(1) == 0;
}

// Cells of one column: the first begins at starts[0], the next one a row later.
void CsvReader::parse_plain_cells(const char* const* starts, size_t rows, size_t column, size_t row,
                                  ChunkWriter& writer, std::vector<uint32_t>& others) const {
  const size_t columns = specs_.size();
  const auto parse = [&](size_t r) {
    const char* first = starts[r * columns];
    const char* last = starts[r * columns + 1] - 1;
    double value = 0;
    if (writer.use(column) == Use::number && read_plain_number(first, value) == last) {
      writer.number(column, row + r, value);
      return;
    }
    while (first < last && is_blank(*first, delimiter_)) ++first;
    while (first < last && is_blank(last[-1], delimiter_)) --last;
    writer.cell(column, row + r, {first, static_cast<size_t>(last - first)}, first,
                source_.holds(first));
  };
  // The vectors begin before the cells.
  const bool has_room = starts[0] - source_.bytes().data() >= 16 || !source_.holds(starts[0]);
  if (writer.use(column) == Use::number && has_room) {
    const size_t count =
        read_plain_numbers(starts, columns, rows, writer.numbers(column) + row, others.data());
    for (size_t i = 0; i < count; ++i) parse(others[i]);
  } else if (writer.use(column) != Use::skip) {
    for (size_t r = 0; r < rows; ++r) parse(r);
  }
}

// With quotes the end of a cell is known only after it was read.
const char* CsvReader::parse_row(const char* p, size_t row, ChunkWriter& writer,
                                 std::string& scratch) const {
  const char* const row_begin = p;
  const size_t columns = specs_.size();
  for (size_t column = 0;; ++p) {
    double value = 0;
    const char* next = nullptr;
    if (writer.use(column) == Use::number && (next = read_plain_number(p, value)) != nullptr &&
        (*next == delimiter_ || *next == '\n')) {
      writer.number(column, row, value);
      p = next;
    } else {
      p = parse_cell(p, column, row, writer, scratch);
    }
    ++column;
    if (*p != delimiter_) {
      if (column != columns) fail_ragged(row_begin);
      return p + 1;
    }
    if (column == columns) fail_ragged(row_begin);
  }
}

const char* CsvReader::parse_cell(const char* p, size_t column, size_t row, ChunkWriter& writer,
                                  std::string& scratch) const {
  const CsvCell cell = read_csv_cell(p, end_, delimiter_);
  if (cell.text_after_quote) {
    fail_at(source_, cell.begin, specs_[column].name,
            "text follows the closing quote of " + shown(cell.text),
            "double the quotes that belong to the text");
  }
  if (cell.doubled) {
    writer.cell(column, row, undouble(cell.text, scratch), cell.begin, false);
  } else {
    writer.cell(column, row, cell.text, cell.begin, true);
  }
  return cell.next;
}

void CsvReader::number_lines(const CsvRows& rows, const std::vector<size_t>& first_rows,
                             Frame& frame) const {
  frame.lines.resize(frame.rows);
  std::vector<size_t> first_lines{frame.first_line};
  for (const RowChunk& chunk : rows.chunks) {
    first_lines.push_back(
        first_lines.back() +
        count_newlines({chunk.begin, static_cast<size_t>(chunk.end - chunk.begin)}));
  }
  reading_.parallel.each(rows.chunks.size(), [&](size_t i) {
    size_t line = first_lines[i];
    size_t row = first_rows[i];
    for (const char* p = rows.chunks[i].begin; p < rows.chunks[i].end; ++p, ++line) {
      frame.lines[row++] = line;
      for (;; ++p) {
        const CsvCell cell = read_csv_cell(p, end_, delimiter_);
        line += count_newlines({p, static_cast<size_t>(cell.next - p)});
        p = cell.next;
        if (*p != delimiter_) break;
      }
    }
  });
}

size_t CsvReader::count_cells(const char*& p) const {
  for (size_t cells = 1;; ++cells, ++p) {
    p = read_csv_cell(p, end_, delimiter_).next;
    if (p >= end_ || *p != delimiter_) return cells;
  }
}

void CsvReader::fail_ragged(const char* row_begin) const {
  const char* p = row_begin;
  const size_t cells = count_cells(p);
  const std::string_view row = trim({row_begin, static_cast<size_t>(p - row_begin)});
  if (row.empty()) {
    fail_at(source_, row_begin, {}, "an empty line among the rows", "delete it");
  }
  fail_at(source_, row_begin, {},
          fmt::format("{} instead of {}: {}", counted(cells, "cell"), specs_.size(), shown(row)),
          fmt::format("a cell that contains {} needs quotes around it",
                      delimiter_ == '\t' ? "a tab" : fmt::format("'{}'", delimiter_)));
}

}  // namespace

Frame read_csv(const Source& source, const ReadOptions& options, const Reading& reading) {
  return CsvReader(source, options, reading).read();
}

std::optional<Frame> read_csv_by_parts(const FileParts& file, const Source& beginning,
                                       const ReadOptions& options, const Reading& reading) {
  // What find_delimiter looks at, at least.
  constexpr size_t enough = size_t{1} << 17;
  const std::string_view text = beginning.bytes();
  if (text.size() < enough || text.find('"') != std::string_view::npos) return {};
  try {
    return CsvReader(beginning, options, reading).read_rest(file);
  } catch (const Error&) {
    file.throw_if_failed();
    return {};  // only the whole text shows where it is wrong
  }
}

}  // namespace softwood

#include <fmt/format.h>

#include <algorithm>

#include "base/text.h"
#include "data/convert.h"
#include "data/readers/arff_header.h"
#include "data/readers/columns.h"
#include "data/readers/csv_rows.h"
#include "data/readers/fault.h"
#include "data/readers/number.h"
#include "data/readers/readers.h"
#include "data/readers/utf8.h"
#include "softwood/error.h"

namespace softwood {
namespace {

// No value goes over a line, so that the rows can be cut into chunks at any newline.
class ArffReader {
 public:
  ArffReader(const Source& source, const ReadOptions& options, const Reading& reading)
      : source_(source), options_(options), reading_(reading) {}
  Frame read();

 private:
  std::vector<size_t> count_rows(const std::vector<std::string_view>& chunks) const;
  void number_lines(const std::vector<std::string_view>& chunks, Frame& frame) const;
  void parse_chunk(std::string_view chunk, size_t row, ChunkWriter& writer) const;
  void parse_dense(std::string_view line, size_t row, ChunkWriter& writer,
                   std::string& scratch) const;
  void parse_sparse(std::string_view line, size_t row, ChunkWriter& writer,
                    std::string& scratch) const;
  size_t read_index(const char*& p, const char* end, size_t fewest) const;
  void write_defaults(size_t first, size_t last, size_t row, const char* at,
                      ChunkWriter& writer) const;
  void write(const ArffValue& value, size_t column, size_t row, ChunkWriter& writer,
             std::string& scratch) const;
  [[noreturn]] void fail_ragged(std::string_view line) const;

  const Source& source_;
  const ReadOptions& options_;
  const Reading& reading_;
  std::vector<ColumnSpec> specs_;
  std::vector<bool> is_string_;  // declared as string or date
};

// The next line that holds a row; `text` is what follows it. Empty at the end.
std::string_view next_row(std::string_view& text) {
  while (!text.empty()) {
    const size_t end = std::min(text.find('\n'), text.size());
    const std::string_view line = trim(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
    if (!line.empty() && line[0] != '%') return line;
  }
  return {};
}

Frame ArffReader::read() {
  if (trim(source_.bytes()).empty()) {
    throw Error(ErrorKind::data, "the file is empty", source_.name());
  }
  ArffHeader header = read_arff_header(source_);
  specs_ = std::move(header.columns);
  for (const ColumnSpec& spec : specs_) is_string_.push_back(spec.use == Use::text && !spec.closed);
  check_names(specs_, source_.name(), "every @attribute needs a name of its own");
  apply_options(specs_, options_, source_.name());

  const std::string_view bytes = source_.bytes();
  const std::string_view body(header.rows,
                              static_cast<size_t>(bytes.data() + bytes.size() - header.rows));
  const size_t chunk_bytes = reading_.chunk_bytes > 0
                                 ? reading_.chunk_bytes
                                 : default_chunk_bytes(body.size(), specs_.size());
  const std::vector<std::string_view> chunks = cut_at_newlines(body, chunk_bytes);
  const std::vector<size_t> first_rows = count_rows(chunks);

  Frame frame;
  frame.source = source_.name();
  frame.rows = first_rows.back();
  frame.first_line = line_of(source_, header.rows);
  if (frame.rows == 0 && !options_.no_rows_allowed) {
    throw Error(ErrorKind::data, "there are no rows after @data", source_.name());
  }
  ColumnFiller filler(source_, specs_, first_rows, reading_.parallel);
  frame.skipped = skipped_names(specs_);
  frame.columns = filler.fill([&](size_t chunk, ChunkWriter& writer) {
    parse_chunk(chunks[chunk], first_rows[chunk], writer);
  });
  number_lines(chunks, frame);
  return frame;
}

std::vector<size_t> ArffReader::count_rows(const std::vector<std::string_view>& chunks) const {
  std::vector<size_t> rows(chunks.size());
  std::vector<TextSummary> summaries(chunks.size());
  reading_.parallel.each(chunks.size(), [&](size_t i) {
    summaries[i] = summarise_text(chunks[i]);
    std::string_view rest = chunks[i];
    while (!next_row(rest).empty()) ++rows[i];
  });
  std::vector<size_t> first_rows{0};
  for (size_t i = 0; i < chunks.size(); ++i) {
    if (summaries[i].fault != nullptr) fail_at_bad_byte(source_, summaries[i].fault);
    first_rows.push_back(first_rows.back() + rows[i]);
  }
  return first_rows;
}

// Only needed when there are comments or empty lines between the rows.
void ArffReader::number_lines(const std::vector<std::string_view>& chunks, Frame& frame) const {
  size_t line = frame.first_line;
  for (std::string_view chunk : chunks) {
    while (!chunk.empty()) {
      const size_t end = std::min(chunk.find('\n'), chunk.size());
      std::string_view rest = chunk.substr(0, end);
      if (!next_row(rest).empty()) frame.lines.push_back(line);
      chunk.remove_prefix(std::min(end + 1, chunk.size()));
      ++line;
    }
  }
  if (!frame.lines.empty() && frame.lines.back() == frame.first_line + frame.rows - 1)
    frame.lines = {};
}

void ArffReader::parse_chunk(std::string_view chunk, size_t row, ChunkWriter& writer) const {
  std::string scratch;
  for (std::string_view line = next_row(chunk); !line.empty(); line = next_row(chunk)) {
    if (line[0] == '{') {
      parse_sparse(line, row++, writer, scratch);
    } else {
      parse_dense(line, row++, writer, scratch);
    }
  }
}

void ArffReader::parse_dense(std::string_view line, size_t row, ChunkWriter& writer,
                             std::string& scratch) const {
  const char* p = line.data();
  const char* const end = p + line.size();
  for (size_t column = 0;; ++p) {
    double number = 0;
    const char* next = nullptr;
    if (writer.use(column) == Use::number && (next = read_plain_number(p, number)) != nullptr &&
        (next == end || *next == ',')) {
      writer.number(column, row, number);
      p = next;
    } else {
      const ArffValue value = read_arff_value(p, end, ",");
      write(value, column, row, writer, scratch);
      p = value.next;
      if (p < end && *p != ',') {
        fail_at(source_, value.begin, specs_[column].name,
                "text follows the closing quote of " + shown(value.text),
                "put \\ before quotes that belong to the text");
      }
    }
    ++column;
    if (p == end) {
      if (column != specs_.size()) fail_ragged(line);
      return;
    }
    if (column == specs_.size()) fail_ragged(line);
  }
}

void ArffReader::parse_sparse(std::string_view line, size_t row, ChunkWriter& writer,
                              std::string& scratch) const {
  const char* p = line.data() + 1;
  const char* const end = line.data() + line.size();
  size_t column = 0;  // all before it are written
  for (bool first = true;; first = false) {
    while (p < end && (*p == ' ' || *p == '\t')) ++p;
    if (first && p < end && *p == '}') break;
    const size_t index = read_index(p, end, column);
    write_defaults(column, index, row, p, writer);
    const ArffValue value = read_arff_value(p, end, ",}");
    write(value, index, row, writer, scratch);
    column = index + 1;
    p = value.next;
    if (p < end && *p == '}') break;
    if (p == end || *p != ',') {
      fail_at(source_, line.data(), {}, "a sparse row is not closed by }: " + shown(line),
              "sparse rows look like {0 1.5, 3 red}");
    }
    ++p;
  }
  if (p + 1 != end) {
    fail_at(source_, line.data(), {},
            "text follows a sparse row: " + shown({p, static_cast<size_t>(end - p)}),
            "weights of rows belong in a column of their own");
  }
  write_defaults(column, specs_.size(), row, p, writer);
}

size_t ArffReader::read_index(const char*& p, const char* end, size_t fewest) const {
  const char* const begin = p;
  while (p < end && *p != ' ' && *p != '\t' && *p != ',' && *p != '}') ++p;
  const std::string_view text(begin, static_cast<size_t>(p - begin));
  long index = -1;
  if (!parse_integer(text, index) || index < 0) {
    fail_at(source_, begin, {}, shown(text) + " is not the number of a column",
            "sparse rows look like {0 1.5, 3 red}");
  }
  const auto column = static_cast<size_t>(index);
  if (column >= specs_.size()) {
    fail_at(source_, begin, {},
            fmt::format("column {} in a sparse row, but the last column is {}", column,
                        specs_.size() - 1),
            "columns are counted from 0");
  }
  if (column < fewest) {
    fail_at(source_, begin, {}, fmt::format("column {} out of order in a sparse row", column),
            "the columns of a sparse row must ascend");
  }
  return column;
}

// What a sparse row does not name is 0, or the first of the declared levels.
void ArffReader::write_defaults(size_t first, size_t last, size_t row, const char* at,
                                ChunkWriter& writer) const {
  for (size_t column = first; column < last; ++column) {
    const ColumnSpec& spec = specs_[column];
    if (writer.use(column) == Use::number) {
      writer.number(column, row, 0.0);
    } else if (writer.use(column) == Use::text) {
      if (is_string_[column] || (spec.closed && spec.declared.empty())) {
        fail_at(source_, at, spec.name, "a sparse row leaves out a column of texts",
                "only numbers are 0 where they are left out: write the text, or ?");
      }
      writer.cell(column, row, spec.closed ? std::string_view(spec.declared.front()) : "0", at,
                  false);
    }
  }
}

void ArffReader::write(const ArffValue& value, size_t column, size_t row, ChunkWriter& writer,
                       std::string& scratch) const {
  if (value.unclosed) {
    fail_at(source_, value.begin, specs_[column].name,
            "the quote that begins " + shown(value.text) + " is never closed in this line",
            "put \\ before quotes that belong to the text");
  }
  if (writer.use(column) == Use::skip) return;
  if (value.escaped) {
    writer.cell(column, row, unescape(value.text, scratch), value.begin, false);
  } else {
    writer.cell(column, row, value.text, value.begin, true);
  }
}

void ArffReader::fail_ragged(std::string_view line) const {
  size_t cells = 1;
  for (const char *p = line.data(), *end = p + line.size();; ++cells) {
    p = read_arff_value(p, end, ",").next;
    if (p >= end || *p++ != ',') break;
  }
  fail_at(source_, line.data(), {},
          fmt::format("{} instead of {}: {}", counted(cells, "value"), specs_.size(), shown(line)),
          "a row has a value for every @attribute; a value with a comma inside needs quotes");
}

}  // namespace

Frame read_arff(const Source& source, const ReadOptions& options, const Reading& reading) {
  return ArffReader(source, options, reading).read();
}

}  // namespace softwood

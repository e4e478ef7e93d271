// Where the rows of a CSV text begin, found in parallel. A chunk begins after some newline; whether
// that newline is inside of quotes is known only when all chunks before it have been looked at. So
// every chunk is looked at under both assumptions, and then the right ones are chained.
#pragma once

#include <string_view>
#include <vector>

#include "base/parallel.h"
#include "data/readers/source.h"

namespace softwood {

struct RowChunk {
  const char* begin = nullptr;  // of its first row; the last row may end in a later chunk
  const char* end = nullptr;    // where the first row of the next chunk begins
  size_t rows = 0;
  bool has_quotes = false;
};

struct CsvRows {
  std::vector<RowChunk> chunks;
  bool multiline = false;  // some row has more than one line
};

// `body` is part of the source's bytes and begins with a row. Throws on a quote that is never
// closed, on zero bytes, and on what is not UTF-8.
CsvRows find_csv_rows(const Source& source, std::string_view body, char delimiter,
                      size_t chunk_bytes, const Parallel& parallel);

// The same for a file, of which they are the bytes `begin` to `end`, without quotes.
struct FileChunk {
  size_t begin = 0, end = 0, rows = 0;
};
// None when there is a quote, or something is wrong.
std::vector<FileChunk> find_plain_rows(const FileParts& file, size_t begin, size_t end,
                                       size_t chunk_bytes, const Parallel& parallel);

// Cuts a text after newlines into pieces of about `chunk_bytes`.
std::vector<std::string_view> cut_at_newlines(std::string_view text, size_t chunk_bytes);

// Chunks times columns: each has notes of about 32 bytes, and the levels of texts.
constexpr size_t most_notes = size_t{1} << 22;

// A chunk size that gives every thread work and keeps the notes on chunks times columns small. It
// depends on the data alone.
size_t default_chunk_bytes(size_t bytes, size_t columns);

[[noreturn]] void fail_at_bad_byte(const Source& source, const char* at);

}  // namespace softwood

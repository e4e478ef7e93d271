#include "data/readers/csv_rows.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>

#include "data/readers/csv_cell.h"
#include "data/readers/fault.h"
#include "data/readers/utf8.h"

namespace softwood {
namespace {

// What a chunk looks like under one assumption about its beginning.
struct Assumption {
  size_t newlines = 0;                  // outside of quotes, without a last one at the very end
  const char* first_newline = nullptr;  // outside of quotes
  const char* open_quote = nullptr;     // its last quote, when that is not closed in the chunk
  bool ends_quoted = false;
  bool has_quoted_newline = false;
};

struct ChunkLook {
  TextSummary summary;
  Assumption plain, quoted;
};

bool is_cell_start(const char* quote, const char* begin, char delimiter) {
  const char* p = quote;
  while (p > begin && is_blank(p[-1], delimiter)) --p;
  return p == begin || p[-1] == delimiter || p[-1] == '\n';
}

void add_plain_part(Assumption& look, const char* begin, const char* end, const char* chunk_end) {
  const std::string_view part(begin, static_cast<size_t>(end - begin));
  if (look.first_newline == nullptr) {
    const size_t newline = part.find('\n');
    if (newline == std::string_view::npos) return;
    look.first_newline = begin + newline;
  }
  look.newlines += count_newlines(part);
  if (end == chunk_end && end[-1] == '\n') --look.newlines;
}

Assumption look_through(std::string_view chunk, bool starts_quoted, char delimiter) {
  Assumption look;
  const char* const end = chunk.data() + chunk.size();
  const char* p = chunk.data();  // all before it is done
  const char* search = p;        // the next quote is searched from here
  if (starts_quoted) {
    const char* close = closing_quote(p, end);
    const char* stop = close == nullptr ? end : close;
    look.has_quoted_newline = true;  // the one before the chunk
    look.ends_quoted = close == nullptr;
    if (look.ends_quoted) return look;
    p = search = stop + 1;
  }
  const char* const first = p;
  while (search < end) {
    const auto* quote =
        static_cast<const char*>(std::memchr(search, '"', static_cast<size_t>(end - search)));
    if (quote == nullptr) break;
    const char* from = starts_quoted ? first - 1 : first;  // the closing quote starts no cell
    if (!is_cell_start(quote, from, delimiter)) {
      search = quote + 1;
      continue;
    }
    add_plain_part(look, p, quote, end);
    const char* const close = closing_quote(quote + 1, end);
    const char* const stop = close == nullptr ? end : close;
    look.has_quoted_newline |=
        std::memchr(quote, '\n', static_cast<size_t>(stop - quote)) != nullptr;
    if (close == nullptr) {
      look.ends_quoted = true;
      look.open_quote = quote;
      return look;
    }
    p = search = close + 1;
  }
  if (p < end) add_plain_part(look, p, end, end);
  return look;
}

ChunkLook look_at(std::string_view chunk, char delimiter) {
  ChunkLook look;
  look.summary = summarise_text(chunk);
  if (look.summary.has_quote) {
    look.plain = look_through(chunk, false, delimiter);
    look.quoted = look_through(chunk, true, delimiter);
  } else {
    look.quoted.ends_quoted = true;
    look.quoted.has_quoted_newline = true;
    look.plain.newlines = look.summary.newlines - (chunk.back() == '\n' ? 1 : 0);
  }
  return look;
}

}  // namespace

void fail_at_bad_byte(const Source& source, const char* at) {
  const auto byte = static_cast<unsigned>(static_cast<unsigned char>(*at));
  const auto offset = static_cast<size_t>(at - source.bytes().data()) + 1;
  if (byte == 0) {
    fail_at(source, at, {}, fmt::format("a zero byte (byte {} of the file)", offset),
            "this is no text file; UTF-16 has to be converted to UTF-8");
  }
  constexpr unsigned mark_low = 0xFE, mark_high = 0xFF;  // the byte order mark of UTF-16
  if (offset == 1 && (byte == mark_low || byte == mark_high)) {
    fail_at(source, at, {}, "the file is UTF-16",
            "convert it to UTF-8, for instance with 'iconv -f utf-16 -t utf-8'");
  }
  fail_at(source, at, {},
          fmt::format("invalid UTF-8: byte 0x{:02x} (byte {} of the file)", byte, offset),
          "convert the file to UTF-8, for instance with 'iconv -f latin1 -t utf-8'");
}

std::vector<std::string_view> cut_at_newlines(std::string_view text, size_t chunk_bytes) {
  std::vector<std::string_view> pieces;
  while (!text.empty()) {
    size_t end = text.size();
    if (chunk_bytes < text.size()) {
      const size_t newline = text.find('\n', chunk_bytes - 1);
      if (newline != std::string_view::npos) end = newline + 1;
    }
    pieces.push_back(text.substr(0, end));
    text.remove_prefix(end);
  }
  return pieces;
}

size_t default_chunk_bytes(size_t bytes, size_t columns) {
  constexpr size_t usual = size_t{1} << 20;
  const size_t most_chunks = std::max<size_t>(16, most_notes / std::max<size_t>(columns, 1));
  return std::max(usual, bytes / most_chunks + 1);
}

CsvRows find_csv_rows(const Source& source, std::string_view body, char delimiter,
                      size_t chunk_bytes, const Parallel& parallel) {
  const std::vector<std::string_view> pieces = cut_at_newlines(body, chunk_bytes);
  std::vector<ChunkLook> looks(pieces.size());
  parallel.each(pieces.size(), [&](size_t i) { looks[i] = look_at(pieces[i], delimiter); });

  CsvRows rows;
  rows.chunks.resize(pieces.size());
  bool quoted = false;
  const char* open_quote = nullptr;
  for (size_t i = 0; i < pieces.size(); ++i) {
    if (looks[i].summary.fault != nullptr) fail_at_bad_byte(source, looks[i].summary.fault);
    const Assumption& look = quoted ? looks[i].quoted : looks[i].plain;
    RowChunk& chunk = rows.chunks[i];
    chunk.rows = look.newlines + (quoted ? 0 : 1);
    chunk.begin = !quoted             ? pieces[i].data()
                  : look.newlines > 0 ? look.first_newline + 1
                                      : nullptr;  // no row begins here
    chunk.has_quotes = looks[i].summary.has_quote;
    rows.multiline |= look.has_quoted_newline;
    if (look.open_quote != nullptr) open_quote = look.open_quote;
    quoted = look.ends_quoted;
  }
  if (quoted) {
    fail_at(source, open_quote, {},
            "the quote that begins " +
                shown({open_quote,
                       std::min<size_t>(static_cast<size_t>(body.data() + body.size() - open_quote),
                                        20)}) +
                " is never closed",
            "close it, or double it if it belongs to the text");
  }
  // A row that begins in one chunk may end in a later one.
  const char* next = body.data() + body.size();
  for (size_t i = pieces.size(); i-- > 0;) {
    RowChunk& chunk = rows.chunks[i];
    chunk.end = next;
    if (chunk.begin == nullptr) chunk.begin = next;
    next = chunk.begin;
  }
  return rows;
}

namespace {

// After the first newline from `at` on, or `end`.
size_t after_newline(const FileParts& file, size_t at, size_t end, std::vector<char>& buffer) {
  constexpr size_t usual_line = 4096;
  while (at < end) {
    const size_t stop = std::min(at + usual_line, end);
    const size_t newline = file.read(at, stop, buffer).find('\n');
    if (newline != std::string_view::npos) return at + newline + 1;
    at = stop;
  }
  return end;
}

}  // namespace

std::vector<FileChunk> find_plain_rows(const FileParts& file, size_t begin, size_t end,
                                       size_t chunk_bytes, const Parallel& parallel) {
  std::vector<std::vector<char>> buffers(static_cast<size_t>(parallel.threads()));
  std::vector<FileChunk> chunks;
  while (begin < end) {
    const size_t last = std::min(begin + chunk_bytes, end) - 1;
    chunks.push_back({begin, after_newline(file, last, end, buffers[0])});
    begin = chunks.back().end;
  }
  std::vector<char> is_plain(chunks.size());
  parallel.each(chunks.size(), [&](size_t i) {
    FileChunk& chunk = chunks[i];
    const std::string_view text = file.read(chunk.begin, chunk.end, buffers[parallel.worker()]);
    const TextSummary summary = summarise_text(text);
    chunk.rows = summary.newlines + (text.back() == '\n' ? 0 : 1);
    is_plain[i] = !summary.has_quote && summary.fault == nullptr ? 1 : 0;
  });
  if (std::find(is_plain.begin(), is_plain.end(), 0) != is_plain.end()) return {};
  return chunks;
}

}  // namespace softwood

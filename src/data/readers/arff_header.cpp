#include "data/readers/arff_header.h"

#include <algorithm>

#include "base/text.h"
#include "data/readers/csv_rows.h"
#include "data/readers/fault.h"
#include "data/readers/utf8.h"
#include "softwood/error.h"

namespace softwood {
namespace {

bool is_space(char c) { return c == ' ' || c == '\t' || c == '\r'; }

class HeaderReader {
 public:
  explicit HeaderReader(const Source& source) : source_(source) {}
  ArffHeader read();

 private:
  void read_attribute(const char* p, const char* end);
  ColumnSpec read_type(const char* p, const char* end);
  void read_levels(const char* p, const char* end, ColumnSpec& spec);
  std::string value_text(const ArffValue& value) {
    return std::string(value.escaped ? unescape(value.text, scratch_) : value.text);
  }

  const Source& source_;
  ArffHeader header_;
  std::string scratch_;
};

ArffHeader HeaderReader::read() {
  const std::string_view bytes = source_.bytes();
  const char* p = bytes.data() + (bytes.starts_with("\xEF\xBB\xBF") ? 3 : 0);
  const char* const end = bytes.data() + bytes.size();
  while (p < end) {
    const char* const newline = std::find(p, end, '\n');
    const std::string_view whole(p, static_cast<size_t>(newline - p));
    const TextSummary summary = summarise_text(whole);
    if (summary.fault != nullptr) fail_at_bad_byte(source_, summary.fault);
    const std::string_view line = trim(whole);
    p = newline < end ? newline + 1 : end;
    if (line.empty() || line[0] == '%') continue;
    const auto word_end = std::find_if(line.begin(), line.end(), is_space);
    const std::string word = in_lower_case({line.begin(), word_end});
    if (word == "@relation") continue;
    if (word == "@data") {
      if (header_.columns.empty()) fail_at(source_, line.data(), {}, "no @attribute before @data");
      header_.rows = p;
      return std::move(header_);
    }
    if (word != "@attribute") {
      fail_at(source_, line.data(), {},
              shown(line) + " does not belong in the header of an ARFF file",
              "known are @relation, @attribute, @data, and comments that begin with %");
    }
    read_attribute(line.data() + word.size(), line.data() + line.size());
  }
  throw Error(
      ErrorKind::data,
      header_.columns.empty() ? "the file has no @attribute lines" : "the file has no @data line",
      source_.name(), "an ARFF file has @relation, @attribute and @data lines");
}

void HeaderReader::read_attribute(const char* p, const char* end) {
  const ArffValue name = read_arff_value(p, end, " \t{");
  if (name.unclosed) fail_at(source_, name.begin, {}, "the quote around the name is never closed");
  std::string text = value_text(name);
  if (text.empty()) fail_at(source_, name.begin, {}, "an @attribute without a name");
  ColumnSpec spec = read_type(name.next, end);
  spec.name = std::move(text);
  spec.settled = true;
  header_.columns.push_back(std::move(spec));
}

ColumnSpec HeaderReader::read_type(const char* p, const char* end) {
  ColumnSpec spec;
  while (p < end && is_space(*p)) ++p;
  if (p < end && *p == '{') {
    read_levels(p + 1, end, spec);
    return spec;
  }
  const std::string type = in_lower_case({p, std::find_if(p, end, is_space)});
  if (type == "numeric" || type == "real" || type == "integer") {
    spec.use = Use::number;
  } else if (type == "string" || type == "date") {
    spec.use = Use::text;
  } else {
    fail_at(source_, p, {}, shown(type) + " is no type of a column that can be read",
            "known are numeric, real, integer, string, date and {level, level, ...}");
  }
  return spec;
}

void HeaderReader::read_levels(const char* p, const char* end, ColumnSpec& spec) {
  spec.use = Use::text;
  spec.closed = true;
  const char* const begin = p;
  LevelIndex seen;
  for (;;) {
    const ArffValue value = read_arff_value(p, end, ",}");
    if (value.unclosed)
      fail_at(source_, value.begin, {}, "a quote among the levels is never closed");
    std::string level = value_text(value);
    const char stop = value.next < end ? *value.next : '\0';
    if (level.empty() && !value.quoted && stop == '}' && spec.declared.empty()) return;  // {}
    const auto code = static_cast<size_t>(seen.code_of_copy(level));
    if (code < spec.declared.size()) {
      fail_at(source_, value.begin, {}, "the level " + shown(level) + " is declared twice");
    }
    spec.declared.push_back(std::move(level));
    if (stop == '}') return;
    if (stop != ',') {
      fail_at(source_, begin, {}, "the list of levels is not closed by }",
              "levels are separated by commas; those with blanks or commas inside need quotes");
    }
    p = value.next + 1;
  }
}

}  // namespace

ArffValue read_arff_value(const char* p, const char* line_end, std::string_view stops) {
  ArffValue value;
  while (p < line_end && is_space(*p)) ++p;
  value.begin = p;
  if (p < line_end && (*p == '\'' || *p == '"')) {
    const char quote = *p++;
    const char* const text = p;
    value.quoted = true;
    for (; p < line_end && *p != quote; ++p) {
      if (*p != '\\') continue;
      value.escaped = true;
      if (p + 1 < line_end) ++p;
    }
    value.text = {text, static_cast<size_t>(p - text)};
    value.unclosed = p == line_end;
    if (!value.unclosed) ++p;
  } else {
    while (p < line_end && stops.find(*p) == std::string_view::npos) ++p;
    const char* last = p;
    while (last > value.begin && is_space(last[-1])) --last;
    value.text = {value.begin, static_cast<size_t>(last - value.begin)};
  }
  while (p < line_end && is_space(*p)) ++p;
  value.next = p;
  return value;
}

std::string_view unescape(std::string_view text, std::string& scratch) {
  scratch.clear();
  for (size_t i = 0; i < text.size(); ++i) {
    if (text[i] != '\\' || i + 1 == text.size()) {
      scratch += text[i];
      continue;
    }
    const char c = text[++i];
    scratch += c == 'n' ? '\n' : c == 't' ? '\t' : c == 'r' ? '\r' : c;
  }
  return scratch;
}

ArffHeader read_arff_header(const Source& source) { return HeaderReader(source).read(); }

}  // namespace softwood

#include "render/export/literals.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>

#include "base/text.h"
#include "render/text/words.h"

namespace softwood::render {
namespace {

constexpr uint32_t replacement = 0xFFFD;

// The first code point of a text that is not empty, which is shortened by it.
uint32_t take_code_point(std::string_view& text) {
  const size_t length = utf8_length(text);
  if (length == 0) {
    text.remove_prefix(1);
    return replacement;
  }
  const auto byte = [&](size_t i) { return static_cast<uint32_t>(static_cast<uint8_t>(text[i])); };
  constexpr std::array<uint32_t, 5> first_bits = {0, 0x7F, 0x1F, 0x0F, 0x07};
  uint32_t code = byte(0) & first_bits[length];
  for (size_t i = 1; i < length; ++i) code = code << 6U | (byte(i) & 0x3FU);
  text.remove_prefix(length);
  return code;
}

// As UTF-16, which JavaScript and Java have, or whole.
std::string unicode_escape(Language language, uint32_t code) {
  if (code < 0x10000) return fmt::format("\\u{:04x}", code);
  if (language == Language::python) return fmt::format("\\U{:08x}", code);
  code -= 0x10000;
  return fmt::format("\\u{:04x}\\u{:04x}", 0xD800 + (code >> 10U), 0xDC00 + (code & 0x3FFU));
}

std::string escaped_character(Language language, uint32_t code) {
  switch (code) {
    case '"':
      return "\\\"";
    case '\\':
      return "\\\\";
    case '\n':
      return "\\n";
    case '\r':
      return "\\r";
    case '\t':
      return "\\t";
    default:
      break;
  }
  // Java reads \u escapes before it looks for literals: a line break made of one would end it.
  if (code < 0x20 && language == Language::java) return fmt::format("\\{:03o}", code);
  if (code < 0x20 || code > 0x7E || (code == '<' && language == Language::javascript)) {
    return unicode_escape(language, code);
  }
  return {static_cast<char>(code)};
}

// Ends a line in some languages, or changes the order in which a text is shown.
bool acts_on_lines(uint32_t code) {
  return code == 0x061C || code == 0x200E || code == 0x200F || (code >= 0x2028 && code <= 0x202E) ||
         (code >= 0x2066 && code <= 0x2069);
}

std::string comment_text(Language language, std::string_view line) {
  std::string text;
  while (!line.empty()) {
    const std::string_view before = line;
    const uint32_t code = take_code_point(line);
    const bool is_plain = code >= 0x20 && (code < 0x7F || (code >= 0xA0 && code != replacement));
    if (language == Language::java && code == '\\') {
      text += "\\\\";  // a single one may begin an escape, which Java reads in comments, too
    } else if (!is_plain || acts_on_lines(code) || (language == Language::java && code > 0x7E)) {
      text += code < 0x20 ? " " : unicode_escape(language, code);
    } else if (language == Language::javascript && code == '<') {
      text += "\\u003c";
    } else {
      text += before.substr(0, before.size() - line.size());
    }
  }
  return text;
}

bool is_word_character(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
}

bool is_taken(Language language, std::string_view name) {
  // Words that the language keeps for itself, and globals that a page needs.
  static constexpr std::array javascript = {
      "arguments",    "await",      "break",    "case",        "catch",      "class",
      "const",        "continue",   "debugger", "default",     "delete",     "do",
      "document",     "else",       "enum",     "eval",        "export",     "extends",
      "false",        "finally",    "for",      "function",    "globalThis", "if",
      "implements",   "import",     "in",       "instanceof",  "interface",  "let",
      "location",     "new",        "null",     "package",     "private",    "protected",
      "public",       "return",     "self",     "static",      "super",      "switch",
      "this",         "throw",      "true",     "try",         "typeof",     "undefined",
      "var",          "void",       "while",    "window",      "with",       "yield",
      "NaN",          "Infinity",   "Object",   "Array",       "Map",        "Math",
      "Number",       "String",     "Boolean",  "Error",       "TypeError",  "RangeError",
      "Float64Array", "Int32Array", "DataView", "ArrayBuffer", "JSON",       "Function",
      "Symbol",       "Promise",    "Date",     "top",         "name",       "parent",
      "history",      "navigator",  "screen",   "event",       "console"};
  // Classes that the file uses.
  static constexpr std::array java = {"Reached",      "Arrays",        "Boolean",
                                      "CharSequence", "Collections",   "Double",
                                      "HashMap",      "Integer",       "IllegalArgumentException",
                                      "List",         "ArrayList",     "Map",
                                      "Math",         "Number",        "Object",
                                      "String",       "StringBuilder", "SuppressWarnings"};
  const auto has = [name](const auto& words) {
    return std::find(words.begin(), words.end(), name) != words.end();
  };
  return language == Language::java ? has(java) : has(javascript);
}

std::string capitalised(std::string_view word) {
  std::string text(word);
  if (!text.empty() && text[0] >= 'a' && text[0] <= 'z') text[0] = static_cast<char>(text[0] - 32);
  return text;
}

std::string in_upper_case(std::string_view name) {
  std::string text;
  for (const char c : name) text += c == '_' ? '_' : capitalised(std::string_view(&c, 1))[0];
  return text;
}

}  // namespace

std::string string_literal(Language language, std::string_view text) {
  std::string literal = "\"";
  while (!text.empty()) literal += escaped_character(language, take_code_point(text));
  return literal + "\"";
}

std::string number_literal(Language language, double value) {
  if (std::isfinite(value)) {
    std::string digits = number_text(value);
    // Other languages have no other numbers; Python and Java have whole ones.
    const bool is_whole = digits.find_first_of(".e") == std::string::npos;
    if (is_whole && language != Language::javascript) digits += ".0";
    return digits;
  }
  switch (language) {
    case Language::python:
      return std::isnan(value) ? "_NAN" : value < 0 ? "-_INFINITY" : "_INFINITY";
    case Language::javascript:
      return std::isnan(value) ? "NaN" : value < 0 ? "-Infinity" : "Infinity";
    case Language::java:
      break;
  }
  return std::isnan(value) ? "Double.NaN"
         : value < 0       ? "Double.NEGATIVE_INFINITY"
                           : "Double.POSITIVE_INFINITY";
}

std::string comment(Language language, std::span<const std::string> lines) {
  const std::string mark = language == Language::python ? "#" : "//";
  std::string text;
  for (const std::string& line : lines) {
    const std::string safe = comment_text(language, line);
    const bool keep = safe.empty() || safe[0] == ' ';
    const std::string broken = keep ? safe : wrapped("", safe, widest_text - mark.size() - 1);
    for (const std::string_view part : split(broken, '\n')) {
      text += part.empty() ? mark + "\n" : fmt::format("{} {}\n", mark, part);
    }
  }
  return text;
}

std::string literal_list(Language language, std::string_view indent, std::string_view open,
                         std::span<const std::string> literals, std::string_view close) {
  // A tuple of one needs a comma.
  const bool is_short_tuple = language == Language::python && literals.size() == 1;
  std::string whole = fmt::format("{}{}{}{}{}\n", indent, open, fmt::join(literals, ", "),
                                  is_short_tuple ? "," : "", close);
  if (whole.size() <= widest_text + 1) return whole;
  const std::string inner =
      fmt::format("{}{}", indent, language == Language::python ? "    " : "  ");
  std::string text = fmt::format("{}{}\n", indent, open), line = inner;
  for (const std::string& literal : literals) {
    const bool is_first = line.size() == inner.size();
    if (!is_first && line.size() + literal.size() + 2 > widest_text) {
      text += line + "\n";
      line = inner + literal + ",";
    } else {
      line += (is_first ? "" : " ") + literal + ",";
    }
  }
  return text + line + fmt::format("\n{}{}\n", indent, close);
}

std::string identifier(Language language, std::string_view name) {
  std::string text;
  for (const char c : name) text += is_word_character(c) ? c : '_';
  if (text.empty() || (text[0] >= '0' && text[0] <= '9')) text = "tree" + text;
  const bool is_class = language == Language::java;
  if (is_class) text = capitalised(text);
  if (is_class && text.find_first_not_of('_') == std::string::npos) return "Tree" + text;
  return is_taken(language, text) ? text + (is_class ? "Tree" : "_tree") : text;
}

std::string table_name(Language language, std::string_view name) {
  switch (language) {
    case Language::python:
      return "_" + in_upper_case(name);
    case Language::java:
      return in_upper_case(name);
    case Language::javascript:
      break;
  }
  std::string text;
  for (const std::string_view word : split(name, '_')) {
    text += text.empty() ? std::string(word) : capitalised(word);
  }
  return text;
}

}  // namespace softwood::render

#include "render/export/c/code.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/text.h"

namespace softwood::render {
namespace {

bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; }
bool is_digit(char c) { return c >= '0' && c <= '9'; }

void replace(std::string& text, std::string_view from, std::string_view to) {
  for (size_t at = text.find(from); at != std::string::npos; at = text.find(from, at)) {
    text.replace(at, from.size(), to);
    at += to.size();
  }
}

// Words that are not part of a longer one.
void replace_word(std::string& text, std::string_view from, std::string_view to) {
  const auto in_word = [](char c) { return is_letter(c) || is_digit(c); };
  for (size_t at = text.find(from); at != std::string::npos; at = text.find(from, at)) {
    const size_t end = at + from.size();
    if ((at > 0 && in_word(text[at - 1])) || (end < text.size() && in_word(text[end]))) {
      at = end;
      continue;
    }
    text.replace(at, from.size(), to);
    at += to.size();
  }
}

// The largest float that is not above the value.
float float_below(double value) {
  const auto nearest = static_cast<float>(value);
  return static_cast<double>(nearest) <= value
             ? nearest
             : std::nextafter(nearest, -std::numeric_limits<float>::infinity());
}

std::string with_point(std::string text) {
  return text.find_first_of(".e") == std::string::npos ? text + ".0" : text;
}

}  // namespace

std::string c_string(std::string_view text) {
  std::string result = "\"";
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if (c == '"' || c == '\\' || c == '?') {
      result += '\\';
      result += c;
    } else if (byte < 0x20 || byte >= 0x7F) {
      result += fmt::format("\\{:03o}", byte);
    } else {
      result += c;
    }
  }
  return result + '"';
}

std::string c_comment_text(std::string_view text) {
  std::string result(text);
  replace(result, "*/", "* /");
  replace(result, "/*", "/ *");
  replace(result,
          "?"
          "?/",
          "? ?/");
  while (!result.empty() && (result.back() == '\\' || result.back() == ' ')) result.pop_back();
  return result;
}

CodeWriter::CodeWriter(Language language, const ExportOptions& options)
    : language_(language),
      single_(options.single_precision),
      prefix_(language == Language::c ? options.name + "_" : "") {}

void CodeWriter::code(std::string_view text, const Words& words) {
  std::string done(text);
  for (std::string before; before != done;) {
    before = done;
    for (const auto& [from, to] : words) replace(done, "@" + from + "@", to);
  }
  replace_word(done, "CELL", single_ ? "float" : "double");
  replace_word(done, "TABLE", is_cpp() ? "inline constexpr" : "static const");
  replace_word(done, "FUNCTION", is_cpp() ? "inline" : "static");
  replace(done, "PUBLIC ", is_cpp() ? "inline " : "");
  replace_word(done, "INLINE", is_cpp() ? "inline" : "static inline");
  for (const std::string_view type :
       {"void", "uint16_t", "int32_t", "uint32_t", "size_t", "double", "float"}) {
    replace(done, fmt::format("CAST<{}>(", type),
            is_cpp() ? fmt::format("static_cast<{}>(", type) : fmt::format("({})(", type));
  }
  replace(done, "  EXACT\n", is_cpp() ? "  SOFTWOOD_EXACT\n" : "");
  if (is_cpp()) replace_word(done, "$class", "class_of");
  replace(done, "$", prefix_);  // last: a name may hold anything
  text_ += done;
}

bool CodeWriter::needs_special_numbers() const {
  return text_.find(prefix_ + "infinity") != std::string::npos ||
         text_.find(prefix_ + "nan") != std::string::npos;
}

std::string CodeWriter::number(double value) const {
  if (std::isnan(value)) return prefix_ + "nan";
  if (std::isinf(value)) return (value > 0 ? "" : "-") + prefix_ + "infinity";
  return with_point(number_text(value));
}

std::string CodeWriter::cell_number(double value, Rounding rounding) const {
  if (!single_) return number(value);
  const float rounded = rounding == Rounding::down ? float_below(value) : static_cast<float>(value);
  return std::isfinite(rounded) ? with_point(fmt::format("{}", rounded)) + "f"
                                : number(static_cast<double>(rounded));
}

std::string CodeWriter::lines(std::span<const std::string> items, std::string_view indent) {
  std::string text, line;
  for (const std::string& item : items) {
    if (!line.empty() && indent.size() + line.size() + item.size() + 2 > 100) {
      text += fmt::format("{}{},\n", indent, line);
      line.clear();
    }
    line += (line.empty() ? "" : ", ") + item;
  }
  return text + fmt::format("{}{}", indent, line);
}

void CodeWriter::table(std::string_view name, std::span<const int32_t> values) {
  const auto [low, high] = std::minmax_element(values.begin(), values.end());
  const std::string_view type = *low >= -128 && *high <= 127       ? "int8_t"
                                : *low >= -32768 && *high <= 32767 ? "int16_t"
                                                                   : "int32_t";
  std::vector<std::string> items;
  for (const int32_t value : values) items.push_back(std::to_string(value));
  code(fmt::format("TABLE {} ${}[{}] = {{\n{}}};\n", type, name, values.size(), lines(items)));
}

void CodeWriter::table(std::string_view name, std::span<const uint32_t> words) {
  std::vector<std::string> items;
  for (const uint32_t word : words) items.push_back(fmt::format("0x{:08x}u", word));
  code(fmt::format("TABLE uint32_t ${}[{}] = {{\n{}}};\n", name, words.size(), lines(items)));
}

void CodeWriter::table(std::string_view name, std::span<const double> values) {
  std::vector<std::string> items;
  for (const double value : values) items.push_back(number(value));
  code(fmt::format("TABLE double ${}[{}] = {{\n", name, values.size()));
  raw(lines(items) + "};\n");
}

void CodeWriter::cell_table(std::string_view name, std::span<const double> values) {
  std::vector<std::string> items;
  for (const double value : values) items.push_back(cell_number(value));
  code(fmt::format("TABLE CELL ${}[{}] = {{\n", name, values.size()));
  raw(lines(items) + "};\n");
}

void write_marks(CodeWriter& out, const MarkTables& marks) {
  out.raw("\n/* Cells that count as missing, and where those of each input begin. */\n");
  out.table("mark_first", std::span<const int32_t>(marks.first));
  out.cell_table("marks", marks.cells);
}

std::vector<std::string> CodeWriter::text_items(std::string_view name,
                                                std::span<const std::string> texts) {
  constexpr size_t longest_literal = 4095;
  std::vector<std::string> items;
  for (const std::string& text : texts) {
    if (text.size() <= longest_literal) {
      items.push_back(c_string(text));
      continue;
    }
    items.push_back(fmt::format("{}{}_text{}", prefix_, name, items.size()));
    std::vector<std::string> bytes;
    for (const char c : text) bytes.push_back(fmt::format("'\\{:03o}'", static_cast<uint8_t>(c)));
    bytes.emplace_back("0");
    raw(fmt::format("\nstatic const char {}[{}] = {{\n{}}};\n", items.back(), bytes.size(),
                    lines(bytes)));
  }
  return items;
}

void CodeWriter::table(std::string_view name, std::span<const std::string> texts) {
  const std::vector<std::string> items = text_items(name, texts);
  code(fmt::format("static const char *const ${}[{}] = {{\n", name, texts.size()));
  raw(lines(items) + "};\n");
}

}  // namespace softwood::render

#include <fmt/format.h>

#include <cmath>

#include "base/text.h"
#include "render/export/source.h"
#include "render/export/templates.h"

namespace softwood::render {
namespace {

constexpr auto language = Language::java;

// A constant of a class file has at most 65535 bytes, of which a character takes up to twice those
// of UTF-8.
constexpr size_t largest_piece = 30000;

// Items as arguments of a function: string constants of whole items, each in lines.
class Pieces {
 public:
  explicit Pieces(std::string indent) : indent_(std::move(indent)) {}

  void add(std::string_view item) {
    if (piece_size_ + item.size() > largest_piece && piece_size_ > 0) end_piece();
    if (!line_.empty() && indent_.size() + line_.size() + item.size() + 6 > 100) end_line();
    line_ += item;
    piece_size_ += item.size();
  }

  // Ends without a line break. At least one constant.
  std::string take() {
    end_piece();
    text_.resize(text_.size() - 2);
    return std::move(text_);
  }

 private:
  void end_line() {
    if (!line_text_.empty()) line_text_ += "\n" + indent_ + "+ ";
    line_text_ += string_literal(language, line_);
    line_.clear();
  }
  void end_piece() {
    end_line();
    text_ += indent_ + line_text_ + ",\n";
    line_text_.clear();
    piece_size_ = 0;
  }

  std::string indent_, text_, line_text_, line_;
  size_t piece_size_ = 0;
};

// What Double.parseDouble reads.
std::string number_item(double value) {
  if (std::isfinite(value)) return number_text(value);
  return std::isnan(value) ? "NaN" : value < 0 ? "-Infinity" : "Infinity";
}

// As much of a long text as fits in a constant: characters and escapes stay whole.
size_t part_size(std::string_view text) {
  size_t size = largest_piece;
  while ((static_cast<uint8_t>(text[size]) & 0xC0) == 0x80) --size;
  size_t backslashes = 0;
  while (backslashes < size && text[size - 1 - backslashes] == '\\') ++backslashes;
  return size - backslashes % 2;
}

std::string text_pieces(std::span<const std::string> texts, const std::string& indent) {
  Pieces pieces(indent);
  for (const std::string& text : texts) {
    std::string item;
    for (const char c : text) item += c == '\\' ? "\\\\" : c == '\n' ? "\\n" : std::string(1, c);
    item += '\n';
    while (item.size() > largest_piece) {
      const std::string_view part = std::string_view(item).substr(0, part_size(item));
      pieces.add(part);
      item.erase(0, part.size());
    }
    pieces.add(item);
  }
  return pieces.take();
}

// The arguments of integers() and numbers().
template <typename Values, typename Item>
std::string table_arguments(const Values& values, Item item) {
  Pieces pieces("            ");
  for (const auto value : values) pieces.add(item(value) + ",");
  return fmt::format("{},\n{}", values.size(), pieces.take());
}

std::string integer_arguments(const std::vector<int32_t>& values) {
  return table_arguments(values, [](int32_t value) { return std::to_string(value); });
}

std::string number_table(const std::string& name, const std::vector<double>& values) {
  return fmt::format("    private static final double[] {} = numbers({});\n", name,
                     table_arguments(values, number_item));
}

std::string tables_text(const std::vector<SourceTable>& tables) {
  std::string text;
  for (const SourceTable& table : tables) {
    const std::string name = table_name(language, table.name);
    text += table.integers != nullptr
                ? fmt::format("    private static final int[] {} = integers({});\n", name,
                              integer_arguments(*table.integers))
                : number_table(name, *table.numbers);
  }
  return text;
}

std::string example(const LoweredTree& tree) {
  std::string text;
  const std::vector<ExampleCell> cells = example_cells(tree, language);
  for (const ExampleCell& cell : cells) {
    text += fmt::format("//     row.put({}, {});\n", cell.name, cell.cell);
  }
  if (cells.size() < tree.inputs.size()) text += "//     ...\n";
  return text;
}

}  // namespace

std::string java_export(const LoweredTree& tree, const ExportOptions& options) {
  const CodeTables tables = code_tables(tree);
  std::set<std::string> flags = source_flags(tree, tables, options);
  if (flags.contains("limits") || (flags.contains("formulas") && !tree.is_classifier())) {
    flags.insert("clamp");
  }
  std::vector<std::string> names, levels;
  std::vector<int32_t> level_counts;
  for (const LoweredInput& input : tree.inputs) {
    names.push_back(input.name);
    levels.insert(levels.end(), input.levels.begin(), input.levels.end());
    const bool takes_numbers = input.kind == InputKind::numeric;
    level_counts.push_back(takes_numbers ? -1 : static_cast<int32_t>(input.levels.size()));
  }
  std::map<std::string, std::string> values = source_values(tree, options, language);
  values["name"] = identifier(language, options.name);
  values["heading"] = comment(language, export_heading(tree, options));
  values["example"] = example(tree);
  values["inputs"] = text_pieces(names, "            ");
  values["levels"] = text_pieces(levels, "            ");
  values["level_counts"] = integer_arguments(level_counts);
  values["classes"] = text_pieces(tree.target.classes, "            ");
  values["tables"] = tables_text(source_tables(tables, flags));
  values["costs_table"] = number_table("COSTS", tree.decision.costs);
  values["math"] = filled_template(java_math_template, flags, values);
  return filled_template(java_template, flags, values);
}

}  // namespace softwood::render

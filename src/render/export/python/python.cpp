#include <fmt/format.h>

#include "base/text.h"
#include "render/export/source.h"
#include "render/export/templates.h"

namespace softwood::render {
namespace {

constexpr auto language = Language::python;

std::string tables_text(const std::vector<SourceTable>& tables) {
  std::string text;
  for (const SourceTable& table : tables) {
    text += literal_list(language, "", table_name(language, table.name) + " = (",
                         table.literals(language), ")");
  }
  return text;
}

std::string levels_text(const LoweredTree& tree) {
  std::string text;
  for (const LoweredInput& input : tree.inputs) {
    if (input.kind == InputKind::numeric) continue;
    text += literal_list(language, "    ", string_literal(language, input.name) + ": (",
                         string_literals(language, input.levels), "),");
  }
  return text.empty() ? "LEVELS = {}\n" : "LEVELS = {\n" + text + "}\n";
}

std::string example(const LoweredTree& tree) {
  std::vector<std::string> cells;
  for (const ExampleCell& cell : example_cells(tree, language)) {
    cells.push_back(cell.name + ": " + cell.cell);
  }
  if (cells.size() < tree.inputs.size()) cells.emplace_back("...");
  return "{" + join(cells, ", ") + "}";
}

}  // namespace

std::string python_export(const LoweredTree& tree, const ExportOptions& options) {
  const CodeTables tables = code_tables(tree);
  std::set<std::string> flags = source_flags(tree, tables, options);
  flags.insert("batch");
  std::map<std::string, std::string> values = source_values(tree, options, language);
  std::vector<std::string> names;
  for (const LoweredInput& input : tree.inputs) names.push_back(input.name);
  values["name"] = options.name;
  values["heading"] = comment(language, export_heading(tree, options));
  values["example"] = example(tree);
  values["inputs"] =
      literal_list(language, "", "INPUTS = (", string_literals(language, names), ")");
  values["levels"] = levels_text(tree);
  values["classes"] = literal_list(language, "", "CLASSES = (",
                                   string_literals(language, tree.target.classes), ")");
  const SourceTable costs{"costs", nullptr, &tree.decision.costs};
  values["costs"] = tables_text({costs});
  values["tables"] = tables_text(source_tables(tables, flags));
  const auto has_infinity = [&](const char* value) {
    return values[value].find("_INFINITY") != std::string::npos;
  };
  if (flags.contains("formulas") || flags.contains("asinh") || has_infinity("tables") ||
      (flags.contains("limits") && (has_infinity("mixing_low") || has_infinity("mixing_high")))) {
    flags.insert("infinity");
  }
  return filled_template(python_template, flags, values) +
         filled_template(python_batch_template, flags, values);
}

}  // namespace softwood::render

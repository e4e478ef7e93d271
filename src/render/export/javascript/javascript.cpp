#include <fmt/format.h>

#include "base/text.h"
#include "render/export/source.h"
#include "render/export/templates.h"

namespace softwood::render {
namespace {

constexpr auto language = Language::javascript;

std::string tables_text(const std::vector<SourceTable>& tables) {
  std::string text;
  for (const SourceTable& table : tables) {
    const std::string open = fmt::format("const {} = new {}([", table_name(language, table.name),
                                         table.integers != nullptr ? "Int32Array" : "Float64Array");
    text += literal_list(language, "", open, table.literals(language), "]);");
  }
  return text;
}

std::string inputs_text(const LoweredTree& tree) {
  std::string text;
  for (const LoweredInput& input : tree.inputs) {
    const std::string name = string_literal(language, input.name);
    if (input.kind == InputKind::numeric) {
      text += fmt::format("  {{ name: {}, levels: null }},\n", name);
    } else {
      text += fmt::format("  {{\n    name: {},\n{}  }},\n", name,
                          literal_list(language, "    ", "levels: [",
                                       string_literals(language, input.levels), "],"));
    }
  }
  return text;
}

std::string example(const LoweredTree& tree) {
  std::vector<std::string> cells;
  for (const ExampleCell& cell : example_cells(tree, language)) {
    cells.push_back(cell.name + ": " + cell.cell);
  }
  if (cells.size() < tree.inputs.size()) cells.emplace_back("...");
  return "{ " + join(cells, ", ") + " }";
}

// The body of a function, whose object is the global one.
std::string script_of(const std::string& name, const std::string& body,
                      const std::set<std::string>& flags) {
  std::string text = fmt::format("globalThis.{} = (() => {{\n  \"use strict\";\n", name);
  for (const std::string_view line :
       split(std::string_view(body).substr(0, body.size() - 1), '\n')) {
    text += line.empty() ? "\n" : fmt::format("  {}\n", line);
  }
  std::string names =
      flags.contains("classes")
          ? "inputs, classes, level, predict, predictProba, predictArray, predictProbaArray"
          : "inputs, level, predict, predictArray";
  if (flags.contains("paths")) names += ", pathArray";
  return text + fmt::format("\n  return {{ {} }};\n}})();\n", names);
}

}  // namespace

std::string javascript_export(const LoweredTree& tree, const ExportOptions& options) {
  const CodeTables tables = code_tables(tree);
  std::set<std::string> flags = source_flags(tree, tables, options);
  const bool script = options.module == "script";
  if (script) flags.insert("script");
  if (options.paths) flags.insert("paths");
  if (flags.contains("limits") || (flags.contains("formulas") && !tree.is_classifier())) {
    flags.insert("clamp");
  }
  std::map<std::string, std::string> values = source_values(tree, options, language);
  const std::string name = identifier(language, options.name);
  values["name"] = name;
  values["file"] = options.name;
  values["heading"] = comment(language, export_heading(tree, options));
  values["example"] = example(tree);
  values["export"] = script ? "" : "export ";
  values["inputs"] = inputs_text(tree);
  values["classes"] = literal_list(language, "", values["export"] + "const classes = [",
                                   string_literals(language, tree.target.classes), "];");
  const SourceTable costs{"costs", nullptr, &tree.decision.costs};
  values["costs"] = tables_text({costs});
  values["tables"] = tables_text(source_tables(tables, flags));
  values["answered"] = flags.contains("marks") ? "given" : "cells";
  values["add_arguments"] =
      flags.contains("formulas") ? "mixed, node, share, filled" : "mixed, node, share";
  values["weight_arguments"] = flags.contains("impute") ? "node, cells, filled" : "node, cells";
  const std::string body = filled_template(javascript_template, flags, values);
  return filled_template(javascript_usage_template, flags, values) +
         (script ? script_of(name, body, flags) : body);
}

}  // namespace softwood::render

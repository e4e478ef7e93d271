// Source of programs that walk the tables of a tree: what Python, JavaScript and Java share. A
// language has a template, which is its source with marks, and says how it writes a table.
#pragma once

#include <map>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "render/export/exporter.h"
#include "render/export/literals.h"
#include "render/export/tables.h"

namespace softwood::render {

// Text where a line "@if a b" to its "@end" stays if one of the flags is set, what follows its
// "@else" otherwise, and @{name} stands for a value; a value alone in a line is whole lines. Parts
// may be within parts.
std::string filled_template(std::string_view text, const std::set<std::string>& flags,
                            const std::map<std::string, std::string>& values);

// Which parts of a template a tree needs: "classes", "divides", "levels", ...; see source.cpp.
std::set<std::string> source_flags(const LoweredTree& tree, const CodeTables& tables,
                                   const ExportOptions& options);

// An array of CodeTables; one of the pointers is set.
struct SourceTable {
  std::string name;  // "node_child"
  const std::vector<int32_t>* integers;
  const std::vector<double>* numbers;
  std::vector<std::string> literals(Language language) const;
};
// Those that the parts named by `flags` read.
std::vector<SourceTable> source_tables(const CodeTables& tables,
                                       const std::set<std::string>& flags);

// Values that every template has: single numbers of the tree, and of its decision.
std::map<std::string, std::string> source_values(const LoweredTree& tree,
                                                 const ExportOptions& options, Language language);

std::vector<std::string> string_literals(Language language, std::span<const std::string> texts);

// Names and cells of a row that could be asked about, as literals; the first few inputs.
struct ExampleCell {
  std::string name, cell;
};
std::vector<ExampleCell> example_cells(const LoweredTree& tree, Language language);

}  // namespace softwood::render

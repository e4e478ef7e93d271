// The table of export formats: each turns the lowered form of a tree into a file that answers rows
// as the library does, in another language or program. A format is a file with a function and a
// line in the table.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "render/export/features.h"
#include "softwood/lowered.h"

namespace softwood::render {

struct ExportOptions {
  std::string name = "tree";       // of what the file defines: tree_predict, class Tree
  std::string dialect = "sqlite";  // sql
  std::string table = "data";      // sql: where the rows are
  std::vector<std::string> keep;   // sql: columns that are passed through
  std::string module = "esm";      // javascript: esm or script
  bool paths = false;              // javascript: pathArray, which the report needs, as well
  bool single_precision = false;   // c: inputs, cuts and answers as float
  // Of two classes `threshold_class` is answered where its probability is at least this, else the
  // other one. NaN: as the tree decides.
  double threshold = unknown_number;
  uint32_t threshold_class = 1;
};

// How near the answers of an export are to those of the library.
enum class Exactness : uint8_t {
  bits,     // the same bits
  rounding  // within 1e-12 of probabilities, and of the range of a numeric target
};

struct Exporter {
  std::string name;       // what is typed: --to NAME
  std::string extension;  // of its files, with the point
  std::string help;       // one sentence
  Exactness exactness;
  std::vector<Feature> refused;  // what the format can't express
  // The file. `tree` has the inputs in use only (see exported_tree) and no feature that is refused.
  // The same tree gives the same bytes.
  std::string (*render)(const LoweredTree& tree, const ExportOptions& options);
  // Declarations in a file of their own; null: the format has none.
  std::string (*header)(const LoweredTree& tree, const ExportOptions& options) = nullptr;
};
std::span<const Exporter> exporters();
// Throws a usage Error for a name that is not in the table.
const Exporter& find_exporter(std::string_view name);

const std::vector<std::string>& sql_dialects();
const std::vector<std::string>& javascript_modules();
// Letters, digits and underscores, no digit first: what ExportOptions::name may be.
bool is_identifier(const std::string& name);
// Throws a usage Error for options that are wrong, or that the format does not have.
void check_options(const Exporter& exporter, const ExportOptions& options);

// The tree with the inputs in use alone, renumbered, in their order; a tree that uses none keeps
// its first one, because formats need rows. What only a person reads (competitors) is left out.
LoweredTree exported_tree(LoweredTree tree);

// The file for a tree. Throws a failure Error that begins "NAME cannot express" and names the
// features that the format refuses.
std::string export_tree(const LoweredTree& tree, const Exporter& exporter,
                        const ExportOptions& options);

// Features against formats, as an aligned table.
std::string export_features_table();

// What every file says of itself at its beginning, without marks of comments: name, what it
// answers from which inputs, method, recipe, data, size, and how to read it. Lines hold no control
// characters.
std::vector<std::string> export_heading(const LoweredTree& tree, const ExportOptions& options);

std::string c_export(const LoweredTree& tree, const ExportOptions& options);
std::string c_header(const LoweredTree& tree, const ExportOptions& options);
std::string cpp_export(const LoweredTree& tree, const ExportOptions& options);
std::string java_export(const LoweredTree& tree, const ExportOptions& options);
std::string javascript_export(const LoweredTree& tree, const ExportOptions& options);
std::string python_export(const LoweredTree& tree, const ExportOptions& options);
std::string sql_export(const LoweredTree& tree, const ExportOptions& options);
std::string onnx_export(const LoweredTree& tree, const ExportOptions& options);
std::string pmml_export(const LoweredTree& tree, const ExportOptions& options);
std::string dot_export(const LoweredTree& tree, const ExportOptions& options);

}  // namespace softwood::render

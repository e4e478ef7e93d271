// Trees as programs, queries and files of other systems, which answer as the library does.
#pragma once

#include <limits>
#include <string>
#include <vector>

#include "softwood/model.h"

namespace softwood {

struct ExportSettings {
  std::string name = "tree";       // of what the file defines: tree_predict, class Tree
  std::string dialect = "sqlite";  // sql: sqlite, duckdb, postgresql, spark
  std::string table = "data";      // sql: where the rows are
  std::vector<std::string> keep;   // sql: columns that are passed through
  std::string module = "esm";      // javascript: esm or script
  bool single_precision = false;   // c
  // Of two classes `threshold_class` ("": the positive one) is answered where its probability is at
  // least this, else the other one. NaN: as the model decides.
  double threshold = std::numeric_limits<double>::quiet_NaN();
  std::string threshold_class;
};

struct ExportFormat {
  std::string name, extension, help;
};
std::vector<ExportFormat> export_formats();

// The bytes of the file; the same model gives the same bytes. A usage Error for settings that are
// wrong, a failure Error for a tree that the format cannot express.
std::string export_model(const TreeModel& model, const std::string& format,
                         const ExportSettings& settings = {});
// Declarations for a C export.
std::string export_header(const TreeModel& model, const std::string& format,
                          const ExportSettings& settings = {});

}  // namespace softwood

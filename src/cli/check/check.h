// Proof that an export answers as the model: it is run by the program that it is for, and its
// answers are compared with those of the library. A checker is one file and one line in the table.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "cli/check/process.h"
#include "data/frame.h"
#include "render/export/exporter.h"
#include "tree/model.h"
#include "use/predict.h"

namespace softwood {

// What a checker runs. All paths are absolute; `folder` is its own, for whatever it needs.
//
// `rows` is text. Its first line has the number of rows and of inputs. Then each cell is a line,
// row by row, in the order of tree.inputs: "m" is missing; "n" and a number in decimal digits that
// read back exactly; "t" and a level as UTF-8 bytes in hexadecimal digits (nominal and ordinal
// inputs; it may be a level that the tree does not know).
//
// `answers` is written by the checker: a line per row. Classification: the number of the class that
// was decided for, from 0, then the probabilities in the order of the classes. Regression: the
// number. Separated by spaces, with digits that read back exactly (17 significant ones).
struct CheckTask {
  const LoweredTree& tree;  // as exported: with the inputs in use
  const render::ExportOptions& options;
  std::string folder;
  std::string file;    // the export, under the usual name: "tree.c"; Java's is named by its class
  std::string header;  // c: its declarations, "tree.h"
  std::string rows, answers;
};

struct Checker {
  std::string format;
  void (*run)(const CheckTask& task);  // a failure Error for tools that are missing or fail
  bool answers = true;                 // false: the tool reads the file and answers no rows
};
std::span<const Checker> checkers();

void check_c(const CheckTask& task);
void check_cpp(const CheckTask& task);
void check_java(const CheckTask& task);
void check_javascript(const CheckTask& task);
void check_python(const CheckTask& task);
void check_sql(const CheckTask& task);
void check_onnx(const CheckTask& task);
void check_pmml(const CheckTask& task);
void check_dot(const CheckTask& task);  // writes no answers: Graphviz reads the file

// Python source of `read_rows(path)`, which gives the list of columns, each a list of None, float
// or str, and of `write_answers(path, classes, answers)`: for each row the number of its class
// (None: regression), and its probabilities or number.
extern const char* const python_rows_source;

// The model's answers for the rows that are compared.
struct CheckRows {
  size_t rows = 0;
  std::string text;  // of CheckTask::rows
  Predictions expected;
};
// `given` is handed to the export, `table` to the model; they differ in cells that hold a missing
// mark. `unknown` has the texts of given cells whose level the model does not know.
CheckRows check_rows(const Model& model, const LoweredTree& exported, const Table& given,
                     const UnknownCells& unknown, const Table& table, const Parallel& parallel);

struct CheckResult {
  bool compared = true;  // false: the tool read the file, but does not answer rows
  size_t rows = 0, differing = 0;
  double largest_difference = 0;
  std::vector<std::string> first_differences;  // a few, one line each
};
CheckResult check_export(const LoweredTree& exported, const render::Exporter& exporter,
                         const render::ExportOptions& options, const std::string& text,
                         const CheckRows& rows);

}  // namespace softwood

// Pieces that the C file and the C++ header are put together from. Both languages share the text of
// tables and functions; in it stand
//   $name     tree_name in C, name in C++ (in a namespace)
//   CELL      double, or float in single precision: what rows and answers are made of
//   TABLE, FUNCTION, INLINE, PUBLIC, CAST<T>(   what begins a table, functions and a conversion
//   EXACT     what keeps compilers from contracting a * b + c in this function
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "render/export/exporter.h"
#include "render/export/marks.h"

namespace softwood::render {

// A text in double quotes that C and C++ read back to the same bytes, also in files of other
// encodings and before C++17 (trigraphs).
std::string c_string(std::string_view text);

// A text without anything that ends a comment or continues a line.
std::string c_comment_text(std::string_view text);

// Fields of Row in the C++ header, by input: names as near to those of the inputs as identifiers
// can be, each once.
std::vector<std::string> cpp_fields(const LoweredTree& tree);

class CodeWriter {
 public:
  enum class Language : uint8_t { c, cpp };

  CodeWriter(Language language, const ExportOptions& options);

  bool is_cpp() const { return language_ == Language::cpp; }
  bool single() const { return single_; }
  const std::string& text() const { return text_; }
  // Whether $infinity or $nan are in the text.
  bool needs_special_numbers() const;

  using Words = std::vector<std::pair<std::string, std::string>>;
  // @WORD@ is replaced first; what stands for one may hold others.
  void code(std::string_view text, const Words& words = {});
  void raw(std::string_view text) { text_ += text; }

  // TABLE type $name[count] = {...}; the narrowest type that holds all numbers.
  void table(std::string_view name, std::span<const int32_t> values);
  void table(std::string_view name, std::span<const uint32_t> words);  // bits
  void table(std::string_view name, std::span<const double> values);
  // Numbers in the order of inputs, classes and so on that are text.
  void table(std::string_view name, std::span<const std::string> texts);

  // Texts as items of such a table. C99 compilers need not take literals of more than 4095
  // characters: longer texts are written out as arrays first.
  std::vector<std::string> text_items(std::string_view name, std::span<const std::string> texts);

  void cell_table(std::string_view name, std::span<const double> values);

  enum class Rounding : uint8_t { nearest, down };
  // As numbers are written in tables of double and of CELL. Down: to a float that is not larger.
  std::string number(double value) const;
  std::string cell_number(double value, Rounding rounding = Rounding::nearest) const;
  // Items in lines of at most 100 columns, each line with this in front.
  static std::string lines(std::span<const std::string> items, std::string_view indent = "    ");

 private:
  Language language_;
  bool single_;
  std::string prefix_;  // of names
  std::string text_;
};

// --- Parts, in the order of the file -------------------------------------------------------------

struct PlainTables;

// What a compiler must do, else it stops: no fast-math, no wider arithmetic. `computes`: with
// doubles, also in single precision.
void write_guards(CodeWriter& out, bool computes);

// $mark_first and $marks.
void write_marks(CodeWriter& out, const MarkTables& marks);

// $exp and $asinh, in the steps of src/base/math.h, and $exp_rows for blocks of so many rows.
void write_math(CodeWriter& out, bool exp, bool asinh, size_t exp_rows);

// Both write the tables and the functions that the two languages call:
//   void $predict(const CELL *row, CELL *out)                          the answer
//   int $class(const CELL *row)                                        class_of in C++
//   void $predict_rows(const CELL *rows, size_t count, CELL *out)
void write_walk(CodeWriter& out, const PlainTables& tables, const LoweredTree& tree,
                const ExportOptions& options);
// Trees that compute. Returns the bytes of the arrays of a call.
size_t write_descent(CodeWriter& out, const LoweredTree& tree, const ExportOptions& options);

}  // namespace softwood::render

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "base/text.h"
#include "render/export/c/code.h"
#include "render/export/c/plain.h"
#include "softwood/error.h"

namespace softwood::render {
namespace {

using Language = CodeWriter::Language;

constexpr std::string_view includes = R"(
#pragma once

#include <array>
#include <cfloat>
#include <cstddef>
#include <cstdint>
@STRINGS@#include <limits>
#include <optional>
#include <string_view>
)";

// A pragma of the whole file would reach into files that include this one.
constexpr std::string_view no_contraction = R"(
// a * b + c is rounded twice, as in the model. clang obeys unless told -ffp-contract=fast. GCC takes
// several rows at once only where nobody asks the flags of floating-point exceptions.
#if defined(__clang__)
#define SOFTWOOD_EXACT _Pragma("STDC FP_CONTRACT OFF")
#else
#define SOFTWOOD_EXACT
#if defined(__GNUC__)
#pragma GCC push_options
#pragma GCC optimize("fp-contract=off", "no-trapping-math")
#elif defined(_MSC_VER)
#pragma fp_contract(off)
#endif
#endif
)";
constexpr std::string_view contraction_as_before = R"(
#undef SOFTWOOD_EXACT
#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC pop_options
#endif
)";

constexpr std::string_view names = R"(
namespace @NAME@ {

inline constexpr std::size_t inputs = @INPUTS@, outputs = @OUTPUTS@;
// Names of the inputs, in the order of the fields of a Row and of Cells.
inline constexpr std::array<std::string_view, inputs> input_names{{
)";
constexpr std::string_view class_names =
    R"(// Names of the classes, in the order of the probabilities.
inline constexpr std::array<std::string_view, outputs> class_names{{
)";
constexpr std::string_view end_of_names = "}};\n";

constexpr std::string_view row = R"(
// The values of a row by name; what is not set is missing, and so are NaN and unknown levels.
struct Row {
)";
constexpr std::string_view types = R"(};

// The same as numbers, in the order of input_names: NaN is missing, a level is its number from
// level().
using Cells = std::array<double, inputs>;
@ANSWERTYPE@
namespace detail {

using std::int16_t;
using std::int32_t;
using std::int8_t;
using std::size_t;
using std::uint16_t;
using std::uint32_t;
using std::uint64_t;
inline constexpr double nan = std::numeric_limits<double>::quiet_NaN();
inline constexpr double infinity = std::numeric_limits<double>::infinity();
)";

constexpr std::string_view answer_of_classes = R"(
// The probabilities of the classes, in the order of class_names.
using Answer = std::array<double, outputs>;
)";
constexpr std::string_view answer_of_number = R"(
using Answer = double;
)";

constexpr std::string_view level = R"(
}  // namespace detail

// The number of a level of an input, counted from 0; -1: the input has no such level.
inline constexpr int level(std::size_t input, std::string_view text) noexcept {
  if (input >= inputs) return -1;
  for (int l = detail::first_level[input]; l < detail::first_level[input + 1]; ++l) {
    if (detail::levels[l] == text) return l - detail::first_level[input];
  }
  return -1;
}
)";
constexpr std::string_view no_level = R"(
}  // namespace detail
)";

constexpr std::string_view functions = R"(
inline Cells cells(const Row& row) noexcept {
  constexpr double missing = std::numeric_limits<double>::quiet_NaN();
  return {{
@CELLS@}};
}

@PREDICT@
inline Answer predict(const Row& row) noexcept { return predict(cells(row)); }

// `count` rows, each of `inputs` cells, with `outputs` numbers for each in `out`.
inline void predict_rows(const double* rows, std::size_t count, double* out) noexcept {
  detail::predict_rows(rows, count, out);
}
@CLASSIFY@
}  // namespace @NAME@
)";
constexpr std::string_view predict_classes = R"(inline Answer predict(const Cells& cells) noexcept {
  Answer answer{};
  detail::predict(cells.data(), answer.data());
  return answer;
})";
constexpr std::string_view predict_number = R"(inline Answer predict(const Cells& cells) noexcept {
  Answer answer = 0;
  detail::predict(cells.data(), &answer);
  return answer;
})";
constexpr std::string_view classify = R"(
// The number of the class that is decided for, an index into class_names.
inline std::size_t class_index(const Cells& cells) noexcept {
  return static_cast<std::size_t>(detail::class_of(cells.data()));
}
inline std::size_t class_index(const Row& row) noexcept { return class_index(cells(row)); }

// Its name.
inline std::string_view classify(const Row& row) noexcept { return class_names[class_index(row)]; }
)";

// Keywords up to C++23, and macros of common headers and compilers.
const std::set<std::string, std::less<>>& taken_names() {
  static const std::set<std::string, std::less<>> taken = {
      "alignas", "alignof", "and", "and_eq", "asm", "auto", "bitand", "bitor", "bool", "break",
      "case", "catch", "char", "char8_t", "char16_t", "char32_t", "class", "compl", "concept",
      "const", "consteval", "constexpr", "constinit", "const_cast", "continue", "co_await",
      "co_return", "co_yield", "decltype", "default", "delete", "do", "double", "dynamic_cast",
      "else", "enum", "explicit", "export", "extern", "false", "float", "for", "friend", "goto",
      "if", "inline", "int", "long", "mutable", "namespace", "new", "noexcept", "not", "not_eq",
      "nullptr", "operator", "or", "or_eq", "private", "protected", "public", "register",
      "reinterpret_cast", "requires", "return", "short", "signed", "sizeof", "static",
      "static_assert", "static_cast", "struct", "switch", "template", "this", "thread_local",
      "throw", "true", "try", "typedef", "typeid", "typename", "union", "unsigned", "using",
      "virtual", "void", "volatile", "wchar_t", "while", "xor", "xor_eq", "Row", "NULL", "EOF",
      "NAN", "INFINITY", "errno", "assert", "linux", "unix", "i386", "major", "minor", "min", "max",
      "stdin", "stdout", "stderr",
      // What the writer of code replaces.
      "CELL", "TABLE", "FUNCTION", "PUBLIC", "INLINE", "CAST", "EXACT"};
  return taken;
}

// What no namespace can be called besides: common names that C headers declare.
const std::set<std::string, std::less<>>& global_names() {
  static const std::set<std::string, std::less<>> declared = {
      "abs",    "atan",   "ceil",    "cos",      "div",      "exit",    "exp",  "floor",
      "free",   "int8_t", "int16_t", "int32_t",  "int64_t",  "isnan",   "log",  "main",
      "malloc", "pow",    "printf",  "round",    "sin",      "size_t",  "sqrt", "std",
      "tan",    "time",   "uint8_t", "uint16_t", "uint32_t", "uint64_t"};
  return declared;
}

std::string identifier(std::string_view name) {
  std::string result;
  for (const char c : name) {
    const bool letter = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
    if (letter || (c >= '0' && c <= '9')) {
      result += c;
    } else if (!result.empty() && result.back() != '_') {
      result += '_';
    }
  }
  while (!result.empty() && result.back() == '_') result.pop_back();
  if (result.empty()) return "input";
  if (result[0] >= '0' && result[0] <= '9') result.insert(0, "x");
  return taken_names().contains(result) ? result + "_" : result;
}

std::string quoted_list(std::span<const std::string> texts) {
  std::vector<std::string> items;
  for (const std::string& text : texts) {
    // The length is given: a text may hold a zero.
    items.push_back(fmt::format("{{{}, {}}}", c_string(text), text.size()));
  }
  return CodeWriter::lines(items);
}

std::string comment(const LoweredTree& tree, const ExportOptions& options, bool computes) {
  std::vector<std::string> lines = export_heading(tree, options);
  lines.push_back(fmt::format(
      "C++17, this file alone. {0}::Row row; row.FIELD = value; {0}::predict(row) answers; what is "
      "not set is missing. It gives the bits that Softwood gives.",
      options.name));
  if (computes) lines.emplace_back("Compile without fast-math.");
  std::string text;
  for (const std::string& line : lines) {
    text += line.empty() ? "//\n" : wrapped("// ", line, 100) + "\n";
  }
  std::string result;
  for (const std::string_view line : split(trim(text), '\n')) {
    std::string one = line.starts_with("//") ? std::string(line) : "//" + std::string(line);
    // A line that ends in \ would go on.
    while (one.size() > 2 && (one.back() == '\\' || one.back() == '/')) one += '.';
    result += one + "\n";
  }
  return result;
}

void write_level_tables(CodeWriter& out, const LoweredTree& tree) {
  std::vector<std::string> levels;
  std::vector<int32_t> first{0};
  for (const LoweredInput& input : tree.inputs) {
    levels.insert(levels.end(), input.levels.begin(), input.levels.end());
    first.push_back(static_cast<int32_t>(levels.size()));
  }
  if (levels.empty()) return out.raw(no_level);
  out.raw("\n// Levels of the inputs, and where those of each begin.\n");
  out.raw(fmt::format("inline constexpr std::string_view levels[{}] = {{\n{}}};\n", levels.size(),
                      quoted_list(levels)));
  out.table("first_level", std::span<const int32_t>(first));
  out.raw(level);
}

std::string fields_text(const LoweredTree& tree, std::span<const std::string> fields) {
  std::string text;
  for (size_t f = 0; f < fields.size(); ++f) {
    const LoweredInput& input = tree.inputs[f];
    const bool number = input.kind == InputKind::numeric;
    text +=
        fmt::format("  std::optional<{}> {};", number ? "double" : "std::string_view", fields[f]);
    if (fields[f] != input.name) text += "  // " + c_string(input.name);
    text += "\n";
  }
  return text;
}

std::string cells_text(const LoweredTree& tree, std::span<const std::string> fields) {
  std::string text;
  for (size_t f = 0; f < fields.size(); ++f) {
    if (tree.inputs[f].kind == InputKind::numeric) {
      text += fmt::format("      row.{}.value_or(missing),\n", fields[f]);
    } else {
      text += fmt::format("      row.{0} ? static_cast<double>(level({1}, *row.{0})) : missing,\n",
                          fields[f], f);
    }
  }
  return text;
}

}  // namespace

std::vector<std::string> cpp_fields(const LoweredTree& tree) {
  std::vector<std::string> fields;
  std::set<std::string> used;
  // Columns whose names are identifiers keep them, whatever others become.
  for (const LoweredInput& input : tree.inputs) {
    if (identifier(input.name) == input.name) used.insert(input.name);
  }
  for (const LoweredInput& input : tree.inputs) {
    const std::string wanted = identifier(input.name);
    if (wanted == input.name) {
      fields.push_back(wanted);
      continue;
    }
    std::string name = wanted;
    for (int count = 2; !used.insert(name).second; ++count) {
      name = fmt::format("{}_{}", wanted, count);
    }
    fields.push_back(name);
  }
  return fields;
}

std::string cpp_export(const LoweredTree& tree, const ExportOptions& options) {
  if (taken_names().contains(options.name) || global_names().contains(options.name)) {
    throw Error(ErrorKind::usage, fmt::format("'{}' cannot name a namespace of C++", options.name),
                {}, "take another name: price_tree");
  }
  const auto plain = plain_tables(tree);
  const bool classes = tree.is_classifier();
  const std::vector<std::string> fields = cpp_fields(tree);
  std::vector<std::string> inputs;
  for (const LoweredInput& input : tree.inputs) inputs.push_back(input.name);

  CodeWriter out(Language::cpp, options);
  const CodeWriter::Words words = {
      {"NAME", options.name},
      {"INPUTS", std::to_string(tree.inputs.size())},
      {"OUTPUTS", std::to_string(tree.nodes[0].answer.size())},
      {"STRINGS", plain ? "" : "#include <cstring>\n"},
      {"ANSWERTYPE", std::string(classes ? answer_of_classes : answer_of_number)},
      {"CELLS", cells_text(tree, fields)},
      {"PREDICT", std::string(classes ? predict_classes : predict_number)},
      {"CLASSIFY", std::string(classes ? classify : "")}};
  // Names of the data go through raw(): they may hold what code() replaces.
  out.raw(comment(tree, options, !plain));
  out.code(includes, words);
  write_guards(out, !plain);
  if (!plain) out.raw(no_contraction);
  out.code(names, words);
  out.raw(quoted_list(inputs));
  out.raw(end_of_names);
  if (classes) {
    out.raw(class_names);
    out.raw(quoted_list(tree.target.classes));
    out.raw(end_of_names);
  }
  out.raw(row);
  out.raw(fields_text(tree, fields));
  out.code(types, words);
  if (plain) {
    write_walk(out, *plain, tree, options);
  } else {
    write_descent(out, tree, options);
  }
  write_level_tables(out, tree);
  out.code(functions, words);
  if (!plain) out.raw(contraction_as_before);
  return out.text();
}

}  // namespace softwood::render

#include <fmt/format.h>

#include "base/text.h"
#include "render/export/c/code.h"
#include "render/export/c/plain.h"

namespace softwood::render {
namespace {

using Language = CodeWriter::Language;

constexpr std::string_view declarations = R"(
#ifndef $H
#define $H

#include <stddef.h>

#define $INPUTS @INPUTS@
#define $OUTPUTS @OUTPUTS@

#ifdef __cplusplus
extern "C" {
#endif

/* Names of the inputs, in the order of a row's cells. */
extern const char *const $input_names[$INPUTS];
@CLASSNAMES@
/* The answer for a row of $INPUTS cells: numbers as they are, NaN where a cell is missing, and a
   level as its number from $level; -1 counts as missing. Writes @WHAT@. */
void $predict(const CELL *row, CELL *out);
@CLASSFUNCTION@
/* The same for `count` rows, one behind the other, with $OUTPUTS numbers each in `out`. */
void $predict_rows(const CELL *rows, size_t count, CELL *out);

/* The number of a level of an input, counted from 0; -1: the input has no such level. */
int $level(int input, const char *text);

#ifdef __cplusplus
}
#endif

#endif
)";

constexpr std::string_view class_names =
    R"(/* Names of the classes, in the order of the probabilities. */
extern const char *const $class_names[$OUTPUTS];
)";
constexpr std::string_view class_function = R"(
/* The number of the class that is decided for, an index into $class_names. */
int $class(const CELL *row);
)";

constexpr std::string_view no_contraction = R"(
/* a * b + c is rounded twice, as in the model. clang obeys unless told -ffp-contract=fast. GCC takes
   several rows at once only where nobody asks the flags of floating-point exceptions. */
#if defined(__clang__)
#pragma STDC FP_CONTRACT OFF
#elif defined(__GNUC__)
#pragma GCC optimize("fp-contract=off", "no-trapping-math")
#elif defined(_MSC_VER)
#pragma fp_contract(off)
#endif
)";

constexpr std::string_view special_numbers = R"(
#if defined(__GNUC__)
#define $infinity __builtin_inf@F@()
#define $nan __builtin_nan@F@("")
#else
#include <math.h> /* for these constants alone */
#define $infinity ((@TYPE@)INFINITY)
#define $nan ((@TYPE@)NAN)
#endif
)";

constexpr std::string_view level = R"(
int $level(int input, const char *text)
{
  int32_t l;
  if (input < 0 || input >= $INPUTS) return -1;
  for (l = $first_level[input]; l < $first_level[input + 1]; ++l) {
    const char *a = $levels[l], *b = text;
    while (*a != 0 && *a == *b) {
      ++a;
      ++b;
    }
    if (*a == *b) return (int)(l - $first_level[input]);
  }
  return -1;
}
)";

constexpr std::string_view no_level = R"(
int $level(int input, const char *text)
{
  (void)input;
  (void)text;
  return -1;
}
)";

size_t outputs_of(const LoweredTree& tree) { return tree.nodes[0].answer.size(); }

void write_comment(CodeWriter& out, const LoweredTree& tree, const ExportOptions& options,
                   const std::vector<std::string>& more) {
  std::vector<std::string> lines = export_heading(tree, options);
  lines.insert(lines.end(), more.begin(), more.end());
  std::string text;
  for (const std::string& line : lines) {
    text += line.empty() ? "\n"
                         : wrapped(text.empty() ? "/* " : "   ", c_comment_text(line), 100) + "\n";
  }
  text.pop_back();
  out.raw(text + " */\n");
}

void write_declarations(CodeWriter& out, const LoweredTree& tree) {
  const bool classes = tree.is_classifier();
  out.code(declarations,
           {{"CLASSNAMES", std::string(classes ? class_names : "")},
            {"CLASSFUNCTION", std::string(classes ? class_function : "")},
            {"INPUTS", std::to_string(tree.inputs.size())},
            {"OUTPUTS", std::to_string(outputs_of(tree))},
            {"WHAT", classes ? "the probabilities of the\n   classes, in the order of $class_names"
                             : "one number"}});
}

void write_names(CodeWriter& out, const LoweredTree& tree) {
  const auto names = [&out](std::string_view name, std::string_view count,
                            std::span<const std::string> texts) {
    const std::vector<std::string> items = out.text_items(name, texts);
    out.code(fmt::format("\nconst char *const ${}[${}] = {{\n", name, count));
    out.raw(CodeWriter::lines(items) + "};\n");
  };
  std::vector<std::string> inputs, levels;
  std::vector<int32_t> first{0};
  for (const LoweredInput& input : tree.inputs) {
    inputs.push_back(input.name);
    levels.insert(levels.end(), input.levels.begin(), input.levels.end());
    first.push_back(static_cast<int32_t>(levels.size()));
  }
  names("input_names", "INPUTS", inputs);
  if (tree.is_classifier()) names("class_names", "OUTPUTS", tree.target.classes);
  if (levels.empty()) return out.code(no_level);
  out.raw("\n/* Levels of the inputs, and where those of each begin. */\n");
  out.table("levels", std::span<const std::string>(levels));
  out.table("first_level", std::span<const int32_t>(first));
  out.code(level);
}

std::vector<std::string> about(const ExportOptions& options, size_t bytes, bool computes) {
  std::vector<std::string> lines;
  const std::string& name = options.name;
  lines.push_back(
      fmt::format("C99 without a library; also C++. {0}_predict(row, out) answers a row of "
                  "{0}_INPUTS cells. {1}",
                  name, options.single_precision ? "" : "It gives the bits that Softwood gives."));
  if (options.single_precision) {
    lines.emplace_back(
        computes
            ? "Single precision: cells and answers are float. Sums and gates are computed with "
              "double, so answers are those of the model for the same cells, rounded to float, "
              "and the class is the model's. What changes is the rounding of the cells."
            : "Single precision: cells, thresholds and answers are float. Thresholds are rounded "
              "down, so every float cell goes the same way as in the model; answers are the "
              "model's for the same cells, rounded to float, and the class is the model's. What "
              "changes is the rounding of the cells.");
  }
  lines.push_back(
      fmt::format("A call needs {} of stack besides its registers; nothing is allocated, "
                  "no function calls itself, and calls from several threads are safe.",
                  bytes == 0 ? "less than 200 bytes" : fmt::format("about {} bytes", bytes + 200)));
  return lines;
}

}  // namespace

std::string c_header(const LoweredTree& tree, const ExportOptions& options) {
  CodeWriter out(Language::c, options);
  write_comment(out, tree, options, {});
  write_declarations(out, tree);
  return out.text();
}

std::string c_export(const LoweredTree& tree, const ExportOptions& options) {
  const auto plain = plain_tables(tree);
  CodeWriter body(Language::c, options);
  size_t bytes = 0;
  if (plain) {
    write_walk(body, *plain, tree, options);
  } else {
    bytes = write_descent(body, tree, options);
  }
  CodeWriter out(Language::c, options);
  write_comment(out, tree, options, about(options, bytes, !plain));
  out.raw("\n#include <float.h>\n#include <stdint.h>\n");
  write_guards(out, !plain);
  if (!plain) out.code(no_contraction);
  write_declarations(out, tree);
  if (body.needs_special_numbers()) {
    const bool single = plain && options.single_precision;
    out.code(special_numbers, {{"F", single ? "f" : ""}, {"TYPE", single ? "float" : "double"}});
  }
  write_names(out, tree);
  out.raw(body.text());
  return out.text();
}

}  // namespace softwood::render

#include <fmt/format.h>

#include "cli/check/check.h"

namespace softwood {
namespace {

// Numbers arrive in decimal digits, as 'predict' writes them; strtod reads them exactly.
constexpr const char* driver = R"({include}

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static char line[1 << 20];

static {real} cell(int input)
{{
  char *end = line + strlen(line);
  size_t length;
  unsigned byte;
  while (end > line && (end[-1] == '\n' || end[-1] == '\r')) *--end = 0;
  if (line[0] == 'm') return ({real})NAN;
  if (line[0] == 'n') return ({real})strtod(line + 1, NULL);
  for (length = 0; sscanf(line + 1 + 2 * length, "%2x", &byte) == 1; ++length) {{
    line[length] = (char)byte;
  }}
  line[length] = 0;
  return ({real}){name}_level(input, line);
}}

int main(int count, char **words)
{{
  FILE *const in = fopen(words[1], "r"), *const out = fopen(words[2], "w");
  unsigned long rows, inputs, r;
  {real} *cells, *one, *all;
  int k;
  if (count != 3 || !in || !out || fscanf(in, "%lu %lu\n", &rows, &inputs) != 2) return 2;
  if (inputs != {name}_INPUTS) return 3;
  cells = ({real} *)calloc(rows * {name}_INPUTS + 1, sizeof *cells);
  one = ({real} *)calloc(rows * {name}_OUTPUTS + 1, sizeof *one);
  all = ({real} *)calloc(rows * {name}_OUTPUTS + 1, sizeof *all);
  for (r = 0; r < rows; ++r) {{
    for (k = 0; k < {name}_INPUTS; ++k) {{
      if (!fgets(line, sizeof line, in)) return 4;
      cells[r * {name}_INPUTS + (unsigned long)k] = cell(k);
    }}
  }}
  {name}_predict_rows(cells, rows, all);
  for (r = 0; r < rows; ++r) {{
    {name}_predict(cells + r * {name}_INPUTS, one + r * {name}_OUTPUTS);
    {class_number}
    for (k = 0; k < {name}_OUTPUTS; ++k) {{
      fprintf(out, "%s%.17g", k ? " " : "", (double)one[r * {name}_OUTPUTS + (unsigned long)k]);
    }}
    fputc('\n', out);
  }}
  if (memcmp(one, all, rows * {name}_OUTPUTS * sizeof *one) != 0) {{
    fputs("{name}_predict_rows and {name}_predict differ\n", stderr);
    return 5;
  }}
  return fclose(out) == 0 ? 0 : 6;
}}
)";

}  // namespace

void check_c(const CheckTask& task) {
  require_programs({"cc"});
  const std::string& name = task.options.name;
  const std::string class_number =
      fmt::format("fprintf(out, \"%d \", {0}_class(cells + r * {0}_INPUTS));", name);
  const std::string driver_file = name + "_driver.c";
  write_file(task.folder + "/" + driver_file,
             fmt::format(fmt::runtime(driver), fmt::arg("name", name),
                         fmt::arg("include", fmt::format("#include \"{}.h\"", name)),
                         fmt::arg("real", task.options.single_precision ? "float" : "double"),
                         fmt::arg("class_number", task.tree.is_classifier() ? class_number : "")));
  // No mathematical library is linked.
  run_or_fail({"cc", "-std=c99", "-O2", "-Wall", "-Wextra", "-pedantic", "-Wconversion", "-Werror",
               "-c", task.file, "-o", "tree.o"},
              task.folder);
  run_or_fail({"cc", "-std=c99", "-O1", driver_file, "tree.o", "-o", "check"}, task.folder);
  run_or_fail({task.folder + "/check", task.rows, task.answers}, task.folder);
}

}  // namespace softwood

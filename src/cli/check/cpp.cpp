#include <fmt/format.h>

#include "cli/check/check.h"
#include "render/export/c/code.h"

namespace softwood {
namespace {

constexpr const char* driver = R"({include}

#include <fstream>
#include <iomanip>
#include <iostream>
#include <limits>
#include <string>
#include <vector>

namespace {{

std::string text_of(const std::string& cell) {{
  std::string text;
  for (std::size_t i = 1; i + 1 < cell.size(); i += 2) {{
    text += static_cast<char>(std::stoi(cell.substr(i, 2), nullptr, 16));
  }}
  return text;
}}

}}  // namespace

int main(int, char** words) {{
  std::ifstream in(words[1]);
  std::ofstream out(words[2]);
  std::size_t rows = 0, inputs = 0;
  std::string line;
  if (!(in >> rows >> inputs) || inputs != {name}::inputs || !std::getline(in, line)) return 2;
  std::vector<{real}> all, answers, several(rows * {name}::outputs);
  out << std::setprecision(17);
  for (std::size_t r = 0; r < rows; ++r) {{
    std::vector<std::string> cells(inputs), texts(inputs);
    {name}::Row row;
    for (std::size_t i = 0; i < inputs; ++i) {{
      if (!std::getline(in, cells[i]) || cells[i].empty()) return 3;
      if (cells[i][0] == 't') texts[i] = text_of(cells[i]);
    }}
{fields}
    for (const {real} cell : {name}::cells(row)) all.push_back(cell);
    const {name}::Answer answer = {name}::predict(row);
{answers}
    out << '\n';
  }}
  {name}::predict_rows(all.data(), rows, several.data());
  if (several != answers) {{
    std::cerr << "{name}::predict_rows and {name}::predict differ\n";
    return 4;
  }}
  return out.flush() ? 0 : 5;
}}
)";

}  // namespace

void check_cpp(const CheckTask& task) {
  require_programs({"c++"});
  const std::string& name = task.options.name;
  const std::string_view real = task.options.single_precision ? "float" : "double";
  const std::vector<std::string> fields = render::cpp_fields(task.tree);
  std::string assign;
  for (size_t f = 0; f < fields.size(); ++f) {
    const bool number = task.tree.inputs[f].kind == InputKind::numeric;
    assign += fmt::format("    if (cells[{0}][0] != 'm') row.{1} = {2};\n", f, fields[f],
                          number ? fmt::format("static_cast<{}>(std::strtod(cells[{}].c_str() + 1, "
                                               "nullptr))",
                                               real, f)
                                 : fmt::format("texts[{}]", f));
  }
  const std::string write_answer =
      task.tree.is_classifier()
          ? fmt::format(
                "    out << {0}::class_index(row);\n"
                "    for (const {1} number : answer) {{\n"
                "      out << ' ' << static_cast<double>(number);\n"
                "      answers.push_back(number);\n"
                "    }}",
                name, real)
          : "    out << static_cast<double>(answer);\n    answers.push_back(answer);";
  write_file(task.folder + "/check.cpp",
             fmt::format(fmt::runtime(driver), fmt::arg("name", name),
                         fmt::arg("include", fmt::format("#include \"{}.hpp\"", name)),
                         fmt::arg("real", real), fmt::arg("fields", assign),
                         fmt::arg("answers", write_answer)));
  run_or_fail({"c++", "-std=c++17", "-O1", "-Wall", "-Wextra", "-pedantic", "-Wconversion",
               "-Werror", "check.cpp", "-o", "check"},
              task.folder);
  run_or_fail({task.folder + "/check", task.rows, task.answers}, task.folder);
}

}  // namespace softwood

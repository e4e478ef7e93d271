#include "cli/check/python_driver.h"

#include <fmt/format.h>

namespace softwood {
namespace {

// Names may hold anything; hexadecimal digits need no escapes.
const char* const arguments_source = R"(
import sys

export_path, rows_path, answers_path, classes_path = sys.argv[1:]
with open(classes_path, encoding="ascii") as file:
    class_names = [bytes.fromhex(line.strip()).decode() for line in file]
)";

std::string class_lines(const LoweredTree& tree) {
  fmt::memory_buffer text;
  for (const std::string& name : tree.target.classes) {
    for (const char byte : name) {
      fmt::format_to(std::back_inserter(text), "{:02x}", static_cast<uint8_t>(byte));
    }
    text.push_back('\n');
  }
  return fmt::to_string(text);
}

}  // namespace

void run_python_driver(const CheckTask& task, const std::vector<std::string>& modules,
                       const std::string& driver) {
  require_python_modules(modules);
  const std::string program = task.folder + "/driver.py", classes = task.folder + "/classes.txt";
  write_file(program, std::string(python_rows_source) + arguments_source + driver);
  write_file(classes, class_lines(task.tree));
  run_or_fail({"python3", program, task.file, task.rows, task.answers, classes}, task.folder);
}

}  // namespace softwood

// Checks by packages of python3.
#pragma once

#include <string>
#include <vector>

#include "cli/check/check.h"

namespace softwood {

// Runs a driver in Python after `python_rows_source`. It finds the paths of the export, the rows
// and the answers in `export_path`, `rows_path` and `answers_path`, and the names of the classes in
// `class_names`, which is empty for regression.
void run_python_driver(const CheckTask& task, const std::vector<std::string>& modules,
                       const std::string& driver);

}  // namespace softwood

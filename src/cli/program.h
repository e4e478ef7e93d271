// The program: finds the verb, runs it, and turns what went wrong into a message and an exit code.
#pragma once

#include <string>
#include <vector>

namespace softwood {

// 0 done; 1 the work failed; 2 the command line is wrong; 3 the data or the model file is wrong.
int run_program(const std::vector<std::string>& arguments);

}  // namespace softwood

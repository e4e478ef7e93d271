#include "cli/program.h"

#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include "binding.h"

namespace softwood::python {

void bind_program(nb::module_& module) {
  using namespace nb::literals;
  module.def("run_program", &run_program, "arguments"_a, nb::call_guard<nb::gil_scoped_release>(),
             "Runs the command line program, which takes over the signals of the process; returns "
             "its exit code.");
}

}  // namespace softwood::python

#include <nanobind/stl/string.h>

#include "arrow.h"
#include "binding.h"

namespace softwood::python {

void add_arrow_capsule(DataColumns& columns, nb::handle capsule, const std::string& name,
                       bool ordered) {
  auto* const stream =
      static_cast<ArrowArrayStream*>(PyCapsule_GetPointer(capsule.ptr(), "arrow_array_stream"));
  if (stream == nullptr) nb::raise_python_error();
  if (stream->release == nullptr) throw nb::value_error("the Arrow stream was read before");
  add_arrow_stream(columns, *stream, name, ordered, [] {
    if (PyErr_CheckSignals() != 0) nb::raise_python_error();  // a query may take long
  });
}

}  // namespace softwood::python

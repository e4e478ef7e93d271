#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include "binding.h"
#include "softwood/export.h"

namespace softwood::python {

void bind_export(nb::module_& module) {
  nb::class_<ExportSettings>(module, "ExportSettings")
      .def(nb::init<>())
      .def_rw("name", &ExportSettings::name)
      .def_rw("dialect", &ExportSettings::dialect)
      .def_rw("table", &ExportSettings::table)
      .def_rw("keep", &ExportSettings::keep)
      .def_rw("module", &ExportSettings::module)
      .def_rw("single_precision", &ExportSettings::single_precision)
      .def_rw("threshold", &ExportSettings::threshold)
      .def_rw("threshold_class", &ExportSettings::threshold_class);
  const auto bytes = [](const std::string& file) { return nb::bytes(file.data(), file.size()); };
  module.def("export_model", [=](const TreeModel& model, const std::string& format,
                                 const ExportSettings& settings) {
    return bytes(export_model(model, format, settings));
  });
  module.def("export_header", [=](const TreeModel& model, const std::string& format,
                                  const ExportSettings& settings) {
    return bytes(export_header(model, format, settings));
  });
  module.def("export_formats", [] {
    nb::dict formats;
    for (const ExportFormat& format : export_formats()) {
      formats[format.name.c_str()] = nb::make_tuple(format.extension, format.help);
    }
    return formats;
  });
}

}  // namespace softwood::python

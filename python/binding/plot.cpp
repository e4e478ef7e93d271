#include <nanobind/stl/map.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include "binding.h"

namespace softwood::python {
namespace {

const char* need_name(PlotNeed need) {
  switch (need) {
    case PlotNeed::model:
      return "model";
    case PlotNeed::target:
      return "target";
    case PlotNeed::training:
      return "training";
  }
  return "model";
}

}  // namespace

void bind_plot(nb::module_& module) {
  using namespace nb::literals;
  nb::class_<PlotSettings>(module, "PlotSettings")
      .def(nb::init<>())
      .def_rw("view", &PlotSettings::view)
      .def_rw("depth", &PlotSettings::depth)
      .def_rw("to_the_right", &PlotSettings::to_the_right)
      .def_rw("row", &PlotSettings::row)
      .def_rw("inputs", &PlotSettings::inputs)
      .def_rw("depths", &PlotSettings::depths)
      .def_rw("at", &PlotSettings::at)
      .def_rw("costs", &PlotSettings::costs)
      .def_rw("threads", &PlotSettings::threads);
  module.attr("full_depth") = full_depth;
  module.def("plot_views", [] {
    nb::dict views;
    for (const PlotViewInfo& view : plot_views()) {
      views[view.name.c_str()] = nb::make_tuple(need_name(view.need), view.help);
    }
    return views;
  });
  module.def(
      "plot",
      [](const TreeModel& model, const PlotSettings& settings, std::optional<DataSet> data,
         std::optional<DataSet> validation) {
        const auto picture = std::make_shared<std::string>();
        run_interruptibly(nb::none(), [=](const Controls& controls) {
          *picture = model.plot(settings, data ? &*data : nullptr,
                                validation ? &*validation : nullptr, &controls);
        });
        return *picture;
      },
      "model"_a, "settings"_a, "data"_a.none(), "validation"_a.none());
}

}  // namespace softwood::python

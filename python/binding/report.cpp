#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include "binding.h"

namespace softwood::python {

void bind_report(nb::module_& module) {
  using namespace nb::literals;
  nb::class_<ReportSettings>(module, "ReportSettings")
      .def(nb::init<>())
      .def_rw("rows", &ReportSettings::rows)
      .def_rw("model_name", &ReportSettings::model_name)
      .def_rw("data_name", &ReportSettings::data_name)
      .def_rw("threads", &ReportSettings::threads);
  module.def(
      "report",
      [](const TreeModel& model, const std::optional<DataSet>& data,
         const ReportSettings& settings) {
        const auto page = std::make_shared<std::string>();
        run_interruptibly(nb::none(), [=](const Controls& controls) {
          *page = report(model, data ? &*data : nullptr, settings, &controls);
        });
        return *page;
      },
      "model"_a, "data"_a.none(), "settings"_a);
  module.def(
      "comparison_report",
      [](const std::vector<std::tuple<std::string, TreeModel, DataSet>>& models,
         const ReportSettings& settings) {
        std::vector<ReportedModel> compared;
        for (const auto& [name, model, data] : models) compared.push_back({name, model, data});
        const auto page = std::make_shared<std::string>();
        run_interruptibly(nb::none(), [=](const Controls& controls) {
          *page = comparison_report(compared, settings, &controls);
        });
        return *page;
      },
      "models"_a, "settings"_a);
}

}  // namespace softwood::python

#include "api/report.h"

#include "api/border.h"
#include "api/held.h"
#include "api/listener.h"
#include "api/rows.h"
#include "render/html/report.h"

namespace softwood {
namespace {

render::ReportOptions options_of(const ReportSettings& settings) {
  render::ReportOptions options;
  options.rows = settings.rows;
  options.model_name = settings.model_name;
  options.data_name = settings.data_name;
  return options;
}

}  // namespace

std::string report_of(const TreeModel& model, const DataSet* data, const ReportSettings& settings,
                      const Parallel& parallel, const Control& control) {
  const TreeModel::Held& held = model.held();
  render::ReportOptions options = options_of(settings);
  const Table* const rows = data == nullptr ? nullptr : &checked_table(held, *data);
  if (data != nullptr) options.absent = data->held().absent;
  return render::report_page({held.model, held.lowered(), rows, options, parallel, control});
}

std::string comparison_of(const std::vector<ReportedModel>& models, const ReportSettings& settings,
                          const Parallel& parallel, const Control& control) {
  std::vector<render::ComparedModel> compared;
  for (const ReportedModel& one : models) {
    const TreeModel::Held& held = one.model.held();
    compared.push_back({one.name, held.model, held.lowered(), table_with_target(held, one.data)});
  }
  return render::comparison_page(compared, options_of(settings), parallel, control);
}

std::string report(const TreeModel& model, const DataSet* data, const ReportSettings& settings,
                   const Controls* controls) {
  return at_border([&] {
    const OptionalListener listener(controls);
    return report_of(model, data, settings, threads_for(settings.threads), listener.control());
  });
}

std::string comparison_report(const std::vector<ReportedModel>& models,
                              const ReportSettings& settings, const Controls* controls) {
  return at_border([&] {
    const OptionalListener listener(controls);
    return comparison_of(models, settings, threads_for(settings.threads), listener.control());
  });
}

}  // namespace softwood

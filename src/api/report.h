// Reports with what the library itself says and is told.
#pragma once

#include "base/control.h"
#include "base/parallel.h"
#include "softwood/report.h"

namespace softwood {

std::string report_of(const TreeModel& model, const DataSet* data, const ReportSettings& settings,
                      const Parallel& parallel, const Control& control);
std::string comparison_of(const std::vector<ReportedModel>& models, const ReportSettings& settings,
                          const Parallel& parallel, const Control& control);

}  // namespace softwood

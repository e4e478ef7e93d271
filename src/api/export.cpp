#include "softwood/export.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "api/border.h"
#include "api/held.h"
#include "base/text.h"
#include "render/export/exporter.h"

namespace softwood {
namespace {

uint32_t class_of_threshold(const LoweredTarget& target, const std::string& name) {
  if (target.classes.size() != 2) {
    throw Error(ErrorKind::usage, "a threshold is for models with two classes");
  }
  if (name.empty()) return target.positive;
  const auto found = std::find(target.classes.begin(), target.classes.end(), name);
  if (found == target.classes.end()) {
    throw Error(ErrorKind::usage, fmt::format("there is no class '{}'", name), {},
                known_names_hint(name, target.classes));
  }
  return static_cast<uint32_t>(found - target.classes.begin());
}

render::ExportOptions options_for(const LoweredTree& tree, const render::Exporter& exporter,
                                  const ExportSettings& settings) {
  render::ExportOptions options;
  options.name = settings.name;
  options.dialect = settings.dialect;
  options.table = settings.table;
  options.keep = settings.keep;
  options.module = settings.module;
  options.single_precision = settings.single_precision;
  if (!std::isnan(settings.threshold)) {
    if (!(settings.threshold >= 0 && settings.threshold <= 1)) {
      throw Error(ErrorKind::usage, "a threshold is a probability from 0 to 1");
    }
    options.threshold = settings.threshold;
    options.threshold_class = class_of_threshold(tree.target, settings.threshold_class);
  }
  render::check_options(exporter, options);
  return options;
}

}  // namespace

std::vector<ExportFormat> export_formats() {
  std::vector<ExportFormat> formats;
  for (const render::Exporter& exporter : render::exporters()) {
    formats.push_back({exporter.name, exporter.extension, exporter.help});
  }
  return formats;
}

std::string export_model(const TreeModel& model, const std::string& format,
                         const ExportSettings& settings) {
  return at_border([&] {
    const render::Exporter& exporter = render::find_exporter(format);
    return render::export_tree(model.tree(), exporter,
                               options_for(model.tree(), exporter, settings));
  });
}

std::string export_header(const TreeModel& model, const std::string& format,
                          const ExportSettings& settings) {
  return at_border([&] {
    const render::Exporter& exporter = render::find_exporter(format);
    if (exporter.header == nullptr) {
      throw Error(ErrorKind::usage, fmt::format("{} has no header", format));
    }
    return exporter.header(render::exported_tree(model.tree()),
                           options_for(model.tree(), exporter, settings));
  });
}

}  // namespace softwood

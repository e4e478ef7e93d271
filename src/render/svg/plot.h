// The table of pictures: each draws one view of a model, as SVG. A view is a file with a function
// and a line in the table.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "base/control.h"
#include "base/parallel.h"
#include "softwood/lowered.h"
#include "softwood/plot.h"
#include "tree/model.h"

namespace softwood::render {

using PlotOptions = PlotSettings;

struct PlotTask {
  const Model& model;
  const LoweredTree& tree;
  const Table* rows;  // null: no data were given
  const PlotOptions& options;
  const Parallel& parallel;
  const Control& control;
  const Table* validation = nullptr;  // rows with known answers to judge by
};

struct PlotView : PlotViewInfo {
  std::string (*draw)(const PlotTask& task);
};
std::span<const PlotView> plot_views();
// Throws a usage Error for a name that is not in the table.
const PlotView& find_plot_view(std::string_view name);
// Throws a usage Error where the view lacks rows, or has rows to judge by that it can't use.
std::string draw_plot(const PlotView& view, const PlotTask& task);

std::string plot_tree(const PlotTask& task);
std::string plot_pruning(const PlotTask& task);
std::string plot_importance(const PlotTask& task);
std::string plot_regions(const PlotTask& task);
std::string plot_roc(const PlotTask& task);
std::string plot_calibration(const PlotTask& task);
std::string plot_threshold(const PlotTask& task);
std::string plot_impurity(const PlotTask& task);
std::string plot_overfitting(const PlotTask& task);
std::string plot_frontier(const PlotTask& task);

}  // namespace softwood::render

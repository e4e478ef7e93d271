// The table of pictures: each draws one view of a model, as SVG. A view is a file with a function
// and a line in the table.
#pragma once

#include <cstdint>
#include <limits>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/control.h"
#include "base/parallel.h"
#include "softwood/lowered.h"
#include "tree/model.h"

namespace softwood::render {

constexpr size_t full_depth = std::numeric_limits<size_t>::max();

struct PlotOptions {
  size_t depth = full_depth;              // tree: deeper parts are folded
  bool to_the_right = false;              // tree: the root is at the left
  std::optional<size_t> row;              // tree: whose path is drawn; from 0
  std::vector<std::string> inputs;        // regions: two of them
  std::vector<size_t> depths;             // regions: one picture for each
  std::map<std::string, std::string> at;  // regions: what the other inputs are
  double width = 0;                       // pixels; 0: as the view likes it
  std::vector<double> costs;              // threshold: as in evaluate
};

struct PlotTask {
  const Model& model;
  const LoweredTree& tree;
  const Table* rows;  // null: no data were given
  const PlotOptions& options;
  const Parallel& parallel;
  const Control& control;
};

enum class PlotNeed : uint8_t { model, rows, target };  // target: rows with known answers

struct PlotView {
  std::string name, help;
  PlotNeed need;
  std::string (*draw)(const PlotTask& task);
};
std::span<const PlotView> plot_views();
// Throws a usage Error for a name that is not in the table.
const PlotView& find_plot_view(std::string_view name);

std::string plot_tree(const PlotTask& task);
std::string plot_pruning(const PlotTask& task);
std::string plot_importance(const PlotTask& task);
std::string plot_regions(const PlotTask& task);
std::string plot_roc(const PlotTask& task);
std::string plot_calibration(const PlotTask& task);
std::string plot_threshold(const PlotTask& task);
std::string plot_impurity(const PlotTask& task);
std::string plot_overfitting(const PlotTask& task);

}  // namespace softwood::render

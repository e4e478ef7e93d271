// Pictures of a model as SVG: one file without scripts and links, in light, dark and print.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace softwood {

constexpr size_t full_depth = std::numeric_limits<size_t>::max();

// What a picture shows; each view looks at what is meant for it.
struct PlotSettings {
  std::string view = "tree";              // one of plot_views()
  size_t depth = full_depth;              // tree: deeper parts are folded
  bool to_the_right = false;              // tree: the root is at the left
  std::optional<size_t> row;              // tree: whose path is drawn; from 0
  std::vector<std::string> inputs;        // regions: two of them
  std::vector<size_t> depths;             // regions: one picture for each
  std::map<std::string, std::string> at;  // regions: what the other inputs are
  // threshold: costs[actual * classes + predicted]; empty: those of the model, else 1 per error
  std::vector<double> costs;
  int threads = 0;  // 0: as many as the machine has
};

// Training: rows with known answers and all inputs that the model was trained with.
enum class PlotNeed : uint8_t { model, target, training };

struct PlotViewInfo {
  std::string name, help;
  PlotNeed need;
  bool takes_validation;  // other rows with known answers to judge by
};
std::vector<PlotViewInfo> plot_views();

}  // namespace softwood

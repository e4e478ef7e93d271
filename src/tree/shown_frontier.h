// How tables and pictures show a frontier.
#pragma once

#include <string>
#include <vector>

#include "tree/frontier.h"

namespace softwood {

// "1 - auc" where the metric is auc, else the metric.
std::string loss_name(const std::string& metric);
// The preferences that take the point: "accuracy", "balanced", "readable".
std::vector<std::string> preferences_of(const Frontier& frontier, size_t point);

// The sizes of the saved trees where every point has one, else those of the trees that were judged,
// so that all are of one kind.
struct ShownPoint {
  size_t number = 0;  // in the frontier
  SavedSize size;
  bool dominated = false;  // by these sizes
};
struct ShownFrontier {
  bool of_saved_trees = false;
  std::vector<ShownPoint> points;  // by size, then by loss
};
ShownFrontier shown(const Frontier& frontier);

}  // namespace softwood

// What the rows of data say about the splits of a tree: the values that each of them divides.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "render/svg/canvas.h"
#include "render/svg/plot.h"

namespace softwood::render {

// The rows of a node over what its split asks: an input, a sum (in units of SoftInterval), or
// levels, ordered by the child that they go to.
struct NodeHistogram {
  double low = 0, high = 0;               // of the axis; levels: 0 and their number
  std::vector<std::vector<double>> bins;  // bins x classes; one count per bin without classes
  // Levels: their names, and the places between bins where the next child begins.
  std::vector<std::string> levels;
  std::vector<double> dividers;
  // Regression with known answers, instead of bins: value and answer of some rows, and the mean
  // answer of those that go to the same child.
  std::vector<Point> points;
  struct Mean {
    double low, high, answer;
  };
  std::vector<Mean> means;
};

struct NodeRows {
  std::vector<std::optional<NodeHistogram>>
      histograms;  // by node; rows count where most of them is
  // Of the row that is followed, by node; empty: none is.
  std::vector<double> share;  // of the row that comes here
  std::vector<double> value;  // on the axis of the histogram; NaN: it has none
};

// Empty without rows. A usage Error for a row that is not there.
NodeRows node_rows(const PlotTask& task);

}  // namespace softwood::render

// A frame with two axes, and places in it by the numbers that they stand for.
#pragma once

#include <string>
#include <vector>

#include "render/svg/canvas.h"

namespace softwood::render {

struct Axis {
  double low = 0, high = 1;
  std::string label;
  // Places with texts of their own; empty: round numbers.
  std::vector<std::pair<double, std::string>> ticks = {};
};

// Round numbers from low to high, about `count` of them.
std::vector<double> round_ticks(double low, double high, size_t count = 5);

// An axis over all values, a little wider than they are.
Axis axis_over(const std::vector<double>& values, std::string label);

// Coloured boxes with the names of classes in a line; what has no room is counted. Where the line
// ends.
double draw_class_names(Canvas& canvas, Point corner, const std::vector<std::string>& classes,
                        double room);

class Chart {
 public:
  Chart(Canvas& canvas, Point corner, double width, double height, Axis x, Axis y);

  void draw_axes();
  Point at(double x, double y) const;
  std::vector<Point> at(const std::vector<Point>& values) const;
  // Coloured lines or boxes with a text, one under the other, from the given corner on.
  void legend(Point corner, const std::vector<std::pair<std::string, std::string>>& entries,
              double room);

  double left() const { return corner_.x; }
  double top() const { return corner_.y; }
  double right() const { return corner_.x + width_; }
  double bottom() const { return corner_.y + height_; }

 private:
  Canvas& canvas_;
  Point corner_;
  double width_, height_;
  Axis x_, y_;
};

}  // namespace softwood::render

#include "render/svg/chart.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/text.h"

namespace softwood::render {
namespace {

constexpr double tick_size = 11;

std::vector<std::pair<double, std::string>> ticks_of(const Axis& axis) {
  if (!axis.ticks.empty()) return axis.ticks;
  std::vector<std::pair<double, std::string>> ticks;
  for (const double value : round_ticks(axis.low, axis.high)) {
    ticks.emplace_back(value, short_number(value, 4));
  }
  return ticks;
}

}  // namespace

std::vector<double> round_ticks(double low, double high, size_t count) {
  if (!(high > low)) return {low};
  const double rough = (high - low) / static_cast<double>(count);
  const double power = std::pow(10.0, std::floor(std::log10(rough)));
  double step = 10 * power;
  for (const double factor : {1.0, 2.0, 5.0}) {
    if (factor * power >= rough * 0.999) {
      step = factor * power;
      break;
    }
  }
  std::vector<double> ticks;
  for (double k = std::ceil(low / step - 1e-9); k * step <= high + step * 1e-9; ++k) {
    ticks.push_back(k == 0 ? 0 : k * step);
  }
  return ticks;
}

Axis axis_over(const std::vector<double>& values, std::string label) {
  if (values.empty()) return {0, 1, std::move(label)};
  const auto [low, high] = std::minmax_element(values.begin(), values.end());
  const double width = *high > *low ? *high - *low : std::max(1.0, std::fabs(*high));
  return {*low - 0.05 * width, *high + 0.05 * width, std::move(label)};
}

double draw_class_names(Canvas& canvas, Point corner, const std::vector<std::string>& classes,
                        double room) {
  constexpr double box = 12, size = 12, longest = 140, for_rest = 80;
  double x = corner.x;
  for (size_t k = 0; k < classes.size(); ++k) {
    const std::string name = fitted_text(printable(classes[k]), size, longest);
    const double needed = text_width(name, size) + box + 22;
    const double kept = k + 1 < classes.size() ? for_rest : 0;
    if (x + needed + kept > corner.x + room) {
      canvas.text(x, corner.y + 10, fmt::format("{} more", classes.size() - k),
                  {size, Anchor::start, "muted"});
      return x + for_rest;
    }
    canvas.rectangle(x, corner.y, box, box, fmt::format("fill=\"{}\"", class_colour(k)));
    canvas.text(x + box + 6, corner.y + 10, classes[k], {size, Anchor::start, "", longest});
    x += needed;
  }
  return x;
}

Chart::Chart(Canvas& canvas, Point corner, double width, double height, Axis x, Axis y)
    : canvas_(canvas),
      corner_(corner),
      width_(width),
      height_(height),
      x_(std::move(x)),
      y_(std::move(y)) {}

Point Chart::at(double x, double y) const {
  const auto share = [](double value, const Axis& axis) {
    return axis.high > axis.low ? std::clamp((value - axis.low) / (axis.high - axis.low), 0.0, 1.0)
                                : 0.5;
  };
  return {corner_.x + width_ * share(x, x_), corner_.y + height_ * (1 - share(y, y_))};
}

std::vector<Point> Chart::at(const std::vector<Point>& values) const {
  std::vector<Point> places;
  for (const Point& value : values) places.push_back(at(value.x, value.y));
  return places;
}

void Chart::draw_axes() {
  double last_right = -1e9;
  for (const auto& [value, text] : ticks_of(x_)) {
    const Point place = at(value, y_.low);
    const double half = text_width(text, tick_size) / 2;
    if (place.x - half < last_right + 6) continue;  // would touch its neighbour
    last_right = place.x + half;
    canvas_.line({place.x, top()}, {place.x, bottom()}, "class=\"grid\"");
    canvas_.text(place.x, bottom() + 16, text, {tick_size, Anchor::middle, "muted"});
  }
  for (const auto& [value, text] : ticks_of(y_)) {
    const Point place = at(x_.low, value);
    canvas_.line({left(), place.y}, {right(), place.y}, "class=\"grid\"");
    canvas_.text(left() - 6, place.y + 4, text, {tick_size, Anchor::end, "muted", 52});
  }
  canvas_.polyline({{left(), top()}, {left(), bottom()}, {right(), bottom()}}, "class=\"axis\"");
  canvas_.text((left() + right()) / 2, bottom() + 36, x_.label, {12, Anchor::middle, "", width_});
  canvas_.vertical_text(left() - 62, (top() + bottom()) / 2, y_.label,
                        {12, Anchor::middle, "", height_});
}

void Chart::legend(Point corner, const std::vector<std::pair<std::string, std::string>>& entries,
                   double room) {
  constexpr double line = 18, box = 12;
  double y = corner.y;
  for (const auto& [text, paint] : entries) {
    canvas_.rectangle(corner.x, y, box, box, paint);
    canvas_.text(corner.x + box + 6, y + 10, text, {12, Anchor::start, "", room - box - 6});
    y += line;
  }
}

}  // namespace softwood::render

// A drawing in SVG: shapes and text are appended, then the whole is closed with its size and style.
// Classes of shapes: box, axis, grid, edge (on: followed), curve, second, cut, ring (lines in the
// colour of texts); ink, mark, hot, shade, paper (areas); dot (an area with a thin border of
// paper).
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace softwood::render {

// Text of a user's file inside of markup: never a tag, an attribute or a control character.
std::string xml_text(std::string_view text);

// Width in pixels that a text needs at most in the usual sans-serif fonts.
double text_width(std::string_view text, double size, bool bold = false);
// The beginning of a text that fits, with "…" where something is left out.
std::string fitted_text(std::string_view text, double size, double room, bool bold = false);

enum class Anchor : uint8_t { start, middle, end };

struct TextStyle {
  double size = 12;
  Anchor anchor = Anchor::start;
  std::string classes;  // of the style sheet: "muted", "strong"
  double room = 0;      // pixels; longer texts are cut and have the whole as title. 0: no limit
};

// Colours for classes, safe for colour-blind people: Okabe and Ito (2008), then lighter and darker
// ones of them; after 24 they come again.
std::string class_colour(size_t class_index);
// From low (blue) over middle to high (orange); `share` from 0 to 1.
std::string scale_colour(double share);

struct Point {
  double x = 0, y = 0;
};

class Canvas {
 public:
  void rectangle(double x, double y, double width, double height, const std::string& attributes);
  void circle(double x, double y, double radius, const std::string& attributes);
  void line(Point from, Point to, const std::string& attributes);
  void polyline(const std::vector<Point>& points, const std::string& attributes);
  void polygon(const std::vector<Point>& points, const std::string& attributes);
  void path(const std::string& steps, const std::string& attributes);
  void text(double x, double y, std::string_view text, const TextStyle& style = {});
  void vertical_text(double x, double y, std::string_view text, const TextStyle& style = {});
  void title(std::string_view text);  // of the group that is open
  void open_group(const std::string& attributes);
  void close_group();

  // The whole file. `label` says to a screen reader what is to be seen.
  std::string finish(double width, double height, std::string_view label,
                     std::string_view description) const;

 private:
  std::string body_;
};

// Two digits after the point, none where they are zero.
std::string coordinate(double value);

}  // namespace softwood::render

#include "render/svg/canvas.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "base/text.h"

namespace softwood::render {
namespace {

// Light, dark and print in one: colours are variables of the style sheet.
constexpr std::string_view style_sheet = R"(
svg{--ink:#1f2328;--muted:#59636e;--line:#8c959f;--faint:#d8dee4;--paper:#fff;--fill:#f6f8fa;--mark:#0072b2;
background:var(--paper);font-family:system-ui,-apple-system,"Segoe UI","DejaVu Sans",Arial,sans-serif}
@media (prefers-color-scheme:dark){svg{--ink:#e6edf3;--muted:#9aa4af;--line:#6e7681;--faint:#30363d;--paper:#0d1117;--fill:#161b22;--mark:#56b4e9}}
@media print{svg{--ink:#000;--muted:#444;--line:#777;--faint:#ccc;--paper:#fff;--fill:#fff;--mark:#0072b2}}
text{fill:var(--ink)}.label{paint-order:stroke;stroke:var(--paper);stroke-width:3px}.muted{fill:var(--muted)}.strong{font-weight:600}
.box{fill:var(--fill);stroke:var(--line)}.axis{stroke:var(--line);fill:none}.grid{stroke:var(--faint);fill:none}
.curve{stroke:var(--mark);fill:none;stroke-width:2}.second{stroke:#d55e00;fill:none;stroke-width:2}
.edge{stroke:var(--line);fill:none;stroke-linecap:round}.on{stroke:#d55e00}.mark{fill:var(--mark)}
.cut{stroke:#d55e00;stroke-width:1.5;fill:none}
)";

const char* anchor_name(Anchor anchor) {
  switch (anchor) {
    case Anchor::start:
      return "start";
    case Anchor::middle:
      return "middle";
    case Anchor::end:
      return "end";
  }
  return "start";
}

// Widths of characters in DejaVu Sans, the widest of the usual fonts, as shares of the size.
double character_width(unsigned char first) {
  constexpr double wide = 1.05, narrow = 0.35, capital = 0.75, usual = 0.64, widest = 0.9;
  if (first >= 0x80) return first >= 0xe3 ? wide : 0.7;  // from U+3000 on as wide as high
  if (std::string_view("iljtfrI.,:;'|!()[] ").find(static_cast<char>(first)) !=
      std::string_view::npos) {
    return narrow + 0.07;
  }
  if (std::string_view("mwMW%@").find(static_cast<char>(first)) != std::string_view::npos) {
    return widest + 0.06;
  }
  return first >= 'A' && first <= 'Z' ? capital : usual;
}

std::string points_text(const std::vector<Point>& points) {
  std::string text;
  for (const Point& point : points) {
    text +=
        fmt::format("{}{},{}", text.empty() ? "" : " ", coordinate(point.x), coordinate(point.y));
  }
  return text;
}

}  // namespace

std::string coordinate(double value) {
  std::string text = fmt::format("{:.2f}", value);
  while (text.back() == '0') text.pop_back();
  if (text.back() == '.') text.pop_back();
  return text == "-0" ? "0" : text;
}

std::string xml_text(std::string_view text) {
  std::string result;
  for (const char c : printable(text)) {
    switch (c) {
      case '&':
        result += "&amp;";
        break;
      case '<':
        result += "&lt;";
        break;
      case '>':
        result += "&gt;";
        break;
      case '"':
        result += "&quot;";
        break;
      case '\'':
        result += "&#39;";
        break;
      default:
        result += c;
    }
  }
  return result;
}

double text_width(std::string_view text, double size) {
  double width = 0;
  for (size_t i = 0; i < text.size(); i += std::max<size_t>(1, utf8_length(text.substr(i)))) {
    width += character_width(static_cast<unsigned char>(text[i]));
  }
  return width * size;
}

std::string fitted_text(std::string_view text, double size, double room) {
  if (text_width(text, size) <= room) return std::string(text);
  std::string kept;
  for (size_t i = 0; i < text.size();) {
    const size_t length = std::max<size_t>(1, utf8_length(text.substr(i)));
    const std::string longer = kept + std::string(text.substr(i, length));
    if (text_width(longer + "…", size) > room) break;
    kept = longer;
    i += length;
  }
  return kept + "…";
}

std::string class_colour(size_t class_index) {
  constexpr std::array colours = {"#0072b2", "#e69f00", "#009e73", "#cc79a7",
                                  "#56b4e9", "#d55e00", "#f0e442", "#999999"};
  constexpr std::array lighter = {"#7fb8d8", "#f2cf7f", "#7fceb9", "#e5bcd3",
                                  "#aad9f4", "#eaae7f", "#f7f1a0", "#cccccc"};
  const size_t place = class_index % colours.size();
  return class_index / colours.size() % 2 == 0 ? colours[place] : lighter[place];
}

std::string scale_colour(double share) {
  // Blue, light grey, orange of Okabe and Ito, mixed by thirds of the way.
  struct Colour {
    double red, green, blue;
  };
  constexpr Colour low{0, 114, 178}, middle{236, 236, 236}, high{230, 159, 0};
  const double held = std::clamp(share, 0.0, 1.0);
  const Colour& from = held < 0.5 ? low : middle;
  const Colour& to = held < 0.5 ? middle : high;
  const double part = held < 0.5 ? 2 * held : 2 * held - 1;
  const auto mixed = [part](double a, double b) {
    return static_cast<int>(std::lround(a + part * (b - a)));
  };
  return fmt::format("#{:02x}{:02x}{:02x}", mixed(from.red, to.red), mixed(from.green, to.green),
                     mixed(from.blue, to.blue));
}

void Canvas::rectangle(double x, double y, double width, double height,
                       const std::string& attributes) {
  body_ += fmt::format("<rect x=\"{}\" y=\"{}\" width=\"{}\" height=\"{}\" {}/>\n", coordinate(x),
                       coordinate(y), coordinate(std::max(0.0, width)),
                       coordinate(std::max(0.0, height)), attributes);
}

void Canvas::circle(double x, double y, double radius, const std::string& attributes) {
  body_ += fmt::format("<circle cx=\"{}\" cy=\"{}\" r=\"{}\" {}/>\n", coordinate(x), coordinate(y),
                       coordinate(radius), attributes);
}

void Canvas::line(Point from, Point to, const std::string& attributes) {
  body_ += fmt::format("<line x1=\"{}\" y1=\"{}\" x2=\"{}\" y2=\"{}\" {}/>\n", coordinate(from.x),
                       coordinate(from.y), coordinate(to.x), coordinate(to.y), attributes);
}

void Canvas::polyline(const std::vector<Point>& points, const std::string& attributes) {
  body_ += fmt::format("<polyline points=\"{}\" {}/>\n", points_text(points), attributes);
}

void Canvas::polygon(const std::vector<Point>& points, const std::string& attributes) {
  body_ += fmt::format("<polygon points=\"{}\" {}/>\n", points_text(points), attributes);
}

void Canvas::path(const std::string& steps, const std::string& attributes) {
  body_ += fmt::format("<path d=\"{}\" {}/>\n", steps, attributes);
}

void Canvas::text(double x, double y, std::string_view text, const TextStyle& style) {
  const std::string shown =
      style.room > 0 ? fitted_text(text, style.size, style.room) : std::string(text);
  const std::string whole =
      shown.size() == text.size() ? "" : fmt::format("<title>{}</title>", xml_text(text));
  body_ +=
      fmt::format("<text x=\"{}\" y=\"{}\" font-size=\"{}\" text-anchor=\"{}\"{}>{}{}</text>\n",
                  coordinate(x), coordinate(y), coordinate(style.size), anchor_name(style.anchor),
                  style.classes.empty() ? "" : fmt::format(" class=\"{}\"", style.classes), whole,
                  xml_text(shown));
}

void Canvas::vertical_text(double x, double y, std::string_view text, const TextStyle& style) {
  open_group(
      fmt::format("transform=\"translate({},{}) rotate(-90)\"", coordinate(x), coordinate(y)));
  this->text(0, 0, text, style);
  close_group();
}

void Canvas::title(std::string_view text) {
  body_ += fmt::format("<title>{}</title>\n", xml_text(text));
}

void Canvas::open_group(const std::string& attributes) {
  body_ += attributes.empty() ? "<g>\n" : fmt::format("<g {}>\n", attributes);
}

void Canvas::close_group() { body_ += "</g>\n"; }

std::string Canvas::finish(double width, double height, std::string_view label,
                           std::string_view description) const {
  return fmt::format(
      "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {0} {1}\" width=\"{0}\" "
      "height=\"{1}\" role=\"img\" aria-label=\"{2}\">\n<desc>{3}</desc>\n<style>{4}</style>\n"
      "<rect width=\"100%\" height=\"100%\" fill=\"var(--paper)\"/>\n{5}</svg>\n",
      coordinate(width), coordinate(height), xml_text(label), xml_text(description), style_sheet,
      body_);
}

}  // namespace softwood::render

#include "render/svg/canvas.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "base/text.h"

namespace softwood::render {
namespace {

// Colours of one scheme. Rules name them outright instead of by variables of CSS, which programs
// that place pictures on slides and pages do not know.
struct Scheme {
  std::string_view ink, muted, line, faint, paper, fill, mark, second;
};
constexpr Scheme light{"#1f2328", "#59636e", "#8c959f", "#d8dee4",
                       "#ffffff", "#f6f8fa", "#0072b2", "#d55e00"};
constexpr Scheme dark{"#e6edf3", "#9aa4af", "#6e7681", "#30363d",
                      "#0d1117", "#161b22", "#56b4e9", "#e8752b"};
constexpr Scheme printed{"#000000", "#444444", "#777777", "#cccccc",
                         "#ffffff", "#ffffff", "#0072b2", "#d55e00"};

// Only inside of a picture: a page may hold several, and other things.
std::string rules_of(const Scheme& scheme) {
  return fmt::format(
      ".softwood text,.softwood .ink{{fill:{0}}}.softwood .ring{{stroke:{0}}}"
      ".softwood .muted{{fill:{1}}}.softwood .shade{{fill:{2}}}"
      ".softwood .box{{fill:{5};stroke:{2}}}.softwood .axis,.softwood .edge{{stroke:{2}}}"
      ".softwood .grid{{stroke:{3}}}.softwood .paper{{fill:{4}}}"
      ".softwood .dot,.softwood .label{{stroke:{4}}}"
      ".softwood .curve{{stroke:{6}}}.softwood .mark{{fill:{6}}}"
      ".softwood .second,.softwood .cut,.softwood .on{{stroke:{7}}}"
      ".softwood .hot{{fill:{7}}}\n",
      scheme.ink, scheme.muted, scheme.line, scheme.faint, scheme.paper, scheme.fill, scheme.mark,
      scheme.second);
}

// Light, dark and print in one.
std::string style_sheet() {
  return fmt::format(
      "\n.softwood{{font-family:system-ui,-apple-system,\"Segoe UI\",\"DejaVu Sans\",Arial,"
      "sans-serif}}.softwood .strong{{font-weight:600}}"
      ".softwood .label{{paint-order:stroke;stroke-width:3px}}"
      ".softwood .axis,.softwood .grid,.softwood .curve,.softwood .second,.softwood .edge,"
      ".softwood .cut,.softwood .ring{{fill:none}}"
      ".softwood .curve,.softwood .second,.softwood .ring{{stroke-width:2}}"
      ".softwood .edge{{stroke-linecap:butt}}.softwood .cut{{stroke-width:1.5}}"
      ".softwood .box.on{{stroke-width:2.5}}.softwood .dot{{stroke-width:0.6}}\n"
      "{}@media (prefers-color-scheme:dark){{{}}}\n@media print{{{}}}\n",
      rules_of(light), rules_of(dark), rules_of(printed));
}

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

// Widths in hundredths of the size, from the space on, in DejaVu Sans and DejaVu Sans Bold: the
// widest of the usual fonts.
constexpr std::array<uint8_t, 95> regular_widths = {
    32, 41, 46, 84, 64, 96, 78, 28, 40,  40, 50, 84, 32, 37, 32, 34, 64, 64, 64, 64, 64, 64, 64, 64,
    64, 64, 34, 34, 84, 84, 84, 54, 100, 69, 69, 70, 77, 64, 58, 78, 76, 30, 30, 66, 56, 87, 75, 79,
    61, 79, 70, 64, 62, 74, 69, 99, 69,  62, 69, 40, 34, 40, 84, 50, 50, 62, 64, 55, 64, 62, 36, 64,
    64, 28, 28, 58, 28, 98, 64, 62, 64,  64, 42, 53, 40, 64, 60, 82, 60, 60, 53, 64, 34, 64, 84};
constexpr std::array<uint8_t, 95> bold_widths = {
    35, 46,  53, 84, 70, 101, 88, 31,  46, 46, 53, 84, 38, 42,  38, 37, 70, 70,  70,
    70, 70,  70, 70, 70, 70,  70, 40,  40, 84, 84, 84, 58, 100, 78, 77, 74, 83,  69,
    69, 83,  84, 38, 38, 78,  64, 100, 84, 85, 74, 85, 77, 73,  69, 82, 78, 111, 78,
    73, 73,  46, 37, 46, 84,  50, 50,  68, 72, 60, 72, 68, 44,  72, 72, 35, 35,  67,
    35, 105, 72, 69, 72, 72,  50, 60,  48, 72, 66, 93, 65, 66,  59, 72, 37, 72,  84};

double character_width(unsigned char first, bool bold) {
  if (first >= ' ' && first < 0x7f)
    return (bold ? bold_widths : regular_widths)[first - 32] / 100.0;
  if (first < 0xd0) return bold ? 0.85 : 0.8;  // Latin, Greek
  if (first < 0xe0) return 1;                  // Cyrillic, Hebrew, Arabic
  return first < 0xf0 ? 1.05 : 1.4;            // as wide as high; pictograms
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

double text_width(std::string_view text, double size, bool bold) {
  double width = 0;
  for (size_t i = 0; i < text.size(); i += std::max<size_t>(1, utf8_length(text.substr(i)))) {
    width += character_width(static_cast<unsigned char>(text[i]), bold);
  }
  return width * size;
}

std::string fitted_text(std::string_view text, double size, double room, bool bold) {
  if (text_width(text, size, bold) <= room) return std::string(text);
  double left = room - text_width("…", size, bold);
  size_t end = 0;
  while (end < text.size()) {
    const size_t length = std::max<size_t>(1, utf8_length(text.substr(end)));
    left -= text_width(text.substr(end, length), size, bold);
    if (left < 0) break;
    end += length;
  }
  return std::string(text.substr(0, end)) + "…";
}

std::string class_colour(size_t class_index) {
  constexpr std::array colours = {"#0072b2", "#e69f00", "#009e73", "#cc79a7",
                                  "#56b4e9", "#d55e00", "#f0e442", "#999999"};
  constexpr std::array lighter = {"#7fb8d8", "#f2cf7f", "#7fceb9", "#e5bcd3",
                                  "#aad9f4", "#eaae7f", "#f7f1a0", "#cccccc"};
  constexpr std::array darker = {"#003f63", "#805800", "#005740", "#71435c",
                                 "#2f6382", "#763400", "#857e24", "#555555"};
  constexpr std::array tables = {colours, lighter, darker};
  return tables[class_index / colours.size() % tables.size()][class_index % colours.size()];
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
  const std::string all = printable(text);
  const bool bold = style.classes.find("strong") != std::string::npos;
  const std::string shown = style.room > 0 ? fitted_text(all, style.size, style.room, bold) : all;
  const std::string whole = shown == all ? "" : fmt::format("<title>{}</title>", xml_text(text));
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
      "height=\"{1}\" class=\"softwood\" role=\"img\" aria-label=\"{2}\">\n<desc>{3}</desc>\n"
      "<style>{4}</style>\n<rect width=\"{0}\" height=\"{1}\" class=\"paper\"/>\n{5}</svg>\n",
      coordinate(width), coordinate(height), xml_text(label), xml_text(description), style_sheet(),
      body_);
}

}  // namespace softwood::render

// A picture for Graphviz: boxes in the colour of their class, or of their number, with shares,
// rows and formulas; edges say which rows go there.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "base/names.h"
#include "base/text.h"
#include "lower/condition.h"
#include "render/export/exporter.h"
#include "render/svg/canvas.h"
#include "render/text/answers.h"
#include "render/text/condition.h"
#include "render/text/words.h"

namespace softwood::render {
namespace {

// Columns of text in boxes and on edges, and lines of a formula.
constexpr size_t widest_line = 34, most_lines = 6, most_formula_terms = 4;
constexpr double bar_width = 120;  // of the shares, in points
constexpr size_t most_legend_classes = 21;

struct Colour {
  double red, green, blue;
};

// Okabe & Ito 2008, told apart by people with any colour vision; without black, and the lighter
// ones first.
constexpr std::array<Colour, 7> class_colours = {{{230, 159, 0},
                                                  {86, 180, 233},
                                                  {0, 158, 115},
                                                  {204, 121, 167},
                                                  {240, 228, 66},
                                                  {0, 114, 178},
                                                  {213, 94, 0}}};
// Numbers: from nearly white to blue, always light enough for black text.
constexpr Colour low_number = {247, 251, 255}, high_number = {107, 174, 214};
constexpr Colour white = {255, 255, 255};

Colour mixed(const Colour& a, const Colour& b, double part_of_b) {
  const auto mix = [=](double x, double y) { return x + (y - x) * part_of_b; };
  return {mix(a.red, b.red), mix(a.green, b.green), mix(a.blue, b.blue)};
}

std::string text_of(const Colour& colour) {
  const auto byte = [](double part) { return static_cast<int>(std::lround(part)); };
  return fmt::format("#{:02x}{:02x}{:02x}", byte(colour.red), byte(colour.green),
                     byte(colour.blue));
}

// Further rounds of the palette are paler.
Colour colour_of_class(size_t k) {
  const size_t round = k / class_colours.size();
  return mixed(class_colours[k % class_colours.size()], white,
               std::min(0.6, 0.3 * static_cast<double>(round)));
}

std::string lines_of(std::string_view text, size_t most = most_lines) {
  const std::string all = wrapped("", text, widest_line);
  std::string out;
  size_t count = 0;
  for (const std::string_view line : split(all, '\n')) {
    if (count == most) return out + "<BR/>...";
    out += (count++ > 0 ? "<BR/>" : "") + xml_text(line);
  }
  return out;
}

class Picture {
 public:
  Picture(const LoweredTree& tree, const ExportOptions& options)
      : tree_(tree), options_(options), answers_(tree) {
    for (uint32_t i = 0; i < tree.nodes.size() && !tree.is_classifier(); ++i) {
      lowest_ = std::min(lowest_, answers_.number(i));
      highest_ = std::max(highest_, answers_.number(i));
    }
  }

  std::string text() const {
    std::string text;
    for (const std::string& line : export_heading(tree_, options_)) {
      text += line.empty() ? "//\n" : "// " + line + "\n";
    }
    text += fmt::format(
        "// A picture of it: 'dot -Tsvg {0}.dot -o {0}.svg' draws it with Graphviz.\n"
        "digraph \"{0}\" {{\n"
        "  graph [ordering=out, nodesep=0.25, ranksep=0.45, fontname=\"Helvetica\", fontsize=11,\n"
        "    labelloc=b, label=<{1}>];\n"
        "  node [shape=box, style=\"filled,rounded\", color=\"#555555\", penwidth=0.8,\n"
        "    margin=\"0.1,0.06\", fontname=\"Helvetica\", fontsize=11];\n"
        "  edge [color=\"#555555\", penwidth=0.8, arrowsize=0.6, fontname=\"Helvetica\", "
        "fontsize=10];\n",
        options_.name, legend());
    for (uint32_t i = 0; i < tree_.nodes.size(); ++i) text += node(i);
    for (uint32_t i = 0; i < tree_.nodes.size(); ++i) {
      if (tree_.nodes[i].split) text += edges(i, *tree_.nodes[i].split);
    }
    return text + "}\n";
  }

 private:
  std::string legend() const {
    const std::vector<std::string>& classes = tree_.target.classes;
    std::string cells = fmt::format("<TD>{}</TD>", xml_text(tree_.target.name));
    for (size_t k = 0; k < std::min(classes.size(), most_legend_classes); ++k) {
      cells += fmt::format(
          "<TD WIDTH=\"12\" HEIGHT=\"12\" FIXEDSIZE=\"TRUE\" BGCOLOR=\"{}\"></TD><TD>{}</TD>",
          text_of(colour_of_class(k)), xml_text(classes[k]));
    }
    if (!tree_.is_classifier()) {
      for (const auto& [number, colour] :
           {std::pair{lowest_, low_number}, std::pair{highest_, high_number}}) {
        cells += fmt::format(
            "<TD WIDTH=\"12\" HEIGHT=\"12\" FIXEDSIZE=\"TRUE\" BORDER=\"1\" BGCOLOR=\"{}\"></TD>"
            "<TD>{}</TD>",
            text_of(colour), shown_number(number));
      }
    }
    return fmt::format(
        "<TABLE BORDER=\"0\" CELLSPACING=\"4\" CELLPADDING=\"0\"><TR>{}</TR></TABLE>", cells);
  }

  // The more certain a node is, the fuller is its colour.
  Colour fill(uint32_t i) const {
    if (!tree_.is_classifier()) {
      const double range = highest_ - lowest_;
      return mixed(low_number, high_number, range > 0 ? (answers_.number(i) - lowest_) / range : 0);
    }
    const double even = 1 / static_cast<double>(tree_.target.classes.size());
    const double certainty =
        even < 1 ? std::clamp((answers_.share(i) - even) / (1 - even), 0.0, 1.0) : 1;
    return mixed(white, colour_of_class(answers_.decided(i)), 0.12 + 0.48 * certainty);
  }

  // Shares of the classes as a bar, in the order of the classes.
  std::string bar(uint32_t i) const {
    const auto shares = answers_.of(i);
    std::string cells;
    long all = 0;
    for (size_t k = 0; k < shares.size(); ++k) {
      const auto width = std::lround(shares[k] * bar_width);
      if (width < 1) continue;
      all += width;
      cells += fmt::format("<TD WIDTH=\"{}\" HEIGHT=\"7\" FIXEDSIZE=\"TRUE\" BGCOLOR=\"{}\"></TD>",
                           width, text_of(colour_of_class(k)));
    }
    if (cells.empty()) return "";
    return fmt::format(
        "<TR><TD><TABLE BORDER=\"0\" CELLBORDER=\"0\" CELLSPACING=\"0\" CELLPADDING=\"0\" "
        "WIDTH=\"{}\" HEIGHT=\"7\" FIXEDSIZE=\"TRUE\"><TR>{}</TR></TABLE></TD></TR>",
        all, cells);
  }

  // What the node asks: the sum or the input, without the cut, which the edges have.
  std::string question(const LoweredSplit& split) const {
    if (const auto* const levels = std::get_if<LoweredLevels>(&split.condition)) {
      return shown_name(tree_.inputs[levels->input].name, NamePlace::comparison) + "?";
    }
    const auto& score = std::get<LoweredScore>(split.condition);
    if (score.terms.size() == 1 && score.terms[0].kind == TermKind::value) {
      return shown_name(tree_.inputs[score.terms[0].input].name, NamePlace::comparison) + "?";
    }
    return sum_text(tree_, score, 2 * widest_line) + "?";
  }

  static std::string row(const std::string& lines) {
    return fmt::format("<TR><TD>{}</TD></TR>", lines);
  }

  std::string answer(uint32_t i) const {
    if (tree_.is_classifier()) {
      return row(fmt::format("<B>{}</B> {}", lines_of(tree_.target.classes[answers_.decided(i)]),
                             shown_percent(answers_.share(i), 1)));
    }
    return row(fmt::format("<B>{}</B> &#177; {}", shown_number(answers_.number(i)),
                           short_number(standard_deviation(tree_.nodes[i]))));
  }

  std::string node(uint32_t i) const {
    const LoweredNode& at = tree_.nodes[i];
    std::string rows;
    if (at.split) rows += row("<I>" + lines_of(question(*at.split)) + "</I>");
    rows += answer(i);
    if (tree_.is_classifier()) rows += bar(i);
    if (at.formula && !at.formula->terms.empty()) {
      for (const std::string& line : formula_lines(tree_, *at.formula, most_formula_terms)) {
        rows += row("<FONT POINT-SIZE=\"9\">" + lines_of(line) + "</FONT>");
      }
    }
    rows += row(fmt::format("<FONT POINT-SIZE=\"9\">node {}: {}, {}</FONT>", i,
                            xml_text(shown_rows(tree_, at.weight)), shown_percent(at.share, 1)));
    return fmt::format(
        "  n{} [fillcolor=\"{}\"{}, label=<<TABLE BORDER=\"0\" CELLBORDER=\"0\" CELLSPACING=\"0\" "
        "CELLPADDING=\"1\">{}</TABLE>>];\n",
        i, text_of(fill(i)), at.split ? "" : ", penwidth=1.6", rows);
  }

  std::string edges(uint32_t i, const LoweredSplit& split) const {
    const BranchTexts texts(tree_, split);
    std::string text;
    for (uint32_t c = 0; c < split.children; ++c) {
      const std::string condition = texts.of(c, 3 * widest_line);
      text += fmt::format("  n{} -> n{} [label=<&#160;{}&#160;>];\n", i, split.first_child + c,
                          lines_of(condition));
    }
    return text;
  }

  const LoweredTree& tree_;
  const ExportOptions& options_;
  NodeAnswers answers_;
  double lowest_ = HUGE_VAL, highest_ = -HUGE_VAL;  // numbers of nodes
};

}  // namespace

std::string dot_export(const LoweredTree& tree, const ExportOptions& options) {
  return Picture(tree, options).text();
}

}  // namespace softwood::render

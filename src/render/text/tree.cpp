// The tree, one line per node, with a table beside it.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "base/names.h"
#include "base/text.h"
#include "render/renderer.h"
#include "render/text/answers.h"
#include "render/text/condition.h"
#include "render/text/words.h"

namespace softwood::render {

namespace {

// A condition is not shortened below this many columns.
constexpr size_t narrowest_condition = 24;
// What conditions may take before less is shown of the classes. Those that can't be made as short
// push their numbers to the right instead of everybody's.
constexpr size_t widest_label = 64;
// Classes get a column each when there are few and their names are short.
constexpr size_t most_class_columns = 6;
constexpr size_t widest_class_columns = 48;

// What is shown of the classes at each node beside the decided one.
enum class Detail { columns, list, none };

bool has_class_columns(const LoweredTree& tree) {
  size_t width = 0;
  for (const std::string& name : tree.target.classes) width += display_width(name) + 2;
  return tree.target.classes.size() <= most_class_columns && width <= widest_class_columns;
}

// The largest classes with their weights: "virginica 45, versicolor 1".
std::string largest_classes(const LoweredTree& tree, const LoweredNode& node) {
  const std::vector<double>& weights = node.class_weights;
  std::vector<size_t> order(weights.size());
  std::iota(order.begin(), order.end(), size_t{0});
  std::stable_sort(order.begin(), order.end(),
                   [&](size_t a, size_t b) { return weights[a] > weights[b]; });
  constexpr size_t most = 3;
  std::string text;
  for (size_t k = 0; k < order.size() && weights[order[k]] > 0; ++k) {
    if (k == most) return text + ", ...";
    if (k > 0) text += ", ";
    text += fmt::format("{} {}", tree.target.classes[order[k]], shown_weight(weights[order[k]]));
  }
  return text;
}

bool has_p_values(const LoweredTree& tree) {
  return std::any_of(tree.nodes.begin(), tree.nodes.end(), [](const LoweredNode& node) {
    return node.split && !std::isnan(node.split->log_p);
  });
}

std::vector<std::string> header(const LoweredTree& tree, Detail detail, bool with_p) {
  std::vector<std::string> cells{"node", counts_weights(tree) ? "weight" : "n"};
  if (with_p) cells.emplace_back("p");
  cells.push_back(tree.target.name);
  if (!tree.is_classifier()) {
    cells.emplace_back("sd");
    return cells;
  }
  cells.emplace_back("share");
  if (detail == Detail::columns) {
    cells.insert(cells.end(), tree.target.classes.begin(), tree.target.classes.end());
  }
  if (detail == Detail::list) cells.emplace_back("classes");
  return cells;
}

std::vector<std::string> cells_of(const LoweredTree& tree, const NodeAnswers& answers,
                                  Detail detail, bool with_p, uint32_t i) {
  const LoweredNode& node = tree.nodes[i];
  std::vector<std::string> cells{fmt::format("{}", i), shown_weight(node.weight)};
  if (with_p) cells.push_back(node.split ? p_value_text(node.split->log_p) : "");
  if (!tree.is_classifier()) {
    cells.push_back(shown_number(answers.number(i)));
    cells.push_back(short_number(standard_deviation(node)));
    return cells;
  }
  cells.push_back(tree.target.classes[answers.decided(i)]);
  cells.push_back(fmt::format("{:.3f}", answers.share(i)));
  if (detail == Detail::list) cells.push_back(largest_classes(tree, node));
  if (detail != Detail::columns) return cells;
  for (const double weight : node.class_weights) cells.push_back(shown_weight(weight));
  return cells;
}

struct Line {
  std::string label;
  uint32_t node;
};

// The conditions of a node's children, in `room` columns each where that is possible. A sum is cut
// at the same term for all.
std::vector<std::string> child_conditions(const LoweredTree& tree, const LoweredSplit& split,
                                          size_t room) {
  const BranchTexts texts(tree, split);
  std::vector<std::string> conditions;
  size_t longest = 0;
  for (uint32_t c = 0; c < split.children; ++c) {
    conditions.push_back(texts.of(c));
    longest = std::max(longest, display_width(conditions.back()));
  }
  const bool sum = std::holds_alternative<LoweredScore>(split.condition);
  for (uint32_t c = 0; c < conditions.size() && longest > room; ++c) {
    const size_t shorter = sum ? longest - display_width(conditions[c]) : 0;
    conditions[c] = texts.of(c, room > shorter ? room - shorter : 0);
  }
  return conditions;
}

// The nodes as a person reads them, depth first, with branches drawn before the conditions. Labels
// are shortened to `room` columns where that is possible.
std::vector<Line> drawn_lines(const LoweredTree& tree, size_t room) {
  // Below that depth nodes are drawn as if they stood there: lines of a tree that is a long chain
  // would be branches above all.
  constexpr size_t most_levels = 200;
  struct Open {
    uint32_t node;
    size_t depth;
    std::string own, below;  // what is drawn before this node and before those under it
    std::string condition;
  };
  std::vector<Line> lines;
  std::vector<Open> open{{0, 0, "", "", "all rows"}};
  while (!open.empty()) {
    const Open here = std::move(open.back());
    open.pop_back();
    const LoweredNode& node = tree.nodes[here.node];
    lines.push_back({here.own + here.condition + (node.is_leaf() ? " *" : ""), here.node});
    if (node.is_leaf()) continue;
    const size_t drawn = display_width(here.below) + 5;  // the branch before, " *" after
    const size_t left = std::max(narrowest_condition, room > drawn ? room - drawn : 0);
    const std::vector<std::string> conditions = child_conditions(tree, *node.split, left);
    for (uint32_t c = node.split->children; c-- > 0;) {
      const bool last = c + 1 == node.split->children;
      const std::string next = here.depth < most_levels ? (last ? "   " : "│  ") : "";
      open.push_back({node.split->first_child + c, here.depth + 1,
                      here.below + (last ? "└─ " : "├─ "), here.below + next, conditions[c]});
    }
  }
  return lines;
}

// A number, or the share of one of two classes that is mixed as it is: the lines have all of it.
bool is_in_its_line(const LoweredTree& tree, const LoweredFormula& formula) {
  if (!formula.terms.empty() || tree.mixing.kind == MixingKind::scores) return false;
  return !tree.is_classifier() || tree.target.classes.size() == 2;
}

// The formulas of leaves, in the order of the lines.
std::string formulas_text(const LoweredTree& tree, std::span<const Line> lines, size_t width) {
  std::string text;
  for (const Line& line : lines) {
    const std::optional<LoweredFormula>& formula = tree.nodes[line.node].formula;
    if (!formula || is_in_its_line(tree, *formula)) continue;
    text += fmt::format("{}node {}\n", text.empty() ? "\nModels of leaves\n" : "", line.node);
    for (const std::string& output : formula_lines(tree, *formula)) {
      text += wrapped("  ", output, width) + '\n';
    }
  }
  return text;
}

struct Sheet {
  std::vector<std::string> cells;  // of the header, then of each line
  size_t width = 0;                // of the cells
};

Sheet sheet_of(const LoweredTree& tree, const NodeAnswers& answers, const std::vector<Line>& lines,
               Detail detail) {
  const bool with_p = has_p_values(tree);
  TextTable table(header(tree, detail, with_p));
  for (const Line& line : lines) table.add(cells_of(tree, answers, detail, with_p, line.node));
  Sheet sheet;
  sheet.cells = table.lines();
  for (const std::string& row : sheet.cells)
    sheet.width = std::max(sheet.width, display_width(row));
  return sheet;
}

size_t label_column(const std::vector<Line>& lines, size_t widest = widest_label) {
  size_t column = 0;
  for (const Line& line : lines) {
    const size_t wide = display_width(line.label);
    if (wide <= widest) column = std::max(column, wide);
  }
  return column;
}

bool asks_surrogates(const LoweredTree& tree) {
  return std::any_of(tree.nodes.begin(), tree.nodes.end(), [](const LoweredNode& node) {
    return node.split && node.split->missing.weight > 0 && !node.split->missing.surrogates.empty();
  });
}

}  // namespace

std::string tree_text(const LoweredTree& tree, const RenderOptions& options) {
  const size_t width = options.width;
  const NodeAnswers answers(tree);
  std::vector<Line> lines = drawn_lines(tree, widest_label);
  // As much of the classes as fits beside the conditions.
  Detail detail = has_class_columns(tree) ? Detail::columns : Detail::list;
  Sheet sheet = sheet_of(tree, answers, lines, detail);
  while (detail != Detail::none && label_column(lines) + 2 + sheet.width > width) {
    detail = detail == Detail::columns ? Detail::list : Detail::none;
    sheet = sheet_of(tree, answers, lines, detail);
  }
  // Then conditions get all the room there is.
  const size_t room = width > sheet.width + 2 ? width - sheet.width - 2 : 0;
  lines = drawn_lines(tree, room);
  const size_t column = label_column(lines, std::max(room, widest_label));
  std::string text = std::string(column, ' ') + "  " + sheet.cells[0] + '\n';
  for (size_t i = 0; i < lines.size(); ++i) {
    const size_t wide = display_width(lines[i].label);
    text += lines[i].label + std::string(column > wide ? column - wide : 0, ' ') + "  ";
    text += sheet.cells[i + 1] + '\n';
  }
  text += "* leaf" + (options.with_size ? "; " + size_text(tree) : "") + '\n';
  if (asks_surrogates(tree)) {
    text += "Rows without a value go by surrogate splits, which the summary lists.\n";
  }
  if (!tree.decision.costs.empty()) {
    text += "Errors have costs: the cheapest class is predicted, whatever its share.\n";
  }
  const size_t wide = std::min(width, widest_text);
  return text + reading_text(tree, wide) + formulas_text(tree, lines, wide);
}

}  // namespace softwood::render

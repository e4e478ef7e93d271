#include "tree/show.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "base/text.h"
#include "tree/gates/kinds.h"
#include "tree/show_parts.h"

namespace softwood {

namespace {

// A condition is not shortened below this many columns.
constexpr size_t narrowest_condition = 24;
// What conditions may take before anything is told of fewer classes. Those that can't be made as
// short push their numbers to the right instead of everybody's.
constexpr size_t widest_label = 64;
// Classes get a column each when there are few and their names are short.
constexpr size_t most_class_columns = 6;
constexpr size_t widest_class_columns = 48;

// What is told of the classes at each node beside the largest.
enum class Detail { columns, list, none };

bool has_class_columns(const Schema& schema) {
  size_t width = 0;
  for (const std::string& level : schema.target.levels) width += display_width(level) + 2;
  return schema.classes() <= most_class_columns && width <= widest_class_columns;
}

// The largest classes with their sums: "virginica 45, versicolor 1".
std::string largest_classes(const Model& model, NodeIndex i) {
  const auto sums = model.tree.sums(i);
  std::vector<size_t> order(sums.size());
  std::iota(order.begin(), order.end(), size_t{0});
  std::stable_sort(order.begin(), order.end(),
                   [&](size_t a, size_t b) { return sums[a] > sums[b]; });
  constexpr size_t most = 3;
  std::string text;
  for (size_t k = 0; k < order.size() && sums[order[k]] > 0; ++k) {
    if (k == most) return text + ", ...";
    if (k > 0) text += ", ";
    text +=
        fmt::format("{} {}", model.schema.target.levels[order[k]], shown_weight(sums[order[k]]));
  }
  return text;
}

bool has_p_values(const Tree& tree) {
  for (NodeIndex i = 0; i < tree.size(); ++i) {
    if (!tree.node(i).is_leaf() && !std::isnan(tree.node(i).notes().log_p)) return true;
  }
  return false;
}

std::vector<std::string> header(const Model& model, Detail detail, bool with_p) {
  std::vector<std::string> cells{"node", counts_weights(model) ? "weight" : "n"};
  if (with_p) cells.emplace_back("p");
  cells.push_back(model.schema.target.name);
  if (model.tree.task() == Task::regression) {
    cells.emplace_back("sd");
    return cells;
  }
  cells.emplace_back("share");
  if (detail == Detail::columns) {
    cells.insert(cells.end(), model.schema.target.levels.begin(), model.schema.target.levels.end());
  }
  if (detail == Detail::list) cells.emplace_back("classes");
  return cells;
}

std::vector<std::string> cells_of(const Model& model, std::span<const double> answers,
                                  Detail detail, bool with_p, NodeIndex i) {
  const Tree& tree = model.tree;
  std::vector<std::string> cells{fmt::format("{}", i), shown_weight(tree.weight(i))};
  if (with_p) {
    cells.push_back(tree.node(i).is_leaf() ? "" : p_value_text(tree.node(i).notes().log_p));
  }
  if (tree.task() == Task::regression) {
    cells.push_back(shown_number(answers[i]));
    cells.push_back(short_number(spread_at(tree, i)));
    return cells;
  }
  const size_t top = answered_class(tree, answers, i);
  cells.push_back(model.schema.target.levels[top]);
  cells.push_back(fmt::format("{:.3f}", shown_share(tree, answers, i, top)));
  if (detail == Detail::list) cells.push_back(largest_classes(model, i));
  if (detail != Detail::columns) return cells;
  for (const double sum : tree.sums(i)) cells.push_back(shown_weight(sum));
  return cells;
}

struct Line {
  std::string label;
  NodeIndex node;
};

// The conditions of a node's children, in `room` columns each where that is possible. A sum is cut
// at the same term for all.
std::vector<std::string> child_conditions(const Model& model, NodeIndex i, size_t room) {
  std::vector<std::string> conditions;
  size_t longest = 0;
  for (uint32_t c = 0; c < model.tree.children(i); ++c) {
    conditions.push_back(branch_condition(model, i, c));
    longest = std::max(longest, display_width(conditions.back()));
  }
  const bool sum =
      !conditions.empty() && linear_form(model.tree.node(i).gate()) != nullptr;
  for (uint32_t c = 0; c < conditions.size() && longest > room; ++c) {
    const size_t shorter = sum ? longest - display_width(conditions[c]) : 0;
    conditions[c] = branch_condition(model, i, c, room > shorter ? room - shorter : 0);
  }
  return conditions;
}

// The nodes as a person reads them, depth first, with branches drawn before the conditions. Labels
// are shortened to `room` columns where that is possible.
std::vector<Line> drawn_lines(const Model& model, size_t room) {
  struct Open {
    NodeIndex node;
    std::string own, below;  // what is drawn before this node and before those under it
    std::string condition;
  };
  std::vector<Line> lines;
  std::vector<Open> open{{0, "", "", "all rows"}};
  while (!open.empty()) {
    const Open here = std::move(open.back());
    open.pop_back();
    const Node& node = model.tree.node(here.node);
    lines.push_back({here.own + here.condition + (node.is_leaf() ? " *" : ""), here.node});
    const uint32_t children = model.tree.children(here.node);
    const size_t drawn = display_width(here.below) + 5;  // the branch before, " *" after
    const size_t left = std::max(narrowest_condition, room > drawn ? room - drawn : 0);
    const std::vector<std::string> conditions = child_conditions(model, here.node, left);
    for (uint32_t c = children; c-- > 0;) {
      const bool last = c + 1 == children;
      open.push_back({node.first_child + c, here.below + (last ? "└─ " : "├─ "),
                      here.below + (last ? "   " : "│  "), conditions[c]});
    }
  }
  return lines;
}

// A number, or the share of one of two classes that is mixed as it is: the tree's lines have all of
// it.
bool is_told(const Tree& tree, const LeafModel& leaf) {
  if (!leaf.terms.empty() || tree.leaf_plan().mixes_scores()) return false;
  return tree.task() == Task::regression || tree.classes() == 2;
}

// The models of leaves, in the order of the lines.
std::string models_text(const Model& model, std::span<const Line> lines, size_t width) {
  std::string text;
  for (const Line& line : lines) {
    const Owned<LeafModel>& leaf = model.tree.node(line.node).model;
    if (!leaf || is_told(model.tree, *leaf)) continue;
    text += fmt::format("{}node {}\n", text.empty() ? "\nModels of leaves\n" : "", line.node);
    for (const std::string& output :
         leaf_model_lines(*leaf, model.schema, model.tree.leaf_plan().mixing)) {
      text += wrapped("  ", output, width) + '\n';
    }
  }
  return text;
}

struct Sheet {
  std::vector<std::string> cells;  // of the header, then of each line
  size_t width = 0;                // of the cells
};

Sheet sheet_of(const Model& model, std::span<const double> answers, const std::vector<Line>& lines,
               Detail detail) {
  const bool with_p = has_p_values(model.tree);
  TextTable table(header(model, detail, with_p));
  for (const Line& line : lines) table.add(cells_of(model, answers, detail, with_p, line.node));
  Sheet sheet;
  const std::string text = table.text();
  for (const std::string_view row : split(text, '\n')) {
    sheet.cells.emplace_back(row);
    sheet.width = std::max(sheet.width, display_width(row));
  }
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

bool asks_surrogates(const Tree& tree) {
  for (NodeIndex i = 0; i < tree.size(); ++i) {
    if (tree.node(i).is_leaf()) continue;
    const Missing& missing = tree.node(i).missing();
    if (missing.weight > 0 && !missing.surrogates.empty()) return true;
  }
  return false;
}

}  // namespace

std::string show_tree(const Model& model, size_t width) {
  const std::vector<double> answers = shown_answers(model.tree);
  std::vector<Line> lines = drawn_lines(model, widest_label);
  // As much of the classes as fits beside the conditions.
  Detail detail = has_class_columns(model.schema) ? Detail::columns : Detail::list;
  Sheet sheet = sheet_of(model, answers, lines, detail);
  while (detail != Detail::none && label_column(lines) + 2 + sheet.width > width) {
    detail = detail == Detail::columns ? Detail::list : Detail::none;
    sheet = sheet_of(model, answers, lines, detail);
  }
  // Then conditions get all the room there is.
  const size_t room = width > sheet.width + 2 ? width - sheet.width - 2 : 0;
  lines = drawn_lines(model, room);
  const size_t column = label_column(lines, std::max(room, widest_label));
  std::string text = std::string(column, ' ') + "  " + sheet.cells[0] + '\n';
  for (size_t i = 0; i < lines.size(); ++i) {
    const size_t wide = display_width(lines[i].label);
    text += lines[i].label + std::string(column > wide ? column - wide : 0, ' ') + "  ";
    text += sheet.cells[i + 1] + '\n';
  }
  text += "* leaf\n";
  if (asks_surrogates(model.tree)) {
    text += "Rows without a value go by surrogates, which the summary shows.\n";
  }
  const size_t wide = std::min(width, widest_text);
  return text + trained_leaves_text(model, wide) + models_text(model, lines, wide);
}

std::string show_table(const Model& model) {
  if (!model.complexity)
    return "There is no cost-complexity table: the tree was not pruned by it.\n";
  const ComplexityTable& table = *model.complexity;
  const auto known = [](double value) {
    return std::isnan(value) ? std::string() : short_number(value, 5);
  };
  const bool crossed = std::any_of(table.rows.begin(), table.rows.end(),
                                   [](const auto& row) { return !std::isnan(row.xerror); });
  std::vector<std::string> head{"", "CP", "nsplit", "rel error"};
  if (crossed) head.insert(head.end(), {"xerror", "xstd"});
  head.emplace_back("");
  TextTable text(std::move(head));
  for (size_t i = 0; i < table.rows.size(); ++i) {
    const ComplexityRow& row = table.rows[i];
    std::vector<std::string> cells{fmt::format("{}", i + 1), known(row.cp),
                                   fmt::format("{}", row.splits), known(row.error)};
    if (crossed) cells.insert(cells.end(), {known(row.xerror), known(row.xstd)});
    cells.emplace_back(i == table.chosen ? "<- chosen" : "");
    text.add(std::move(cells));
  }
  const double rate = table.root_weight > 0 ? table.root_error / table.root_weight : 0.0;
  return fmt::format("Root node error: {}/{} = {}\n\nn = {}\n\n{}",
                     short_number(table.root_error, 5), shown_weight(table.root_weight),
                     short_number(rate, 5), shown_weight(table.root_weight), text.text());
}

}  // namespace softwood

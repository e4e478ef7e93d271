#include "tree/show.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "base/text.h"
#include "tree/costs.h"
#include "tree/gates/kinds.h"

namespace softwood {

namespace {

// Conditions longer than this push their numbers to the right instead of everybody's.
constexpr size_t widest_label = 64;
// Classes get a column each when there are few and their names are short.
constexpr size_t most_class_columns = 6;
constexpr size_t widest_class_columns = 48;

double spread(const Tree& tree, NodeIndex i) {
  const auto sums = tree.sums(i);
  return sums[0] > 0 ? std::sqrt(std::max(0.0, sums[2] / sums[0])) : 0.0;
}

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
        fmt::format("{} {}", model.schema.target.levels[order[k]], shown_number(sums[order[k]]));
  }
  return text;
}

size_t top_answer(const Model& model, std::span<const double> answers, NodeIndex i) {
  const size_t width = model.tree.answer_width();
  return cheapest_answer(answers.subspan(i * width, width), model.tree.costs());
}

std::vector<std::string> header(const Model& model) {
  const std::string& target = model.schema.target.name;
  if (model.tree.task() == Task::regression) return {"node", "n", target, "sd"};
  std::vector<std::string> cells{"node", "n", target, "share"};
  if (has_class_columns(model.schema)) {
    cells.insert(cells.end(), model.schema.target.levels.begin(), model.schema.target.levels.end());
  } else {
    cells.emplace_back("classes");
  }
  return cells;
}

std::vector<std::string> cells_of(const Model& model, std::span<const double> answers,
                                  NodeIndex i) {
  const Tree& tree = model.tree;
  std::vector<std::string> cells{fmt::format("{}", i), shown_number(tree.weight(i))};
  if (tree.task() == Task::regression) {
    cells.push_back(shown_number(answers[i]));
    cells.push_back(short_number(spread(tree, i)));
    return cells;
  }
  const size_t top = top_answer(model, answers, i);
  cells.push_back(model.schema.target.levels[top]);
  cells.push_back(fmt::format("{:.3f}", answers[i * tree.classes() + top]));
  if (!has_class_columns(model.schema)) {
    cells.push_back(largest_classes(model, i));
    return cells;
  }
  for (const double sum : tree.sums(i)) cells.push_back(shown_number(sum));
  return cells;
}

struct Line {
  std::string label;
  NodeIndex node;
};

// The nodes as a person reads them, depth first, with branches drawn before the conditions.
std::vector<Line> drawn_lines(const Model& model) {
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
    for (uint32_t c = children; c-- > 0;) {
      const bool last = c + 1 == children;
      open.push_back({node.first_child + c, here.below + (last ? "└─ " : "├─ "),
                      here.below + (last ? "   " : "│  "),
                      branch_condition(node, c, model.schema)});
    }
  }
  return lines;
}

// The models of leaves, in the order of the lines.
std::string models_text(const Model& model, std::span<const Line> lines) {
  std::string text;
  for (const Line& line : lines) {
    const Owned<LeafModel>& leaf = model.tree.node(line.node).model;
    if (!leaf) continue;
    text += fmt::format("{}node {}\n", text.empty() ? "\nModels of leaves\n" : "", line.node);
    for (const std::string& output : leaf_model_lines(*leaf, model.schema)) {
      text += "  " + output + '\n';
    }
  }
  return text;
}

}  // namespace

std::string show_tree(const Model& model) {
  const std::vector<double> answers = model.tree.answers();
  const std::vector<Line> lines = drawn_lines(model);
  TextTable table(header(model));
  size_t width = 0;
  for (const Line& line : lines) {
    table.add(cells_of(model, answers, line.node));
    const size_t wide = display_width(line.label);
    if (wide <= widest_label) width = std::max(width, wide);
  }
  const std::string cells = table.text();
  const std::vector<std::string_view> rows = split(cells, '\n');
  std::string text = std::string(width, ' ') + "  " + std::string(rows[0]) + '\n';
  for (size_t i = 0; i < lines.size(); ++i) {
    const size_t wide = display_width(lines[i].label);
    text += lines[i].label + std::string(width > wide ? width - wide : 0, ' ') + "  ";
    text += std::string(rows[i + 1]) + '\n';
  }
  return text + "* leaf\n" + models_text(model, lines);
}

std::string show_rules(const Model& model) {
  const Tree& tree = model.tree;
  const std::vector<double> answers = tree.answers();
  const std::string target = shown_name(model.schema.target.name, NamePlace::comparison);
  const std::vector<NodeIndex> parents = parents_of(tree);
  const double all = tree.weight(0);
  std::string text;
  size_t number = 0;
  for (const Line& line : drawn_lines(model)) {
    const NodeIndex i = line.node;
    if (!tree.node(i).is_leaf()) continue;
    const double weight = tree.weight(i);
    std::string answer;
    if (tree.task() == Task::regression) {
      answer = fmt::format("{} ± {}", shown_number(answers[i]), short_number(spread(tree, i)));
    } else {
      const size_t top = top_answer(model, answers, i);
      answer =
          fmt::format("{}, {:.1f} %", shown_name(model.schema.target.levels[top], NamePlace::set),
                      100 * answers[i * tree.classes() + top]);
    }
    text += fmt::format("{}Rule {} (node {}, {} of {} rows, {:.1f} %)\n", number == 0 ? "" : "\n",
                        number + 1, i, shown_number(weight), shown_number(all),
                        all > 0 ? 100 * weight / all : 0.0);
    ++number;
    std::string word = "if";
    for (const std::string& condition : path_conditions(model, parents, i)) {
      text += fmt::format("  {:>4}  {}\n", word, condition);
      word = "and";
    }
    const std::string then = i == 0 ? "" : "then";
    if (!tree.node(i).model) {
      text += fmt::format("  {:>4}  {} = {}\n", then, target, answer);
      continue;
    }
    for (const std::string& output : leaf_model_lines(*tree.node(i).model, model.schema)) {
      text += fmt::format("  {:>4}  {}\n", then, output);
    }
  }
  return text;
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
                     short_number(table.root_error, 5), shown_number(table.root_weight),
                     short_number(rate, 5), shown_number(table.root_weight), text.text());
}

std::string show_summary(const Model& model) {
  const Shape shape = shape_of(model.tree);
  const Schema& schema = model.schema;
  std::vector<bool> used(schema.features.size(), false);
  for (NodeIndex i = 0; i < model.tree.size(); ++i) {
    if (model.tree.node(i).is_leaf()) continue;
    for (const uint32_t feature : gate_features(model.tree.node(i).gate())) used[feature] = true;
  }
  std::vector<std::string> names;
  for (size_t f = 0; f < used.size(); ++f) {
    if (used[f]) names.push_back(shown_name(schema.features[f].name, NamePlace::set));
  }
  std::string text;
  const auto say = [&](std::string_view what, const std::string& value) {
    text += fmt::format("{:<12}{}\n", what, value);
  };
  const std::string target = shown_name(schema.target.name, NamePlace::set);
  say("target", schema.task() == Task::regression
                    ? target + " (regression)"
                    : fmt::format("{} (classification, {} classes: {})", target, schema.classes(),
                                  join(schema.target.levels, ", ")));
  say("tree", fmt::format("{} nodes, {} leaves, depth {}, {} parameters", shape.nodes, shape.leaves,
                          shape.depth, shape.parameters));
  say("features", fmt::format("{} of {} used{}{}", names.size(), schema.features.size(),
                              names.empty() ? "" : ": ", join(names, ", ")));
  if (!model.provenance.method.empty()) say("method", model.provenance.method);
  say("recipe", model.provenance.recipe);
  say("rows",
      fmt::format("{}, fingerprint {}", model.provenance.rows, model.provenance.fingerprint));
  if (!schema.weight.empty()) say("weights", schema.weight);
  const auto numbers = [](std::span<const double> values) {
    std::vector<std::string> texts;
    for (const double value : values) texts.push_back(shown_number(value));
    return join(texts, " ");
  };
  if (!model.provenance.class_weights.empty()) {
    say("class weights", " " + numbers(model.provenance.class_weights));
  }
  if (!model.tree.costs().empty()) {
    const std::span<const double> costs = model.tree.costs();
    std::vector<std::string> rows;
    for (size_t k = 0; k < schema.classes(); ++k) {
      rows.push_back(numbers(costs.subspan(k * schema.classes(), schema.classes())));
    }
    say("costs", join(rows, "; ") + " (a row for each true class)");
  }
  say("seed", fmt::format("{}", model.provenance.seed));
  say("version", model.provenance.version);
  return text;
}

}  // namespace softwood

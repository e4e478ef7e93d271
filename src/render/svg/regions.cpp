// What the tree answers over two inputs: regions of classes or values, at several depths side by
// side, as course notes draw them.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/text.h"
#include "data/typical.h"
#include "render/svg/chart.h"
#include "render/svg/plot.h"
#include "softwood/error.h"
#include "use/predict.h"

namespace softwood::render {
namespace {

constexpr size_t cells_per_side = 120;
constexpr double panel = 340, panel_gap = 100, top = 98, left_margin = 80;
constexpr size_t most_points = 400;

uint32_t input_named(const LoweredTree& tree, const std::string& name) {
  std::vector<std::string> names;
  for (uint32_t f = 0; f < tree.inputs.size(); ++f) {
    names.push_back(tree.inputs[f].name);
    if (tree.inputs[f].name == name) return f;
  }
  throw Error(ErrorKind::usage, fmt::format("there is no input '{}'", name), {},
              known_names_hint(name, names));
}

// The two inputs that were named, or the most important numeric ones that the tree asks about.
std::pair<uint32_t, uint32_t> chosen_inputs(const PlotTask& task) {
  const LoweredTree& tree = task.tree;
  std::vector<uint32_t> inputs;
  for (const std::string& name : task.options.inputs) inputs.push_back(input_named(tree, name));
  const std::vector<bool> used = features_used(task.model.tree, tree.inputs.size());
  std::vector<uint32_t> order;
  for (uint32_t f = 0; f < tree.inputs.size(); ++f) {
    if (used[f] && tree.inputs[f].kind == InputKind::numeric) order.push_back(f);
  }
  std::stable_sort(order.begin(), order.end(), [&](uint32_t a, uint32_t b) {
    return tree.inputs[a].importance > tree.inputs[b].importance;
  });
  for (const uint32_t f : order) {
    const bool taken = std::find(inputs.begin(), inputs.end(), f) != inputs.end();
    if (inputs.size() < 2 && !taken) inputs.push_back(f);
  }
  const bool numeric = std::all_of(inputs.begin(), inputs.end(), [&](uint32_t f) {
    return tree.inputs[f].kind == InputKind::numeric;
  });
  if (inputs.size() != 2 || inputs[0] == inputs[1] || !numeric) {
    const bool few = inputs.size() < 2;
    throw Error(ErrorKind::usage, "regions are drawn over two different numeric inputs", {},
                few && order.empty() ? "the tree uses no numeric input: name two"
                : few ? fmt::format("the tree uses one, '{}': name two", tree.inputs[order[0]].name)
                      : "name two inputs, such as 'age,income'");
  }
  return {inputs[0], inputs[1]};
}

// From the rows, else from the cuts of the tree.
Axis range_of(const PlotTask& task, uint32_t input) {
  std::vector<double> values;
  if (task.rows != nullptr) {
    const Column& column = task.rows->input(input);
    for (RowIndex row = 0; row < task.rows->rows(); ++row) {
      if (!std::isnan(column.value(row))) values.push_back(column.value(row));
    }
  }
  const LoweredInput& one = task.tree.inputs[input];
  if (values.empty() && !std::isnan(one.low)) values = {one.low, one.high};
  if (values.empty()) {
    for (const LoweredNode& node : task.tree.nodes) {
      const auto* const score =
          node.split ? std::get_if<LoweredScore>(&node.split->condition) : nullptr;
      if (score != nullptr && score->terms.size() == 1 && score->terms[0].input == input &&
          score->terms[0].kind == TermKind::value && std::fabs(score->cut) < 1e300) {
        values.push_back(score->cut / score->terms[0].coefficient);
      }
    }
    if (values.empty()) {
      throw Error(
          ErrorKind::usage,
          fmt::format("the tree does not say where the values of '{}' are", printable(one.name)),
          {}, "give rows of data that have it");
    }
    Axis axis = axis_over(values, one.name);
    const double more = (axis.high - axis.low) / 4;
    axis.low -= more;
    axis.high += more;
    return axis;
  }
  return axis_over(values, one.name);
}

// What the inputs are that are not on an axis: as the user says, else typical; NaN: missing.
double fixed_value(const PlotTask& task, uint32_t input, const std::vector<double>& typical) {
  const LoweredInput& one = task.tree.inputs[input];
  const auto given = task.options.at.find(one.name);
  if (given == task.options.at.end()) {
    return std::isnan(one.typical) && !typical.empty() ? typical[input] : one.typical;
  }
  const auto level = std::find(one.levels.begin(), one.levels.end(), given->second);
  if (level != one.levels.end()) return static_cast<double>(level - one.levels.begin());
  double value = 0;
  if (one.kind == InputKind::numeric && parse_number(given->second, value)) return value;
  throw Error(
      ErrorKind::usage,
      fmt::format("'{}' can't be '{}'", printable(one.name), printable(given->second)), {},
      one.levels.empty() ? "expected a number" : known_names_hint(given->second, one.levels));
}

// All points of the picture as rows, line by line from low to high.
Table grid(const PlotTask& task, uint32_t x, uint32_t y, const Axis& across, const Axis& up) {
  const Schema& schema = task.model.schema;
  const std::vector<double> typical = task.rows == nullptr
                                          ? std::vector<double>()
                                          : typical_values(*task.rows, all_rows(*task.rows));
  constexpr size_t rows = cells_per_side * cells_per_side;
  const auto middle = [](const Axis& axis, size_t i) {
    return axis.low + (axis.high - axis.low) * (static_cast<double>(i) + 0.5) / cells_per_side;
  };
  std::vector<Column> inputs;
  for (uint32_t f = 0; f < schema.features.size(); ++f) {
    ColumnDraft column(schema.features[f].kind);
    const double fixed = f == x || f == y ? 0 : fixed_value(task, f, typical);
    for (size_t i = 0; i < rows; ++i) {
      if (schema.features[f].kind == Kind::numeric) {
        column.numbers.push_back(f == x   ? middle(across, i % cells_per_side)
                                 : f == y ? middle(up, i / cells_per_side)
                                          : fixed);
      } else {
        column.codes.push_back(std::isnan(fixed) ? missing_code : static_cast<int32_t>(fixed));
      }
    }
    inputs.emplace_back(std::move(column));
  }
  ColumnDraft target(schema.target.kind);
  if (schema.target.kind == Kind::numeric) {
    target.numbers.assign(rows, missing_number);
  } else {
    target.codes.assign(rows, missing_code);
  }
  return {schema, rows, std::move(inputs), std::move(target), {}};
}

Tree cut_at_depth(const Tree& tree, const LoweredTree& lowered, size_t depth) {
  Tree shallow = tree;
  for (NodeIndex i = 0; i < tree.size(); ++i) {
    if (lowered.nodes[i].depth >= depth && !tree.node(i).is_leaf()) shallow.make_leaf(i);
  }
  shallow.canonicalise();
  return shallow;
}

class RegionPainter {
 public:
  // All pictures have one scale of colours.
  RegionPainter(Canvas& canvas, const std::vector<Predictions>& all) : canvas_(canvas) {
    for (const Predictions& one : all) {
      if (one.width != 1) break;
      const auto [low, high] = std::minmax_element(one.answers.begin(), one.answers.end());
      low_ = std::min(low_, *low);
      high_ = std::max(high_, *high);
    }
  }

  std::string colour_of(double answer) const {
    const double share = high_ > low_ ? (answer - low_) / (high_ - low_) : 0.5;
    return scale_colour(std::round(share * 32) / 32);
  }

  // Cells of one colour in a line are one rectangle.
  void paint(const Chart& chart, const Axis& across, const Axis& up, const Predictions& answers) {
    const double width = (across.high - across.low) / cells_per_side;
    const double height = (up.high - up.low) / cells_per_side;
    for (size_t line = 0; line < cells_per_side; ++line) {
      for (size_t begin = 0; begin < cells_per_side;) {
        const std::string paint = paint_of(answers, line * cells_per_side + begin);
        size_t end = begin + 1;
        while (end < cells_per_side && paint_of(answers, line * cells_per_side + end) == paint)
          ++end;
        const Point low = chart.at(across.low + width * static_cast<double>(begin),
                                   up.low + height * static_cast<double>(line + 1));
        const Point high = chart.at(across.low + width * static_cast<double>(end),
                                    up.low + height * static_cast<double>(line));
        canvas_.rectangle(low.x, low.y, high.x - low.x, high.y - low.y, paint);
        begin = end;
      }
    }
  }

  // Lines between cells of different classes.
  void outline(const Chart& chart, const Axis& across, const Axis& up, const Predictions& answers) {
    if (answers.width == 1) return;
    const auto x = [&](size_t i) { return across.low + (across.high - across.low) * share(i); };
    const auto y = [&](size_t i) { return up.low + (up.high - up.low) * share(i); };
    const auto at = [&](size_t column, size_t line) {
      return answers.top_class(line * cells_per_side + column);
    };
    std::string steps;
    for (size_t edge = 1; edge < cells_per_side; ++edge) {
      for (size_t begin = 0; begin < cells_per_side; ++begin) {
        const size_t from = begin;
        while (begin < cells_per_side && at(edge - 1, begin) != at(edge, begin)) ++begin;
        if (begin > from) add_line(steps, chart.at(x(edge), y(from)), chart.at(x(edge), y(begin)));
      }
      for (size_t begin = 0; begin < cells_per_side; ++begin) {
        const size_t from = begin;
        while (begin < cells_per_side && at(begin, edge - 1) != at(begin, edge)) ++begin;
        if (begin > from) add_line(steps, chart.at(x(from), y(edge)), chart.at(x(begin), y(edge)));
      }
    }
    if (!steps.empty()) canvas_.path(steps, "class=\"ring\" style=\"stroke-width:1.2\"");
  }

  // What the colours of a regression mean.
  void draw_scale(Point corner) {
    constexpr int parts = 32;
    constexpr double width = 128, height = 12;
    const std::string low = short_number(low_, 4);
    const double left = corner.x + text_width(low, 12) + 8;
    canvas_.text(corner.x, corner.y + 10, low);
    for (int i = 0; i < parts; ++i) {
      canvas_.rectangle(left + width / parts * i, corner.y, width / parts, height,
                        fmt::format("fill=\"{}\" shape-rendering=\"crispEdges\"",
                                    scale_colour((i + 0.5) / parts)));
    }
    canvas_.text(left + width + 8, corner.y + 10, short_number(high_, 4));
  }

 private:
  static double share(size_t cells) { return static_cast<double>(cells) / cells_per_side; }
  static void add_line(std::string& steps, Point from, Point to) {
    steps += fmt::format("M{},{}L{},{}", coordinate(from.x), coordinate(from.y), coordinate(to.x),
                         coordinate(to.y));
  }

  std::string paint_of(const Predictions& answers, size_t cell) const {
    if (answers.width == 1) {
      return fmt::format("fill=\"{}\" shape-rendering=\"crispEdges\"",
                         colour_of(answers.answers[cell]));
    }
    const size_t decided = answers.top_class(cell);
    const double sure = answers.answers[cell * answers.width + decided];
    // In steps of a twentieth, so that equal neighbours are one rectangle.
    return fmt::format("fill=\"{}\" opacity=\"{}\" shape-rendering=\"crispEdges\"",
                       class_colour(decided), coordinate(0.15 + 0.6 * std::round(sure * 20) / 20));
  }

  Canvas& canvas_;
  double low_ = INFINITY, high_ = -INFINITY;
};

void draw_points(const PlotTask& task, const RegionPainter& painter, Canvas& canvas,
                 const Chart& chart, uint32_t x, uint32_t y) {
  if (task.rows == nullptr) return;
  const Table& table = *task.rows;
  const Column& target = table.target();
  const auto paint = [&](RowIndex row) -> std::string {
    if (row < target.codes.size() && target.codes[row] >= 0) {
      return fmt::format("fill=\"{}\" class=\"dot\"",
                         class_colour(static_cast<size_t>(target.codes[row])));
    }
    if (row < target.numbers.size() && !std::isnan(target.numbers[row])) {
      return fmt::format("fill=\"{}\" class=\"dot\"", painter.colour_of(target.numbers[row]));
    }
    return "class=\"dot ink\"";
  };
  const size_t step = std::max<size_t>(1, table.rows() / most_points);
  for (RowIndex row = 0; row < table.rows(); row += static_cast<RowIndex>(step)) {
    const double a = table.input(x).value(row), b = table.input(y).value(row);
    if (std::isnan(a) || std::isnan(b)) continue;
    const Point place = chart.at(a, b);
    canvas.circle(place.x, place.y, 2.6, paint(row));
  }
}

void draw_heading(const PlotTask& task, Canvas& canvas, uint32_t x, uint32_t y, double room) {
  const std::vector<bool> used = features_used(task.model.tree, task.tree.inputs.size());
  bool others = false;
  for (uint32_t f = 0; f < used.size(); ++f) others = others || (used[f] && f != x && f != y);
  canvas.text(16, 24,
              fmt::format("{} by {} and {}", task.tree.target.name, task.tree.inputs[x].name,
                          task.tree.inputs[y].name),
              {15, Anchor::start, "strong", room});
  canvas.text(16, 43,
              !others                   ? "the tree asks about no other input"
              : task.options.at.empty() ? "other inputs at typical values"
                                        : "other inputs as given, else at typical values",
              {12, Anchor::start, "muted", room});
}

}  // namespace

std::string plot_regions(const PlotTask& task) {
  const auto [x, y] = chosen_inputs(task);
  for (const auto& [name, value] : task.options.at) input_named(task.tree, name);
  const Axis across = range_of(task, x), up = range_of(task, y);
  const Table points = grid(task, x, y, across, up);
  const std::vector<RowIndex> rows = all_rows(points);
  std::vector<size_t> depths = task.options.depths;
  if (depths.empty()) depths = {full_depth};
  std::vector<Predictions> answers;
  answers.reserve(depths.size());
  for (const size_t depth : depths) {
    answers.push_back(predict(
        depth == full_depth ? task.model.tree : cut_at_depth(task.model.tree, task.tree, depth),
        points, rows, task.parallel));
  }
  Canvas canvas;
  RegionPainter painter(canvas, answers);
  double left = left_margin;
  for (size_t i = 0; i < depths.size(); ++i) {
    Chart chart(canvas, {left, top}, panel, panel, across, up);
    painter.paint(chart, across, up, answers[i]);
    painter.outline(chart, across, up, answers[i]);
    chart.draw_axes();
    draw_points(task, painter, canvas, chart, x, y);
    canvas.text(left + panel / 2, top - 10,
                depths[i] == full_depth ? "full tree" : fmt::format("depth {}", depths[i]),
                {13, Anchor::middle, "strong"});
    left += panel + panel_gap;
  }
  const double width = left - panel_gap + 24;
  draw_heading(task, canvas, x, y, width - 32);
  if (task.tree.is_classifier()) {
    draw_class_names(canvas, {16, 54}, task.tree.target.classes, width - 32);
  } else {
    painter.draw_scale({16, 54});
  }
  return canvas.finish(width, top + panel + 56, "Regions of the answers",
                       "Answers over two inputs, the others at typical values.");
}

}  // namespace softwood::render

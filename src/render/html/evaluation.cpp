// How well the model answers the rows of the data, and which ones it gets most wrong.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/text.h"
#include "render/html/sections.h"
#include "render/svg/chart.h"
#include "render/svg/plot.h"
#include "render/text/words.h"

namespace softwood::render {
namespace {

std::string figures_markup(const Evaluation& found) {
  HtmlTable table("Figures, with 95 % intervals where they have one", {{"figure"}, {"value"}});
  for (const auto& [name, value] : evaluation_figures(found)) {
    if (!std::isnan(value)) table.add({{figure_name(name)}, {with_interval(found, name, value)}});
  }
  return table.markup(" class=\"facts\"");
}

std::string classes_markup(const Evaluation& found) {
  HtmlTable table("By class", {{"class"},
                               number_cell("rows"),
                               number_cell("precision"),
                               number_cell("recall"),
                               number_cell("F1"),
                               number_cell("specificity")});
  for (const ClassMeasures& one : found.per_class) {
    table.add({{one.name},
               number_cell(shown_weight(one.weight)),
               number_cell(shown_share(one.precision)),
               number_cell(shown_share(one.recall)),
               number_cell(shown_figure(one.f1, 3)),
               number_cell(shown_share(one.specificity))});
  }
  return table.markup();
}

constexpr double chart_size = 380, chart_left = 80, chart_top = 48;

// In which of `count` equal parts of the axis a value is.
size_t part_of(const Axis& axis, double value, size_t count) {
  const double share = (value - axis.low) / (axis.high - axis.low);
  return std::min(count - 1,
                  static_cast<size_t>(std::max(0.0, share) * static_cast<double>(count)));
}

// Counts of rows: no row is shown by itself.
std::string predicted_picture(const ReportFacts& facts) {
  constexpr size_t cells = 40;
  const Cells<double>& observed = facts.task.rows->target().numbers;
  const std::vector<double>& predicted = facts.predictions->answers;
  std::vector<double> values;
  for (const RowIndex row : facts.all) {
    values.push_back(observed[row]);
    values.push_back(predicted[row]);
  }
  const Axis over = axis_over(values, "predicted " + facts.tree.target.name);
  Axis up = over;
  up.label = "observed " + facts.tree.target.name;
  std::vector<double> counts(cells * cells, 0);
  for (const RowIndex row : facts.all) {
    counts[part_of(up, observed[row], cells) * cells + part_of(over, predicted[row], cells)] += 1;
  }
  Canvas canvas;
  Chart chart(canvas, {chart_left, chart_top}, chart_size, chart_size, over, up);
  canvas.text(16, 24, "Predicted against observed", {15, Anchor::start, "strong"});
  chart.draw_axes();
  const double most = *std::max_element(counts.begin(), counts.end());
  const double step = chart_size / cells;
  for (size_t y = 0; y < cells; ++y) {
    for (size_t x = 0; x < cells; ++x) {
      const double count = counts[y * cells + x];
      if (count <= 0) continue;
      canvas.rectangle(chart_left + step * static_cast<double>(x),
                       chart_top + chart_size - step * static_cast<double>(y + 1), step, step,
                       fmt::format("class=\"mark\" opacity=\"{}\"",
                                   coordinate(0.25 + 0.75 * std::sqrt(count / most))));
    }
  }
  canvas.line(chart.at(over.low, up.low), chart.at(over.high, up.high),
              "class=\"axis\" stroke-dasharray=\"4 4\"");
  return canvas.finish(chart_left + chart_size + 24, chart_top + chart_size + 56,
                       "Predicted against observed",
                       "Counts of rows by predicted and observed value.");
}

std::string residual_picture(const ReportFacts& facts) {
  constexpr size_t bars = 40;
  std::vector<double> residuals;
  for (const RowIndex row : facts.all) {
    residuals.push_back(facts.task.rows->target().numbers[row] - facts.predictions->answers[row]);
  }
  Canvas canvas;
  const Axis across = axis_over(residuals, "observed - predicted");
  std::vector<double> heights(bars, 0);
  for (const double residual : residuals) heights[part_of(across, residual, bars)] += 1;
  const double tallest = *std::max_element(heights.begin(), heights.end());
  Chart histogram(canvas, {chart_left, chart_top}, chart_size, chart_size, across,
                  {0, 1.05 * tallest, "rows"});
  canvas.text(16, 24, "Residuals", {15, Anchor::start, "strong"});
  histogram.draw_axes();
  for (size_t i = 0; i < bars; ++i) {
    const double from = across.low + (across.high - across.low) * static_cast<double>(i) / bars;
    const Point corner = histogram.at(from, heights[i]);
    canvas.rectangle(corner.x + 0.5, corner.y, chart_size / bars - 1, histogram.bottom() - corner.y,
                     "class=\"mark\"");
  }
  canvas.line(histogram.at(0, 0), histogram.at(0, 1.05 * tallest),
              "class=\"cut\" stroke-dasharray=\"5 3\"");
  return canvas.finish(chart_left + chart_size + 24, chart_top + chart_size + 56, "Residuals",
                       "Histogram of observed minus predicted values.");
}

std::string residual_pictures(const ReportFacts& facts) {
  Markup out;
  out.open("div", " class=\"pair\"");
  out.raw(figure(predicted_picture(facts),
                 "Rows by predicted and observed value; darker squares hold more rows."));
  out.raw(figure(residual_picture(facts), "Residuals: observed minus predicted value."));
  return out.close().done();
}

}  // namespace

HtmlTable confusion_table(const Evaluation& found) {
  const size_t classes = found.classes.size();
  std::vector<HtmlCell> header = {{"actual \\ predicted"}};
  for (const std::string& name : found.classes) header.push_back(number_cell(name));
  HtmlTable table("Confusion matrix", header);
  const auto row = [&](const std::string& name, const double* weights, size_t right) {
    double all = 0;
    for (size_t k = 0; k < classes; ++k) all += weights[k];
    std::vector<HtmlCell> cells = {{name}};
    for (size_t k = 0; k < classes; ++k) {
      const double share = all > 0 ? weights[k] / all : 0;
      cells.push_back({shown_weight(weights[k]), true,
                       fmt::format(" data-shade=\"{}{}\"", k == right ? "right" : "wrong",
                                   static_cast<int>(std::lround(4 * share)))});
    }
    table.add(std::move(cells));
  };
  for (size_t k = 0; k < classes; ++k) row(found.classes[k], &found.confusion[k * classes], k);
  if (found.unknown > 0) row("(unknown to the model)", found.unknown_answers.data(), classes);
  return table;
}

std::string evaluation_section(const ReportFacts& facts) {
  if (!facts.has_target()) return "";
  const Evaluation& found = *facts.evaluation;
  Markup out;
  out.paragraph(fmt::format("On {} rows{}.", found.rows,
                            found.weighted_by.empty() ? "" : ", weighted by " + found.weighted_by));
  if (found.task == Task::regression) {
    return out.raw(figures_markup(found)).raw(residual_pictures(facts)).done();
  }
  out.open("div", " class=\"pair\"").open("div");
  out.raw(confusion_table(found).markup(" class=\"confusion\"")).raw(classes_markup(found)).close();
  out.raw(figures_markup(found)).close();
  out.open("div", " class=\"pair\"");
  PlotOptions options;
  options.costs = facts.task.model.tree.costs();
  const Table* const rows = facts.task.rows;
  out.raw(figure(drawn(facts, plot_roc, rows, options),
                 "ROC curve: every threshold on the probability."));
  out.raw(figure(drawn(facts, plot_calibration, rows, options),
                 "How often what is predicted is observed: observed share per tenth of the "
                 "predictions."));
  out.close();
  if (found.classes.size() != 2) return out.done();
  out.element("h3", "Choose a threshold", " id=\"threshold\"");
  if (!(found.per_class[0].weight > 0 && found.per_class[1].weight > 0)) {
    return out.paragraph("The data have rows of one class only: no threshold can be judged.")
        .done();
  }
  out.open("div", " id=\"threshold-tools\" hidden").close();
  out.raw(figure(drawn(facts, plot_threshold, rows, options),
                 options.costs.empty() ? "Rates and error against the threshold."
                                       : "Rates and cost against the threshold."));
  return out.done();
}

std::string errors_section(const ReportFacts& facts) {
  if (!facts.has_target()) return "";
  Markup out;
  if (facts.worst.empty()) {
    return out.paragraph("This page holds no rows of the data, so it does not list any.").done();
  }
  const LoweredTree& tree = facts.tree;
  const Table& rows = *facts.task.rows;
  std::vector<HtmlCell> header = {number_cell("row"), {"observed"}, {"predicted"}};
  header.push_back(number_cell(tree.is_classifier() ? "P(observed)" : "residual"));
  for (const uint32_t f : facts.inputs) header.push_back({tree.inputs[f].name});
  HtmlTable table("Rows that are most wrong", header);
  for (const RowIndex row : facts.worst) {
    const Schema& schema = rows.schema();
    std::vector<HtmlCell> cells = {number_cell(std::to_string(facts.number_of(row)))};
    if (tree.is_classifier()) {
      const size_t answer = facts.predictions->top_class(row);
      const int32_t code = rows.target().codes[row];
      if (static_cast<size_t>(code) == answer && code >= 0) continue;  // a right answer
      cells.push_back({observed_text(rows, row)});
      cells.push_back({tree.target.classes[answer]});
      cells.push_back(number_cell(shown_figure(1 - facts.wrongness(row), 3)));
    } else {
      const double predicted = facts.predictions->answers[row];
      cells.push_back({observed_text(rows, row)});
      cells.push_back({shown_figure(predicted)});
      cells.push_back(number_cell(shown_figure(rows.target().numbers[row] - predicted)));
    }
    for (const uint32_t f : facts.inputs) {
      cells.push_back({cell_of(schema.features[f], rows.input(f), row)});
    }
    table.add(std::move(cells), fmt::format(" data-row=\"{}\"", facts.number_of(row)));
  }
  if (table.empty()) return out.paragraph("Every row is answered rightly.").done();
  out.paragraph(
      tree.is_classifier()
          ? "Wrong answers, those first that gave the observed class the least "
            "probability: look here for wrong labels and missing inputs."
          : "The largest residuals first: look here for wrong values and missing inputs.");
  return out.raw(table.markup(" id=\"errors-table\"")).done();
}

}  // namespace softwood::render

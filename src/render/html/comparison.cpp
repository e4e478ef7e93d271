// Two to five models on the same rows: how often each is wrong, whether that may be chance, how
// large they are, and where they disagree.
#include <fmt/format.h>

#include <boost/math/distributions/students_t.hpp>

#include <algorithm>
#include <cmath>

#include "base/text.h"
#include "render/html/sections.h"
#include "render/svg/chart.h"
#include "render/svg/plot.h"
#include "render/text/words.h"
#include "softwood/error.h"
#include "use/binomial.h"
#include "use/roc.h"

namespace softwood::render {
namespace {

struct Compared {
  const ComparedModel& of;
  Predictions predictions;
  Evaluation evaluation;
};

using ComparedModels = std::vector<Compared>;

bool is_classifier(const ComparedModels& models) { return models[0].of.tree.is_classifier(); }

// Models may know different classes, or have them in another order: names are compared.
const std::string& answer(const Compared& model, RowIndex row) {
  return model.of.tree.target.classes[model.predictions.top_class(row)];
}

std::string observed(const ComparedModels& models, RowIndex row) {
  for (const Compared& model : models) {
    const Table& rows = model.of.rows;
    if (!rows.target().is_missing(row)) return cell_of(rows.schema().target, rows.target(), row);
  }
  return "unknown to the models";
}

bool is_wrong(const Compared& model, RowIndex row) {
  const int32_t code = model.of.rows.target().codes[row];
  return code < 0 || static_cast<size_t>(code) != model.predictions.top_class(row);
}

double squared_error(const Compared& model, RowIndex row) {
  const double residual = model.of.rows.target().numbers[row] - model.predictions.answers[row];
  return residual * residual;
}

void check(std::span<const ComparedModel> models) {
  if (models.size() < 2 || models.size() > most_compared) {
    throw Error(ErrorKind::usage,
                fmt::format("{} models are compared, not {}", "two to five", models.size()));
  }
  for (const ComparedModel& model : models) {
    const ComparedModel& first = models[0];
    if (model.tree.target.name != first.tree.target.name ||
        model.tree.is_classifier() != first.tree.is_classifier()) {
      throw Error(ErrorKind::data,
                  fmt::format("'{}' and '{}' predict different targets", printable(first.name),
                              printable(model.name)),
                  {}, "compare models of one target");
    }
    if (model.rows.rows() != first.rows.rows() || !model.rows.has_target() ||
        model.rows.rows() == 0) {
      throw Error(ErrorKind::data, "models are compared on the same rows with known answers");
    }
  }
}

std::string models_section(const ComparedModels& models) {
  const bool classes = is_classifier(models);
  std::vector<HtmlCell> header = {{"model"}, {"method"}, {classes ? "error" : "RMSE"}};
  header.push_back({classes ? "AUC" : "R²"});
  for (const char* name : {"nodes", "leaves", "depth", "numbers to read", "inputs in use"}) {
    header.push_back(number_cell(name));
  }
  HtmlTable table("Errors with 95 % intervals, and sizes", header);
  for (const Compared& model : models) {
    const LoweredTree& tree = model.of.tree;
    const Evaluation& found = model.evaluation;
    const std::vector<bool> used = features_used(model.of.model.tree, tree.inputs.size());
    const std::string& method = tree.origin.method;
    table.add({{model.of.name},
               {method.empty() ? tree.origin.recipe : method},
               {classes ? with_interval(found, "error", found.error) : shown_figure(found.rmse)},
               {classes ? with_interval(found, "auc", found.auc) : shown_figure(found.r2)},
               number_cell(std::to_string(tree.nodes.size())),
               number_cell(std::to_string(tree.leaves)),
               number_cell(std::to_string(tree.depth)),
               number_cell(std::to_string(tree.parameters)),
               number_cell(std::to_string(std::count(used.begin(), used.end(), true)))});
  }
  Markup out;
  if (classes) {
    out.paragraph(
        fmt::format("On {} rows. The majority class for every row would have an error of {}.",
                    models[0].evaluation.rows, shown_share(models[0].evaluation.majority_error)));
  } else {
    out.paragraph(fmt::format("On {} rows.", models[0].evaluation.rows));
  }
  return out.raw(table.markup()).done();
}

std::string p_text(double p) { return p < 0.001 ? "< 0.001" : fmt::format("{:.3f}", p); }

// Two-sided, of the mean difference of the squared errors of the rows.
double paired_t_test(const Compared& a, const Compared& b, double& mean) {
  const auto rows = static_cast<double>(a.predictions.rows);
  double sum = 0, squares = 0;
  for (RowIndex row = 0; row < a.predictions.rows; ++row) {
    sum += squared_error(a, row) - squared_error(b, row);
  }
  mean = sum / rows;
  for (RowIndex row = 0; row < a.predictions.rows; ++row) {
    const double off = squared_error(a, row) - squared_error(b, row) - mean;
    squares += off * off;
  }
  if (rows < 2 || squares <= 0) return mean == 0 ? 1 : 0;
  const double t = mean / std::sqrt(squares / (rows - 1) / rows);
  const boost::math::students_t distribution(rows - 1);
  return 2 * boost::math::cdf(boost::math::complement(distribution, std::fabs(t)));
}

std::string tests_section(const ComparedModels& models) {
  const bool classes = is_classifier(models);
  std::vector<HtmlCell> header = {{"models"}};
  if (classes) {
    header.insert(header.end(), {number_cell("only the first is wrong"),
                                 number_cell("only the second is wrong"), number_cell("both")});
  } else {
    header.push_back(number_cell("mean difference of squared errors"));
  }
  header.push_back(number_cell("p"));
  HtmlTable table("Each pair of models", header);
  for (size_t a = 0; a < models.size(); ++a) {
    for (size_t b = a + 1; b < models.size(); ++b) {
      std::vector<HtmlCell> row = {{models[a].of.name + " and " + models[b].of.name}};
      if (classes) {
        size_t first = 0, second = 0, both = 0;
        for (RowIndex r = 0; r < models[a].predictions.rows; ++r) {
          const bool x = is_wrong(models[a], r), y = is_wrong(models[b], r);
          first += x && !y ? 1 : 0;
          second += y && !x ? 1 : 0;
          both += x && y ? 1 : 0;
        }
        for (const size_t count : {first, second, both}) {
          row.push_back(number_cell(std::to_string(count)));
        }
        row.push_back(number_cell(p_text(sign_test(first, second))));
      } else {
        double mean = 0;
        const double p = paired_t_test(models[a], models[b], mean);
        row.push_back(number_cell(fmt::format("{:+.4g}", mean)));
        row.push_back(number_cell(p_text(p)));
      }
      table.add(std::move(row));
    }
  }
  Markup out;
  out.paragraph(classes
                    ? "Exact McNemar test, two-sided: only rows that one model gets right and "
                      "the other wrong say which is better. Rows count once, without weights."
                    : "Paired t test, two-sided, of the squared errors of the rows, which count "
                      "once, without weights.");
  out.raw(table.markup());
  if (models.size() > 2) {
    const size_t pairs = models.size() * (models.size() - 1) / 2;
    out.paragraph(
        fmt::format("These are {} tests: by Bonferroni a p below {} is needed for an "
                    "overall level of 5 %.",
                    pairs, shown_figure(0.05 / static_cast<double>(pairs), 2)));
  }
  return out.done();
}

std::string roc_section(const ComparedModels& models) {
  for (const Compared& model : models) {
    if (model.evaluation.classes.size() != 2) return "";
  }
  constexpr double size = 420, left = 80, top = 48;
  Canvas canvas;
  Chart chart(canvas, {left, top}, size, size, {0, 1, "false positive rate"},
              {0, 1, "true positive rate"});
  canvas.text(16, 24, "ROC curves", {15, Anchor::start, "strong"});
  chart.draw_axes();
  canvas.line(chart.at(0, 0), chart.at(1, 1), "class=\"axis\" stroke-dasharray=\"4 4\"");
  std::vector<std::pair<std::string, std::string>> entries;
  for (size_t i = 0; i < models.size(); ++i) {
    const Table& rows = models[i].of.rows;
    const ThresholdTable table = threshold_table(models[i].predictions, rows, all_rows(rows));
    std::vector<Point> points = {{0, 0}};
    for (const ThresholdPoint& point : table.points) {
      points.push_back({point.false_positive_rate, point.true_positive_rate});
    }
    canvas.polyline(chart.at(points),
                    fmt::format("fill=\"none\" stroke-width=\"2\" stroke=\"{}\"", class_colour(i)));
    entries.emplace_back(fmt::format("{}: AUC {}", printable(models[i].of.name, 24),
                                     shown_figure(models[i].evaluation.auc, 3)),
                         fmt::format("fill=\"{}\"", class_colour(i)));
  }
  chart.legend(
      {chart.right() - 250, chart.bottom() - 18.0 * static_cast<double>(entries.size()) - 8},
      entries, 246);
  return figure(canvas.finish(left + size + 24, top + size + 56, "ROC curves of the models",
                              "True positive rate against false positive rate."),
                "ROC curves over each other: every threshold on the probability.");
}

std::string disagreement_section(const ComparedModels& models, size_t most_rows) {
  const bool classes = is_classifier(models);
  const size_t count = models[0].predictions.rows;
  // How far apart the answers are: different classes, or the widest difference.
  std::vector<std::pair<double, RowIndex>> apart;
  for (RowIndex row = 0; row < count; ++row) {
    double distance = 0;
    for (size_t a = 0; a < models.size(); ++a) {
      for (size_t b = a + 1; b < models.size(); ++b) {
        const double one = classes ? (answer(models[a], row) != answer(models[b], row) ? 1 : 0)
                                   : std::fabs(models[a].predictions.answers[row] -
                                               models[b].predictions.answers[row]);
        distance = std::max(distance, one);
      }
    }
    if (distance > 0) apart.emplace_back(distance, row);
  }
  Markup out;
  out.paragraph(
      fmt::format("The models give different answers for {} of {} rows ({}).", apart.size(), count,
                  shown_share(static_cast<double>(apart.size()) / static_cast<double>(count))));
  if (apart.empty()) return out.done();
  if (most_rows == 0) return out.paragraph("This page holds no rows of the data.").done();
  std::stable_sort(apart.begin(), apart.end(),
                   [](const auto& a, const auto& b) { return a.first > b.first; });
  apart.resize(std::min(apart.size(), most_rows));
  std::vector<HtmlCell> header = {number_cell("row"), {"observed"}};
  for (const Compared& model : models) header.push_back({model.of.name});
  HtmlTable table(classes ? "Rows with different answers" : "Rows with the widest differences",
                  header);
  for (const auto& [distance, row] : apart) {
    std::vector<HtmlCell> cells = {number_cell(std::to_string(row + 1)), {observed(models, row)}};
    for (const Compared& model : models) {
      cells.push_back(
          {classes ? answer(model, row) : shown_figure(model.predictions.answers[row])});
    }
    table.add(std::move(cells));
  }
  out.raw(table.markup());
  return out
      .paragraph(fmt::format("This page holds the row numbers, observed and predicted values "
                             "of {} rows; all else are aggregates.",
                             apart.size()),
                 " class=\"notice\" id=\"personal-data\"")
      .done();
}

std::string trees_section(const ComparedModels& models, const Parallel& parallel,
                          const Control& control) {
  Markup out;
  for (const Compared& model : models) {
    const PlotOptions options;
    out.element("h3", model.of.name);
    out.raw(figure(
        plot_tree({model.of.model, model.of.tree, &model.of.rows, options, parallel, control}),
        size_text(model.of.tree), true));
  }
  return out.done();
}

}  // namespace

std::string comparison_page(std::span<const ComparedModel> given, const ReportOptions& options,
                            const Parallel& parallel, const Control& control) {
  check(given);
  ComparedModels models;
  for (const ComparedModel& one : given) {
    const std::vector<RowIndex> rows = all_rows(one.rows);
    Predictions predictions = predict(one.model.tree, one.rows, rows, parallel);
    const size_t majority = training_majority(one.model.tree, one.model.provenance.class_weights);
    Evaluation evaluation = evaluate(predictions, one.rows, rows, majority);
    models.push_back({one, std::move(predictions), std::move(evaluation)});
  }
  PageText page;
  page.title = fmt::format("{}: {} models compared", given[0].tree.target.name, given.size());
  page.subtitle = options.data_name.empty() ? "On the same rows"
                                            : "On the rows of " + printable(options.data_name);
  const auto add = [&](const char* id, const char* title, const std::string& body) {
    if (!body.empty()) page.sections.push_back({id, title, body});
  };
  add("models", "Models", models_section(models));
  add("tests", "Paired tests", tests_section(models));
  if (is_classifier(models)) add("roc", "ROC curves", roc_section(models));
  add("disagreement", "Where they disagree", disagreement_section(models, options.rows));
  add("trees", "Trees", trees_section(models, parallel, control));
  page.data = Json::object();
  return page_text(page);
}

}  // namespace softwood::render

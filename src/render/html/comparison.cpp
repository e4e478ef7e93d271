// Two to five models on the same rows: how often each is wrong, whether that may be chance, how
// large they are, and where they disagree.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/text.h"
#include "render/html/comparison.h"
#include "render/svg/chart.h"
#include "render/svg/curves.h"
#include "render/text/words.h"
#include "softwood/error.h"
#include "study/train.h"

namespace softwood::render {

bool is_classifier(const ComparedModels& models) { return models[0].of.tree.is_classifier(); }

const std::string& answer(const Compared& model, RowIndex row) {
  return model.of.tree.target.classes[model.predictions.top_class(row)];
}

namespace {

std::string observed(const ComparedModels& models, RowIndex row) {
  for (const Compared& model : models) {
    const Table& rows = model.of.rows;
    if (!rows.target().is_missing(row)) return cell_of(rows.schema().target, rows.target(), row);
  }
  return "unknown to the models";
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

HtmlTable models_table(const ComparedModels& models, const JudgingCosts& costs) {
  const bool classes = is_classifier(models);
  std::vector<HtmlCell> header = {{"model"}, {"method"}, {classes ? "error" : "RMSE"}};
  header.push_back({classes ? "AUC" : "R²"});
  if (costs.are_given()) {
    header.push_back(number_cell("cost"));
    header.push_back(number_cell("cost per row"));
  }
  for (const char* name : {"nodes", "leaves", "depth", "parameters", "inputs in use"}) {
    header.push_back(number_cell(name));
  }
  HtmlTable table(classes ? "Errors with 95 % intervals, and sizes" : "Errors and sizes", header);
  for (const Compared& model : models) {
    const LoweredTree& tree = model.of.tree;
    const Evaluation& found = model.evaluation;
    const std::vector<bool> used = features_used(model.of.model.tree, tree.inputs.size());
    const std::string& method = tree.origin.method;
    std::vector<HtmlCell> row = {
        {model.of.name},
        {method.empty() ? tree.origin.recipe : method},
        {classes ? with_interval(found, "error", found.error) : shown_figure(found.rmse)},
        {classes ? with_interval(found, "auc", found.auc) : shown_figure(found.r2)}};
    if (costs.are_given()) {
      const double cost = costs.sum(model);
      row.push_back(number_cell(shown_figure(cost, 6)));
      row.push_back(number_cell(shown_figure(cost / costs.weight())));
    }
    const auto inputs = static_cast<size_t>(std::count(used.begin(), used.end(), true));
    for (const size_t count : {tree.nodes.size(), size_t{tree.leaves}, size_t{tree.depth},
                               size_t{tree.parameters}, inputs}) {
      row.push_back(number_cell(std::to_string(count)));
    }
    table.add(std::move(row));
  }
  return table;
}

// Rows of the training would flatter a model.
std::string trained_on_these(const ComparedModels& models) {
  std::vector<std::string> names;
  for (const Compared& model : models) {
    if (model.of.all_inputs && are_training_rows(model.of.rows, model.of.model).value_or(false)) {
      names.push_back(model.of.name);
    }
  }
  if (names.empty()) return "";
  return training_rows_text(join(names, ", ") + (names.size() == 1 ? " was" : " were"));
}

std::string models_section(const ComparedModels& models, size_t most_rows) {
  const bool classes = is_classifier(models);
  const JudgingCosts costs(models);
  Markup out;
  std::string rows = fmt::format("On {} rows.", models[0].evaluation.rows);
  if (classes) {
    rows += fmt::format(" The majority class for every row would have an error of {}.",
                        shown_share(models[0].evaluation.majority_error));
  }
  if (costs.are_given()) {
    rows += fmt::format(" Costs are those of {}, for the answers of all models.",
                        printable(costs.whose()));
  }
  out.paragraph(rows);
  const std::string trained = trained_on_these(models);
  if (!trained.empty()) out.paragraph(trained, " class=\"notice\"");
  out.raw(models_table(models, costs).markup());
  return out
      .paragraph(most_rows == 0
                     ? "This page holds no rows of the data: only counts and other aggregates."
                     : fmt::format("This page holds row numbers, observed and predicted values of "
                                   "at most {} rows, those that the models answer differently. "
                                   "All else are aggregates.",
                                   most_rows),
                 " class=\"notice\" id=\"personal-data\"")
      .done();
}

// Its place among the classes of a model, or nothing.
std::optional<size_t> class_place(const Compared& model, const std::string& name) {
  const std::vector<std::string>& classes = model.of.tree.target.classes;
  const auto place = std::find(classes.begin(), classes.end(), name);
  if (place == classes.end()) return {};
  return static_cast<size_t>(place - classes.begin());
}

// One class against the rest, which all models know.
std::string roc_picture(const ComparedModels& models, const std::string& name) {
  constexpr double size = 420, left = 80, top = 48;
  Canvas canvas;
  Chart chart(canvas, {left, top}, size, size, {0, 1, "false positive rate"},
              {0, 1, "true positive rate"});
  canvas.text(16, 24, "ROC curves of " + name, {15, Anchor::start, "strong", size + left - 16});
  chart.draw_axes();
  canvas.line(chart.at(0, 0), chart.at(1, 1), "class=\"axis\" stroke-dasharray=\"4 4\"");
  std::vector<std::pair<std::string, std::string>> entries;
  for (size_t i = 0; i < models.size(); ++i) {
    const Table& table = models[i].of.rows;
    std::vector<ScoredRow> rows =
        scored_rows(models[i].predictions, table, all_rows(table), *class_place(models[i], name));
    const double area = area_under_curve(rows).area;
    canvas.polyline(thinned(chart.at(roc_points(std::move(rows)))),
                    fmt::format("fill=\"none\" stroke-width=\"2\" stroke=\"{}\"", class_colour(i)));
    entries.emplace_back(
        fmt::format("{}: AUC {}", printable(models[i].of.name, 24), shown_figure(area, 3)),
        fmt::format("fill=\"{}\"", class_colour(i)));
  }
  chart.legend(
      {chart.right() - 250, chart.bottom() - 18.0 * static_cast<double>(entries.size()) - 8},
      entries, 246);
  return canvas.finish(left + size + 24, top + size + 56, "ROC curves of the models",
                       "True positive rate against false positive rate.");
}

// Of two classes the positive one of the first model, of more each.
std::string roc_section(const ComparedModels& models) {
  constexpr size_t most_classes = 8;
  const LoweredTarget& target = models[0].of.tree.target;
  std::vector<std::string> names = target.classes;
  if (names.size() == 2) names = {target.classes[target.positive]};
  std::erase_if(names, [&](const std::string& name) {
    return std::any_of(models.begin(), models.end(),
                       [&](const Compared& model) { return !class_place(model, name); });
  });
  Markup out;
  if (names.empty()) {
    return out
        .paragraph("The models have no class in common of which a curve could be drawn for all.")
        .done();
  }
  const size_t all = names.size();
  names.resize(std::min(all, most_classes));
  out.open("div", " class=\"pair\"");
  for (const std::string& name : names) {
    out.raw(figure(roc_picture(models, name),
                   fmt::format("Every threshold on the probability of {}.", printable(name))));
  }
  out.close();
  if (all > names.size()) out.paragraph(fmt::format("{} more classes.", all - names.size()));
  return out.done();
}

std::string disagreement_section(const ComparedModels& models, const ReportOptions& options) {
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
  if (apart.empty() || options.rows == 0) return out.done();
  std::stable_sort(apart.begin(), apart.end(),
                   [](const auto& a, const auto& b) { return a.first > b.first; });
  apart.resize(std::min(apart.size(), options.rows));
  std::vector<HtmlCell> header = {number_cell("row"), {"observed"}};
  for (const Compared& model : models) header.push_back({model.of.name});
  HtmlTable table(classes ? "Rows with different answers" : "Rows with the widest differences",
                  header);
  for (const auto& [distance, row] : apart) {
    std::vector<HtmlCell> cells = {number_cell(std::to_string(options.row_number(row))),
                                   {observed(models, row)}};
    for (const Compared& model : models) {
      cells.push_back(
          {classes ? answer(model, row) : shown_figure(model.predictions.answers[row])});
    }
    table.add(std::move(cells));
  }
  return out.raw(table.markup()).done();
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
  page.add("models", "Models", models_section(models, options.rows));
  page.add("tests", "Paired tests", tests_section(models));
  if (is_classifier(models)) page.add("roc", "ROC curves", roc_section(models));
  page.add("disagreement", "Where they disagree", disagreement_section(models, options));
  page.add("trees", "Trees", trees_section(models, parallel, control));
  page.data = Json::object();
  return page_text(page);
}

}  // namespace softwood::render

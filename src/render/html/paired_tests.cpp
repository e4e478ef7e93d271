// Paired tests of models on the same rows: errors, costs, squared errors.
#include <fmt/format.h>

#include <boost/math/distributions/students_t.hpp>

#include <algorithm>
#include <cmath>
#include <functional>

#include "render/html/comparison.h"
#include "tree/costs.h"
#include "use/binomial.h"

namespace softwood::render {
namespace {

bool is_wrong(const Compared& model, RowIndex row) {
  const int32_t code = model.of.rows.target().codes[row];
  return code < 0 || static_cast<size_t>(code) != model.predictions.top_class(row);
}

double squared_error(const Compared& model, RowIndex row) {
  const double residual = model.of.rows.target().numbers[row] - model.predictions.answers[row];
  return residual * residual;
}

std::string p_text(double p) { return p < 0.001 ? "< 0.001" : fmt::format("{:.3f}", p); }

struct PairedTest {
  double mean, p;
};

// Two-sided, of the mean of what a row gives.
PairedTest paired_t_test(size_t count, const std::function<double(RowIndex)>& difference) {
  const auto rows = static_cast<double>(count);
  double sum = 0, squares = 0;
  for (RowIndex row = 0; row < count; ++row) sum += difference(row);
  const double mean = sum / rows;
  for (RowIndex row = 0; row < count; ++row) {
    const double off = difference(row) - mean;
    squares += off * off;
  }
  if (rows < 2 || squares <= 0) return {mean, mean == 0 ? 1.0 : 0.0};
  const double t = mean / std::sqrt(squares / (rows - 1) / rows);
  const boost::math::students_t distribution(rows - 1);
  return {mean, 2 * boost::math::cdf(boost::math::complement(distribution, std::fabs(t)))};
}

using Pair = std::function<std::vector<HtmlCell>(const Compared& a, const Compared& b)>;

// One line for each two models: their names, and what `cells` gives.
std::string pairs_table(const ComparedModels& models, const std::string& caption,
                        std::vector<HtmlCell> header, const Pair& cells) {
  header.insert(header.begin(), HtmlCell{"models"});
  HtmlTable table(caption, std::move(header));
  for (size_t a = 0; a < models.size(); ++a) {
    for (size_t b = a + 1; b < models.size(); ++b) {
      std::vector<HtmlCell> row = cells(models[a], models[b]);
      row.insert(row.begin(), HtmlCell{models[a].of.name + " and " + models[b].of.name});
      table.add(std::move(row));
    }
  }
  return table.markup();
}

std::string error_pairs(const ComparedModels& models) {
  return pairs_table(
      models, "Errors of each pair of models",
      {number_cell("only the first is wrong"), number_cell("only the second is wrong"),
       number_cell("both"), number_cell("p")},
      [](const Compared& a, const Compared& b) {
        size_t first = 0, second = 0, both = 0;
        for (RowIndex row = 0; row < a.predictions.rows; ++row) {
          const bool x = is_wrong(a, row), y = is_wrong(b, row);
          first += x && !y ? 1 : 0;
          second += y && !x ? 1 : 0;
          both += x && y ? 1 : 0;
        }
        return std::vector<HtmlCell>{
            number_cell(std::to_string(first)), number_cell(std::to_string(second)),
            number_cell(std::to_string(both)), number_cell(p_text(sign_test(first, second)))};
      });
}

// By a t test of what the two differ by, row for row.
std::string difference_pairs(
    const ComparedModels& models, const std::string& caption, const std::string& what,
    const std::function<double(const Compared& model, RowIndex row)>& loss) {
  return pairs_table(models, caption, {number_cell(what), number_cell("p")},
                     [&](const Compared& a, const Compared& b) {
                       const PairedTest test = paired_t_test(a.predictions.rows, [&](RowIndex row) {
                         return loss(a, row) - loss(b, row);
                       });
                       return std::vector<HtmlCell>{number_cell(fmt::format("{:+.4g}", test.mean)),
                                                    number_cell(p_text(test.p))};
                     });
}

}  // namespace

JudgingCosts::JudgingCosts(const ComparedModels& models) {
  for (const Compared& model : models) {
    if (judge_ == nullptr && !model.predictions.costs.empty()) judge_ = &model;
  }
}

double JudgingCosts::of(const Compared& model, RowIndex row) const {
  const std::vector<std::string>& classes = judge_->of.tree.target.classes;
  const std::vector<double>& costs = judge_->predictions.costs;
  const auto place = std::find(classes.begin(), classes.end(), answer(model, row));
  if (place == classes.end()) return costliest_error(costs);
  return cost_for_row(costs, classes.size(), judge_->of.rows.target().codes[row],
                      static_cast<size_t>(place - classes.begin()));
}

double JudgingCosts::sum(const Compared& model) const {
  double sum = 0;
  for (RowIndex row = 0; row < model.predictions.rows; ++row) {
    sum += judge_->of.rows.weight(row) * of(model, row);
  }
  return sum;
}

double JudgingCosts::weight() const {
  double sum = 0;
  for (RowIndex row = 0; row < judge_->predictions.rows; ++row) sum += judge_->of.rows.weight(row);
  return sum;
}

std::string tests_section(const ComparedModels& models) {
  Markup out;
  const JudgingCosts costs(models);
  if (costs.are_given()) {
    out.paragraph(
        "Costs: paired t test, two-sided, of what the answers to each row cost. A model with costs "
        "accepts more cheap errors to avoid expensive ones: judge it by this test.");
    out.raw(difference_pairs(
        models, "Costs of each pair of models", "mean difference of the cost per row",
        [&](const Compared& model, RowIndex row) { return costs.of(model, row); }));
  }
  if (is_classifier(models)) {
    out.paragraph(
        "Errors: exact McNemar test, two-sided. Only rows that one model gets right and the other "
        "wrong say which is better.");
    out.raw(error_pairs(models));
  } else {
    out.paragraph("Paired t test, two-sided, of the squared errors of the rows.");
    out.raw(difference_pairs(models, "Squared errors of each pair of models",
                             "mean difference of squared errors", squared_error));
  }
  const size_t pairs = models.size() * (models.size() - 1) / 2;
  out.paragraph(fmt::format(
      "Differences are first minus second. Rows count once, without weights.{}",
      pairs == 1 ? ""
                 : fmt::format(" These are {} pairs: by Bonferroni a p below {} is needed for an "
                               "overall level of 5 %.",
                               pairs, shown_figure(0.05 / static_cast<double>(pairs), 2))));
  return out.done();
}

}  // namespace softwood::render

// One rule per leaf, and the form that asks the tree.
#include <fmt/format.h>

#include <algorithm>

#include "base/text.h"
#include "lower/condition.h"
#include "render/html/sections.h"
#include "render/text/answers.h"
#include "render/text/condition.h"
#include "render/text/paths.h"
#include "render/text/words.h"

namespace softwood::render {

std::string rules_section(const ReportFacts& facts) {
  const LoweredTree& tree = facts.tree;
  const NodeAnswers answers(tree);
  const bool classes = tree.is_classifier();
  const bool soft = has_soft_splits(tree);
  std::vector<HtmlCell> header = {number_cell("leaf"), {"if"}, {"then"}};
  if (classes) header.push_back(number_cell("probability"));
  header.push_back(number_cell(counts_weights(tree) ? "weight" : "rows"));
  header.push_back(number_cell("share"));
  for (HtmlCell& cell : header) cell.attributes += " data-sort";
  HtmlTable table("Rules, one per leaf, with the training rows that they hold for", header);
  PathConditions paths(tree);
  for (uint32_t i = 0; i < tree.nodes.size(); ++i) {
    const LoweredNode& node = tree.nodes[i];
    if (!node.is_leaf() || (node.weight <= 0 && tree.nodes[0].weight > 0)) continue;
    const std::vector<std::string> conditions = paths.of(i);
    std::string then, attributes;
    if (classes) {
      const size_t decided = answers.decided(i);
      then = tree.target.classes[decided];
      attributes = fmt::format(" data-class=\"{}\"", decided);
    } else {
      then = shown_figure(answers.number(i));
    }
    if (node.formula) then = join(formula_lines(tree, *node.formula), "; ");
    std::vector<HtmlCell> row = {number_cell(std::to_string(i)),
                                 {conditions.empty() ? "always" : join(conditions, " and ")},
                                 {then}};
    const auto sortable = [](double value) { return fmt::format(" data-value=\"{}\"", value); };
    if (!classes) row[2].attributes = sortable(answers.number(i));
    if (classes) {
      row.push_back({shown_share(answers.share(i)), true, sortable(answers.share(i))});
    }
    row.push_back({shown_weight(node.weight), true, sortable(node.weight)});
    row.push_back({shown_share(node.share), true, sortable(node.share)});
    table.add(std::move(row), attributes);
  }
  Markup out;
  out.open("div", " id=\"rules-tools\" class=\"tools\" hidden").close();
  out.raw(table.markup(" id=\"rules-table\""));
  if (soft) {
    out.paragraph("Between the ends of a soft condition a row follows several rules in part; " +
                  mixing_text(tree) + ".");
  }
  return out.done();
}

std::string ask_section(const ReportFacts& /*facts*/) {
  Markup out;
  out.open("noscript")
      .paragraph(
          "The form is made by a script. The rules and the picture of the tree say the same.")
      .close();
  out.open("div", " id=\"ask-form\" hidden").close();
  return out.done();
}

}  // namespace softwood::render

// Sections that are a picture of their own, with the figures beside it.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/text.h"
#include "data/content.h"
#include "data/convert.h"
#include "render/html/sections.h"
#include "render/svg/plot.h"
#include "render/text/words.h"
#include "tree/shown_frontier.h"
#include "use/permutation.h"

namespace softwood::render {
namespace {

constexpr size_t most_shuffled = 2000;  // rows: large soft trees answer slowly
constexpr size_t most_listed = 60;      // trees of a cost-complexity sequence

// What each input is worth on rows with known answers: on all of them, or on some that a hash of
// their content chooses.
std::vector<InputImportance> shuffled_losses(const ReportFacts& facts, size_t repeats) {
  const ReportTask& task = facts.task;
  const uint64_t seed = facts.tree.origin.seed;
  if (facts.all.size() <= most_shuffled) {
    return permutation_importance(task.model.tree, *task.rows, repeats, seed, task.parallel);
  }
  const std::vector<uint32_t> order = shuffled_by_content(*task.rows, facts.all, seed);
  const std::vector<RowIndex> some(order.begin(), order.begin() + most_shuffled);
  return permutation_importance(task.model.tree, taken_rows(*task.rows, some), repeats, seed,
                                task.parallel);
}

// The chosen tree, the one of the least cross-validated error, and others at equal distances in the
// logarithm of their leaves.
std::vector<size_t> listed_trees(const LoweredComplexity& complexity) {
  const std::vector<LoweredPruning>& trees = complexity.trees;
  const auto log_leaves = [&](size_t i) {
    return std::log2(static_cast<double>(trees[i].splits + 1));
  };
  size_t least = complexity.chosen;
  for (size_t i = 0; i < trees.size(); ++i) {
    if (trees[i].cv_error < trees[least].cv_error) least = i;
  }
  const double step =
      (log_leaves(trees.size() - 1) - log_leaves(0)) / static_cast<double>(most_listed - 3);
  double next = -INFINITY;
  std::vector<size_t> listed;
  for (size_t i = 0; i < trees.size(); ++i) {
    const bool wanted = i == complexity.chosen || i == least || i + 1 == trees.size();
    if (trees.size() > most_listed && !wanted && log_leaves(i) < next) continue;
    if (log_leaves(i) >= next) next = log_leaves(i) + step;
    listed.push_back(i);
  }
  return listed;
}

}  // namespace

std::string tree_section(const ReportFacts& facts) {
  Markup out;
  out.open("div", " id=\"tree-tools\" class=\"tools\" hidden").close();
  out.open("div", " id=\"tree-view\" hidden").close();
  // With a script the picture is drawn anew, to be folded; it stays for paper.
  out.open("div", " id=\"tree-picture\"");
  out.raw(figure(drawn(facts, plot_tree, facts.all.empty() ? nullptr : facts.task.rows),
                 fmt::format("The tree: {}. Edges are as wide as their share of the rows.",
                             size_text(facts.tree)),
                 true));
  return out.close().done();
}

std::string importance_section(const ReportFacts& facts) {
  constexpr size_t repeats = 5;
  const LoweredTree& tree = facts.tree;
  std::vector<uint32_t> order = facts.inputs;
  std::stable_sort(order.begin(), order.end(), [&](uint32_t a, uint32_t b) {
    return tree.inputs[a].importance > tree.inputs[b].importance;
  });
  std::vector<InputImportance> losses;
  std::vector<HtmlCell> header = {{"input"}, number_cell("share of the gain of all splits")};
  if (facts.has_target()) {
    losses = shuffled_losses(facts, repeats);
    header.push_back(number_cell(!tree.is_classifier()         ? "mse when shuffled"
                                 : tree.decision.costs.empty() ? "error when shuffled"
                                                               : "cost per row when shuffled"));
  }
  HtmlTable table("Importance of the inputs", header);
  for (const uint32_t f : order) {
    std::vector<HtmlCell> row = {{tree.inputs[f].name},
                                 number_cell(shown_share(tree.inputs[f].importance))};
    if (!losses.empty()) {
      row.push_back(number_cell(fmt::format("{:+.4g} ± {:.2g}", losses[f].mean, losses[f].sd)));
    }
    table.add(std::move(row));
  }
  Markup out;
  if (!tree.nodes[0].is_leaf()) {
    out.raw(figure(drawn(facts, plot_importance, nullptr),
                   "Share of each input in what all splits gain on the training rows."));
  }
  out.raw(table.markup());
  if (!losses.empty()) {
    out.paragraph(fmt::format(
        "When shuffled: what the model loses on the rows of this report when "
        "the values of one input are shuffled among them, mean and standard "
        "deviation of {} shuffles{}.",
        repeats,
        facts.all.size() > most_shuffled
            ? fmt::format(" of {} rows that a hash of their content chooses", most_shuffled)
            : ""));
  }
  return out.done();
}

std::string pruning_section(const ReportFacts& facts) {
  const auto& complexity = facts.tree.complexity;
  if (!complexity || complexity->trees.size() < 2) return "";
  const bool crossed = std::any_of(complexity->trees.begin(), complexity->trees.end(),
                                   [](const auto& one) { return !std::isnan(one.cv_error); });
  std::vector<HtmlCell> header = {number_cell("leaves"), number_cell("alpha"),
                                  number_cell("error")};
  if (crossed) {
    header.push_back(number_cell("cross-validated error"));
    header.push_back(number_cell("standard error"));
  }
  header.push_back({"choice"});
  HtmlTable table("Cost-complexity sequence, errors relative to the root's", header);
  const std::vector<size_t> listed = listed_trees(*complexity);
  for (const size_t i : listed) {
    const LoweredPruning& one = complexity->trees[i];
    std::vector<HtmlCell> row = {number_cell(std::to_string(one.splits + 1)),
                                 number_cell(shown_figure(one.alpha)),
                                 number_cell(shown_figure(one.error))};
    if (crossed) {
      row.push_back(number_cell(shown_figure(one.cv_error)));
      row.push_back(number_cell(shown_figure(one.cv_deviation)));
    }
    row.push_back({i == complexity->chosen ? "this tree" : ""});
    table.add(std::move(row), i == complexity->chosen ? " class=\"chosen\"" : "");
  }
  Markup out;
  out.raw(figure(drawn(facts, plot_pruning, nullptr),
                 "Error along the cost-complexity sequence, with the tree that was chosen."));
  out.raw(table.markup());
  if (listed.size() < complexity->trees.size()) {
    out.paragraph(fmt::format("{} more trees of the sequence lie between these.",
                              complexity->trees.size() - listed.size()));
  }
  return out.done();
}

namespace {

// By the metric, and in plain figures where these are others.
std::string expected_text(const Frontier& frontier) {
  const auto text = [](const std::string& name, double value, double error) {
    return fmt::format("{} {} ± {}", name, shown_figure(value), shown_figure(error));
  };
  const std::string plain = text(frontier.figure, frontier.estimate, frontier.standard_error);
  if (!frontier.expected_loss || frontier.metric == frontier.figure) return plain;
  return text(loss_name(frontier.metric), frontier.expected_loss->value,
              frontier.expected_loss->standard_error) +
         ", " + plain;
}

}  // namespace

std::string frontier_section(const ReportFacts& facts) {
  const std::optional<Frontier>& frontier = facts.task.model.frontier;
  if (!frontier) return "";
  const ShownFrontier all = shown(*frontier);
  HtmlTable table("What the tree was chosen from, by size",
                  {number_cell("parameters"),
                   number_cell("leaves"),
                   number_cell(loss_name(frontier->metric)),
                   number_cell("standard error"),
                   {"recipe"},
                   {"choice"}});
  for (const auto& [number, size, dominated] : all.points) {
    const FrontierPoint& point = frontier->points[number];
    const bool chosen = number == frontier->chosen;
    std::vector<std::string> names = preferences_of(*frontier, number);
    if (chosen) names.insert(names.begin(), "this tree");
    table.add({number_cell(std::to_string(size.parameters)),
               number_cell(std::to_string(size.leaves)),
               number_cell(shown_figure(point.loss)),
               number_cell(shown_figure(point.standard_error)),
               {point.recipe},
               {join(names, ", ")}},
              chosen ? " class=\"chosen\"" : "");
  }
  const FrontierPoint& taken = frontier->points[frontier->chosen];
  const std::string sizes =
      all.of_saved_trees
          ? "Sizes are those of the saved trees, losses of trees of parts of the rows."
          : fmt::format(
                "Sizes and losses are those of trees of parts of the rows; this tree, of all rows, "
                "has {}.",
                counted(taken.shown_parameters(), "parameter"));
  Markup out;
  out.raw(figure(drawn(facts, plot_frontier, nullptr),
                 "Loss on held-out rows against size, with the tree that was chosen."));
  out.paragraph(fmt::format("Chosen: {}. {}", taken.recipe, sizes));
  out.paragraph(
      fmt::format("Expected on new rows, corrected for the choice: {}.", expected_text(*frontier)));
  return out.raw(table.markup()).done();
}

std::string regions_section(const ReportFacts& facts) {
  std::vector<uint32_t> numeric;
  for (const uint32_t f : facts.inputs) {
    if (facts.tree.inputs[f].kind == InputKind::numeric) numeric.push_back(f);
  }
  if (numeric.size() < 2) return "";
  std::stable_sort(numeric.begin(), numeric.end(), [&](uint32_t a, uint32_t b) {
    return facts.tree.inputs[a].importance > facts.tree.inputs[b].importance;
  });
  PlotOptions options;
  for (size_t i = 0; i < 2; ++i) options.inputs.push_back(facts.tree.inputs[numeric[i]].name);
  const std::optional<Table> held = facts.held_table();
  Markup out;
  out.open("div", " id=\"regions-tools\" hidden").close();
  out.open("div", " id=\"regions-picture\"");
  out.raw(figure(drawn(facts, plot_regions, held ? &*held : nullptr, options),
                 "Answers over the two most important numeric inputs, all others at their typical "
                 "values. Points are rows that this page holds."));
  return out.close().done();
}

}  // namespace softwood::render

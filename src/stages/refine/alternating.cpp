#include "stages/refine/alternating.h"

#include <algorithm>
#include <cmath>

#include "data/typical.h"
#include "stages/refine/choice.h"
#include "stages/refine/refine.h"
#include "tree/compiled.h"
#include "tree/costs.h"
#include "tree/edit.h"
#include "tree/recount.h"

namespace softwood::refine {

namespace {

// What a node answers, for the loss: the class that costs least, or the mean.
class Losses {
 public:
  Losses(const Tree& tree, const Table& table) : tree_(tree), table_(table) {
    const std::vector<double> answers = tree.answers();
    const size_t width = tree.answer_width();
    for (NodeIndex i = 0; i < tree.size(); ++i) {
      const std::span<const double> answer(&answers[i * width], width);
      answer_.push_back(tree.task() == Task::regression
                            ? answer[0]
                            : static_cast<double>(cheapest_answer(answer, tree.costs())));
    }
  }

  // Weighted.
  double of(NodeIndex end, RowIndex row) const {
    const double weight = table_.weight(row);
    if (tree_.task() == Task::regression) {
      const double error = table_.target().numbers[row] - answer_[end];
      return weight * error * error;
    }
    const auto answered = static_cast<size_t>(answer_[end]);
    return weight *
           cost_for_row(tree_.costs(), tree_.classes(), table_.target().codes[row], answered);
  }

 private:
  const Tree& tree_;
  const Table& table_;
  std::vector<double> answer_;
};

// One run. The tree answers with plain shares meanwhile: those have the least loss in each leaf.
class Alternation {
 public:
  Alternation(const Context& context, Tree& tree, const Settings& settings)
      : context_(context),
        table_(context.table()),
        settings_(settings),
        tree_(tree),
        parents_(parents_of(tree)),
        depth_(tree.size(), 0) {
    for (NodeIndex i = 1; i < tree.size(); ++i) depth_[i] = depth_[parents_[i]] + 1;
  }

  double loss() const {
    const Losses losses(tree_, table_);
    const std::vector<NodeIndex> ends = end_nodes_below(tree_, 0, table_, context_.rows);
    double sum = 0;
    for (size_t i = 0; i < ends.size(); ++i) sum += losses.of(ends[i], context_.rows[i]);
    return sum;
  }

  // All nodes once, then the leaves. True when a gate has changed.
  bool pass() {
    const std::vector<std::vector<RowIndex>> rows = rows_of_nodes();
    const Losses losses(tree_, table_);
    const size_t deepest = *std::max_element(depth_.begin(), depth_.end());
    bool changed = false;
    for (size_t depth = deepest + 1; depth-- > 0;) {
      std::vector<NodeIndex> nodes;
      for (NodeIndex i = 0; i < tree_.size(); ++i) {
        if (depth_[i] == depth && !rows[i].empty()) nodes.push_back(i);
      }
      std::vector<std::optional<Choice>> choices(nodes.size());
      context_.parallel.each(nodes.size(), [&](size_t k) {
        choices[k] = best_choice(nodes[k], rows[nodes[k]], losses);
      });
      for (size_t k = 0; k < nodes.size(); ++k) {
        if (!choices[k]) continue;
        changed = true;
        tree_.node(nodes[k]).gate() = std::move(choices[k]->gate);
        tree_.node(nodes[k]).missing() = std::move(choices[k]->missing);
      }
    }
    recount(tree_, table_, context_.rows);
    return changed;
  }

  // Notes belong to the gates and rows there were; weights without a value are counted again.
  void set_notes() {
    const std::vector<std::vector<RowIndex>> rows = rows_of_nodes();
    for (NodeIndex i = 0; i < tree_.size(); ++i) {
      if (tree_.node(i).is_leaf()) continue;
      const size_t children = gate_children(tree_.node(i).gate());
      std::vector<double> weights(rows[i].size() * children);
      gate_weights(tree_.node(i).gate(), table_, rows[i], weights);
      double without = 0;
      for (size_t k = 0; k < rows[i].size(); ++k) {
        if (std::isnan(weights[k * children])) without += table_.weight(rows[i][k]);
      }
      Missing& missing = tree_.node(i).missing();
      missing.weight = without;
      if (missing.rule == MissingRule::shares && tree_.weight(i) > 0) {
        // Of rows with a value, which are all: see has_single_paths().
        for (uint32_t c = 0; c < children; ++c) {
          missing.shares[c] = tree_.weight(tree_.node(i).first_child + c) / tree_.weight(i);
        }
      }
      tree_.node(i).notes() = {};
    }
  }

 private:
  // Of inner nodes.
  std::vector<std::vector<RowIndex>> rows_of_nodes() const {
    std::vector<std::vector<RowIndex>> rows(tree_.size());
    const std::vector<NodeIndex> ends = end_nodes_below(tree_, 0, table_, context_.rows);
    for (size_t i = 0; i < ends.size(); ++i) {
      for (NodeIndex node = ends[i];; node = parents_[node]) {
        if (!tree_.node(node).is_leaf()) rows[node].push_back(context_.rows[i]);
        if (node == 0) break;
      }
    }
    return rows;
  }

  std::optional<Choice> best_choice(NodeIndex node, const std::vector<RowIndex>& rows,
                                    const Losses& losses) const {
    const uint32_t children = gate_children(tree_.node(node).gate());
    std::vector<double> costs;
    costs.reserve(children * rows.size());
    for (uint32_t c = 0; c < children; ++c) {
      const std::vector<NodeIndex> ends =
          end_nodes_below(tree_, tree_.node(node).first_child + c, table_, rows);
      for (size_t i = 0; i < rows.size(); ++i) costs.push_back(losses.of(ends[i], rows[i]));
    }
    return NodeProblem(tree_, node, table_, tree_.typical(), rows, std::move(costs))
        .best(settings_);
  }

  const Context& context_;
  const Table& table_;
  Settings settings_;
  Tree& tree_;
  std::vector<NodeIndex> parents_;
  std::vector<size_t> depth_;
};

}  // namespace

Tree alternate(Context& context, Tree tree) {
  const Settings settings{context.options.choice("gates", hyperplane_choices),
                          context.options.real("l1")};
  const auto passes = context.options.count("passes");
  const LeafPlan plan = tree.leaf_plan();
  Tree refined = tree;
  refined.canonicalise();
  refined.set_leaf_plan({});
  if (refined.typical().empty()) {
    refined.set_typical(typical_values(context.table(), context.rows));
  }
  recount(refined, context.table(), context.rows);
  Alternation alternation(context, refined, settings);
  double loss = alternation.loss();
  bool any = false;
  for (size_t done = 0; done < passes && loss > 0; ++done) {
    if (const auto stop = context.control.should_stop()) {
      context.report.stopped = *stop;
      break;
    }
    const Tree before = refined;
    const bool changed = alternation.pass();
    const double now = alternation.loss();
    if (!changed || !(now < loss)) {
      refined = before;
      break;
    }
    any = true;
    loss = now;
    context.control.report("refining", static_cast<double>(done + 1), static_cast<double>(passes),
                           loss);
  }
  if (!any) return tree;
  alternation.set_notes();
  refined = without_empty_branches(refined);
  send_unseen_to_heaviest(refined);
  refined.set_leaf_plan(plan);
  return refined;
}

}  // namespace softwood::refine

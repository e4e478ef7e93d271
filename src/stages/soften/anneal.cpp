#include "stages/soften/anneal.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "data/convert.h"
#include "fit/complexity.h"
#include "fit/training_loss.h"
#include "use/predict.h"

namespace softwood::soften {
namespace {

bool is_soft_node(const Tree& tree, NodeIndex node) {
  return !tree.node(node).is_leaf() && can_be_soft(tree.node(node).gate());
}

// The group that moves with a start. Of a middle node with more than two children that can be soft,
// two are drawn.
Group group_of(const Tree& tree, const Start& start, Random& random) {
  Group group{start.node, start.side, {0, 1}};
  const NodeIndex middle = tree.node(start.node).first_child + start.side;
  if (tree.node(middle).is_leaf() || tree.children(middle) <= 2) return group;
  std::vector<uint32_t> children;
  for (uint32_t c = 0; c < tree.children(middle); ++c) {
    if (is_soft_node(tree, tree.node(middle).first_child + c)) children.push_back(c);
  }
  if (is_soft_node(tree, middle) || children.empty()) return group;
  random.shuffle(children);
  group.children = {children[0], children.size() > 1 ? children[1] : (children[0] == 0 ? 1U : 0U)};
  return group;
}

// The widths of the open nodes as a point of the annealer, in units of the hyperrectangles.
class Point {
 public:
  Point(const Tree& tree, std::span<const Ramp> ramps, const Group& group,
        const std::array<NodeIndex, AnnealingObjective::most_nodes>& nodes) {
    for (size_t k = 0; k < nodes.size(); ++k) {
      if (nodes[k] == AnnealingObjective::no_node) continue;
      moves_[k] = widths_of(tree.node(nodes[k]).gate());
      const Ramp& ramp = *std::lower_bound(
          ramps.begin(), ramps.end(), nodes[k],
          [](const Ramp& candidate, NodeIndex node) { return candidate.node < node; });
      if (k > 0 || group.side == 0) add(moves_[k].below, ramp.units.below);
      if (k > 0 || group.side == 1) add(moves_[k].above, ramp.units.above);
    }
  }

  Point(const Point&) = delete;
  Point& operator=(const Point&) = delete;

  const std::vector<double>& coordinates() const { return coordinates_; }
  const AnnealingObjective::Moves& moves_at(std::span<const double> coordinates) {
    for (size_t i = 0; i < coordinates.size(); ++i) *widths_[i] = coordinates[i] * units_[i];
    return moves_;
  }

 private:
  void add(double& width, double unit) {
    widths_.push_back(&width);
    units_.push_back(unit);
    coordinates_.push_back(unit > 0 ? width / unit : 0);
  }

  AnnealingObjective::Moves moves_;
  std::vector<double*> widths_;  // of moves_
  std::vector<double> units_, coordinates_;
};

}  // namespace

std::vector<Start> starts_of(const Tree& tree) {
  const std::vector<NodeIndex> parents = parents_of(tree);
  std::vector<Start> starts;
  for (NodeIndex i = 0; i < tree.size(); ++i) {
    if (!is_soft_node(tree, i)) continue;
    const NodeIndex parent = parents[i];
    const bool moved_from_above = i > 0 && (is_soft_node(tree, parent) ||
                                            (parent > 0 && is_soft_node(tree, parents[parent])));
    for (uint32_t side = 0; side < 2; ++side) {
      const bool leaf = tree.node(tree.node(i).first_child + side).is_leaf();
      if (!leaf || !moved_from_above) starts.push_back({i, side});
    }
  }
  return starts;
}

Softened soften_tree(const Tree& tree, const Table& table, std::span<const RowIndex> rows,
                     const Annealing& how, size_t patience, Random random, const Control& control) {
  Softened result{tree, 0, 0, 0, Stopped::converged};
  // Models that are fitted when all else is done: until then their constants answer.
  if (tree.leaf_plan().fits_models()) {
    for (NodeIndex i = 0; i < tree.size(); ++i) result.tree.node(i).model.reset();
  }
  result.before = fit::training_loss(result.tree, table, rows, Parallel(1));
  result.after = result.before;
  const std::vector<Start> starts = starts_of(tree);
  if (starts.empty()) return result;
  const std::vector<Ramp> ramps = ramps_of(tree, table, rows);
  AnnealingObjective objective(result.tree, table, rows);
  for (size_t failures = 0; failures < patience; ++result.calls) {
    if (const auto stop = control.should_stop()) {
      result.stopped = *stop;
      break;
    }
    const Group group = group_of(tree, starts[random.below(starts.size())], random);
    objective.open(group);
    Point point(objective.tree(), ramps, group, objective.open_nodes());
    std::vector<double> best = point.coordinates();
    const double start = objective.value();
    const double value = anneal(
        how, best, start,
        [&](const std::vector<double>& tried) { return objective.value_at(point.moves_at(tried)); },
        random);
    failures = value < start ? 0 : failures + 1;
    if (best != point.coordinates()) objective.accept(point.moves_at(best));
    control.report("softening", static_cast<double>(failures), static_cast<double>(patience),
                   objective.value());
  }
  // The tree with ramps of no width is worse than the hard one where rows lie on its thresholds.
  if (objective.value() < result.before) {
    result.tree = objective.tree();
    result.after = objective.value();
  }
  return result;
}

double usual_temp(const Tree& tree, const Table& table, std::span<const RowIndex> rows) {
  double weight = 0, sum = 0, squares = 0;
  for (const RowIndex row : rows) weight += table.weight(row);
  constexpr double paper_rows = 12680, paper_temp = 10;
  const double temp = paper_temp * weight / paper_rows;
  if (tree.task() == Task::classification) return temp;
  const Cells<double>& numbers = table.target().numbers;
  for (const RowIndex row : rows) sum += table.weight(row) * numbers[row];
  for (const RowIndex row : rows) {
    squares += table.weight(row) * (numbers[row] - sum / weight) * (numbers[row] - sum / weight);
  }
  return temp * squares / weight;
}

namespace {

// The sequence of best subtrees that have a split, from the largest on, by the alpha notes.
std::vector<Tree> pruned_trees(Tree tree) {
  for (NodeIndex i = 0; i < tree.size(); ++i) {
    if (tree.node(i).is_leaf() || !std::isnan(tree.node(i).notes().alpha)) continue;
    fit::note_alphas(tree, fit::Sequence::weakest_link);
    break;
  }
  const ComplexityTable table = fit::complexity_table(tree);
  std::vector<Tree> trees;
  for (size_t i = table.rows.size(); i-- > 0;) {
    Tree pruned = fit::pruned_at(tree, table.rows[i].cp);
    if (pruned.size() > 1) trees.push_back(std::move(pruned));
  }
  return trees;
}

// Weight of the training rows that the tree gets wrong, or the sum of its squared errors.
double training_error(const Tree& tree, const Context& context) {
  const Table& table = context.table();
  const Predictions answers = predict(tree, table, context.rows, context.parallel);
  double wrong = 0;
  for (size_t i = 0; i < context.rows.size(); ++i) {
    const RowIndex row = context.rows[i];
    if (tree.task() == Task::classification) {
      if (static_cast<int32_t>(answers.top_class(i)) != table.target().codes[row])
        wrong += table.weight(row);
    } else {
      const double error = table.target().numbers[row] - answers.answers[i];
      wrong += table.weight(row) * error * error;
    }
  }
  return wrong;
}

// Section 5.2: step i softens each of the i largest trees, until so many of them have become better
// by the factor. A step that has all trees and improves none is the last one.
constexpr size_t wanted = 10;
constexpr double better = 1.01;

class Strategy {
 public:
  Strategy(Context& context, const std::vector<Tree>& trees, const Annealing& how)
      : context_(context), trees_(trees), how_(how) {}

  // The best of the improved trees; none where nothing improves.
  std::optional<Tree> run() {
    size_t successes_before = 0, step = 1;
    while (successes_ < wanted && !stopped_) {
      for (size_t i = 0; i < std::min(step, trees_.size()); ++i) queue_.push_back(i);
      // Never more at once than are still wanted, so that none is softened in vain.
      while (!queue_.empty() && successes_ < wanted && !stopped_) soften_next();
      const bool in_vain = successes_ == successes_before;
      if (step >= trees_.size() && in_vain) break;
      // One tree more, as published; twice as many after a step in vain, so that a long sequence of
      // trees that can't be improved takes no more than a few attempts at each.
      step = in_vain ? 2 * step : step + 1;
      successes_before = successes_;
    }
    return std::move(best_);
  }
  size_t attempts() const { return attempts_; }
  size_t successes() const { return successes_; }

 private:
  void soften_next() {
    const size_t count = std::min(queue_.size(), wanted - successes_);
    std::vector<std::optional<Softened>> results(count);
    const auto patience = context_.options.count("patience");
    Control quiet = context_.control;  // progress is told from one thread at a time
    quiet.progress = nullptr;
    context_.parallel.each(count, [&](size_t k) {
      results[k] = soften_tree(trees_[queue_[k]], context_.table(), context_.rows, how_, patience,
                               Random(context_.seed, "soften", attempts_ + k), quiet);
    });
    attempts_ += count;
    queue_.erase(queue_.begin(), queue_.begin() + static_cast<std::ptrdiff_t>(count));
    for (const auto& result : results) consider(*result);
    context_.control.report("softening", static_cast<double>(successes_), wanted, least());
  }

  std::optional<double> least() const { return best_ ? std::optional(least_) : std::nullopt; }

  void consider(const Softened& softened) {
    const bool cut_short = softened.stopped != Stopped::converged;
    if (cut_short) {
      context_.report.stopped = softened.stopped;
      stopped_ = true;
    }
    // When there is no time to go on, anything gained is kept.
    if (!(softened.after < softened.before)) return;
    if (!cut_short && !(softened.before >= better * softened.after)) return;
    ++successes_;
    const double mark = context_.options.choice("choose", least_of_choices) == LeastOf::error
                            ? training_error(softened.tree, context_)
                            : softened.after;
    if (best_ && !(mark < least_)) return;
    best_ = softened.tree;
    least_ = mark;
  }

  Context& context_;
  const std::vector<Tree>& trees_;
  Annealing how_;
  std::vector<size_t> queue_;  // of trees to be softened, by number
  size_t attempts_ = 0, successes_ = 0;
  bool stopped_ = false;
  std::optional<Tree> best_;
  double least_ = 0;
};

}  // namespace

Tree by_annealing(Context& context, Tree tree) {
  if (leaves_are_in_the_way(tree)) {
    context.control.say(
        "soften by=anneal leaves the tree as it is: its leaves were trained with its gates");
    return tree;
  }
  Annealing how;
  how.temp = context.options.has_number("temp") ? context.options.real("temp")
                                                : usual_temp(tree, context.table(), context.rows);
  if (!(how.temp > 0)) return tree;  // all rows have the same target
  if (context.options.choice("over", anneal_over_choices) == AnnealOver::tree) {
    Softened softened =
        soften_tree(tree, context.table(), context.rows, how, context.options.count("patience"),
                    Random(context.seed, "soften"), context.control);
    if (softened.stopped != Stopped::converged) context.report.stopped = softened.stopped;
    context.control.say(fmt::format("softened in {} of the annealer, objective from {:.6} to {:.6}",
                                    counted(softened.calls, "call"), softened.before,
                                    softened.after));
    return std::move(softened.tree);
  }
  const std::vector<Tree> trees = pruned_trees(tree);
  Strategy strategy(context, trees, how);
  std::optional<Tree> best = strategy.run();
  context.control.say(
      fmt::format("pruning sequence of {}: {}, {} improved; {}", counted(trees.size(), "tree"),
                  counted(strategy.attempts(), "annealing run"), strategy.successes(),
                  best ? "kept: the tree with " + counted(shape_of(*best).leaves, "leaf", "leaves")
                       : "kept: the tree as it was"));
  if (!best) return tree;
  if (context.report.complexity) fit::mark_tree(*best, *context.report.complexity);
  return std::move(*best);
}

}  // namespace softwood::soften

#include "stages/grow/exact.h"

#include <algorithm>
#include <atomic>
#include <cmath>
#include <mutex>
#include <numeric>
#include <optional>
#include <utility>

#include "base/math.h"
#include "data/feature_options.h"
#include "stages/grow/fractional.h"
#include "stages/grow/frontier.h"
#include "stages/grow/renumber.h"
#include "stages/grow/route.h"
#include "stages/grow/significance.h"
#include "stages/grow/splitter.h"
#include "tree/edit.h"

namespace softwood::grow {
namespace {

// The one loop that grows trees from the top, whatever the way of splitting a node.
class Grower {
 public:
  Grower(Context& context, const SplitterEntry& splitter, MissingValues missing)
      : options_(context.options),
        limits_(context.options),
        missing_(missing),
        routing_{missing, context.options.count("surrogates"),
                 cut_at_option(context.options) == CutAt::node_value},
        log_level_(log_level(context.options, splitter)),
        directions_(monotone_directions_of_sums(context.options, context.table().schema())),
        parallel_(context.parallel),
        control_(context.control),
        workspaces_(static_cast<size_t>(parallel_.threads())),
        root_(open_root(context)),
        rows_(root_.range.size()),
        tree_(root_.data->target.task, root_.data->target.classes) {
    for (Workspace& work : workspaces_) work.scratch.control = &control_;
    tree_.set_costs({context.costs.begin(), context.costs.end()});
    root_.sum = set_sums(tree_, 0, root_.data->target, root_.slots());
    limits_.set_root_weight(tree_.weight(0));
    splitter_ = splitter.make({context, limits_, missing_});
  }

  Tree grow() {
    if (!may_split(tree_, 0, 0, limits_)) return std::move(tree_);
    const Workers all{parallel_, workspaces_, workspaces_[0], control_};
    if (limits_.max_leaves < std::numeric_limits<size_t>::max()) {
      grow_best_first(
          std::move(root_), limits_.max_leaves,
          [&](OpenNode& open) { return find_split(tree_, open, all); },
          [&](OpenNode& open, const Found& found) -> std::vector<OpenNode>& {
            return apply(tree_, open, found, all);
          },
          [&](const OpenNode& open) { return size_t{tree_.children(open.node)}; },
          [&](size_t leaves) { report_leaves(control_, leaves, limits_.max_leaves); });
    } else {
      grow_all(all);
    }
    for (Workspace& work : workspaces_) work.next.clear();  // the last owners of the rows
    tree_.canonicalise();
    return std::move(tree_);
  }

 private:
  OpenNode open_root(Context& context) const {
    const bool many_parts = !is_in_two(nominal_option(context.options)) ||
                            missing_ == MissingValues::separate ||
                            missing_ == MissingValues::fractional;
    Target target = make_target(context.table(), context.rows, context.costs,
                                targets_from_zero(context.options));
    RowLists lists(context.derived, context.last_use, context.rows, target, many_parts,
                   context.parallel, context.control);
    const auto data =
        std::make_shared<NodeData>(NodeData{std::move(lists), std::move(target), nullptr});
    data->search = make_search(context.options, data->target);
    return {0, data, {0, static_cast<uint32_t>(data->lists.size())},
            0, 0,    data->lists.all_features()};
  }

  // Large nodes first, each by all threads; the others with all that is below them as one task.
  void grow_all(const Workers& all) {
    if (!all.shares(root_)) {
      grow_below(tree_, std::move(root_), workspaces_[0]);
      return;
    }
    std::vector<OpenNode> open, small;
    open.push_back(std::move(root_));
    while (!open.empty()) {
      OpenNode node = std::move(open.back());
      open.pop_back();
      for (OpenNode& child : split_node(tree_, node, all)) {
        (all.shares(child) ? open : small).push_back(std::move(child));
      }
    }
    // Largest first: the rest fills the gaps.
    std::stable_sort(small.begin(), small.end(), [](const OpenNode& a, const OpenNode& b) {
      return a.range.size() > b.range.size();
    });
    Tree empty(tree_.task(), tree_.classes());
    empty.set_costs(tree_.costs());
    std::vector<Tree> below(small.size(), empty);
    parallel_.each(small.size(), [&](size_t i) {
      std::copy_n(tree_.sums(small[i].node).begin(), tree_.width(), below[i].sums(0).begin());
      OpenNode top = small[i];
      top.node = 0;
      grow_below(below[i], std::move(top), workspaces_[parallel_.worker()]);
    });
    for (size_t i = 0; i < small.size(); ++i) {
      graft(tree_, small[i].node, below[i]);
      below[i] = Tree(tree_.task(), tree_.classes());
    }
  }

  // The whole subtree of one node, by one thread.
  void grow_below(Tree& tree, OpenNode top, Workspace& work) {
    const Parallel alone(1);
    const Workers workers{alone, workspaces_, work, control_};
    const std::shared_ptr<NodeData> data = top.data;
    const uint32_t begin = top.range.begin;
    uint32_t end = top.range.end;  // what is after it is done: the last child comes first
    std::vector<OpenNode> open;
    open.push_back(std::move(top));
    while (!open.empty()) {
      OpenNode node = std::move(open.back());
      open.pop_back();
      if (node.data == data) release(*data, {node.range.end, end}, end);
      for (OpenNode& child : split_node(tree, node, workers)) open.push_back(std::move(child));
      work.spare.push_back(std::move(node.active));
    }
    release(*data, {begin, end}, end);
  }

  // Gives memory of the lists back as the tree takes it, when it is worth the call.
  static void release(NodeData& data, Range done, uint32_t& end) {
    constexpr uint32_t enough_rows = 1U << 14;
    if (done.size() < enough_rows) return;
    data.lists.release(done);
    end = done.begin;
  }

  // The children that may be split further; valid until the next call with the same workspace.
  std::vector<OpenNode>& split_node(Tree& tree, OpenNode& open, const Workers& workers) {
    const Found found = find_split(tree, open, workers);
    if (found.improvement > 0) return apply(tree, open, found, workers);
    report_done(open.range.size());
    workers.own.next.clear();
    return workers.own.next;
  }

  Found find_split(const Tree& tree, OpenNode& open, const Workers& workers) const {
    set_cell(workers.own.cell, tree, open.node, open.data->target, open.sum);
    return splitter_->find(tree, open, workers.own.cell, workers);
  }

  // Makes the children of a node and gives them their rows; returns those that may be split
  // further.
  std::vector<OpenNode>& apply(Tree& tree, const OpenNode& open, const Found& found,
                               const Workers& workers) {
    Workspace& work = workers.own;
    Routed routed = route_rows(open, found, routing_, workers);
    const std::vector<uint32_t> divided = std::move(routed.divided);
    const bool all_known = !(routed.missing.weight > 0);
    const bool has_rule = !all_known || missing_ == MissingValues::fractional;
    const NodeIndex first =
        tree.split(open.node, std::move(routed.gate), std::move(routed.missing));
    const uint32_t children = tree.children(open.node);
    Notes& notes = tree.node(open.node).notes();
    notes.gain = found.improvement / tree.weight(open.node);
    notes.statistic = found.statistic;
    notes.log_p = found.log_p;
    if (!found.competitors.empty()) {
      notes.competitors = Owned<std::vector<Competitor>>(found.competitors);
    }
    if (!divided.empty()) return tested(tree, open, divide_rows(tree, open, divided, workers));
    set_parts(open, children, work.parts);
    const Sides sides =
        children == 2 ? open.data->lists.sides(open.range, work.side_bits) : Sides(nullptr);
    open.data->lists.divide_slots(open.range, work.parts, sides, work.buffer);
    work.next.clear();
    work.child_sums.resize(children);
    for (uint32_t c = 0; c < children; ++c) {
      work.child_sums[c] =
          set_sums(tree, first + c, open.data->target, open.data->lists.slots(work.parts[c]));
      if (may_split(tree, first + c, open.depth + 1, limits_)) {
        work.next.push_back({first + c, open.data, work.parts[c], open.depth + 1,
                             work.child_sums[c], work.take_spare()});
        work.next.back().path = open.path_of_child(c);
      } else {
        report_done(work.parts[c].size());
      }
    }
    if (all_known && children == 2 && open.data->search->is_squared_error() &&
        are_far_apart(tree.weight(first), tree.weight(first + 1))) {
      const RowLists& lists = open.data->lists;
      tree.node(open.node).notes().gain = decrease_of_variance(
          open.data->target, lists.slots(work.parts[0]), lists.slots(work.parts[1]));
    }
    if (!directions_.empty()) set_bounds(tree, open, found, work);
    if (!has_rule) tree.node(open.node).missing().child = heavier_child(tree, first, children);
    if (!tested(tree, open, work.next).empty()) divide_lists(open, first, sides, workers);
    for (OpenNode& child : work.next) {
      if (wants_renumbering(child)) renumber(child, options_, work.buffer);
    }
    return work.next;
  }

  // The node stays a leaf when its children do not differ significantly.
  std::vector<OpenNode>& tested(Tree& tree, const OpenNode& open,
                                std::vector<OpenNode>& next) const {
    if (!log_level_) return next;
    const double log_p = split_log_p(tree, open.node);
    tree.node(open.node).notes().log_p = log_p;
    if (log_p > *log_level_) {
      tree.make_leaf(open.node);
      next.clear();
    }
    return next;
  }

  // Conditional inference has tests of its own.
  static std::optional<double> log_level(const Options& options, const SplitterEntry& splitter) {
    if (splitter.name == "conditional-inference" || !options.has_number("significance")) return {};
    return math::log(options.real("significance"));
  }

  // The children of a node some rows of which are divided among them: each gets data of its own.
  std::vector<OpenNode>& divide_rows(Tree& tree, const OpenNode& open,
                                     std::span<const uint32_t> divided, const Workers& workers) {
    Workspace& work = workers.own;
    RowLists& lists = open.data->lists;
    const NodeIndex first = tree.node(open.node).first_child;
    const uint32_t children = tree.children(open.node);
    const std::vector<double> shares = tree.node(open.node).missing().shares;
    lists.set_shared(open.range, divided, children);
    set_parts(open, children + 1, work.parts);
    lists.divide_slots(open.range, work.parts, Sides(nullptr), work.buffer);
    work.next.clear();
    bool lists_are_divided = false;
    for (uint32_t c = 0; c < children; ++c) {
      ChildRows rows(*open.data, lists.slots(work.parts[c]), divided, shares[c]);
      std::vector<uint32_t> all(rows.slots.size());
      std::iota(all.begin(), all.end(), 0U);
      const double sum = set_sums(tree, first + c, rows.target, all);
      if (may_split(tree, first + c, open.depth + 1, limits_)) {
        if (!std::exchange(lists_are_divided, true)) divide_lists(open, Sides(nullptr), workers);
        work.next.push_back(open_child(open, first + c, c, std::move(rows),
                                       {work.parts, work.known}, options_, work.buffer));
        work.next.back().sum = sum;
        work.next.back().path = open.path_of_child(c);
      } else {
        report_done(rows.slots.size());
      }
    }
    return work.next;
  }

  void set_bounds(const Tree& tree, const OpenNode& open, const Found& found,
                  Workspace& work) const {
    const int direction = found.is_levels() || found.gate ? 0 : directions_[found.feature];
    const NodeIndex first = tree.node(open.node).first_child;
    const auto answer = [&](uint32_t c) {
      set_cell(work.cell, tree, first + c, open.data->target, work.child_sums[c]);
      const bool counts = tree.task() == Task::classification;
      return work.cell[1] / (work.cell[0] + (counts ? work.cell[1] : 0));
    };
    const double left = answer(0), right = answer(1);
    for (OpenNode& child : work.next) {
      child.bounds = open.bounds.of_child(child.node - first, direction, left, right);
    }
  }

  static void set_parts(const OpenNode& open, uint32_t children, std::vector<Range>& parts) {
    parts.assign(children, {0, 0});
    const RowLists& lists = open.data->lists;
    for (const uint32_t slot : open.slots()) ++parts[lists.child(slot, children == 2)].end;
    uint32_t begin = open.range.begin;
    for (Range& part : parts) {
      part = {begin, begin + part.end};
      begin = part.end;
    }
  }

  // Every list of the node, by its parts; sets work.known.
  static void divide_lists(const OpenNode& open, const Sides& sides, const Workers& workers) {
    Workspace& own = workers.own;
    RowLists& lists = open.data->lists;
    const size_t features = open.active.size(), parts = own.parts.size();
    own.known.assign(features * parts, 0);
    workers.each(open, features, [&](size_t i, Workspace& work) {
      const ActiveFeature& active = open.active[i];
      if (lists.table().input(active.feature).kind == Kind::nominal) return;
      lists.divide_list(open.range, active, own.parts, sides, work.buffer,
                        {&own.known[i * parts], parts});
    });
  }

  // The same for the children in work.next, which share the lists.
  static void divide_lists(const OpenNode& open, NodeIndex first, const Sides& sides,
                           const Workers& workers) {
    divide_lists(open, sides, workers);
    Workspace& own = workers.own;
    const DividedLists divided{own.parts, own.known};
    for (OpenNode& child : own.next) {
      for (size_t i = 0; i < open.active.size(); ++i) {
        child.active.push_back({open.active[i].feature, divided.known_of(i, child.node - first)});
      }
    }
  }

  // Rows that have reached a leaf, said for every hundredth of them. Where the number of leaves is
  // limited, most rows never do: see report_leaves.
  void report_done(size_t rows) {
    if (!control_.progress || limits_.max_leaves < std::numeric_limits<size_t>::max()) return;
    const size_t step = rows_ / 100 + 1;
    const size_t before = rows_done_.fetch_add(rows, std::memory_order_relaxed);
    if (before / step == (before + rows) / step) return;
    const std::lock_guard lock(report_mutex_);
    // Rows that were divided are counted more than once.
    control_.report("growing", static_cast<double>(std::min<size_t>(rows_done_, rows_)),
                    static_cast<double>(rows_));
  }

  const Options& options_;
  Limits limits_;
  const MissingValues missing_;
  const Routing routing_;
  const std::optional<double> log_level_;  // of the test that a split must pass
  const std::vector<int8_t> directions_;   // of features; empty: none is monotone
  const Parallel& parallel_;
  const Control& control_;
  std::vector<Workspace> workspaces_;  // one per thread
  OpenNode root_;
  const size_t rows_;
  Tree tree_;
  std::unique_ptr<Splitter> splitter_;
  std::mutex report_mutex_;
  std::atomic<size_t> rows_done_ = 0;
};

}  // namespace

Tree grow_exact(Context& context, const SplitterEntry& splitter, MissingValues missing) {
  return Grower(context, splitter, missing).grow();
}

}  // namespace softwood::grow

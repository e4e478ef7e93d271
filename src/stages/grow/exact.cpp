#include "stages/grow/exact.h"

#include <algorithm>
#include <atomic>
#include <mutex>

#include "stages/grow/frontier.h"
#include "stages/grow/rows.h"
#include "stages/grow/split.h"
#include "tree/edit.h"

namespace softwood::grow {
namespace {

// A leaf that may be split, with its rows.
struct OpenNode {
  NodeIndex node = 0;
  Range range;
  size_t depth = 0;
  std::vector<ActiveFeature> active;  // features that are not constant in this node
};

// Working memory of one thread, kept from node to node so that nothing is allocated for most.
struct Workspace {
  Scratch scratch;
  std::vector<double> cell;
  std::vector<Range> parts;
  std::vector<uint32_t> buffer;
  std::vector<uint32_t> known;  // of each active feature and child
  std::vector<OpenNode> next;
  std::vector<std::vector<ActiveFeature>> spare;

  std::vector<ActiveFeature> take_spare() {
    if (spare.empty()) return {};
    std::vector<ActiveFeature> taken = std::move(spare.back());
    spare.pop_back();
    taken.clear();
    return taken;
  }
};

class Grower {
 public:
  Grower(Context& context, const Target& target, const SplitSearch& search)
      : limits_(context.options),
        nominal_(nominal_option(context.options)),
        target_(target),
        search_(search),
        lists_(context.derived, context.last_use, context.rows, nominal_ == NominalSplit::multiway,
               context.parallel),
        parallel_(context.parallel),
        control_(context.control),
        workspaces_(static_cast<size_t>(parallel_.threads())) {}

  Tree grow() {
    Tree tree(target_.task, target_.classes);
    const Range all{0, static_cast<uint32_t>(lists_.size())};
    set_sums(tree, 0, target_, lists_.slots(all));
    root_deviation_ = tree.risk(0) / tree.weight(0);
    OpenNode root{0, all, 0, lists_.all_features()};
    if (!may_split(tree, 0, 0, limits_, root_deviation_)) return tree;
    if (limits_.max_leaves < std::numeric_limits<size_t>::max()) {
      grow_best_first(
          std::move(root), limits_.max_leaves,
          [&](OpenNode& open) { return find_split(tree, open, parallel_, workspaces_[0]); },
          [&](OpenNode& open, const Found& found) -> std::vector<OpenNode>& {
            return apply(tree, open, found, parallel_, workspaces_[0]);
          });
    } else {
      grow_all(tree, std::move(root));
    }
    lists_.clear();
    tree.canonicalise();
    return tree;
  }

 private:
  // Nodes with more cells than this are worth dividing among threads feature by feature; smaller
  // ones are grown with all that is below them as one task.
  static constexpr size_t large_cells = 200000;

  void grow_all(Tree& tree, OpenNode root) {
    if (!is_large(root)) {
      grow_below(tree, std::move(root), workspaces_[0]);
      return;
    }
    std::vector<OpenNode> open, small;
    open.push_back(std::move(root));
    while (!open.empty()) {
      OpenNode node = std::move(open.back());
      open.pop_back();
      for (OpenNode& child : split_node(tree, node, parallel_, workspaces_[0])) {
        (is_large(child) ? open : small).push_back(std::move(child));
      }
    }
    // Largest first: the rest fills the gaps.
    std::stable_sort(small.begin(), small.end(), [](const OpenNode& a, const OpenNode& b) {
      return a.range.size() > b.range.size();
    });
    std::vector<Tree> below(small.size(), Tree(target_.task, target_.classes));
    parallel_.each(small.size(), [&](size_t i) {
      std::copy_n(tree.sums(small[i].node).begin(), tree.width(), below[i].sums(0).begin());
      OpenNode top = small[i];
      top.node = 0;
      grow_below(below[i], std::move(top), workspaces_[parallel_.worker()]);
    });
    for (size_t i = 0; i < small.size(); ++i) {
      graft(tree, small[i].node, below[i]);
      below[i] = Tree(target_.task, target_.classes);
    }
  }

  bool is_large(const OpenNode& open) const {
    return parallel_.threads() > 1 && size_t{open.range.size()} * open.active.size() >= large_cells;
  }

  // The whole subtree of one node, by one thread.
  void grow_below(Tree& tree, OpenNode top, Workspace& work) {
    const Parallel alone(1);
    std::vector<OpenNode> open;
    open.push_back(std::move(top));
    while (!open.empty()) {
      OpenNode node = std::move(open.back());
      open.pop_back();
      for (OpenNode& child : split_node(tree, node, alone, work)) open.push_back(std::move(child));
      work.spare.push_back(std::move(node.active));
    }
  }

  // The children that may be split further; valid until the next call with the same workspace.
  std::vector<OpenNode>& split_node(Tree& tree, OpenNode& open, const Parallel& parallel,
                                    Workspace& work) {
    const Found found = find_split(tree, open, parallel, work);
    if (found.improvement > 0) return apply(tree, open, found, parallel, work);
    report_done(open.range.size());
    work.next.clear();
    return work.next;
  }

  // The best split over the features; ties go to the first column. Features that turn out to be
  // constant in the node are dropped from it, and so from all that is below.
  Found find_split(const Tree& tree, OpenNode& open, const Parallel& parallel, Workspace& work) {
    set_cell(work.cell, tree, open.node, target_);
    Found best;
    if (parallel.threads() > 1 && is_large(open)) {
      std::vector<Found> found(open.active.size());
      parallel.each(found.size(), [&](size_t i) {
        Scratch& scratch = workspaces_[parallel_.worker()].scratch;
        found[i] = search_feature(work.cell, open, open.active[i], scratch);
      });
      for (Found& one : found) {
        if (clearly_better(one.score, best.score)) best = std::move(one);
      }
    } else {
      for (ActiveFeature& active : open.active) {
        Found one = search_feature(work.cell, open, active, work.scratch);
        if (clearly_better(one.score, best.score)) best = std::move(one);
      }
    }
    std::erase_if(open.active, [](const ActiveFeature& active) { return active.constant; });
    set_improvement(best, search_, work.cell, tree, open.node, limits_, root_deviation_);
    return best;
  }

  Found search_feature(std::span<const double> node, const OpenNode& open, ActiveFeature& active,
                       Scratch& scratch) {
    if (lists_.table().input(active.feature).kind == Kind::nominal) {
      return search_nominal(node, open, active, scratch);
    }
    const auto known = lists_.known(open.range, active);
    const auto missing = lists_.missing(open.range, active);
    Found found;
    found.feature = active.feature;
    const Cut cut = search_.best_threshold(node, known, missing, limits_.min_leaf, scratch);
    found.score = cut.score;
    found.position = cut.position;
    found.missing_left = cut.missing_left;
    // Values are looked up only where the scan found nothing: each costs a cache miss.
    active.constant = !(cut.score > 0) &&
                      (known.empty() || (missing.empty() && is_constant(active.feature, known)));
    return found;
  }

  bool is_constant(uint32_t feature, std::span<const uint32_t> known) const {
    return lists_.value(feature, known.front()) == lists_.value(feature, known.back());
  }

  Found search_nominal(std::span<const double> node, const OpenNode& open, ActiveFeature& active,
                       Scratch& scratch) {
    const uint32_t feature = active.feature;
    const std::vector<int32_t>& codes = lists_.table().input(feature).codes;
    const size_t levels = lists_.table().schema().features[feature].levels.size();
    const auto slots = lists_.slots(open.range);
    Found found;
    found.feature = feature;
    // Levels that occur in the node are numbered as they come; missing is one more level, the last.
    std::vector<uint32_t> number(levels + 1, missing_level);
    scratch.levels.resize(slots.size());
    for (const uint32_t slot : slots) {
      const int32_t code = codes[lists_.row(slot)];
      number[code < 0 ? levels : static_cast<size_t>(code)] = 0;
    }
    for (size_t level = 0; level <= levels; ++level) {
      if (number[level] == missing_level) continue;
      number[level] = static_cast<uint32_t>(found.level_codes.size());
      found.level_codes.push_back(level == levels ? missing_level : static_cast<uint32_t>(level));
    }
    active.constant = found.level_codes.size() < 2;
    if (active.constant) return found;
    for (size_t i = 0; i < slots.size(); ++i) {
      const int32_t code = codes[lists_.row(slots[i])];
      scratch.levels[i] = number[code < 0 ? levels : static_cast<size_t>(code)];
    }
    scratch.cells.assign(found.level_codes.size() * target_.cell_width(), 0.0);
    search_.add_to_cells(slots, scratch.levels, scratch.cells.data());
    found.levels = search_.best_levels(node, scratch.cells, nominal_, limits_.min_leaf, scratch);
    found.score = found.levels.score;
    return found;
  }

  // Makes the children of a node and gives them their rows; returns those that may be split
  // further.
  std::vector<OpenNode>& apply(Tree& tree, const OpenNode& open, const Found& found,
                               const Parallel& parallel, Workspace& work) {
    Missing missing;
    Gate gate =
        found.is_levels() ? levels_of(open, found, missing) : threshold_of(open, found, missing);
    const uint32_t children = gate_children(gate);
    const NodeIndex first = tree.split(open.node, std::move(gate), std::move(missing));
    tree.node(open.node).notes().gain = found.improvement / tree.weight(open.node);
    set_parts(open.range, children, work.parts);
    lists_.divide_slots(open.range, work.parts, work.buffer);
    work.next.clear();
    for (uint32_t c = 0; c < children; ++c) {
      set_sums(tree, first + c, target_, lists_.slots(work.parts[c]));
      if (may_split(tree, first + c, open.depth + 1, limits_, root_deviation_)) {
        work.next.push_back({first + c, work.parts[c], open.depth + 1, work.take_spare()});
      } else {
        report_done(work.parts[c].size());
      }
    }
    const double missing_weight = weight_without_value(open, found);
    tree.node(open.node).missing().weight = missing_weight;
    if (!(missing_weight > 0)) {
      tree.node(open.node).missing().child = heavier_child(tree, first, children);
    }
    if (!work.next.empty()) divide_lists(open, first, parallel, work);
    return work.next;
  }

  // Weight of the node's rows that have no value of the feature that splits it.
  double weight_without_value(const OpenNode& open, const Found& found) const {
    double weight = 0;
    const auto add = [&](uint32_t slot) {
      weight += target_.weight.empty() ? 1 : target_.weight[slot];
    };
    if (found.is_levels()) {
      if (found.level_codes.back() != missing_level) return 0;
      const std::vector<int32_t>& codes = lists_.table().input(found.feature).codes;
      for (const uint32_t slot : lists_.slots(open.range)) {
        if (codes[lists_.row(slot)] < 0) add(slot);
      }
      return weight;
    }
    for (const uint32_t slot : lists_.missing(open.range, find_active(open, found.feature)))
      add(slot);
    return weight;
  }

  static const ActiveFeature& find_active(const OpenNode& open, uint32_t feature) {
    return *std::find_if(open.active.begin(), open.active.end(),
                         [&](const ActiveFeature& active) { return active.feature == feature; });
  }

  Gate threshold_of(const OpenNode& open, const Found& found, Missing& missing) {
    const ActiveFeature& active = find_active(open, found.feature);
    const auto known = lists_.known(open.range, active);
    for (size_t i = 0; i < known.size(); ++i) {
      lists_.set_child(known[i] & ~new_value_mark, i < found.position ? 0 : 1, true);
    }
    missing.child = found.missing_left ? 0 : 1;
    for (const uint32_t slot : lists_.missing(open.range, active)) {
      lists_.set_child(slot, missing.child, true);
    }
    const double below = lists_.value(found.feature, known[found.position - 1]);
    const double cut = found.position == known.size()
                           ? above_all_values
                           : middle(below, lists_.value(found.feature, known[found.position]));
    return threshold_gate(found.feature, cut);
  }

  Gate levels_of(const OpenNode& open, const Found& found, Missing& missing) {
    const size_t levels = lists_.table().schema().features[found.feature].levels.size();
    LevelsGate gate = levels_gate(found, levels, missing);
    const std::vector<int32_t>& codes = lists_.table().input(found.feature).codes;
    for (const uint32_t slot : lists_.slots(open.range)) {
      const int32_t code = codes[lists_.row(slot)];
      const int32_t child = code < 0 ? static_cast<int32_t>(missing.child)
                                     : gate.child_of_level[static_cast<size_t>(code)];
      lists_.set_child(slot, static_cast<uint32_t>(child), gate.children == 2);
    }
    return gate;
  }

  void set_parts(Range range, uint32_t children, std::vector<Range>& parts) const {
    parts.assign(children, {0, 0});
    for (const uint32_t slot : lists_.slots(range)) ++parts[lists_.child(slot, children == 2)].end;
    uint32_t begin = range.begin;
    for (Range& part : parts) {
      part = {begin, begin + part.end};
      begin = part.end;
    }
  }

  // Every list of the node, for the children in work.next.
  void divide_lists(const OpenNode& open, NodeIndex first, const Parallel& parallel,
                    Workspace& work) {
    const size_t features = open.active.size(), children = work.parts.size();
    work.known.assign(features * children, 0);
    const auto divide = [&](size_t i, std::vector<uint32_t>& buffer) {
      const ActiveFeature& active = open.active[i];
      if (lists_.table().input(active.feature).kind == Kind::nominal) return;
      lists_.divide_list(open.range, active, work.parts, buffer,
                         {&work.known[i * children], children});
    };
    if (parallel.threads() > 1 && is_large(open)) {
      parallel.each(features, [&](size_t i) { divide(i, workspaces_[parallel_.worker()].buffer); });
    } else {
      for (size_t i = 0; i < features; ++i) divide(i, work.buffer);
    }
    for (OpenNode& child : work.next) {
      for (size_t i = 0; i < features; ++i) {
        child.active.push_back(
            {open.active[i].feature, work.known[i * children + child.node - first]});
      }
    }
  }

  // Rows that have reached a leaf, said for every hundredth of them.
  void report_done(size_t rows) {
    if (!control_.progress) return;
    const size_t step = lists_.size() / 100 + 1;
    const size_t before = rows_done_.fetch_add(rows, std::memory_order_relaxed);
    if (before / step == (before + rows) / step) return;
    const std::lock_guard lock(report_mutex_);
    control_.report(static_cast<double>(rows_done_) / static_cast<double>(lists_.size()),
                    "growing");
  }

  const Limits limits_;
  const NominalSplit nominal_;
  const Target& target_;
  const SplitSearch& search_;
  RowLists lists_;
  const Parallel& parallel_;
  const Control& control_;
  std::vector<Workspace> workspaces_;  // one a thread
  double root_deviation_ = 0;
  std::mutex report_mutex_;
  std::atomic<size_t> rows_done_ = 0;
};

}  // namespace

Tree grow_exact(Context& context) {
  const Target target = make_target(context.table(), context.rows);
  const std::unique_ptr<SplitSearch> search = make_search(context.options, target);
  return Grower(context, target, *search).grow();
}

}  // namespace softwood::grow

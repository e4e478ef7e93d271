#include "stages/prune/reduced_error.h"

#include <algorithm>

#include "tree/compiled.h"
#include "tree/costs.h"
#include "tree/edit.h"

namespace softwood::prune {
namespace {

// A leaf that is worse by rounding alone is not worse.
bool no_worse(double leaf, double branch) { return leaf <= branch * (1 + 1e-12); }

// A row that no answer gets right counts for nothing here: it is the same loss everywhere.
bool has_known_target(const Tree& tree, const Table& table, RowIndex row) {
  if (tree.task() == Task::regression) return true;
  const int32_t code = table.target().codes[row];
  return code >= 0 && static_cast<size_t>(code) < tree.classes();
}

// Trees in which every row ends in one node: the losses of branches add up, so sums of the held-out
// rows by node are all that is needed.
void prune_single_paths(Tree& tree, const Compiled& compiled, const Sample& held_out,
                        const Control& control) {
  const size_t width = tree.width(), answer_width = tree.answer_width();
  const std::vector<double> answers = tree.answers();
  std::vector<double> sums(tree.size() * width, 0.0);
  const auto of = [&](NodeIndex node) { return std::span(sums).subspan(node * width, width); };
  const auto loss = [&](NodeIndex node) {
    const std::span<const double> answer(&answers[node * answer_width], answer_width);
    const auto here = of(node);
    if (tree.task() == Task::regression) {
      const double apart = here[1] - answer[0];
      return here[2] + here[0] * apart * apart;
    }
    return cost_of_answer(here, tree.costs(), cheapest_answer(answer, tree.costs()));
  };
  std::vector<NodeIndex> ends;
  each_block(held_out.rows.size(), control, [&](size_t begin, size_t end) {
    const auto rows = held_out.rows.subspan(begin, end - begin);
    ends.resize(rows.size());
    compiled.end_nodes(*held_out.table, rows, ends);
    for (size_t i = 0; i < rows.size(); ++i) {
      if (!has_known_target(tree, *held_out.table, rows[i])) continue;
      add_row(tree.task(), of(ends[i]), *held_out.table, rows[i], held_out.table->weight(rows[i]));
    }
  });
  std::vector<double> branch(tree.size());
  // Children come after their parents.
  for (auto node = static_cast<NodeIndex>(tree.size()); node-- > 0;) {
    branch[node] = loss(node);  // of a leaf, or of the rows that stay at an inner node
    if (tree.node(node).is_leaf()) continue;
    for (uint32_t c = 0; c < tree.children(node); ++c) {
      const NodeIndex child = tree.node(node).first_child + c;
      branch[node] += branch[child];
      add_sums(tree.task(), of(node), of(child));
    }
    const double leaf = loss(node);
    if (!no_worse(leaf, branch[node])) continue;
    tree.make_leaf(node);
    branch[node] = leaf;
  }
}

// Any tree. A row's answer is a sum over branches, so the answers of the whole tree are kept, and
// for each branch what it contributes to them.
class SharedRows {
 public:
  SharedRows(Tree& tree, const Compiled& compiled, const Sample& held_out)
      : tree_(tree),
        held_out_(held_out),
        width_(tree.answer_width()),
        answers_(tree.answers()),
        ends_(tree.size()),
        whole_(held_out.rows.size() * width_, 0.0),
        place_(held_out.rows.size()),
        trial_(width_) {
    std::vector<Arrival> arrivals;
    compiled.arrivals(*held_out.table, held_out.rows, arrivals);
    each_row(arrivals, [&](size_t position, std::span<const Arrival> of_row) {
      for (const Arrival& arrival : of_row) {
        ends_[arrival.node].push_back({static_cast<uint32_t>(position), arrival.weight});
        const double* const answer = &answers_[arrival.node * width_];
        for (size_t k = 0; k < width_; ++k) {
          whole_[position * width_ + k] += arrival.weight * answer[k];
        }
      }
    });
  }

  void run(const Control& control) {
    RowsUntilAsk until_ask;
    std::vector<Branch> branches(tree_.size());
    for (const NodeIndex node : children_first()) {
      Branch& branch = branches[node];
      add_ends(node, branch);
      if (tree_.node(node).is_leaf()) continue;
      const NodeIndex first = tree_.node(node).first_child;
      for (uint32_t c = 0; c < tree_.children(node); ++c) {
        add_branch(branches[first + c], branch);
        branches[first + c] = {};
      }
      until_ask.add(branch.rows.size(), control);
      if (leaf_is_no_worse(node, branch)) put_leaf(node, branch);
    }
  }

 private:
  struct End {
    uint32_t position;  // of the row among the held-out ones
    double weight;
  };
  struct Branch {
    std::vector<End> rows;
    std::vector<double> part;  // what the branch contributes to the answer for each of the rows
  };

  // Every node after its children and next to the rest of its branch, so that only the branches
  // beside one path are kept at a time.
  std::vector<NodeIndex> children_first() const {
    std::vector<NodeIndex> order, open = {0};
    while (!open.empty()) {
      const NodeIndex node = open.back();
      open.pop_back();
      order.push_back(node);
      for (uint32_t c = 0; c < tree_.children(node); ++c) {
        open.push_back(tree_.node(node).first_child + c);
      }
    }
    std::reverse(order.begin(), order.end());
    return order;
  }

  void add_ends(NodeIndex node, Branch& branch) {
    branch.rows = std::move(ends_[node]);
    for (const End& end : branch.rows) {
      for (size_t k = 0; k < width_; ++k) {
        branch.part.push_back(end.weight * answers_[node * width_ + k]);
      }
    }
  }

  void add_branch(const Branch& child, Branch& branch) {
    constexpr auto nowhere = static_cast<uint32_t>(-1);
    for (const End& end : child.rows) place_[end.position] = nowhere;
    for (uint32_t i = 0; i < branch.rows.size(); ++i) place_[branch.rows[i].position] = i;
    for (size_t i = 0; i < child.rows.size(); ++i) {
      const uint32_t place = place_[child.rows[i].position];
      const double* const part = &child.part[i * width_];
      if (place == nowhere) {
        branch.rows.push_back(child.rows[i]);
        branch.part.insert(branch.part.end(), part, part + width_);
      } else {
        branch.rows[place].weight += child.rows[i].weight;
        for (size_t k = 0; k < width_; ++k) branch.part[place * width_ + k] += part[k];
      }
    }
  }

  double loss(uint32_t position, std::span<const double> answer) const {
    const RowIndex row = held_out_.rows[position];
    const Column& target = held_out_.table->target();
    if (tree_.task() == Task::regression) {
      const double apart = target.numbers[row] - answer[0];
      return held_out_.table->weight(row) * apart * apart;
    }
    const size_t answered = cheapest_answer(answer, tree_.costs());
    return held_out_.table->weight(row) *
           cost_for_row(tree_.costs(), width_, target.codes[row], answered);
  }

  // The answer for a row of the branch if the node were a leaf.
  double with_leaf(NodeIndex node, const Branch& branch, size_t i, size_t k) const {
    const End& end = branch.rows[i];
    return whole_[end.position * width_ + k] +
           (end.weight * answers_[node * width_ + k] - branch.part[i * width_ + k]);
  }

  bool leaf_is_no_worse(NodeIndex node, const Branch& branch) {
    double as_leaf = 0, as_branch = 0;
    for (size_t i = 0; i < branch.rows.size(); ++i) {
      const uint32_t position = branch.rows[i].position;
      if (!has_known_target(tree_, *held_out_.table, held_out_.rows[position])) continue;
      for (size_t k = 0; k < width_; ++k) trial_[k] = with_leaf(node, branch, i, k);
      as_leaf += loss(position, trial_);
      as_branch += loss(position, {&whole_[position * width_], width_});
    }
    return no_worse(as_leaf, as_branch);
  }

  void put_leaf(NodeIndex node, Branch& branch) {
    tree_.make_leaf(node);
    for (size_t i = 0; i < branch.rows.size(); ++i) {
      const End& end = branch.rows[i];
      for (size_t k = 0; k < width_; ++k) {
        whole_[end.position * width_ + k] = with_leaf(node, branch, i, k);
        branch.part[i * width_ + k] = end.weight * answers_[node * width_ + k];
      }
    }
  }

  Tree& tree_;
  const Sample& held_out_;
  const size_t width_;
  const std::vector<double> answers_;
  std::vector<std::vector<End>> ends_;  // by node
  std::vector<double> whole_;           // the answers of the tree as pruned so far, by row
  std::vector<uint32_t> place_;         // of a row in the branch that is put together
  std::vector<double> trial_;
};

}  // namespace

Tree pruned_by_reduced_error(Tree tree, const Sample& held_out, const Control& control) {
  tree.canonicalise();
  {
    const Compiled compiled(tree);
    if (compiled.single_path(*held_out.table)) {
      prune_single_paths(tree, compiled, held_out, control);
    } else {
      SharedRows(tree, compiled, held_out).run(control);
    }
  }
  tree.canonicalise();
  return tree;
}

}  // namespace softwood::prune

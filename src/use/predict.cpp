#include "use/predict.h"

#include <algorithm>
#include <cmath>

#include "base/math.h"
#include "tree/costs.h"
#include "use/mixer.h"

namespace softwood {

namespace {

// Rows of a task. Their nodes and answers stay in the second-level cache, and a task is long enough
// for its overhead not to show.
constexpr size_t block_rows = 8192;

// Calls body(begin, rows of the block) for all blocks.
template <class Body>
void each_block(std::span<const RowIndex> rows, const Parallel& parallel, const Body& body) {
  const Blocks blocks{rows.size(), block_rows};
  parallel.each(blocks.blocks(), [&](size_t b) {
    body(blocks.begin(b), rows.subspan(blocks.begin(b), blocks.end(b) - blocks.begin(b)));
  });
}

bool any_model(const Tree& tree) {
  for (NodeIndex i = 0; i < tree.size(); ++i) {
    if (tree.node(i).model) return true;
  }
  return false;
}

// Whether soft gates make it worth to take rows together. Looking at all nodes would be the longest
// part for a few rows.
bool goes_in_blocks(const Tree& tree, size_t rows) {
  if (rows < tree.size() / 8) return false;
  for (NodeIndex i = 0; i < tree.size(); ++i) {
    if (!tree.node(i).is_leaf() && !is_hard(tree.node(i).gate())) return is_breadth_first(tree);
  }
  return false;
}

// Answers of nodes for rows; one per thread.
class Answerer {
 public:
  Answerer(const Tree& tree, const Table& table, std::span<const double> constants, bool models)
      : tree_(tree),
        table_(table),
        constants_(constants),
        models_(models),
        answer_(tree.answer_width()) {}

  // The outputs that a leaf adds to the mix before the softmax (LeafMixing::scores).
  const double* scores(NodeIndex node, RowIndex row) {
    if (!tree_.node(node).model ||
        !leaf_model_outputs(*tree_.node(node).model, table_, row, tree_.typical(), outputs_)) {
      const auto constant = constants_.subspan(node * answer_.size(), answer_.size());
      outputs_.assign(constant.begin(), constant.end());
      for (double& output : outputs_) output = math::log(output);
    }
    return outputs_.data();
  }

  const double* answer(NodeIndex node, RowIndex row) {
    if (models_ && tree_.node(node).model &&
        leaf_model_answer(*tree_.node(node).model, table_, row, tree_.typical(), outputs_,
                          answer_)) {
      return answer_.data();
    }
    return &constants_[node * answer_.size()];
  }

 private:
  const Tree& tree_;
  const Table& table_;
  std::span<const double> constants_;
  bool models_;  // of any node
  std::vector<double> answer_, outputs_;
};

// The place of each node when first children come first, before their siblings.
std::vector<size_t> places_of(const Tree& tree) {
  std::vector<size_t> places(tree.size());
  std::vector<NodeIndex> open = {0};
  for (size_t place = 0; !open.empty(); ++place) {
    const NodeIndex node = open.back();
    open.pop_back();
    places[node] = place;
    for (uint32_t c = tree.children(node); c-- > 0;) {
      open.push_back(tree.node(node).first_child + c);
    }
  }
  return places;
}

// Answers of a tree whose leaves were trained to be mixed.
void hold(const LeafPlan& plan, std::span<double> answers) {
  if (!plan.has_range()) return;
  for (double& answer : answers) answer = std::clamp(answer, plan.low, plan.high);
}

}  // namespace

size_t Predictions::top_class(size_t i) const {
  return cheapest_answer({&answers[i * width], width}, costs);
}

Predictor::Predictor(const Tree& tree)
    : tree_(tree),
      compiled_(tree),
      constants_(tree.answers()),
      has_models_(any_model(tree)),
      places_(compiled_.single_path() ? std::vector<size_t>() : places_of(tree)) {
  for (NodeIndex i = 0; i < tree.size(); ++i) {
    const Node& node = tree.node(i);
    if (node.is_leaf() || node.missing().rule == MissingRule::stay) end_nodes_.push_back(i);
  }
}

void Predictor::answers(const Table& table, std::span<const RowIndex> rows, std::span<double> all,
                        const Parallel& parallel) const {
  const size_t width = tree_.answer_width();
  // Scores go through the softmax also where one leaf has all of the row: the logarithms of
  // constants come back rounded, whatever the paths of other rows of the table.
  const bool mixes_scores = tree_.leaf_plan().mixes_scores();
  const bool single_path = !mixes_scores && compiled_.single_path(table);
  const bool in_blocks = !single_path && goes_in_blocks(tree_, rows.size());
  each_block(rows, parallel, [&](size_t first, std::span<const RowIndex> block) {
    double* const out = &all[first * width];
    if (in_blocks) {
      Mixer(tree_, table, constants_).answer(block, {out, block.size() * width});
      hold(tree_.leaf_plan(), {out, block.size() * width});
      return;
    }
    Answerer answerer(tree_, table, constants_, has_models_);
    if (single_path) {
      std::vector<NodeIndex> nodes(block.size());
      compiled_.end_nodes(table, block, nodes);
      if (!has_models_) return answers_of(nodes, {out, block.size() * width});
      for (size_t i = 0; i < block.size(); ++i) {
        std::copy_n(answerer.answer(nodes[i], block[i]), width, out + i * width);
      }
      hold(tree_.leaf_plan(), {out, block.size() * width});
      return;
    }
    std::vector<Arrival> arrivals;
    compiled_.arrivals(table, block, arrivals);
    std::fill_n(out, block.size() * width, 0.0);
    each_row(arrivals, [&](size_t i, std::span<const Arrival> ends) {
      for (const Arrival& end : ends) {
        const double* const answer =
            mixes_scores ? answerer.scores(end.node, end.row) : answerer.answer(end.node, end.row);
        for (size_t c = 0; c < width; ++c) out[i * width + c] += end.weight * answer[c];
      }
      if (mixes_scores) math::softmax({out + i * width, width});
    });
    hold(tree_.leaf_plan(), {out, block.size() * width});
  });
}

void Predictor::nodes(const Table& table, std::span<const RowIndex> rows,
                      std::span<NodeIndex> nodes, const Parallel& parallel) const {
  const bool single_path = compiled_.single_path(table);
  each_block(rows, parallel, [&](size_t first, std::span<const RowIndex> block) {
    if (single_path) {
      compiled_.end_nodes(table, block, nodes.subspan(first, block.size()));
      return;
    }
    std::vector<Arrival> arrivals;
    compiled_.arrivals(table, block, arrivals);
    each_row(arrivals, [&](size_t i, std::span<const Arrival> ends) {
      // Of equal parts, as those of a row on the cut of a soft gate, the first child's: there the
      // hard gate sends the row.
      const auto most =
          std::max_element(ends.begin(), ends.end(), [&](const Arrival& a, const Arrival& b) {
            if (a.weight != b.weight) return a.weight < b.weight;
            return places_[a.node] > places_[b.node];
          });
      nodes[first + i] = most->node;
    });
  });
}

void Predictor::weights(const Table& table, std::span<const RowIndex> rows, std::span<double> out,
                        const Parallel& parallel) const {
  std::vector<size_t> column_of(tree_.size());
  for (size_t i = 0; i < end_nodes_.size(); ++i) column_of[end_nodes_[i]] = i;
  const size_t width = end_nodes_.size();
  std::fill(out.begin(), out.end(), 0.0);
  each_block(rows, parallel, [&](size_t first, std::span<const RowIndex> block) {
    std::vector<Arrival> arrivals;
    compiled_.arrivals(table, block, arrivals);
    each_row(arrivals, [&](size_t i, std::span<const Arrival> ends) {
      for (const Arrival& end : ends) out[(first + i) * width + column_of[end.node]] = end.weight;
    });
  });
}

void Predictor::classes(const Table& table, std::span<const RowIndex> rows,
                        std::span<uint32_t> classes, const Parallel& parallel) const {
  if (!compiled_.single_path(table) || has_models_ || tree_.leaf_plan().mixes_scores()) {
    const size_t width = tree_.answer_width();
    std::vector<double> all(rows.size() * width);
    answers(table, rows, all, parallel);
    for (size_t i = 0; i < rows.size(); ++i) {
      classes[i] = static_cast<uint32_t>(cheapest_answer({&all[i * width], width}, tree_.costs()));
    }
    return;
  }
  std::vector<uint32_t> by_node;
  if (rows.size() >= tree_.size()) by_node = classes_of_all_nodes();
  each_block(rows, parallel, [&](size_t first, std::span<const RowIndex> block) {
    const auto out = classes.subspan(first, block.size());
    compiled_.end_nodes(table, block, out);
    classes_of(out, by_node, out);
  });
}

void Predictor::answers_of(std::span<const NodeIndex> nodes, std::span<double> out) const {
  const size_t width = tree_.answer_width();
  const double* const constants = constants_.data();
  double* to = out.data();
  for (const NodeIndex node : nodes) {
    const double* const from = constants + node * width;
    for (size_t c = 0; c < width; ++c) to[c] = from[c];
    to += width;
  }
  hold(tree_.leaf_plan(), out);
}

void Predictor::classes_of(std::span<const NodeIndex> nodes, std::span<const uint32_t> by_node,
                           std::span<uint32_t> out) const {
  for (size_t i = 0; i < nodes.size(); ++i) {
    out[i] = by_node.empty() ? class_of(nodes[i]) : by_node[nodes[i]];
  }
}

std::vector<uint32_t> Predictor::classes_of_all_nodes() const {
  std::vector<uint32_t> classes(tree_.size());
  for (NodeIndex i = 0; i < classes.size(); ++i) classes[i] = class_of(i);
  return classes;
}

uint32_t Predictor::class_of(NodeIndex node) const {
  const size_t width = tree_.answer_width();
  return static_cast<uint32_t>(cheapest_answer({&constants_[node * width], width}, tree_.costs()));
}

Predictions predict(const Tree& tree, const Table& table, std::span<const RowIndex> rows,
                    const Parallel& parallel) {
  const size_t width = tree.answer_width();
  Predictions result{rows.size(), width, std::vector<double>(rows.size() * width), tree.costs()};
  Predictor(tree).answers(table, rows, result.answers, parallel);
  return result;
}

std::vector<NodeIndex> predict_nodes(const Tree& tree, const Table& table,
                                     std::span<const RowIndex> rows, const Parallel& parallel) {
  std::vector<NodeIndex> nodes(rows.size());
  Predictor(tree).nodes(table, rows, nodes, parallel);
  return nodes;
}

std::vector<uint32_t> predict_classes(const Tree& tree, const Table& table,
                                      std::span<const RowIndex> rows, const Parallel& parallel) {
  std::vector<uint32_t> classes(rows.size());
  Predictor(tree).classes(table, rows, classes, parallel);
  return classes;
}

}  // namespace softwood

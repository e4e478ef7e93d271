#include <limits>

#include "render/export/onnx/parts.h"

namespace softwood::render::onnx {
namespace {

constexpr uint8_t branch_less_or_equal = 0, branch_member = 6;  // of nodes_modes
// A member that no cell is, for sets without levels.
constexpr double no_level = -1;

// Questions with two answers each: a split that has more children becomes a chain of them.
class Ensemble {
 public:
  explicit Ensemble(const Routes& routes) : routes_(routes) {
    leaf_numbers_.resize(routes.nodes.size());
    const std::vector<uint32_t> leaves = routes.leaves();
    for (size_t i = 0; i < leaves.size(); ++i) leaf_numbers_[leaves[i]] = int64_t(i);
    leaves_ = int64_t(leaves.size());
    // Where the questions of each node begin.
    int64_t next = 0;
    for (const RouteNode& node : routes.nodes) {
      first_.push_back(next);
      if (!node.is_leaf()) next += node.children - 1;
    }
    for (uint32_t i = 0; i < routes.nodes.size(); ++i) {
      if (!routes.nodes[i].is_leaf()) add(i);
    }
  }

  Graph::Attributes attributes() const {
    std::vector<double> numbers;
    for (int64_t i = 0; i < leaves_; ++i) numbers.push_back(double(i));
    const Dims size{int64_t(modes_.size())};
    Graph::Attributes all{
        integer_attribute("aggregate_function", 1),
        integer_attribute("n_targets", 1),
        integer_attribute("post_transform", 0),
        integers_attribute("tree_roots", {0}),
        integers_attribute("nodes_featureids", inputs_),
        tensor_attribute("nodes_modes", byte_tensor(size, modes_)),
        tensor_attribute("nodes_splits", number_tensor(size, cuts_)),
        integers_attribute("nodes_truenodeids", yes_.ids),
        integers_attribute("nodes_trueleafs", yes_.leaves),
        integers_attribute("nodes_falsenodeids", no_.ids),
        integers_attribute("nodes_falseleafs", no_.leaves),
        integers_attribute("nodes_missing_value_tracks_true", missing_yes_),
        integers_attribute("leaf_targetids", std::vector<int64_t>(size_t(leaves_), 0)),
        tensor_attribute("leaf_weights", number_tensor({leaves_}, numbers))};
    if (!members_.empty()) {
      all.push_back(tensor_attribute("membership_values",
                                     number_tensor({int64_t(members_.size())}, members_)));
    }
    return all;
  }

 private:
  struct Branch {
    std::vector<int64_t> ids, leaves;  // of a question, or of a leaf where `leaves` is 1
  };

  void add(uint32_t index) {
    const RouteNode& node = routes_.nodes[index];
    const LoweredCondition& condition = *node.conditions[0].condition;
    if (const auto* const score = std::get_if<LoweredScore>(&condition)) {
      add_threshold(index, score->terms[0].input, score->cut);
    } else {
      add_levels(index, std::get<LoweredLevels>(condition));
    }
  }

  // With a child for missing values: first whether there is a value, x <= infinity.
  void add_threshold(uint32_t index, uint32_t input, double cut) {
    const RouteNode& node = routes_.nodes[index];
    const bool asks_value = node.children > 2;
    if (asks_value) {
      push(input, branch_less_or_equal, std::numeric_limits<double>::infinity(), false);
      to_question(yes_, first_[index] + 1);
      to_node(no_, node.first_child + 2);
    }
    push(input, branch_less_or_equal, cut, node.missing_child() == 0);
    to_node(yes_, node.first_child);
    to_node(no_, node.first_child + 1);
  }

  // Levels that were not seen go the way of missing values. One question for each child but the
  // last: whether the row goes there.
  void add_levels(uint32_t index, const LoweredLevels& levels) {
    const RouteNode& node = routes_.nodes[index];
    const int missing = node.missing_child();
    for (uint32_t c = 0; c + 1 < node.children; ++c) {
      push(levels.input, branch_member, 0, missing == int(c));
      bool is_empty = true;
      for (size_t l = 0; l < levels.child_of_level.size(); ++l) {
        const int32_t child = levels.child_of_level[l];
        if ((child < 0 ? missing : child) != int(c)) continue;
        members_.push_back(double(l));
        is_empty = false;
      }
      if (is_empty) members_.push_back(no_level);
      members_.push_back(unknown_number);  // ends the set
      to_node(yes_, node.first_child + c);
      if (c + 2 < node.children) {
        to_question(no_, first_[index] + c + 1);
      } else {
        to_node(no_, node.first_child + c + 1);
      }
    }
  }

  void push(uint32_t input, uint8_t mode, double cut, bool missing_yes) {
    inputs_.push_back(input);
    modes_.push_back(mode);
    cuts_.push_back(cut);
    missing_yes_.push_back(missing_yes ? 1 : 0);
  }

  static void to_question(Branch& branch, int64_t question) {
    branch.ids.push_back(question);
    branch.leaves.push_back(0);
  }
  void to_node(Branch& branch, uint32_t node) const {
    const bool is_leaf = routes_.nodes[node].is_leaf();
    branch.ids.push_back(is_leaf ? leaf_numbers_[node] : first_[node]);
    branch.leaves.push_back(is_leaf ? 1 : 0);
  }

  const Routes& routes_;
  std::vector<int64_t> leaf_numbers_, first_;
  int64_t leaves_ = 0;
  std::vector<int64_t> inputs_, missing_yes_;
  std::vector<uint8_t> modes_;
  std::vector<double> cuts_, members_;
  Branch yes_, no_;
};

}  // namespace

Graph::Name ensemble_leaf(Graph& graph, const Routes& routes, const Graph::Name& cells) {
  return graph.learned_node("TreeEnsemble", {cells}, Ensemble(routes).attributes());
}

}  // namespace softwood::render::onnx

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "render/export/node_answers.h"
#include "render/export/onnx/parts.h"

namespace softwood::render::onnx {
namespace {

using Name = Graph::Name;

class Answers {
 public:
  Answers(Graph& graph, const LoweredTree& tree, const Routes& routes)
      : graph_(graph),
        tree_(tree),
        outputs_(tree.nodes[0].answer.size()),
        scores_(tree.mixing.kind == MixingKind::scores) {
    const std::vector<uint32_t> leaves = routes.leaves();
    for (size_t i = 0; i < leaves.size(); ++i) {
      const LoweredNode& node = tree.nodes[routes.nodes[leaves[i]].source];
      if (auto constants = constant_answer(tree, node)) {
        constant_leaves_.push_back({&node, int64_t(i), std::move(*constants)});
      } else {
        formula_leaves_.push_back({&node, int64_t(i), constants_of(tree, node)});
      }
    }
  }

  Name mixed(const Name& cells, const Name& ends) {
    Name total = tree_.is_classifier() ? mixed_classes(cells, ends) : mixed_numbers(cells, ends);
    if (scores_) total = softmax(total, 0);
    if (!tree_.is_classifier()) {
      if (std::isfinite(tree_.mixing.low)) {
        total = graph_.node("Max", {total, graph_.number(tree_.mixing.low)});
      }
      if (std::isfinite(tree_.mixing.high)) {
        total = graph_.node("Min", {total, graph_.number(tree_.mixing.high)});
      }
    }
    return total;
  }

 private:
  struct Leaf {
    const LoweredNode* node;
    int64_t row;  // of `ends`
    std::vector<double> constants;
  };

  Name shares(const std::vector<Leaf>& leaves, const Name& ends) {
    std::vector<int64_t> rows;
    for (const Leaf& leaf : leaves) rows.push_back(leaf.row);
    return graph_.rows(ends, rows);
  }

  Name mixed_classes(const Name& cells, const Name& ends) {
    Name total;
    if (!constant_leaves_.empty()) {
      std::vector<double> matrix;  // classes x leaves
      for (size_t k = 0; k < outputs_; ++k) {
        for (const Leaf& leaf : constant_leaves_) matrix.push_back(leaf.constants[k]);
      }
      const Dims dims{int64_t(outputs_), int64_t(constant_leaves_.size())};
      total = graph_.node("MatMul", {graph_.numbers(dims, matrix), shares(constant_leaves_, ends)});
    }
    if (!formula_leaves_.empty()) {
      const Name share =
          graph_.node("Unsqueeze", {shares(formula_leaves_, ends), graph_.integers({1})});
      const Name products = graph_.multiply(share, formula_answers(cells));
      const Name part = graph_.node("ReduceSum", {products, graph_.integers({0})},
                                    {integer_attribute("keepdims", 0)});
      total = total.empty() ? part : graph_.add(total, part);
    }
    return total;
  }

  // Summed in the order of the leaves, which keeps the digits of targets far from 0.
  Name mixed_numbers(const Name& cells, const Name& ends) {
    std::vector<Name> parts;
    std::vector<int64_t> order(constant_leaves_.size() + formula_leaves_.size());
    int64_t next = 0;
    if (!constant_leaves_.empty()) {
      std::vector<double> values;
      for (const Leaf& leaf : constant_leaves_) {
        values.push_back(leaf.constants[0]);
        order[size_t(leaf.row)] = next++;
      }
      parts.push_back(graph_.multiply(shares(constant_leaves_, ends), graph_.column(values)));
    }
    if (!formula_leaves_.empty()) {
      const Name answers = graph_.node("Squeeze", {formula_answers(cells), graph_.integers({1})});
      for (const Leaf& leaf : formula_leaves_) order[size_t(leaf.row)] = next++;
      parts.push_back(graph_.multiply(shares(formula_leaves_, ends), answers));
    }
    Name products = graph_.joined(parts);
    if (parts.size() > 1) products = graph_.rows(products, order);
    const Name axis = graph_.node("Squeeze", {graph_.integers({0})});
    const Name sums = graph_.node("CumSum", {products, axis});
    return graph_.rows(sums, {int64_t(order.size()) - 1});
  }

  // leaves x outputs x N: what the formulas answer, or the constants of their leaves where an
  // output is not finite.
  Name formula_answers(const Name& cells) {
    Terms terms;
    for (const Leaf& leaf : formula_leaves_) {
      for (const LoweredTerm& term : leaf.node->formula->terms) terms.collect(term);
    }
    terms.build(graph_, typical_cells(graph_, tree_, cells));
    const std::vector<bool> listed = collect_sums();
    const auto leaves = int64_t(formula_leaves_.size()), outputs = int64_t(outputs_);
    const Name shape = graph_.integers({leaves, outputs, -1});
    Name values = graph_.node("Reshape", {terms.sums(graph_, sums_), shape});

    const Name size = graph_.node("Abs", {values});
    const Name limit = graph_.number(std::numeric_limits<double>::max());
    Name good = graph_.as_number(graph_.node("LessOrEqual", {size, limit}));
    good = graph_.node("ReduceMin", {good, graph_.integers({1})});
    // Sums of classes that are not listed are 0 so far.
    if (std::find(listed.begin(), listed.end(), false) != listed.end()) {
      std::vector<double> added;
      for (const bool is_listed : listed) {
        added.push_back(is_listed ? 0 : -std::numeric_limits<double>::infinity());
      }
      values = graph_.add(values, graph_.numbers({leaves, outputs, 1}, added));
    }
    const Name is_good = graph_.node("Greater", {good, graph_.number(0)});
    return graph_.where(is_good, linked(values), formula_constants());
  }

  // One per leaf and output; those not listed are empty.
  std::vector<bool> collect_sums() {
    std::vector<bool> listed(formula_leaves_.size() * outputs_, false);
    sums_.assign(listed.size(), {});
    for (size_t l = 0; l < formula_leaves_.size(); ++l) {
      const LoweredFormula& formula = *formula_leaves_[l].node->formula;
      for (const LoweredOutput& output : formula.outputs) {
        const size_t place = l * outputs_ + (tree_.is_classifier() ? output.class_index : 0);
        listed[place] = true;
        sums_[place].constant = output.constant;
        for (size_t t = 0; t < formula.terms.size(); ++t) {
          sums_[place].terms.emplace_back(&formula.terms[t], output.coefficients[t]);
        }
      }
    }
    return listed;
  }

  Name linked(const Name& values) {
    if (scores_) return values;
    if (tree_.is_classifier()) return softmax(values, 1);
    std::vector<double> low, high;
    for (const Leaf& leaf : formula_leaves_) {
      low.push_back(leaf.node->formula->low);
      high.push_back(leaf.node->formula->high);
    }
    const Dims dims{int64_t(low.size()), 1, 1};
    const Name held = graph_.node("Max", {values, graph_.numbers(dims, low)});
    return graph_.node("Min", {held, graph_.numbers(dims, high)});
  }

  Name formula_constants() {
    std::vector<double> values;
    for (const Leaf& leaf : formula_leaves_) {
      for (size_t k = 0; k < outputs_; ++k) values.push_back(leaf.constants[k]);
    }
    return graph_.numbers({int64_t(formula_leaves_.size()), int64_t(outputs_), 1}, values);
  }

  Name softmax(const Name& values, int64_t axis) {
    const Name axes = graph_.integers({axis});
    const Name top = graph_.node("ReduceMax", {values, axes});
    const Name powers = exp_of(graph_, graph_.node("Sub", {values, top}));
    return graph_.node("Div", {powers, graph_.node("ReduceSum", {powers, axes})});
  }

  Graph& graph_;
  const LoweredTree& tree_;
  size_t outputs_;
  bool scores_;
  std::vector<Leaf> constant_leaves_, formula_leaves_;
  std::vector<Terms::Sum> sums_;
};

}  // namespace

Name mixed_answers(Graph& graph, const LoweredTree& tree, const Routes& routes, const Name& cells,
                   const Name& ends) {
  return Answers(graph, tree, routes).mixed(cells, ends);
}

}  // namespace softwood::render::onnx

// ONNX: plain hard trees as the operator TreeEnsemble, all others as a graph of basic operators
// that computes the shares of all nodes, level by level, for all rows at once.

#include <algorithm>
#include <cmath>
#include <cstddef>

#include "base/text.h"
#include "render/export/exporter.h"
#include "render/export/marks.h"
#include "render/export/node_answers.h"
#include "render/export/onnx/parts.h"

namespace softwood::render {
namespace {

using onnx::ElementType;
using onnx::Graph;
using onnx::integer_attribute;
using onnx::integers_attribute;
using onnx::Message;
using Name = Graph::Name;

// What runtimes of 2024 and later read.
constexpr int64_t ir_version = 10, opset = 21, learned_opset = 5;

class Renderer {
 public:
  Renderer(const LoweredTree& tree, const ExportOptions& options)
      : tree_(tree),
        options_(options),
        routes_(routes_of(tree)),
        graph_(unused_prefix(input_names(tree))) {}

  std::string file() {
    const Name cells = read_cells();
    const bool by_ensemble = routes_.plain && !routes_.formulas && routes_.nodes.size() > 1;
    // One row per class, or one.
    const Name answers = by_ensemble ? ensemble_answers(cells) : mixed_answers(cells);
    if (tree_.is_classifier()) {
      const auto classes = int64_t(tree_.target.classes.size());
      const Name names = graph_.texts(tree_.target.classes);
      add_output("label", ElementType::text, 0, "Gather", {names, decided(answers)},
                 integer_attribute("axis", 0));
      add_output("probabilities", ElementType::number, classes, "Transpose", {answers},
                 integers_attribute("perm", {1, 0}));
    } else {
      add_output("variable", ElementType::number, 1, "Transpose", {answers},
                 integers_attribute("perm", {1, 0}));
    }
    return model();
  }

 private:
  static Graph::Names input_names(const LoweredTree& tree) {
    Graph::Names names;
    for (const LoweredInput& input : tree.inputs) names.push_back(input.name);
    return names;
  }

  // N x inputs; levels by their numbers, NaN where a text is none of them.
  Name read_cells() {
    Graph::Names columns;
    for (const LoweredInput& input : tree_.inputs) {
      const bool is_text = input.kind != InputKind::numeric;
      graph_.input(input.name, is_text ? ElementType::text : ElementType::number);
      columns.push_back(is_text ? level_numbers(input) : without_marks(input));
    }
    return graph_.node("Concat", columns, {integer_attribute("axis", 1)});
  }

  Name without_marks(const LoweredInput& input) {
    Name cells = input.name;
    for (const double mark : marked_cells(tree_, input)) {
      const Name is_mark = graph_.node("Equal", {cells, graph_.number(mark)});
      cells = graph_.where(is_mark, graph_.number(unknown_number), cells);
    }
    return cells;
  }

  Name level_numbers(const LoweredInput& input) {
    std::vector<double> numbers;
    for (size_t l = 0; l < input.levels.size(); ++l) numbers.push_back(double(l));
    for (const double mark : marked_cells(tree_, input)) numbers[size_t(mark)] = unknown_number;
    const onnx::Dims dims{int64_t(numbers.size())};
    return graph_.learned_node(
        "LabelEncoder", {input.name},
        {onnx::tensor_attribute("keys_tensor", onnx::text_tensor(dims, input.levels)),
         onnx::tensor_attribute("values_tensor", onnx::number_tensor(dims, numbers)),
         onnx::tensor_attribute("default_tensor", onnx::number_tensor({1}, {unknown_number}))});
  }

  Name ensemble_answers(const Name& cells) {
    const Name leaf = onnx::ensemble_leaf(graph_, routes_, cells);
    std::vector<double> table;
    const std::vector<uint32_t> leaves = routes_.leaves();
    for (const uint32_t i : leaves) {
      const LoweredNode& node = tree_.nodes[routes_.nodes[i].source];
      const std::vector<double> answer = hard_answer(tree_, node);
      table.insert(table.end(), answer.begin(), answer.end());
    }
    const auto width = int64_t(tree_.nodes[0].answer.size());
    const Name flat = graph_.node("Squeeze", {leaf, graph_.integers({1})});
    const Name answers = graph_.node(
        "Gather", {graph_.numbers({int64_t(leaves.size()), width}, table), graph_.as_integer(flat)},
        {integer_attribute("axis", 0)});
    return graph_.node("Transpose", {answers}, {integers_attribute("perm", {1, 0})});
  }

  Name mixed_answers(const Name& columns) {
    const Name cells = graph_.node("Transpose", {columns}, {integers_attribute("perm", {1, 0})});
    return onnx::mixed_answers(graph_, tree_, routes_, cells, ends(cells));
  }

  // One row per leaf: the share of the row that ends there.
  Name ends(const Name& cells) {
    const Name one = graph_.number(1);
    const Name any = graph_.not_a_number(graph_.rows(cells, {0}));
    Graph::Names levels{graph_.where(any, one, one)};  // by depth
    if (routes_.nodes.size() > 1) {
      const Name weights = onnx::child_weights(graph_, tree_, routes_, cells);
      std::vector<int64_t> sizes(routes_.nodes.back().depth, 0);
      for (const RouteNode& node : routes_.nodes) {
        if (node.depth > 0) ++sizes[node.depth - 1];
      }
      const Graph::Names parts = graph_.split(weights, sizes);
      uint32_t above = 0, begin = 1;  // first nodes of the depth above and of this one
      for (size_t d = 0; d < sizes.size(); ++d) {
        std::vector<int64_t> parents;
        const uint32_t end = begin + uint32_t(sizes[d]);
        for (uint32_t i = begin; i < end; ++i) parents.push_back(routes_.nodes[i].parent - above);
        levels.push_back(followed(graph_.multiply(graph_.rows(levels.back(), parents), parts[d])));
        above = begin;
        begin = end;
      }
    }
    const std::vector<uint32_t> leaves = routes_.leaves();
    return graph_.rows(graph_.joined(levels), {leaves.begin(), leaves.end()});
  }

  Name followed(const Name& shares) {
    const Name is_large = graph_.node("Greater", {shares, graph_.number(tree_.smallest_share)});
    return graph_.where(is_large, shares, graph_.number(0));
  }

  // The number of the class, N.
  Name decided(const Name& probabilities) {
    if (!std::isnan(options_.threshold)) {
      const auto chosen = int64_t(options_.threshold_class);
      const Name probability =
          graph_.node("Squeeze", {graph_.rows(probabilities, {chosen}), graph_.integers({0})});
      const Name reached =
          graph_.node("GreaterOrEqual", {probability, graph_.number(options_.threshold)});
      return graph_.where(reached, graph_.integers({chosen}), graph_.integers({1 - chosen}));
    }
    if (tree_.decision.costs.empty()) {
      return graph_.node("ArgMax", {probabilities},
                         {integer_attribute("axis", 0), integer_attribute("keepdims", 0)});
    }
    return cheapest(probabilities);
  }

  // See LoweredDecision.
  Name cheapest(const Name& probabilities) {
    const size_t classes = tree_.target.classes.size();
    const std::vector<int64_t> singles(classes, 1);
    const Graph::Names rows = graph_.split(probabilities, singles);
    Name costs;  // one row per predicted class
    for (size_t actual = 0; actual < classes; ++actual) {
      const auto begin = tree_.decision.costs.begin() + std::ptrdiff_t(actual * classes);
      const Name column = graph_.column({begin, begin + std::ptrdiff_t(classes)});
      const Name part = graph_.multiply(rows[actual], column);
      costs = costs.empty() ? part : graph_.add(costs, part);
    }
    const Graph::Names each = graph_.split(costs, singles);
    const Name kept = graph_.number(1 - tree_.decision.cost_rounding);
    Name least = each[0], best = graph_.integers({0});
    for (size_t k = 1; k < classes; ++k) {
      const Name cheaper = graph_.node("Less", {each[k], graph_.multiply(least, kept)});
      least = graph_.where(cheaper, each[k], least);
      best = graph_.where(cheaper, graph_.integers({int64_t(k)}), best);
    }
    return graph_.node("Squeeze", {best, graph_.integers({0})});
  }

  // An input of the same name makes an output end in "_".
  void add_output(std::string name, ElementType type, int64_t width, std::string_view op,
                  const Graph::Names& inputs, const Message& attribute) {
    const Graph::Names names = input_names(tree_);
    while (std::find(names.begin(), names.end(), name) != names.end()) name += '_';
    graph_.named_node(op, inputs, {attribute}, name);
    graph_.output(name, type, width);
  }

  std::string model() const {
    const std::string heading = join(export_heading(tree_, options_), "\n");
    const LoweredOrigin& origin = tree_.origin;
    Message model;
    model.integer(1, ir_version)
        .text(2, "Softwood")
        .text(3, origin.version)
        .integer(5, 1)  // version of the model
        .text(6, heading)
        .message(7, graph_.proto(options_.name, heading))
        .message(8, Message().text(1, "").integer(2, opset))
        .message(8, Message().text(1, "ai.onnx.ml").integer(2, learned_opset));
    const auto note = [&model](std::string_view key, const std::string& value) {
      model.message(14, Message().text(1, key).text(2, value));
    };
    note("name", options_.name);
    note("method", origin.method);
    note("recipe", origin.recipe);
    note("seed", std::to_string(origin.seed));
    note("fingerprint", origin.fingerprint);
    note("target", tree_.target.name);
    return model.bytes();
  }

  const LoweredTree& tree_;
  const ExportOptions& options_;
  Routes routes_;
  Graph graph_;
};

}  // namespace

std::string onnx_export(const LoweredTree& tree, const ExportOptions& options) {
  return Renderer(tree, options).file();
}

}  // namespace softwood::render

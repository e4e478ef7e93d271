#include <nanobind/stl/map.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include "binding.h"

namespace softwood::python {
namespace {

// Fewer rows are answered in no time; a thread for them would take longer.
constexpr size_t rows_of_threads = 100000;

// Runs fill(model, data, buffer, controls) without the interpreter lock. A call with many rows can
// be interrupted.
template <class T, class Fill>
nb::ndarray<nb::numpy, T> filled(const TreeModel& model, const DataSet& data,
                                 std::vector<size_t> shape, const Fill& fill) {
  size_t size = 1;
  for (const size_t length : shape) size *= length;
  const auto cells = std::make_shared<std::vector<T>>(size);
  if (data.rows() < rows_of_threads) {
    const nb::gil_scoped_release unlocked;
    fill(model, data, std::span<T>(*cells), nullptr);
  } else {
    run_interruptibly(nb::none(), [=](const Controls& controls) {
      fill(model, data, std::span<T>(*cells), &controls);
    });
  }
  return numpy_array(std::move(*cells), std::move(shape));
}

auto predict(const TreeModel& model, const DataSet& data, int threads) {
  return filled<double>(
      model, data, {data.rows(), model.answer_width()},
      [threads](const TreeModel& by, const DataSet& rows, std::span<double> to,
                const Controls* controls) { by.predict(rows, to, threads, controls); });
}
auto predict_codes(const TreeModel& model, const DataSet& data, int threads,
                   std::optional<double> threshold) {
  return filled<uint32_t>(model, data, {data.rows()},
                          [threads, threshold](const TreeModel& by, const DataSet& rows,
                                               std::span<uint32_t> to, const Controls* controls) {
                            by.predict_codes(rows, to, threads, threshold, controls);
                          });
}
auto leaf_numbers(const TreeModel& model, const DataSet& data, int threads) {
  return filled<uint32_t>(
      model, data, {data.rows()},
      [threads](const TreeModel& by, const DataSet& rows, std::span<uint32_t> to,
                const Controls* controls) { by.leaf_numbers(rows, to, threads, controls); });
}
auto path_weights(const TreeModel& model, const DataSet& data, int threads) {
  return filled<double>(
      model, data, {data.rows(), model.end_nodes().size()},
      [threads](const TreeModel& by, const DataSet& rows, std::span<double> to,
                const Controls* controls) { by.path_weights(rows, to, threads, controls); });
}

// The only input of a split that compares one value with a cut; else null.
const LoweredScore* threshold_of(const LoweredNode& node) {
  if (!node.split || node.split->children != 2) return nullptr;
  const auto* const score = std::get_if<LoweredScore>(&node.split->condition);
  const bool plain = score != nullptr && score->link == LinkKind::step &&
                     score->terms.size() == 1 && score->terms[0].kind == TermKind::value &&
                     score->terms[0].coefficient == 1;
  return plain ? score : nullptr;
}

// Nodes as arrays, for trees of plain thresholds: None for others.
nb::object threshold_arrays(const TreeModel& model) {
  const LoweredTree& tree = model.tree();
  const size_t nodes = tree.nodes.size();
  std::vector<int64_t> left(nodes, -1), right(nodes, -1), feature(nodes, -2);
  std::vector<double> threshold(nodes, -2.0);
  std::vector<uint8_t> missing_left(nodes, 0);
  for (size_t i = 0; i < nodes; ++i) {
    const LoweredNode& node = tree.nodes[i];
    if (node.is_leaf()) continue;
    const LoweredScore* const score = threshold_of(node);
    if (score == nullptr) return nb::none();
    left[i] = node.split->first_child;
    right[i] = node.split->first_child + 1;
    feature[i] = score->terms[0].input;
    threshold[i] = score->cut;
    const LoweredMissing& missing = node.split->missing;
    missing_left[i] = missing.action == MissingAction::child && missing.child == 0 ? 1 : 0;
  }
  nb::dict arrays;
  arrays["children_left"] = numpy_array(std::move(left), {nodes});
  arrays["children_right"] = numpy_array(std::move(right), {nodes});
  arrays["feature"] = numpy_array(std::move(feature), {nodes});
  arrays["threshold"] = numpy_array(std::move(threshold), {nodes});
  arrays["missing_go_to_left"] = numpy_array(std::move(missing_left), {nodes});
  return arrays;
}

// What a node answers. The median of a leaf is a formula without terms.
std::vector<double> answer_of(const LoweredNode& node, bool is_classifier) {
  const bool is_constant = !is_classifier && node.formula && node.formula->terms.empty();
  return is_constant ? std::vector<double>{node.formula->outputs.at(0).constant} : node.answer;
}

// What every tree has, as arrays over its nodes. `sums`: weights of classes, or mean and deviation.
nb::dict node_arrays(const TreeModel& model) {
  const LoweredTree& tree = model.tree();
  const size_t nodes = tree.nodes.size();
  const size_t width = tree.is_classifier() ? tree.target.classes.size() : 2;
  std::vector<int64_t> parent(nodes), depth(nodes), first_child(nodes, -1), children(nodes, 0);
  std::vector<double> weight(nodes), sums, answers;
  for (size_t i = 0; i < nodes; ++i) {
    const LoweredNode& node = tree.nodes[i];
    parent[i] = i == 0 ? -1 : static_cast<int64_t>(node.parent);
    depth[i] = node.depth;
    weight[i] = node.weight;
    if (node.split) {
      first_child[i] = node.split->first_child;
      children[i] = node.split->children;
    }
    if (tree.is_classifier()) {
      sums.insert(sums.end(), node.class_weights.begin(), node.class_weights.end());
    } else {
      sums.insert(sums.end(), {node.mean, node.deviation});
    }
    const std::vector<double> answer = answer_of(node, tree.is_classifier());
    answers.insert(answers.end(), answer.begin(), answer.end());
  }
  nb::dict arrays;
  arrays["parent"] = numpy_array(std::move(parent), {nodes});
  arrays["depth"] = numpy_array(std::move(depth), {nodes});
  arrays["first_child"] = numpy_array(std::move(first_child), {nodes});
  arrays["children"] = numpy_array(std::move(children), {nodes});
  arrays["weight"] = numpy_array(std::move(weight), {nodes});
  arrays["sums"] = numpy_array(std::move(sums), {nodes, width});
  arrays["answers"] = numpy_array(std::move(answers), {nodes, model.answer_width()});
  return arrays;
}

TextView view_of(const std::string& name) {
  const std::map<std::string, TextView> views = {{"tree", TextView::tree},
                                                 {"rpart", TextView::rpart},
                                                 {"c50", TextView::c50},
                                                 {"rules", TextView::rules},
                                                 {"pruning", TextView::pruning},
                                                 {"summary", TextView::summary},
                                                 {"competitors", TextView::competitors},
                                                 {"json", TextView::json}};
  const auto found = views.find(name);
  if (found != views.end()) return found->second;
  throw Error(ErrorKind::usage, "there is no view '" + name + "'", {},
              "known: tree, rpart, c50, rules, pruning, summary, competitors, json");
}

std::vector<double> importances(const TreeModel& model) {
  std::vector<double> shares;
  for (const LoweredInput& input : model.tree().inputs) shares.push_back(input.importance);
  return shares;
}

nb::object complexity(const TreeModel& model) {
  const auto& table = model.tree().complexity;
  if (!table) return nb::none();
  std::vector<double> cells;
  for (const LoweredPruning& row : table->trees) {
    cells.insert(cells.end(), {row.alpha, static_cast<double>(row.splits), row.error, row.cv_error,
                               row.cv_deviation});
  }
  constexpr size_t columns = 5;
  return nb::make_tuple(numpy_array(std::move(cells), {table->trees.size(), columns}),
                        table->chosen, table->root_risk, table->root_weight);
}

}  // namespace

void bind_model(nb::module_& module) {
  using namespace nb::literals;
  const auto unlocked = nb::call_guard<nb::gil_scoped_release>();
  nb::class_<TreeModel> bound(module, "TreeModel", "A trained tree.");
  bound.def_static("load", &TreeModel::load, "path"_a, unlocked)
      .def_static("from_text", &TreeModel::from_text, "text"_a, unlocked)
      .def("save", &TreeModel::save, "path"_a, unlocked)
      .def("text", &TreeModel::text, unlocked)
      .def_prop_ro("is_classifier", &TreeModel::is_classifier)
      .def_prop_ro("classes", [](const TreeModel& model) { return model.classes(); })
      .def_prop_ro("positive", &TreeModel::positive)
      .def_prop_ro("target", &TreeModel::target)
      .def_prop_ro("weight_column",
                   [](const TreeModel& model) { return model.tree().origin.weight_column; })
      .def_prop_ro("costs", [](const TreeModel& model) { return model.tree().decision.costs; })
      .def_prop_ro("inputs", &TreeModel::inputs)
      .def_prop_ro("inputs_used", [](const TreeModel& model) { return model.inputs_used(); })
      .def_prop_ro("numeric_inputs",
                   [](const TreeModel& model) {
                     std::vector<std::string> names;
                     for (const LoweredInput& input : model.tree().inputs) {
                       if (input.kind == InputKind::numeric) names.push_back(input.name);
                     }
                     return names;
                   })
      .def_prop_ro("importances", &importances)
      .def_prop_ro("nodes", &TreeModel::nodes)
      .def_prop_ro("leaves", &TreeModel::leaves)
      .def_prop_ro("depth", &TreeModel::depth)
      .def_prop_ro("parameters", &TreeModel::parameters)
      .def_prop_ro("complexity", &complexity)
      .def_prop_ro("answer_width", &TreeModel::answer_width)
      .def("predict", &predict, "data"_a, "threads"_a)
      .def("predict_codes", &predict_codes, "data"_a, "threads"_a, "threshold"_a = nb::none())
      .def("leaf_numbers", &leaf_numbers, "data"_a, "threads"_a)
      .def("end_nodes", &TreeModel::end_nodes)
      .def("path_weights", &path_weights, "data"_a, "threads"_a)
      .def("path_texts", &TreeModel::path_texts, "data"_a, unlocked)
      .def(
          "show",
          [](const TreeModel& model, const std::string& view, size_t width) {
            return model.show(view_of(view), width);
          },
          "view"_a, "width"_a, unlocked)
      .def("branch_texts", &TreeModel::branch_texts, unlocked)
      .def("path_conditions", &TreeModel::path_conditions, "node"_a, unlocked)
      .def("origin", [](const TreeModel& model) { return origin_dict(model.tree().origin); })
      .def("tree_dict", [](const TreeModel& model) { return tree_dict(model.tree()); })
      .def("threshold_arrays", &threshold_arrays)
      .def("node_arrays", &node_arrays);
  bind_explain(bound);
  bind_measures(bound);
}

}  // namespace softwood::python

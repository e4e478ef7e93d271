#include <nanobind/stl/map.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include "binding.h"

namespace softwood::python {
namespace {

// Runs fill(buffer) without the interpreter lock.
template <class T, class Fill>
nb::ndarray<nb::numpy, T> filled(std::vector<size_t> shape, const Fill& fill) {
  size_t size = 1;
  for (const size_t length : shape) size *= length;
  std::vector<T> cells(size);
  {
    const nb::gil_scoped_release unlocked;
    fill(std::span<T>(cells));
  }
  return numpy_array(std::move(cells), std::move(shape));
}

auto predict(const TreeModel& model, const DataSet& data, int threads) {
  return filled<double>({data.rows(), model.answer_width()},
                        [&](std::span<double> answers) { model.predict(data, answers, threads); });
}
auto predict_codes(const TreeModel& model, const DataSet& data, int threads) {
  return filled<uint32_t>(
      {data.rows()}, [&](std::span<uint32_t> codes) { model.predict_codes(data, codes, threads); });
}
auto leaf_numbers(const TreeModel& model, const DataSet& data, int threads) {
  return filled<uint32_t>(
      {data.rows()}, [&](std::span<uint32_t> nodes) { model.leaf_numbers(data, nodes, threads); });
}

auto path_weights(const TreeModel& model, const DataSet& data, int threads) {
  return filled<double>({data.rows(), model.end_nodes().size()}, [&](std::span<double> weights) {
    model.path_weights(data, weights, threads);
  });
}

nb::tuple evaluate(const TreeModel& model, const DataSet& data, int threads) {
  const EvaluationResult result = [&] {
    const nb::gil_scoped_release unlocked;
    return model.evaluate(data, threads);
  }();
  return nb::make_tuple(result.rows, result.figures, result.confusion);
}

const std::vector<std::pair<std::string, AnswerScale>> scales = {
    {"usual", AnswerScale::usual},
    {"probability", AnswerScale::probability},
    {"log_odds", AnswerScale::log_odds},
    {"value", AnswerScale::value}};

AnswerScale scale_of(const std::string& name) {
  for (const auto& [known, scale] : scales) {
    if (known == name) return scale;
  }
  throw Error(ErrorKind::usage, "there is no scale '" + name + "'", {},
              "known: usual, probability, log_odds, value");
}
std::string scale_name(AnswerScale scale) { return scales[static_cast<size_t>(scale)].first; }

nb::dict explain(const TreeModel& model, const DataSet& data, const DataSet* background,
                 const std::string& scale, uint64_t seed, int threads) {
  ExplainSettings settings;
  settings.scale = scale_of(scale);
  settings.seed = seed;
  settings.threads = threads;
  Explanation result = [&] {
    const nb::gil_scoped_release unlocked;
    return model.explain(data, settings, background);
  }();
  const size_t inputs = result.feature_names.size(), outputs = result.outputs.size();
  const bool exact = result.is_exact();
  nb::dict parts;
  parts["feature_names"] = result.feature_names;
  parts["outputs"] = result.outputs;
  parts["scale"] = scale_name(result.scale);
  parts["path_dependent"] = result.method == ExplainMethod::path_dependent;
  parts["background_rows"] = result.background_rows;
  parts["base_values"] = numpy_array(std::move(result.base_values), {outputs});
  parts["values"] = numpy_array(std::move(result.values), {result.rows, inputs, outputs});
  parts["answers"] = numpy_array(std::move(result.answers), {result.rows, outputs});
  parts["standard_errors"] = exact ? nb::none()
                                   : nb::cast(numpy_array(std::move(result.standard_errors),
                                                          {result.rows, inputs, outputs}));
  return parts;
}

nb::dict partial_dependence(const TreeModel& model, const DataSet& data,
                            const std::vector<std::string>& inputs, size_t points, bool individual,
                            const std::string& scale, int threads) {
  const PartialSettings settings{inputs, points, individual, scale_of(scale), threads};
  PartialDependence result = [&] {
    const nb::gil_scoped_release unlocked;
    return model.partial_dependence(data, settings);
  }();
  std::vector<size_t> shape;
  nb::list grid;
  for (std::vector<double>& values : result.grid) {
    const size_t count = values.size();
    shape.push_back(count);
    grid.append(numpy_array(std::move(values), {count}));
  }
  shape.push_back(result.outputs.size());
  nb::dict parts;
  parts["outputs"] = result.outputs;
  parts["scale"] = scale_name(result.scale);
  parts["grid"] = grid;
  parts["means"] = numpy_array(std::move(result.means), shape);
  shape.insert(shape.begin(), result.rows);
  parts["curves"] =
      individual ? nb::cast(numpy_array(std::move(result.curves), shape)) : nb::none();
  return parts;
}

nb::list nearest_changes(const TreeModel& model, const DataSet& data, const DataSet* reference,
                         const ChangeGoal& goal) {
  const std::vector<Change> changes = [&] {
    const nb::gil_scoped_release unlocked;
    return model.nearest_changes(data, goal, reference);
  }();
  nb::list all;
  for (const Change& change : changes) {
    nb::dict entry;
    entry["found"] = change.found;
    entry["reached_already"] = change.reached_already;
    entry["is_exact"] = change.is_exact;
    nb::list inputs;
    for (const InputChange& one : change.inputs) {
      inputs.append(nb::make_tuple(one.input, one.from, one.to));
    }
    entry["inputs"] = inputs;
    entry["distance"] = change.distance;
    entry["answer"] = change.answer;
    all.append(entry);
  }
  return all;
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
  std::vector<double> threshold(nodes, -2.0), cells;
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
    answers.insert(answers.end(), node.answer.begin(), node.answer.end());
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
  const std::map<std::string, TextView> views = {
      {"tree", TextView::tree},   {"rpart", TextView::rpart},     {"c50", TextView::c50},
      {"rules", TextView::rules}, {"pruning", TextView::pruning}, {"summary", TextView::summary}};
  const auto found = views.find(name);
  if (found != views.end()) return found->second;
  throw Error(ErrorKind::usage, "there is no view '" + name + "'", {},
              "known: tree, rpart, c50, rules, pruning, summary");
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
  nb::class_<TreeModel>(module, "TreeModel", "A trained tree.")
      .def_static("load", &TreeModel::load, "path"_a, unlocked)
      .def_static("from_text", &TreeModel::from_text, "text"_a, unlocked)
      .def("save", &TreeModel::save, "path"_a, unlocked)
      .def("text", &TreeModel::text, unlocked)
      .def_prop_ro("is_classifier", &TreeModel::is_classifier)
      .def_prop_ro("classes", [](const TreeModel& model) { return model.classes(); })
      .def_prop_ro("positive", &TreeModel::positive)
      .def_prop_ro("target", &TreeModel::target)
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
      .def("predict_codes", &predict_codes, "data"_a, "threads"_a)
      .def("leaf_numbers", &leaf_numbers, "data"_a, "threads"_a)
      .def("end_nodes", &TreeModel::end_nodes)
      .def("path_weights", &path_weights, "data"_a, "threads"_a)
      .def("path_texts", &TreeModel::path_texts, "data"_a, unlocked)
      .def("explain", &explain, "data"_a, "background"_a.none(), "scale"_a, "seed"_a, "threads"_a)
      .def("partial_dependence", &partial_dependence, "data"_a, "inputs"_a, "points"_a,
           "individual"_a, "scale"_a, "threads"_a)
      .def(
          "nearest_changes",
          [](const TreeModel& model, const DataSet& data, const DataSet* reference,
             const std::string& to, double reach, const std::vector<std::string>& fixed,
             const std::vector<std::string>& only_up, const std::vector<std::string>& only_down,
             size_t most_inputs, int threads) {
            return nearest_changes(model, data, reference,
                                   {to, reach, fixed, only_up, only_down, most_inputs, threads});
          },
          "data"_a, "reference"_a.none(), "to"_a, "reach"_a, "fixed"_a, "only_up"_a, "only_down"_a,
          "most_inputs"_a, "threads"_a)
      .def("evaluate", &evaluate, "data"_a, "threads"_a)
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
}

}  // namespace softwood::python

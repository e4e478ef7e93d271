// Why, and what would change it.
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include "binding.h"

namespace softwood::python {
namespace {

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

nb::dict explain(const TreeModel& model, const DataSet& data,
                 const std::optional<DataSet>& background, const std::string& scale, uint64_t seed,
                 int threads) {
  ExplainSettings settings;
  settings.scale = scale_of(scale);
  settings.seed = seed;
  settings.threads = threads;
  const auto found = std::make_shared<Explanation>();
  run_interruptibly(nb::none(), [=](const Controls& controls) {
    *found = model.explain(data, settings, background ? &*background : nullptr, &controls);
  });
  Explanation& result = *found;
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
  const auto found = std::make_shared<PartialDependence>();
  run_interruptibly(nb::none(), [=](const Controls& controls) {
    *found = model.partial_dependence(data, settings, &controls);
  });
  PartialDependence& result = *found;
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

nb::list nearest_changes(const TreeModel& model, const DataSet& data,
                         const std::optional<DataSet>& reference, const ChangeGoal& goal) {
  const auto changes = std::make_shared<std::vector<Change>>();
  run_interruptibly(nb::none(), [=](const Controls& controls) {
    *changes = model.nearest_changes(data, goal, reference ? &*reference : nullptr, &controls);
  });
  nb::list all;
  for (const Change& change : *changes) {
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

}  // namespace

void bind_explain(nb::class_<TreeModel>& model) {
  using namespace nb::literals;
  model.def("explain", &explain, "data"_a, "background"_a.none(), "scale"_a, "seed"_a, "threads"_a)
      .def("partial_dependence", &partial_dependence, "data"_a, "inputs"_a, "points"_a,
           "individual"_a, "scale"_a, "threads"_a)
      .def(
          "nearest_changes",
          [](const TreeModel& self, const DataSet& data, const std::optional<DataSet>& reference,
             const std::string& to, double reach, const std::vector<std::string>& fixed,
             const std::vector<std::string>& only_up, const std::vector<std::string>& only_down,
             size_t most_inputs, int threads) {
            return nearest_changes(self, data, reference,
                                   {to, reach, fixed, only_up, only_down, most_inputs, threads});
          },
          "data"_a, "reference"_a.none(), "to"_a, "reach"_a, "fixed"_a, "only_up"_a, "only_down"_a,
          "most_inputs"_a, "threads"_a);
}

}  // namespace softwood::python

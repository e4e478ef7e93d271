// How good a model is on rows with known answers.
#include <nanobind/stl/map.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include "binding.h"
#include "softwood/evaluation.h"

namespace softwood::python {
namespace {

nb::tuple pair(const Interval& interval) { return nb::make_tuple(interval.low, interval.high); }

nb::dict class_dict(const ClassMeasures& measures) {
  nb::dict one;
  one["weight"] = measures.weight;
  one["precision"] = measures.precision;
  one["recall"] = measures.recall;
  one["f1"] = measures.f1;
  one["specificity"] = measures.specificity;
  one["precision_interval"] = pair(measures.precision_interval);
  one["recall_interval"] = pair(measures.recall_interval);
  one["specificity_interval"] = pair(measures.specificity_interval);
  return one;
}

nb::dict bin_dict(const CalibrationBin& bin) {
  nb::dict one;
  one["low"] = bin.low;
  one["high"] = bin.high;
  one["rows"] = bin.rows;
  one["weight"] = bin.weight;
  one["predicted"] = bin.predicted;
  one["observed"] = bin.observed;
  return one;
}

nb::dict evaluation_dict(const EvaluationResult& found) {
  nb::dict per_class, intervals;
  for (const ClassMeasures& one : found.per_class) per_class[one.name.c_str()] = class_dict(one);
  for (const auto& [name, interval] : found.intervals) intervals[name.c_str()] = pair(interval);
  nb::list calibration;
  for (const CalibrationBin& bin : found.calibration) calibration.append(bin_dict(bin));
  nb::dict result;
  result["rows"] = found.rows;
  result["figures"] = found.figures;
  result["confusion"] = found.confusion;
  result["per_class"] = per_class;
  result["intervals"] = intervals;
  result["calibration"] = calibration;
  return result;
}

nb::dict evaluate(const TreeModel& model, const DataSet& data, int threads,
                  std::optional<double> threshold) {
  const auto found = std::make_shared<EvaluationResult>();
  run_interruptibly(nb::none(), [=](const Controls& controls) {
    *found = model.evaluate(data, threads, threshold, &controls);
  });
  return evaluation_dict(*found);
}

// Columns by name, and the positions of the points that are chosen most often.
nb::dict thresholds(const TreeModel& model, const DataSet& data, int threads) {
  const auto found = std::make_shared<ThresholdTable>();
  run_interruptibly(nb::none(), [=](const Controls& controls) {
    *found = model.thresholds(data, threads, &controls);
  });
  const std::pair<const char*, double ThresholdPoint::*> columns[] = {
      {"threshold", &ThresholdPoint::threshold},
      {"true_positives", &ThresholdPoint::true_positives},
      {"false_positives", &ThresholdPoint::false_positives},
      {"true_positive_rate", &ThresholdPoint::true_positive_rate},
      {"false_positive_rate", &ThresholdPoint::false_positive_rate},
      {"precision", &ThresholdPoint::precision},
      {"youden", &ThresholdPoint::youden},
      {"error", &ThresholdPoint::error},
      {"cost", &ThresholdPoint::cost}};
  nb::dict table;
  for (const auto& [name, member] : columns) {
    std::vector<double> cells;
    for (const ThresholdPoint& point : found->points) cells.push_back(point.*member);
    table[name] = numpy_array(std::move(cells), {found->points.size()});
  }
  return table;
}

nb::dict permutation_importance(const TreeModel& model, const DataSet& data, size_t repeats,
                                uint64_t seed, int threads) {
  const auto found = std::make_shared<std::vector<InputImportance>>();
  run_interruptibly(nb::none(), [=](const Controls& controls) {
    *found = model.permutation_importance(data, repeats, seed, threads, &controls);
  });
  nb::dict inputs;
  for (const InputImportance& one : *found) {
    inputs[one.name.c_str()] = nb::make_tuple(one.mean, one.sd);
  }
  return inputs;
}

nb::bytes bytes_of(const std::string& text) { return nb::bytes(text.data(), text.size()); }

nb::bytes merged_parts(const TreeModel& model, const nb::list& parts) {
  std::vector<std::string_view> views;
  for (const nb::handle part : parts) {
    const auto bytes = nb::cast<nb::bytes>(part);
    views.emplace_back(bytes.c_str(), bytes.size());
  }
  return bytes_of(merged_evaluations(model, views));
}

nb::tuple figures_of(const TreeModel& model, const nb::bytes& part) {
  NoteList notes;
  const EvaluationResult found = evaluation_of(model, {part.c_str(), part.size()}, &notes);
  return nb::make_tuple(evaluation_dict(found), note_list(notes));
}

}  // namespace

void bind_measures(nb::class_<TreeModel>& model) {
  using namespace nb::literals;
  model.def("evaluate", &evaluate, "data"_a, "threads"_a, "threshold"_a = nb::none())
      .def("thresholds", &thresholds, "data"_a, "threads"_a)
      .def("permutation_importance", &permutation_importance, "data"_a, "repeats"_a, "seed"_a,
           "threads"_a, "Input -> (mean, standard deviation).")
      .def("merged_evaluations", &merged_parts, "parts"_a)
      .def("evaluation_of", &figures_of, "part"_a, "(figures, notes)");
  nb::class_<EvaluationPart>(model, "EvaluationPart", "Sums over the rows of a part.")
      .def(nb::init<const TreeModel&>())
      .def("add",
           [](EvaluationPart& self, const DataColumns& columns) {
             const nb::gil_scoped_release unlocked;
             self.add(columns);
           })
      .def("answer", [](const EvaluationPart& self) { return bytes_of(self.answer()); });
}

}  // namespace softwood::python

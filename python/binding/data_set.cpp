#include <nanobind/stl/map.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <optional>

#include "binding.h"

namespace softwood::python {
namespace {

using Names = std::vector<std::string>;

// Fewer rows are prepared in no time; a thread for them would take longer.
constexpr size_t rows_of_threads = 100000;

// Calls make(notes), which owns what it needs, without the interpreter lock and returns
// (data, notes). `rows`: of how many, where that is known.
template <class Make>
nb::tuple with_notes(size_t rows, Make make) {
  const auto notes = std::make_shared<NoteList>();
  const auto data = std::make_shared<std::optional<DataSet>>();
  if (rows < rows_of_threads) {
    const nb::gil_scoped_release unlocked;
    *data = make(notes.get());
  } else {
    run_interruptibly(nb::none(), [notes, data, make = std::move(make)](const Controls&) {
      *data = make(notes.get());
    });
  }
  return nb::make_tuple(**data, note_list(*notes));
}
template <class Make>
nb::tuple read_with_notes(Make make) {
  return with_notes(rows_of_threads, std::move(make));
}

DataSettings settings_of(const std::string& target, const std::string& weights,
                         const std::string& task, const Names& nominal, const Names& numeric,
                         const Names& ignore, const std::map<std::string, Names>& ordinal,
                         const std::map<std::string, Names>& levels, const Names& missing,
                         bool header) {
  DataSettings settings;
  settings.target = target;
  settings.weights = weights;
  settings.task = task;
  settings.nominal = nominal;
  settings.numeric = numeric;
  settings.ignore = ignore;
  settings.ordinal = ordinal;
  settings.levels = levels;
  settings.missing = missing;
  settings.header = header;
  return settings;
}

}  // namespace

void bind_data_set(nb::module_& module) {
  using namespace nb::literals;
  nb::class_<DataSettings>(module, "DataSettings")
      .def(
          "__init__",
          [](DataSettings* self, const std::string& target, const std::string& weights,
             const std::string& task, const Names& nominal, const Names& numeric,
             const Names& ignore, const std::map<std::string, Names>& ordinal,
             const std::map<std::string, Names>& levels, const std::string& positive,
             const Names& missing, bool header) {
            new (self) DataSettings(settings_of(target, weights, task, nominal, numeric, ignore,
                                                ordinal, levels, missing, header));
            self->positive = positive;
          },
          nb::kw_only(), "target"_a = "", "weights"_a = "", "task"_a = "", "nominal"_a = Names(),
          "numeric"_a = Names(), "ignore"_a = Names(), "ordinal"_a = std::map<std::string, Names>(),
          "levels"_a = std::map<std::string, Names>(), "positive"_a = "", "missing"_a = Names(),
          "header"_a = true);

  nb::class_<DataSet>(module, "DataSet", "Rows to learn from, or to be answered.")
      .def_static("read",
                  [](const std::string& path, const DataSettings& settings) {
                    return read_with_notes(
                        [=](NoteList* notes) { return DataSet::read(path, settings, notes); });
                  })
      .def_static("from_columns",
                  [](const DataColumns& columns, const DataSettings& settings) {
                    return with_notes(columns.rows(), [=](NoteList* notes) {
                      return DataSet::from(columns, settings, notes);
                    });
                  })
      .def_static("read_for",
                  [](const TreeModel& model, const std::string& path) {
                    return read_with_notes(
                        [=](NoteList* notes) { return DataSet::read_for(model, path, notes); });
                  })
      .def_static("for_model",
                  [](const TreeModel& model, const DataColumns& columns) {
                    return with_notes(columns.rows(), [=](NoteList* notes) {
                      return DataSet::from_for(model, columns, notes);
                    });
                  })
      .def_static("read_to_evaluate",
                  [](const TreeModel& model, const std::string& path) {
                    return read_with_notes([=](NoteList* notes) {
                      return DataSet::read_to_evaluate(model, path, notes);
                    });
                  })
      .def_static("to_evaluate",
                  [](const TreeModel& model, const DataColumns& columns) {
                    return with_notes(columns.rows(), [=](NoteList* notes) {
                      return DataSet::from_to_evaluate(model, columns, notes);
                    });
                  })
      .def_static("read_like",
                  [](const DataSet& data, const std::string& path) {
                    return read_with_notes(
                        [=](NoteList* notes) { return DataSet::read_like(data, path, notes); });
                  })
      .def_static("like",
                  [](const DataSet& data, const DataColumns& columns) {
                    return with_notes(columns.rows(), [=](NoteList* notes) {
                      return DataSet::from_like(data, columns, notes);
                    });
                  })
      .def_prop_ro("rows", &DataSet::rows)
      .def_prop_ro("inputs", &DataSet::inputs)
      .def_prop_ro("target", &DataSet::target)
      .def_prop_ro("classes", &DataSet::classes)
      .def_prop_ro("is_classification", &DataSet::is_classification)
      .def_prop_ro("fingerprint", &DataSet::fingerprint);
}

}  // namespace softwood::python

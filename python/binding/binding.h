// What the files of the binding share. It stands on the public interface alone; only program.cpp
// knows the command line as well.
#pragma once

#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>

#include <functional>
#include <memory>
#include <vector>

#include "softwood/softwood.h"

namespace nb = nanobind;

namespace softwood::python {

// Memory of Python as the library borrows it: any type, any strides, never written to.
using Array = nb::ndarray<nb::ro, nb::device::cpu>;

void bind_errors(nb::module_& module);
void bind_columns(nb::module_& module);
void bind_data_set(nb::module_& module);
void bind_interruptible(nb::module_& module);
void bind_model(nb::module_& module);
void bind_export(nb::module_& module);
void bind_plot(nb::module_& module);
void bind_report(nb::module_& module);
void bind_matrix(nb::module_& module);
void bind_classes(nb::module_& module);
void bind_train(nb::module_& module);
void bind_cluster(nb::module_& module);
void bind_tables(nb::module_& module);
void bind_program(nb::module_& module);

// Functions of the model that stand in files of their own.
void bind_explain(nb::class_<TreeModel>& model);
void bind_measures(nb::class_<TreeModel>& model);

// Columns of an Arrow stream, in as many chunks as it has batches. `name`: of the column where the
// stream is not a table. `ordered`: dictionaries that say so are ordinal.
void add_arrow_capsule(DataColumns& columns, nb::handle capsule, const std::string& name,
                       bool ordered);

// A tree as nested dictionaries and lists, field by field as softwood/lowered.h has them.
nb::dict tree_dict(const LoweredTree& tree);
nb::dict origin_dict(const LoweredOrigin& origin);

// (model, seconds by stage, why it ended, notes)
nb::tuple result_tuple(const TrainResult& result);

// Notes as (message, hint).
nb::list note_list(const NoteList& notes);

// Work that owns all that it needs, because it may outlive the call that started it.
using Work = std::function<void(const Controls&)>;

// Runs `work` in a thread of its own and without the interpreter lock, looks for signals meanwhile
// and calls progress(stage, activity, share) where it is not None. A signal that raises, or an
// exception of `progress`, stops the work. Where that takes longer than half a second the exception
// is raised all the same: the work ends in the background, and its result is dropped.
void run_interruptibly(const nb::object& progress, Work work);

// A NumPy array that owns its cells.
template <class T>
nb::ndarray<nb::numpy, T> numpy_array(std::vector<T> cells, std::vector<size_t> shape) {
  auto owned = std::make_unique<std::vector<T>>(std::move(cells));
  T* const data = owned->data();
  const nb::capsule owner(owned.get(), [](void* p) noexcept {
    const std::unique_ptr<std::vector<T>> gone(static_cast<std::vector<T>*>(p));
  });
  static_cast<void>(owned.release());  // the capsule's from here on
  return nb::ndarray<nb::numpy, T>(data, shape.size(), shape.data(), owner);
}

}  // namespace softwood::python

// Answers for the rows of a NumPy array, without named columns in between.
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <algorithm>

#include "binding.h"

namespace softwood::python {
namespace {

// A model and the column of an array that each of its inputs is, looked up once.
class MatrixModel {
 public:
  MatrixModel(const TreeModel& model, const std::vector<std::string>& names)
      : model_(model), width_(names.size()), takes_numbers_(model.takes_numbers()) {
    const std::vector<LoweredInput>& inputs = model.tree().inputs;
    for (size_t i = 0; i < inputs.size(); ++i) {
      const auto found = std::find(names.begin(), names.end(), inputs[i].name);
      places_.push_back(static_cast<size_t>(found - names.begin()));
      if (found == names.end() && model.inputs_used()[i]) takes_numbers_ = false;
    }
  }

  const TreeModel& model() const { return model_; }
  // Float64 or float32, two dimensions, a column for each name.
  bool takes(const Array& array) const {
    const nb::dlpack::dtype type = array.dtype();
    return takes_numbers_ && array.ndim() == 2 && array.shape(1) == width_ && array.shape(0) > 0 &&
           type.code == static_cast<uint8_t>(nb::dlpack::dtype_code::Float) &&
           (type.bits == 64 || type.bits == 32);
  }

  // The columns that the model asks about: where they are if their cells follow each other, else
  // copied.
  DataSet rows(const Array& array) const {
    const bool is_double = array.dtype().bits == 64;
    if (is_double && (array.stride(0) == 1 || array.shape(0) == 1)) {
      return in_place(array);
    }
    return is_double ? copied<double>(array) : copied<float>(array);
  }

 private:
  DataSet in_place(const Array& array) const {
    const auto* const cells = static_cast<const double*>(array.data());
    std::vector<const double*> columns(places_.size());
    for (size_t i = 0; i < places_.size(); ++i) {
      if (model_.inputs_used()[i]) {
        columns[i] = cells + static_cast<int64_t>(places_[i]) * array.stride(1);
      }
    }
    return DataSet::numbers_for(model_, array.shape(0), columns, nullptr);  // the caller holds it
  }

  // A block of rows at a time, so that each line of the cache is read once.
  template <class T>
  DataSet copied(const Array& array) const {
    constexpr size_t block = 256;
    const size_t rows = array.shape(0);
    const auto* const from = static_cast<const T*>(array.data());
    std::vector<size_t> used;
    for (size_t i = 0; i < places_.size(); ++i) {
      if (model_.inputs_used()[i]) used.push_back(i);
    }
    // Not initialised: every cell is written.
    const std::shared_ptr<double[]> cells(new double[std::max<size_t>(rows * used.size(), 1)]);
    std::vector<const double*> columns(places_.size());
    for (size_t u = 0; u < used.size(); ++u) columns[used[u]] = cells.get() + u * rows;
    for (size_t first = 0; first < rows; first += block) {
      const size_t end = std::min(first + block, rows);
      for (size_t u = 0; u < used.size(); ++u) {
        const T* const column = from + static_cast<int64_t>(places_[used[u]]) * array.stride(1);
        double* const out = cells.get() + u * rows;
        for (size_t row = first; row < end; ++row) {
          out[row] = static_cast<double>(column[static_cast<int64_t>(row) * array.stride(0)]);
        }
      }
    }
    return DataSet::numbers_for(model_, rows, columns, cells);
  }

  TreeModel model_;
  size_t width_;
  bool takes_numbers_;
  std::vector<size_t> places_;  // by input of the model
};

// A function of the binding for an array instead of data; None where it is not such an array.
template <auto answer>
nb::object answered(const MatrixModel& matrix, const Array& array, int threads) {
  if (!matrix.takes(array)) return nb::none();
  const DataSet data = [&] {
    const nb::gil_scoped_release unlocked;
    return matrix.rows(array);
  }();
  return nb::cast(answer(matrix.model(), data, threads));
}

}  // namespace

void bind_matrix(nb::module_& module) {
  using namespace nb::literals;
  nb::class_<MatrixModel>(module, "MatrixModel",
                          "A model for arrays of numbers with columns of these names; its answers "
                          "are None where an array is not of that kind.")
      .def(nb::init<const TreeModel&, const std::vector<std::string>&>(), "model"_a, "names"_a)
      .def("predict", &answered<&predict>, "array"_a, "threads"_a)
      .def("predict_codes", &answered<&predict_codes>, "array"_a, "threads"_a)
      .def("leaf_numbers", &answered<&leaf_numbers>, "array"_a, "threads"_a);
}

}  // namespace softwood::python

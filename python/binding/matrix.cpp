// Answers for the rows of a NumPy array, without named columns in between.
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <algorithm>
#include <type_traits>

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

  // Rows from `first` on: the columns that the model asks about, where they are if their cells
  // follow each other, else copied.
  DataSet rows(const Array& array, size_t first, size_t count) const {
    const bool is_double = array.dtype().bits == 64;
    if (is_double && (array.stride(0) == 1 || array.shape(0) == 1)) {
      return in_place(array, first, count);
    }
    return is_double ? copied<double>(array, first, count) : copied<float>(array, first, count);
  }

 private:
  DataSet in_place(const Array& array, size_t first, size_t count) const {
    const double* const cells = static_cast<const double*>(array.data()) + first;
    std::vector<const double*> columns(places_.size());
    for (size_t i = 0; i < places_.size(); ++i) {
      if (!model_.inputs_used()[i]) continue;
      columns[i] = cells + static_cast<int64_t>(places_[i]) * array.stride(1);
    }
    return DataSet::numbers_for(model_, count, columns);  // the caller holds the array
  }

  template <class T>
  DataSet copied(const Array& array, size_t first, size_t count) const {
    constexpr size_t tile = 64;  // rows whose lines of the cache are read once
    const int64_t row_step = array.stride(0);
    const T* const from =
        static_cast<const T*>(array.data()) + static_cast<int64_t>(first) * row_step;
    const auto used = static_cast<size_t>(
        std::count(model_.inputs_used().begin(), model_.inputs_used().end(), true));
    // Not initialised: every cell is written.
    const std::shared_ptr<double[]> cells(new double[std::max<size_t>(count * used, 1)]);
    std::vector<const double*> columns(places_.size());
    for (size_t begin = 0; begin < count; begin += tile) {
      const size_t end = std::min(begin + tile, count);
      double* out = cells.get();
      for (size_t i = 0; i < places_.size(); ++i) {
        if (!model_.inputs_used()[i]) continue;
        columns[i] = out;
        const T* const column = from + static_cast<int64_t>(places_[i]) * array.stride(1);
        for (size_t row = begin; row < end; ++row) {
          out[row] = static_cast<double>(column[static_cast<int64_t>(row) * row_step]);
        }
        out += count;
      }
    }
    return DataSet::numbers_for(model_, count, columns, cells);
  }

  TreeModel model_;
  size_t width_;
  bool takes_numbers_;
  std::vector<size_t> places_;  // by input of the model
};

// Rows that are answered before the next ones are looked at: what is made of them stays in the
// cache.
constexpr size_t rows_of_block = 16384;

// answer(data, buffer) for the rows of an array, `width` cells each; None where it is not such an
// array.
template <class T, class Answer>
nb::object answered(const MatrixModel& matrix, const Array& array, int threads, size_t width,
                    const Answer& answer) {
  if (!matrix.takes(array)) return nb::none();
  const size_t rows = array.shape(0);
  std::vector<T> cells(rows * width);
  {
    const nb::gil_scoped_release unlocked;
    const size_t block = rows_of_block * static_cast<size_t>(std::max(threads, 1));
    for (size_t first = 0; first < rows; first += block) {
      const size_t count = std::min(block, rows - first);
      const auto out = std::span<T>(cells).subspan(first * width, count * width);
      try {
        answer(matrix.rows(array, first, count), out);
      } catch (const Error&) {
        answer(matrix.rows(array, 0, rows), cells);  // an error that counts rows from the first on
      }
    }
  }
  std::vector<size_t> shape = {rows};
  if (width != 1 || std::is_same_v<T, double>) shape.push_back(width);
  return nb::cast(numpy_array(std::move(cells), std::move(shape)));
}

nb::object predict_array(const MatrixModel& matrix, const Array& array, int threads) {
  const TreeModel& model = matrix.model();
  return answered<double>(matrix, array, threads, model.answer_width(),
                          [&](const DataSet& data, std::span<double> answers) {
                            model.predict(data, answers, threads);
                          });
}
nb::object predict_array_codes(const MatrixModel& matrix, const Array& array, int threads) {
  return answered<uint32_t>(matrix, array, threads, 1,
                            [&](const DataSet& data, std::span<uint32_t> codes) {
                              matrix.model().predict_codes(data, codes, threads);
                            });
}
nb::object array_leaf_numbers(const MatrixModel& matrix, const Array& array, int threads) {
  return answered<uint32_t>(matrix, array, threads, 1,
                            [&](const DataSet& data, std::span<uint32_t> nodes) {
                              matrix.model().leaf_numbers(data, nodes, threads);
                            });
}

}  // namespace

void bind_matrix(nb::module_& module) {
  using namespace nb::literals;
  nb::class_<MatrixModel>(module, "MatrixModel",
                          "A model for arrays of numbers with columns of these names; its answers "
                          "are None where an array is not of that kind.")
      .def(nb::init<const TreeModel&, const std::vector<std::string>&>(), "model"_a, "names"_a)
      .def("predict", &predict_array, "array"_a, "threads"_a)
      .def("predict_codes", &predict_array_codes, "array"_a, "threads"_a)
      .def("leaf_numbers", &array_leaf_numbers, "array"_a, "threads"_a);
}

}  // namespace softwood::python

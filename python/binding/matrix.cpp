// Answers for the rows of a NumPy array, without named columns in between.
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <algorithm>
#include <cstddef>
#include <string_view>
#include <unordered_map>

#include "binding.h"

namespace softwood::python {
namespace {

// A model and the column of an array that each of its inputs is, looked up once.
class MatrixModel {
 public:
  MatrixModel(const TreeModel& model, const std::vector<std::string>& names)
      : model_(model), width_(names.size()), takes_numbers_(model.takes_numbers()) {
    const std::vector<std::string> inputs = model.inputs();
    std::unordered_map<std::string_view, size_t> place_of;
    for (size_t column = 0; column < names.size(); ++column)
      place_of.emplace(names[column], column);
    for (size_t i = 0; i < inputs.size(); ++i) {
      const auto found = place_of.find(inputs[i]);
      places_.push_back(found == place_of.end() ? names.size() : found->second);
      if (found == place_of.end() && model.inputs_used()[i]) takes_numbers_ = false;
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

  // The array, which the caller holds.
  NumberMatrix rows(const Array& array) const {
    const auto size = static_cast<ptrdiff_t>(array.itemsize());
    return {array.dtype().bits == 64 ? ElementType::float64 : ElementType::float32,
            array.data(),
            array.shape(0),
            array.shape(1),
            array.stride(0) * size,
            array.stride(1) * size,
            places_};
  }

 private:
  TreeModel model_;
  size_t width_;
  bool takes_numbers_;
  std::vector<size_t> places_;  // by input of the model
};

template <class T>
using Result = nb::ndarray<T, nb::device::cpu, nb::c_contig>;

// Between so many rows it is asked whether a signal came.
constexpr size_t rows_between_signals = size_t{1} << 20;

// answer(model, rows, buffer) without the interpreter lock; false where it is not such an array.
template <class T, class Answer>
bool answered(const MatrixModel& matrix, const Array& array, const Result<T>& result,
              const Answer& answer) {
  if (!matrix.takes(array)) return false;
  const NumberMatrix all = matrix.rows(array);
  const std::span<T> out(result.data(), result.size());
  const auto part = [&](size_t first, size_t count) {
    NumberMatrix rows = all;
    rows.cells =
        static_cast<const std::byte*>(all.cells) + static_cast<ptrdiff_t>(first) * all.row_stride;
    rows.rows = count;
    const size_t width = out.size() / all.rows;
    const nb::gil_scoped_release unlocked;
    answer(matrix.model(), rows, out.subspan(first * width, count * width));
  };
  try {
    for (size_t first = 0; first < all.rows; first += rows_between_signals) {
      if (first > 0 && PyErr_CheckSignals() != 0) nb::raise_python_error();
      part(first, std::min(rows_between_signals, all.rows - first));
    }
  } catch (const Error&) {
    part(0, all.rows);  // the error names a row of the whole array
    throw;
  }
  return true;
}

bool predict(const MatrixModel& matrix, const Array& array, const Result<double>& answers,
             int threads) {
  return answered(matrix, array, answers,
                  [=](const TreeModel& model, const NumberMatrix& rows, std::span<double> out) {
                    model.predict(rows, out, threads);
                  });
}
bool predict_codes(const MatrixModel& matrix, const Array& array, const Result<uint32_t>& codes,
                   int threads) {
  return answered(matrix, array, codes,
                  [=](const TreeModel& model, const NumberMatrix& rows, std::span<uint32_t> out) {
                    model.predict_codes(rows, out, threads);
                  });
}
bool leaf_numbers(const MatrixModel& matrix, const Array& array, const Result<uint32_t>& nodes,
                  int threads) {
  return answered(matrix, array, nodes,
                  [=](const TreeModel& model, const NumberMatrix& rows, std::span<uint32_t> out) {
                    model.leaf_numbers(rows, out, threads);
                  });
}

}  // namespace

void bind_matrix(nb::module_& module) {
  using namespace nb::literals;
  nb::class_<MatrixModel>(
      module, "MatrixModel",
      "A model for arrays of numbers with columns of these names. Its functions "
      "fill an array; False: they do not take an array of that kind.")
      .def(nb::init<const TreeModel&, const std::vector<std::string>&>(), "model"_a, "names"_a)
      .def("predict", &predict, "array"_a, "result"_a, "threads"_a)
      .def("predict_codes", &predict_codes, "array"_a, "result"_a, "threads"_a)
      .def("leaf_numbers", &leaf_numbers, "array"_a, "result"_a, "threads"_a);
}

}  // namespace softwood::python

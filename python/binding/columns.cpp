#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <algorithm>
#include <cmath>
#include <optional>
#include <type_traits>

#include "binding.h"

namespace softwood::python {

namespace {

// The memory stays as long as the library needs it, and is given back under the interpreter lock.
std::shared_ptr<const void> owner_of(const Array& array) {
  return {new Array(array), [](const Array* held) {
            const nb::gil_scoped_acquire lock;
            const std::unique_ptr<const Array> gone(held);
          }};
}

ElementType type_of(const Array& array) {
  using Code = nb::dlpack::dtype_code;
  const nb::dlpack::dtype type = array.dtype();
  const auto code = static_cast<Code>(type.code);
  const auto is = [&](Code wanted, int bits) { return code == wanted && type.bits == bits; };
  if (code == Code::Bool) return ElementType::bool_bytes;
  if (is(Code::Float, 64)) return ElementType::float64;
  if (is(Code::Float, 32)) return ElementType::float32;
  if (is(Code::Int, 8)) return ElementType::int8;
  if (is(Code::Int, 16)) return ElementType::int16;
  if (is(Code::Int, 32)) return ElementType::int32;
  if (is(Code::Int, 64)) return ElementType::int64;
  if (is(Code::UInt, 8)) return ElementType::uint8;
  if (is(Code::UInt, 16)) return ElementType::uint16;
  if (is(Code::UInt, 32)) return ElementType::uint32;
  if (is(Code::UInt, 64)) return ElementType::uint64;
  throw nb::type_error("an array of this element type can't be a column");
}

ColumnChunk chunk_of_array(const Array& array) {
  if (array.ndim() != 1) throw nb::value_error("a column has one dimension");
  ColumnChunk chunk;
  chunk.type = type_of(array);
  chunk.rows = array.shape(0);
  chunk.values = array.data();
  chunk.stride = static_cast<ptrdiff_t>(array.stride(0)) * static_cast<ptrdiff_t>(array.itemsize());
  return chunk;
}

void add_array(DataColumns& columns, const std::string& name, const Array& array,
               const std::optional<Array>& valid) {
  ColumnChunk chunk = chunk_of_array(array);
  std::shared_ptr<const void> owner = owner_of(array);
  if (valid) {
    const ColumnChunk marks = chunk_of_array(*valid);
    if (marks.type != ElementType::bool_bytes || marks.rows != chunk.rows || marks.stride != 1) {
      throw nb::value_error("marks of valid cells are an array of bool, one for each cell");
    }
    chunk.valid_bytes = static_cast<const uint8_t*>(marks.values);
    owner =
        std::make_shared<const std::pair<std::shared_ptr<const void>, std::shared_ptr<const void>>>(
            owner, owner_of(*valid));
  }
  columns.add({name, {chunk}, owner});
}

void add_codes(DataColumns& columns, const std::string& name, const Array& codes,
               std::vector<std::string> levels, bool ordered) {
  ColumnChunk chunk = chunk_of_array(codes);
  chunk.levels = std::make_shared<const std::vector<std::string>>(std::move(levels));
  columns.add({name, {chunk}, owner_of(codes), ordered});
}

// Rows of a matrix become columns, a block of rows at a time so that each cache line is read once.
// Returns whether doubles hold all numbers exactly.
template <class T>
bool transpose(const Array& array, double* to) {
  constexpr size_t block = 64;
  constexpr bool is_wide = std::is_integral_v<T> && sizeof(T) == sizeof(double);
  bool is_exact = true;
  const size_t rows = array.shape(0), width = array.shape(1);
  const auto* const from = static_cast<const T*>(array.data());
  const int64_t row_step = array.stride(0), step = array.stride(1);
  for (size_t first = 0; first < rows; first += block) {
    const size_t end = std::min(first + block, rows);
    for (size_t column = 0; column < width; ++column) {
      const T* const cells = from + static_cast<int64_t>(column) * step;
      double* const out = to + column * rows;
      for (size_t row = first; row < end; ++row) {
        const T value = cells[static_cast<int64_t>(row) * row_step];
        out[row] = static_cast<double>(value);
        if constexpr (is_wide) {
          constexpr auto most = static_cast<double>(uint64_t{1} << 53);
          is_exact &= std::abs(out[row]) < most;
        }
      }
    }
  }
  return is_exact;
}

bool transpose_any(const Array& array, double* to) {
  switch (type_of(array)) {
    case ElementType::float32:
      return transpose<float>(array, to);
    case ElementType::float64:
      return transpose<double>(array, to);
    case ElementType::int8:
      return transpose<int8_t>(array, to);
    case ElementType::int16:
      return transpose<int16_t>(array, to);
    case ElementType::int32:
      return transpose<int32_t>(array, to);
    case ElementType::int64:
      return transpose<int64_t>(array, to);
    case ElementType::uint16:
      return transpose<uint16_t>(array, to);
    case ElementType::uint32:
      return transpose<uint32_t>(array, to);
    case ElementType::uint64:
      return transpose<uint64_t>(array, to);
    default:  // bool and uint8
      return transpose<uint8_t>(array, to);
  }
}

// Columns of a matrix with their own type, which the library has something to say about.
void add_columns_of(DataColumns& columns, const std::vector<std::string>& names,
                    const Array& array) {
  const std::shared_ptr<const void> owner = owner_of(array);
  const auto size = static_cast<int64_t>(array.itemsize());
  for (size_t column = 0; column < names.size(); ++column) {
    ColumnChunk chunk;
    chunk.type = type_of(array);
    chunk.rows = array.shape(0);
    chunk.values = static_cast<const char*>(array.data()) +
                   static_cast<int64_t>(column) * array.stride(1) * size;
    chunk.stride = array.stride(0) * size;
    columns.add({names[column], {chunk}, owner});
  }
}

// Columns of numbers. Those of doubles that follow each other are borrowed.
void add_matrix(DataColumns& columns, const std::vector<std::string>& names, const Array& array) {
  if (array.ndim() != 2 || array.shape(1) != names.size()) {
    throw nb::value_error("a matrix has two dimensions and a name for each column");
  }
  const size_t rows = array.shape(0);
  std::shared_ptr<const void> owner;
  const double* cells = nullptr;
  auto step = static_cast<int64_t>(rows);
  if (type_of(array) == ElementType::float64 && array.stride(0) == 1) {
    owner = owner_of(array);
    cells = static_cast<const double*>(array.data());
    step = array.stride(1);
  } else {
    // Not initialised: every cell is written.
    const std::shared_ptr<double[]> copy(new double[std::max<size_t>(rows * names.size(), 1)]);
    const bool is_exact = [&] {
      const nb::gil_scoped_release unlocked;
      return transpose_any(array, copy.get());
    }();
    if (!is_exact) return add_columns_of(columns, names, array);
    cells = copy.get();
    owner = copy;
  }
  for (size_t column = 0; column < names.size(); ++column) {
    const std::span<const double> here(cells + static_cast<int64_t>(column) * step, rows);
    columns.add({names[column], {chunk_of(here)}, owner});
  }
}

std::vector<std::string> names_of(const DataColumns& columns) {
  std::vector<std::string> names;
  for (const ColumnView& view : columns.columns()) names.push_back(view.name);
  return names;
}

DataColumns renamed(const DataColumns& columns, const std::vector<std::string>& names) {
  if (names.size() != columns.columns().size()) {
    throw nb::value_error("a name for each column");
  }
  DataColumns result;
  for (size_t c = 0; c < names.size(); ++c) {
    ColumnView view = columns.columns()[c];
    view.name = names[c];
    result.add(std::move(view));
  }
  return result;
}

// A column as the library holds it, float64 or codes: (array, None) or (codes, levels). The arrays
// share the memory.
nb::tuple cells_of(const ColumnView& view) {
  const ColumnChunk& chunk = view.chunks.at(0);
  auto owner = std::make_unique<ColumnView>(view);
  const nb::capsule keeper(owner.get(), [](void* p) noexcept {
    const std::unique_ptr<ColumnView> gone(static_cast<ColumnView*>(p));
  });
  static_cast<void>(owner.release());
  const size_t rows = chunk.rows;
  if (chunk.levels == nullptr) {
    return nb::make_tuple(
        nb::ndarray<nb::numpy, const double, nb::ndim<1>>(chunk.values, {rows}, keeper),
        nb::none());
  }
  return nb::make_tuple(
      nb::ndarray<nb::numpy, const int32_t, nb::ndim<1>>(chunk.values, {rows}, keeper),
      nb::cast(*chunk.levels));
}

nb::dict as_dict(const DataColumns& columns) {
  nb::dict result;
  for (const ColumnView& view : columns.columns()) result[view.name.c_str()] = cells_of(view);
  return result;
}

}  // namespace

void bind_columns(nb::module_& module) {
  using namespace nb::literals;
  nb::class_<DataColumns>(module, "Columns", "Named columns, borrowed where they lie.")
      .def(nb::init<>())
      .def("add_array", &add_array, "name"_a, "array"_a, "valid"_a = nb::none(),
           "A column of numbers or booleans; NaN is missing, and what is not marked as valid.")
      .def("add_codes", &add_codes, "name"_a, "codes"_a, "levels"_a, "ordered"_a = false,
           "A column of whole numbers that index levels; less than 0 is missing.")
      .def("add_matrix", &add_matrix, "names"_a, "array"_a, "Columns of numbers.")
      .def("add_arrow", &add_arrow_stream, "capsule"_a, "name"_a = "", "ordered"_a = true,
           "The columns of an Arrow stream.")
      .def(
          "set_target",
          [](DataColumns& columns, const std::string& name, const DataColumns& from) {
            ColumnView view = from.columns().at(0);
            view.name = name;
            columns.target(view);
          },
          "name"_a, "column"_a, "The first of other columns is the target.")
      .def(
          "set_weights",
          [](DataColumns& columns, const std::string& name, const DataColumns& from) {
            ColumnView view = from.columns().at(0);
            view.name = name;
            columns.weights(view);
          },
          "name"_a, "column"_a, "The first of other columns has the weights of the rows.")
      .def_static(
          "read",
          [](const std::string& path, const std::vector<std::string>& missing, bool header) {
            DataSettings settings;
            settings.missing = missing;
            settings.header = header;
            const auto columns = std::make_shared<DataColumns>();
            run_interruptibly(nb::none(), [columns, path, settings](const Controls&) {
              *columns = DataColumns::read(path, settings);
            });
            return *columns;
          },
          "path"_a, "missing"_a, "header"_a)
      .def("as_dict", &as_dict, "Columns that were read or generated: name -> (cells, levels).")
      .def("renamed", &renamed, "names"_a, "The same columns by other names.")
      .def_prop_ro("names", &names_of)
      .def_prop_ro("rows", &DataColumns::rows);
}

}  // namespace softwood::python

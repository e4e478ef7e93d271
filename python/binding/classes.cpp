// Classes that are numbers: their codes, and their values by code.
#include <algorithm>
#include <cstring>
#include <type_traits>
#include <unordered_map>

#include "binding.h"

namespace softwood::python {
namespace {

template <class T>
using Column = nb::ndarray<const T, nb::ndim<1>, nb::device::cpu, nb::c_contig>;
using Codes = std::vector<int32_t>;

// More classes are left to others: no table of this size stays in the cache.
constexpr size_t most_values = 1 << 16;

// Whole numbers that lie near each other: a table of all between the least and the largest.
template <class T>
bool code_by_table(std::span<const T> cells, std::vector<T>& values, Codes& codes) {
  const auto [least, largest] = std::minmax_element(cells.begin(), cells.end());
  using Wide = std::make_unsigned_t<T>;
  const auto place = [low = static_cast<Wide>(*least)](T cell) {
    return static_cast<size_t>(static_cast<Wide>(static_cast<Wide>(cell) - low));
  };
  if (place(*largest) >= most_values) return false;
  Codes code_of(place(*largest) + 1, -1);
  for (const T cell : cells) code_of[place(cell)] = 0;
  for (size_t i = 0; i < code_of.size(); ++i) {
    if (code_of[i] < 0) continue;
    code_of[i] = static_cast<int32_t>(values.size());
    values.push_back(static_cast<T>(static_cast<Wide>(*least) + static_cast<Wide>(i)));
  }
  for (size_t row = 0; row < cells.size(); ++row) codes[row] = code_of[place(cells[row])];
  return true;
}

template <class T>
bool code_by_value(std::span<const T> cells, std::vector<T>& values, Codes& codes) {
  std::unordered_map<T, int32_t> code_of;  // in the order of appearance
  for (size_t row = 0; row < cells.size(); ++row) {
    const auto next = static_cast<int32_t>(code_of.size());
    codes[row] = code_of.try_emplace(cells[row], next).first->second;
    if (code_of.size() > most_values) return false;
  }
  for (const auto& entry : code_of) values.push_back(entry.first);
  std::sort(values.begin(), values.end());
  Codes sorted(values.size());
  for (size_t i = 0; i < values.size(); ++i) {
    sorted[static_cast<size_t>(code_of.at(values[i]))] = static_cast<int32_t>(i);
  }
  for (int32_t& code : codes) code = sorted[static_cast<size_t>(code)];
  return true;
}

// np.unique with the codes of all cells, which are not NaN; None where there are too many values.
template <class T>
nb::object distinct(const Column<T>& column) {
  const std::span<const T> cells(column.data(), column.shape(0));
  std::vector<T> values;
  Codes codes(cells.size());
  bool done = cells.empty();
  {
    const nb::gil_scoped_release unlocked;
    if constexpr (std::is_integral_v<T>) done = done || code_by_table(cells, values, codes);
    done = done || code_by_value(cells, values, codes);
  }
  if (!done) return nb::none();
  const size_t count = values.size(), rows = codes.size();
  return nb::make_tuple(numpy_array(std::move(values), {count}),
                        numpy_array(std::move(codes), {rows}));
}

template <class T>
void bind_distinct(nb::module_& module) {
  using namespace nb::literals;
  module.def("distinct", &distinct<T>, "cells"_a.noconvert());
}

template <class Word>
void copy_values(const void* values, size_t count, std::span<const uint32_t> codes, void* result) {
  std::vector<Word> words(count);
  std::memcpy(words.data(), values, count * sizeof(Word));
  auto* const out = static_cast<Word*>(result);
  for (size_t row = 0; row < codes.size(); ++row) out[row] = words[codes[row]];
}

// result[i] = values[codes[i]], whatever the cells are.
void take(const nb::ndarray<nb::ro, nb::ndim<1>, nb::device::cpu, nb::c_contig>& values,
          const Column<uint32_t>& codes,
          const nb::ndarray<nb::ndim<1>, nb::device::cpu, nb::c_contig>& result) {
  const std::span<const uint32_t> all(codes.data(), codes.shape(0));
  const size_t count = values.shape(0);
  const bool fits = result.shape(0) == all.size() && result.itemsize() == values.itemsize() &&
                    std::all_of(all.begin(), all.end(), [=](uint32_t c) { return c < count; });
  if (!fits) throw nb::value_error("codes of values that are not there, or a result of other size");
  const nb::gil_scoped_release unlocked;
  switch (values.itemsize()) {
    case 1:
      return copy_values<uint8_t>(values.data(), count, all, result.data());
    case 2:
      return copy_values<uint16_t>(values.data(), count, all, result.data());
    case 4:
      return copy_values<uint32_t>(values.data(), count, all, result.data());
    default:
      return copy_values<uint64_t>(values.data(), count, all, result.data());
  }
}

}  // namespace

void bind_classes(nb::module_& module) {
  using namespace nb::literals;
  bind_distinct<int8_t>(module);
  bind_distinct<int16_t>(module);
  bind_distinct<int32_t>(module);
  bind_distinct<int64_t>(module);
  bind_distinct<uint8_t>(module);
  bind_distinct<uint16_t>(module);
  bind_distinct<uint32_t>(module);
  bind_distinct<uint64_t>(module);
  bind_distinct<float>(module);
  bind_distinct<double>(module);
  module.def("take", &take, "values"_a.noconvert(), "codes"_a.noconvert(), "result"_a.noconvert());
}

}  // namespace softwood::python

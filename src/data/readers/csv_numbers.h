// The numbers of one column of several rows at once.
#pragma once

#include <cstddef>
#include <cstdint>

namespace softwood {

// Cell i goes from starts[i * stride] to the byte before starts[i * stride + 1]. A plain number is
// written to values[i]; the numbers i of all other cells, which may be numbers or not, go to
// `others`, in ascending order. Returns how many these are. Needs 16 readable bytes before each
// cell's end and 8 after it.
size_t read_plain_numbers(const char* const* starts, size_t stride, size_t count, double* values,
                          uint32_t* others);

// The same without vector instructions.
size_t read_plain_numbers_one_by_one(const char* const* starts, size_t stride, size_t count,
                                     double* values, uint32_t* others);

}  // namespace softwood

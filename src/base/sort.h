// Sorting that can be stopped.
#pragma once

#include <algorithm>
#include <cstddef>

#include "base/control.h"

namespace softwood {

// As std::sort, for items of which no two are equal; asks before every rows_between_asks of them
// are sorted or merged. Stopped, it leaves the items in some order.
template <class Iterator, class Less>
void sort_unless_stopped(Iterator begin, Iterator end, const Less& less, const Control& control) {
  const auto count = static_cast<size_t>(end - begin);
  const auto at = [&](size_t i) { return begin + static_cast<std::ptrdiff_t>(std::min(i, count)); };
  each_block(count, control,
             [&](size_t first, size_t last) { std::sort(at(first), at(last), less); });
  for (size_t sorted = rows_between_asks; sorted < count; sorted *= 2) {
    for (size_t first = 0; first + sorted < count; first += 2 * sorted) {
      control.throw_if_interrupted();
      std::inplace_merge(at(first), at(first + sorted), at(first + 2 * sorted), less);
    }
  }
}

}  // namespace softwood

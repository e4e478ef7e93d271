// Hints to the system about memory.
#pragma once

#include <cstddef>
#include <vector>

namespace softwood {

// The bytes are not needed any more, though the memory is kept: whole pages among them are given
// back. What they hold after that is not defined.
void release_pages(void* begin, size_t bytes);

// Asks for large pages where whole ones lie among the bytes, before these are touched: the system
// has fewer of them to hand out.
void use_large_pages(void* begin, size_t bytes);

// Room for that many items in large pages.
template <class T>
void reserve_large(std::vector<T>& items, size_t count) {
  if (items.capacity() >= count) return;
  items.reserve(count);
  use_large_pages(items.data(), count * sizeof(T));
}

}  // namespace softwood

// Hints to the system about memory.
#pragma once

#include <cstddef>
#include <memory>
#include <vector>

namespace softwood {

// The bytes are not needed any more, though the memory is kept: whole pages among them are given
// back. What they hold after that is not defined.
void release_pages(void* begin, size_t bytes);

// Asks for large pages where whole ones lie among the bytes, before these are touched: the system
// has fewer of them to hand out.
void use_large_pages(void* begin, size_t bytes);

// That many zeros. Large ones are pages as the system hands them out, large pages where possible:
// nobody sets them to zero a second time. Throws std::bad_alloc.
std::shared_ptr<void> zero_bytes(size_t bytes);
template <class T>
std::shared_ptr<T> zeros(size_t count) {
  return std::static_pointer_cast<T>(zero_bytes(count * sizeof(T)));
}

// Room for that many items in large pages.
template <class T>
void reserve_large(std::vector<T>& items, size_t count) {
  if (items.capacity() >= count) return;
  items.reserve(count);
  use_large_pages(items.data(), count * sizeof(T));
}

}  // namespace softwood

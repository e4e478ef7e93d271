#include "base/memory.h"

#include <cstdint>
#include <cstdlib>
#include <new>

#if defined(__linux__)
#include <sys/mman.h>
#include <unistd.h>
#endif

namespace softwood {

#if defined(__linux__)
namespace {

constexpr uintptr_t large_page = uintptr_t{1} << 21;

// Of the whole pages among the bytes.
void advise(void* begin, size_t bytes, uintptr_t page, int advice) {
  const auto address = reinterpret_cast<uintptr_t>(begin);
  const uintptr_t first = (address + page - 1) / page * page;
  const uintptr_t last = (address + bytes) / page * page;
  if (first < last) madvise(static_cast<char*>(begin) + (first - address), last - first, advice);
}

// Pages that begin with a large one. A large page that would be half empty is not worth it.
std::shared_ptr<void> zero_pages(size_t bytes) {
  static const auto page = static_cast<uintptr_t>(sysconf(_SC_PAGESIZE));
  const size_t rest = bytes % large_page;
  const uintptr_t unit = rest >= large_page / 2 ? large_page : page;
  const size_t size = (bytes + unit - 1) / unit * unit;
  void* const base =
      mmap(nullptr, size + large_page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (base == MAP_FAILED) throw std::bad_alloc();
  const auto address = reinterpret_cast<uintptr_t>(base);
  const uintptr_t before = (large_page - address % large_page) % large_page;
  char* const begin = static_cast<char*>(base) + before;
  if (before > 0) munmap(base, before);
  if (before < large_page) munmap(begin + size, large_page - before);
  madvise(begin, size, MADV_HUGEPAGE);
  return {begin, [size](void* pages) { munmap(pages, size); }};
}

}  // namespace
#endif

void release_pages([[maybe_unused]] void* begin, [[maybe_unused]] size_t bytes) {
#if defined(__linux__)
  static const auto page = static_cast<uintptr_t>(sysconf(_SC_PAGESIZE));
  advise(begin, bytes, page, MADV_DONTNEED);
#endif
}

void use_large_pages([[maybe_unused]] void* begin, [[maybe_unused]] size_t bytes) {
#if defined(__linux__)
  advise(begin, bytes, large_page, MADV_HUGEPAGE);
#endif
}

std::shared_ptr<void> zero_bytes(size_t bytes) {
#if defined(__linux__)
  if (bytes >= large_page) return zero_pages(bytes);
#endif
  void* const memory = std::calloc(bytes > 0 ? bytes : 1, 1);
  if (memory == nullptr) throw std::bad_alloc();
  return {memory, [](void* given) { std::free(given); }};
}

}  // namespace softwood

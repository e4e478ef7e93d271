#include "base/memory.h"

#include <cstdint>

#if defined(__linux__)
#include <sys/mman.h>
#include <unistd.h>
#endif

namespace softwood {

#if defined(__linux__)
namespace {

// Of the whole pages among the bytes.
void advise(void* begin, size_t bytes, uintptr_t page, int advice) {
  const auto address = reinterpret_cast<uintptr_t>(begin);
  const uintptr_t first = (address + page - 1) / page * page;
  const uintptr_t last = (address + bytes) / page * page;
  if (first < last) madvise(static_cast<char*>(begin) + (first - address), last - first, advice);
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
  constexpr uintptr_t large_page = uintptr_t{1} << 21;
  advise(begin, bytes, large_page, MADV_HUGEPAGE);
#endif
}

}  // namespace softwood

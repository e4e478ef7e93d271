#include "base/memory.h"

#include <cstdint>

#if defined(__linux__)
#include <sys/mman.h>
#include <unistd.h>
#endif

namespace softwood {

void release_pages([[maybe_unused]] void* begin, [[maybe_unused]] size_t bytes) {
#if defined(__linux__)
  static const auto page = static_cast<uintptr_t>(sysconf(_SC_PAGESIZE));
  const auto address = reinterpret_cast<uintptr_t>(begin);
  const uintptr_t first = (address + page - 1) / page * page;
  const uintptr_t last = (address + bytes) / page * page;
  if (first < last) {
    madvise(static_cast<char*>(begin) + (first - address), last - first, MADV_DONTNEED);
  }
#endif
}

}  // namespace softwood

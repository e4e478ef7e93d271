#include "base/memory_limit.h"

#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <exception>
#include <limits>
#include <string>
#include <string_view>

#include "base/file_text.h"

namespace softwood {
namespace {

constexpr uint64_t no_limit = std::numeric_limits<uint64_t>::max();

// "max" and what is not there are no limit.
uint64_t limit_in(const std::string& path) {
  try {
    const std::string text = file_text(path);
    uint64_t limit = no_limit;
    std::from_chars(text.data(), text.data() + text.size(), limit);
    return limit;
  } catch (const std::exception&) {
    return no_limit;
  }
}

// Of the process's group and of those above it (docs.kernel.org/admin-guide/cgroup-v2.html); in a
// container its own is the first.
uint64_t limit_of_groups() {
  const std::string root = "/sys/fs/cgroup";
  uint64_t least = std::min(limit_in(root + "/memory.max"),
                            limit_in(root + "/memory/memory.limit_in_bytes"));  // version 1
  std::string groups;
  try {
    groups = file_text("/proc/self/cgroup");
  } catch (const std::exception&) {
    return least;
  }
  const size_t begin = groups.find("0::/");
  if (begin == std::string::npos) return least;
  std::string group = groups.substr(begin + 3, groups.find('\n', begin) - begin - 3);
  for (; group.size() > 1; group.resize(group.rfind('/'))) {
    least = std::min(least, limit_in(root + group + "/memory.max"));
  }
  return least;
}

}  // namespace

uint64_t most_memory() {
  static const uint64_t machine =
      static_cast<uint64_t>(sysconf(_SC_PHYS_PAGES)) * static_cast<uint64_t>(sysconf(_SC_PAGESIZE));
  static const uint64_t groups = limit_of_groups();
  struct rlimit own {};
  const bool limited = getrlimit(RLIMIT_AS, &own) == 0 && own.rlim_cur != RLIM_INFINITY;
  return std::min({machine, groups, limited ? uint64_t{own.rlim_cur} : no_limit});
}

}  // namespace softwood

// Arbitrary bytes as a matrix of costs; the first byte chooses how many classes there are.
#include <sys/mman.h>
#include <unistd.h>

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <string>

#include "cli/class_costs.h"
#include "table_checks.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace softwood;
  if (size == 0) return 0;
  const size_t classes = 2 + data[0] % 3;
  Schema schema;
  schema.target = {"y", Kind::nominal, {"a", "b", "c", "d"}};
  schema.target.levels.resize(classes);
  const int file = memfd_create("costs", MFD_CLOEXEC);
  fuzz::require(file >= 0 && write(file, data + 1, size - 1) == static_cast<ssize_t>(size - 1),
                "there is a file");
  try {
    const std::vector<double> costs =
        read_costs("/proc/self/fd/" + std::to_string(file), schema, Parallel(1));
    fuzz::require(costs.size() == classes * classes, "a cost of each answer");
    for (size_t k = 0; k < costs.size(); ++k) {
      fuzz::require(std::isfinite(costs[k]) && costs[k] >= 0, "costs are numbers");
      fuzz::require(k % (classes + 1) != 0 || costs[k] == 0, "right answers cost nothing");
    }
  } catch (const Error& error) {
    fuzz::require(error.kind() == ErrorKind::data, "errors are about the file");
  }
  close(file);
  return 0;
}

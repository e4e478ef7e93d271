#include "tree/divided.h"

#include <fmt/format.h>

#include <algorithm>

#include "data/convert.h"
#include "softwood/error.h"

namespace softwood {

void check_divided(size_t rows, std::span<const double> shares, size_t bytes) {
  const size_t most_parts = (size_t{1} << 32) / bytes;
  const auto branches = static_cast<size_t>(
      std::count_if(shares.begin(), shares.end(), [](double share) { return share > 0; }));
  if (rows == 0 || branches <= most_parts / rows) return;
  throw Error(ErrorKind::failure,
              fmt::format("{} without a value would be divided among {}: too much for memory",
                          counted(rows, "row"), counted(branches, "branch", "branches")),
              {}, "choose another rule for missing cells than shares of all branches");
}

}  // namespace softwood

// Arbitrary bytes as an ARFF file; the first byte chooses the options.
#include <cstddef>
#include <cstdint>

#include "table_checks.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0) return 0;
  softwood::ReadOptions options;
  options.unpack_limit = 1 << 20;
  options.absent_columns_allowed = true;
  if ((data[0] & 2U) != 0) options.nominal = {"a"};
  if ((data[0] & 4U) != 0) options.numeric = {"b"};
  if ((data[0] & 8U) != 0) options.ignore = {"c"};
  const std::string_view bytes(reinterpret_cast<const char*>(data) + 1, size - 1);
  softwood::fuzz::check_reader(bytes, softwood::Format::arff, options);
  return 0;
}

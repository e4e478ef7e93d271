// The bytes of an input, wherever they come from: a file, standard input, an unpacked .gz.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "base/parallel.h"

namespace softwood {

class Source {
 public:
  // Readers may look this many bytes beyond the end; there they find zeros. So the hot loops need
  // no check for the end: a zero byte is refused inside of the data.
  static constexpr size_t padding = 64;

  // "-" is standard input. What begins as a .gz does is unpacked, whatever its name is. `limit` is
  // the most bytes that a .gz or standard input may give; 0: half of the machine's memory.
  static Source open(const std::string& path, uint64_t limit,
                     const Parallel& parallel = Parallel(1));
  // A copy of bytes in memory; `name` is for messages.
  static Source copy(std::string_view bytes, std::string name, uint64_t limit);

  const std::string& name() const { return name_; }
  std::string_view bytes() const { return bytes_; }

 private:
  std::string name_;
  std::string_view bytes_;
  std::shared_ptr<const char> owner_;
};

}  // namespace softwood

// The bytes of an input, wherever they come from: a file, standard input, an unpacked .gz.
#pragma once

#include <array>
#include <cstdint>
#include <exception>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <vector>

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
  // Whether this is the place of one of the bytes, or of the end.
  bool holds(const char* at) const {
    const std::less<> before;
    return !before(at, bytes_.data()) && !before(bytes_.data() + bytes_.size(), at);
  }

 private:
  std::string name_;
  std::string_view bytes_;
  std::shared_ptr<const char> owner_;
};

class OpenFile {
 public:
  explicit OpenFile(int descriptor) : descriptor_(descriptor) {}
  ~OpenFile();
  OpenFile(const OpenFile&) = delete;
  OpenFile& operator=(const OpenFile&) = delete;
  int get() const { return descriptor_; }

 private:
  int descriptor_;
};

// A file that is read part by part into memory that is used again and again: fresh memory for all
// of its text would take longer to get than the text takes to read. Only for regular files; others
// have size 0.
class FileParts {
 public:
  explicit FileParts(const std::string& path);

  const std::string& name() const { return name_; }
  size_t size() const { return size_; }
  // Whole lines at the beginning, about as many bytes; empty when the file is not much longer.
  Source beginning(size_t bytes) const;
  // The bytes from `begin` to `end`. They are in the buffer, with padding before and after them.
  // Any number of threads may read. Throws when the file has become too short.
  std::string_view read(size_t begin, size_t end, std::vector<char>& buffer) const;
  // Whether somebody wrote to the file since it was opened: parts may not belong together then.
  bool has_changed() const;
  // The first error of read(), again: it goes before what was found in the parts.
  void throw_if_failed() const;

 private:
  using ChangeTime = std::array<int64_t, 4>;
  ChangeTime change_time() const;

  std::string name_;
  OpenFile file_;
  size_t size_ = 0;
  ChangeTime changed_{};
  mutable std::mutex mutex_;
  mutable std::exception_ptr failure_;
};

}  // namespace softwood

#include "base/file_text.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <system_error>

namespace softwood {
namespace {

[[noreturn]] void fail(int error) { throw std::system_error(error, std::generic_category()); }

class Descriptor {
 public:
  explicit Descriptor(const std::string& path) : file_(open(path.c_str(), O_RDONLY | O_CLOEXEC)) {
    if (file_ < 0) fail(errno);
  }
  ~Descriptor() { close(file_); }
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;
  int get() const { return file_; }

 private:
  int file_;
};

}  // namespace

std::string file_text(const std::string& path, size_t most_of_device) {
  const Descriptor file(path);
  struct stat status {};
  if (fstat(file.get(), &status) != 0) fail(errno);
  const bool regular = S_ISREG(status.st_mode);
  // One byte more, so that the end of an ordinary file is met without growing.
  constexpr size_t least = size_t{1} << 12;
  std::string text(std::max(static_cast<size_t>(std::max<off_t>(status.st_size, 0)) + 1, least),
                   '\0');
  size_t size = 0;
  for (;;) {
    if (size == text.size()) text.resize(size + size / 2);
    const ssize_t got = read(file.get(), text.data() + size, text.size() - size);
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) fail(errno);
    if (got == 0) break;
    size += static_cast<size_t>(got);
    if (!regular && size > most_of_device) fail(EFBIG);
  }
  text.resize(size);
  return text;
}

}  // namespace softwood

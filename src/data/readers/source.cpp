#include "data/readers/source.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <new>
#include <system_error>

#include "softwood/error.h"

namespace softwood {
namespace {

[[noreturn]] void fail(const std::string& name, const std::string& message,
                       const std::string& hint = {}) {
  throw Error(ErrorKind::data, message, name, hint);
}

[[noreturn]] void fail_reading(const std::string& name, int error) {
  fail(name, "reading failed: " + std::generic_category().message(error));
}

std::string size_text(uint64_t bytes) {
  constexpr uint64_t mega = uint64_t{1} << 20;
  return bytes < 10 * mega ? fmt::format("{} bytes", bytes) : fmt::format("{} MiB", bytes / mega);
}

// Not the fault of the data.
[[noreturn]] void fail_memory(const std::string& name, uint64_t bytes) {
  throw Error(ErrorKind::failure, fmt::format("there is no memory for its {}", size_text(bytes)),
              name, "use a part of it, or a machine with more memory");
}

uint64_t half_of_memory() {
  return static_cast<uint64_t>(sysconf(_SC_PHYS_PAGES)) *
         static_cast<uint64_t>(sysconf(_SC_PAGESIZE)) / 2;
}

// Bytes that grow without being set to zero first; always followed by room for the padding.
class Buffer {
 public:
  Buffer(std::string name, uint64_t limit)
      : name_(std::move(name)), limit_(limit > 0 ? limit : half_of_memory()) {}
  ~Buffer() { std::free(data_); }
  Buffer(const Buffer&) = delete;
  Buffer& operator=(const Buffer&) = delete;

  size_t size() const { return size_; }
  // Free space of at least one byte.
  char* space(size_t& bytes) {
    if (size_ == capacity_) grow();
    bytes = capacity_ - size_;
    return data_ + size_;
  }
  void added(size_t bytes) {
    size_ += bytes;
    if (size_ > limit_) {
      fail(name_, fmt::format("more than the {} allowed come out of it", size_text(limit_)),
           "if that is right, unpack it into a file and read that");
    }
  }
  std::shared_ptr<const char> release() {
    if (data_ == nullptr) grow();
    std::memset(data_ + size_, 0, Source::padding);
    return {std::exchange(data_, nullptr), [](const char* p) { std::free(const_cast<char*>(p)); }};
  }

 private:
  void grow() {
    const size_t wanted = std::max<size_t>(capacity_ + capacity_ / 2, size_t{1} << 16);
    auto* data = static_cast<char*>(std::realloc(data_, wanted + Source::padding));
    if (data == nullptr) fail_memory(name_, wanted);
    data_ = data;
    capacity_ = wanted;
  }

  std::string name_;
  uint64_t limit_;
  char* data_ = nullptr;
  size_t size_ = 0, capacity_ = 0;
};

class File {
 public:
  explicit File(int descriptor) : descriptor_(descriptor) {}
  ~File() {
    if (descriptor_ > 0) close(descriptor_);  // 0 is standard input
  }
  File(const File&) = delete;
  File& operator=(const File&) = delete;
  int get() const { return descriptor_; }

 private:
  int descriptor_;
};

void read_all(int descriptor, const std::string& name, Buffer& buffer) {
  for (;;) {
    size_t room = 0;
    char* to = buffer.space(room);
    const ssize_t got = read(descriptor, to, std::min<size_t>(room, size_t{1} << 30));
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) fail_reading(name, errno);
    if (got == 0) return;
    buffer.added(static_cast<size_t>(got));
  }
}

// Pages of zeros with room for the padding.
std::shared_ptr<char> empty_pages(size_t size, const std::string& name) {
  const auto page = static_cast<size_t>(sysconf(_SC_PAGESIZE));
  const size_t whole = (size + Source::padding + page - 1) / page * page;
  void* base = mmap(nullptr, whole, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (base == MAP_FAILED) fail_memory(name, size);
#if defined(MADV_HUGEPAGE)
  madvise(base, whole, MADV_HUGEPAGE);
#endif
  return {static_cast<char*>(base), [whole](char* p) { munmap(p, whole); }};
}

void read_part(int descriptor, const std::string& name, char* to, size_t begin, size_t end) {
  while (begin < end) {
    const ssize_t got = pread(descriptor, to + begin, end - begin, static_cast<off_t>(begin));
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) fail_reading(name, errno);
    if (got == 0) {
      fail(name, "the file became shorter while it was read",
           "read it again when nothing writes to it");
    }
    begin += static_cast<size_t>(got);
  }
}

// Read, not mapped: what others do to the file later neither changes the bytes nor ends the process
// by a signal.
std::shared_ptr<const char> read_file(int descriptor, size_t size, const std::string& name,
                                      const Parallel& parallel) {
  const std::shared_ptr<char> bytes = empty_pages(size, name);
  constexpr size_t part = size_t{8} << 20;
  const Blocks parts{size, part};
  parallel.each(parts.blocks(), [&](size_t i) {
    read_part(descriptor, name, bytes.get(), parts.begin(i), parts.end(i));
  });
  return bytes;
}

bool is_packed(std::string_view bytes) {
  return bytes.size() >= 2 && bytes[0] == '\x1f' && bytes[1] == '\x8b';
}

[[noreturn]] void fail_inflate(const std::string& name, int status, uint64_t position) {
  if (status == Z_MEM_ERROR) throw std::bad_alloc();
  fail(name, fmt::format("the .gz is corrupt (near byte {})", position),
       "check it with 'gzip -t', or fetch it again");
}

// A .gz is one or more members one after the other; zeros may follow.
void unpack(std::string_view packed, const std::string& name, Buffer& buffer) {
  z_stream stream{};
  constexpr int gzip_window = 15 + 16;
  if (inflateInit2(&stream, gzip_window) != Z_OK) throw std::bad_alloc();
  const std::unique_ptr<z_stream, int (*)(z_stream*)> guard(&stream, inflateEnd);
  const char* next = packed.data();
  const char* const end = next + packed.size();
  for (;;) {
    size_t room = 0;
    char* to = buffer.space(room);
    const auto left = static_cast<size_t>(end - next);
    const auto input = static_cast<uInt>(std::min<size_t>(left, 1U << 30));
    const auto output = static_cast<uInt>(std::min<size_t>(room, 1U << 30));
    stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(next));
    stream.avail_in = input;
    stream.next_out = reinterpret_cast<Bytef*>(to);
    stream.avail_out = output;
    const int status = inflate(&stream, Z_NO_FLUSH);
    next += input - stream.avail_in;
    buffer.added(output - stream.avail_out);
    const auto position = static_cast<uint64_t>(next - packed.data());
    if (status == Z_STREAM_END) {
      if (std::all_of(next, end, [](char c) { return c == '\0'; })) return;
      const bool another = is_packed({next, static_cast<size_t>(end - next)});
      if (!another || inflateReset(&stream) != Z_OK) fail_inflate(name, Z_DATA_ERROR, position);
    } else if (status == Z_BUF_ERROR) {  // nothing more comes out although there is room
      fail(name, fmt::format("the .gz ends too early (after {})", size_text(packed.size())),
           "it was cut off: fetch or pack it again");
    } else if (status != Z_OK) {
      fail_inflate(name, status, position);
    }
  }
}

}  // namespace

Source Source::copy(std::string_view bytes, std::string name, uint64_t limit) {
  Source source;
  source.name_ = std::move(name);
  Buffer buffer(source.name_, limit);
  if (is_packed(bytes)) {
    unpack(bytes, source.name_, buffer);
  } else {
    while (buffer.size() < bytes.size()) {
      size_t room = 0;
      char* to = buffer.space(room);
      const size_t part = std::min(room, bytes.size() - buffer.size());
      std::memcpy(to, bytes.data() + buffer.size(), part);
      buffer.added(part);
    }
  }
  const size_t size = buffer.size();
  source.owner_ = buffer.release();
  source.bytes_ = {source.owner_.get(), size};
  return source;
}

Source Source::open(const std::string& path, uint64_t limit, const Parallel& parallel) {
  Source source;
  source.name_ = path == "-" ? "standard input" : path;
  const File file(path == "-" ? 0 : ::open(path.c_str(), O_RDONLY | O_CLOEXEC));
  struct stat status {};
  if (file.get() < 0 || fstat(file.get(), &status) != 0) {
    fail(source.name_, "can't open it: " + std::generic_category().message(errno),
         errno == ENOENT ? "check the name and the current folder" : "");
  }
  if (S_ISDIR(status.st_mode)) fail(source.name_, "is a folder, not a file");

  size_t size = 0;
  if (S_ISREG(status.st_mode) && path != "-" && status.st_size > 0) {
    size = static_cast<size_t>(status.st_size);
    source.owner_ = read_file(file.get(), size, source.name_, parallel);
  } else {
    Buffer buffer(source.name_, limit);
    read_all(file.get(), source.name_, buffer);
    size = buffer.size();
    source.owner_ = buffer.release();
  }
  source.bytes_ = {source.owner_.get(), size};
  if (is_packed(source.bytes_)) return copy(source.bytes_, source.name_, limit);
  return source;
}

}  // namespace softwood

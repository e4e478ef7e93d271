#include "data/readers/source.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <new>
#include <system_error>

#include "base/memory.h"
#include "base/memory_limit.h"
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

// Bytes that grow without being set to zero first; always followed by room for the padding.
class Buffer {
 public:
  Buffer(std::string name, uint64_t limit)
      : name_(std::move(name)), limit_(limit > 0 ? limit : most_memory() / 2) {}
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

// -1 for what is no file. Others are not even opened: that alone can end a pipe.
int open_regular(const std::string& path) {
  struct stat status {};
  if (stat(path.c_str(), &status) != 0 || !S_ISREG(status.st_mode)) return -1;
  return ::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
}

struct stat status_of(int descriptor) {
  struct stat status {};
  if (fstat(descriptor, &status) != 0) status.st_mode = 0;
  return status;
}

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

// Zeros with room for the padding.
std::shared_ptr<char> empty_text(size_t size, const std::string& name) {
  try {
    return zeros<char>(size + Source::padding);
  } catch (const std::bad_alloc&) {
    fail_memory(name, size);
  }
}

void read_part(int descriptor, const std::string& name, char* to, size_t begin, size_t end) {
  while (begin < end) {
    const ssize_t got = pread(descriptor, to, end - begin, static_cast<off_t>(begin));
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) fail_reading(name, errno);
    if (got == 0) {
      fail(name, "the file became shorter while it was read",
           "read it again when nothing writes to it");
    }
    begin += static_cast<size_t>(got);
    to += got;
  }
}

// Read, not mapped: what others do to the file later neither changes the bytes nor ends the process
// by a signal.
std::shared_ptr<const char> read_file(int descriptor, size_t size, const std::string& name,
                                      const Parallel& parallel) {
  const std::shared_ptr<char> bytes = empty_text(size, name);
  constexpr size_t part = size_t{8} << 20;
  const Blocks parts{size, part};
  parallel.each(parts.blocks(), [&](size_t i) {
    read_part(descriptor, name, bytes.get() + parts.begin(i), parts.begin(i), parts.end(i));
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
  const OpenFile file(path == "-" ? 0 : ::open(path.c_str(), O_RDONLY | O_CLOEXEC));
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

OpenFile::~OpenFile() {
  if (descriptor_ > 0) close(descriptor_);  // 0 is standard input
}

FileParts::FileParts(const std::string& path) : name_(path), file_(open_regular(path)) {
  const struct stat status = status_of(file_.get());
  if (!S_ISREG(status.st_mode)) return;
  size_ = static_cast<size_t>(status.st_size);
  changed_ = change_time();
}

Source FileParts::beginning(size_t bytes) const {
  std::string_view text;
  std::vector<char> buffer;
  if (size_ / 2 > bytes) text = read(0, bytes, buffer);
  text = text.substr(0, text.rfind('\n') + 1);
  return Source::copy(is_packed(text) ? std::string_view() : text, name_, 0);
}

std::string_view FileParts::read(size_t begin, size_t end, std::vector<char>& buffer) const {
  const size_t size = end - begin;
  if (buffer.size() < size + 2 * Source::padding) buffer.resize(size + 2 * Source::padding);
  char* const text = buffer.data() + Source::padding;
  try {
    read_part(file_.get(), name_, text, begin, end);
  } catch (const Error&) {
    const std::lock_guard lock(mutex_);
    if (!failure_) failure_ = std::current_exception();
    throw;
  }
  std::memset(text + size, 0, Source::padding);
  return {text, size};
}

void FileParts::throw_if_failed() const {
  const std::lock_guard lock(mutex_);
  if (failure_) std::rethrow_exception(failure_);
}

bool FileParts::has_changed() const {
  return status_of(file_.get()).st_size != static_cast<off_t>(size_) || change_time() != changed_;
}

FileParts::ChangeTime FileParts::change_time() const {
  const struct stat status = status_of(file_.get());
  return {status.st_mtim.tv_sec, status.st_mtim.tv_nsec, status.st_ctim.tv_sec,
          status.st_ctim.tv_nsec};
}

}  // namespace softwood

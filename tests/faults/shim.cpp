// Faults of the system, for a program that loads this library first (LD_PRELOAD). SOFTWOOD_FAULT
// names one, and only files below SOFTWOOD_FAULT_FOLDER have it:
//   short      a call reads or writes only some of the bytes
//   interrupt  every other call is interrupted
//   shrink     a file loses its second half once its first half was read
//   error      reading fails
//   full:N     the disk takes N more bytes
//   threads    there are no more threads, wherever files are

#include <dlfcn.h>
#include <fcntl.h>
#include <pthread.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <climits>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <string_view>

namespace {

using Read = ssize_t (*)(int, void*, size_t);
using Pread = ssize_t (*)(int, void*, size_t, off_t);
using Write = ssize_t (*)(int, const void*, size_t);

std::atomic<unsigned> calls{0};
std::atomic<long> written{0};

template <class Function>
Function real(const char* name) {
  return reinterpret_cast<Function>(dlsym(RTLD_NEXT, name));
}

std::string_view variable(const char* name) {
  const char* const value = std::getenv(name);
  return value == nullptr ? "" : value;
}

bool has_faults(int file) {
  char link[64], path[PATH_MAX];
  std::snprintf(link, sizeof link, "/proc/self/fd/%d", file);
  const ssize_t length = readlink(link, path, sizeof path);
  const std::string_view folder = variable("SOFTWOOD_FAULT_FOLDER");
  return length > 0 && !folder.empty() &&
         std::string_view(path, static_cast<size_t>(length)).starts_with(folder);
}

bool interrupted() {
  if (variable("SOFTWOOD_FAULT") != "interrupt" || ++calls % 2 == 0) return false;
  errno = EINTR;
  return true;
}

size_t some_of(size_t count) {
  constexpr unsigned most = 997;
  return variable("SOFTWOOD_FAULT") == "short" ? std::min<size_t>(count, 1 + ++calls * 31 % most)
                                               : count;
}

// Half of what is left of the file from `at` on; the rest is cut off when that half was read.
size_t shrinking(int file, size_t count, off_t at) {
  struct stat status {};
  if (variable("SOFTWOOD_FAULT") != "shrink" || fstat(file, &status) != 0 ||
      !S_ISREG(status.st_mode) || at > 0) {
    return count;
  }
  const off_t half = status.st_size / 2;
  char link[64];
  std::snprintf(link, sizeof link, "/proc/self/fd/%d", file);
  if (truncate(link, half) != 0) std::abort();
  return std::min(count, static_cast<size_t>(half));
}

// Whether reading goes on, and how many bytes it may ask for.
bool may_read(int file, size_t& count, off_t at) {
  if (!has_faults(file)) return true;
  if (variable("SOFTWOOD_FAULT") == "error") {
    errno = EIO;
    return false;
  }
  count = shrinking(file, some_of(count), at);
  return !interrupted();
}

}  // namespace

extern "C" {

ssize_t read(int file, void* to, size_t count) {
  const off_t at = lseek(file, 0, SEEK_CUR);
  return may_read(file, count, at) ? real<Read>("read")(file, to, count) : -1;
}

ssize_t pread(int file, void* to, size_t count, off_t at) {
  return may_read(file, count, at) ? real<Pread>("pread")(file, to, count, at) : -1;
}

ssize_t pread64(int file, void* to, size_t count, off_t at) { return pread(file, to, count, at); }

int pthread_create(pthread_t* thread, const pthread_attr_t* attributes, void* (*body)(void*),
                   void* argument) {
  if (variable("SOFTWOOD_FAULT") == "threads") return EAGAIN;
  return real<decltype(&pthread_create)>("pthread_create")(thread, attributes, body, argument);
}

ssize_t write(int file, const void* from, size_t count) {
  if (has_faults(file)) {
    const std::string_view fault = variable("SOFTWOOD_FAULT");
    if (fault.starts_with("full:")) {
      const long room = std::atol(fault.data() + 5) - written;
      if (room <= 0) {
        errno = ENOSPC;
        return -1;
      }
      count = std::min(count, static_cast<size_t>(room));
    }
    count = some_of(count);
    if (interrupted()) return -1;
  }
  const ssize_t done = real<Write>("write")(file, from, count);
  if (done > 0 && has_faults(file)) written += done;
  return done;
}
}

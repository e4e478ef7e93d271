#include "study/stale.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <filesystem>
#include <mutex>
#include <string_view>
#include <system_error>
#include <unordered_map>

namespace softwood {
namespace {

namespace fs = std::filesystem;

bool take_digits(std::string_view& text) {
  const size_t digits = std::min(text.find_first_not_of("0123456789"), text.size());
  text.remove_prefix(digits);
  return digits > 0;
}

bool take(std::string_view& text, std::string_view start) {
  if (!text.starts_with(start)) return false;
  text.remove_prefix(start.size());
  return true;
}

bool is_part_of(std::string_view name, std::string_view whole) {
  return take(name, whole) && take(name, ".") && take_digits(name) && take(name, "-") &&
         take_digits(name) && name == ".part";
}

// Whether a folder is to be listed: for the first file that the process writes into it, and then
// once per as many files as were found there. So the files of a large folder do not each pay for
// all others.
class Listings {
 public:
  bool due(const std::string& folder) {
    const std::lock_guard lock(mutex_);
    size_t& files = files_before_next_[folder];
    if (files == 0) return true;
    --files;
    return false;
  }
  void found(const std::string& folder, size_t files) {
    const std::lock_guard lock(mutex_);
    files_before_next_[folder] = files;
  }

 private:
  std::mutex mutex_;
  std::unordered_map<std::string, size_t> files_before_next_;
};

}  // namespace

bool lock_file(int file) {
  if (flock(file, LOCK_EX | LOCK_NB) != 0) return errno != EWOULDBLOCK;
  struct stat status {};
  return fstat(file, &status) != 0 || status.st_nlink > 0;
}

bool remove_if_abandoned(const std::string& path, const std::function<void()>& remove) {
  const int file = open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
  if (file < 0) return false;
  struct stat status {};
  const bool abandoned = fstat(file, &status) == 0 && S_ISREG(status.st_mode) &&
                         status.st_uid == geteuid() && flock(file, LOCK_EX | LOCK_NB) == 0;
  if (abandoned) remove();  // whoever makes it now sees the lock, or a file without links
  close(file);
  return abandoned;
}

void remove_stale_parts(const std::string& path) {
  const fs::path whole(path);
  const fs::path folder = whole.has_parent_path() ? whole.parent_path() : ".";
  const std::string name = whole.filename().string();
  static Listings listings;
  if (!listings.due(folder)) return;
  std::error_code error;
  size_t files = 0;
  for (fs::directory_iterator at(folder, error), end; !error && at != end; at.increment(error)) {
    ++files;
    if (!is_part_of(at->path().filename().string(), name)) continue;
    const std::string part = at->path().string();
    remove_if_abandoned(part, [&] { unlink(part.c_str()); });
  }
  listings.found(folder, files);
}

}  // namespace softwood

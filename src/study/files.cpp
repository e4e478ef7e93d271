#include "study/files.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <system_error>

#include "base/file_text.h"
#include "study/stale.h"

namespace softwood {
namespace fs = std::filesystem;

namespace {

// The file that a link points to is replaced, not the link.
std::string resolved(const std::string& path) {
  std::error_code ignored;
  return fs::is_symlink(path, ignored) ? fs::weakly_canonical(path, ignored).string() : path;
}

}  // namespace

Error not_writable(const std::string& shown, int error) {
  std::string hint;
  if (error == ENOENT) hint = "make the folder first, or choose another one";
  if (error == EACCES || error == EROFS) hint = "choose a folder that you may write to";
  if (error == ENOSPC || error == EDQUOT) hint = "make room, or choose another folder";
  if (error == EFBIG) hint = "a limit of file sizes is set here ('ulimit -f'); raise it";
  if (error == EPIPE) hint = "the program that reads it has stopped reading";
  return Error(ErrorKind::failure, fmt::format("can't be written: {}", std::strerror(error)), shown,
               hint);
}

FileOutput::FileOutput(const std::string& path) : shown_(path), path_(resolved(path)) {
  std::error_code ignored;
  const fs::file_status status = fs::status(path_, ignored);
  if (fs::is_directory(status)) fail(EISDIR);
  if (fs::exists(status) && !fs::is_regular_file(status)) {  // /dev/null, a named pipe
    file_ = open(path_.c_str(), O_WRONLY | O_CLOEXEC);
    if (file_ < 0) fail(errno);
    return;
  }
  if (fs::exists(status) && access(path_.c_str(), W_OK) != 0) fail(errno);
  remove_stale_parts(path_);
  open_part();
}

void FileOutput::open_part() {
  // Several threads may write one file: the last one to finish wins, whole.
  static std::atomic<unsigned> files{0};
  for (;;) {
    temporary_ = fmt::format("{}.{}-{}.part", path_, getpid(), ++files);
    unfinished_.reset();
    unfinished_.emplace(temporary_);
    file_ = open(temporary_.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
    if (file_ < 0 && errno == EEXIST) continue;  // of another machine that shares the folder
    if (file_ < 0) fail(errno);
    if (lock_file(file_)) return;
    close(file_);
  }
}

FileOutput::~FileOutput() {
  if (file_ < 0) return;
  close(file_);
  if (!temporary_.empty()) unlink(temporary_.c_str());
}

void FileOutput::write(std::string_view text) {
  while (!text.empty()) {
    const ssize_t written = ::write(file_, text.data(), text.size());
    if (written < 0 && errno != EINTR) fail(errno);
    if (written > 0) text.remove_prefix(static_cast<size_t>(written));
  }
}

void FileOutput::finish() {
  const int lock = dup(file_);  // held until the file is in its place
  const int closed = close(file_);
  file_ = -1;
  const int error = closed == 0 ? 0 : errno;
  if (!temporary_.empty()) {
    const bool moved = error == 0 && std::rename(temporary_.c_str(), path_.c_str()) == 0;
    const int cause = error != 0 ? error : errno;
    if (!moved) unlink(temporary_.c_str());
    if (lock >= 0) close(lock);
    if (!moved) fail(cause);
    unfinished_.reset();
  } else {
    if (lock >= 0) close(lock);
    if (error != 0) fail(error);
  }
}

void FileOutput::fail(int error) const { throw not_writable(shown_, error); }

std::string read_model_text(const std::string& path) {
  std::error_code ignored;
  if (fs::is_directory(path, ignored)) {
    throw Error(ErrorKind::model, "is a folder, not a model file", path);
  }
  try {
    return file_text(path);
  } catch (const std::system_error& error) {
    throw Error(ErrorKind::model, "can't be opened: " + error.code().message(), path,
                {AdviceCode::save_model, "a model file is what saving a trained model writes"});
  }
}

}  // namespace softwood

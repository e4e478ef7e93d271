#include "study/files.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <sstream>

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
  if (error == ENOSPC) hint = "make room, or choose another folder";
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
  // Several threads may write one file: the last one to finish wins, whole.
  static std::atomic<unsigned> files{0};
  temporary_ = fmt::format("{}.{}-{}.part", path_, getpid(), ++files);
  unfinished_.emplace(temporary_);
  file_ = open(temporary_.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
  if (file_ < 0) fail(errno);
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
  const int closed = close(file_);
  file_ = -1;
  const int error = closed == 0 ? 0 : errno;
  if (!temporary_.empty()) {
    if (error != 0 || std::rename(temporary_.c_str(), path_.c_str()) != 0) {
      const int cause = error != 0 ? error : errno;
      unlink(temporary_.c_str());
      fail(cause);
    }
    unfinished_.reset();
  } else if (error != 0) {
    fail(error);
  }
}

void FileOutput::fail(int error) const { throw not_writable(shown_, error); }

std::string read_model_text(const std::string& path) {
  std::error_code ignored;
  if (fs::is_directory(path, ignored)) {
    throw Error(ErrorKind::model, "is a folder, not a model file", path);
  }
  std::ifstream file(path, std::ios::binary);
  if (!file) {
    throw Error(ErrorKind::model, fmt::format("can't be opened: {}", std::strerror(errno)), path,
                {AdviceCode::save_model, "a model file is what saving a trained model writes"});
  }
  std::ostringstream text;
  text << file.rdbuf();
  if (file.bad()) throw Error(ErrorKind::model, "can't be read", path);
  return std::move(text).str();
}

}  // namespace softwood

#include "cli/check/process.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <system_error>

#include "base/file_text.h"
#include "base/text.h"
#include "softwood/error.h"
#include "study/files.h"
#include "study/stale.h"

namespace softwood {
namespace {

namespace fs = std::filesystem;

// Only functions that are safe between fork and exec.
[[noreturn]] void become(const std::vector<char*>& words, const char* folder, int output) {
  const int nothing = open("/dev/null", O_RDONLY | O_CLOEXEC);
  dup2(nothing, STDIN_FILENO);
  dup2(output, STDOUT_FILENO);
  dup2(output, STDERR_FILENO);
  signal(SIGPIPE, SIG_DFL);
  signal(SIGXFSZ, SIG_DFL);
  if (chdir(folder) == 0) execvp(words[0], words.data());
  _exit(127);
}

std::string last_lines_of(const std::string& text) {
  constexpr size_t most = 5;
  std::vector<std::string> lines;
  for (const std::string_view line : split(trim(text), '\n')) lines.emplace_back(line);
  if (lines.size() > most) lines.erase(lines.begin(), lines.end() - most);
  return join(lines, "\n");
}

constexpr std::string_view folder_prefix = "softwood-check-";
constexpr size_t folder_letters = 6;  // that mkdtemp replaces
constexpr const char* lock_name = "softwood.lock";

// Those whose lock nobody holds, and those that are still empty.
void remove_abandoned_folders(const fs::path& base) {
  std::error_code error;
  for (fs::directory_iterator at(base, error), end; !error && at != end; at.increment(error)) {
    const std::string name = at->path().filename().string();
    std::error_code ignored;
    if (!name.starts_with(folder_prefix) || name.size() != folder_prefix.size() + folder_letters ||
        !fs::is_directory(at->symlink_status(ignored))) {
      continue;
    }
    const auto remove = [&] { fs::remove_all(at->path(), ignored); };
    if (!remove_if_abandoned(at->path() / lock_name, remove)) rmdir(at->path().c_str());
  }
}

}  // namespace

TemporaryFolder::TemporaryFolder() {
  std::error_code failed;
  const fs::path base = fs::temp_directory_path(failed);
  if (failed) {
    throw Error(ErrorKind::failure, "there is no folder for temporary files", {},
                "the variable TMPDIR names one");
  }
  remove_abandoned_folders(base);
  for (;;) {
    path_ = base / (std::string(folder_prefix) + std::string(folder_letters, 'X'));
    if (mkdtemp(path_.data()) == nullptr) throw not_writable(path_, errno);
    const std::string lock = file(lock_name);
    lock_ = open(lock.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
    if (lock_ < 0 && errno != ENOENT) {
      const int error = errno;
      rmdir(path_.c_str());
      throw not_writable(path_, error);
    }
    if (lock_ >= 0 && lock_file(lock_)) return;
    if (lock_ >= 0) close(lock_);  // removed before it was locked
  }
}

TemporaryFolder::~TemporaryFolder() {
  std::error_code ignored;
  fs::remove_all(path_, ignored);
  close(lock_);
}

bool has_program(const std::string& name) {
  const char* const path = std::getenv("PATH");
  if (path == nullptr) return false;
  for (const std::string_view folder : split(path, ':')) {
    const std::string file = fmt::format("{}/{}", folder.empty() ? "." : folder, name);
    std::error_code failed;
    if (fs::is_regular_file(file, failed) && access(file.c_str(), X_OK) == 0) return true;
  }
  return false;
}

void require_programs(const std::vector<std::string>& names) {
  for (const std::string& name : names) {
    if (has_program(name)) continue;
    throw Error(ErrorKind::failure, fmt::format("the check needs the program '{}'", name), {},
                "it was not found on the PATH; install it, or leave --check out");
  }
}

void require_python_modules(const std::vector<std::string>& names) {
  require_programs({"python3"});
  for (const std::string& name : names) {
    const ProcessResult result = run_process({"python3", "-c", "import " + name}, "/");
    if (result.code == 0) continue;
    throw Error(ErrorKind::failure,
                fmt::format("the check needs the package '{}' of python3", name), {},
                fmt::format("'python3 -m pip install {}' installs it", name));
  }
}

ProcessResult run_process(const std::vector<std::string>& words, const std::string& folder) {
  const TemporaryFolder logs;
  const std::string log = logs.file("output");
  const int output = open(log.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
  if (output < 0) throw not_writable(log, errno);
  std::vector<char*> pointers;
  std::vector<std::string> copies = words;
  for (std::string& word : copies) pointers.push_back(word.data());
  pointers.push_back(nullptr);
  const pid_t child = fork();
  if (child == 0) become(pointers, folder.c_str(), output);
  close(output);
  if (child < 0) {
    throw Error(ErrorKind::failure,
                fmt::format("'{}' can't be run: {}", words[0], std::strerror(errno)));
  }
  int status = 0;
  while (waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  constexpr int signalled = 128;
  const int code = WIFEXITED(status) ? WEXITSTATUS(status) : signalled + WTERMSIG(status);
  return {code, read_file(log)};
}

void run_or_fail(const std::vector<std::string>& words, const std::string& folder) {
  const ProcessResult result = run_process(words, folder);
  if (result.code == 0) return;
  throw Error(ErrorKind::failure, fmt::format("'{}' failed with code {}", words[0], result.code),
              {}, printable_lines(last_lines_of(result.output)));
}

void write_file(const std::string& path, const std::string& text) {
  std::ofstream file(path, std::ios::binary);
  file << text;
  file.close();
  if (!file) throw not_writable(path, errno);
}

std::string read_file(const std::string& path) {
  try {
    return file_text(path);
  } catch (const std::system_error& error) {
    throw Error(ErrorKind::failure, "can't be read: " + error.code().message(), path);
  }
}

bool has_file(const std::string& path) {
  std::error_code failed;
  return fs::exists(path, failed);
}

}  // namespace softwood

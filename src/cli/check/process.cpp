#include "cli/check/process.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "base/text.h"
#include "softwood/error.h"
#include "study/files.h"

namespace softwood {
namespace {

namespace fs = std::filesystem;

// Only functions that are safe between fork and exec.
[[noreturn]] void become(const std::vector<char*>& words, const char* folder, int output) {
  const int nothing = open("/dev/null", O_RDONLY | O_CLOEXEC);
  dup2(nothing, STDIN_FILENO);
  dup2(output, STDOUT_FILENO);
  dup2(output, STDERR_FILENO);
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

}  // namespace

TemporaryFolder::TemporaryFolder() {
  std::error_code failed;
  const fs::path base = fs::temp_directory_path(failed);
  if (failed) {
    throw Error(ErrorKind::failure, "there is no folder for temporary files", {},
                "the variable TMPDIR names one");
  }
  path_ = base / ("softwood-" + std::string(6, 'X'));  // mkdtemp replaces these letters
  if (mkdtemp(path_.data()) == nullptr) throw not_writable(path_, errno);
}

TemporaryFolder::~TemporaryFolder() {
  std::error_code ignored;
  fs::remove_all(path_, ignored);
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
  std::ifstream file(path, std::ios::binary);
  std::ostringstream text;
  text << file.rdbuf();
  if (!file) throw Error(ErrorKind::failure, "can't be read", path);
  return text.str();
}

bool has_file(const std::string& path) {
  std::error_code failed;
  return fs::exists(path, failed);
}

}  // namespace softwood

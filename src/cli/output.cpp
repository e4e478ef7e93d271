#include "cli/output.h"

#include <unistd.h>

#include <cerrno>
#include <cstdio>

#include "base/text.h"
#include "study/unfinished.h"

namespace softwood {

void print(std::string_view text) {
  if (std::fwrite(text.data(), 1, text.size(), stdout) != text.size()) {
    throw not_writable("standard output", errno);
  }
}

void flush_output() {
  if (std::fflush(stdout) != 0) throw not_writable("standard output", errno);
}

void print_message(std::string_view text) {
  std::fwrite(text.data(), 1, text.size(), stderr);
  std::fflush(stderr);
}

Output::Output(const std::string& path) {
  if (path.empty() || path == "-") return;
  file_.emplace(path);
}

void Output::write(std::string_view text) {
  if (file_) return file_->write(text);
  // A terminal would obey the control characters of a name instead of showing them.
  isatty(STDOUT_FILENO) == 1 ? print(printable_lines(text)) : print(text);
}

void Output::finish() {
  if (!file_) return flush_output();
  file_->finish();
  note_saved();
}

}  // namespace softwood

#include "cli/output.h"

#include <cerrno>
#include <cstdio>

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

Output::Output(const std::string& path) {
  if (path.empty() || path == "-") return;
  file_.emplace(path);
}

void Output::write(std::string_view text) { file_ ? file_->write(text) : print(text); }

void Output::finish() {
  if (!file_) return flush_output();
  file_->finish();
  note_saved();
}

}  // namespace softwood

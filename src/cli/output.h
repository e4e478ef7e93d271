// Where results go: standard output, or a file that appears whole or not at all.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "cli/signals.h"

namespace softwood {

// Writes to standard output; a failure Error when that does not work (a full disk).
void print(std::string_view text);
void flush_output();

// A result file, written beside its final place and moved there by finish(). Made before the work
// starts, so that a path that can't be written to is known before hours have been spent on it.
class Output {
 public:
  // An empty path or "-" is standard output. Failure Error when it can't be written.
  explicit Output(const std::string& path);
  ~Output();  // without finish() nothing is left behind
  Output(const Output&) = delete;
  Output& operator=(const Output&) = delete;

  void write(std::string_view text);
  void finish();

 private:
  [[noreturn]] void fail(int error) const;

  std::string shown_;      // as the user named it
  std::string path_;       // empty: standard output
  std::string temporary_;  // empty: written in place (a device or pipe)
  std::optional<Doomed> doomed_;
  int file_ = -1;
};

// The whole text of a file; a model Error when it can't be read.
std::string read_model_text(const std::string& path);

}  // namespace softwood

// Where results go: standard output, or a file that appears whole or not at all.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "study/files.h"

namespace softwood {

// Writes to standard output; a failure Error when that does not work (a full disk).
void print(std::string_view text);
void flush_output();

// Writes to standard error. What can't be written there is lost: it is no reason to stop.
void print_message(std::string_view text);

// A FileOutput, or standard output for an empty path or "-".
class Output {
 public:
  explicit Output(const std::string& path);

  void write(std::string_view text);
  void finish();

 private:
  std::optional<FileOutput> file_;
};

}  // namespace softwood

// Files that appear whole or not at all, and the text of models.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "softwood/error.h"
#include "study/unfinished.h"

namespace softwood {

// A result file, written beside its final place and moved there by finish(). Made before the work
// starts, so that a path that can't be written to is known before hours have been spent on it.
class FileOutput {
 public:
  explicit FileOutput(const std::string& path);  // failure Error when it can't be written
  ~FileOutput();                                 // without finish() nothing is left behind
  FileOutput(const FileOutput&) = delete;
  FileOutput& operator=(const FileOutput&) = delete;

  void write(std::string_view text);
  void finish();

 private:
  void open_part();
  [[noreturn]] void fail(int error) const;

  std::string shown_;      // as the user named it
  std::string path_;       // what a link points to
  std::string temporary_;  // empty: written in place (a device or pipe)
  std::optional<Unfinished> unfinished_;
  int file_ = -1;
};

// What to say when writing failed with this errno.
Error not_writable(const std::string& shown, int error);

// The whole text of a file; a model Error when it can't be read.
std::string read_model_text(const std::string& path);

}  // namespace softwood

// Files that are being written, for the handler of a signal that ends the program.
#pragma once

#include <cstddef>
#include <string>

namespace softwood {

// A file that is removed by remove_unfinished(), if it is not one of very many; `path` is copied.
class Unfinished {
 public:
  explicit Unfinished(const std::string& path);
  ~Unfinished();
  Unfinished(const Unfinished&) = delete;
  Unfinished& operator=(const Unfinished&) = delete;

 private:
  std::string path_;
  size_t slot_;
};

void remove_unfinished();
void note_saved();      // a file has been finished
bool anything_saved();  // whether one has been
bool anything_begun();  // whether there was a file to write

}  // namespace softwood

// Other programs, run for their effect.
#pragma once

#include <string>
#include <vector>

namespace softwood {

// A folder of its own for temporary files, removed with everything in it; the next one removes
// those of programs that were killed.
class TemporaryFolder {
 public:
  TemporaryFolder();  // failure Error when there can be none
  ~TemporaryFolder();
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;

  const std::string& path() const { return path_; }
  std::string file(const std::string& name) const { return path_ + "/" + name; }

 private:
  std::string path_;
  int lock_ = -1;
};

// Whether there is such a program on the PATH.
bool has_program(const std::string& name);
// A failure Error that names the first program that is not there.
void require_programs(const std::vector<std::string>& names);
// Modules of python3; a failure Error that names the first that can't be imported.
void require_python_modules(const std::vector<std::string>& names);

struct ProcessResult {
  int code = 0;        // exit code; 128 and the number of a signal that ended it
  std::string output;  // of standard output and standard error
};

// Runs words[0], found on the PATH, in `folder`, with no standard input. Waits for its end.
ProcessResult run_process(const std::vector<std::string>& words, const std::string& folder);
// The same; a failure Error with the last lines that the program printed when it did not end with
// code 0.
void run_or_fail(const std::vector<std::string>& words, const std::string& folder);

void write_file(const std::string& path, const std::string& text);
std::string read_file(const std::string& path);
bool has_file(const std::string& path);

}  // namespace softwood

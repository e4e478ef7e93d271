// Ctrl-C and SIGTERM, and the temporary files that must not outlive the program.
//
// Reading, growing and pruning have no useful result before they are done: a signal then ends the
// program at once. A stage that can stop at its best tree so far says so with AnytimeWork while it
// runs; the first signal then only sets the flag that Control::interrupt points to, and a second
// one ends the program.
#pragma once

#include <atomic>
#include <string>

namespace softwood {

void catch_signals();
const std::atomic<bool>* interrupt_flag();

class AnytimeWork {
 public:
  AnytimeWork();
  ~AnytimeWork();
  AnytimeWork(const AnytimeWork&) = delete;
  AnytimeWork& operator=(const AnytimeWork&) = delete;
};

// A file that is removed when the program is ended by a signal. Few at a time; `path` is copied.
class Doomed {
 public:
  explicit Doomed(const std::string& path);
  ~Doomed();
  Doomed(const Doomed&) = delete;
  Doomed& operator=(const Doomed&) = delete;

 private:
  std::string path_;
  size_t slot_;
};

}  // namespace softwood

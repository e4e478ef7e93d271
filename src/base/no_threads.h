// The system gives no more threads.
#pragma once

#include <new>

namespace softwood {

// Like the end of memory, of which it may be a sign, this is no Error: nobody takes it for a fault
// of data or of a recipe and goes on without them.
class NoThreads : public std::bad_alloc {
 public:
  const char* what() const noexcept override {
    return "the system gives no more threads: a limit of memory or of threads is reached";
  }
};

}  // namespace softwood

// The only place that knows threads. A Parallel is a handle that is passed to whoever may use more
// than one; results never depend on it, only time does.
#pragma once

#include <cstddef>
#include <functional>
#include <memory>

namespace softwood {

class Parallel {
 public:
  // At most so many, and no more than the process may have; 0: as many as it may have. 1:
  // everything runs in the calling thread.
  explicit Parallel(int threads = 1);

  int threads() const { return threads_; }
  // Calls body(0) … body(tasks-1), each once, in any order; returns when all are done. The first
  // exception is passed on. Tasks should be worth at least some tens of microseconds each.
  void each(size_t tasks, const std::function<void(size_t)>& body) const;
  // Within body: a number below threads() that no other thread has at the same time, for choosing
  // working memory.
  size_t worker() const;

 private:
  struct Arena;
  int threads_;
  std::shared_ptr<Arena> arena_;  // null when single-threaded
};

// Blocks of a fixed size: block b of `count` items is [begin(b), end(b)). The cut depends on the
// items alone, never on the number of threads.
struct Blocks {
  size_t count;
  size_t size;
  size_t blocks() const { return (count + size - 1) / size; }
  size_t begin(size_t b) const { return b * size; }
  size_t end(size_t b) const { return (b + 1) * size < count ? (b + 1) * size : count; }
};

}  // namespace softwood

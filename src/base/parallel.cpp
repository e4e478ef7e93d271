#include "base/parallel.h"

#include <tbb/blocked_range.h>
#include <tbb/global_control.h>
#include <tbb/parallel_for.h>
#include <tbb/task_arena.h>

#include <algorithm>
#include <stdexcept>
#include <string_view>

#include "base/float_environment.h"
#include "base/no_threads.h"

// TBB is not built for the thread sanitizer, so this file tells it what the tasks wait for.
#ifdef SOFTWOOD_TSAN
extern "C" void __tsan_acquire(void* address);
extern "C" void __tsan_release(void* address);
#endif

namespace softwood {
namespace {

#ifdef SOFTWOOD_TSAN
void happens_before(char& point) { __tsan_release(&point); }
void happens_after(char& point) { __tsan_acquire(&point); }
#else
void happens_before(char&) {}
void happens_after(char&) {}
#endif

}  // namespace

struct Parallel::Arena {
  explicit Arena(int threads) : arena(threads) {}
  tbb::task_arena arena;
};

// More threads than the process may have would need a change of its global limit, which is the
// host's.
Parallel::Parallel(int threads) : threads_(tbb::this_task_arena::max_concurrency()) {
  const size_t allowed =
      tbb::global_control::active_value(tbb::global_control::max_allowed_parallelism);
  if (threads > 0) threads_ = static_cast<int>(std::min(static_cast<size_t>(threads), allowed));
  if (threads_ > 1) arena_ = std::make_shared<Arena>(threads_);
}

void Parallel::each(size_t tasks, const std::function<void(size_t)>& body) const {
  if (!arena_ || tasks < 2) {
    for (size_t task = 0; task < tasks; ++task) body(task);
    return;
  }
  char fork = 0, join = 0;
  const auto all = [&] {
    tbb::parallel_for(
        tbb::blocked_range<size_t>(0, tasks, 1),
        [&](const tbb::blocked_range<size_t>& range) {
          const FloatEnvironment usual;  // the threads may be the host's
          happens_after(fork);
          for (size_t task = range.begin(); task < range.end(); ++task) body(task);
          happens_before(join);
        },
        tbb::simple_partitioner());
  };
  // Isolated: a thread that waits here takes no task of an outer call, which might want a lock that
  // this thread holds.
  happens_before(fork);
  try {
    arena_->arena.execute([&] { tbb::this_task_arena::isolate(all); });
  } catch (const std::runtime_error& error) {
    // What TBB says when the system gives it no thread; the system does not say which limit it was.
    if (std::string_view(error.what()).starts_with("pthread_create")) throw NoThreads();
    throw;
  }
  happens_after(join);
}

size_t Parallel::worker() const {
  // A single task runs outside of the arena, where the index means nothing.
  const int index = tbb::this_task_arena::current_thread_index();
  return arena_ && index >= 0 && index < threads_ ? static_cast<size_t>(index) : 0;
}

}  // namespace softwood

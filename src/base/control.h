// What a long computation tells its caller (progress, notes) and is told by it (stop).
#pragma once

#include <atomic>
#include <chrono>
#include <cstddef>
#include <functional>
#include <optional>
#include <string_view>

#include "softwood/note.h"
#include "softwood/progress.h"

namespace softwood {

struct Control {
  using Clock = std::chrono::steady_clock;

  // Called from one thread at a time.
  std::function<void(const Progress&)> progress;
  std::function<void(const Note&)> note;
  // Whether the work should end now. Any thread may ask, often: it should do no more than look at a
  // flag. Empty when nobody can interrupt.
  std::function<bool()> interrupt;
  std::optional<Clock::time_point> deadline;
  // How much StoppableWork there is: while there is none, nobody asks whether to end.
  std::atomic<int>* stoppable = nullptr;
  // A warning: rows or cells were not taken as they are. Without it they go where notes go.
  std::function<void(const Note&)> warning;
  // The stage that runs, for its progress.
  std::string stage;
  // An earlier stage was stopped and has a tree that is kept: what follows works to its end.
  bool must_finish = false;

  void say(const Note& what) const {
    if (note) note(what);
  }
  void warn(const Note& what) const { warning ? warning(what) : say(what); }
  void report(std::string_view activity, double done, double of = 1,
              std::optional<double> best = {}) const {
    if (progress) progress({stage, activity, done, of, best});
  }
  bool interrupted() const { return interrupt && interrupt(); }
  // Anytime stages ask this between steps and return the best tree so far when it has a value.
  std::optional<Stopped> should_stop() const {
    if (interrupted()) return Stopped::interrupt;
    if (deadline && Clock::now() >= *deadline) return Stopped::budget;
    return std::nullopt;
  }
  // Work that has no result before its end (growing, sorting, pruning) asks this instead, for every
  // input and every rows_between_asks rows: an Error of kind interrupted, thrown on an interrupt
  // alone. A budget lets such work finish.
  void throw_if_interrupted() const {
    if (!must_finish && interrupted()) throw_interrupted();
  }
  // For work inside other work: told to stop, but tells nothing.
  Control silent() const {
    Control inner;
    inner.interrupt = interrupt;
    inner.stoppable = stoppable;
    inner.deadline = deadline;
    inner.must_finish = must_finish;
    return inner;
  }

 private:
  [[noreturn]] static void throw_interrupted();
};

constexpr size_t rows_between_asks = size_t{1} << 20;

// Calls work(begin, end) for one block of rows after the other; asks before each.
template <class Work>
void each_block(size_t rows, const Control& control, const Work& work) {
  for (size_t begin = 0; begin < rows; begin += rows_between_asks) {
    control.throw_if_interrupted();
    work(begin, std::min(rows, begin + rows_between_asks));
  }
}

// For work on many small pieces: adds up their rows, and asks when enough have come together.
class RowsUntilAsk {
 public:
  void add(size_t rows, const Control& control) {
    rows_ += rows;
    if (rows_ < rows_between_asks) return;
    rows_ = 0;
    control.throw_if_interrupted();
  }

 private:
  size_t rows_ = 0;
};

// Held around work that asks whether it should end.
class StoppableWork {
 public:
  explicit StoppableWork(const Control& control) : count_(control.stoppable) {
    if (count_ != nullptr) ++*count_;
  }
  ~StoppableWork() {
    if (count_ != nullptr) --*count_;
  }
  StoppableWork(const StoppableWork&) = delete;
  StoppableWork& operator=(const StoppableWork&) = delete;

 private:
  std::atomic<int>* count_;
};

}  // namespace softwood

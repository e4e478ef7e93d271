// What a long computation tells its caller (progress, notes) and is told by it (stop).
#pragma once

#include <atomic>
#include <chrono>
#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include "softwood/progress.h"

namespace softwood {

std::string_view stopped_name(Stopped stopped);

struct Control {
  using Clock = std::chrono::steady_clock;

  // Called from one thread at a time.
  std::function<void(const Progress&)> progress;
  // A note for the user, one line.
  std::function<void(const std::string&)> note;
  // Whether the work should end now. Any thread may ask, often: it should do no more than look at a
  // flag. Empty when nobody can interrupt.
  std::function<bool()> interrupt;
  std::optional<Clock::time_point> deadline;
  // How much StoppableWork there is: while there is none, nobody asks whether to end.
  std::atomic<int>* stoppable = nullptr;
  // A warning: rows or cells were not taken as they are. Without it they go where notes go.
  std::function<void(const std::string&)> warning;
  // The stage that runs, for its progress.
  std::string stage;

  void say(const std::string& text) const {
    if (note) note(text);
  }
  void warn(const std::string& text) const { warning ? warning(text) : say(text); }
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
  // For work inside other work: told to stop, but tells nothing.
  Control silent() const {
    Control inner;
    inner.interrupt = interrupt;
    inner.stoppable = stoppable;
    inner.deadline = deadline;
    return inner;
  }
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

// What a long computation tells its caller (progress, notes) and is told by it (stop).
#pragma once

#include <atomic>
#include <chrono>
#include <functional>
#include <optional>
#include <string>
#include <string_view>

namespace softwood {

enum class Stopped { converged, budget, interrupt };
std::string_view stopped_name(Stopped stopped);

struct Control {
  using Clock = std::chrono::steady_clock;

  // Fraction of the work done in [0, 1], and what is being done: its name, and after a colon how
  // far it is. Called from one thread at a time.
  std::function<void(double fraction, std::string_view what)> progress;
  // A note for the user, one line.
  std::function<void(const std::string&)> note;
  // Set from a signal handler; null when nobody can interrupt.
  const std::atomic<bool>* interrupt = nullptr;
  std::optional<Clock::time_point> deadline;
  // How much AnytimeWork there is: while there is none, an interrupt ends the program at once.
  std::atomic<int>* anytime = nullptr;
  // A warning: rows or cells were not taken as they are. Without it they go where notes go.
  std::function<void(const std::string&)> warning;

  void say(const std::string& text) const {
    if (note) note(text);
  }
  void warn(const std::string& text) const { warning ? warning(text) : say(text); }
  void report(double fraction, std::string_view what) const {
    if (progress) progress(fraction, what);
  }
  // Anytime stages ask this between steps and return the best tree so far when it has a value.
  std::optional<Stopped> should_stop() const {
    if (interrupt != nullptr && interrupt->load(std::memory_order_relaxed))
      return Stopped::interrupt;
    if (deadline && Clock::now() >= *deadline) return Stopped::budget;
    return std::nullopt;
  }
  // For work inside other work: told to stop, but tells nothing.
  Control silent() const {
    Control inner;
    inner.interrupt = interrupt;
    inner.anytime = anytime;
    inner.deadline = deadline;
    return inner;
  }
};

// Held around work that asks should_stop() and has a useful result whenever it stops.
class AnytimeWork {
 public:
  explicit AnytimeWork(const Control& control) : count_(control.anytime) {
    if (count_ != nullptr) ++*count_;
  }
  ~AnytimeWork() {
    if (count_ != nullptr) --*count_;
  }
  AnytimeWork(const AnytimeWork&) = delete;
  AnytimeWork& operator=(const AnytimeWork&) = delete;

 private:
  std::atomic<int>* count_;
};

}  // namespace softwood

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

  // Fraction of the work done in [0, 1], and what is being done. Called from one thread at a time.
  std::function<void(double fraction, std::string_view what)> progress;
  // A note or warning for the user, one line.
  std::function<void(const std::string&)> note;
  // Set from a signal handler; null when nobody can interrupt.
  const std::atomic<bool>* interrupt = nullptr;
  std::optional<Clock::time_point> deadline;

  void say(const std::string& text) const {
    if (note) note(text);
  }
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
};

}  // namespace softwood

// How long a search that was told to stop may still take.
#pragma once

#include <algorithm>
#include <chrono>
#include <mutex>
#include <optional>

#include "base/control.h"

namespace softwood::evolve {

// A search that is told to stop still places its thresholds, which most often takes no time. Where
// it does: a user who interrupts waits for half a second; a budget may be exceeded by a second, or
// by a tenth of the time until then.
class GracePeriod {
 public:
  using Clock = Control::Clock;

  explicit GracePeriod(const Control& control, Clock::time_point began = Clock::now())
      : control_(control), began_(began) {}

  // It begins when this is asked for the first time after the stop; an interrupt may shorten it.
  bool is_over(Clock::time_point now = Clock::now()) {
    if (!control_.should_stop()) return false;
    const bool interrupted = control_.interrupted();
    const std::lock_guard lock(mutex_);
    if (!until_) until_ = now + std::max<Clock::duration>(least, (now - began_) / 10);
    if (interrupted) until_ = std::min(*until_, now + for_user);
    return now >= *until_;
  }

  // For work that has no result before its end.
  Control control() {
    Control asked;
    asked.interrupt = [this] { return is_over(); };
    return asked;
  }

 private:
  static constexpr std::chrono::milliseconds for_user{500};
  static constexpr std::chrono::seconds least{1};
  const Control& control_;
  Clock::time_point began_;
  std::mutex mutex_;
  std::optional<Clock::time_point> until_;
};

}  // namespace softwood::evolve

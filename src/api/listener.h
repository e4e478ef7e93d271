// What long work is told and tells, from the public form to the library's own.
#pragma once

#include <algorithm>
#include <chrono>
#include <cmath>
#include <mutex>
#include <utility>

#include "base/control.h"
#include "softwood/error.h"
#include "softwood/train.h"

namespace softwood {

// A Control as the caller wants it, and the notes that were made.
class Listener {
 public:
  explicit Listener(const Controls& controls) : controls_(controls) {
    control_.progress = controls.progress;
    control_.note = [this](const Note& note) { take(note, false); };
    control_.warning = [this](const Note& note) { take(note, true); };
    control_.interrupt = [this] { return is_stopped(); };
    if (controls.budget) set_deadline(controls.budget->count());
  }
  Listener(const Listener&) = delete;
  Listener& operator=(const Listener&) = delete;

  const Control& control() const { return control_; }
  const NoteList& notes() const { return notes_; }
  const NoteList& warnings() const { return warnings_; }  // those of the notes that are warnings

 private:
  void set_deadline(double seconds) {
    if (std::isnan(seconds)) throw Error(ErrorKind::usage, "the budget is not a number");
    // More than a clock can count is no limit.
    constexpr double longest = 1e9;  // some 30 years
    if (seconds > longest) return;
    control_.deadline =
        Control::Clock::now() + std::chrono::duration_cast<Control::Clock::duration>(
                                    std::chrono::duration<double>(std::max(seconds, 0.0)));
  }
  bool is_stopped() const {
    return (controls_.stop_flag != nullptr &&
            controls_.stop_flag->load(std::memory_order_relaxed)) ||
           (controls_.stop && controls_.stop());
  }
  void take(const Note& note, bool is_warning) {
    const std::lock_guard lock(mutex_);
    if (controls_.note) controls_.note(note);
    notes_.push_back(note);
    if (is_warning) warnings_.push_back(note);
  }

  const Controls& controls_;
  Control control_;
  std::mutex mutex_;
  NoteList notes_, warnings_;
};

// The same where the caller need not want anything.
class OptionalListener {
 public:
  explicit OptionalListener(const Controls* controls)
      : listener_(controls == nullptr ? none_ : *controls) {}

  const Control& control() const { return listener_.control(); }

 private:
  const Controls none_;
  Listener listener_;
};

}  // namespace softwood

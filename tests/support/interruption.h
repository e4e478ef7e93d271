// A caller that interrupts after a number of questions, and counts them: no clock is needed.
#pragma once

#include <atomic>
#include <limits>

#include "base/control.h"

namespace softwood::test {

class Interruption {
 public:
  // Says yes from question number `from` on, the first being 1.
  explicit Interruption(size_t from = std::numeric_limits<size_t>::max()) : from_(from) {}

  Control control() {
    Control control;
    control.interrupt = [this] { return ++asked_ >= from_; };
    return control;
  }
  size_t asked() const { return asked_; }

 private:
  const size_t from_;
  std::atomic<size_t> asked_ = 0;
};

}  // namespace softwood::test

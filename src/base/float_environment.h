// Floating-point arithmetic as the standard has it, whatever the host has set.
#pragma once

#include <cfenv>

namespace softwood {

// While it lives, this thread rounds to nearest, keeps subnormal numbers and traps nothing. Then
// the host's settings are back.
class FloatEnvironment {
 public:
  FloatEnvironment() {
    std::fegetenv(&host_);
    std::fesetenv(FE_DFL_ENV);
  }
  ~FloatEnvironment() { std::fesetenv(&host_); }
  FloatEnvironment(const FloatEnvironment&) = delete;
  FloatEnvironment& operator=(const FloatEnvironment&) = delete;

 private:
  std::fenv_t host_{};
};

}  // namespace softwood

// A value on the heap that may be absent: copied with its owner, 8 bytes where there is none.
#pragma once

#include <memory>
#include <utility>

namespace softwood {

template <class T>
class Owned {
 public:
  Owned() = default;
  explicit Owned(T value) : held_(std::make_unique<T>(std::move(value))) {}
  Owned(const Owned& other) : held_(other.held_ ? std::make_unique<T>(*other.held_) : nullptr) {}
  Owned(Owned&&) noexcept = default;
  Owned& operator=(const Owned& other) {
    if (this != &other) *this = Owned(other);
    return *this;
  }
  Owned& operator=(Owned&&) noexcept = default;
  ~Owned() = default;

  explicit operator bool() const { return held_ != nullptr; }
  T& operator*() { return *held_; }
  const T& operator*() const { return *held_; }
  T* operator->() { return held_.get(); }
  const T* operator->() const { return held_.get(); }
  void reset() { held_.reset(); }

 private:
  std::unique_ptr<T> held_;
};

}  // namespace softwood

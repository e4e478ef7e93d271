// The values of a column, owned or borrowed. They never change, so that copies share them and any
// number of threads may read them.
#pragma once

#include <algorithm>
#include <cassert>
#include <cstddef>
#include <memory>
#include <span>
#include <utility>
#include <vector>

namespace softwood {

template <class T>
class Cells {
 public:
  using value_type = T;
  using iterator = const T*;
  using const_iterator = const T*;

  Cells() = default;
  // NOLINTNEXTLINE(google-explicit-constructor): a vector is what cells are made of
  Cells(std::vector<T> values) : Cells(std::make_shared<std::vector<T>>(std::move(values))) {}
  // `owner` keeps the memory alive; where it is null the caller does.
  Cells(const T* data, size_t size, std::shared_ptr<const void> owner)
      : data_(data), size_(size), owner_(std::move(owner)) {}

  const T* data() const { return data_; }
  size_t size() const { return size_; }
  bool empty() const { return size_ == 0; }
  const T& operator[](size_t i) const {
    assert(i < size_);
    return data_[i];
  }
  const T& back() const { return (*this)[size_ - 1]; }
  const T* begin() const { return data_; }
  const T* end() const { return data_ + size_; }

  std::vector<T> to_vector() const { return {begin(), end()}; }
  // The values for writing: moved out when nobody shares or lends them, copied otherwise.
  std::vector<T> take() && {
    std::vector<T> values =
        vector_ != nullptr && owner_.use_count() == 1 ? std::move(*vector_) : to_vector();
    *this = Cells();
    return values;
  }

  friend bool operator==(const Cells& a, const Cells& b) {
    return std::equal(a.begin(), a.end(), b.begin(), b.end());
  }

 private:
  explicit Cells(std::shared_ptr<std::vector<T>> vector)
      : data_(vector->data()), size_(vector->size()), vector_(vector.get()), owner_(vector) {}

  const T* data_ = nullptr;
  size_t size_ = 0;
  std::vector<T>* vector_ = nullptr;  // what owner_ holds; null when the cells are borrowed
  std::shared_ptr<const void> owner_;
};

}  // namespace softwood

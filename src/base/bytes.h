// Plain values and vectors of them as bytes, for what crosses from one process to another.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "softwood/error.h"

namespace softwood {

using Bytes = std::vector<std::byte>;
using ByteView = std::span<const std::byte>;  // bytes of someone else

// What bytes begin with: what they are, and the version of their form. Numbers are written as they
// are in memory: machines that exchange them have the same order of bytes.
struct ByteForm {
  std::array<char, 4> magic;
  uint32_t version;
  const char* what;  // for messages: "a summary of a table"
};

class ByteWriter {
 public:
  template <class T>
  void value(const T& item) {
    static_assert(std::is_trivially_copyable_v<T>);
    append(&item, sizeof(T));
  }
  template <class T>
  void vector(const std::vector<T>& items) {
    span(std::span<const T>(items));
  }
  template <class T>
  void span(std::span<const T> items) {
    static_assert(std::is_trivially_copyable_v<T>);
    value(static_cast<uint64_t>(items.size()));
    if (!items.empty()) append(items.data(), items.size_bytes());
  }
  // Whole numbers in as few bytes as each needs, seven bits in each; small negative ones, too.
  void wholes(std::span<const int64_t> numbers) {
    value(static_cast<uint64_t>(numbers.size()));
    bytes_.reserve(bytes_.size() + numbers.size());
    for (const int64_t number : numbers) {
      auto rest = (static_cast<uint64_t>(number) << 1) ^ static_cast<uint64_t>(number >> 63);
      for (; rest >= 128; rest >>= 7) bytes_.push_back(static_cast<std::byte>(rest | 128));
      bytes_.push_back(static_cast<std::byte>(rest));
    }
  }
  void text(const std::string& text) { vector(std::vector<char>(text.begin(), text.end())); }
  void form(const ByteForm& form) {
    value(form.magic);
    value(form.version);
  }
  Bytes take() { return std::move(bytes_); }

 private:
  void append(const void* from, size_t count) {
    const size_t at = bytes_.size();
    bytes_.resize(at + count);
    std::memcpy(bytes_.data() + at, from, count);
  }

  Bytes bytes_;
};

class ByteReader {
 public:
  // The bytes must outlive the reader.
  explicit ByteReader(ByteView bytes) : bytes_(bytes) {}

  template <class T>
  T value() {
    T item;
    std::memcpy(&item, take(sizeof(T)), sizeof(T));
    return item;
  }
  template <class T>
  std::vector<T> vector() {
    const auto count = value<uint64_t>();
    if (count > (bytes_.size() - at_) / sizeof(T)) throw too_short();
    std::vector<T> items(count);
    if (count > 0) std::memcpy(items.data(), take(count * sizeof(T)), count * sizeof(T));
    return items;
  }
  // A vector of bytes where it is, which must outlive the view.
  template <class T>
  std::span<const T> view() {
    static_assert(sizeof(T) == 1);
    const auto count = value<uint64_t>();
    if (count > bytes_.size() - at_) throw too_short();
    return {reinterpret_cast<const T*>(take(count)), count};
  }
  std::vector<int64_t> wholes() {
    const auto count = value<uint64_t>();
    if (count > bytes_.size() - at_) throw too_short();
    std::vector<int64_t> numbers(count);
    for (int64_t& number : numbers) {
      uint64_t all = 0;
      for (uint32_t shift = 0;; shift += 7) {
        if (at_ == bytes_.size() || shift > 63) throw too_short();
        const auto byte = static_cast<uint64_t>(bytes_[at_++]);
        all |= (byte & 127) << shift;
        if (byte < 128) break;
      }
      number = static_cast<int64_t>((all >> 1) ^ (~(all & 1) + 1));
    }
    return numbers;
  }
  std::string text() {
    const std::vector<char> letters = vector<char>();
    return {letters.begin(), letters.end()};
  }
  // Refuses bytes of another form or version.
  void form(const ByteForm& form) {
    if (value<std::array<char, 4>>() != form.magic) {
      throw Error(ErrorKind::failure, std::string("these bytes are not ") + form.what);
    }
    const auto version = value<uint32_t>();
    if (version == form.version) return;
    throw Error(ErrorKind::failure,
                std::string(form.what) + " has version " + std::to_string(version) +
                    ", and this program knows version " + std::to_string(form.version),
                {}, "use the same version everywhere");
  }
  bool at_end() const { return at_ == bytes_.size(); }
  // Refuses bytes that go on.
  void end() const {
    if (!at_end()) throw Error(ErrorKind::failure, "a message between processes is too long");
  }

 private:
  static Error too_short() {
    return {ErrorKind::failure, "a message between processes is cut short"};
  }
  const std::byte* take(size_t count) {
    if (count > bytes_.size() - at_) throw too_short();
    at_ += count;
    return bytes_.data() + (at_ - count);
  }

  ByteView bytes_;
  size_t at_ = 0;
};

}  // namespace softwood

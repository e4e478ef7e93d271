// Finds the cells of a text without quotes, 64 bytes at a time. Knowing them in advance lets the
// processor work on several cells at once: no cell has to wait until the end of the one before it
// is known.
#pragma once

#include <cstddef>
#include <vector>

namespace softwood {

class CellScanner {
 public:
  // `end` counts as a newline when there is none before it. 63 bytes behind it must be readable.
  CellScanner(const char* begin, const char* end, char delimiter)
      : next_(begin), end_(end), delimiter_(delimiter), starts_{begin} {}

  // At least `count` cells that were not taken yet, as far as the text has so many. Pointers are
  // valid until the next call.
  size_t available(size_t count) {
    if (found_ - taken_ < count && next_ < end_) scan(count);
    return found_ - taken_;
  }
  // Cell i goes from starts()[i] to the separator before starts()[i + 1].
  const char* const* starts() const { return starts_.data() + taken_; }
  void take(size_t count) { taken_ += count; }

 private:
  void scan(size_t count);

  const char* next_;  // what is before it has been scanned
  const char* end_;
  char delimiter_;
  std::vector<const char*> starts_;  // one more than found_
  size_t taken_ = 0, found_ = 0;     // cells
};

}  // namespace softwood

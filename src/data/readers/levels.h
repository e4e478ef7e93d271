// Texts numbered in the order in which they are first seen.
#pragma once

#include <cstdint>
#include <deque>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace softwood {

class LevelIndex {
 public:
  // The code of `text`, a new one when it was not seen before. The text must outlive the index.
  int32_t code(std::string_view text) { return code_of(text, false); }
  // The same for text that does not last: a new level is copied.
  int32_t code_of_copy(std::string_view text) { return code_of(text, true); }
  // -1 when it was never seen.
  int32_t find(std::string_view text) const;

  const std::vector<std::string_view>& levels() const { return levels_; }

 private:
  int32_t code_of(std::string_view text, bool copy);
  void grow();

  std::vector<std::string_view> levels_;
  std::vector<size_t> hashes_;   // of the levels
  std::vector<uint32_t> slots_;  // open addressing: code + 1, 0 for a free one
  // Few have any, and there may be an index per chunk and column.
  std::unique_ptr<std::deque<std::string>> copies_;
  int32_t last_ = -1;  // cells often repeat the one before
};

}  // namespace softwood

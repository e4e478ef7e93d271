#include "data/readers/levels.h"

#include <functional>

namespace softwood {

int32_t LevelIndex::find(std::string_view text) const {
  if (slots_.empty()) return -1;
  const size_t hash = std::hash<std::string_view>()(text);
  const size_t mask = slots_.size() - 1;
  for (size_t slot = hash & mask; slots_[slot] != 0; slot = (slot + 1) & mask) {
    const size_t code = slots_[slot] - 1;
    if (hashes_[code] == hash && levels_[code] == text) return static_cast<int32_t>(code);
  }
  return -1;
}

int32_t LevelIndex::code_of(std::string_view text, bool copy) {
  if (last_ >= 0 && levels_[static_cast<size_t>(last_)] == text) return last_;
  if (levels_.size() * 2 >= slots_.size()) grow();
  const size_t hash = std::hash<std::string_view>()(text);
  const size_t mask = slots_.size() - 1;
  size_t slot = hash & mask;
  for (; slots_[slot] != 0; slot = (slot + 1) & mask) {
    const size_t code = slots_[slot] - 1;
    if (hashes_[code] == hash && levels_[code] == text) return last_ = static_cast<int32_t>(code);
  }
  if (copy) {
    if (!copies_) copies_ = std::make_unique<std::deque<std::string>>();
    text = copies_->emplace_back(text);
  }
  levels_.push_back(text);
  hashes_.push_back(hash);
  slots_[slot] = static_cast<uint32_t>(levels_.size());
  return last_ = static_cast<int32_t>(levels_.size() - 1);
}

void LevelIndex::grow() {
  slots_.assign(slots_.empty() ? 16 : slots_.size() * 2, 0);
  const size_t mask = slots_.size() - 1;
  for (size_t code = 0; code < hashes_.size(); ++code) {
    size_t slot = hashes_[code] & mask;
    while (slots_[slot] != 0) slot = (slot + 1) & mask;
    slots_[slot] = static_cast<uint32_t>(code + 1);
  }
}

}  // namespace softwood

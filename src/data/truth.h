// Truth values have several spellings: false and true in Arrow and in columns of booleans, False
// and True where Python writes a file, 0 and 1 in arrays of numbers.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace softwood {

// "true" and "false" in lower or upper case or with a capital; nothing for other texts.
std::optional<bool> truth_of_word(std::string_view word);

// Two levels that are truth values: words, which take 0 and 1 as well, or 0 and 1, which take
// words.
class TruthLevels {
 public:
  static std::optional<TruthLevels> of(const std::vector<std::string>& levels);

  int32_t code(bool value) const { return codes_[value ? 1 : 0]; }
  std::optional<int32_t> code_of(std::string_view text) const;
  bool are_words() const { return are_words_; }

 private:
  std::array<int32_t, 2> codes_ = {0, 1};  // of false and of true
  bool are_words_ = false;
};

}  // namespace softwood

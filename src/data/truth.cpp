#include "data/truth.h"

#include "data/readers/number.h"

namespace softwood {
namespace {

std::optional<bool> truth_of_number(std::string_view text) {
  double number = 0;
  if (read_number(text, number) != NumberText::finite || (number != 0 && number != 1)) {
    return std::nullopt;
  }
  return number == 1;
}

}  // namespace

std::optional<bool> truth_of_word(std::string_view word) {
  if (word == "true" || word == "True" || word == "TRUE") return true;
  if (word == "false" || word == "False" || word == "FALSE") return false;
  return std::nullopt;
}

std::optional<TruthLevels> TruthLevels::of(const std::vector<std::string>& levels) {
  if (levels.size() != 2) return std::nullopt;
  TruthLevels found;
  found.are_words_ = truth_of_word(levels[0]).has_value();
  const auto truth = found.are_words_ ? truth_of_word : truth_of_number;
  const std::optional<bool> first = truth(levels[0]), second = truth(levels[1]);
  if (!first || !second || *first == *second) return std::nullopt;
  if (*first) found.codes_ = {1, 0};
  return found;
}

std::optional<int32_t> TruthLevels::code_of(std::string_view text) const {
  std::optional<bool> value = truth_of_word(text);
  if (!value && are_words_) value = truth_of_number(text);
  return value ? std::optional<int32_t>(code(*value)) : std::nullopt;
}

}  // namespace softwood

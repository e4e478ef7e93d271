// One look at every byte of a text: is it UTF-8 without zero bytes, and how many lines has it?
#pragma once

#include <cstddef>
#include <string_view>

namespace softwood {

struct TextSummary {
  size_t newlines = 0;
  bool has_quote = false;       // "
  const char* fault = nullptr;  // first zero byte or byte that is not part of valid UTF-8
};

TextSummary summarise_text(std::string_view text);

size_t count_newlines(std::string_view text);

}  // namespace softwood

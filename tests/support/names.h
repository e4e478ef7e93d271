// Names of parameterised tests: what is tested, not the number of the case.
#pragma once

#include <gtest/gtest.h>

#include <cctype>
#include <string>
#include <string_view>
#include <type_traits>

namespace softwood::test {

// As GoogleTest takes names, letters, digits and single underscores: "grow search=binned" becomes
// "grow_search_binned".
inline std::string test_name(std::string_view text) {
  std::string name;
  for (const char c : text) {
    if (std::isalnum(static_cast<unsigned char>(c)) != 0) {
      name += c;
    } else if (!name.empty() && name.back() != '_') {
      name += '_';
    }
  }
  while (!name.empty() && name.back() == '_') name.pop_back();
  return name;
}

// For INSTANTIATE_TEST_SUITE_P: names the case by how it is printed.
struct ByText {
  template <class Param>
  std::string operator()(const testing::TestParamInfo<Param>& test) const {
    if constexpr (std::is_convertible_v<Param, std::string_view>) {
      return test_name(test.param);
    } else {
      return test_name(testing::PrintToString(test.param));
    }
  }
};

}  // namespace softwood::test

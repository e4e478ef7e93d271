#include "data/readers/number.h"

#include <gtest/gtest.h>

#include <bit>
#include <charconv>
#include <cmath>
#include <string>
#include <vector>

#include "base/random.h"
#include "data/readers/csv_numbers.h"

namespace softwood {
namespace {

// read_plain_number needs readable bytes behind the text.
std::string padded(const std::string& text) { return text + std::string(64, '\0'); }

void expect_as_from_chars(const std::string& text) {
  double expected = 0;
  const auto result = std::from_chars(text.data(), text.data() + text.size(), expected);
  ASSERT_EQ(result.ec, std::errc()) << text;

  const std::string bytes = padded(text);
  double plain = 0;
  const char* end = read_plain_number(bytes.data(), plain);
  if (end != nullptr) {
    EXPECT_EQ(end, bytes.data() + text.size()) << text;
    EXPECT_EQ(std::bit_cast<uint64_t>(plain), std::bit_cast<uint64_t>(expected)) << text;
  }
  double general = 0;
  EXPECT_EQ(read_number(text, general), NumberText::finite) << text;
  EXPECT_EQ(std::bit_cast<uint64_t>(general), std::bit_cast<uint64_t>(expected)) << text;
}

std::string random_number_text(Random& random) {
  const auto digits = [&](uint64_t most) {
    std::string text;
    for (uint64_t n = random.below(most + 1); n > 0; --n) {
      text += static_cast<char>('0' + random.below(10));
    }
    return text;
  };
  std::string text = random.below(2) == 0 ? "-" : "";
  const std::string whole = digits(random.below(2) == 0 ? 4 : 22);
  text += whole;
  if (whole.empty() || random.below(2) == 0) {
    const std::string fraction = digits(random.below(2) == 0 ? 7 : 22);
    text += "." + (whole.empty() && fraction.empty() ? "5" : fraction);
  }
  if (random.below(3) == 0) {
    text += random.below(2) == 0 ? "e" : "E";
    text += random.below(2) == 0 ? "-" : (random.below(2) == 0 ? "+" : "");
    text += std::to_string(random.below(random.below(2) == 0 ? 25 : 250));
  }
  return text;
}

TEST(Number, IsExactlyWhatFromCharsGives) {
  Random random(1, "numbers");
  for (int i = 0; i < 300000; ++i) expect_as_from_chars(random_number_text(random));
}

TEST(Number, RandomDoublesComeBack) {
  Random random(2, "doubles");
  for (int i = 0; i < 100000; ++i) {
    const auto value = std::bit_cast<double>(random.next());
    if (!std::isfinite(value)) continue;
    char text[64];
    const auto end = std::to_chars(text, text + sizeof text, value).ptr;
    double back = 0;
    ASSERT_EQ(read_number({text, static_cast<size_t>(end - text)}, back), NumberText::finite);
    EXPECT_EQ(std::bit_cast<uint64_t>(back), std::bit_cast<uint64_t>(value));
  }
}

TEST(Number, EdgesOfTheFastPath) {
  for (const char* text : {"0",
                           "-0",
                           "0.0",
                           "9007199254740992",
                           "9007199254740993",
                           "-9007199254740991.5",
                           "1e22",
                           "1e23",
                           "1e-22",
                           "1e-23",
                           "123456789012345678",
                           "1234567890123456789",
                           "12345678901234567890",
                           "0.12345678901234567",
                           "99999999",
                           "999999999",
                           "1.",
                           ".5",
                           "-.5",
                           "1.e5",
                           "00000000001",
                           "0.000000000000000000000000000001",
                           "5e-324",
                           "1.7976931348623157e308"}) {
    expect_as_from_chars(text);
  }
}

TEST(Number, WhatIsNoNumber) {
  for (const char* text : {"", "-", "+", ".", "e5", "1e", "1e+", "0x10", "1,5", "1 2", "--1", "+-1",
                           "abc", "1a", "1.2.3", "nan", "1_000", "- 1"}) {
    double value = 0;
    EXPECT_EQ(read_number(text, value), NumberText::none) << text;
    const std::string bytes = padded(text);
    const char* end = read_plain_number(bytes.data(), value);
    EXPECT_TRUE(end == nullptr || *end != '\0') << text;
  }
}

// All texts as cells of one column, by the vector code and one by one: what they take for a plain
// number is exactly what from_chars gives.
void expect_cells_as_from_chars(const std::vector<std::string>& texts) {
  std::string bytes(16, '7');  // digits before the first cell must not get into it
  std::vector<size_t> offsets;
  for (const std::string& text : texts) {
    offsets.push_back(bytes.size());
    bytes += text + ',';
  }
  offsets.push_back(bytes.size());
  bytes += std::string(64, '\0');
  std::vector<const char*> starts;
  for (size_t offset : offsets) starts.push_back(bytes.data() + offset);
  for (const auto read : {read_plain_numbers, read_plain_numbers_one_by_one}) {
    std::vector<double> values(texts.size());
    std::vector<uint32_t> others(texts.size());
    others.resize(read(starts.data(), 1, texts.size(), values.data(), others.data()));
    size_t next_other = 0;
    for (size_t i = 0; i < texts.size(); ++i) {
      const std::string& text = texts[i];
      if (next_other < others.size() && others[next_other] == i) {
        ++next_other;
        EXPECT_FALSE(text == "12.5" || text == "-0.25" || text == "7") << text;
        continue;
      }
      double expected = 0;
      const auto result = std::from_chars(text.data(), text.data() + text.size(), expected);
      EXPECT_TRUE(result.ec == std::errc() && result.ptr == text.data() + text.size()) << text;
      EXPECT_EQ(std::bit_cast<uint64_t>(values[i]), std::bit_cast<uint64_t>(expected)) << text;
    }
    EXPECT_EQ(next_other, others.size());
  }
}

TEST(Number, CellsOfAColumnAreWhatFromCharsGives) {
  std::vector<std::string> texts = {"12.5",
                                    "-0.25",
                                    "7",
                                    "",
                                    "-",
                                    "+",
                                    ".",
                                    "-.",
                                    "..",
                                    "1.2.3",
                                    "--1",
                                    "1-",
                                    "-0",
                                    "-0.0",
                                    "0.",
                                    ".5",
                                    "-.5",
                                    "5",
                                    " 5",
                                    "5 ",
                                    "5\r",
                                    "+5",
                                    "1e5",
                                    "NA",
                                    "nan",
                                    "inf",
                                    "?",
                                    "1:2",
                                    "1/2",
                                    "123456789012345",
                                    "-123456789012345",
                                    "1234567890123456",
                                    "9007199254740993",
                                    ".123456789012345",
                                    "-.123456789012345",
                                    "0.12345678901234",
                                    "-12345678.1234567",
                                    "0.1234567890123456789",
                                    "99999999",
                                    "999999999999999.",
                                    "1\xC3\xA4",
                                    "\xB1",
                                    "\xFF.5"};
  Random random(3, "cells");
  constexpr std::string_view letters = "0123456789012345678901234567890123456789..--+eE ";
  for (int i = 0; i < 100000; ++i) {
    texts.push_back(random_number_text(random));
    std::string text;
    for (uint64_t n = random.below(20); n > 0; --n) text += letters[random.below(letters.size())];
    texts.push_back(text);
  }
  expect_cells_as_from_chars(texts);
}

TEST(Number, PlusInfinityAndRange) {
  double value = 0;
  EXPECT_EQ(read_number("+1.5", value), NumberText::finite);
  EXPECT_EQ(value, 1.5);
  for (const char* text :
       {"inf", "-inf", "+Inf", "Infinity", "1e999", "-1e400", "1e99999999999999999999", "1000e306",
        "1e9223372036854775807", "0.001e9223372036854775806", "1000e9223372036854775800"}) {
    EXPECT_EQ(read_number(text, value), NumberText::infinite) << text;
    EXPECT_TRUE(std::isinf(value)) << text;
  }
  for (const char* text :
       {"1e-999", "-0.0001e-400", "1e-99999999999999999999", "0e999", "0.0001e-9223372036854775807",
        "1e-9223372036854775808", "0e9223372036854775807"}) {
    EXPECT_EQ(read_number(text, value), NumberText::finite) << text;
    EXPECT_EQ(value, 0.0) << text;
  }
}

TEST(Number, MarksOfMissingCells) {
  for (const char* text : {"", "?", "NA", "na", "nan", "NaN", "NAN", "-nan", "null", "NULL"}) {
    EXPECT_TRUE(is_missing_text(text)) << text;
  }
  for (const char* text : {"??", "N", "none", "n/a", "0", "-", "nana", "nulls", "-na", "?NA", "Na",
                           "nA", "Nan", "Null"}) {
    EXPECT_FALSE(is_missing_text(text)) << text;
  }
}

}  // namespace
}  // namespace softwood

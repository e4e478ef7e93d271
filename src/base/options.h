// Options are declared once, as a table of OptionSpec; parsing, range checks, defaults, help, the
// Python signatures and the documentation all read that table.
#pragma once

#include <map>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace softwood {

enum class OptionType { integer, real, choice, text };

struct OptionSpec {
  std::string name;
  OptionType type;
  std::string fallback;                   // the default, as text; "none" or "auto" mean no number
  std::string help;                       // one sentence
  double low = 0, high = 0;               // inclusive range of integer and real options
  std::vector<std::string> choices = {};  // of choice options
};

// Checked values of one stage: every name of the table has a value.
class Options {
 public:
  using Pairs = std::vector<std::pair<std::string, std::string>>;

  Options() = default;
  // Throws a usage Error for an unknown name (naming the nearest one), a value of the wrong type or
  // out of range. `owner` is who the options belong to, for messages: "grow".
  Options(std::string_view owner, std::span<const OptionSpec> specs, const Pairs& given);

  long integer(std::string_view name) const;
  double real(std::string_view name) const;
  const std::string& text(std::string_view name) const;
  // False for the words "none" and "auto" in a numeric option.
  bool has_number(std::string_view name) const;

  // The given options (not the defaults) in the order of the table: "criterion=gini min-leaf=5".
  // Values with a blank or '|' stand in double quotes.
  std::string given_text() const;

 private:
  std::map<std::string, std::string, std::less<>> values_;
  Pairs given_;
};

// "default 5, 0 to 100", "one of a, b": the declared part of an option as help text.
std::string option_range_text(const OptionSpec& spec);

}  // namespace softwood

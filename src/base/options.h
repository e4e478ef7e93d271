// Options are declared once, as a table of OptionSpec; parsing, range checks, defaults, help, the
// Python signatures and the documentation all read that table.
#pragma once

#include <functional>
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
  // Values of other options without which it has no effect, all of them: "split=oblique",
  // "by=cost-complexity alpha=auto", "leaf=ridge,logistic" (either). Empty: it always has one.
  std::string only_with = {};
  std::vector<std::string> elsewhere = {};  // its names in other programs
};

// The value, "by=pessimistic", because of which the option has no effect; "" when it has one.
// `value` gives the values of other options, "" for one that is not known.
std::string useless_with(const OptionSpec& spec,
                         const std::function<std::string(const std::string&)>& value);
// The option that somebody may mean who writes min_leaf, MinLeaf or minbucket; nullptr: none.
const OptionSpec* option_called(std::string_view name, std::span<const OptionSpec> specs);

// Checked values of one stage: every name of the table has a value.
class Options {
 public:
  using Pairs = std::vector<std::pair<std::string, std::string>>;

  Options() = default;
  // Throws a usage Error for an unknown name (naming the nearest one), a value of the wrong type or
  // out of range, and for an option that has no effect with the others. `owner` is who the options
  // belong to, for messages: "grow".
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
// "by=cost-complexity and alpha=auto", "leaf=ridge or logistic": where it has an effect.
std::string option_condition_text(const OptionSpec& spec);

}  // namespace softwood

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

// Conditions on other options are texts, joined by blanks, all of which must hold: "split=oblique",
// "leaf=ridge,logistic" (either), "monotone!=none" (any other value).

// Where `when` holds, `needs` must hold, too.
struct OptionNeed {
  std::string when;
  std::string needs;
  std::string why = {};  // a clause for the error
};

struct OptionSpec {
  std::string name;
  OptionType type;
  std::string fallback;                     // the default, as text
  std::string help;                         // one sentence
  double low = 0, high = 0;                 // inclusive range of integer and real options
  std::vector<std::string> choices = {};    // of choice options
  std::string only_with = {};               // conditions without which it has no effect
  std::vector<std::string> elsewhere = {};  // its names in other programs
  std::vector<std::string> aliases = {};    // its former names, which are still read
  std::string word = {};                    // that may stand instead of a number: none or auto
  std::vector<OptionNeed> needs = {};       // with which other options some of its values work
  // Its name in Python, where scikit-learn has a parameter of the same meaning; see python_name.
  std::string python = {};
};

// A `high` from here on means that there is no limit.
constexpr double unbounded = 1e15;

// The name of the option's parameter in Python: by default its own with underscores.
std::string python_name(const OptionSpec& spec);

// A name and the value that it stands for. The choices of an option are a table of these, declared
// beside the type of the value.
template <class Value>
struct Named {
  const char* name;
  Value value;
};
template <class Value, size_t count>
std::vector<std::string> names_of(const Named<Value> (&table)[count]) {
  std::vector<std::string> names;
  for (const Named<Value>& entry : table) names.emplace_back(entry.name);
  return names;
}

// The first value, "by=pessimistic", with which a condition does not hold; "" when all hold.
// `value` gives the values of options, "" for one that is not known, which is left out.
std::string broken_by(std::string_view conditions,
                      const std::function<std::string(const std::string&)>& value);
// The option with this name or former name; nullptr: none.
const OptionSpec* find_option(std::string_view name, std::span<const OptionSpec> specs);
// Names are written in many ways; min-leaf, min_leaf and minLeaf are all "minleaf".
std::string bare_name(std::string_view name);
// The option that somebody may mean who writes min_leaf, MinLeaf or minbucket; nullptr: none.
const OptionSpec* option_called(std::string_view name, std::span<const OptionSpec> specs);

// Checked values of one stage: every name of the table has a value.
class Options {
 public:
  using Pairs = std::vector<std::pair<std::string, std::string>>;

  Options() = default;
  // Throws a usage Error for an unknown name (naming the nearest one), a value of the wrong type or
  // out of range, for an option that has no effect with the others, and for values that do not work
  // together. `owner` is who the options belong to, for messages: "grow".
  Options(std::string_view owner, std::span<const OptionSpec> specs, const Pairs& given);

  long integer(std::string_view name) const;
  size_t count(std::string_view name) const { return static_cast<size_t>(integer(name)); }
  double real(std::string_view name) const;
  const std::string& text(std::string_view name) const;
  // False where a word stands instead of a number.
  bool has_number(std::string_view name) const;
  // What the choice stands for in the table that its names were declared from.
  template <class Value, size_t size>
  Value choice(std::string_view name, const Named<Value> (&table)[size]) const {
    const std::string& chosen = text(name);
    for (const Named<Value>& entry : table) {
      if (chosen == entry.name) return entry.value;
    }
    fail_at_choice(name);
  }

  // The given options (not the defaults) in the order of the table: "criterion=gini min-leaf=5".
  // Values with a blank or '|' stand in double quotes.
  std::string given_text() const;

 private:
  [[noreturn]] void fail_at_choice(std::string_view name) const;
  void check_together(std::string_view owner, std::span<const OptionSpec> specs) const;

  std::map<std::string, std::string, std::less<>> values_;
  Pairs given_;
};

// "default 5, 0 to 100", "one of a, b": the declared part of an option as help text.
std::string option_range_text(const OptionSpec& spec);
// "by=cost-complexity and alpha=auto", "leaf=ridge or logistic", "criterion other than gain-ratio".
std::string condition_text(std::string_view conditions);

}  // namespace softwood

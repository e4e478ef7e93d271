#include "base/options.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>

#include "base/text.h"
#include "softwood/error.h"

namespace softwood {
namespace {

bool is_word(const OptionSpec& spec, const std::string& value) {
  return (value == "none" || value == "auto") && spec.fallback == value;
}

void check_value(std::string_view owner, const OptionSpec& spec, const std::string& value) {
  const auto fail = [&](const std::string& expected) {
    throw Error(ErrorKind::usage,
                fmt::format("option '{}' of '{}' can't be '{}'", spec.name, owner, value), {},
                "expected " + expected);
  };
  double number = 0;
  long whole = 0;
  switch (spec.type) {
    case OptionType::text:
      if (value.find('"') != std::string::npos) fail("a text without double quotes");
      return;
    case OptionType::choice:
      if (std::find(spec.choices.begin(), spec.choices.end(), value) == spec.choices.end()) {
        fail("one of " + join(spec.choices, ", "));
      }
      return;
    case OptionType::integer:
      if (is_word(spec, value)) return;
      if (!parse_integer(value, whole)) fail(option_range_text(spec));
      number = static_cast<double>(whole);
      break;
    case OptionType::real:
      if (is_word(spec, value)) return;
      if (!parse_number(value, number)) fail(option_range_text(spec));
      break;
  }
  if (!(number >= spec.low && number <= spec.high)) fail(option_range_text(spec));
}

// "by=cost-complexity alpha=auto" -> {"by", {"cost-complexity"}}, {"alpha", {"auto"}}.
std::vector<std::pair<std::string, std::vector<std::string>>> conditions(const OptionSpec& spec) {
  std::vector<std::pair<std::string, std::vector<std::string>>> parts;
  if (spec.only_with.empty()) return parts;
  for (const std::string_view part : split(spec.only_with, ' ')) {
    const size_t equals = part.find('=');
    std::vector<std::string> values;
    for (const std::string_view value : split(part.substr(equals + 1), ',')) {
      values.emplace_back(value);
    }
    parts.emplace_back(part.substr(0, equals), std::move(values));
  }
  return parts;
}

// Names are written in many ways: min-leaf, min_leaf, minLeaf.
std::string bare_name(std::string_view name) {
  std::string bare;
  for (const char c : name) {
    if (c == '-' || c == '_' || c == '.') continue;
    bare += static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  }
  return bare;
}

std::string unknown_option_hint(std::string_view name, std::span<const OptionSpec> specs) {
  if (const OptionSpec* meant = option_called(name, specs)) {
    return fmt::format("it is called '{}' here", meant->name);
  }
  std::vector<std::string> names;
  for (const OptionSpec& spec : specs) names.push_back(spec.name);
  return known_names_hint(name, names);
}

}  // namespace

std::string useless_with(const OptionSpec& spec,
                         const std::function<std::string(const std::string&)>& value) {
  for (const auto& [name, values] : conditions(spec)) {
    const std::string is = value(name);
    if (!is.empty() && std::find(values.begin(), values.end(), is) == values.end()) {
      return fmt::format("{}={}", name, is);
    }
  }
  return {};
}

const OptionSpec* option_called(std::string_view name, std::span<const OptionSpec> specs) {
  const auto is_it = [bare = bare_name(name)](const std::string& other) {
    return bare_name(other) == bare;
  };
  for (const OptionSpec& spec : specs) {
    if (is_it(spec.name) || std::any_of(spec.elsewhere.begin(), spec.elsewhere.end(), is_it)) {
      return &spec;
    }
  }
  return nullptr;
}

Options::Options(std::string_view owner, std::span<const OptionSpec> specs, const Pairs& given) {
  for (const OptionSpec& spec : specs) values_[spec.name] = spec.fallback;
  for (const auto& [name, value] : given) {
    const auto spec = std::find_if(specs.begin(), specs.end(),
                                   [&name = name](const OptionSpec& s) { return s.name == name; });
    if (spec == specs.end()) {
      throw Error(ErrorKind::usage, fmt::format("'{}' has no option '{}'", owner, name), {},
                  unknown_option_hint(name, specs));
    }
    check_value(owner, *spec, value);
    values_[name] = value;
  }
  // The last value of a name counts; it is written once, in the order of the table.
  for (const OptionSpec& spec : specs) {
    const bool was_given = std::any_of(given.begin(), given.end(),
                                       [&](const auto& pair) { return pair.first == spec.name; });
    if (!was_given) continue;
    given_.emplace_back(spec.name, values_[spec.name]);
    const std::string why =
        useless_with(spec, [this](const std::string& name) { return text(name); });
    if (!why.empty()) {
      throw Error(ErrorKind::usage,
                  fmt::format("option '{}' of '{}' has no effect with {}", spec.name, owner, why),
                  {}, fmt::format("it is for {}", option_condition_text(spec)));
    }
  }
}

const std::string& Options::text(std::string_view name) const {
  const auto found = values_.find(name);
  if (found == values_.end()) throw std::logic_error(fmt::format("no option '{}'", name));
  return found->second;
}

long Options::integer(std::string_view name) const {
  long value = 0;
  parse_integer(text(name), value);
  return value;
}

double Options::real(std::string_view name) const {
  double value = 0;
  parse_number(text(name), value);
  return value;
}

bool Options::has_number(std::string_view name) const {
  double value = 0;
  return parse_number(text(name), value);
}

std::string Options::given_text() const {
  std::vector<std::string> parts;
  for (const auto& [name, value] : given_) {
    const std::string quote = value.find_first_of(" |") == std::string::npos ? "" : "\"";
    parts.push_back(fmt::format("{}={}{}{}", name, quote, value, quote));
  }
  return join(parts, " ");
}

std::string option_condition_text(const OptionSpec& spec) {
  std::vector<std::string> parts;
  for (const auto& [name, values] : conditions(spec)) {
    parts.push_back(name + "=" + join(values, " or "));
  }
  return join(parts, " and ");
}

std::string option_range_text(const OptionSpec& spec) {
  if (spec.type == OptionType::choice) return "one of " + join(spec.choices, ", ");
  if (spec.type == OptionType::text) return "text";
  constexpr double unbounded = 1e15;
  std::string range = spec.type == OptionType::integer ? "a whole number" : "a number";
  range += spec.high >= unbounded ? fmt::format(" of at least {}", spec.low)
                                  : fmt::format(" from {} to {}", spec.low, spec.high);
  if (spec.fallback == "none" || spec.fallback == "auto") range += ", or " + spec.fallback;
  return range;
}

}  // namespace softwood

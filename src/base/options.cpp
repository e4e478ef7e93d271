#include "base/options.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>

#include "base/text.h"
#include "softwood/error.h"

namespace softwood {
namespace {

bool is_word(const OptionSpec& spec, const std::string& value) {
  return !spec.word.empty() && value == spec.word;
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

struct Condition {
  std::string option;
  bool one_of;  // else none of
  std::vector<std::string> values;

  bool holds(const std::string& value) const {
    return (std::find(values.begin(), values.end(), value) != values.end()) == one_of;
  }
  std::string text() const {
    std::string list = join(std::span(values).first(values.size() - 1), ", ");
    if (!list.empty()) list += " or ";
    return option + (one_of ? "=" : " other than ") + list + values.back();
  }
};

std::vector<Condition> parse_conditions(std::string_view text) {
  std::vector<Condition> conditions;
  if (text.empty()) return conditions;
  for (const std::string_view part : split(text, ' ')) {
    const size_t equals = part.find('=');
    const bool one_of = part[equals - 1] != '!';
    Condition condition{std::string(part.substr(0, one_of ? equals : equals - 1)), one_of, {}};
    for (const std::string_view value : split(part.substr(equals + 1), ',')) {
      condition.values.emplace_back(value);
    }
    conditions.push_back(std::move(condition));
  }
  return conditions;
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

std::string broken_by(std::string_view conditions,
                      const std::function<std::string(const std::string&)>& value) {
  for (const Condition& condition : parse_conditions(conditions)) {
    const std::string is = value(condition.option);
    if (!is.empty() && !condition.holds(is)) return fmt::format("{}={}", condition.option, is);
  }
  return {};
}

std::string bare_name(std::string_view name) {
  std::string bare;
  for (const char c : name) {
    if (c == '-' || c == '_' || c == '.') continue;
    bare += static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  }
  return bare;
}

std::string python_name(const OptionSpec& spec) {
  if (!spec.python.empty()) return spec.python;
  std::string name = spec.name;
  std::replace(name.begin(), name.end(), '-', '_');
  return name;
}

const OptionSpec* find_option(std::string_view name, std::span<const OptionSpec> specs) {
  for (const OptionSpec& spec : specs) {
    if (spec.name == name ||
        std::find(spec.aliases.begin(), spec.aliases.end(), name) != spec.aliases.end()) {
      return &spec;
    }
  }
  return nullptr;
}

const OptionSpec* option_called(std::string_view name, std::span<const OptionSpec> specs) {
  const auto is_it = [bare = bare_name(name)](const std::string& other) {
    return bare_name(other) == bare;
  };
  for (const OptionSpec& spec : specs) {
    const auto any = [&](const std::vector<std::string>& names) {
      return std::any_of(names.begin(), names.end(), is_it);
    };
    if (is_it(spec.name) || any(spec.aliases) || any(spec.elsewhere) || is_it(python_name(spec))) {
      return &spec;
    }
  }
  return nullptr;
}

Options::Options(std::string_view owner, std::span<const OptionSpec> specs, const Pairs& given) {
  for (const OptionSpec& spec : specs) values_[spec.name] = spec.fallback;
  for (const auto& [name, value] : given) {
    const OptionSpec* const spec = find_option(name, specs);
    if (spec == nullptr) {
      throw Error(ErrorKind::usage, fmt::format("'{}' has no option '{}'", owner, name), {},
                  unknown_option_hint(name, specs));
    }
    check_value(owner, *spec, value);
    values_[spec->name] = value;
  }
  // The last value of a name counts; it is written once, in the order of the table.
  for (const OptionSpec& spec : specs) {
    const bool was_given = std::any_of(given.begin(), given.end(), [&](const auto& pair) {
      return find_option(pair.first, specs) == &spec;
    });
    if (!was_given) continue;
    given_.emplace_back(spec.name, values_[spec.name]);
    const std::string why =
        broken_by(spec.only_with, [this](const std::string& name) { return text(name); });
    if (!why.empty()) {
      throw Error(ErrorKind::usage,
                  fmt::format("option '{}' of '{}' has no effect with {}", spec.name, owner, why),
                  {}, fmt::format("it is for {}", condition_text(spec.only_with)));
    }
  }
  check_together(owner, specs);
}

void Options::check_together(std::string_view owner, std::span<const OptionSpec> specs) const {
  const auto value = [this](const std::string& name) { return text(name); };
  for (const OptionSpec& spec : specs) {
    for (const OptionNeed& need : spec.needs) {
      if (!broken_by(need.when, value).empty()) continue;
      const std::string other = broken_by(need.needs, value);
      if (other.empty()) continue;
      const std::string one = fmt::format("{}={}", spec.name, text(spec.name));
      throw Error(
          ErrorKind::usage,
          fmt::format("{} of '{}' does not work with {}{}{}", one, owner, other,
                      need.why.empty() ? "" : ": ", need.why),
          {},
          fmt::format("leave one of the two out; {} is for {}", one, condition_text(need.needs)));
    }
  }
}

void Options::fail_at_choice(std::string_view name) const {
  throw std::logic_error(fmt::format("option '{}' has no choice '{}'", name, text(name)));
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

std::string condition_text(std::string_view conditions) {
  std::vector<std::string> parts;
  for (const Condition& condition : parse_conditions(conditions)) {
    parts.push_back(condition.text());
  }
  return join(parts, " and ");
}

std::string option_range_text(const OptionSpec& spec) {
  if (spec.type == OptionType::choice) return "one of " + join(spec.choices, ", ");
  if (spec.type == OptionType::text) return "text";
  std::string range = spec.type == OptionType::integer ? "a whole number" : "a number";
  range += spec.high >= unbounded ? fmt::format(" of at least {}", spec.low)
                                  : fmt::format(" from {} to {}", spec.low, spec.high);
  if (!spec.word.empty()) range += ", or " + spec.word;
  return range;
}

}  // namespace softwood

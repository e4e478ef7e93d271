#include "cli/arguments.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <set>

#include "base/options.h"
#include "base/text.h"
#include "cli/console.h"
#include "softwood/error.h"

namespace softwood {
namespace {

constexpr size_t help_column = 26;

// What options are called in other programs, for verbs that have the option.
struct OptionElsewhere {
  const char *name, *here;
};
constexpr OptionElsewhere options_elsewhere[] = {{"--loss", "--costs"},
                                                 {"--importance", "--summary"},
                                                 {"--varimp", "--summary"},
                                                 {"--cp", "--table"},
                                                 {"--cptable", "--table"},
                                                 {"--prob", "--proba"},
                                                 {"--probability", "--proba"},
                                                 {"--probabilities", "--proba"},
                                                 {"--predict-proba", "--proba"},
                                                 {"--apply", "--leaf"},
                                                 {"--leaves", "--leaf"},
                                                 {"--decision-path", "--path"},
                                                 {"--explain", "--path"},
                                                 {"--why", "--path"},
                                                 {"--label", "--target"},
                                                 {"--response", "--target"},
                                                 {"--y", "--target"},
                                                 {"--k", "--folds"},
                                                 {"--n-splits", "--folds"},
                                                 {"--cv", "--folds"},
                                                 {"--xval", "--folds"},
                                                 {"--test-size", "--test"},
                                                 {"--random-state", "--seed"},
                                                 {"--n-repeats", "--repeats"},
                                                 {"--exclude", "--ignore"},
                                                 {"--drop", "--ignore"},
                                                 {"--categorical", "--nominal"},
                                                 {"--out", "--output"},
                                                 {"--save", "--output"},
                                                 {"--time-limit", "--budget"},
                                                 {"--timeout", "--budget"}};

Error usage_error(const std::string& message, const std::string& hint) {
  return Error(ErrorKind::usage, message, {}, hint);
}

// The parts of a list between commas, trimmed, as cells of a CSV file: what begins with a double
// quote may have commas, and "" in it is one quote. It may go on after its quotes: "a, b"=1 is
// a, b=1. Empty parts are left out.
std::vector<std::string> split_list(std::string_view line) {
  std::vector<std::string> cells;
  while (true) {
    line = trim(line);
    std::string cell;
    for (bool inside = line.starts_with('"'); inside;) {
      line.remove_prefix(1);  // the quote
      const size_t quote = std::min(line.find('"'), line.size());
      cell += line.substr(0, quote);
      line.remove_prefix(std::min(quote + 1, line.size()));
      inside = line.starts_with('"');  // a doubled one
      if (inside) cell += '"';
    }
    const size_t comma = line.find(',');
    cell += trim(line.substr(0, comma));
    if (!cell.empty()) cells.push_back(std::move(cell));
    if (comma == std::string_view::npos) return cells;
    line.remove_prefix(comma + 1);
  }
}

// "  --seed N      help", broken between words, later lines under the help.
std::string help_entry(const std::string& left, const std::string& help) {
  std::string line = "  " + left;
  std::string text;
  if (display_width(line) + 2 > help_column) {
    text = line + "\n";
    line.clear();
  }
  line.resize(line.size() + (help_column - display_width(line)), ' ');
  return text + wrapped(line, help, help_width()) + "\n";
}

// "-o, --output FILE".
std::string option_names_text(const CLI::Option& option) {
  std::vector<std::string> names;
  for (const std::string& name : option.get_snames()) names.push_back("-" + name);
  for (const std::string& name : option.get_lnames()) names.push_back("--" + name);
  const std::string& label = option.get_option_text();
  return join(names, ", ") + (label.empty() ? "" : " " + label);
}

}  // namespace

struct Arguments::Parser {
  explicit Parser(std::string name) : verb(std::move(name)), app("", verb) {
    app.allow_extras();  // collected, so that an unknown option can be named with its nearest
    app.set_help_flag("-h,--help", "This text.");
  }
  std::string verb;
  CLI::App app;
  std::string heading = "Options";
  std::set<const CLI::Option*> repeatable;
  std::function<std::string(const std::string&)> hint_at_unknown;

  std::string see_help() const { return fmt::format("'softwood {} --help' explains", verb); }

  std::vector<std::string> option_names() const {
    std::vector<std::string> names;
    for (const CLI::Option* option : app.get_options()) {
      for (const std::string& name : option->get_lnames()) names.push_back("--" + name);
      for (const std::string& name : option->get_snames()) names.push_back("-" + name);
    }
    return names;
  }

  bool has(const std::string& name) const {
    const std::vector<std::string> names = option_names();
    return std::find(names.begin(), names.end(), name) != names.end();
  }

  // CLI11 takes whatever follows as an option's value: "--target --json" is a forgotten value.
  // So is "--recipe ''", an unset variable of a script.
  void check_value(const std::string& name, const std::string& value) const {
    if (!trim(value).empty() && !has(value)) return;
    throw usage_error(fmt::format("option '{}' needs a value", name), see_help());
  }

  CLI::Option* option(const std::string& name, const std::string& label, const std::string& help,
                      const std::function<void(const std::string&)>& take) {
    const std::string shown = name.substr(name.find(',') + 1);
    return app
        .add_option_function<std::vector<std::string>>(
            name,
            [this, shown, take](const std::vector<std::string>& values) {
              for (const std::string& value : values) {
                check_value(shown, value);
                take(value);
              }
            },
            help)
        ->type_size(1)
        ->expected(1)
        ->allow_extra_args(false)
        ->multi_option_policy(CLI::MultiOptionPolicy::TakeAll)
        ->option_text(label)
        ->group(heading);
  }

  void check_extras() const {
    const std::vector<std::string> extras = app.remaining();
    const auto wrong = std::find_if(extras.begin(), extras.end(), [](const std::string& extra) {
      return extra.size() > 1 && extra[0] == '-';
    });
    if (wrong != extras.end()) {
      const std::string name = wrong->substr(0, wrong->find('='));
      const std::vector<std::string> names = option_names();
      for (const auto& [other, here] : options_elsewhere) {
        if (bare_name(name) != bare_name(other) || !has(here)) continue;
        throw usage_error(fmt::format("'{}' has no option '{}'", verb, name),
                          fmt::format("it is called '{}' here", here));
      }
      const std::string special = hint_at_unknown ? hint_at_unknown(name) : "";
      if (!special.empty()) {
        throw usage_error(fmt::format("'{}' has no option '{}'", verb, name), special);
      }
      // "-o" is as near to "-h" as to anything.
      constexpr size_t one_letter = 2;
      const std::string nearest =
          name.size() > one_letter ? nearest_name(name, names) : std::string();
      throw usage_error(fmt::format("'{}' has no option '{}'", verb, name),
                        nearest.empty() ? see_help() : fmt::format("did you mean '{}'?", nearest));
    }
    if (!extras.empty()) {
      throw usage_error(fmt::format("'{}' does not know what to do with '{}'", verb, extras[0]),
                        see_help());
    }
  }

  void check_repeated() const {
    for (const CLI::Option* option : app.get_options()) {
      if (option->get_positional() || option->count() < 2 || repeatable.contains(option)) continue;
      throw usage_error(fmt::format("option '{}' is given twice", option->get_name()),
                        "leave one of them out");
    }
  }

  // CLI11's wording names the option first: "--seed: 1 required TEXT missing".
  [[noreturn]] void rethrow(const CLI::ParseError& error) const {
    const std::string what = error.what();
    const std::string first = what.substr(0, what.find_first_of(": "));
    if (dynamic_cast<const CLI::RequiredError*>(&error) != nullptr) {
      throw usage_error(fmt::format("'{}' needs {}", verb, first), see_help());
    }
    if (dynamic_cast<const CLI::ArgumentMismatch*>(&error) != nullptr) {
      throw usage_error(fmt::format("option '{}' needs a value", first), see_help());
    }
    if (dynamic_cast<const CLI::ExcludesError*>(&error) != nullptr) {
      const std::string second = what.substr(what.find_last_of(' ') + 1);
      throw usage_error(fmt::format("'{}' and '{}' can't be used together", first, second),
                        see_help());
    }
    throw usage_error(what, see_help());
  }
};

Arguments::Arguments(std::string verb) : parser_(std::make_unique<Parser>(std::move(verb))) {}
Arguments::~Arguments() = default;

void Arguments::positional(const std::string& name, std::string& value, const std::string& help,
                           bool required) {
  parser_->app.add_option(name, value, help)->required(required)->option_text(" ");
}

void Arguments::positionals(const std::string& name, std::vector<std::string>& values,
                            const std::string& help) {
  parser_->app.add_option(name, values, help)->option_text(" ");
}

void Arguments::flag(const std::string& name, bool& value, const std::string& help) {
  parser_->app.add_flag(name, value, help)->group(parser_->heading);
}

void Arguments::text(const std::string& name, const std::string& label, std::string& value,
                     const std::string& help) {
  parser_->option(name, label, help, [&value](const std::string& given) { value = given; });
}

void Arguments::list(const std::string& name, const std::string& label,
                     std::vector<std::string>& values, bool commas, const std::string& help) {
  const auto take = [&values, commas](const std::string& given) {
    if (!commas) {
      values.push_back(given);
      return;
    }
    for (std::string& part : split_list(given)) values.push_back(std::move(part));
  };
  parser_->repeatable.insert(parser_->option(name, label, help, take));
}

void Arguments::pair(const std::string& name, const std::string& label,
                     std::vector<std::string>& values, const std::string& help) {
  const auto take = [&values](const std::string& given) { values.push_back(given); };
  parser_->repeatable.insert(parser_->option(name, label, help, take)->expected(2));
}

void Arguments::integer(const std::string& name, const std::string& label, long& value, long low,
                        long high, const std::string& help) {
  parser_->option(name, label, help, [=, &value](const std::string& given) {
    const bool parsed = parse_integer(given, value);
    if (parsed && value >= low && value <= high) return;
    // An end that nobody meets is not worth a word.
    const bool is_too_large =
        parsed ? value > high
               : (!given.empty() && given.find_first_not_of("0123456789") == std::string::npos);
    const bool both_ends = high < (1L << 53) || is_too_large;
    throw usage_error(fmt::format("option '{}' can't be '{}'", name, given),
                      fmt::format("expected a whole number {}",
                                  both_ends ? fmt::format("from {} to {}", low, high)
                                            : fmt::format("of at least {}", low)));
  });
}

void Arguments::exclusive(const std::string& one, const std::string& other) {
  parser_->app.get_option(one)->excludes(parser_->app.get_option(other));
}

bool Arguments::has(const std::string& name) const { return parser_->has(name); }

void Arguments::group(const std::string& heading) { parser_->heading = heading; }

bool Arguments::given(const std::string& name) const {
  return parser_->app.get_option(name)->count() > 0;
}

void Arguments::hint_at_unknown(std::function<std::string(const std::string& name)> hint) {
  parser_->hint_at_unknown = std::move(hint);
}

bool Arguments::parse(std::span<const std::string> arguments) {
  std::vector<std::string> reversed(arguments.rbegin(), arguments.rend());  // as CLI11 wants them
  try {
    parser_->app.parse(reversed);
  } catch (const CLI::CallForHelp&) {
    return false;
  } catch (const CLI::ParseError& error) {
    parser_->check_extras();  // a mistyped option is the cause more often than what was noticed
    parser_->rethrow(error);
  }
  parser_->check_extras();
  parser_->check_repeated();
  return true;
}

std::string Arguments::help() const {
  const CLI::Option* help_flag = parser_->app.get_help_ptr();
  std::vector<const CLI::Option*> options;
  std::vector<std::string> headings;
  std::string text;
  for (const CLI::Option* option : parser_->app.get_options()) {
    if (option->get_positional()) {
      text += help_entry(option->get_name(true, false), option->get_description());
      continue;
    }
    if (option == help_flag) continue;  // CLI11 keeps it first; it reads better last
    options.push_back(option);
    if (std::find(headings.begin(), headings.end(), option->get_group()) == headings.end()) {
      headings.push_back(option->get_group());
    }
  }
  options.push_back(help_flag);
  if (std::find(headings.begin(), headings.end(), help_flag->get_group()) == headings.end()) {
    headings.push_back(help_flag->get_group());
  }
  for (const std::string& heading : headings) {
    text += fmt::format("{}{}:\n", text.empty() ? "" : "\n", heading);
    for (const CLI::Option* option : options) {
      if (option->get_group() == heading) {
        text += help_entry(option_names_text(*option), option->get_description());
      }
    }
  }
  return text;
}

}  // namespace softwood

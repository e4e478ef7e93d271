#include "cli/program.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <new>

#include "base/float_environment.h"
#include "base/no_threads.h"
#include "base/text.h"
#include "cli/advice.h"
#include "cli/output.h"
#include "cli/signals.h"
#include "cli/verb.h"
#include "softwood/error.h"
#include "softwood/version.h"

namespace softwood {
namespace {

std::string program_help() {
  std::string text =
      "Softwood: decision trees, hard and soft, from the command line.\n\n"
      "Usage: softwood VERB ...\n\n";
  for (const Verb& verb : verbs()) text += fmt::format("  {:15} {}\n", verb.name, verb.summary);
  text +=
      "\n'softwood VERB --help' explains a verb; 'softwood --version' prints the version.\n\n"
      "To begin:\n"
      "  softwood demo\n"
      "  softwood data describe iris.csv\n"
      "  softwood cv iris.csv\n"
      "  softwood train iris.csv -o iris.json\n"
      "  softwood predict iris.json new.csv\n";
  return text;
}

std::string verb_help(const Verb& verb, const Arguments& arguments) {
  std::string text =
      fmt::format("{}.\n\nUsage: softwood {}{}{}\n\n{}\nExamples:\n", verb.summary, verb.name,
                  verb.usage.empty() ? "" : " ", verb.usage, arguments.help());
  for (const std::string_view line : split(verb.examples, '\n')) {
    text += fmt::format("  {}\n", line);
  }
  return text;
}

// What verbs are called in other programs.
constexpr std::pair<const char*, const char*> verbs_elsewhere[] = {
    {"fit", "train"},    {"learn", "train"},  {"score", "evaluate"}, {"test", "evaluate"},
    {"crossval", "cv"},  {"validate", "cv"},  {"print", "show"},     {"plot", "show"},
    {"summary", "show"}, {"prune", "rework"}, {"apply", "predict"},  {"classify", "predict"},
};

// The verb that the arguments begin with, and how many words its name takes.
std::pair<const Verb*, size_t> find_verb(const std::vector<std::string>& arguments) {
  const std::string& one = arguments[0];
  const std::string two = arguments.size() > 1 ? one + " " + arguments[1] : one;
  std::vector<std::string> names;
  std::vector<std::string> seconds;  // "describe", "generate" of "data"
  for (const Verb& verb : verbs()) {
    if (verb.name == one) return {&verb, 1};
    if (verb.name == two) return {&verb, 2};
    names.push_back(verb.name);
    if (verb.name.starts_with(one + " ")) seconds.push_back(verb.name.substr(one.size() + 1));
  }
  if (seconds.empty()) {
    std::string nearest = nearest_name(one, names);
    if (nearest.empty()) nearest = nearest_name(two, names);
    for (const auto& [there, here] : verbs_elsewhere) {
      if (one == there) nearest = here;
    }
    for (const Verb& verb : verbs()) {  // "describe" for "data describe"
      if (verb.name.ends_with(" " + one)) nearest = verb.name;
    }
    throw Error(ErrorKind::usage, fmt::format("there is no verb '{}'", one), {},
                nearest.empty() ? "'softwood --help' lists the verbs"
                                : fmt::format("did you mean 'softwood {}'?", nearest));
  }
  const std::string given = arguments.size() > 1 ? arguments[1] : "";
  throw Error(ErrorKind::usage,
              given.empty() || given.starts_with("-")
                  ? fmt::format("'{}' needs to know what to do", one)
                  : fmt::format("'{}' can't '{}'", one, given),
              {}, fmt::format("known: {} {}", one, join(seconds, fmt::format(", {} ", one))));
}

void run(const std::vector<std::string>& arguments) {
  const std::string first = arguments.empty() ? "--help" : arguments[0];
  if (first == "--version" || first == "-V") return print(fmt::format("softwood {}\n", version()));
  if (first == "help" && arguments.size() > 1 && !arguments[1].starts_with("-")) {
    std::vector<std::string> asked(arguments.begin() + 1, arguments.end());
    asked.emplace_back("--help");
    return run(asked);
  }
  if (first == "--help" || first == "-h" || first == "help") return print(program_help());
  if (first == "data" && arguments.size() == 2 &&
      (arguments[1] == "--help" || arguments[1] == "-h")) {
    return print(program_help());
  }
  if (first.starts_with("-")) {
    throw Error(ErrorKind::usage, fmt::format("'{}' is not an option of the program itself", first),
                {}, "options come after the verb; 'softwood --help' lists the verbs");
  }
  const auto [verb, words] = find_verb(arguments);
  Arguments declared(verb->name);
  const std::function<void()> action = verb->declare(declared);
  if (!declared.parse(std::span(arguments).subspan(words))) {
    return print(verb_help(*verb, declared));
  }
  action();
}

// A file opened later must not get the number of a standard one that is closed: notes would end up
// in the model. Reading the input and writing the output fail as if they were still closed.
void hold_standard_files() {
  constexpr std::array<int, 3> modes = {O_WRONLY, O_RDONLY, O_WRONLY};
  for (int file = 0; file < 3; ++file) {
    if (fcntl(file, F_GETFD) == -1) open("/dev/null", modes[static_cast<size_t>(file)]);
  }
}

int exit_code(ErrorKind kind) {
  switch (kind) {
    case ErrorKind::usage:
      return 2;
    case ErrorKind::data:
    case ErrorKind::model:
      return 3;
    case ErrorKind::failure:
      return 1;
    case ErrorKind::interrupted:
      return interrupted_code();
  }
  return 1;
}

}  // namespace

int run_program(const std::vector<std::string>& arguments) {
  const FloatEnvironment usual;
  hold_standard_files();
  catch_signals();
  try {
    run(arguments);
    flush_output();
    return interrupt_flag()->load() ? interrupted_code() : 0;
  } catch (const Error& error) {
    if (error.kind() == ErrorKind::interrupted) {
      print_message(interrupted_text().substr(isatty(STDERR_FILENO) == 1 ? 0 : 1));
      return exit_code(error.kind());
    }
    constexpr size_t longest_line = 2000;  // a file may have names of any length
    const std::string text = error.text_with(advice_text(error.advice()));
    print_message(fmt::format("softwood: {}\n", printable_lines(text, longest_line)));
    return exit_code(error.kind());
  } catch (const NoThreads& error) {
    print_message(fmt::format(
        "softwood: {}\n  use --threads 1, or raise the limit ('ulimit -u', 'ulimit -v')\n",
        error.what()));
    return 1;
  } catch (const std::bad_alloc&) {
    print_message(
        "softwood: there is not enough memory for this\n"
        "  use fewer rows or columns (--ignore), or a machine with more memory\n");
    return 1;
  } catch (const std::exception& error) {
    print_message(fmt::format("softwood: internal error: {}\n  please report it with the command\n",
                              error.what()));
    return 1;
  }
}

}  // namespace softwood

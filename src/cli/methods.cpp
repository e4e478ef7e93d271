#include <fmt/format.h>

#include <algorithm>

#include "base/text.h"
#include "cli/console.h"
#include "cli/options_text.h"
#include "cli/output.h"
#include "cli/verb.h"
#include "softwood/error.h"
#include "stages/recipe.h"

namespace softwood {

namespace {

std::string fallback_of(const OptionSpec& spec) { return spec.fallback; }

std::string list_text() {
  size_t widest = 0;
  for (const Method& method : methods()) widest = std::max(widest, method.name.size());
  for (const Stage& stage : stages()) widest = std::max(widest, stage.name.size());
  const auto entry = [&](const std::string& name, const std::string& what) {
    return wrapped(fmt::format("  {:{}}  ", name, widest), what, help_width()) + '\n';
  };
  std::string text = "Methods (softwood train DATA --method NAME)\n\n";
  for (const Method& method : methods()) {
    text += entry(method.name, fmt::format("{} ({})", method.help, method.source));
    text += entry("", method.recipe);
  }
  text += "\nStages (softwood train DATA --recipe \"grow ... | prune ...\")\n\n";
  for (const Stage& stage : stages()) text += entry(stage.name, stage.help);
  return text + "\n'softwood methods NAME' explains a method or a stage with every option.\n";
}

// A setting that is allowed and not the default: "grow.criterion=gini".
std::string example_setting(const Stage& stage) {
  for (const OptionSpec& spec : stage.options) {
    for (const std::string& choice : spec.choices) {
      if (choice != spec.fallback) return fmt::format("{}.{}={}", stage.name, spec.name, choice);
    }
  }
  return stage.name + ".KEY=VALUE";
}

std::string method_text(const Method& method) {
  std::string text;
  for (const auto& [name, value] : {std::pair{"method", method.name},
                                    {"what", method.help},
                                    {"recipe", method.recipe},
                                    {"source", method.source}}) {
    text += wrapped(fmt::format("{:8}", name), value, help_width()) + '\n';
  }
  const Recipe recipe = Recipe::parse(method.recipe);
  for (const Step& step : recipe.steps()) {
    text += fmt::format("\n{}: {}\n", step.stage->name, step.stage->help);
    text += options_text(step.stage->options,
                         [&](const OptionSpec& spec) { return step.options.text(spec.name); });
  }
  text += fmt::format("\nTo change one: softwood train DATA --method {} --set {}\n", method.name,
                      example_setting(*recipe.steps().front().stage));
  return text;
}

void run_methods(const std::string& name) {
  if (name.empty()) return print(list_text());
  std::vector<std::string> names;
  for (const Method& method : methods()) {
    if (method.name == name) return print(method_text(method));
    names.push_back(method.name);
  }
  for (const Stage& stage : stages()) {
    if (stage.name == name) {
      return print(fmt::format("{}: {}\n", stage.name, stage.help) +
                   options_text(stage.options, fallback_of));
    }
    names.push_back(stage.name);
  }
  throw Error(ErrorKind::usage, fmt::format("there is no method or stage '{}'", name), {},
              known_names_hint(name, names));
}

}  // namespace

std::function<void()> declare_methods(Arguments& arguments) {
  auto name = std::make_shared<std::string>();
  arguments.positional("NAME", *name, "Method or stage to explain; without it all are listed.",
                       false);
  return [name] { run_methods(*name); };
}

}  // namespace softwood

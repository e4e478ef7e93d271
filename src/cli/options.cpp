#include <fmt/format.h>

#include "base/text.h"
#include "cli/common.h"
#include "cli/console.h"
#include "cli/figures.h"
#include "cli/options_text.h"
#include "cli/output.h"
#include "cli/verb.h"
#include "softwood/version.h"

namespace softwood {
namespace {

const char* type_name(OptionType type) {
  switch (type) {
    case OptionType::integer:
      return "integer";
    case OptionType::real:
      return "real";
    case OptionType::choice:
      return "choice";
    case OptionType::text:
      return "text";
  }
  return "";
}

Json limit(double value) { return value >= unbounded ? Json(nullptr) : Json(value); }
Json or_null(const std::string& text) { return text.empty() ? Json(nullptr) : Json(text); }

Json option_json(const OptionSpec& spec) {
  Json object;
  object["name"] = spec.name;
  object["type"] = type_name(spec.type);
  object["default"] = spec.fallback;
  object["help"] = spec.help;
  const bool number = spec.type == OptionType::integer || spec.type == OptionType::real;
  object["low"] = number ? Json(spec.low) : Json(nullptr);
  object["high"] = number ? limit(spec.high) : Json(nullptr);
  object["word"] = or_null(spec.word);
  object["choices"] = spec.choices;
  object["only_with"] = or_null(spec.only_with);
  object["needs"] = Json::array();
  for (const OptionNeed& need : spec.needs) {
    object["needs"].push_back(
        {{"when", need.when}, {"needs", need.needs}, {"why", or_null(need.why)}});
  }
  object["python"] = python_name(spec);
  object["aliases"] = spec.aliases;
  object["elsewhere"] = spec.elsewhere;
  return object;
}

const char* unseen_rows_name(UnseenRows rows) {
  switch (rows) {
    case UnseenRows::unused:
      return "unused";
    case UnseenRows::useful:
      return "useful";
    case UnseenRows::needed:
      return "needed";
  }
  return "";
}

Json traits_json(const TraitRule& rule) {
  const StageTraits& traits = rule.traits;
  Json object;
  object["when"] = or_null(rule.when);
  object["only_task"] = traits.only_task ? Json(task_name(*traits.only_task)) : Json(nullptr);
  object["asks_monotone"] = traits.asks_monotone;
  object["breaks_monotone"] = traits.breaks_monotone;
  object["makes_soft"] = traits.makes_soft;
  object["makes_hard"] = traits.makes_hard;
  object["works_on_soft"] = !traits.on_soft;
  object["unseen_rows"] = unseen_rows_name(traits.unseen_rows);
  object["divides_rows"] = traits.divides_rows;
  return object;
}

// "with by=reduced-error: needs rows that the tree has not seen"; "": nothing that concerns users.
std::string traits_text(const TraitRule& rule) {
  const StageTraits& traits = rule.traits;
  std::vector<std::string> parts;
  if (traits.only_task) parts.push_back(fmt::format("for {} only", task_name(*traits.only_task)));
  if (traits.asks_monotone) parts.emplace_back("later stages must keep answers monotone");
  if (traits.breaks_monotone) parts.emplace_back("does not keep answers monotone");
  if (traits.makes_soft) parts.emplace_back("makes a soft tree with trained leaves");
  if (traits.makes_hard) parts.emplace_back("makes a hard tree");
  if (traits.on_soft) parts.emplace_back("not after a stage that makes a soft tree");
  if (traits.unseen_rows == UnseenRows::useful) {
    parts.emplace_back("uses validation rows where there are some");
  }
  if (traits.unseen_rows == UnseenRows::needed) {
    parts.emplace_back("judges by validation rows, or by training rows that it holds out");
  }
  if (parts.empty()) return {};
  return (rule.when.empty() ? "" : "with " + condition_text(rule.when) + ": ") + join(parts, "; ");
}

Json stage_json(const Stage& stage) {
  Json object;
  object["name"] = stage.name;
  object["help"] = stage.help;
  object["starts"] = stage.starts;
  object["anytime"] = stage.anytime;
  object["resumes"] = stage.resumes;
  object["chooses"] = stage.chooses;
  object["traits"] = Json::array();
  for (const TraitRule& rule : stage.traits) object["traits"].push_back(traits_json(rule));
  object["options"] = Json::array();
  for (const OptionSpec& spec : stage.options) object["options"].push_back(option_json(spec));
  return object;
}

// With the value of every option of its stages.
Json method_json(const Method& method) {
  Json object;
  object["name"] = method.name;
  object["help"] = method.help;
  object["source"] = method.source;
  object["recipe"] = method.recipe;
  object["stages"] = Json::array();
  const Recipe recipe = Recipe::parse(method.recipe);
  for (const Step& step : recipe.steps()) {
    Json values = Json::object();
    for (const OptionSpec& spec : step.stage->options) {
      values[spec.name] = step.options.text(spec.name);
    }
    object["stages"].push_back({{"name", step.stage->name}, {"options", std::move(values)}});
  }
  return object;
}

Json tables_json() {
  Json object;
  object["version"] = version();
  object["stages"] = Json::array();
  for (const Stage& stage : stages()) object["stages"].push_back(stage_json(stage));
  object["methods"] = Json::array();
  for (const Method& method : methods()) object["methods"].push_back(method_json(method));
  return object;
}

// "Python: min_samples_leaf; elsewhere: minbucket, minobj".
std::string names_text(const OptionSpec& spec) {
  std::string text = "Python: " + python_name(spec);
  if (!spec.aliases.empty()) text += "; formerly: " + join(spec.aliases, ", ");
  if (!spec.elsewhere.empty()) text += "; elsewhere: " + join(spec.elsewhere, ", ");
  return text;
}

std::string tables_text() {
  std::string text;
  for (const Stage& stage : stages()) {
    text += fmt::format("{}: {}\n", stage.name, stage.help);
    for (const TraitRule& rule : stage.traits) {
      const std::string known = traits_text(rule);
      if (!known.empty()) text += wrapped("  ", known, help_width()) + '\n';
    }
    text += options_text(
                stage.options, [](const OptionSpec& spec) { return spec.fallback; }, names_text) +
            '\n';
  }
  text += "Methods\n";
  size_t widest = 0;
  for (const Method& method : methods()) widest = std::max(widest, method.name.size());
  for (const Method& method : methods()) {
    text += wrapped(fmt::format("  {:{}}  ", method.name, widest), method.recipe, help_width());
    text += '\n';
  }
  return text;
}

}  // namespace

std::function<void()> declare_options(Arguments& arguments) {
  auto run = std::make_shared<RunOptions>();
  run->declare_json(arguments);
  return [run] { run->json ? print_json(tables_json()) : print(tables_text()); };
}

}  // namespace softwood

// Recipes from text: stages, their options, and settings laid over them.
#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "base/text.h"
#include "softwood/error.h"
#include "stages/recipe.h"
#include "stages/recipe_checks.h"

namespace softwood {
namespace {

// The parts of a recipe between separators that do not stand in double quotes.
std::vector<std::string_view> split_unquoted(std::string_view text, char separator) {
  std::vector<std::string_view> parts;
  size_t begin = 0;
  bool quoted = false;
  for (size_t i = 0; i <= text.size(); ++i) {
    if (i < text.size() && text[i] == '"') quoted = !quoted;
    if (i < text.size() && (quoted || text[i] != separator)) continue;
    parts.push_back(text.substr(begin, i - begin));
    begin = i + 1;
  }
  if (quoted) {
    throw Error(ErrorKind::usage, fmt::format("a quote is not closed in the recipe '{}'", text), {},
                "write values with blanks or '|' as key=\"...\"");
  }
  return parts;
}

// "key=value" -> {key, value}; the value may stand in double quotes. `owner` is whose it is, for
// the message.
std::pair<std::string, std::string> split_pair(std::string_view word, const std::string& owner) {
  const size_t equals = word.find('=');
  if (equals == std::string_view::npos || equals == 0) {
    throw Error(ErrorKind::usage, fmt::format("'{}' of {} is not key=value", word, owner), {},
                "write options as key=value, joined by blanks, and stages joined by '|'");
  }
  std::string_view value = word.substr(equals + 1);
  if (value.size() > 1 && value.starts_with('"') && value.ends_with('"')) {
    value = value.substr(1, value.size() - 2);
  }
  return {std::string(word.substr(0, equals)), std::string(value)};
}

struct Draft {
  const Stage* stage;
  Options::Pairs given;

  // A former name of an option becomes the present one.
  void add(const std::string& name, std::string value) {
    const OptionSpec* const spec = find_option(name, stage->options);
    given.emplace_back(spec != nullptr ? spec->name : name, std::move(value));
  }
};

Draft parse_stage(std::string_view text) {
  Draft draft{nullptr, {}};
  for (const std::string_view word : split_unquoted(text, ' ')) {
    if (trim(word).empty()) continue;
    if (draft.stage == nullptr) {
      draft.stage = &find_stage(trim(word));
    } else {
      auto [name, value] = split_pair(trim(word), fmt::format("'{}'", draft.stage->name));
      draft.add(name, std::move(value));
      const std::string& added = draft.given.back().first;
      if (std::any_of(draft.given.begin(), draft.given.end() - 1,
                      [&](const auto& before) { return before.first == added; })) {
        throw Error(ErrorKind::usage,
                    fmt::format("'{}' has option '{}' twice", draft.stage->name, added), {},
                    "leave one of them out");
      }
    }
  }
  if (draft.stage == nullptr) {
    throw Error(ErrorKind::usage, "the recipe has an empty stage", {},
                "a recipe is stages joined by '|', for example: grow min-leaf=5 | prune");
  }
  return draft;
}

// Options in the text of a recipe that settings leave without effect: the setting grow.split=axis
// does not ask about the significance that a method's recipe says for another split.
void drop_overruled(Draft& draft, size_t in_text) {
  const auto setting = [&, in_text](const std::string& name) {
    std::string value;
    for (size_t i = in_text; i < draft.given.size(); ++i) {
      if (draft.given[i].first == name) value = draft.given[i].second;
    }
    return value;
  };
  Options::Pairs kept;
  for (size_t i = 0; i < draft.given.size(); ++i) {
    const auto spec =
        std::find_if(draft.stage->options.begin(), draft.stage->options.end(),
                     [&](const OptionSpec& s) { return s.name == draft.given[i].first; });
    const bool overruled = i < in_text && spec != draft.stage->options.end() &&
                           !broken_by(spec->only_with, setting).empty();
    if (!overruled) kept.push_back(draft.given[i]);
  }
  draft.given = std::move(kept);
}

// The first stage that has an option, and the value among its choices; null when none has.
const Draft* draft_with(const std::vector<Draft>& drafts, std::string_view option,
                        const std::string& value) {
  const auto takes = [&](const OptionSpec& spec) {
    return spec.name == option &&
           (spec.type != OptionType::choice ||
            std::find(spec.choices.begin(), spec.choices.end(), value) != spec.choices.end());
  };
  for (const Draft& draft : drafts) {
    const std::vector<OptionSpec>& specs = draft.stage->options;
    if (std::any_of(specs.begin(), specs.end(), takes)) return &draft;
  }
  return nullptr;
}

// {"grow-soft.depth=3"}, with what the option has no effect without before it:
// {"grow-soft.shape=full", ...}.
std::vector<std::string> working_settings(const Draft& draft, const std::string& key,
                                          const std::string& value) {
  const std::vector<OptionSpec>& specs = draft.stage->options;
  const auto spec_of = [&](const std::string& name) {
    return std::find_if(specs.begin(), specs.end(),
                        [&](const OptionSpec& spec) { return spec.name == name; });
  };
  const auto value_of = [&](const std::string& name) {
    for (auto given = draft.given.rbegin(); given != draft.given.rend(); ++given) {
      if (given->first == name) return given->second;  // the last one counts
    }
    return spec_of(name) == specs.end() ? std::string() : spec_of(name)->fallback;
  };
  std::vector<std::string> settings;
  const auto spec = spec_of(key);
  if (spec != specs.end() && !broken_by(spec->only_with, value_of).empty()) {
    for (const std::string_view needed : split(spec->only_with, ' ')) {
      const std::string_view first = needed.substr(0, needed.find(','));  // of several values
      settings.push_back(fmt::format("{}.{}", draft.stage->name, first));
    }
  }
  settings.push_back(fmt::format("{}.{}={}", draft.stage->name, key, value));
  return settings;
}

// What to write instead of a setting for a stage that is not there: the same for a stage that
// is and has such an option; or the recipe with the stage, where it can be added.
Advice missing_stage_hint(const std::vector<Draft>& drafts, const Stage& stage,
                          const std::string& key, const std::string& value) {
  if (const Draft* const owner = draft_with(drafts, key, value)) {
    const std::vector<std::string> settings = working_settings(*owner, key, value);
    return {AdviceCode::write_settings, "write " + join(settings, " and "), settings};
  }
  std::string names;
  for (const Draft& draft : drafts) names += (names.empty() ? "" : " | ") + draft.stage->name;
  if (!stage.starts) {
    const std::string longer = fmt::format("{} | {}", names, stage.name);
    return {AdviceCode::add_stage, fmt::format("add the stage: \"{}\"", longer), {longer}};
  }
  return fmt::format("'{}' can only be the first stage, and this recipe is \"{}\"", stage.name,
                     names);
}

// "stage.key=value" goes to every stage of that name.
void apply_setting(std::vector<Draft>& drafts, std::string_view setting) {
  const auto [key, value] = split_pair(setting, "the settings");
  const size_t dot = key.find('.');
  if (dot == std::string::npos) {
    const Draft* const owner = draft_with(drafts, key, value);
    const std::vector<std::string> settings =
        working_settings(owner != nullptr ? *owner : drafts[0], key, value);
    throw Error(ErrorKind::usage, fmt::format("setting '{}' names no stage", setting), {},
                {AdviceCode::name_stage_setting,
                 "write stage.key=value, for example " + join(settings, " and "), settings});
  }
  const Stage& stage = find_stage(key.substr(0, dot));
  bool used = false;
  for (Draft& draft : drafts) {
    if (draft.stage != &stage) continue;
    draft.add(key.substr(dot + 1), value);
    used = true;
  }
  if (!used) {
    throw Error(ErrorKind::usage,
                fmt::format("setting '{}' is for a stage that the recipe does not have", setting),
                {}, missing_stage_hint(drafts, stage, key.substr(dot + 1), value));
  }
}

}  // namespace

Recipe Recipe::parse(const std::string& text, const std::vector<std::string>& settings,
                     bool on_tree) {
  std::vector<Draft> drafts;
  for (const std::string_view part : split_unquoted(text, '|')) drafts.push_back(parse_stage(part));
  std::vector<size_t> in_text;
  in_text.reserve(drafts.size());
  for (const Draft& draft : drafts) in_text.push_back(draft.given.size());
  for (const std::string& setting : settings) apply_setting(drafts, setting);
  for (size_t i = 0; i < drafts.size(); ++i) drop_overruled(drafts[i], in_text[i]);
  Recipe recipe;
  for (size_t i = 0; i < drafts.size(); ++i) {
    const Stage& stage = *drafts[i].stage;
    check_place(stage, i == 0, on_tree);
    refuse_foreign_words(stage, drafts[i].given);
    recipe.steps_.push_back({&stage, Options(stage.name, stage.options, drafts[i].given)});
  }
  check_steps(recipe.steps_);
  return recipe;
}

}  // namespace softwood

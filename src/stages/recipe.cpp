#include "stages/recipe.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/text.h"
#include "softwood/error.h"
#include "stages/recipe_checks.h"

namespace softwood {
namespace {

template <class Items>
auto find_by_name(const Items& items, std::string_view name, std::string_view what) {
  const auto found =
      std::find_if(items.begin(), items.end(), [&](const auto& item) { return item.name == name; });
  if (found == items.end()) {
    std::vector<std::string> names;
    for (const auto& item : items) names.push_back(item.name);
    throw Error(ErrorKind::usage, fmt::format("there is no {} '{}'", what, name), {},
                known_names_hint(name, names));
  }
  return found;
}

}  // namespace

StageTraits traits_with(std::span<const TraitRule> rules, const Options& options) {
  const auto value = [&](const std::string& name) { return options.text(name); };
  StageTraits all;
  for (const auto& [when, traits] : rules) {
    if (!broken_by(when, value).empty()) continue;
    if (!traits.label.empty()) all.label = traits.label;
    if (traits.only_task) all.only_task = traits.only_task;
    if (traits.on_soft) all.on_soft = traits.on_soft;
    if (traits.unseen_rows != UnseenRows::unused) all.unseen_rows = traits.unseen_rows;
    all.asks_monotone |= traits.asks_monotone;
    all.breaks_monotone |= traits.breaks_monotone;
    all.makes_soft |= traits.makes_soft;
    all.makes_hard |= traits.makes_hard;
    all.counts_only |= traits.counts_only;
    all.sums_exactly |= traits.sums_exactly;
    all.whole_sums |= traits.whole_sums;
    all.divides_rows |= traits.divides_rows;
    all.leaves_columns |= traits.leaves_columns;
  }
  return all;
}

const Stage& find_stage(std::string_view name) { return *find_by_name(stages(), name, "stage"); }

const Method& find_method(std::string_view name) {
  for (const Method& method : methods()) {
    const auto& names = method.elsewhere;
    if (std::find(names.begin(), names.end(), in_lower_case(name)) == names.end()) continue;
    throw Error(ErrorKind::usage, fmt::format("there is no method '{}'", name), {},
                fmt::format("did you mean '{}'?", method.name));
  }
  return *find_by_name(methods(), name, "method");
}

std::string Recipe::text() const {
  std::vector<std::string> parts;
  for (const Step& step : steps_) {
    const std::string given = step.options.given_text();
    parts.push_back(given.empty() ? step.stage->name : step.stage->name + " " + given);
  }
  return join(parts, " | ");
}

bool Recipe::anytime() const {
  return std::any_of(steps_.begin(), steps_.end(),
                     [](const Step& step) { return step.stage->anytime; });
}

bool Recipe::resumes() const {
  return std::any_of(steps_.begin(), steps_.end(),
                     [](const Step& step) { return step.stage->resumes; });
}

Recipe Recipe::then(const Recipe& more) const {
  Recipe both = *this;
  both.steps_.insert(both.steps_.end(), more.steps_.begin(), more.steps_.end());
  check_steps(both.steps_);
  return both;
}

Recipe Recipe::first(size_t count) const {
  Recipe part;
  part.steps_.assign(steps_.begin(), steps_.begin() + static_cast<std::ptrdiff_t>(count));
  return part;
}

}  // namespace softwood

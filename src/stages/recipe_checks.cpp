#include "stages/recipe_checks.h"

#include <fmt/format.h>

#include "softwood/error.h"

namespace softwood {
namespace {

void check_monotone(std::span<const Step> steps) {
  const Step* asking = nullptr;
  for (const Step& step : steps) {
    const StageTraits traits = step.traits();
    if (step.stage->starts) asking = traits.asks_monotone ? &step : nullptr;
    if (asking == nullptr || !traits.breaks_monotone) continue;
    throw Error(ErrorKind::usage,
                fmt::format("'{}' does not keep what 'monotone' of '{}' asks for", step.label(),
                            asking->stage->name),
                {}, "leave one of them out");
  }
}

void check_soft(std::span<const Step> steps) {
  const Step* soft = nullptr;
  for (const Step& step : steps) {
    const StageTraits traits = step.traits();
    if (soft != nullptr && traits.on_soft) {
      const std::string why = fmt::format(fmt::runtime(traits.on_soft->why), soft->stage->name);
      throw Error(ErrorKind::usage, fmt::format("'{}' {}", step.label(), why), {},
                  traits.on_soft->hint);
    }
    if (traits.makes_soft) soft = &step;
    if (traits.makes_hard) soft = nullptr;
  }
}

Advice leave_out(const std::string& stage) {
  return {AdviceCode::leave_stage_out, fmt::format("leave '{}' out of the recipe", stage), {stage}};
}

}  // namespace

void check_place(const Stage& stage, bool first, bool on_tree) {
  const bool must_start = first && !on_tree;
  if (stage.starts == must_start) return;
  if (must_start) {
    throw Error(ErrorKind::usage, fmt::format("stage '{}' needs a tree to work on", stage.name), {},
                "start the recipe with grow");
  }
  throw Error(ErrorKind::usage,
              fmt::format("stage '{}' makes a new tree, so it can only come first of a recipe for "
                          "new trees",
                          stage.name),
              {},
              on_tree ? Advice(AdviceCode::train_new_tree,
                               "name the stages that go on with the tree, or train a new one")
                      : Advice("leave the later one out"));
}

void refuse_foreign_words(const Stage& stage, const Options::Pairs& given) {
  for (const auto& [name, value] : given) {
    for (const ForeignWord& word : stage.foreign_words) {
      if (name != word.option || (!word.value.empty() && value != word.value)) continue;
      throw Error(ErrorKind::usage,
                  word.value.empty()
                      ? fmt::format("'{}' has no option '{}'", stage.name, name)
                      : fmt::format("option '{}' of '{}' can't be '{}'", name, stage.name, value),
                  {}, word.leave_stage_out ? leave_out(stage.name) : Advice(word.hint));
    }
  }
}

void check_steps(std::span<const Step> steps) {
  check_monotone(steps);
  check_soft(steps);
}

}  // namespace softwood

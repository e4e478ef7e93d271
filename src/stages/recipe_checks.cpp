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

Advice parameter(const std::string& name) {
  return {AdviceCode::set_parameter, fmt::format("it is '{}' of the training", name), {name}};
}

// Of all stages.
const std::vector<ForeignWord>& common_foreign_words() {
  const Advice one_tree =
      "a model is one tree; the method soft-refined comes nearest to an ensemble";
  static const std::vector<ForeignWord> words = {
      {"random_state", "", parameter("seed")},
      {"seed", "", parameter("seed")},
      {"n_jobs", "", parameter("threads")},
      {"num_threads", "", parameter("threads")},
      {"class_weight", "", parameter("class-weights")},
      {"sample_weight", "", parameter("weights")},
      {"prior", "", parameter("priors")},
      {"loss", "", parameter("costs")},
      {"cost_matrix", "", parameter("costs")},
      {"n_estimators", "", one_tree},
      {"num_trees", "", one_tree},
      {"ntree", "", one_tree},
      {"trials", "", one_tree},
  };
  return words;
}

bool means(const ForeignWord& word, std::string_view option) {
  return bare_name(word.option) == bare_name(option);
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
    const OptionSpec* const known = option_called(name, stage.options);
    if (known != nullptr &&
        std::find(known->choices.begin(), known->choices.end(), value) != known->choices.end()) {
      continue;
    }
    for (const ForeignWord& word : stage.foreign_words) {
      if (word.value.empty() || !means(word, name) || bare_name(word.value) != bare_name(value)) {
        continue;
      }
      throw Error(ErrorKind::usage,
                  fmt::format("option '{}' of '{}' can't be '{}'", name, stage.name, value), {},
                  word.advice);
    }
    if (known != nullptr) continue;
    if (const auto advice = foreign_option_advice(stage, name)) {
      throw Error(ErrorKind::usage, fmt::format("'{}' has no option '{}'", stage.name, name), {},
                  *advice);
    }
  }
}

std::optional<Advice> foreign_option_advice(const Stage& stage, std::string_view name) {
  for (const auto* const words : {&stage.foreign_words, &common_foreign_words()}) {
    for (const ForeignWord& word : *words) {
      if (word.value.empty() && means(word, name)) return word.advice;
    }
  }
  return std::nullopt;
}

void check_steps(std::span<const Step> steps) {
  check_monotone(steps);
  check_soft(steps);
}

}  // namespace softwood

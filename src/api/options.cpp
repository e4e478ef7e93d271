#include "softwood/options.h"

#include <limits>

#include "api/border.h"
#include "api/columns.h"
#include "data/generate.h"
#include "stages/recipe.h"

namespace softwood {
namespace {

OptionKind kind_of(OptionType type) {
  switch (type) {
    case OptionType::integer:
      return OptionKind::integer;
    case OptionType::real:
      return OptionKind::real;
    case OptionType::choice:
      return OptionKind::choice;
    case OptionType::text:
      return OptionKind::text;
  }
  return OptionKind::text;
}

std::vector<OptionInfo> infos_of(std::span<const OptionSpec> specs) {
  std::vector<OptionInfo> infos;
  for (const OptionSpec& spec : specs) {
    const bool bounded = spec.high < unbounded;
    OptionInfo& info = infos.emplace_back();
    info.name = spec.name;
    info.kind = kind_of(spec.type);
    info.default_value = spec.fallback;
    info.help = spec.help;
    info.low = spec.low;
    info.high = bounded ? spec.high : std::numeric_limits<double>::infinity();
    info.word = spec.word;
    info.choices = spec.choices;
    info.only_with = spec.only_with;
    for (const OptionNeed& need : spec.needs) {
      info.rules.push_back({need.when, need.needs, need.why});
    }
    info.python_name = python_name(spec);
    info.former_names = spec.aliases;
    info.names_elsewhere = spec.elsewhere;
  }
  return infos;
}

std::vector<MethodStage> stages_of(const Recipe& recipe) {
  std::vector<MethodStage> stages;
  for (const Step& step : recipe.steps()) {
    MethodStage& stage = stages.emplace_back();
    stage.stage = step.stage->name;
    for (const OptionSpec& spec : step.stage->options) {
      stage.options[spec.name] = step.options.text(spec.name);
    }
  }
  return stages;
}

}  // namespace

std::vector<StageInfo> stage_table() {
  return at_border([] {
    std::vector<StageInfo> table;
    for (const Stage& stage : stages()) {
      table.push_back({stage.name, stage.help, stage.starts, stage.anytime, stage.resumes,
                       infos_of(stage.options)});
    }
    return table;
  });
}

std::vector<MethodInfo> method_table() {
  return at_border([] {
    std::vector<MethodInfo> table;
    for (const Method& method : methods()) {
      table.push_back({method.name, method.recipe, method.help, method.source,
                       stages_of(Recipe::parse(method.recipe))});
    }
    return table;
  });
}

std::vector<GeneratorInfo> generator_table() {
  return at_border([] {
    std::vector<GeneratorInfo> table;
    for (const Generator& generator : generators()) {
      table.push_back(
          {generator.name, generator.help, generator.source, infos_of(generator.options)});
    }
    return table;
  });
}

DataColumns generate(const std::string& generator,
                     const std::vector<std::pair<std::string, std::string>>& options,
                     uint64_t seed) {
  return at_border([&] {
    return columns_of(
        generated_frame(prepare(find_generator(generator), options), seed, generator));
  });
}

}  // namespace softwood

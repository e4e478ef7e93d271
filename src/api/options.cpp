#include "softwood/options.h"

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
    infos.push_back({spec.name, kind_of(spec.type), spec.fallback, spec.help, spec.low, spec.high,
                     spec.choices, spec.only_with, spec.elsewhere});
  }
  return infos;
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
      table.push_back({method.name, method.recipe, method.help, method.source});
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

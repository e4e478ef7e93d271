// A stage that works in one of several kinds, as its option `by` says: each is one line in the
// stage's table.
#pragma once

#include <algorithm>

#include "stages/stage.h"

namespace softwood {

struct StageKind {
  std::string name;
  Tree (*run)(Context&, Tree);
};

inline std::vector<std::string> kind_names(std::span<const StageKind> kinds) {
  std::vector<std::string> names(kinds.size());
  std::transform(kinds.begin(), kinds.end(), names.begin(),
                 [](const StageKind& kind) { return kind.name; });
  return names;
}

// The value of `by` is one of the names: options are checked before a stage runs.
inline Tree run_kind(std::span<const StageKind> kinds, Context& context, Tree tree) {
  const std::string& by = context.options.text("by");
  return std::find_if(kinds.begin(), kinds.end(),
                      [&](const StageKind& kind) { return kind.name == by; })
      ->run(context, std::move(tree));
}

}  // namespace softwood

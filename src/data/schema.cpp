#include "data/schema.h"

#include <algorithm>

#include "data/truth.h"

namespace softwood {

std::string_view kind_name(Kind kind) {
  switch (kind) {
    case Kind::numeric:
      return "numeric";
    case Kind::nominal:
      return "nominal";
    case Kind::ordinal:
      return "ordinal";
  }
  return "";
}

std::string_view task_name(Task task) {
  switch (task) {
    case Task::classification:
      return "classification";
    case Task::regression:
      return "regression";
  }
  return "";
}

int32_t Feature::level_code(std::string_view level) const {
  const auto found = std::find(levels.begin(), levels.end(), level);
  if (found != levels.end()) return static_cast<int32_t>(found - levels.begin());
  const auto truth = truth_of_word(level) ? TruthLevels::of(levels) : std::nullopt;
  return truth ? truth->code_of(level).value_or(-1) : -1;
}

std::optional<size_t> Schema::feature_index(std::string_view name) const {
  for (size_t i = 0; i < features.size(); ++i) {
    if (features[i].name == name) return i;
  }
  return std::nullopt;
}

}  // namespace softwood

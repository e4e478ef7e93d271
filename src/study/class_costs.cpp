#include "study/class_costs.h"

#include <fmt/format.h>

#include <cmath>
#include <numeric>

#include "base/text.h"
#include "softwood/error.h"

namespace softwood {
namespace {

// NaN where a class is not named.
std::vector<double> by_class(const NamedNumbers& named, const Schema& schema,
                             const std::string& what) {
  refuse_numbers(schema, what);
  std::vector<double> values(schema.classes(), missing_number);
  for (const auto& [name, value] : named) {
    if (!(value > 0) || !std::isfinite(value)) {
      throw Error(ErrorKind::usage, fmt::format("{}: class '{}' can't have {}", what, name, value),
                  {}, "expected a positive number");
    }
    const int32_t code = schema.target.level_code(name);
    if (code < 0) {
      throw Error(ErrorKind::usage, fmt::format("{}: there is no class '{}'", what, name), {},
                  classes_hint(schema));
    }
    double& place = values[static_cast<size_t>(code)];
    if (!std::isnan(place)) {
      throw Error(ErrorKind::usage, fmt::format("{} names class '{}' twice", what, name));
    }
    place = value;
  }
  return values;
}

}  // namespace

void refuse_numbers(const Schema& schema, const std::string& what) {
  if (schema.task() == Task::classification) return;
  throw Error(
      ErrorKind::usage,
      fmt::format("{} is for classes, and target '{}' is a number", what, schema.target.name), {},
      "leave it out, or take the target as classes");
}

std::string classes_hint(const Schema& schema) {
  return "the classes are " + names_list(schema.target.levels);
}

ClassBalance weights_by_class(const NamedNumbers& named, const Schema& schema,
                              const std::string& what) {
  std::vector<double> weights = by_class(named, schema, what);
  for (double& weight : weights) weight = std::isnan(weight) ? 1 : weight;
  return {std::move(weights), {}};
}

ClassBalance priors_by_class(const NamedNumbers& named, const Schema& schema,
                             const std::string& what) {
  std::vector<double> priors = by_class(named, schema, what);
  for (size_t k = 0; k < priors.size(); ++k) {
    if (!std::isnan(priors[k])) continue;
    throw Error(ErrorKind::usage,
                fmt::format("{} says nothing of class '{}'", what, schema.target.levels[k]), {},
                classes_hint(schema));
  }
  const double sum = std::accumulate(priors.begin(), priors.end(), 0.0);
  constexpr double rounding = 1e-6;
  if (std::abs(sum - 1) > rounding) {
    throw Error(ErrorKind::usage, fmt::format("the priors sum to {}, not to 1", short_number(sum)),
                {}, "they are the shares of the classes: A=0.7,B=0.3");
  }
  return {{}, std::move(priors)};
}

}  // namespace softwood

#include "data/feature_options.h"

#include <fmt/format.h>

#include <cmath>
#include <set>
#include <string>
#include <utility>

#include "base/text.h"
#include "softwood/error.h"

namespace softwood {
namespace {

// "a:2,b:5" as features and what is said about them.
std::vector<std::pair<uint32_t, std::string>> by_feature(const Options& options, const char* option,
                                                         const Schema& schema,
                                                         const char* example) {
  std::vector<std::pair<uint32_t, std::string>> said;
  if (options.text(option) == "none") return said;
  std::set<size_t> seen;
  for (const std::string_view part : split(options.text(option), ',')) {
    const size_t colon = part.rfind(':');
    if (colon == std::string_view::npos || colon == 0) {
      throw Error(ErrorKind::usage, fmt::format("{} can't be '{}'", option, options.text(option)),
                  {}, fmt::format("expected inputs and what is said of them: {}", example));
    }
    const std::string_view name = part.substr(0, colon);
    const auto feature = schema.feature_index(name);
    if (!feature) {
      std::vector<std::string> names;
      for (const Feature& one : schema.features) names.push_back(one.name);
      throw Error(ErrorKind::usage, fmt::format("{}: there is no input '{}'", option, name), {},
                  known_names_hint(name, names));
    }
    if (!seen.insert(*feature).second) {
      throw Error(ErrorKind::usage, fmt::format("{} names '{}' twice", option, name));
    }
    said.emplace_back(static_cast<uint32_t>(*feature), part.substr(colon + 1));
  }
  return said;
}

}  // namespace

std::vector<double> feature_costs(const Options& options, const Schema& schema) {
  std::vector<double> costs(schema.features.size(), 1.0);
  for (const auto& [feature, text] :
       by_feature(options, "feature-costs", schema, "feature-costs=age:2,income:5")) {
    if (!parse_number(text, costs[feature]) || !(costs[feature] > 0) ||
        !std::isfinite(costs[feature])) {
      throw Error(ErrorKind::usage, fmt::format("feature-costs: '{}' is not a cost", text), {},
                  "expected a positive number");
    }
  }
  return costs;
}

std::vector<int8_t> monotone_directions(const Options& options, const Schema& schema) {
  const auto said = by_feature(options, "monotone", schema, "monotone=age:+,income:-");
  std::vector<int8_t> directions(said.empty() ? 0 : schema.features.size(), 0);
  for (const auto& [feature, text] : said) {
    if (text != "+" && text != "-") {
      throw Error(ErrorKind::usage, fmt::format("monotone: '{}' is not a direction", text), {},
                  "+: the answer must not fall where the input grows; -: it must not rise");
    }
    if (schema.features[feature].kind == Kind::nominal) {
      throw Error(ErrorKind::usage,
                  fmt::format("monotone: input '{}' has levels without an order",
                              schema.features[feature].name),
                  {}, {AdviceCode::declare_order, "declare the order of its levels"});
    }
    directions[feature] = text == "+" ? 1 : -1;
  }
  const size_t classes = schema.classes();
  if (!said.empty() && schema.task() == Task::classification && classes != 2) {
    throw Error(ErrorKind::usage, "monotone is for two classes or a number to predict", {},
                fmt::format("this target has {} classes", classes));
  }
  return directions;
}

std::vector<int8_t> monotone_directions_of_sums(const Options& options, const Schema& schema) {
  std::vector<int8_t> directions = monotone_directions(options, schema);
  if (schema.task() == Task::classification && schema.positive == 0) {
    for (int8_t& direction : directions) direction = static_cast<int8_t>(-direction);
  }
  return directions;
}

}  // namespace softwood

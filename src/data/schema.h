// What the columns are: names, kinds, levels, target. Saved with every model.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace softwood {

enum class Kind : uint8_t { numeric, nominal, ordinal };
enum class Task : uint8_t { classification, regression };

std::string_view kind_name(Kind kind);
std::string_view task_name(Task task);

struct Feature {
  std::string name;
  Kind kind = Kind::numeric;
  std::vector<std::string> levels;  // nominal: first-seen order; ordinal: from low to high

  // The code of a level, -1 when it is not one.
  int32_t level_code(std::string_view level) const;
  bool operator==(const Feature&) const = default;
};

struct Schema {
  std::vector<Feature> features;  // the inputs, in the order of the file
  Feature target;                 // nominal: classes are its levels; numeric: regression
  // Of two classes, the code of the one that thresholds, curves, precision and recall are about.
  size_t positive = 1;
  std::string weight;  // name of the column of weights; empty: every row weighs 1

  Task task() const {
    return target.kind == Kind::numeric ? Task::regression : Task::classification;
  }
  size_t classes() const { return target.levels.size(); }  // 0 for regression
  std::optional<size_t> feature_index(std::string_view name) const;
  bool operator==(const Schema&) const = default;
};

}  // namespace softwood

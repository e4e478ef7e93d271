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
  // As declared (ordinal: from low to high), else by level_order (convert.h): never by the rows.
  std::vector<std::string> levels;

  // The code of a level, -1 when it is not one.
  int32_t level_code(std::string_view level) const;
  bool operator==(const Feature&) const = default;
};

struct Schema {
  std::vector<Feature> features;  // the inputs, in the order of the file
  Feature target;                 // nominal: classes are its levels; numeric: regression
  std::string weight;             // name of the column of weights; empty: every row weighs 1
  // Of two classes, the code of the one that thresholds, curves, precision and recall, and monotone
  // inputs are about. Of no meaning otherwise.
  size_t positive = 1;
  // Texts of missing cells, beside those that the readers know (missing_marks.h).
  std::vector<std::string> missing_marks = {};

  Task task() const {
    return target.kind == Kind::numeric ? Task::regression : Task::classification;
  }
  size_t classes() const { return target.levels.size(); }  // 0 for regression
  // The name of the positive class; empty unless there are two classes.
  std::string_view positive_class() const {
    return classes() == 2 ? std::string_view(target.levels[positive]) : std::string_view();
  }
  std::optional<size_t> feature_index(std::string_view name) const;
  bool operator==(const Schema&) const = default;
};

}  // namespace softwood

// What columns are, decided from a summary of all parts.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/text.h"
#include "cluster/part_summary.h"
#include "data/convert.h"
#include "data/readers/fault.h"
#include "softwood/error.h"

namespace softwood::cluster {
namespace {

// A numeric target with so many different whole values is taken for classes.
constexpr size_t most_numeric_classes = 10;

[[noreturn]] void fail(const std::string& message, const Advice& hint = {}) {
  throw Error(ErrorKind::data, message, {}, hint);
}

class SchemaDecision {
 public:
  SchemaDecision(const PartSummary& summary, const ColumnRoles& roles, const Control& control)
      : summary_(summary), roles_(roles), control_(control) {}

  Schema run() {
    if (summary_.columns.empty() || summary_.rows == 0) fail("there are no rows");
    for (const std::string& name : roles_.nominal) column(name, "nominal columns");
    for (const std::string& name : roles_.ignore) column(name, "columns to ignore");
    if (!roles_.weights.empty()) {
      column(roles_.weights, "weights");
      schema_.weight = roles_.weights;
    }
    const SummaryColumn& target = target_column();
    if (target.name == roles_.weights) {
      fail("column " + shown(target.name) + " can't be both target and weights");
    }
    if (summary_.kept == 0) fail("no row has a value of the target " + shown(target.name));
    if (summary_.kept < summary_.rows) {
      control_.warn(fmt::format("{} without a value of the target {} left out",
                                counted(summary_.rows - summary_.kept, "row"), shown(target.name)));
    }
    schema_.target = target_feature(target);
    if (summary_.weighing == 0) {
      fail("all weights in column " + shown(roles_.weights) + " are zero",
           "weights are finite numbers that are not negative");
    }
    for (const SummaryColumn& input : summary_.columns) {
      if (&input != &target && input.name != roles_.weights && !is(roles_.ignore, input.name)) {
        add_input(input);
      }
    }
    if (schema_.features.empty()) refuse_no_input();
    if (!roles_.positive.empty()) schema_.positive = positive_code(schema_, roles_.positive);
    refuse_one_class(target);
    return std::move(schema_);
  }

 private:
  static bool is(const std::vector<std::string>& names, const std::string& name) {
    return std::find(names.begin(), names.end(), name) != names.end();
  }

  const SummaryColumn& column(const std::string& name, const std::string& role) const {
    if (const SummaryColumn* found = summary_.find(name)) return *found;
    std::vector<std::string> names;
    for (const SummaryColumn& other : summary_.columns) names.push_back(other.name);
    fail(fmt::format("there is no column {} for the {}", shown(name), role),
         known_names_hint(name, names));
  }

  const SummaryColumn& target_column() const {
    if (!roles_.target.empty()) return column(roles_.target, "target");
    size_t last = summary_.columns.size() - 1;
    while (last > 0 && (summary_.columns[last].name == roles_.weights ||
                        is(roles_.ignore, summary_.columns[last].name))) {
      --last;
    }
    return summary_.columns[last];
  }

  // Levels in the order that nobody has declared; numbers by their shortest texts.
  std::vector<std::string> levels_of(const SummaryColumn& column) const {
    if (column.too_many_levels || (!column.nominal && column.many_values)) {
      const size_t most = column.nominal ? most_levels : most_values;
      if (&column == &target_column()) {
        fail(fmt::format("target {} has more than {} classes", shown(column.name), most),
             column.nominal ? "choose another target, or make fewer classes of it"
                            : "train a regression, or choose another target");
      }
      fail(fmt::format("column {} has more than {} levels", shown(column.name), most),
           {AdviceCode::leave_column_out, "leave it out, or make fewer levels of it"});
    }
    std::vector<std::string> levels;
    for (const auto& [level, rows] : column.levels) levels.push_back(level);
    for (const auto& [value, rows] : column.values) levels.push_back(number_text(value));
    std::sort(levels.begin(), levels.end(),
              [](const std::string& a, const std::string& b) { return level_order(a, b); });
    return levels;
  }

  Feature nominal_feature(const SummaryColumn& column) const {
    return {column.name, Kind::nominal, levels_of(column)};
  }

  Feature target_feature(const SummaryColumn& target) const {
    if (target.nominal || is(roles_.nominal, target.name)) {
      if (roles_.task == Task::regression) {
        fail(fmt::format("regression needs a numeric target, but {} has {}", shown(target.name),
                         target.nominal ? "texts" : "categories"),
             {AdviceCode::leave_task_out, "leave the task out, or choose another target"});
      }
      return nominal_feature(target);
    }
    const Feature number{target.name, Kind::numeric, {}};
    if (roles_.task == Task::regression) return number;
    if (roles_.task == Task::classification) return nominal_feature(target);
    if (target.many_values || !target.whole || target.values.size() > most_numeric_classes) {
      return number;
    }
    control_.warn(
        {fmt::format("target {} has {}: taken as classes", shown(target.name),
                     counted(target.values.size(), "distinct whole value")),
         {AdviceCode::take_as_number, "as the target of a regression it is taken as a number"}});
    return nominal_feature(target);
  }

  void add_input(const SummaryColumn& input) {
    const bool named = is(roles_.nominal, input.name);
    if (!input.nominal && !named) {
      schema_.features.push_back({input.name, Kind::numeric, {}});
      return;
    }
    if (!named && is_identifier(input)) {
      left_out_.push_back(input.name);
      if (input.too_many_levels) {
        control_.warn(
            fmt::format("column {} is left out: of more than {} values {} were looked at, and all "
                        "are different",
                        shown(input.name), most_levels, input.levels.size()));
        return;
      }
      control_.warn(
          {fmt::format("column {} is left out: all its values are different", shown(input.name)),
           {AdviceCode::keep_column, "declared nominal it is kept"}});
      return;
    }
    schema_.features.push_back(nominal_feature(input));
  }

  [[noreturn]] void refuse_no_input() const {
    if (left_out_.empty()) fail("there is no input beside the target");
    const bool one = left_out_.size() == 1;
    fail(fmt::format("there is no input beside the target: {} {} left out, as all {} values are "
                     "different",
                     names_list(left_out_), one ? "was" : "were", one ? "its" : "their"),
         {AdviceCode::keep_column, "declared nominal it is kept"});
  }

  // Of too many levels by those that are listed.
  static bool is_identifier(const SummaryColumn& column) {
    size_t known = 0;
    for (const auto& [level, rows] : column.levels) {
      if (rows.kept > 1) return false;
      known += rows.kept;
    }
    return known >= fewest_identifiers;
  }

  void refuse_one_class(const SummaryColumn& target) const {
    if (schema_.task() != Task::classification) return;
    size_t classes = target.values.size();
    for (const auto& [level, rows] : target.levels) classes += rows.kept > 0 ? 1 : 0;
    if (classes > 1) return;
    fail(fmt::format("target {} has only one class{}", shown(target.name),
                     schema_.classes() == 1 ? ", " + shown(schema_.target.levels[0]) : ""),
         "choose another target");
  }

  const PartSummary& summary_;
  const ColumnRoles& roles_;
  const Control& control_;
  Schema schema_;
  std::vector<std::string> left_out_;  // names of inputs
};

}  // namespace

Schema schema_of(const PartSummary& summary, const ColumnRoles& roles, const Control& control) {
  return SchemaDecision(summary, roles, control).run();
}

}  // namespace softwood::cluster

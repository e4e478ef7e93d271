#include "data/describe.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <unordered_map>

#include "base/text.h"
#include "cli/common.h"
#include "cli/figures.h"
#include "cli/output.h"
#include "cli/verb.h"
#include "data/convert.h"

namespace softwood {
namespace {

struct DescribeOptions {
  DataOptions data;
  RunOptions run;
};

constexpr size_t levels_shown = 4;
constexpr size_t narrowest_levels = 20;  // columns that they get in any case
constexpr size_t classes_shown = 30;

struct DescribedColumn {
  ColumnFigures figures;
  std::string role;  // input, target, weights, left out
};

// Rows of each class, in the order of the classes.
std::vector<std::pair<std::string, size_t>> class_counts(const Table& table) {
  std::vector<std::pair<std::string, size_t>> counts;
  for (const std::string& level : table.schema().target.levels) counts.emplace_back(level, 0);
  for (const int32_t code : table.target().codes) ++counts[static_cast<size_t>(code)].second;
  return counts;
}

// What training would make of the columns.
std::vector<DescribedColumn> with_roles(std::vector<ColumnFigures> all, const Table& table) {
  const Schema& schema = table.schema();
  std::unordered_map<std::string_view, const Feature*> inputs;
  for (const Feature& feature : schema.features) inputs.emplace(feature.name, &feature);
  std::vector<DescribedColumn> columns;
  for (ColumnFigures& figures : all) {
    std::string role = "left out";
    if (figures.name == schema.target.name) {
      role = "target";
      figures.kind = schema.target.kind;
      if (schema.task() == Task::classification) figures.levels = class_counts(table);
    } else if (figures.name == schema.weight) {
      role = "weights";
    } else if (const auto input = inputs.find(figures.name); input != inputs.end()) {
      role = "input";
      figures.kind = input->second->kind;
    }
    columns.push_back({std::move(figures), role});
  }
  return columns;
}

std::string number_cell(double value) {
  constexpr double long_number = 1e5, longest = 1e15;  // 100000 is better read than 1e+05
  if (!std::isfinite(value)) return "";
  if (std::abs(value) >= long_number && std::abs(value) < longest) {
    return fmt::format("{:.0f}", value);
  }
  return short_number(value, 5);
}

std::string levels_cell(const ColumnFigures& figures, size_t room) {
  std::vector<std::string> parts;
  for (const auto& [level, count] : figures.levels) {
    if (parts.size() == levels_shown) break;
    parts.push_back(fmt::format("{} ({})", level, count));
  }
  const auto text = [&] {
    return join(parts, ", ") + (parts.size() < figures.levels.size() ? ", ..." : "");
  };
  while (parts.size() > 1 && display_width(text()) > room) parts.pop_back();
  return text();
}

// Columns of figures that no column of the data has are left out; so are levels without `room` for
// them.
std::string columns_table(const std::vector<DescribedColumn>& columns, size_t room) {
  const auto is_number = [](const DescribedColumn& c) { return c.figures.kind == Kind::numeric; };
  const auto has_levels = [&](const DescribedColumn& c) {
    return !is_number(c) && c.role != "target";  // the classes get a table of their own
  };
  const bool numbers = std::any_of(columns.begin(), columns.end(), is_number);
  const bool levels = room > 0 && std::any_of(columns.begin(), columns.end(), has_levels);
  std::vector<std::string> header = {"column", "role", "kind", "missing", "distinct"};
  if (numbers) header.insert(header.end(), {"min", "median", "mean", "max", "sd"});
  if (levels) header.emplace_back("most frequent");
  TextTable table(header);
  for (const DescribedColumn& column : columns) {
    const ColumnFigures& figures = column.figures;
    std::vector<std::string> row = {figures.name, column.role, std::string(kind_name(figures.kind)),
                                    std::to_string(figures.missing),
                                    std::to_string(figures.distinct)};
    for (const double value :
         {figures.min, figures.median, figures.mean, figures.max, figures.sd}) {
      if (numbers) row.push_back(is_number(column) ? number_cell(value) : "");
    }
    if (levels) row.push_back(has_levels(column) ? levels_cell(figures, room) : "");
    table.add(row);
  }
  return table.text();
}

std::string columns_table(const std::vector<DescribedColumn>& columns) {
  const std::string narrow = columns_table(columns, 0);
  size_t width = 2;
  for (const std::string_view line : split(narrow, '\n')) {
    width = std::max(width, display_width(line) + 2);
  }
  const size_t page = page_width();
  return columns_table(columns, std::max(narrowest_levels, page > width ? page - width : 0));
}

std::string balance_table(const ColumnFigures& target, size_t rows) {
  TextTable table({"class", "rows", "share"});
  const double known = static_cast<double>(rows - target.missing);
  size_t shown = 0;
  for (const auto& [level, count] : target.levels) {
    if (shown++ == classes_shown) break;
    table.add({level, std::to_string(count),
               fmt::format("{:.1f} %", 100 * static_cast<double>(count) / known)});
  }
  if (target.levels.size() <= classes_shown) return table.text();
  return table.text() + fmt::format("... and {} more\n", target.levels.size() - classes_shown);
}

Json columns_json(const std::vector<DescribedColumn>& columns) {
  Json list = Json::array();
  for (const auto& [figures, role] : columns) {
    Json entry;
    entry["name"] = figures.name;
    entry["role"] = role;
    entry["kind"] = kind_name(figures.kind);
    entry["missing"] = figures.missing;
    entry["distinct"] = figures.distinct;
    if (figures.kind == Kind::numeric) {
      entry["min"] = json_number(figures.min);
      entry["median"] = json_number(figures.median);
      entry["mean"] = json_number(figures.mean);
      entry["max"] = json_number(figures.max);
      entry["sd"] = json_number(figures.sd);
    } else {
      Json levels = Json::array();
      for (const auto& [level, count] : figures.levels) {
        levels.push_back({{"level", level}, {"rows", count}});
      }
      entry["levels"] = std::move(levels);
    }
    list.push_back(std::move(entry));
  }
  return list;
}

void run_describe(const DescribeOptions& options) {
  Console console(options.run.quiet);
  const Control control = console.control();
  const Parallel parallel = options.run.parallel();
  const Roles roles = options.data.roles();
  Frame frame = options.data.read(parallel);
  const size_t rows = frame.rows;
  std::vector<ColumnFigures> figures = describe(frame, parallel);
  const Prepared prepared = training_table(std::move(frame), roles, control);
  const Schema& schema = prepared.table.schema();
  const std::vector<DescribedColumn> columns = with_roles(std::move(figures), prepared.table);
  if (options.run.json) {
    Json object;
    object["rows"] = rows;
    object["task"] = task_name(schema.task());
    object["target"] = schema.target.name;
    object["features"] = schema.features.size();
    object["classes"] = schema.classes();
    if (schema.classes() == 2) object["positive"] = schema.positive_class();
    object["columns"] = columns_json(columns);
    return print_json(object);
  }
  const size_t without = rows - prepared.table.rows();
  print(fmt::format("{}: {}{}, {}, {} of {}\n\n", source_name(options.data.path),
                    counted(rows, "row"),
                    without == 0 ? "" : fmt::format(" ({} without a target)", without),
                    counted(schema.features.size(), "input"), task_name(schema.task()),
                    printable(schema.target.name)));
  print(columns_table(columns));
  const auto target = std::find_if(columns.begin(), columns.end(),
                                   [](const DescribedColumn& c) { return c.role == "target"; });
  if (schema.task() == Task::classification && target != columns.end()) {
    print("\n" + balance_table(target->figures, rows));
    if (schema.classes() == 2) print(fmt::format("positive class: {}\n", schema.positive_class()));
  }
}

}  // namespace

std::function<void()> declare_describe(Arguments& arguments) {
  auto options = std::make_shared<DescribeOptions>();
  options->data.declare(arguments);
  arguments.group("Options");
  options->run.declare_json(arguments);
  options->run.declare_threads(arguments);
  options->run.declare_quiet(arguments);
  return [options] { run_describe(*options); };
}

}  // namespace softwood

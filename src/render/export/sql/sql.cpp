#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "base/text.h"
#include "render/export/exporter.h"
#include "render/export/sql/answers.h"
#include "softwood/error.h"

namespace softwood::render {
namespace {

// As most databases take them.
bool same_name(std::string_view a, std::string_view b) {
  return in_lower_case(a) == in_lower_case(b);
}

// No name of the user begins with it.
std::string free_prefix(const LoweredTree& tree, const ExportOptions& options) {
  std::string prefix = "sw_";
  const auto is_taken = [&](const std::string& name) {
    return in_lower_case(name).starts_with(prefix);
  };
  const auto any_taken = [&] {
    return is_taken(options.table) ||
           std::any_of(tree.inputs.begin(), tree.inputs.end(),
                       [&](const LoweredInput& input) { return is_taken(input.name); });
  };
  while (any_taken()) prefix += '_';
  return prefix;
}

void refuse_kept_answers(const LoweredTree& tree, const ExportOptions& options) {
  for (const std::string& keep : options.keep) {
    for (const std::string& name : answer_names(tree)) {
      if (!same_name(keep, name)) continue;
      throw Error(ErrorKind::usage,
                  fmt::format("the columns to keep have '{}', which is the name of an answer",
                              printable(keep)),
                  {}, "give the column another name in a view");
    }
  }
}

// A table of such a database has no two columns whose names differ in case alone.
void refuse_equal_columns(const LoweredTree& tree, const SqlDialect& dialect) {
  if (!dialect.ignores_case) return;
  std::map<std::string, std::string> names;
  for (const LoweredInput& input : tree.inputs) {
    const auto [first, is_new] = names.try_emplace(in_lower_case(input.name), input.name);
    if (is_new) continue;
    throw Error(ErrorKind::failure,
                fmt::format("sql cannot express a table with the columns '{}' and '{}': {} takes "
                            "them for the same",
                            printable(first->second), printable(input.name), dialect.name),
                {}, "train with another name for one of them, or take the dialect postgresql");
  }
}

bool divides_rows(const LoweredTree& tree) {
  return std::any_of(tree.nodes.begin(), tree.nodes.end(), [](const LoweredNode& node) {
    return node.split &&
           (is_soft(*node.split) || node.split->missing.action == MissingAction::shares);
  });
}

std::string heading(const LoweredTree& tree, const ExportOptions& options,
                    const std::string& prefix, bool divided) {
  std::string text;
  for (const std::string& line : export_heading(tree, options)) {
    text += line.empty() ? "--\n" : "-- " + line + "\n";
  }
  text += fmt::format("--\n-- One SELECT for {}; it reads {}.\n", options.dialect,
                      printable(sql_table(options.table)));
  if (options.dialect == "postgresql") {
    text +=
        "-- 'SET jit = off' first for a large tree: compiling it takes longer than running it.\n";
  }
  text +=
      "-- Missing values are NULL (or NaN), and so are levels that the tree does not know.\n"
      "-- Answers: prediction";
  text += tree.is_classifier() ? " and, per class, its probability as proba_CLASS.\n" : ".\n";
  if (divided) {
    text += fmt::format(
        "-- A row may reach several leaves in part: {0}share is the part at a node, {0}go where "
        "it\n"
        "-- goes on (a child, or the weight of the first one), {0}sum what was answered so far.\n",
        prefix);
  } else {
    text += fmt::format("-- {}node is the node where the row ends: the first branch that holds.\n",
                        prefix);
  }
  return text;
}

}  // namespace

std::string sql_export(const LoweredTree& tree, const ExportOptions& options) {
  const SqlDialect& dialect = find_sql_dialect(options.dialect);
  refuse_kept_answers(tree, options);
  refuse_equal_columns(tree, dialect);
  const std::string prefix = free_prefix(tree, options);
  const SqlExpressions sql(tree, dialect, prefix);
  const std::string rows = sql.name("rows");
  // Columns are named with their table: SQLite takes a quoted name that it does not find for text.
  SqlStatement statement(dialect, prefix, sql_table(options.table) + " AS " + rows);
  std::vector<SqlColumn> columns;
  for (size_t i = 0; i < options.keep.size(); ++i) {
    const std::string name = sql.name(fmt::format("keep{}", i));
    const std::string kept = sql_identifier(options.keep[i]);
    statement.add({name, rows + "." + kept});
    columns.push_back({kept, name});
  }
  for (SqlColumn& column : sql.cells(rows)) statement.add(std::move(column));
  statement.end_step();
  for (SqlColumn& column : sql.derived()) statement.add(std::move(column));
  statement.end_step();
  const bool divided = divides_rows(tree);
  const std::vector<SqlColumn> answers = divided ? divided_row_columns(sql, options, statement)
                                                 : whole_row_columns(sql, options, statement);
  columns.insert(columns.end(), answers.begin(), answers.end());
  const std::string text = heading(tree, options, prefix, divided) + statement.text(columns);
  return options.dialect == "spark" ? with_spark_quotes(text) : text;
}

}  // namespace softwood::render

// One SELECT in named steps, each of which reads the one before it.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "render/export/sql/expression.h"

namespace softwood::render {

class SqlStatement {
 public:
  SqlStatement(const SqlDialect& dialect, std::string prefix, std::string table)
      : dialect_(dialect), prefix_(std::move(prefix)), source_(std::move(table)) {}

  // A column of the next step. One that there is already gets the new expression, which may read
  // the old value.
  void add(SqlColumn column);
  // Later steps don't need the column.
  void drop(const std::string& name);
  // Ends the step, if it adds a column.
  void end_step();
  // Columns that the next step has so far.
  size_t width() const { return kept_.size() + added_.size(); }

  // `columns` as the last SELECT.
  std::string text(const std::vector<SqlColumn>& columns) const;

 private:
  const SqlDialect& dialect_;
  std::string prefix_, source_;
  std::vector<std::string> kept_;  // columns of the step before that are passed on
  std::vector<SqlColumn> added_;
  std::vector<std::string> dropped_;
  std::string steps_;
  size_t count_ = 0;
};

// A value by a number, as one CASE that stays small: more than a few keys are first told apart by
// ranges.
struct SqlCase {
  uint32_t key;
  std::string value;
};
// `keys` ascend. The number is one of them.
std::string sql_value_of(const std::string& number, const std::vector<SqlCase>& keys);
// Any other number stays as it is.
std::string sql_replaced(const std::string& number, const std::vector<SqlCase>& keys);

}  // namespace softwood::render

// Columns of probabilities or numbers on the way to the last SELECT.
#pragma once

#include <string>
#include <vector>

#include "render/export/node_answers.h"
#include "render/export/sql/statement.h"

namespace softwood::render {

// Adds a step that decides, where that takes one, and gives the last SELECT's columns:
// `prediction` and, of classes, proba_CLASS, from columns or short expressions of probabilities, or
// of one number.
std::vector<SqlColumn> answer_columns(const SqlExpressions& sql, const ExportOptions& options,
                                      SqlStatement& statement,
                                      const std::vector<std::string>& answers);
// "prediction", "proba_CLASS".
std::vector<std::string> answer_names(const LoweredTree& tree);

// Probabilities of scores in columns: steps that add exp(score - largest), and expressions of the
// probabilities. NULL in `scores[0]`: all are NULL.
std::vector<std::string> softmax_columns(const SqlExpressions& sql, SqlStatement& statement,
                                         const std::vector<std::string>& scores);

// A row that ends in one node: steps that find it, and the columns of the answers.
std::vector<SqlColumn> whole_row_columns(const SqlExpressions& sql, const ExportOptions& options,
                                         SqlStatement& statement);
// A row that may end in several.
std::vector<SqlColumn> divided_row_columns(const SqlExpressions& sql, const ExportOptions& options,
                                           SqlStatement& statement);

}  // namespace softwood::render

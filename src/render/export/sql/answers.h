// What nodes answer, and columns of probabilities or numbers on the way to the last SELECT.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "render/export/exporter.h"
#include "render/export/sql/statement.h"

namespace softwood::render {

// The answer of a node for every row: by its constants, or by a formula without terms. As it is
// mixed: logarithms or outputs of the formula where scores are. None: it depends on the row.
std::optional<std::vector<double>> constant_mixed(const LoweredTree& tree, uint32_t node);
// The same where the formula of a node can't be computed.
std::vector<double> mixed_without_formula(const LoweredTree& tree, uint32_t node);
// What is mixed turned into the final answer of a row that ends in one node.
std::vector<double> final_answer(const LoweredTree& tree, std::vector<double> mixed);
// The class that is answered for probabilities.
size_t answered_class(const LoweredTree& tree, const ExportOptions& options,
                      const std::vector<double>& probabilities);

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

// Conditions, sums and formulas of a tree as SQL expressions over the columns of the steps.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "render/export/sql/dialect.h"
#include "softwood/lowered.h"

namespace softwood::render {

// A column of a step and what it is computed from.
struct SqlColumn {
  std::string name;  // quoted where that is needed
  std::string expression;
};

class SqlExpressions {
 public:
  // Names of columns that are not the user's begin with `prefix`.
  SqlExpressions(const LoweredTree& tree, const SqlDialect& dialect, std::string prefix);

  // The cells of the user's table: numbers as doubles, levels as text, ordinal levels as their
  // numbers; NULL where they are missing or not known.
  std::vector<SqlColumn> cells(const std::string& table) const;
  // What is computed of these once for all conditions; may be none.
  std::vector<SqlColumn> derived() const;

  // Whether a row goes to a child of a hard condition, with the surrogates and the node's rule;
  // false or NULL: it does not. `children` as child: the row stays at the node.
  std::string goes_to(const LoweredSplit& split, uint32_t child) const;
  // Which child of hard conditions a row goes to; NULL: as the rule for missing values says where
  // that is not a child.
  std::string child_number(const LoweredSplit& split) const;
  // Weight of the first of two children; NULL likewise.
  std::string first_weight(const LoweredSplit& split) const;

  // An output of a formula; NULL or not finite where it can't be computed.
  std::string output(const LoweredFormula& formula, const LoweredOutput& output) const;

  std::string number(double value) const;  // with infinities
  std::string exp(const std::string& x) const;
  // The number is neither NULL nor infinite.
  std::string is_finite(const std::string& x) const;
  // Of one or more expressions.
  std::string greatest(const std::vector<std::string>& all) const;
  std::string least(const std::vector<std::string>& all) const;
  // Terms joined by " + ", with parentheses that keep the nesting low.
  static std::string sum(const std::vector<std::string>& terms);

  const LoweredTree& tree() const { return tree_; }
  const SqlDialect& dialect() const { return dialect_; }
  std::string name(const std::string& name) const { return prefix_ + name; }

 private:
  // Where overflow is an error: between these sizes, by input, products with its coefficients are
  // in range.
  struct Range {
    double low = 0, high = 0;
    bool in_sums = false;
  };
  void find_range(const LoweredTerm& term, double coefficient);
  void find_ranges();

  std::string cell(uint32_t input, bool typical) const;
  std::string cell_in_sums(uint32_t input, bool typical) const;
  std::string typical_value(uint32_t input) const;
  std::string level_value(uint32_t input, size_t level) const;

  std::string term(const LoweredTerm& term, bool typical) const;
  std::string product(double coefficient, const LoweredTerm& term, bool typical) const;
  // Coefficient * term, one after the other; runs of levels of one input as one CASE.
  std::vector<std::string> products(const std::vector<LoweredTerm>& terms,
                                    const std::vector<double>& coefficients, bool typical) const;
  std::string levels_product(const std::vector<LoweredTerm>& terms,
                             const std::vector<double>& coefficients, size_t from, size_t to,
                             bool typical) const;
  std::string score(const LoweredScore& score, bool typical) const;

  std::string asks(const LoweredCondition& condition, uint32_t child, bool typical) const;
  std::string asks_levels(const LoweredLevels& levels, uint32_t child, bool typical) const;
  std::string level_list(const LoweredLevels& levels, uint32_t child) const;
  std::string number_of_child(const LoweredCondition& condition, bool typical) const;
  std::string weight(const LoweredCondition& condition, bool typical) const;
  std::string ramp(const LoweredScore& score, bool typical) const;

  // The condition, its surrogates and, where that is the rule, the condition with typical values,
  // each as `write` writes it.
  template <typename Write>
  std::vector<std::string> alternatives(const LoweredSplit& split, const Write& write) const;

  const LoweredTree& tree_;
  const SqlDialect& dialect_;
  std::string prefix_;
  std::vector<Range> ranges_;
  bool uses_typical_ = false;
};

std::string sql_coalesce(const std::vector<std::string>& all);
// A condition with soft links.
bool is_soft(const LoweredCondition& condition);
bool is_soft(const LoweredSplit& split);

}  // namespace softwood::render

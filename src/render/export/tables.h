// A tree as flat arrays of numbers, for exports that walk them in a small loop. All arrays of one
// prefix have one length; `first` and `count` say which entries belong together. Evaluate as
// include/softwood/lowered.h says, in the order of the arrays.
#pragma once

#include <cstdint>
#include <vector>

#include "render/export/marks.h"
#include "softwood/lowered.h"

namespace softwood::render {

// What a condition asks.
enum class ConditionCode : uint8_t {
  threshold = 0,  // the cell of `input` <= cut
  levels = 1,     // level_child[first + level]; -1: not computable
  step = 2,       // a sum of terms, s <= cut
  ramp = 3,
  logistic = 4
};

// The numbers of MissingAction, in exports.
enum class MissingCode : uint8_t { child = 0, shares = 1, stay = 2, own_child = 3, impute = 4 };

// The numbers of TermKind, in exports.
enum class TermCode : uint8_t { value = 0, square = 1, product = 2, asinh = 3, level = 4 };

struct CodeTables {
  size_t inputs = 0, outputs = 0;  // outputs: classes, or 1

  // Nodes, breadth first.
  std::vector<int32_t> node_condition;   // -1: a leaf; its surrogates follow it
  std::vector<int32_t> node_surrogates;  // their number
  std::vector<int32_t> node_child;       // the first child; the others follow; -1: a leaf
  std::vector<int32_t> node_children;
  std::vector<int32_t> node_missing;  // MissingCode
  // child and impute: the child, counted from 0; own_child: the last child; shares: where they
  // begin in `shares`; stay: -1.
  std::vector<int32_t> node_missing_child;
  std::vector<int32_t> node_answer;   // row of `answers`; -1: no row ends here
  std::vector<int32_t> node_formula;  // -1: none

  std::vector<double> shares;
  // Rows of `outputs` numbers, each different row once: probabilities, or one number, and their
  // logarithms where scores are mixed (-infinity for 0).
  std::vector<double> answers;

  std::vector<int32_t> condition_code;   // ConditionCode
  std::vector<int32_t> condition_input;  // threshold and levels; else -1
  std::vector<int32_t> condition_first;  // sums: their first term; levels: where in level_child
  std::vector<int32_t> condition_count;  // of terms or levels
  std::vector<double> condition_cut;
  std::vector<double> condition_below, condition_above;  // ramps

  std::vector<int32_t> level_child;  // equal maps once

  std::vector<int32_t> term_code;  // TermCode
  std::vector<int32_t> term_input;
  std::vector<int32_t> term_other;  // product: the second input; level: its index
  std::vector<double> term_centre, term_scale;
  std::vector<double> term_coefficient;  // 1 in formulas

  std::vector<int32_t> formula_first_term, formula_terms;
  std::vector<int32_t> formula_first_output, formula_outputs;
  std::vector<double> formula_low, formula_high;  // regression
  std::vector<int32_t> output_class;
  std::vector<int32_t> output_first;  // in `coefficients`: the constant, then one per term
  std::vector<double> coefficients;

  std::vector<double> typical;  // by input; NaN: none
  MarkTables marks;

  // Which parts the loop needs.
  bool divides_rows = false;  // a row may end in several nodes: soft gates or shares
  bool has_sums = false, has_asinh = false, has_levels = false, has_soft_links = false;
  bool has_surrogates = false, has_imputation = false, has_formulas = false;
  bool needs_exp = false;  // logistic gates, softmax
  bool mixes_scores = false;
  bool has_limits = false;  // of mixed answers
};

CodeTables code_tables(const LoweredTree& tree);

}  // namespace softwood::render

// Trees that compute: sums, soft gates, divided rows, formulas of leaves. The text of a function is
// put together from the parts that the tree needs.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <map>

#include "base/math.h"
#include "base/text.h"
#include "render/export/c/block_text.h"
#include "render/export/c/code.h"
#include "render/export/c/descent_text.h"
#include "render/export/tables.h"

namespace softwood::render {
namespace {

using namespace descent_text;

// Nodes that wait at most, when a row reaches all of them.
size_t queue_length(const CodeTables& tables) {
  int32_t last = 0, most = 1;
  for (int32_t i = 0; i < static_cast<int32_t>(tables.node_child.size()); ++i) {
    const auto at = static_cast<size_t>(i);
    if (tables.node_child[at] >= 0) last = tables.node_child[at] + tables.node_children[at] - 1;
    most = std::max(most, last - i);
  }
  return static_cast<size_t>(most);
}

bool holds(const std::vector<int32_t>& codes, int32_t code) {
  return std::find(codes.begin(), codes.end(), code) != codes.end();
}

// "if (...) {" becomes "{".
std::string without_test(std::string text) {
  const size_t begin = text.find_first_not_of(' ');
  return text.replace(begin, text.find('{') - begin, "");
}

// The parts of a function of which one is taken by code: the last one needs no test.
std::string by_code(const std::vector<std::string>& parts) {
  std::string text;
  for (size_t i = 0; i < parts.size(); ++i) {
    text += i + 1 < parts.size() ? parts[i] : without_test(parts[i]);
  }
  return text;
}

// Of parts "if (...) {...} else", one of which holds, the last becomes "{...}".
std::string one_of(std::vector<std::string> parts) {
  std::string& last = parts.back();
  last = without_test(last.substr(0, last.rfind('}') + 1)) + "\n";
  return join(parts, "");
}

class Writer {
 public:
  Writer(CodeWriter& out, const LoweredTree& tree, const ExportOptions& options)
      : out_(out), tree_(tree), options_(options), tables_(code_tables(tree)) {
    for (const LoweredInput& input : tree.inputs) {
      level_counts_.push_back(static_cast<int32_t>(input.levels.size()));
    }
    if (tables_.has_asinh && tables_.divides_rows) map_asinh_terms();
    has_typical_ = tables_.has_imputation || (tables_.has_formulas && !tables_.term_code.empty());
    has_shares_ = !tables_.shares.empty();
    width_ = tables_.formula_outputs.empty() ? 0
                                             : *std::max_element(tables_.formula_outputs.begin(),
                                                                 tables_.formula_outputs.end());
    queue_ = tables_.divides_rows ? queue_length(tables_) : 0;
    in_blocks_ = goes_in_blocks();
    find_words();
  }

  size_t write() {
    write_tables();
    const bool exp_rows = in_blocks_ && holds(tables_.condition_code, 4);
    write_math(out_, tables_.needs_exp, tables_.has_asinh, exp_rows ? block_rows : 0);
    if (!tables_.term_code.empty() || !tables_.condition_code.empty()) write(cell);
    if (!tables_.term_code.empty()) write(term);
    if (!tables_.condition_code.empty()) {
      write(ask);
      write(choose);
    }
    if (tables_.mixes_scores || (tables_.has_formulas && tree_.is_classifier())) write(softmax);
    if (tables_.has_formulas) write(outputs_of);
    write(add);
    write(fill);
    if (out_.single()) write(round_answer);
    if (tree_.is_classifier()) write(decide);
    if (in_blocks_) write(block);
    write(in_blocks_ ? rows_by_blocks : fill_rows);
    const size_t answers = tree_.is_classifier() || out_.single() ? tables_.outputs : 0;
    const size_t cells = map_input_.empty() ? 0 : all_cells();
    return queue_ * (small_nodes() ? 10 : 12) +
           8 * (static_cast<size_t>(width_) + answers + cells) + (in_blocks_ ? block_bytes() : 0);
  }

 private:
  // Rows of a block of $predict_rows.
  static constexpr size_t block_rows = 16;
  static constexpr size_t most_block_bytes = size_t{32} << 10U;

  size_t all_cells() const { return tables_.inputs + map_input_.size(); }
  size_t block_bytes() const {
    return 8 * block_rows * (all_cells() + queue_ + tables_.outputs + 4);
  }

  // Soft trees of two children per node whose sums have plain terms, and whose leaves need no
  // softmax of their own.
  bool goes_in_blocks() const {
    const auto is = [](int32_t value) { return [value](int32_t one) { return one == value; }; };
    const CodeTables& t = tables_;
    if (!t.has_soft_links || out_.single() || block_bytes() > most_block_bytes) return false;
    if (t.has_formulas && tree_.is_classifier() && !t.mixes_scores) return false;
    if (!std::all_of(t.term_code.begin(), t.term_code.end(), is(0))) return false;
    for (size_t node = 0; node < t.node_child.size(); ++node) {
      if (t.node_child[node] >= 0 && t.node_children[node] != 2) return false;
      if (t.node_child[node] >= 0 || t.node_formula[node] >= 0) continue;
      const auto row = static_cast<size_t>(t.node_answer[node]) * t.outputs;
      for (size_t k = 0; k < t.outputs; ++k) {
        if (!std::isfinite(t.answers[row + k])) return false;  // 0 times it would be NaN
      }
    }
    return true;
  }

  void find_block() {
    const auto& codes = tables_.condition_code;
    std::vector<std::string> gates, links;
    if (holds(codes, 0)) gates.emplace_back(gate_threshold);
    if (holds(codes, 1)) gates.emplace_back(gate_levels);
    gates.emplace_back(gate_sum);
    if (holds(codes, 3)) links.emplace_back(rows_ramp);
    if (holds(codes, 4)) links.emplace_back(rows_logistic);
    if (holds(codes, 2)) links.emplace_back(rows_step);
    word("GATE", join(gates, ""));
    word("LINKROWS", one_of(links));
    word("LEAF",
         std::string(tables_.has_formulas ? leaf_formula : "") + std::string(leaf_constant));
    word("TERMSOFLEAF", tables_.term_code.empty() ? "" : terms_of_leaf);
    word("LIMITSOFLEAF", tree_.is_classifier() ? "" : limits_of_leaf);
    word("MAPROWS", map_input_.empty() ? "" : map_rows);
    word("ROWS", std::to_string(block_rows));
    word("NODES", std::to_string(tree_.nodes.size()));
  }

  // asinh terms become values of cells behind those of the inputs.
  void map_asinh_terms() {
    std::map<std::array<double, 3>, int32_t> places;
    for (size_t t = 0; t < tables_.term_code.size(); ++t) {
      if (tables_.term_code[t] != static_cast<int32_t>(TermCode::asinh)) continue;
      const int32_t input = tables_.term_input[t];
      const double centre = tables_.term_centre[t], scale = tables_.term_scale[t];
      const auto [place, is_new] =
          places.try_emplace({static_cast<double>(input), centre, scale},
                             static_cast<int32_t>(tables_.inputs + map_input_.size()));
      if (is_new) {
        map_input_.push_back(input);
        map_centre_.push_back(centre);
        map_scale_.push_back(scale);
        const double typical = tables_.typical[static_cast<size_t>(input)];
        tables_.typical.push_back(math::asinh((typical - centre) / scale));
        level_counts_.push_back(0);
        if (has_marks()) tables_.marks.first.push_back(tables_.marks.first.back());
      }
      tables_.term_code[t] = static_cast<int32_t>(TermCode::value);
      tables_.term_input[t] = place->second;
    }
  }

  void write(std::string_view text) { out_.code(text, words_); }
  bool has_marks() const { return !tables_.marks.empty(); }
  bool small_nodes() const { return tree_.nodes.size() <= 0xFFFF; }

  void word(std::string name, std::string_view text) { words_.emplace_back(name, text); }

  void find_words() {
    find_conditions();
    find_rules();
    find_answers();
    const bool soft = tables_.has_soft_links;
    const bool filled = has_typical_;
    const bool maps = !map_input_.empty();
    word("MAPPED", maps ? declare_mapped : "");
    word("MAP", maps ? map_cells : "");
    word("MAPS", std::to_string(map_input_.size()));
    word("ALLCELLS", std::to_string(all_cells()));
    if (in_blocks_) find_block();
    word("INNER", maps ? "double" : "CELL");
    word("ROW", maps ? "cells" : "row");
    word("FIRSTVARIABLE", soft ? "first = 0, " : "");
    word("FIRSTADDRESS", soft ? ", &first" : "");
    word("PASSFIRST", soft ? ", first" : "");
    word("FIRST", soft ? ", double *first" : "");
    word("FILLED", filled ? ", int filled" : "");
    word("UNFILLED", filled ? ", 0" : "");
    word("PASSED", filled ? ", filled" : "");
    word("INPUTS", std::to_string(tables_.inputs));
    word("OUTPUTS", std::to_string(tables_.outputs));
    word("WIDTH", std::to_string(width_));
  }

  void find_conditions() {
    const auto& codes = tables_.condition_code;
    const bool levels = std::any_of(level_counts_.begin(), level_counts_.end(),
                                    [](int32_t count) { return count > 0; });
    word("CHECK", std::string(levels ? check_level : "") +
                      std::string(has_marks() ? check_marks : "") +
                      std::string(has_typical_ ? fill_typical : ""));
    word("MARKCOUNT", has_marks() ? "  int32_t m;\n" : "");
    word("TELLS", std::string(levels ? ", also for numbers that are no level's" : "") +
                      (has_marks() ? ", and for those that mean it" : ""));
    std::vector<std::string> parts, links;
    if (holds(codes, 0)) parts.emplace_back(ask_threshold);
    if (holds(codes, 1)) parts.emplace_back(ask_levels);
    if (tables_.has_sums) parts.emplace_back(ask_sum);
    if (holds(codes, 3)) links.emplace_back(link_ramp);
    if (holds(codes, 4)) links.emplace_back(link_logistic);
    if (holds(codes, 2)) links.emplace_back(link_step);
    word("PARTSOFASK", by_code(parts));
    word("LINKS", holds(codes, 2) ? join(links, "") : by_code(links));
    word("DIVIDES",
         tables_.has_soft_links ? ";\n   -2: the row is divided, *first to child 0" : "");
    std::vector<std::string> cases;
    for (int32_t code = 0; code < 5; ++code) {
      if (holds(tables_.term_code, code)) {
        cases.emplace_back(term_cases[static_cast<size_t>(code)]);
      }
    }
    if (cases.size() == 1) {
      word("CASES", "  " + cases[0].substr(cases[0].find("return")));
    } else {
      word("CASES", "  switch ($term_code[t]) {\n" + join(cases, "") + "  }\n  return x;\n");
    }
  }

  void find_rules() {
    const auto& rules = tables_.node_missing;
    word("SURROGATES", tables_.has_surrogates ? try_surrogates : "");
    word("RULES", std::string(holds(rules, 1) ? rule_shares : "") +
                      std::string(holds(rules, 2) ? rule_stay : "") +
                      std::string(holds(rules, 4) ? rule_impute : ""));
    word("STAY", holds(rules, 2) ? "    if (child < 0) break;\n" : "");
  }

  void find_answers() {
    word("TERMS", tables_.term_code.empty() ? "  CAST<void>(row);\n" : add_terms);
    word("FORMULA", tables_.has_formulas ? add_formula : "");
    word("FORMULAKIND", !tree_.is_classifier() ? add_number
                        : tables_.mixes_scores ? add_scores
                                               : add_probabilities);
    word("ANSWER", out_.single() ? "FUNCTION void $answer" : "PUBLIC void $predict");
    word("ASKANSWER", out_.single() ? "$answer" : "$predict");
    word("FORMULACOUNT", tree_.is_classifier() ? "$formula_outputs[formula]" : "1");
    word("ROWARGUMENT", tables_.has_formulas ? "const @INNER@ *row, " : "");
    word("ROWPASSED", tables_.has_formulas ? "@ROW@, " : "");
    const bool divides = tables_.divides_rows;
    word("DECLARATIONS", divides ? declare_queue : declare_hard);
    word("DESCEND", divides                          ? descend_queue
                    : tables_.condition_code.empty() ? descend_nowhere
                                                     : descend_hard);
    word("FINISH", tables_.mixes_scores                           ? finish_scores
                   : tables_.has_limits && !tree_.is_classifier() ? finish_limits
                                                                  : "");
    word("NODETYPE", small_nodes() ? "uint16_t" : "int32_t");
    word("QUEUE", std::to_string(queue_));
    word("SMALLEST", out_.number(tree_.smallest_share));
    const std::string gate = "share * (k == 0 ? first : 1 - first)";
    const std::string part = "share * $shares[$node_missing_child[node] + k]";
    const bool soft = tables_.has_soft_links;
    word("PARTS", !has_shares_ ? "2"
                  : !soft      ? "$node_children[node]"
                               : "child == -2 ? 2 : $node_children[node]");
    word("WEIGHT", !has_shares_ ? gate : !soft ? part : "child == -2 ? " + gate + " : " + part);
    word("LOW", out_.number(tree_.mixing.low));
    word("HIGH", out_.number(tree_.mixing.high));
    const bool by_threshold = !std::isnan(options_.threshold);
    word("HOW", by_threshold                   ? decide_threshold
                : tree_.decision.costs.empty() ? decide_largest
                                               : decide_costs);
    word("CLASS", std::to_string(options_.threshold_class));
    word("OTHER", std::to_string(1 - std::min(options_.threshold_class, 1U)));
    word("THRESHOLD", out_.number(options_.threshold));
    word("ROUNDING", out_.number(tree_.decision.cost_rounding));
  }

  void numbers(std::string_view name, const std::vector<int32_t>& values) {
    if (!values.empty()) out_.table(name, std::span<const int32_t>(values));
  }
  void numbers(std::string_view name, const std::vector<double>& values) {
    if (!values.empty()) out_.table(name, std::span<const double>(values));
  }
  void comment(std::string_view text) { out_.raw(fmt::format("\n/* {} */\n", text)); }

  void write_tables() {
    write_nodes();
    if (!tables_.condition_code.empty()) write_conditions();
    if (!tables_.term_code.empty()) write_terms();
    if (tables_.has_formulas) write_formulas();
    if (std::any_of(level_counts_.begin(), level_counts_.end(), [](int32_t n) { return n > 0; })) {
      comment("Levels of the inputs; 0: a number.");
      numbers("level_counts", level_counts_);
    }
    if (!map_input_.empty()) {
      comment("Cells behind those of the inputs: asinh((x - centre) / scale).");
      numbers("map_input", map_input_);
      numbers("map_centre", map_centre_);
      numbers("map_scale", map_scale_);
    }
    if (has_marks()) write_marks(out_, tables_.marks);
    if (has_typical_) {
      comment("What stands for missing cells, by input; NaN: nothing.");
      numbers("typical", tables_.typical);
    }
    if (tree_.is_classifier() && !tree_.decision.costs.empty() && std::isnan(options_.threshold)) {
      comment("What errors cost: a row per actual class, a column per answer.");
      numbers("costs", tree_.decision.costs);
    }
  }

  void write_nodes() {
    const CodeTables& t = tables_;
    const bool splits = !t.condition_code.empty();
    comment("Nodes, breadth first. -1 in node_child: a leaf.");
    if (splits) {
      numbers("node_child", t.node_child);
      if (has_shares_) numbers("node_children", t.node_children);
      numbers("node_condition", t.node_condition);
      if (t.has_surrogates) {
        comment("Surrogates: the conditions that follow the node's own.");
        numbers("node_surrogates", t.node_surrogates);
      }
      comment(
          "Rows with missing values: the child; 1: divided by shares from there on; 2: the node\n"
          "   answers; 4: typical values, then the child.");
      if (holds(t.node_missing, 1) || holds(t.node_missing, 2) || holds(t.node_missing, 4)) {
        numbers("node_missing", t.node_missing);
      }
      numbers("node_missing_child", t.node_missing_child);
      if (has_shares_) numbers("shares", t.shares);
    }
    comment("The row of the answers by node; -1: no row ends there.");
    numbers("node_answer", t.node_answer);
    if (t.has_formulas) numbers("node_formula", t.node_formula);
    comment(t.mixes_scores ? "Logarithms of probabilities, each different row once."
                           : "Answers, each different row once.");
    numbers("answers", t.answers);
  }

  void write_conditions() {
    const CodeTables& t = tables_;
    const auto& codes = t.condition_code;
    const bool plain = holds(codes, 0) || holds(codes, 1);
    const bool cuts = holds(codes, 0) || t.has_sums;
    comment(
        "Conditions. 0: the cell is at most the cut; 1: a child per level; sums: 2: at most the\n"
        "   cut, 3: a ramp, 4: a logistic gate.");
    if (std::any_of(codes.begin(), codes.end(), [&](int32_t c) { return c != codes[0]; })) {
      numbers("condition_code", codes);
    }
    if (plain) numbers("condition_input", t.condition_input);
    if (holds(codes, 1) || t.has_sums) numbers("condition_first", t.condition_first);
    if (t.has_sums) numbers("condition_count", t.condition_count);
    if (cuts) numbers("condition_cut", t.condition_cut);
    if (holds(codes, 3)) {
      numbers("condition_below", t.condition_below);
      numbers("condition_above", t.condition_above);
    }
    if (holds(codes, 1)) {
      comment("Children by level; -1: not seen there.");
      numbers("level_child", t.level_child);
    }
  }

  void write_terms() {
    const CodeTables& t = tables_;
    const auto& codes = t.term_code;
    comment(
        "Terms. 0: x; 1: x * x; 2: x * other; 3: asinh((x - centre) / scale); 4: 1 for the level.");
    if (std::any_of(codes.begin(), codes.end(), [&](int32_t c) { return c != codes[0]; })) {
      numbers("term_code", codes);
    }
    numbers("term_input", t.term_input);
    if (holds(codes, 2) || holds(codes, 4)) numbers("term_other", t.term_other);
    if (holds(codes, 3)) {
      numbers("term_centre", t.term_centre);
      numbers("term_scale", t.term_scale);
    }
    if (t.has_sums) numbers("term_coefficient", t.term_coefficient);
  }

  void write_formulas() {
    const CodeTables& t = tables_;
    comment(
        "Formulas of leaves: terms and outputs; an output is a constant and a number per term.");
    if (!t.term_code.empty()) {
      numbers("formula_terms", t.formula_terms);
      numbers("formula_first_term", t.formula_first_term);
    }
    if (tree_.is_classifier()) numbers("formula_outputs", t.formula_outputs);
    numbers("formula_first_output", t.formula_first_output);
    if (!tree_.is_classifier()) {
      numbers("formula_low", t.formula_low);
      numbers("formula_high", t.formula_high);
    } else if (!t.mixes_scores) {
      numbers("output_class", t.output_class);
    }
    numbers("output_first", t.output_first);
    numbers("coefficients", t.coefficients);
  }

  CodeWriter& out_;
  const LoweredTree& tree_;
  const ExportOptions& options_;
  CodeTables tables_;
  std::vector<int32_t> map_input_;
  std::vector<double> map_centre_, map_scale_;
  std::vector<int32_t> level_counts_;
  bool has_typical_ = false, has_shares_ = false, in_blocks_ = false;
  int32_t width_ = 0;
  size_t queue_ = 0;
  CodeWriter::Words words_;
};

}  // namespace

size_t write_descent(CodeWriter& out, const LoweredTree& tree, const ExportOptions& options) {
  return Writer(out, tree, options).write();
}

}  // namespace softwood::render

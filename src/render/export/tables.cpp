#include "render/export/tables.h"

#include <cmath>
#include <map>

#include "base/math.h"
#include "lower/condition.h"

namespace softwood::render {
namespace {

int32_t int_of(size_t value) { return static_cast<int32_t>(value); }

template <typename Code>
int32_t code_of(Code code) {
  return static_cast<int32_t>(code);
}

TermCode term_code(TermKind kind) {
  switch (kind) {
    case TermKind::value:
      return TermCode::value;
    case TermKind::square:
      return TermCode::square;
    case TermKind::product:
      return TermCode::product;
    case TermKind::asinh:
      return TermCode::asinh;
    case TermKind::level:
      return TermCode::level;
  }
  return TermCode::value;
}

ConditionCode link_code(LinkKind link) {
  switch (link) {
    case LinkKind::step:
      return ConditionCode::step;
    case LinkKind::ramp:
      return ConditionCode::ramp;
    case LinkKind::logistic:
      return ConditionCode::logistic;
  }
  return ConditionCode::step;
}

class Builder {
 public:
  explicit Builder(const LoweredTree& tree) : tree_(tree) {
    out_.inputs = tree.inputs.size();
    out_.outputs = tree.nodes[0].answer.size();
    out_.mixes_scores = tree.mixing.kind == MixingKind::scores;
    out_.needs_exp = out_.mixes_scores;
    out_.has_limits = std::isfinite(tree.mixing.low) || std::isfinite(tree.mixing.high);
    for (const LoweredInput& input : tree.inputs) out_.typical.push_back(input.typical);
    out_.marks = mark_tables(tree);
    for (const LoweredNode& node : tree.nodes) add(node);
  }

  CodeTables take() { return std::move(out_); }

 private:
  void add(const LoweredNode& node) {
    out_.node_formula.push_back(node.formula ? add(*node.formula) : -1);
    const bool answers = !node.split || node.split->missing.action == MissingAction::stay;
    out_.node_answer.push_back(answers ? answer_row(node.answer) : -1);
    if (node.split) {
      add(*node.split);
    } else {
      for (std::vector<int32_t>* const column :
           {&out_.node_condition, &out_.node_child, &out_.node_missing_child}) {
        column->push_back(-1);
      }
      for (std::vector<int32_t>* const column :
           {&out_.node_surrogates, &out_.node_children, &out_.node_missing}) {
        column->push_back(0);
      }
    }
  }

  int32_t answer_row(std::vector<double> answer) {
    if (out_.mixes_scores) {
      for (double& probability : answer) probability = math::log(probability);
    }
    const auto [row, is_new] = answers_.try_emplace(answer, int_of(answers_.size()));
    if (is_new) out_.answers.insert(out_.answers.end(), answer.begin(), answer.end());
    return row->second;
  }

  void add(const LoweredSplit& split) {
    out_.node_condition.push_back(int_of(out_.condition_code.size()));
    out_.node_surrogates.push_back(int_of(split.missing.surrogates.size()));
    out_.node_child.push_back(int_of(split.first_child));
    out_.node_children.push_back(int_of(split.children));
    add(split.condition);
    for (const LoweredSurrogate& surrogate : split.missing.surrogates) {
      add(surrogate.condition);
      out_.has_surrogates = true;
    }
    add_missing(split);
  }

  void add_missing(const LoweredSplit& split) {
    const auto push = [this](MissingCode code, int32_t child) {
      out_.node_missing.push_back(code_of(code));
      out_.node_missing_child.push_back(child);
    };
    const LoweredMissing& missing = split.missing;
    switch (missing.action) {
      case MissingAction::child:
        return push(MissingCode::child, int_of(missing.child));
      case MissingAction::shares:
        push(MissingCode::shares, int_of(out_.shares.size()));
        out_.shares.insert(out_.shares.end(), missing.shares.begin(), missing.shares.end());
        out_.divides_rows = true;
        return;
      case MissingAction::stay:
        return push(MissingCode::stay, -1);
      case MissingAction::own_child:
        return push(MissingCode::own_child, int_of(split.children) - 1);
      case MissingAction::impute:
        out_.has_imputation = true;
        return push(MissingCode::impute, int_of(missing.child));
    }
  }

  void add(const LoweredCondition& condition) {
    std::visit([this](const auto& kind) { add_kind(kind); }, condition);
  }

  void push_condition(ConditionCode code, int32_t input, int32_t first, size_t count) {
    out_.condition_code.push_back(code_of(code));
    out_.condition_input.push_back(input);
    out_.condition_first.push_back(first);
    out_.condition_count.push_back(int_of(count));
  }

  void add_kind(const LoweredScore& score) {
    // 0 + 1 * x is x.
    if (is_threshold(score)) {
      push_condition(ConditionCode::threshold, int_of(score.terms[0].input), 0, 0);
    } else {
      push_condition(link_code(score.link), -1, int_of(out_.term_code.size()), score.terms.size());
      for (const LoweredTerm& term : score.terms) add(term);
      out_.has_sums = true;
      if (score.link != LinkKind::step) out_.divides_rows = out_.has_soft_links = true;
      if (score.link == LinkKind::logistic) out_.needs_exp = true;
    }
    out_.condition_cut.push_back(score.cut);
    out_.condition_below.push_back(score.below);
    out_.condition_above.push_back(score.above);
  }

  void add_kind(const LoweredLevels& levels) {
    const auto [place, is_new] =
        maps_.try_emplace(levels.child_of_level, int_of(out_.level_child.size()));
    if (is_new) {
      out_.level_child.insert(out_.level_child.end(), levels.child_of_level.begin(),
                              levels.child_of_level.end());
    }
    push_condition(ConditionCode::levels, int_of(levels.input), place->second,
                   levels.child_of_level.size());
    out_.condition_cut.push_back(0);
    out_.condition_below.push_back(0);
    out_.condition_above.push_back(0);
    out_.has_levels = true;
  }

  void add(const LoweredTerm& term) {
    out_.term_code.push_back(code_of(term_code(term.kind)));
    out_.term_input.push_back(int_of(term.input));
    out_.term_other.push_back(int_of(term.kind == TermKind::level ? term.level : term.second));
    out_.term_centre.push_back(term.centre);
    out_.term_scale.push_back(term.scale);
    out_.term_coefficient.push_back(term.coefficient);
    if (term.kind == TermKind::asinh) out_.has_asinh = true;
  }

  int32_t add(const LoweredFormula& formula) {
    out_.formula_first_term.push_back(int_of(out_.term_code.size()));
    out_.formula_terms.push_back(int_of(formula.terms.size()));
    for (const LoweredTerm& term : formula.terms) add(term);
    out_.formula_first_output.push_back(int_of(out_.output_class.size()));
    out_.formula_outputs.push_back(int_of(formula.outputs.size()));
    for (const LoweredOutput& output : formula.outputs) {
      out_.output_class.push_back(int_of(output.class_index));
      out_.output_first.push_back(int_of(out_.coefficients.size()));
      out_.coefficients.push_back(output.constant);
      out_.coefficients.insert(out_.coefficients.end(), output.coefficients.begin(),
                               output.coefficients.end());
    }
    out_.formula_low.push_back(formula.low);
    out_.formula_high.push_back(formula.high);
    out_.has_formulas = true;
    if (tree_.is_classifier()) out_.needs_exp = true;
    return int_of(out_.formula_low.size()) - 1;
  }

  const LoweredTree& tree_;
  CodeTables out_;
  std::map<std::vector<double>, int32_t> answers_;
  std::map<std::vector<int32_t>, int32_t> maps_;
};

}  // namespace

CodeTables code_tables(const LoweredTree& tree) { return Builder(tree).take(); }

}  // namespace softwood::render

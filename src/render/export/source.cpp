#include "render/export/source.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/text.h"

namespace softwood::render {
namespace {

using Flags = std::set<std::string>;

// Copies a line with its values.
void append_line(std::string& out, std::string_view line,
                 const std::map<std::string, std::string>& values) {
  for (size_t begin = line.find("@{"); begin != std::string_view::npos; begin = line.find("@{")) {
    const size_t end = line.find('}', begin);
    out += line.substr(0, begin);
    out += values.at(std::string(line.substr(begin + 2, end - begin - 2)));
    line.remove_prefix(end + 1);
  }
  out += line;
}

// Its value has its own line breaks.
bool is_one_value(std::string_view line) {
  return line.starts_with("@{") && line.find('}') == line.size() - 1;
}

bool any_set(std::string_view words, const Flags& flags) {
  for (const std::string_view word : split(words, ' ')) {
    if (flags.contains(std::string(word))) return true;
  }
  return false;
}

bool has_code(const std::vector<int32_t>& codes, int32_t code) {
  return std::find(codes.begin(), codes.end(), code) != codes.end();
}

template <typename Code>
bool has_code(const std::vector<int32_t>& codes, Code code) {
  return has_code(codes, static_cast<int32_t>(code));
}

void add_condition_flags(const CodeTables& tables, Flags& flags) {
  const auto& codes = tables.condition_code;
  const auto add = [&](bool holds, const char* flag) {
    if (holds) flags.insert(flag);
  };
  add(tables.has_levels, "levels");
  add(tables.has_sums, "sums");
  add(tables.has_levels || tables.has_sums, "codes");  // not all conditions are thresholds
  add(has_code(codes, ConditionCode::threshold) || !flags.contains("codes"), "thresholds");
  add(has_code(codes, ConditionCode::step), "steps");
  add(has_code(codes, ConditionCode::ramp), "ramps");
  add(has_code(codes, ConditionCode::logistic), "logistic");
}

void add_term_flags(const CodeTables& tables, Flags& flags) {
  const auto add = [&](TermCode code, const char* flag) {
    if (has_code(tables.term_code, code)) flags.insert(flag);
  };
  if (tables.has_sums || tables.has_formulas) flags.insert("terms");
  add(TermCode::square, "squares");
  add(TermCode::product, "products");
  add(TermCode::asinh, "asinh");
  add(TermCode::level, "level_terms");
}

void add_missing_flags(const CodeTables& tables, Flags& flags) {
  const auto add = [&](MissingCode code, const char* flag) {
    // A leaf has the code 0, too.
    if (has_code(tables.node_missing, code)) flags.insert({flag, "rules"});
  };
  add(MissingCode::shares, "shares");
  add(MissingCode::stay, "stay");
  add(MissingCode::impute, "impute");
  if (tables.has_surrogates) flags.insert("surrogates");
}

}  // namespace

std::string filled_template(std::string_view text, const Flags& flags,
                            const std::map<std::string, std::string>& values) {
  std::string out;
  struct Part {
    bool outer, taken;  // whether what is around it stays, and whether its flags are set
    bool stays() const { return outer && taken; }
  };
  std::vector<Part> parts;
  std::vector<std::string_view> lines = split(text, '\n');
  if (!lines.empty() && lines.back().empty()) lines.pop_back();
  for (const std::string_view line : lines) {
    const bool stays = parts.empty() || parts.back().stays();
    if (line.starts_with("@if ")) {
      parts.push_back({stays, any_set(line.substr(4), flags)});
    } else if (line == "@else") {
      parts.back().taken = !parts.back().taken;
    } else if (line == "@end") {
      parts.pop_back();
    } else if (stays) {
      append_line(out, line, values);
      if (!is_one_value(line)) out += '\n';
    }
  }
  return out;
}

Flags source_flags(const LoweredTree& tree, const CodeTables& tables,
                   const ExportOptions& options) {
  Flags flags;
  const auto add = [&](bool holds, const char* flag) {
    if (holds) flags.insert(flag);
  };
  add_condition_flags(tables, flags);
  add_term_flags(tables, flags);
  add_missing_flags(tables, flags);
  add(tree.is_classifier(), "classes");
  add(tables.divides_rows, "divides");
  add(tables.has_formulas, "formulas");
  add(tables.has_formulas || tables.has_imputation, "filled");  // typical values for missing ones
  add(tables.needs_exp, "exp");
  add(tables.mixes_scores, "scores");
  add(tables.mixes_scores || (tables.has_formulas && tree.is_classifier()), "softmax");
  add(tables.has_limits && !tree.is_classifier(), "limits");
  add(!tables.marks.empty(), "marks");
  add(!std::isnan(options.threshold), "threshold");
  add(std::isnan(options.threshold) && !tree.decision.costs.empty(), "costs");
  for (const LoweredInput& input : tree.inputs) {
    flags.insert(input.kind == InputKind::numeric ? "numbers" : "texts");
  }
  return flags;
}

std::vector<std::string> SourceTable::literals(Language language) const {
  std::vector<std::string> all;
  if (integers != nullptr) {
    all.reserve(integers->size());
    for (const int32_t value : *integers) all.push_back(std::to_string(value));
  } else {
    all.reserve(numbers->size());
    for (const double value : *numbers) all.push_back(number_literal(language, value));
  }
  return all;
}

std::vector<SourceTable> source_tables(const CodeTables& tables, const Flags& flags) {
  std::vector<SourceTable> used;
  const auto has = [&](const char* words) { return any_set(words, flags); };
  const auto integers = [&](bool needed, const char* name, const std::vector<int32_t>& values) {
    if (needed) used.push_back({name, &values, nullptr});
  };
  const auto numbers = [&](bool needed, const char* name, const std::vector<double>& values) {
    if (needed) used.push_back({name, nullptr, &values});
  };
  integers(true, "node_condition", tables.node_condition);
  integers(has("surrogates"), "node_surrogates", tables.node_surrogates);
  integers(true, "node_child", tables.node_child);
  integers(has("shares batch"), "node_children", tables.node_children);
  integers(has("rules"), "node_missing", tables.node_missing);
  integers(true, "node_missing_child", tables.node_missing_child);
  integers(true, "node_answer", tables.node_answer);
  integers(has("formulas"), "node_formula", tables.node_formula);
  numbers(has("shares"), "shares", tables.shares);
  numbers(true, "answers", tables.answers);
  integers(has("codes"), "condition_code", tables.condition_code);
  integers(has("thresholds levels"), "condition_input", tables.condition_input);
  integers(has("codes"), "condition_first", tables.condition_first);
  integers(has("sums"), "condition_count", tables.condition_count);
  numbers(has("thresholds sums"), "condition_cut", tables.condition_cut);
  numbers(has("ramps"), "condition_below", tables.condition_below);
  numbers(has("ramps"), "condition_above", tables.condition_above);
  integers(has("levels"), "level_child", tables.level_child);
  integers(has("squares products asinh level_terms"), "term_code", tables.term_code);
  integers(has("terms"), "term_input", tables.term_input);
  integers(has("products level_terms"), "term_other", tables.term_other);
  numbers(has("asinh"), "term_centre", tables.term_centre);
  numbers(has("asinh"), "term_scale", tables.term_scale);
  numbers(has("sums"), "term_coefficient", tables.term_coefficient);
  integers(has("formulas"), "formula_first_term", tables.formula_first_term);
  integers(has("formulas"), "formula_terms", tables.formula_terms);
  integers(has("formulas"), "formula_first_output", tables.formula_first_output);
  const bool classes = has("classes");
  integers(has("formulas"), "formula_outputs", tables.formula_outputs);
  numbers(has("formulas") && !classes, "formula_low", tables.formula_low);
  numbers(has("formulas") && !classes, "formula_high", tables.formula_high);
  integers(has("formulas") && classes, "output_class", tables.output_class);
  integers(has("formulas"), "output_first", tables.output_first);
  numbers(has("formulas"), "coefficients", tables.coefficients);
  numbers(has("filled"), "typical", tables.typical);
  integers(has("marks"), "mark_first", tables.marks.first);
  numbers(has("marks"), "marks", tables.marks.cells);
  return used;
}

std::map<std::string, std::string> source_values(const LoweredTree& tree,
                                                 const ExportOptions& options, Language language) {
  const auto number = [&](double value) { return number_literal(language, value); };
  return {{"outputs", std::to_string(tree.nodes[0].answer.size())},
          {"smallest_share", number(tree.smallest_share)},
          {"mixing_low", number(tree.mixing.low)},
          {"mixing_high", number(tree.mixing.high)},
          {"cost_factor", number(1 - tree.decision.cost_rounding)},
          {"threshold", number(options.threshold)},
          {"threshold_class", std::to_string(options.threshold_class)},
          {"other_class", std::to_string(1 - std::min(options.threshold_class, 1U))}};
}

std::vector<std::string> string_literals(Language language, std::span<const std::string> texts) {
  std::vector<std::string> literals;
  literals.reserve(texts.size());
  for (const std::string& text : texts) literals.push_back(string_literal(language, text));
  return literals;
}

std::vector<ExampleCell> example_cells(const LoweredTree& tree, Language language) {
  constexpr size_t most = 4, room = 60, digits = 3;
  std::vector<ExampleCell> cells;
  size_t columns = 0;
  for (const LoweredInput& input : tree.inputs) {
    std::string cell;
    if (input.kind == InputKind::numeric) {
      const double value = std::isnan(input.typical) ? 1.5 : input.typical;
      double shortened = 0;
      parse_number(short_number(value, digits), shortened);
      cell = number_literal(language, shortened);
    } else {
      cell = string_literal(language, input.levels.empty() ? "" : input.levels[0]);
    }
    const std::string name = string_literal(language, input.name);
    columns += name.size() + cell.size();
    if (cells.size() == most || (columns > room && !cells.empty())) break;
    cells.push_back({name, cell});
  }
  return cells;
}

}  // namespace softwood::render

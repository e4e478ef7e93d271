#include "render/export/pmml/fields.h"

#include <fmt/format.h>

#include <cmath>

namespace softwood::render::pmml {
namespace {

// asinh(x) = sign(x) log(1 + y), see src/base/math.h; log(2 |x|) for large ones.
std::string asinh_of(const std::string& x) {
  const std::string one = number(1), size = call("abs", {x});
  const std::string square = call("*", {x, x});
  const std::string root = call("sqrt", {call("+", {one, square})});
  const std::string y = call("+", {size, call("/", {square, call("+", {one, root})})});
  const std::string small_log = call("ln1p", {y});
  const std::string large_log = call("+", {call("ln", {size}), number(0x1.62e42fefa39efp-1)});
  const std::string value =
      call("if", {call("greaterThan", {size, number(0x1p28)}), large_log, small_log});
  return call("if", {call("lessThan", {x, number(0)}), call("*", {number(-1), value}), value});
}

std::string ramp(const LoweredScore& condition, const std::string& score) {
  const std::string under = call("-", {number(condition.cut), score});
  const auto sloped = [&](double width) {
    if (!(width > 0)) return std::string();
    return call("+", {number(0.5), call("/", {call("*", {number(0.5), under}), number(width)})});
  };
  const auto side = [&](double width, const char* beyond, double limit, double end) {
    if (!(width > 0)) return number(end);
    return call("if", {call(beyond, {under, number(limit)}), number(end), sloped(width)});
  };
  const std::string low = side(condition.below, "greaterOrEqual", condition.below, 1);
  const std::string high = side(condition.above, "lessOrEqual", -condition.above, 0);
  return call("if", {call("greaterThan", {under, number(0)}), low,
                     call("if", {call("lessThan", {under, number(0)}), high, number(0.5)})});
}

}  // namespace

Fields::Fields(const LoweredTree& tree) : tree_(tree) {
  std::vector<std::string> names{tree.target.name};
  for (const LoweredInput& input : tree.inputs) names.push_back(input.name);
  prefix_ = unused_prefix(names);
}

std::string Fields::add(const std::string& hint, const std::string& expression) {
  const auto [place, is_new] = names_.try_emplace(expression);
  if (is_new) {
    place->second = fmt::format("{}{}_{}", prefix_, hint, elements_.size());
    elements_.push_back(element(
        "DerivedField", {{"name", place->second}, {"optype", "continuous"}, {"dataType", "double"}},
        expression));
  }
  return place->second;
}

std::string Fields::cell(uint32_t index, bool typical) {
  const LoweredInput& input = tree_.inputs[index];
  std::string value = reference(input.name);
  if (input.kind != InputKind::numeric) {
    std::vector<std::string> parts{call("*", {number(0), has_level(input.name, input.levels[0])})};
    for (size_t l = 1; l < input.levels.size(); ++l) {
      parts.push_back(call("*", {number(double(l)), has_level(input.name, input.levels[l])}));
    }
    value = reference(add("number", balanced_sum(parts)));
  }
  if (!typical || std::isnan(input.typical)) return value;
  return reference(
      add("typical", call("if", {call("isMissing", {value}), number(input.typical), value})));
}

std::string Fields::term(const LoweredTerm& term, bool typical) {
  switch (term.kind) {
    case TermKind::value:
      return cell(term.input, typical);
    case TermKind::square:
      return call("*", {cell(term.input, typical), cell(term.input, typical)});
    case TermKind::product:
      return call("*", {cell(term.input, typical), cell(term.second, typical)});
    case TermKind::asinh: {
      const std::string moved = call("-", {cell(term.input, typical), number(term.centre)});
      const std::string scaled = reference(add("scaled", call("/", {moved, number(term.scale)})));
      return reference(add("asinh", known(scaled, asinh_of(scaled))));
    }
    case TermKind::level: {
      const LoweredInput& input = tree_.inputs[term.input];
      const std::string indicator = has_level(input.name, input.levels[term.level]);
      if (!typical || std::isnan(input.typical)) return indicator;
      return call("if", {call("isMissing", {reference(input.name)}),
                         number(input.typical == term.level ? 1 : 0), indicator});
    }
  }
  return {};
}

std::string Fields::score(const LoweredScore& score, bool typical) {
  std::vector<std::string> parts;
  for (const LoweredTerm& one : score.terms) {
    const std::string value = term(one, typical);
    parts.push_back(one.coefficient == 1 ? value : call("*", {number(one.coefficient), value}));
  }
  return add("score", sum(parts));
}

std::string Fields::child_number(const LoweredLevels& levels, bool typical) {
  const LoweredInput& input = tree_.inputs[levels.input];
  std::vector<std::string> parts;  // child + 1; 0: not seen
  for (size_t l = 0; l < levels.child_of_level.size(); ++l) {
    if (levels.child_of_level[l] < 0) continue;
    parts.push_back(
        call("*", {number(levels.child_of_level[l] + 1), has_level(input.name, input.levels[l])}));
  }
  if (parts.empty()) {
    parts.push_back(call("*", {number(0), has_level(input.name, input.levels[0])}));
  }
  std::string found = balanced_sum(parts);
  if (typical && !std::isnan(input.typical)) {
    const int32_t child = levels.child_of_level[size_t(input.typical)];
    found = call("if", {call("isMissing", {reference(input.name)}), number(child + 1), found});
  }
  found = reference(add("found", found));
  const std::string seen =
      call("if", {call("greaterThan", {found, number(0)}), call("-", {found, number(1)})});
  return add("child", known(found, seen));
}

std::string Fields::weight(const LoweredScore& condition, const std::string& score) {
  switch (condition.link) {
    case LinkKind::step:
      return call("if",
                  {call("lessOrEqual", {score, number(condition.cut)}), number(1), number(0)});
    case LinkKind::ramp:
      return ramp(condition, score);
    case LinkKind::logistic: {
      const std::string odds = call("exp", {call("-", {score, number(condition.cut)})});
      return call("/", {number(1), call("+", {number(1), odds})});
    }
  }
  return {};
}

}  // namespace softwood::render::pmml

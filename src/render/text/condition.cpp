#include "render/text/condition.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

#include "base/names.h"
#include "base/text.h"

namespace softwood::render {

namespace {

// Remarks that stand in parentheses after a condition: "soft from 2 to 4".
using Remarks = std::vector<std::string>;

std::string in_parentheses(const Remarks& remarks) {
  return remarks.empty() ? "" : " (" + join(remarks, "; ") + ")";
}

// A name or term in at most `room` columns, but for its first few: "export-admi...".
std::string cut_name(std::string text, size_t room) {
  constexpr size_t narrowest = 12;
  constexpr std::string_view mark = "...";
  room = std::max(room, narrowest);
  if (display_width(text) <= room) return text;
  size_t end = 0;
  for (size_t columns = mark.size(); columns < room; ++columns) {
    end += std::max<size_t>(utf8_length(std::string_view(text).substr(end)), 1);
  }
  text.resize(end);
  return text.append(mark);
}

// --- sums ----------------------------------------------------------------------------------------

// "asinh((x - 3)/2)", without what does nothing.
std::string asinh_text(const LoweredTerm& term, const std::string& name) {
  std::string inner = name;
  if (term.centre != 0) {
    inner +=
        fmt::format(" {} {}", term.centre < 0 ? '+' : '-', shown_number(std::fabs(term.centre)));
    if (term.scale != 1) inner = "(" + inner + ")";
  }
  if (term.scale != 1) inner += "/" + shown_number(term.scale);
  return "asinh(" + inner + ")";
}

std::string term_text(const LoweredTree& tree, const LoweredTerm& term, NamePlace place) {
  const LoweredInput& input = tree.inputs[term.input];
  std::string name = shown_name(input.name, place);
  switch (term.kind) {
    case TermKind::value:
      return name;
    case TermKind::square:
      return name + "^2";
    case TermKind::product:
      return name + "*" + shown_name(tree.inputs[term.second].name, place);
    case TermKind::asinh:
      return asinh_text(term, name);
    case TermKind::level:
      return fmt::format("[{}={}]", name, shown_name(input.levels[term.level], NamePlace::set));
  }
  return {};
}

// Terms with their signs, to be joined: "0.5*a", " - 2*b^2". `first`: nothing stands before them.
std::vector<std::string> term_parts(const LoweredTree& tree, std::span<const LoweredTerm> terms,
                                    bool first) {
  std::vector<std::string> parts;
  for (const LoweredTerm& term : terms) {
    const bool negative = std::signbit(term.coefficient);
    const double size = std::fabs(term.coefficient);
    parts.emplace_back(first ? (negative ? "-" : "") : (negative ? " - " : " + "));
    first = false;
    if (size != 1.0) parts.back() += shown_number(size) + "*";
    parts.back() += term_text(tree, term, NamePlace::sum);
  }
  return parts;
}

// Terms with the largest effect first, as they are where no effect is known.
std::vector<LoweredTerm> ordered_terms(const LoweredScore& score) {
  const auto effect = [](const LoweredTerm& term) {
    return std::fabs(term.coefficient * term.spread);
  };
  std::vector<LoweredTerm> terms = score.terms;
  double all = 0;
  for (const LoweredTerm& term : terms) all += effect(term);
  if (all > 0 && std::isfinite(all)) {
    std::stable_sort(terms.begin(), terms.end(), [&](const LoweredTerm& a, const LoweredTerm& b) {
      return effect(a) > effect(b);
    });
  }
  return terms;
}

// The condition is one on a value itself.
bool is_value(const LoweredScore& score) {
  return score.terms.size() == 1 && score.terms[0].kind == TermKind::value &&
         score.terms[0].coefficient == value_factor(score);
}

// The term of a score of one value, else all terms with their signs, largest effect first.
std::vector<std::string> sum_parts(const LoweredTree& tree, const LoweredScore& score) {
  if (is_value(score)) return {term_text(tree, score.terms[0], NamePlace::comparison)};
  return term_parts(tree, ordered_terms(score), true);
}

// A sum of no more is read as a whole.
constexpr size_t few_terms = 3;

std::string counted_terms(size_t terms) { return fmt::format(" + ... {} more", terms); }

// Fewest columns of the sum with its first term whole: the others may be counted only.
size_t least_whole_width(const std::vector<std::string>& parts) {
  return std::min(display_width(join(parts, "")),
                  display_width(parts[0]) + counted_terms(parts.size() - 1).size());
}

// --- scores --------------------------------------------------------------------------------------

int cut_digits(const LoweredTree& tree, const LoweredScore& score) {
  return is_value(score) ? tree.inputs[score.terms[0].input].digits : LoweredInput().digits;
}

// The level next to an ordinal input's cut on the side of the first child, if there is one; else
// the number.
std::string cut_text(const LoweredTree& tree, const LoweredScore& score) {
  const double factor = value_factor(score);
  const double cut = score.cut / factor;
  if (names_levels(tree, score)) {
    const std::vector<std::string>& levels = tree.inputs[score.terms[0].input].levels;
    const double level = factor > 0 ? std::floor(cut) : std::ceil(cut);
    if (level >= 0 && level < static_cast<double>(levels.size())) {
      return shown_name(levels[static_cast<size_t>(level)], NamePlace::comparison);
    }
  }
  return shown_number(cut, cut_digits(tree, score));
}

// "soft: mid 70 %, high 20 %": of the levels that are divided the part that goes to the child;
// empty: none is.
std::string divided_levels(const LoweredTree& tree, const LoweredScore& score, uint32_t child) {
  constexpr double least = 0.005;
  const std::vector<std::string>& levels = tree.inputs[score.terms[0].input].levels;
  std::vector<std::string> parts;
  for (size_t level = 0; level < levels.size(); ++level) {
    const double first =
        first_child_weight(score, score.terms[0].coefficient * static_cast<double>(level));
    const double part = child == 0 ? first : 1 - first;
    if (part < least || part > 1 - least) continue;
    parts.push_back(
        fmt::format("{} {:.0f} %", shown_name(levels[level], NamePlace::set), 100 * part));
  }
  return parts.empty() ? "" : "soft: " + join(parts, ", ");
}

// Of a soft split on a value whose soft part reaches beyond the training rows, what it does where
// there are some: "soft from 50 % at 0 to 12 % at 1.8". Empty: it does not, or they are not known.
std::string softness_within_data(const LoweredTree& tree, const LoweredScore& score,
                                 const SoftInterval& range, uint32_t child) {
  if (!is_value(score)) return {};
  const LoweredInput& input = tree.inputs[score.terms[0].input];
  if (std::isnan(input.low) || (range.low >= input.low && range.high <= input.high)) return {};
  const auto percent = [&](double value) {
    const double first = first_child_weight(score, score.terms[0].coefficient * value);
    return fmt::format("{:.0f} %", 100 * (child == 0 ? first : 1 - first));
  };
  if (range.high < input.low || range.low > input.high) {
    return fmt::format("beyond the training rows, {} of which go this way", percent(input.low));
  }
  const double from = std::max(range.low, input.low), to = std::min(range.high, input.high);
  return fmt::format("soft from {} at {} to {} at {}", percent(from), shown_number(from),
                     percent(to), shown_number(to));
}

Remarks softness(const LoweredTree& tree, const LoweredScore& score, uint32_t child) {
  const std::optional<SoftInterval> range = soft_range(score);
  if (!range) return {};
  if (names_levels(tree, score)) {
    const std::string divided = divided_levels(tree, score, child);
    return divided.empty() ? Remarks{} : Remarks{divided};
  }
  if (const std::string within = softness_within_data(tree, score, *range, child);
      !within.empty()) {
    return {within};
  }
  return {fmt::format("soft{} from {} to {}", range->share < 1 ? ", 10 % to 90 %" : "",
                      shown_number(range->low, cut_digits(tree, score)),
                      shown_number(range->high, cut_digits(tree, score)))};
}

bool asks_for_any_value(const LoweredScore& score) {
  return is_threshold(score) && score.cut == cut_above_all_values;
}

std::string kind_text(const LoweredTree& tree, const LoweredScore& score, uint32_t child,
                      size_t room, const Remarks& more) {
  if (asks_for_any_value(score)) {
    return sum_text(tree, score, room) + (child == 0 ? " known" : " missing");
  }
  const bool low = child == 0;
  const std::string_view sign = value_factor(score) > 0 ? (low ? "<=" : ">") : (low ? ">=" : "<");
  const std::string hard = fmt::format(" {} {}", sign, cut_text(tree, score));
  Remarks remarks = softness(tree, score, child);
  const bool soft = !remarks.empty();
  remarks.insert(remarks.end(), more.begin(), more.end());
  const auto text = [&](const std::string& rest) {
    const size_t after = display_width(rest);
    return sum_text(tree, score, room > after ? room - after : 0) + rest;
  };
  // Names are not cut for the sake of the range.
  const std::string rest = hard + in_parentheses(remarks);
  std::string whole = text(rest);
  const std::vector<std::string> parts = sum_parts(tree, score);
  const size_t least = display_width(rest) + least_whole_width(parts);
  if (!soft) return whole;
  // Nor are terms of a sum that has few.
  const std::string brief = hard + " (soft)";
  const size_t sum = display_width(join(parts, ""));
  const bool few = parts.size() <= few_terms && sum + display_width(rest) > room &&
                   sum + display_width(brief) <= room;
  if (!few && std::max(display_width(whole), least) <= room) return whole;
  return text(brief);
}

// --- levels --------------------------------------------------------------------------------------

std::string set_text(const LoweredTree& tree, uint32_t input, std::vector<std::string> levels,
                     size_t room) {
  // What is too long is cut: names and single levels to half of the room.
  const std::string whole = shown_name(tree.inputs[input].name, NamePlace::comparison);
  if (levels.size() == 1) {
    std::string text = fmt::format("{} = {}", whole, levels[0]);
    if (display_width(text) <= room) return text;
  }
  const std::string name = cut_name(whole, room / 2);
  if (levels.empty()) return name + " missing";
  const auto left = [&](std::string_view around) {
    const size_t taken = display_width(name) + around.size();
    return room > taken ? room - taken : 0;
  };
  if (levels.size() == 1) {
    return fmt::format("{} = {}", name, cut_name(levels[0], left(" = ")));
  }
  // One level at least is named.
  levels[0] = cut_name(levels[0], left(" in {, ... 9999 more}"));
  return fmt::format("{} in {{{}}}", name, shortened_list(levels, left(" in {}")));
}

// Remarks are for soft conditions only: levels are never divided.
std::string kind_text(const LoweredTree& tree, const LoweredLevels& condition, uint32_t child,
                      size_t room, const Remarks& /*more*/) {
  std::vector<uint32_t> levels;
  for (uint32_t level = 0; level < condition.child_of_level.size(); ++level) {
    if (condition.child_of_level[level] == static_cast<int32_t>(child)) levels.push_back(level);
  }
  return levels_text(tree, condition.input, levels, room);
}

// The child that the typical value of the condition's only input goes to.
bool goes_with_typical(const LoweredTree& tree, const LoweredCondition& condition, uint32_t child) {
  if (const auto* levels = std::get_if<LoweredLevels>(&condition)) {
    const double level = tree.inputs[levels->input].typical;
    return !std::isnan(level) &&
           levels->child_of_level[static_cast<size_t>(level)] == static_cast<int32_t>(child);
  }
  const auto& score = std::get<LoweredScore>(condition);
  if (!is_threshold(score)) return false;
  const double value = tree.inputs[score.terms[0].input].typical;
  return !std::isnan(value) && (value <= score.cut) == (child == 0);
}

}  // namespace

bool names_levels(const LoweredTree& tree, const LoweredScore& score) {
  return is_value(score) && tree.inputs[score.terms[0].input].kind == InputKind::ordinal;
}

std::vector<std::string> level_names(const LoweredTree& tree, uint32_t input,
                                     std::span<const uint32_t> levels) {
  std::vector<std::string> names;
  names.reserve(levels.size());
  for (const uint32_t level : levels) {
    names.push_back(shown_name(tree.inputs[input].levels[level], NamePlace::set));
  }
  return names;
}

std::string levels_text(const LoweredTree& tree, uint32_t input, std::span<const uint32_t> levels,
                        size_t room) {
  return set_text(tree, input, level_names(tree, input, levels), room);
}

std::string sum_text(const LoweredTree& tree, const LoweredScore& score, size_t room) {
  const std::vector<std::string> parts = sum_parts(tree, score);
  std::string whole = join(parts, "");
  if (display_width(whole) <= room) return whole;
  if (parts.size() == 1) return cut_name(parts[0], room);
  const size_t counted = counted_terms(parts.size() - 1).size();
  std::string text = cut_name(parts[0], room > counted ? room - counted : 0);
  for (size_t i = 1; i < parts.size(); ++i) {
    const std::string rest = counted_terms(parts.size() - i);
    if (display_width(text) + display_width(parts[i]) + rest.size() > room) return text + rest;
    text += parts[i];
  }
  return text;
}

std::string terms_text(const LoweredTree& tree, std::span<const LoweredTerm> terms, bool first) {
  return join(term_parts(tree, terms, first), "");
}

std::string condition_text(const LoweredTree& tree, const LoweredCondition& condition,
                           uint32_t child, size_t room) {
  return std::visit([&](const auto& kind) { return kind_text(tree, kind, child, room, {}); },
                    condition);
}

std::string condition_text_of_part(const LoweredTree& tree, const LoweredCondition& condition,
                                   uint32_t child, double part) {
  const double percent = 100 * part;
  if (std::lround(percent) >= 100) return condition_text(tree, condition, child);
  const std::string remark = percent < 1 ? fmt::format("{:.1g} % go this way", percent)
                                         : fmt::format("{:.0f} % go this way", percent);
  return std::visit(
      [&](const auto& kind) { return kind_text(tree, kind, child, no_limit, {remark}); },
      condition);
}

double missing_share(const LoweredTree& tree, const LoweredSplit& split, uint32_t child) {
  const LoweredMissing& missing = split.missing;
  if (missing.weight <= 0 || !missing.surrogates.empty()) return 0;
  switch (missing.action) {
    case MissingAction::child:
      return missing.child == child ? 1 : 0;
    case MissingAction::shares:
      return missing.shares[child];
    case MissingAction::impute:
      return goes_with_typical(tree, split.condition, child) ? 1 : 0;
    case MissingAction::stay:
    case MissingAction::own_child:
      return 0;
  }
  return 0;
}

std::string or_missing(double share) {
  if (share == 1) return " or missing";
  return share > 0 ? fmt::format(" or missing ({:.0f} %)", 100 * share) : "";
}

std::string missing_text(const LoweredTree& tree, const LoweredCondition& condition) {
  std::vector<std::string> names;
  for (const uint32_t input : condition_inputs(condition)) {
    names.push_back(shown_name(tree.inputs[input].name, NamePlace::set));
  }
  return join(names, " or ") + " missing";
}

BranchTexts::BranchTexts(const LoweredTree& tree, const LoweredSplit& split,
                         std::shared_ptr<const LevelsByChild> levels)
    : tree_(&tree), split_(&split), levels_(std::move(levels)) {
  const auto* const condition = std::get_if<LoweredLevels>(&split.condition);
  if (condition != nullptr && !levels_) levels_ = std::make_shared<LevelsByChild>(*condition);
}

std::string BranchTexts::of(uint32_t child, size_t room) const {
  const LoweredCondition& condition = split_->condition;
  if (child >= condition_children(condition)) return missing_text(*tree_, condition);
  const bool only_missing =
      levels_ ? levels_->of(child).empty() : takes_only_missing(condition, child);
  const std::string rest = only_missing ? "" : or_missing(missing_share(*tree_, *split_, child));
  const size_t left = room > rest.size() ? room - rest.size() : 0;
  if (!levels_) return condition_text(*tree_, condition, child, left) + rest;
  const uint32_t input = std::get<LoweredLevels>(condition).input;
  return levels_text(*tree_, input, levels_->of(child), left) + rest;
}

std::string EdgeTexts::of(uint32_t node, size_t room) {
  const uint32_t parent = tree_.nodes[node].parent;
  return branches(parent).of(node - tree_.nodes[parent].split->first_child, room);
}

BranchTexts EdgeTexts::branches(uint32_t parent) {
  const LoweredSplit& split = *tree_.nodes[parent].split;
  const auto* const condition = std::get_if<LoweredLevels>(&split.condition);
  if (condition == nullptr || split.children <= 2) return {tree_, split};
  std::shared_ptr<const LevelsByChild>& levels = levels_[parent];
  if (!levels) levels = std::make_shared<LevelsByChild>(*condition);
  return {tree_, split, levels};
}

std::string branch_text(const LoweredTree& tree, const LoweredSplit& split, uint32_t child,
                        size_t room) {
  return BranchTexts(tree, split).of(child, room);
}

}  // namespace softwood::render

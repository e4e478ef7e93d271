// ScoreGate as a person reads it.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "base/text.h"
#include "tree/gates/kinds.h"

namespace softwood {

namespace {

// "asinh((x - 3)/2)", without what does nothing.
std::string asinh_text(const Term& term, const std::string& name) {
  std::string inner = name;
  if (term.centre != 0) {
    inner +=
        fmt::format(" {} {}", term.centre < 0 ? '+' : '-', shown_number(std::fabs(term.centre)));
    if (term.scale != 1) inner = "(" + inner + ")";
  }
  if (term.scale != 1) inner += "/" + shown_number(term.scale);
  return "asinh(" + inner + ")";
}

std::string term_text(const Term& term, const Schema& schema, NamePlace place) {
  std::string name = shown_name(schema.features[term.feature].name, place);
  switch (term.form) {
    case TermForm::value:
      return name;
    case TermForm::square:
      return name + "^2";
    case TermForm::product:
      return name + "*" + shown_name(schema.features[term.other].name, place);
    case TermForm::asinh:
      return asinh_text(term, name);
    case TermForm::level:
      return fmt::format(
          "[{}={}]", name,
          shown_name(schema.features[term.feature].levels[term.other], NamePlace::set));
  }
  return {};
}

// Terms with their signs, to be joined: "0.5*a", " - 2*b^2". `first`: nothing stands before them.
std::vector<std::string> term_parts(std::span<const Term> terms, const Schema& schema, bool first) {
  std::vector<std::string> parts;
  for (const Term& term : terms) {
    const bool negative = std::signbit(term.coefficient);
    const double size = std::fabs(term.coefficient);
    parts.emplace_back(first ? (negative ? "-" : "") : (negative ? " - " : " + "));
    first = false;
    if (size != 1.0) parts.back() += shown_number(size) + "*";
    parts.back() += term_text(term, schema, NamePlace::sum);
  }
  return parts;
}

// Gates over one value times a number are told of the value itself: -2*x <= 3 is x >= -1.5. For all
// others, and where the cut would overflow, the factor is 1.
double factor_of(const ScoreGate& gate) {
  if (gate.terms.size() != 1 || gate.terms[0].form != TermForm::value) return 1;
  const double factor = gate.terms[0].coefficient;
  return factor != 0 && std::isfinite(gate.cut / factor) ? factor : 1;
}

// The share of each term in the effects of all; even shares where none is known.
std::vector<double> effect_shares(const ScoreGate& gate) {
  std::vector<double> shares;
  shares.reserve(gate.terms.size());
  double all = 0;
  for (const Term& term : gate.terms) {
    shares.push_back(std::fabs(term.coefficient * term.spread));
    all += shares.back();
  }
  const bool known = all > 0 && std::isfinite(all);
  for (double& share : shares) {
    share = known ? share / all : 1 / static_cast<double>(shares.size());
  }
  return shares;
}

// Terms with the largest effect first.
std::vector<Term> ordered_terms(const ScoreGate& gate) {
  const std::vector<double> shares = effect_shares(gate);
  std::vector<size_t> order(shares.size());
  std::iota(order.begin(), order.end(), size_t{0});
  std::stable_sort(order.begin(), order.end(),
                   [&](size_t a, size_t b) { return shares[a] > shares[b]; });
  std::vector<Term> terms;
  for (const size_t t : order) terms.push_back(gate.terms[t]);
  return terms;
}

// The feature whose levels the gate asks for as numbers; null: it asks for something else.
const Feature* levels_of(const ScoreGate& gate, const Schema& schema) {
  const Feature& feature = schema.features[gate.terms[0].feature];
  const bool levels = gate.terms.size() == 1 && gate.terms[0].form == TermForm::value &&
                      gate.terms[0].coefficient == factor_of(gate) && feature.kind == Kind::ordinal;
  return levels ? &feature : nullptr;
}

// The level next to an ordinal feature's cut on the side of the first child, if there is one; else
// the number.
std::string cut_text(const ScoreGate& gate, const Schema& schema) {
  const double cut = gate.cut / factor_of(gate);
  if (const Feature* const feature = levels_of(gate, schema)) {
    const double level = factor_of(gate) > 0 ? std::floor(cut) : std::ceil(cut);
    if (level >= 0 && level < static_cast<double>(feature->levels.size())) {
      return shown_name(feature->levels[static_cast<size_t>(level)], NamePlace::comparison);
    }
  }
  return shown_number(cut);
}

// " (soft: mid 70 %, high 20 %)": of the levels that are divided the part that goes to the child.
std::string divided_levels(const ScoreGate& gate, uint32_t child, const Feature& feature) {
  constexpr double least = 0.005;
  std::vector<std::string> parts;
  for (size_t level = 0; level < feature.levels.size(); ++level) {
    const double score = gate.terms[0].coefficient * static_cast<double>(level);
    const double first = link_weight(gate.link, score, gate.cut);
    const double part = child == 0 ? first : 1 - first;
    if (part < least || part > 1 - least) continue;
    parts.push_back(
        fmt::format("{} {:.0f} %", shown_name(feature.levels[level], NamePlace::set), 100 * part));
  }
  return parts.empty() ? "" : " (soft: " + join(parts, ", ") + ")";
}

// The term of a gate over one value, else all terms with their signs, largest effect first.
std::vector<std::string> sum_parts(const ScoreGate& gate, const Schema& schema) {
  if (gate.terms.size() == 1 && gate.terms[0].form == TermForm::value &&
      gate.terms[0].coefficient == factor_of(gate)) {
    return {term_text(gate.terms[0], schema, NamePlace::comparison)};
  }
  return term_parts(ordered_terms(gate), schema, true);
}

std::string counted_terms(size_t terms) { return fmt::format(" + ... {} more", terms); }

// Fewest columns of the sum with its first term whole: the others may be counted only.
size_t least_whole_width(const std::vector<std::string>& parts) {
  return std::min(display_width(join(parts, "")),
                  display_width(parts[0]) + counted_terms(parts.size() - 1).size());
}

}  // namespace

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

// Terms beyond `room` columns are counted only: "0.5*a - 2*b + ... 3 more".
std::string sum_text(const ScoreGate& gate, const Schema& schema, size_t room) {
  const std::vector<std::string> parts = sum_parts(gate, schema);
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

void append_terms_text(std::span<const Term> terms, const Schema& schema, std::string& text) {
  text += join(term_parts(terms, schema, text.empty()), "");
}

std::optional<SoftRange> soft_range_of(const ScoreGate& gate, const Schema& schema) {
  // The score minus the cut at which a logistic gate gives a child nine tenths.
  static const double log_odds = std::log(9.0);
  const Link& link = gate.link;
  SoftRange range;
  double below = link.below;
  double above = link.above;
  if (link.form == LinkForm::logistic) {
    below = above = log_odds;
    range.share = 0.9;
  }
  if (link.form == LinkForm::step || (below == 0 && above == 0)) return {};
  const double factor = factor_of(gate);
  range.of = sum_text(gate, schema, no_limit);
  range.low = (gate.cut - below) / factor;
  range.half = gate.cut / factor;
  range.high = (gate.cut + above) / factor;
  range.falling = factor < 0;
  if (range.falling) std::swap(range.low, range.high);
  return range;
}

std::string condition_of(const ScoreGate& gate, uint32_t child, const Schema& schema, size_t room) {
  if (gate.is_threshold() && gate.cut == above_all_values) {
    return sum_text(gate, schema, room) + (child == 0 ? " known" : " missing");
  }
  const bool low = child == 0;
  const std::string_view sign = factor_of(gate) > 0 ? (low ? "<=" : ">") : (low ? ">=" : "<");
  const std::string hard = fmt::format(" {} {}", sign, cut_text(gate, schema));
  std::string rest = hard;
  const std::optional<SoftRange> soft = soft_range_of(gate, schema);
  const Feature* const levels = levels_of(gate, schema);
  if (soft && levels != nullptr) {
    rest += divided_levels(gate, child, *levels);
  } else if (soft) {
    rest += fmt::format(" (soft{} from {} to {})", soft->share < 1 ? ", 10 % to 90 %" : "",
                        shown_number(soft->low), shown_number(soft->high));
  }
  const auto text = [&] {
    const size_t after = display_width(rest);
    return sum_text(gate, schema, room > after ? room - after : 0) + rest;
  };
  // Names are not cut for the sake of the range.
  std::string whole = text();
  const size_t least = display_width(rest) + least_whole_width(sum_parts(gate, schema));
  if (std::max(display_width(whole), least) <= room || rest.size() == hard.size()) return whole;
  rest = hard + " (soft)";
  return text();
}

std::vector<FeatureShare> shares_of(const ScoreGate& gate) {
  const std::vector<double> effects = effect_shares(gate);
  std::vector<FeatureShare> shares;
  for (size_t t = 0; t < gate.terms.size(); ++t) {
    const Term& term = gate.terms[t];
    const bool two = term.form == TermForm::product;
    shares.push_back({term.feature, two ? effects[t] / 2 : effects[t]});
    if (two) shares.push_back({term.other, effects[t] / 2});
  }
  return shares;
}

}  // namespace softwood

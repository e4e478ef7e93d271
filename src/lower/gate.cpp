// Gates and their terms as plain data.
#include <fmt/format.h>

#include "lower/lower.h"
#include "softwood/error.h"

namespace softwood {

namespace {

TermKind term_kind(TermForm form) {
  switch (form) {
    case TermForm::value:
      return TermKind::value;
    case TermForm::square:
      return TermKind::square;
    case TermForm::product:
      return TermKind::product;
    case TermForm::asinh:
      return TermKind::asinh;
    case TermForm::level:
      return TermKind::level;
  }
  return TermKind::value;
}

LinkKind link_kind(LinkForm form) {
  switch (form) {
    case LinkForm::step:
      return LinkKind::step;
    case LinkForm::ramp:
      return LinkKind::ramp;
    case LinkForm::logistic:
      return LinkKind::logistic;
  }
  return LinkKind::step;
}

LoweredCondition lower_kind(const ScoreGate& gate) {
  LoweredScore score;
  for (const Term& term : gate.terms) score.terms.push_back(lower_term(term));
  score.cut = gate.cut;
  score.link = link_kind(gate.link.form);
  score.below = gate.link.below;
  score.above = gate.link.above;
  return score;
}

LoweredCondition lower_kind(const LevelsGate& gate) {
  return LoweredLevels{gate.feature, gate.children, gate.child_of_level};
}

}  // namespace

static_assert(cut_above_all_values == above_all_values);

LoweredTerm lower_term(const Term& term) {
  LoweredTerm lowered;
  lowered.kind = term_kind(term.form);
  lowered.input = term.feature;
  if (term.form == TermForm::product) lowered.second = term.other;
  if (term.form == TermForm::level) lowered.level = term.other;
  lowered.centre = term.centre;
  lowered.scale = term.scale;
  lowered.coefficient = term.coefficient;
  lowered.spread = term.spread;
  return lowered;
}

LoweredCondition lower_gate(const Gate& gate) {
  if (const ScoreGate* const score = linear_form(gate)) return lower_kind(*score);
  if (const LevelsGate* const levels = level_map(gate)) return lower_kind(*levels);
  throw Error(ErrorKind::usage,
              fmt::format("gates of the kind {} have no lowered form", gate_kind(gate)));
}

}  // namespace softwood

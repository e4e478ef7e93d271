#include "lower/condition.h"

#include <numeric>
#include <utility>

namespace softwood {

namespace {

uint32_t children_of(const LoweredScore&) { return 2; }
uint32_t children_of(const LoweredLevels& levels) { return levels.children; }

std::vector<uint32_t> inputs_of(const LoweredScore& score) { return term_inputs(score.terms); }
std::vector<uint32_t> inputs_of(const LoweredLevels& levels) { return {levels.input}; }

bool only_missing(const LoweredScore& score, uint32_t child) {
  return child == 1 && is_threshold(score) && score.cut == cut_above_all_values;
}
bool only_missing(const LoweredLevels& levels, uint32_t child) {
  return std::find(levels.child_of_level.begin(), levels.child_of_level.end(),
                   static_cast<int32_t>(child)) == levels.child_of_level.end();
}

}  // namespace

LevelsByChild::LevelsByChild(const LoweredLevels& condition) : begin_(condition.children + 1, 0) {
  const std::vector<int32_t>& child_of = condition.child_of_level;
  for (const int32_t child : child_of) {
    if (child >= 0) ++begin_[static_cast<size_t>(child) + 1];
  }
  std::partial_sum(begin_.begin(), begin_.end(), begin_.begin());
  levels_.resize(begin_.back());
  std::vector<size_t> next = begin_;
  for (uint32_t level = 0; level < child_of.size(); ++level) {
    if (child_of[level] >= 0) levels_[next[static_cast<size_t>(child_of[level])]++] = level;
  }
}

std::vector<double> condition_weights(const LoweredCondition& condition,
                                      const std::function<double(uint32_t input)>& cell) {
  std::vector<double> weights(condition_children(condition));
  if (!weigh_children(condition, cell, weights)) weights.clear();
  return weights;
}

uint32_t condition_children(const LoweredCondition& condition) {
  return std::visit([](const auto& kind) { return children_of(kind); }, condition);
}

std::vector<uint32_t> condition_inputs(const LoweredCondition& condition) {
  return std::visit([](const auto& kind) { return inputs_of(kind); }, condition);
}

std::vector<uint32_t> term_inputs(const std::vector<LoweredTerm>& terms) {
  std::vector<uint32_t> inputs;
  for (const LoweredTerm& term : terms) {
    inputs.push_back(term.input);
    if (term.kind == TermKind::product) inputs.push_back(term.second);
  }
  std::sort(inputs.begin(), inputs.end());
  inputs.erase(std::unique(inputs.begin(), inputs.end()), inputs.end());
  return inputs;
}

bool is_threshold(const LoweredScore& score) {
  return score.terms.size() == 1 && score.terms[0].kind == TermKind::value &&
         score.terms[0].coefficient == 1 && score.link == LinkKind::step;
}

bool takes_only_missing(const LoweredCondition& condition, uint32_t child) {
  return std::visit([child](const auto& kind) { return only_missing(kind, child); }, condition);
}

double value_factor(const LoweredScore& score) {
  if (score.terms.size() != 1 || score.terms[0].kind != TermKind::value) return 1;
  const double factor = score.terms[0].coefficient;
  return factor != 0 && std::isfinite(score.cut / factor) ? factor : 1;
}

double first_child_weight(const LoweredScore& condition, double score) {
  const double under = condition.cut - score;
  switch (condition.link) {
    case LinkKind::step:
      return score <= condition.cut ? 1 : 0;
    case LinkKind::ramp:
      if (under > 0) return under >= condition.below ? 1 : 0.5 + 0.5 * under / condition.below;
      if (under < 0) return -under >= condition.above ? 0 : 0.5 + 0.5 * under / condition.above;
      return 0.5;
    case LinkKind::logistic:
      return 1 / (1 + math::exp(-under));
  }
  return unknown_number;
}

std::optional<SoftInterval> soft_range(const LoweredScore& score) {
  SoftInterval range;
  double below = 0, above = 0;
  switch (score.link) {
    case LinkKind::step:
      return {};
    case LinkKind::ramp:
      below = score.below;
      above = score.above;
      if (below == 0 && above == 0) return {};
      break;
    case LinkKind::logistic:
      // There a child gets nine tenths.
      below = above = math::log(9.0);
      range.share = 0.9;
      break;
  }
  const double factor = value_factor(score);
  range.low = (score.cut - below) / factor;
  range.half = score.cut / factor;
  range.high = (score.cut + above) / factor;
  range.falling = factor < 0;
  if (range.falling) std::swap(range.low, range.high);
  return range;
}

bool has_soft_splits(const LoweredTree& tree) {
  return std::any_of(tree.nodes.begin(), tree.nodes.end(), [](const LoweredNode& node) {
    const auto* const score =
        node.split ? std::get_if<LoweredScore>(&node.split->condition) : nullptr;
    return score != nullptr && soft_range(*score);
  });
}

}  // namespace softwood

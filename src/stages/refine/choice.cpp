#include "stages/refine/choice.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "fit/softmax.h"
#include "tree/gates/kinds.h"

namespace softwood::refine {

namespace {

// Costs that differ by less than this share of what is at stake are equal.
constexpr double rounding = 1e-10;
// Of the squared coefficients of standardised terms, in the weight of a row.
constexpr double hyperplane_penalty = 1;

bool is_axis(const Gate& gate) { return level_map(gate) != nullptr || as_threshold(gate); }

uint32_t cheapest(std::span<const double> costs) {
  return static_cast<uint32_t>(std::min_element(costs.begin(), costs.end()) - costs.begin());
}

}  // namespace

NodeProblem::NodeProblem(const Tree& tree, NodeIndex node, const Table& table,
                         std::span<const double> typical, std::vector<RowIndex> rows,
                         std::vector<double> costs)
    : table_(table),
      typical_(typical),
      gate_(tree.node(node).gate()),
      missing_(tree.node(node).missing()),
      children_(gate_children(gate_)),
      free_(missing_.surrogates.empty() &&
            (missing_.rule == MissingRule::child || missing_.rule == MissingRule::impute)),
      rows_(std::move(rows)),
      costs_(std::move(costs)) {
  if (!free_) {
    std::vector<double> weights(rows_.size() * children_);
    gate_weights(gate_, table_, rows_, weights);
    keep_decided_rows(weights);
  }
  double stake = 0;
  for (size_t i = 0; i < rows_.size(); ++i) {
    double low = cost(0, i), high = low;
    for (size_t c = 1; c < children_; ++c) {
      low = std::min(low, cost(c, i));
      high = std::max(high, cost(c, i));
    }
    stake += high - low;
  }
  tolerance_ = rounding * stake;
}

// Leaves out the rows that go by another rule than the gate.
void NodeProblem::keep_decided_rows(const std::vector<double>& weights) {
  std::vector<size_t> kept;
  for (size_t i = 0; i < rows_.size(); ++i) {
    if (!std::isnan(weights[i * children_])) kept.push_back(i);
  }
  std::vector<double> costs;
  for (size_t c = 0; c < children_; ++c) {
    for (const size_t i : kept) costs.push_back(cost(c, i));
  }
  for (size_t k = 0; k < kept.size(); ++k) rows_[k] = rows_[kept[k]];
  rows_.resize(kept.size());
  costs_ = std::move(costs);
}

double NodeProblem::cost_of(const Gate& gate, const Missing& missing) const {
  std::vector<double> weights(rows_.size() * children_);
  gate_weights(gate, table_, rows_, weights);
  double sum = 0;
  for (size_t i = 0; i < rows_.size(); ++i) {
    const std::span<double> row(&weights[i * children_], children_);
    if (std::isnan(row[0]) && missing.rule == MissingRule::impute) {
      typical_weights(gate, table_, rows_[i], typical_, row);
    }
    const bool known = !std::isnan(row[0]);
    sum += cost(known ? static_cast<size_t>(std::max_element(row.begin(), row.end()) - row.begin())
                      : missing.child,
                i);
  }
  return sum;
}

NodeProblem::Cut NodeProblem::best_cut(std::vector<Item>& items, double right,
                                       std::span<const double> without) const {
  std::stable_sort(items.begin(), items.end(),
                   [](const Item& a, const Item& b) { return a.value < b.value; });
  const uint32_t side = without[0] <= without[1] ? 0 : 1;
  double left = right;  // cost when all items up to here go left
  for (const Item& item : items) left += item.difference;
  // All rows on one side: the node will go. First, so that it wins ties.
  Cut best{right + without[1], std::numeric_limits<double>::lowest(), 1};
  const auto try_cut = [&](double cost, double cut, uint32_t missing_child) {
    if (better(cost, best.cost)) best = {cost, cut, missing_child};
  };
  try_cut(left + without[side], above_all_values, side);
  double here = right;
  for (size_t i = 0; i + 1 < items.size(); ++i) {
    here += items[i].difference;
    if (items[i].value == items[i + 1].value) continue;
    const double middle = std::midpoint(items[i].value, items[i + 1].value);
    try_cut(here + without[side], middle < items[i + 1].value ? middle : items[i].value, side);
  }
  return best;
}

Choice NodeProblem::best_threshold(uint32_t feature) const {
  const Column& column = table_.input(feature);
  const bool imputes = missing_.rule == MissingRule::impute;
  std::vector<Item> items;
  double right = 0, without[2] = {0, 0};
  for (size_t i = 0; i < rows_.size(); ++i) {
    const double difference = cost(0, i) - cost(1, i);
    if (difference == 0) {
      right += cost(1, i);
      continue;
    }
    double value = column.value(rows_[i]);
    if (std::isnan(value) && imputes) value = typical_[feature];
    if (std::isnan(value)) {
      for (size_t c = 0; c < 2; ++c) without[c] += cost(c, i);
    } else {
      items.push_back({value, difference});
      right += cost(1, i);
    }
  }
  const Cut cut = best_cut(items, right, without);
  Missing missing = missing_;
  if (free_ && (without[0] != without[1] || std::abs(cut.cut) == above_all_values)) {
    missing.child = cut.missing_child;
  }
  return {threshold_gate(feature, cut.cut), std::move(missing), cut.cost};
}

// Each level goes where its rows cost least: levels do not depend on each other.
Choice NodeProblem::best_levels(uint32_t feature) const {
  const Column& column = table_.input(feature);
  const size_t levels = table_.schema().features[feature].levels.size();
  const LevelsGate* own = level_map(gate_);
  if (own != nullptr && own->feature != feature) own = nullptr;
  std::vector<double> costs(levels * children_, 0.0), without(children_, 0.0);
  std::vector<size_t> count(levels, 0), chosen(children_, 0);
  for (size_t i = 0; i < rows_.size(); ++i) {
    double code = column.value(rows_[i]);
    if (std::isnan(code) && missing_.rule == MissingRule::impute) code = typical_[feature];
    const bool known = !std::isnan(code);
    double* const sums = known ? &costs[static_cast<size_t>(code) * children_] : without.data();
    for (size_t c = 0; c < children_; ++c) sums[c] += cost(c, i);
    if (known) ++count[static_cast<size_t>(code)];
  }
  LevelsGate gate{feature, children_, std::vector<int32_t>(levels, missing_code)};
  std::vector<uint32_t> undecided;
  for (uint32_t level = 0; level < levels; ++level) {
    int32_t& child = gate.child_of_level[level];
    if (own != nullptr) child = own->child_of_level[level];
    if (count[level] == 0) continue;
    const std::span<const double> here(&costs[level * children_], children_);
    const uint32_t least = cheapest(here);
    if (child >= 0 && !better(here[least], here[static_cast<size_t>(child)])) {
      chosen[static_cast<size_t>(child)] += count[level];
    } else if (std::all_of(here.begin(), here.end(), [&](double x) { return x == here[0]; })) {
      undecided.push_back(level);
    } else {
      child = static_cast<int32_t>(least);
      chosen[least] += count[level];
    }
  }
  const auto most = std::max_element(chosen.begin(), chosen.end()) - chosen.begin();
  for (const uint32_t level : undecided) gate.child_of_level[level] = static_cast<int32_t>(most);
  Missing missing = missing_;
  if (free_ && better(without[cheapest(without)], without[missing.child])) {
    missing.child = cheapest(without);
  }
  const double least = cost_of(gate, missing);
  return {std::move(gate), std::move(missing), least};
}

// The cut moves, the direction stays.
std::optional<Choice> NodeProblem::best_along(ScoreGate gate, Missing missing) const {
  std::vector<Item> items;
  double right = 0;
  for (size_t i = 0; i < rows_.size(); ++i) {
    const double difference = cost(0, i) - cost(1, i);
    right += cost(1, i);
    if (difference == 0) continue;
    // Summed as the gate does it, so that the cut divides the rows as they are counted here.
    double score = 0;
    for (const Term& term : gate.terms) {
      score += term.coefficient * term_value(term, table_, rows_[i], typical_);
    }
    if (!std::isfinite(score)) return std::nullopt;
    items.push_back({score, difference});
  }
  const double without[2] = {0, 0};
  gate.cut = best_cut(items, right, without).cut;
  gate.link = {};
  const double cost = cost_of(gate, missing);
  return Choice{std::move(gate), std::move(missing), cost};
}

// The surrogate of the 0/1 problem: logistic regression of the better child, each row with the
// weight of what it can lose.
std::optional<Choice> NodeProblem::best_hyperplane(double l1) const {
  std::vector<RowIndex> rows;
  std::vector<uint32_t> better_child;
  std::vector<double> weights;
  double stake = 0, weight = 0;
  for (size_t i = 0; i < rows_.size(); ++i) {
    const double difference = cost(0, i) - cost(1, i);
    if (difference == 0) continue;
    rows.push_back(rows_[i]);
    better_child.push_back(difference > 0 ? 1 : 0);
    weights.push_back(std::fabs(difference));
    stake += weights.back();
    weight += table_.weight(rows_[i]);
  }
  if (rows.empty()) return std::nullopt;
  for (double& w : weights) w *= weight / stake;  // as many as there are rows, whatever the unit
  const fit::Design design = fit::make_design(table_, rows, weights, typical_);
  if (design.terms.empty()) return std::nullopt;
  const fit::Softmax fitted =
      l1 > 0 ? fit::sparse_softmax_regression(design, better_child, 2, l1)
             : fit::softmax_regression(design, better_child, 2, hyperplane_penalty);
  const Eigen::VectorXd direction = fitted.coefficients.col(1) - fitted.coefficients.col(0);
  const std::vector<double> numbers = design.in_data_units(0, direction);
  ScoreGate gate;
  for (size_t t = 0; t < design.terms.size(); ++t) {
    if (numbers[1 + t] == 0) continue;
    if (!std::isfinite(numbers[1 + t])) return std::nullopt;
    gate.terms.push_back(design.terms[t]);
    gate.terms.back().coefficient = numbers[1 + t];
  }
  if (gate.terms.empty()) return std::nullopt;
  // A single term is a threshold on it.
  if (gate.terms.size() == 1 && gate.terms[0].form == TermForm::value) {
    gate.terms[0].coefficient = 1;
  }
  Missing missing;
  missing.rule = MissingRule::impute;
  missing.child = missing_.child;
  return best_along(std::move(gate), std::move(missing));
}

void NodeProblem::consider(Choice choice, std::optional<Choice>& best) const {
  if (!best || better(choice.cost, best->cost)) best = std::move(choice);
}

std::optional<Choice> NodeProblem::best(const Settings& settings) const {
  if (!(tolerance_ > 0)) return std::nullopt;  // no row cares
  std::optional<Choice> best;
  const ScoreGate* const score = linear_form(gate_);
  // Gates of other kinds stay as they are.
  if (score == nullptr && level_map(gate_) == nullptr) return std::nullopt;
  const bool axis = is_axis(gate_), two = children_ == 2;
  for (uint32_t f = 0; f < table_.features(); ++f) {
    const bool own = axis && gate_features(gate_) == std::vector<uint32_t>{f};
    if (!own && !(two && free_ && (axis || settings.hyperplanes))) continue;
    const bool levels = own ? score == nullptr : table_.input(f).kind == Kind::nominal;
    consider(levels ? best_levels(f) : best_threshold(f), best);
  }
  if (!axis) {
    if (auto choice = best_along(*score, missing_)) consider(std::move(*choice), best);
  }
  if (two && free_ && (!axis || settings.hyperplanes)) {
    if (auto choice = best_hyperplane(settings.l1)) consider(std::move(*choice), best);
  }
  if (!best) return std::nullopt;
  best->cost = cost_of(best->gate, best->missing);
  return better(best->cost, cost_of(gate_, missing_)) ? best : std::nullopt;
}

}  // namespace softwood::refine

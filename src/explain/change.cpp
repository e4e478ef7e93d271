#include "explain/change.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/text.h"
#include "data/typical.h"
#include "explain/change_space.h"
#include "explain/partial.h"
#include "explain/rows.h"
#include "lower/condition.h"
#include "softwood/error.h"
#include "tree/costs.h"

namespace softwood {
namespace {

uint32_t class_index(const LoweredTree& tree, const std::string& name) {
  const std::vector<std::string>& classes = tree.target.classes;
  const auto found = std::find(classes.begin(), classes.end(), name);
  if (found != classes.end()) return static_cast<uint32_t>(found - classes.begin());
  throw Error(ErrorKind::usage, fmt::format("the model has no class '{}'", name), {},
              known_names_hint(name, classes));
}

// Cuts of thresholds of each input.
std::vector<std::vector<double>> cuts_of(const LoweredTree& tree) {
  std::vector<std::vector<double>> cuts(tree.inputs.size());
  for (const LoweredNode& node : tree.nodes) {
    if (node.is_leaf()) continue;
    const auto* const score = std::get_if<LoweredScore>(&node.split->condition);
    if (score == nullptr || score->terms.size() != 1) continue;
    const LoweredTerm& term = score->terms[0];
    const double cut = score->cut / term.coefficient;
    if (term.kind == TermKind::value && std::abs(cut) < cut_above_all_values) {
      cuts[term.input].push_back(cut);
    }
  }
  return cuts;
}

bool is_whole(double value) { return value == std::floor(value); }

// Mean and standard deviation of the values that are there.
struct Spread {
  double count = 0, mean = 0, squares = 0;
  double low = unknown_number, high = unknown_number;
  bool whole = true;

  void add(double value) {
    if (std::isnan(value)) return;
    ++count;
    const double step = value - mean;
    mean += step / count;
    squares += step * (value - mean);
    if (!(low <= value)) low = value;
    if (!(high >= value)) high = value;
    whole = whole && is_whole(value);
  }
  double deviation() const { return count > 1 ? std::sqrt(squares / (count - 1)) : 0; }
};

void set_spread(ChangingInput& input, const LoweredInput& known, const Column& reference,
                const Column& own, const std::vector<double>& cuts) {
  Spread spread;
  for (size_t row = 0; row < reference.size(); ++row) spread.add(reference.value(row));
  Spread here = spread;
  for (size_t row = 0; row < own.size(); ++row) here.add(own.value(row));
  input.low = spread.low;
  input.high = spread.high;
  const auto halves = [](double cut) { return is_whole(2 * cut); };
  input.whole = input.kind != InputKind::numeric ||
                (here.count > 0 && here.whole && std::all_of(cuts.begin(), cuts.end(), halves));
  if (input.kind == InputKind::nominal) return;
  input.spread = spread.deviation();
  if (input.spread > 0) return;
  // One row says nothing of the spread: a quarter of the training rows' range, or the cuts.
  constexpr double part = 0.25;
  input.spread = (known.high - known.low) * part;
  if (input.spread > 0) return;
  for (const double cut : cuts) here.add(cut);
  input.spread = here.high > here.low ? here.high - here.low : 1;
}

}  // namespace

Goal::Goal(const LoweredTree& tree, const ChangeGoal& wanted, std::span<const double> answer)
    : tree_(tree), reach_(wanted.reach) {
  if (!tree.is_classifier()) {
    if (!wanted.to.empty()) {
      throw Error(ErrorKind::usage, "the model predicts a number, which has no class to change to");
    }
    if (std::isnan(reach_)) {
      throw Error(ErrorKind::usage, "the model predicts a number: say which one is to be reached");
    }
    direction_ = answer[0] < reach_ ? 1 : answer[0] > reach_ ? -1 : 0;
    return;
  }
  present_ = static_cast<uint32_t>(cheapest_answer(answer, tree.decision.costs));
  const bool two = tree.target.classes.size() == 2;
  if (!wanted.to.empty()) class_ = class_index(tree, wanted.to);
  if (!std::isnan(reach_)) {
    if (!(reach_ >= 0 && reach_ <= 1)) {
      throw Error(ErrorKind::usage, fmt::format("{} is no probability", reach_));
    }
    if (!class_ && two) class_ = tree.target.positive;
    if (!class_) throw Error(ErrorKind::usage, "say of which class the probability is meant");
  }
  if (two) {
    const uint32_t aim = class_ ? *class_ : 1 - present_;
    direction_ = aim == tree.target.positive ? 1 : -1;
  }
}

bool Goal::reached(std::span<const double> answer) const {
  if (!tree_.is_classifier()) {
    return direction_ > 0 ? answer[0] >= reach_ : direction_ < 0 ? answer[0] <= reach_ : true;
  }
  if (!std::isnan(reach_)) return answer[*class_] >= reach_;
  const size_t decided = cheapest_answer(answer, tree_.decision.costs);
  return class_ ? decided == *class_ : decided != present_;
}

bool ChangingInput::allows(double from, double to) const {
  if (fixed) return false;
  if (direction == 0 || std::isnan(from) || kind == InputKind::nominal) return true;
  return direction > 0 ? to >= from : to <= from;
}

double ChangingInput::distance(double from, double to) const {
  if (from == to) return 0;
  if (kind == InputKind::nominal || std::isnan(from)) return 1;
  return std::abs(to - from) / spread;
}

std::vector<ChangingInput> changing_inputs(const ExplainedTree& tree, const Table& table,
                                           const Table& reference, const ChangeGoal& goal) {
  const LoweredTree& lowered = tree.lowered;
  std::vector<uint32_t> fixed, up, down;
  for (const std::string& name : goal.fixed) fixed.push_back(input_index(lowered, name));
  for (const std::string& name : goal.only_up) up.push_back(input_index(lowered, name));
  for (const std::string& name : goal.only_down) down.push_back(input_index(lowered, name));
  const auto among = [](const std::vector<uint32_t>& list, uint32_t f) {
    return std::find(list.begin(), list.end(), f) != list.end();
  };
  const std::vector<double> typical = typical_values(reference, all_rows(reference));
  const std::vector<std::vector<double>> cuts = cuts_of(lowered);
  constexpr size_t candidates = 32;
  std::vector<ChangingInput> inputs;
  for (const uint32_t f : inputs_in_use(lowered)) {
    const LoweredInput& known = lowered.inputs[f];
    ChangingInput& input = inputs.emplace_back();
    input.input = f;
    input.kind = known.kind;
    input.typical = std::isnan(known.typical) ? typical[f] : known.typical;
    input.fixed = among(fixed, f);
    input.direction = (among(up, f) ? 1 : 0) - (among(down, f) ? 1 : 0);
    input.fixed = input.fixed || (among(up, f) && among(down, f));
    set_spread(input, known, reference.input(f), table.input(f), cuts[f]);
    input.candidates = grid_of(known, reference.input(f), candidates);
    // Both sides of every cut.
    for (const double cut : cuts[f]) {
      if (input.kind != InputKind::numeric) break;
      const double above = input.whole ? std::floor(cut) + 1 : cut + input.spread / 100;
      for (const double value : {input.whole ? std::floor(cut) : cut, above}) {
        input.candidates.push_back(value);
      }
    }
    std::sort(input.candidates.begin(), input.candidates.end());
  }
  return inputs;
}

std::vector<double> changed_answers(const ExplainedTree& tree, const Table& table, RowIndex row,
                                    std::span<const std::vector<InputChange>> changes) {
  const std::vector<uint32_t> used = inputs_in_use(tree.lowered);
  std::vector<Column> columns;
  for (const uint32_t input : used) {
    const Column& column = table.input(input);
    ColumnDraft draft(constant_column(column.kind, changes.size(), column.value(row)));
    for (size_t i = 0; i < changes.size(); ++i) {
      for (const InputChange& change : changes[i]) {
        if (change.input != input) continue;
        if (column.kind == Kind::numeric) {
          draft.numbers[i] = change.to;
        } else {
          draft.codes[i] = static_cast<int32_t>(change.to);
        }
      }
    }
    columns.push_back(std::move(draft));
  }
  const Table changed = table_of_inputs(table.schema(), changes.size(), used, std::move(columns));
  std::vector<double> answers(changes.size() * tree.lowered.nodes[0].answer.size());
  tree.predictor.answers(changed, all_rows(changed), answers, Parallel(1));
  return answers;
}

std::vector<Change> nearest_changes(const ExplainedTree& tree, const Table& table,
                                    std::span<const RowIndex> rows, const Table& reference,
                                    const ChangeGoal& goal, const Parallel& parallel,
                                    const Control& control) {
  const std::vector<ChangingInput> inputs = changing_inputs(tree, table, reference, goal);
  std::vector<Change> changes(rows.size());
  const StoppableWork stoppable(control);
  parallel.each(rows.size(), [&](size_t i) {
    control.throw_if_interrupted();
    const std::vector<std::vector<InputChange>> none(1);
    const std::vector<double> present = changed_answers(tree, table, rows[i], none);
    const Goal wanted(tree.lowered, goal, present);
    Change& change = changes[i];
    if (wanted.reached(present)) {
      change = {true, true, true, {}, 0, present};
      return;
    }
    // Where a monotone answer is to rise, going the other way never helps.
    std::vector<ChangingInput> directed = inputs;
    for (ChangingInput& input : directed) {
      const int helps = tree.lowered.inputs[input.input].monotone * wanted.direction();
      if (helps == 0) continue;
      input.fixed = input.fixed || input.direction == -helps;
      input.direction = helps;
    }
    const auto by_boxes = change_by_boxes(tree.lowered, table, rows[i], wanted, directed);
    change = by_boxes ? *by_boxes
                      : change_by_search(tree, table, rows[i], wanted, directed, goal.most_inputs);
    if (!change.found) return;
    const std::vector<std::vector<InputChange>> found = {change.inputs};
    change.answer = changed_answers(tree, table, rows[i], found);
    for (const InputChange& one : change.inputs) change.distance += one.distance;
  });
  return changes;
}

}  // namespace softwood

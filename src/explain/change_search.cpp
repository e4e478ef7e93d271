// A search for near changes where leaves are no boxes: values of one input, then of two, then of
// three, on a grid of the values that the data have; the best ones are then brought nearer.
#include <algorithm>
#include <cmath>
#include <limits>

#include <fmt/format.h>

#include "base/text.h"
#include "explain/change_space.h"

namespace softwood {
namespace {

using Changes = std::vector<InputChange>;

double distance_of(const Changes& changes) {
  double sum = 0;
  for (const InputChange& change : changes) sum += change.distance;
  return sum;
}

class Search {
 public:
  Search(const ExplainedTree& tree, const Table& table, RowIndex row, const Goal& goal,
         const std::vector<ChangingInput>& inputs)
      : tree_(tree),
        table_(table),
        row_(row),
        goal_(goal),
        width_(tree.lowered.nodes[0].answer.size()) {
    for (const ChangingInput& input : inputs) {
      if (!input.fixed) inputs_.push_back(&input);
    }
    // Pairs and triples of many inputs are too many: the most important come first.
    std::stable_sort(inputs_.begin(), inputs_.end(), [&](const auto* a, const auto* b) {
      return tree_.lowered.inputs[a->input].importance > tree_.lowered.inputs[b->input].importance;
    });
  }

  Change nearest(size_t most_inputs) {
    // Inputs that are combined and values of each, by the number of inputs that change.
    struct Limits {
      size_t inputs, values;
    };
    constexpr Limits limits[] = {{std::numeric_limits<size_t>::max(), 1000}, {30, 12}, {10, 7}};
    for (size_t count = 1; count <= std::min(most_inputs, std::size(limits)); ++count) {
      best_.clear();
      combine(0, std::min(inputs_.size(), limits[count - 1].inputs), count,
              limits[count - 1].values);
      flush();
      if (!best_.empty()) return finished();
    }
    return {};
  }

 private:
  double cell(const ChangingInput& input) const { return table_.input(input.input).value(row_); }

  std::vector<InputChange> values_of(const ChangingInput& input, size_t most) const {
    const double from = cell(input);
    std::vector<InputChange> values;
    for (const double to : input.candidates) {
      if (to == from || !input.allows(from, to)) continue;
      if (!values.empty() && values.back().to == to) continue;
      values.push_back({input.input, from, to, input.distance(from, to)});
    }
    if (values.size() <= most) return values;
    std::vector<InputChange> some;
    for (size_t i = 0; i < most; ++i) {
      some.push_back(values[i * (values.size() - 1) / (most - 1)]);
    }
    return some;
  }

  void combine(size_t first, size_t end, size_t count, size_t values) {
    if (count == 0) {
      waiting_.push_back(chosen_);
      constexpr size_t at_a_time = 8192;
      if (waiting_.size() >= at_a_time) flush();
      return;
    }
    for (size_t i = first; i + count <= end; ++i) {
      for (const InputChange& change : values_of(*inputs_[i], values)) {
        chosen_.push_back(change);
        combine(i + 1, end, count - 1, values);
        chosen_.pop_back();
      }
    }
  }

  // Keeps those that reach the goal, the nearest few.
  void flush() {
    if (waiting_.empty()) return;
    const std::vector<bool> reached = reach(waiting_);
    for (size_t i = 0; i < waiting_.size(); ++i) {
      if (reached[i]) best_.push_back(std::move(waiting_[i]));
    }
    waiting_.clear();
    std::stable_sort(best_.begin(), best_.end(), [](const Changes& a, const Changes& b) {
      return distance_of(a) < distance_of(b);
    });
    constexpr size_t kept = 8;
    if (best_.size() > kept) best_.resize(kept);
  }

  std::vector<bool> reach(const std::vector<Changes>& changes) const {
    const std::vector<double> answers = changed_answers(tree_, table_, row_, changes);
    std::vector<bool> reached;
    for (size_t i = 0; i < changes.size(); ++i) {
      reached.push_back(goal_.reached(std::span(answers).subspan(i * width_, width_)));
    }
    return reached;
  }

  // Brings one number as near to the present one as the goal allows: by steps of the way, then by
  // steps of the last of these.
  void approach(Changes& changes, size_t which) const {
    const ChangingInput& input = **std::find_if(
        inputs_.begin(), inputs_.end(),
        [&](const ChangingInput* one) { return one->input == changes[which].input; });
    if (input.kind == InputKind::nominal || std::isnan(changes[which].from)) return;
    const double from = changes[which].from;
    constexpr int steps = 40, rounds = 2;
    double start = from;
    for (int round = 0; round < rounds; ++round) {
      const double to = changes[which].to;
      std::vector<Changes> tried;
      double last = start;
      for (int step = 1; step < steps; ++step) {
        double value = start + (to - start) * step / steps;
        if (input.whole) value = to > from ? std::ceil(value) : std::floor(value);
        tried.push_back(changes);
        tried.back()[which].to = value;
        tried.back()[which].distance = input.distance(from, value);
      }
      const std::vector<bool> reached = reach(tried);
      for (size_t i = 0; i < tried.size(); ++i) {
        if (reached[i]) {
          changes = tried[i];
          break;
        }
        last = tried[i][which].to;
      }
      start = last;
      if (input.whole) break;
    }
    shorten(changes, which, input);
  }

  // Fewer digits, within a hundredth of the spread.
  void shorten(Changes& changes, size_t which, const ChangingInput& input) const {
    if (input.whole) return;
    const double to = changes[which].to, from = changes[which].from;
    for (int digits = 1; digits < 17; ++digits) {
      double value = to;
      if (!parse_number(fmt::format("{:.{}g}", to, digits), value)) continue;
      if (std::abs(value - to) > input.spread / 100 || !input.allows(from, value)) continue;
      std::vector<Changes> tried = {changes};
      tried[0][which].to = value;
      tried[0][which].distance = input.distance(from, value);
      if (!reach(tried)[0]) continue;
      changes = tried[0];
      return;
    }
  }

  Change finished() {
    for (Changes& changes : best_) {
      for (size_t which = 0; which < changes.size(); ++which) approach(changes, which);
    }
    const auto nearest = std::min_element(
        best_.begin(), best_.end(),
        [](const Changes& a, const Changes& b) { return distance_of(a) < distance_of(b); });
    Change change;
    change.found = true;
    change.inputs = *nearest;
    return change;
  }

  const ExplainedTree& tree_;
  const Table& table_;
  RowIndex row_;
  const Goal& goal_;
  size_t width_;
  std::vector<const ChangingInput*> inputs_;
  Changes chosen_;
  std::vector<Changes> waiting_, best_;
};

}  // namespace

Change change_by_search(const ExplainedTree& tree, const Table& table, RowIndex row,
                        const Goal& goal, const std::vector<ChangingInput>& inputs,
                        size_t most_inputs) {
  return Search(tree, table, row, goal, inputs).nearest(most_inputs);
}

}  // namespace softwood

#include "render/text/paths.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>
#include <variant>

#include "base/text.h"
#include "lower/condition.h"
#include "render/text/answers.h"
#include "render/text/condition.h"

namespace softwood::render {

namespace {

struct LevelSet {
  uint32_t input;
  std::vector<uint32_t> levels;  // ascending
};

// A condition that a row meets.
struct Met {
  std::variant<LoweredScore, LevelSet> condition;
  uint32_t child;      // of a score
  double missing = 0;  // share of the rows without a value that meet it, too
  double part = 1;     // of the row that meets it

  std::vector<uint32_t> inputs() const {
    const auto* const set = std::get_if<LevelSet>(&condition);
    return set != nullptr ? std::vector<uint32_t>{set->input}
                          : condition_inputs(std::get<LoweredScore>(condition));
  }
};

// Two plain thresholds on the same side of the same input: the tighter cut remains.
bool merge(const LoweredScore& next, uint32_t child, Met& earlier) {
  auto* before = std::get_if<LoweredScore>(&earlier.condition);
  if (before == nullptr || earlier.child != child || !is_threshold(next) ||
      !is_threshold(*before) || next.terms[0].input != before->terms[0].input) {
    return false;
  }
  before->cut = child == 0 ? std::min(before->cut, next.cut) : std::max(before->cut, next.cut);
  return true;
}

// Two sets of levels of the same input: what they have in common remains.
bool merge(const LevelSet& next, uint32_t /*child*/, Met& earlier) {
  auto* before = std::get_if<LevelSet>(&earlier.condition);
  if (before == nullptr || next.input != before->input) return false;
  std::erase_if(before->levels, [&](uint32_t level) {
    return !std::binary_search(next.levels.begin(), next.levels.end(), level);
  });
  return true;
}

std::vector<uint32_t> levels_of_child(const LoweredLevels& condition, uint32_t child) {
  std::vector<uint32_t> levels;
  for (uint32_t level = 0; level < condition.child_of_level.size(); ++level) {
    if (condition.child_of_level[level] == static_cast<int32_t>(child)) levels.push_back(level);
  }
  return levels;
}

// The conditions of a path, each once.
class Path {
 public:
  void add(const LoweredCondition& condition, uint32_t child, double missing, double part) {
    if (const auto* const levels = std::get_if<LoweredLevels>(&condition)) {
      add(LevelSet{levels->input, levels_of_child(*levels, child)}, child, missing);
    } else {
      add(std::get<LoweredScore>(condition), child, missing, part);
    }
  }

  template <class Kind>
  void add(Kind kind, uint32_t child, double missing, double part = 1) {
    for (Met& earlier : conditions_) {
      if (!merge(kind, child, earlier)) continue;
      earlier.missing *= missing;
      return;
    }
    Met next{std::move(kind), child, missing, part};
    // Conditions on the same inputs stand together.
    const std::vector<uint32_t> inputs = next.inputs();
    const auto last = std::find_if(conditions_.rbegin(), conditions_.rend(),
                                   [&](const Met& earlier) { return earlier.inputs() == inputs; });
    conditions_.insert(last == conditions_.rend() ? conditions_.end() : last.base(),
                       std::move(next));
  }

  std::vector<std::string> texts(const LoweredTree& tree, bool with_missing) const {
    std::vector<std::string> all;
    for (const Met& one : conditions_) {
      const auto* const set = std::get_if<LevelSet>(&one.condition);
      bool only_missing = set != nullptr && set->levels.empty();
      std::string text;
      if (set != nullptr) {
        text = levels_text(tree, set->input, set->levels);
      } else {
        const auto& score = std::get<LoweredScore>(one.condition);
        only_missing = one.child > 1 || takes_only_missing(score, one.child);
        text = one.child > 1 ? missing_text(tree, score)
                             : condition_text_of_part(tree, score, one.child, one.part);
      }
      all.push_back(text + (with_missing && !only_missing ? or_missing(one.missing) : ""));
    }
    return all;
  }

 private:
  std::vector<Met> conditions_;
};

// Nodes from the one below the root down to `node`.
std::vector<uint32_t> path_to(const LoweredTree& tree, uint32_t node) {
  std::vector<uint32_t> path;
  for (uint32_t i = node; i != 0; i = tree.nodes[i].parent) path.push_back(i);
  std::reverse(path.begin(), path.end());
  return path;
}

// One step of a row's path: from a node to one of its children.
class Step {
 public:
  Step(const LoweredTree& tree, const Table& table, RowIndex row, const UnknownCells& unknown,
       uint32_t to)
      : tree_(tree),
        table_(table),
        row_(row),
        unknown_(unknown),
        split_(*tree.nodes[tree.nodes[to].parent].split),
        child_(to - split_.first_child) {}

  const LoweredSplit& split() const { return split_; }
  uint32_t child() const { return child_; }
  bool to_own_child() const { return child_ >= condition_children(split_.condition); }

  // Part of the row that the condition itself sends to the child.
  double part() const {
    const auto* const score = std::get_if<LoweredScore>(&split_.condition);
    if (score == nullptr || score->link == LinkKind::step || to_own_child()) return 1;
    const std::vector<double> weights = weights_by(split_.condition);
    return weights.empty() ? 1 : weights[child_];
  }

  // What the condition asks for and the row does not have: "x missing", "city = c44 not seen here",
  // "city = c45 unknown"; empty: nothing.
  std::string missing_cells() const {
    std::vector<std::string> cells;
    const auto* const levels = std::get_if<LoweredLevels>(&split_.condition);
    for (const uint32_t index : condition_inputs(split_.condition)) {
      const LoweredInput& input = tree_.inputs[index];
      const Column& column = table_.input(index);
      if (const auto text = unknown_.find({row_, index}); text != unknown_.end()) {
        cells.push_back(input.name + " = " + text->second + " unknown");
      } else if (column.is_missing(row_)) {
        cells.push_back(input.name + " missing");
      } else if (levels != nullptr) {
        const auto level = static_cast<size_t>(column.codes[row_]);
        if (levels->child_of_level[level] >= 0) continue;
        cells.push_back(input.name + " = " + input.levels[level] + " not seen here");
      }
    }
    return join(cells, ", ");
  }

  // How a row went to the child for which it had no value: "taken as x <= 3", "by y <= 1 taken as
  // x <= 3", "61 % go this way, x <= 3", "taken as x <= 3 (soft from 2 to 4; 62 % go this way)".
  // Empty: "x missing" says it.
  std::string way() const {
    if (to_own_child() || takes_only_missing(split_.condition, child_)) {
      return missing_cells().ends_with(" missing") ? "" : "taken as missing";
    }
    const std::string condition = condition_text(tree_, split_.condition, child_);
    for (const LoweredSurrogate& surrogate : split_.missing.surrogates) {
      if (weights_by(surrogate.condition).empty()) continue;
      return fmt::format("by {} taken as {}", condition_text(tree_, surrogate.condition, child_),
                         condition);
    }
    const LoweredMissing& missing = split_.missing;
    if (missing.action == MissingAction::shares && missing.shares[child_] < 1) {
      return fmt::format("{:.0f} % go this way, {}", 100 * missing.shares[child_], condition);
    }
    return "taken as " +
           condition_text_of_part(tree_, split_.condition, child_, part_by_typical_values());
  }

 private:
  std::vector<double> weights_by(const LoweredCondition& condition) const {
    return condition_weights(condition,
                             [&](uint32_t input) { return table_.input(input).value(row_); });
  }

  double part_by_typical_values() const {
    if (split_.missing.action != MissingAction::impute) return 1;
    const std::vector<double> weights = condition_weights(split_.condition, [&](uint32_t input) {
      const double value = table_.input(input).value(row_);
      return std::isnan(value) ? tree_.inputs[input].typical : value;
    });
    return weights.empty() ? 1 : weights[child_];
  }

  const LoweredTree& tree_;
  const Table& table_;
  RowIndex row_;
  const UnknownCells& unknown_;
  const LoweredSplit& split_;
  uint32_t child_;
};

// First the conditions that the row meets, then where it went without a value.
std::string line_of(const LoweredTree& tree, const std::vector<Step>& steps) {
  Path path;
  std::vector<std::string> taken;
  for (const Step& step : steps) {
    const std::string missing = step.missing_cells();
    if (missing.empty()) {
      path.add(step.split().condition, step.child(), 0, step.part());
      continue;
    }
    const std::string way = step.way();
    taken.push_back(way.empty() ? missing : fmt::format("{} ({})", missing, way));
  }
  std::vector<std::string> texts = path.texts(tree, false);
  texts.insert(texts.end(), taken.begin(), taken.end());
  return texts.empty() ? "always" : join(texts, " and ");
}

// How a leaf with a model answers, short enough for a line: "; y = 3 + 0.5*a"; "" for others.
std::string model_text(const LoweredTree& tree, uint32_t node) {
  constexpr size_t most_terms = 4, most_outputs = 3;
  const std::optional<LoweredFormula>& formula = tree.nodes[node].formula;
  if (!formula || formula->terms.empty()) return {};
  std::vector<std::string> lines = formula_lines(tree, *formula, most_terms);
  if (lines.size() > most_outputs) {
    lines[most_outputs] = fmt::format("and {} more", lines.size() - most_outputs);
    lines.resize(most_outputs + 1);
  }
  return "; " + join(lines, "; ");
}

}  // namespace

std::vector<std::string> path_conditions(const LoweredTree& tree, uint32_t node) {
  return PathConditions(tree).of(node);
}

std::vector<std::string> PathConditions::of(uint32_t node) {
  Path path;
  for (const uint32_t i : path_to(tree_, node)) {
    const uint32_t parent = tree_.nodes[i].parent;
    const LoweredSplit& split = *tree_.nodes[parent].split;
    const uint32_t child = i - split.first_child;
    const double missing = missing_share(tree_, split, child);
    const auto* const levels = std::get_if<LoweredLevels>(&split.condition);
    if (levels == nullptr || levels->children == 2) {
      path.add(split.condition, child, missing, 1);
      continue;
    }
    const LevelsByChild& by_child = by_child_.try_emplace(parent, *levels).first->second;
    std::vector<uint32_t> own;
    if (child < levels->children) own.assign(by_child.of(child).begin(), by_child.of(child).end());
    path.add(LevelSet{levels->input, std::move(own)}, child, missing);
  }
  return path.texts(tree_, true);
}

PathTexts::PathTexts(LoweredTree tree, UnknownCells unknown)
    : tree_(std::move(tree)), unknown_(std::move(unknown)) {}

std::string PathTexts::text(uint32_t end, const Table& table, RowIndex row) {
  std::vector<Step> steps;
  for (const uint32_t i : path_to(tree_, end)) steps.emplace_back(tree_, table, row, unknown_, i);
  // Rows that have all values and are nowhere divided have the same line.
  const bool usual = std::all_of(steps.begin(), steps.end(), [](const Step& step) {
    return step.missing_cells().empty() && step.part() == 1;
  });
  if (!usual) return line_of(tree_, steps) + model_text(tree_, end);
  const auto [entry, is_new] = by_node_.try_emplace(end);
  if (is_new) entry->second = line_of(tree_, steps) + model_text(tree_, end);
  return entry->second;
}

}  // namespace softwood::render

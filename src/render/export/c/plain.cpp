#include "render/export/c/plain.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <map>

#include "lower/condition.h"
#include "render/export/node_answers.h"

namespace softwood::render {
namespace {

// A place of the finished table whose number is not known yet.
struct Target {
  enum class Kind : uint8_t { node, entry, answer, surrogates } kind = Kind::node;
  uint32_t index = 0;
  bool operator==(const Target&) const = default;
};
struct Entry {
  uint32_t input = 0;
  double cut = 0;
  uint32_t set = 0, levels = 0;
  std::array<Target, 3> next{};
};

// -x <= cut, as surrogates ask.
bool is_reversed(const LoweredScore& score) {
  return score.link == LinkKind::step && score.terms.size() == 1 &&
         score.terms[0].kind == TermKind::value && score.terms[0].coefficient == -1;
}

bool is_plain(const LoweredCondition& condition) {
  const auto* const score = std::get_if<LoweredScore>(&condition);
  return score == nullptr || is_threshold(*score) || is_reversed(*score);
}

bool is_plain(const LoweredSplit& split) {
  const LoweredMissing& missing = split.missing;
  // What surrogates leave over would be imputed for missing cells, but not for unseen levels.
  if (missing.action == MissingAction::impute && !missing.surrogates.empty()) return false;
  return missing.action != MissingAction::shares && is_plain(split.condition) &&
         std::all_of(missing.surrogates.begin(), missing.surrogates.end(),
                     [](const LoweredSurrogate& one) { return is_plain(one.condition); });
}

bool is_plain(const LoweredTree& tree) {
  return tree.mixing.kind == MixingKind::answers &&
         std::all_of(tree.nodes.begin(), tree.nodes.end(), [](const LoweredNode& node) {
           return !node.formula && (!node.split || is_plain(*node.split));
         });
}

// Words of the sets that branches per level take: as many sets as children, each with a bit per
// level.
size_t words_of_branches(const LoweredTree& tree) {
  size_t words = 0;
  for (const LoweredNode& node : tree.nodes) {
    if (!node.split || node.split->children <= 2) continue;
    const auto* const levels = std::get_if<LoweredLevels>(&node.split->condition);
    if (levels != nullptr) words += node.split->children * (levels->child_of_level.size() / 32 + 1);
  }
  return words;
}

class Builder {
 public:
  explicit Builder(const LoweredTree& tree) : tree_(tree) {
    entry_of_node_.resize(tree.nodes.size());
    entry_of_surrogates_.resize(tree.nodes.size());
    for (uint32_t i = 0; i < tree.nodes.size(); ++i) add_node(i);
    // Behind all others, because few rows come here.
    for (uint32_t i = 0; i < tree.nodes.size(); ++i) add_surrogates(i);
    lay_out();
    out_.steps = longest_way();
    out_.marks = mark_tables(tree);
  }

  PlainTables take() { return std::move(out_); }

 private:
  using Children = std::vector<Target>;
  // Where rows go for which a condition can't be computed.
  struct Otherwise {
    Target missing;  // the cell is missing
    Target unseen;   // its level has no child
  };

  // Number of an entry, and from their number on of a row of answers.
  uint32_t number(const Target& target) const {
    const auto entries = static_cast<uint32_t>(entries_.size());
    switch (target.kind) {
      case Target::Kind::node:
        return tree_.nodes[target.index].split ? entry_of_node_[target.index]
                                               : entries + answer_of_node_.at(target.index);
      case Target::Kind::entry:
        return target.index;
      case Target::Kind::answer:
        return entries + answer_of_node_.at(target.index);
      case Target::Kind::surrogates:
        return entry_of_surrogates_[target.index];
    }
    return 0;
  }

  void add_answer(uint32_t node) {
    const std::vector<double> answer = hard_answer(tree_, tree_.nodes[node]);
    const auto [row, is_new] = rows_.try_emplace(answer, static_cast<uint32_t>(rows_.size()));
    if (is_new) out_.answer.insert(out_.answer.end(), answer.begin(), answer.end());
    out_.answers = rows_.size();
    answer_of_node_[node] = row->second;
  }

  static Target child(const LoweredSplit& split, uint32_t index) {
    return {Target::Kind::node, split.first_child + index};
  }
  static Children children(const LoweredSplit& split) {
    Children all;
    for (uint32_t c = 0; c < split.children; ++c) all.push_back(child(split, c));
    return all;
  }

  Target by_rule(uint32_t node) const {
    const LoweredSplit& split = *tree_.nodes[node].split;
    switch (split.missing.action) {
      case MissingAction::stay:
        return {Target::Kind::answer, node};
      case MissingAction::own_child:
        return child(split, split.children - 1);
      case MissingAction::child:
      case MissingAction::impute:
      case MissingAction::shares:
        break;
    }
    return child(split, split.missing.child);
  }

  // A missing cell with a typical value always goes the same way.
  Target imputed(const LoweredSplit& split, const Target& otherwise) const {
    if (split.missing.action != MissingAction::impute) return otherwise;
    const std::vector<double> weights = condition_weights(
        split.condition, [this](uint32_t input) { return tree_.inputs[input].typical; });
    const auto one = std::find(weights.begin(), weights.end(), 1.0);
    return one == weights.end() ? otherwise
                                : child(split, static_cast<uint32_t>(one - weights.begin()));
  }

  void add_node(uint32_t node) {
    if (!tree_.nodes[node].split) return add_answer(node);
    const LoweredSplit& split = *tree_.nodes[node].split;
    if (split.missing.action == MissingAction::stay) add_answer(node);
    entry_of_node_[node] = static_cast<uint32_t>(entries_.size());
    if (!split.missing.surrogates.empty()) {
      const Target next{Target::Kind::surrogates, node};
      add(split.condition, children(split), {next, next});
    } else {
      const Target rule = by_rule(node);
      add(split.condition, children(split), {imputed(split, rule), rule});
    }
  }

  void add_surrogates(uint32_t node) {
    if (!tree_.nodes[node].split) return;
    const LoweredSplit& split = *tree_.nodes[node].split;
    const auto& list = split.missing.surrogates;
    Target next = by_rule(node);
    for (auto one = list.rbegin(); one != list.rend(); ++one) {
      const Target here{Target::Kind::entry, static_cast<uint32_t>(entries_.size())};
      add(one->condition, children(split), {next, next});
      next = here;
    }
    entry_of_surrogates_[node] = next.index;
  }

  void add(const LoweredCondition& condition, const Children& children, const Otherwise& other) {
    if (const auto* const levels = std::get_if<LoweredLevels>(&condition)) {
      return add_levels(levels->input, levels->child_of_level, children, other);
    }
    const auto& score = std::get<LoweredScore>(condition);
    const uint32_t input = score.terms[0].input;
    const bool reversed = is_reversed(score);
    if (tree_.inputs[input].kind == InputKind::numeric) {
      // x >= -cut fails for the numbers below -cut.
      const double cut = reversed ? std::nextafter(-score.cut, -HUGE_VAL) : score.cut;
      entries_.push_back({input,
                          cut,
                          0,
                          0,
                          {children[reversed ? 1 : 0], children[reversed ? 0 : 1], other.missing}});
      return;
    }
    // Numbers of levels are checked where they are looked up in a set.
    std::vector<int32_t> map(tree_.inputs[input].levels.size());
    for (size_t level = 0; level < map.size(); ++level) {
      const auto x = static_cast<double>(level);
      map[level] = (reversed ? -x : x) <= score.cut ? 0 : 1;
    }
    add_levels(input, map, children, other);
  }

  void add_levels(uint32_t input, std::vector<int32_t> map, const Children& children,
                  const Otherwise& other) {
    if (map.empty()) {  // no cell has a level
      entries_.push_back({input, 0, 0, 0, {other.missing, other.missing, other.missing}});
      return;
    }
    for (int32_t& place : map) {
      if (place >= 0) continue;
      const auto found = std::find(children.begin(), children.end(), other.unseen);
      if (found != children.end()) place = static_cast<int32_t>(found - children.begin());
    }
    if (std::find(map.begin(), map.end(), -1) != map.end()) {
      const Target known{Target::Kind::entry, static_cast<uint32_t>(entries_.size()) + 1};
      add_set(input, map, 0, {known, other.unseen, other.missing});
    }
    const int32_t most = *std::max_element(map.begin(), map.end());
    add_range(input, map, children, 0, std::max(most, 1), other.missing);
  }

  // Children from `low` to `high` by halves.
  void add_range(uint32_t input, const std::vector<int32_t>& map, const Children& children,
                 int32_t low, int32_t high, const Target& missing) {
    const int32_t middle = (low + high + 1) / 2;
    std::vector<int32_t> side(map.size());
    for (size_t level = 0; level < map.size(); ++level) side[level] = map[level] < middle ? 0 : -1;
    const size_t here = entries_.size();
    add_set(input, side, 0, {Target{}, Target{}, missing});
    const auto part = [&](int32_t from, int32_t to) {
      if (from == to) return children[static_cast<size_t>(from)];
      const Target target{Target::Kind::entry, static_cast<uint32_t>(entries_.size())};
      add_range(input, map, children, from, to, missing);
      return target;
    };
    const Target first = part(low, middle - 1), second = part(middle, high);
    entries_[here].next[0] = first;
    entries_[here].next[1] = second;
  }

  // Levels whose number in the map is at least `least` are in the set.
  void add_set(uint32_t input, const std::vector<int32_t>& map, int32_t least,
               const std::array<Target, 3>& next) {
    std::vector<uint32_t> words((map.size() + 31) / 32, 0);
    for (size_t level = 0; level < map.size(); ++level) {
      if (map[level] >= least) words[level / 32] |= uint32_t{1} << (level % 32);
    }
    const auto [place, is_new] = sets_.try_emplace(words, static_cast<uint32_t>(out_.sets.size()));
    if (is_new) out_.sets.insert(out_.sets.end(), words.begin(), words.end());
    entries_.push_back({input, 0, place->second, static_cast<uint32_t>(map.size()), next});
    out_.has_sets = true;
  }

  // Nodes get their places in pairs, breadth first. What stands in several pairs is copied: its
  // ways are the same. What only missing cells lead to gets a place alone.
  void lay_out() {
    std::vector<uint32_t> held;  // by place: a number
    std::vector<uint32_t> place(entries_.size() + rows_.size(), no_place);
    std::map<std::pair<uint32_t, uint32_t>, uint32_t> pairs;
    const auto put = [&](uint32_t what) {
      if (place[what] == no_place) place[what] = static_cast<uint32_t>(held.size());
      held.push_back(what);
    };
    put(number({Target::Kind::node, 0}));
    std::vector<uint32_t> missing;
    for (size_t at = 0, asked = 0; at < held.size(); ++at) {
      if (held[at] < entries_.size()) {
        const auto& next = entries_[held[at]].next;
        const std::pair pair{number(next[0]), number(next[1])};
        if (pairs.try_emplace(pair, static_cast<uint32_t>(held.size())).second) {
          put(pair.first);
          put(pair.second);
        }
        missing.push_back(number(next[2]));
      }
      for (; at + 1 == held.size() && asked < missing.size(); ++asked) {
        if (place[missing[asked]] == no_place) put(missing[asked]);
      }
    }
    for (uint32_t at = 0; at < held.size(); ++at) {
      if (held[at] >= entries_.size()) {
        out_.nodes.push_back({std::numeric_limits<double>::infinity(), 0, 0, 0, at, at,
                              held[at] - static_cast<uint32_t>(entries_.size())});
        continue;
      }
      const Entry& entry = entries_[held[at]];
      const uint32_t child = pairs.at({number(entry.next[0]), number(entry.next[1])});
      out_.nodes.push_back({entry.cut, entry.set, entry.levels, entry.input, child,
                            place[number(entry.next[2])], 0});
    }
  }

  size_t longest_way() const {
    std::vector<size_t> steps(out_.nodes.size(), unknown_steps);
    std::vector<uint32_t> open{0};
    while (!open.empty()) {
      const uint32_t at = open.back();
      const PlainNode& node = out_.nodes[at];
      if (node.child == at) steps[at] = 0;
      if (steps[at] != unknown_steps) {
        open.pop_back();
        continue;
      }
      size_t most = 0;
      bool known = true;
      for (const uint32_t next : {node.child, node.child + 1, node.missing}) {
        if (steps[next] == unknown_steps) {
          open.push_back(next);
          known = false;
        } else {
          most = std::max(most, steps[next] + 1);
        }
      }
      if (known) steps[at] = most;
    }
    return steps[0];
  }

  static constexpr uint32_t no_place = ~uint32_t{0};
  static constexpr size_t unknown_steps = ~size_t{0};

  const LoweredTree& tree_;
  PlainTables out_;
  std::vector<Entry> entries_;
  std::vector<uint32_t> entry_of_node_, entry_of_surrogates_;
  std::map<uint32_t, uint32_t> answer_of_node_;
  std::map<std::vector<double>, uint32_t> rows_;
  std::map<std::vector<uint32_t>, uint32_t> sets_;
};

}  // namespace

std::optional<PlainTables> plain_tables(const LoweredTree& tree) {
  // A branch for each of very many levels: a table of children by level is smaller.
  constexpr size_t most_words = size_t{1} << 20;
  if (!is_plain(tree) || words_of_branches(tree) > most_words) return {};
  return Builder(tree).take();
}

}  // namespace softwood::render

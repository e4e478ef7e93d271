// A tree in the layout of C5.0 (see its tutorial, rulequest.com/see5-unix.html).
#include <fmt/format.h>

#include <deque>

#include "base/text.h"
#include "tree/gates/kinds.h"
#include "tree/show.h"
#include "tree/show_parts.h"

namespace softwood {

namespace {

constexpr std::string_view first_branch = ":...";
constexpr std::string_view bar = ":   ";
constexpr std::string_view blank = "    ";
constexpr size_t widest_sum = 32;  // of sums where lines are too wide

class Print {
 public:
  Print(const Model& model, size_t width)
      : model_(model),
        tree_(model.tree),
        answers_(shown_answers(model.tree)),
        width_(width),
        height_(model.tree.size(), 0) {
    // Children come after their parents.
    for (NodeIndex i = static_cast<NodeIndex>(tree_.size()); i-- > 0;) {
      for (uint32_t c = 0; c < tree_.children(i); ++c) {
        height_[i] = std::max(height_[i], height_[tree_.node(i).first_child + c] + 1);
      }
    }
  }

  std::string text() {
    std::string text = "Decision tree:\n\n";
    if (tree_.node(0).is_leaf()) return text + leaf_text(0) + "\n" + last_lines(model_, width_);
    text += subtree_text(0);
    for (size_t s = 0; s < apart_.size(); ++s) {
      text += fmt::format("\nSubTree [S{}]\n\n", s + 1);
      text += subtree_text(apart_[s]);
    }
    return text + last_lines(model_, width_);
  }

 private:
  struct Branch {
    NodeIndex parent;
    uint32_t child;
    std::string own, below;  // what is drawn before the branch, and before those under it
  };

  // C5.0 shows simple branches first.
  void open_branches(NodeIndex i, const std::string& below, std::vector<Branch>& open) const {
    std::vector<uint32_t> order(tree_.children(i));
    for (uint32_t c = 0; c < order.size(); ++c) order[c] = c;
    const NodeIndex first = tree_.node(i).first_child;
    std::stable_sort(order.begin(), order.end(), [&](uint32_t a, uint32_t b) {
      return height_[first + a] < height_[first + b];
    });
    std::string marked = below;
    if (!below.empty()) marked.replace(below.size() - bar.size(), bar.size(), first_branch);
    for (size_t place = order.size(); place-- > 0;) {
      const bool last = place + 1 == order.size();
      open.push_back(
          {i, order[place], place == 0 ? marked : below, below + std::string(last ? blank : bar)});
    }
  }

  std::string subtree_text(NodeIndex root) {
    std::string text;
    std::vector<Branch> open;
    open_branches(root, "", open);
    while (!open.empty()) {
      const Branch branch = std::move(open.back());
      open.pop_back();
      const NodeIndex i = tree_.node(branch.parent).first_child + branch.child;
      const size_t answer = tree_.node(i).is_leaf() ? 1 + display_width(leaf_text(i)) : 0;
      std::string line = condition(branch) + ":";
      if (display_width(branch.own) + display_width(line) + answer > width_) {
        line = condition(branch, widest_sum) + ":";
      }
      if (tree_.node(i).is_leaf()) {
        line += " " + leaf_text(i);
      } else if (branch.below.size() + widest_branch(i) > width_) {
        apart_.push_back(i);
        line += fmt::format(" [S{}]", apart_.size());
      } else {
        open_branches(i, branch.below, open);
      }
      text += wrapped_line(branch, line, tree_.node(i).is_leaf());
    }
    return text;
  }

  // Sets of levels that are too wide are continued under their first level.
  std::string wrapped_line(const Branch& branch, const std::string& line, bool leaf) const {
    const size_t brace = line.find('{');
    if (display_width(branch.own) + display_width(line) <= width_ || brace == std::string::npos) {
      return branch.own + line + '\n';
    }
    std::string text;
    std::string here = branch.own + line.substr(0, brace + 1);
    std::string margin =
        leaf ? branch.below : branch.below.substr(0, branch.below.size() - 4) + ":   ";
    margin.resize(std::max(margin.size(), branch.own.size() + brace + 1), ' ');
    bool fresh = true;
    const std::string rest = line.substr(brace + 1);
    for (size_t begin = 0; begin < rest.size();) {
      const size_t comma = rest.find(',', begin);
      const size_t end = comma == std::string::npos ? rest.size() : comma + 1;
      const std::string part = rest.substr(begin, end - begin);
      if (!fresh && display_width(here) + display_width(part) > width_) {
        text += here + '\n';
        here = margin;
      }
      here += part;
      fresh = false;
      begin = end;
    }
    return text + here + '\n';
  }

  // Sums in at most `room` columns where that is possible.
  std::string condition(const Branch& branch, size_t room = no_limit) const {
    const Gate& gate = tree_.node(branch.parent).gate();
    const ScoreGate* const score = linear_form(gate);
    std::string usual =
        branch_condition(model_, branch.parent, branch.child, score != nullptr ? room : no_limit);
    if (branch.child >= gate_children(gate)) return usual;
    if (const LevelsGate* levels = level_map(gate)) {
      std::string text = usual;
      // C5.0 has no blanks between the levels.
      if (usual.find('{') != std::string::npos) text = set_text(*levels, branch.child, usual);
      return text;
    }
    const auto soft = gate_soft_range(gate, model_.schema);
    if (!soft || score == nullptr || asks_for_levels(gate, model_.schema)) return usual;
    const bool below = (branch.child == 0) != soft->falling;
    return fmt::format("{} {} {} ({})", sum_text(*score, model_.schema, room),
                       below ? "<=" : ">=", shown_number(below ? soft->low : soft->high),
                       shown_number(soft->half));
  }

  std::string set_text(const LevelsGate& gate, uint32_t child, const std::string& usual) const {
    const Feature& feature = model_.schema.features[gate.feature];
    std::vector<std::string> levels;
    for (size_t code = 0; code < gate.child_of_level.size(); ++code) {
      if (gate.child_of_level[code] != static_cast<int32_t>(child)) continue;
      levels.push_back(shown_name(feature.levels[code], NamePlace::set));
    }
    const size_t end = usual.rfind('}') + 1;  // what follows is about missing values
    return fmt::format("{} in {{{}}}{}", shown_name(feature.name, NamePlace::comparison),
                       join(levels, ","), usual.substr(end));
  }

  // Columns that a node's branches take, sets of levels being broken and sums shortened.
  size_t widest_branch(NodeIndex i) const {
    size_t widest = 0;
    for (uint32_t c = 0; c < tree_.children(i); ++c) {
      const NodeIndex child = tree_.node(i).first_child + c;
      const std::string text = condition({i, c, "", ""}, widest_sum);
      const size_t brace = text.find('{');
      size_t wide = display_width(text) + 1;
      if (brace != std::string::npos) {
        size_t level = 0;
        for (const std::string_view part : split(std::string_view(text).substr(brace + 1), ',')) {
          level = std::max(level, display_width(part));
        }
        wide = display_width(std::string_view(text).substr(0, brace + 1)) + level + 2;
      }
      if (tree_.node(child).is_leaf()) wide += 1 + display_width(leaf_text(child));
      widest = std::max(widest, wide);
    }
    return widest;
  }

  static std::string one_decimal(double value) {
    return fmt::format("{:.8g}", std::rint(value * 10) / 10);
  }

  // "class (rows/errors)"; of numbers, which C5.0 does not know, "mean (rows, sd spread)".
  std::string leaf_text(NodeIndex i) const {
    const double weight = tree_.weight(i);
    if (tree_.task() == Task::regression) {
      return fmt::format("{} ({}, sd {})", shown_number(answers_[i]), one_decimal(weight),
                         short_number(spread_at(tree_, i)));
    }
    const size_t top = answered_class(tree_, answers_, i);
    const double errors = weight - tree_.sums(i)[top];
    constexpr double least_errors = 0.05;  // less is written as none
    return fmt::format("{} ({}{})", model_.schema.target.levels[top], one_decimal(weight),
                       errors >= least_errors ? "/" + one_decimal(errors) : "");
  }

  const Model& model_;
  const Tree& tree_;
  std::vector<double> answers_;
  size_t width_;
  std::vector<size_t> height_;    // edges to the deepest leaf below
  std::vector<NodeIndex> apart_;  // subtrees to be shown after the tree
};

}  // namespace

std::string show_tree_c50(const Model& model, size_t width) { return Print(model, width).text(); }

}  // namespace softwood

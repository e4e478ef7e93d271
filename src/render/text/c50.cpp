// A tree in the layout of C5.0 (see its tutorial, rulequest.com/see5-unix.html).
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/names.h"
#include "base/text.h"
#include "render/renderer.h"
#include "render/text/answers.h"
#include "render/text/condition.h"
#include "render/text/words.h"

namespace softwood::render {

namespace {

constexpr size_t page_width = 80;
constexpr std::string_view first_branch = ":...";
constexpr std::string_view bar = ":   ";
constexpr std::string_view blank = "    ";
constexpr size_t widest_sum = 32;  // of sums where lines are too wide

// The text of a branch: head, levels separated by commas, tail. Only levels can be broken into
// lines.
struct BranchText {
  std::string head;                 // "colour in {", or all of it
  std::vector<std::string> levels;  // none: nothing to break
  std::string tail;                 // "}: yes (12/3)"

  size_t width() const { return display_width(head + join(levels, ",") + tail); }
  // Columns that it takes with each level in a line of its own.
  size_t least_width() const {
    if (levels.empty()) return width();
    size_t widest = 0;
    for (const std::string& level : levels) widest = std::max(widest, display_width(level));
    return display_width(head) + widest + display_width(tail);
  }
};

class Print {
 public:
  Print(const LoweredTree& tree, size_t width)
      : tree_(tree), answers_(tree), edges_(tree), width_(width), height_(tree.nodes.size(), 0) {
    // Children come after their parents.
    for (size_t i = tree_.nodes.size(); i-- > 1;) {
      size_t& parent = height_[tree_.nodes[i].parent];
      parent = std::max(parent, height_[i] + 1);
    }
  }

  std::string text() {
    std::string text = "Decision tree:\n\n";
    if (tree_.nodes[0].is_leaf()) return text + leaf_text(0) + "\n" + last_lines(tree_, width_);
    text += subtree_text(0);
    for (size_t s = 0; s < apart_.size(); ++s) {
      text += fmt::format("\nSubTree [S{}]\n\n", s + 1);
      text += subtree_text(apart_[s]);
    }
    return text + last_lines(tree_, width_);
  }

 private:
  struct Branch {
    uint32_t parent;
    uint32_t child;
    std::string own, below;  // what is drawn before the branch, and before those under it
  };

  // C5.0 shows simple branches first.
  void open_branches(uint32_t i, const std::string& below, std::vector<Branch>& open) const {
    const LoweredSplit& split = *tree_.nodes[i].split;
    std::vector<uint32_t> order(split.children);
    for (uint32_t c = 0; c < order.size(); ++c) order[c] = c;
    std::stable_sort(order.begin(), order.end(), [&](uint32_t a, uint32_t b) {
      return height_[split.first_child + a] < height_[split.first_child + b];
    });
    std::string marked = below;
    if (!below.empty()) marked.replace(below.size() - bar.size(), bar.size(), first_branch);
    for (size_t place = order.size(); place-- > 0;) {
      const bool last = place + 1 == order.size();
      open.push_back(
          {i, order[place], place == 0 ? marked : below, below + std::string(last ? blank : bar)});
    }
  }

  std::string subtree_text(uint32_t root) {
    std::string text;
    std::vector<Branch> open;
    open_branches(root, "", open);
    while (!open.empty()) {
      const Branch branch = std::move(open.back());
      open.pop_back();
      const uint32_t i = tree_.nodes[branch.parent].split->first_child + branch.child;
      const bool leaf = tree_.nodes[i].is_leaf();
      const std::string answer = leaf ? " " + leaf_text(i) : "";
      BranchText line = branch_text_of(branch.parent, branch.child, no_limit);
      if (display_width(branch.own) + line.width() + display_width(answer) > width_) {
        line = branch_text_of(branch.parent, branch.child, widest_sum);
      }
      line.tail += answer;
      if (!leaf && branch.below.size() + widest_branch(i) > width_) {
        apart_.push_back(i);
        line.tail += fmt::format(" [S{}]", apart_.size());
      } else if (!leaf) {
        open_branches(i, branch.below, open);
      }
      text += wrapped_line(branch, line, leaf);
    }
    return text;
  }

  // Sets of levels that are too wide are continued under their first level.
  std::string wrapped_line(const Branch& branch, const BranchText& line, bool leaf) const {
    if (display_width(branch.own) + line.width() <= width_ || line.levels.empty()) {
      return branch.own + line.head + join(line.levels, ",") + line.tail + '\n';
    }
    std::string text;
    std::string here = branch.own + line.head;
    std::string margin =
        leaf ? branch.below : branch.below.substr(0, branch.below.size() - 4) + ":   ";
    margin.resize(std::max(margin.size(), here.size()), ' ');
    for (size_t l = 0; l < line.levels.size(); ++l) {
      const std::string part = line.levels[l] + (l + 1 < line.levels.size() ? "," : line.tail);
      if (l > 0 && display_width(here) + display_width(part) > width_) {
        text += here + '\n';
        here = margin;
      }
      here += part;
    }
    return text + here + '\n';
  }

  // Sums in at most `room` columns where that is possible.
  BranchText branch_text_of(uint32_t node, uint32_t child, size_t room) {
    const LoweredSplit& split = *tree_.nodes[node].split;
    if (child < condition_children(split.condition)) {
      if (const auto* levels = std::get_if<LoweredLevels>(&split.condition)) {
        return levels_text(edges_.branches(node), split, *levels, child);
      }
      const auto& score = std::get<LoweredScore>(split.condition);
      const std::optional<SoftInterval> soft = soft_range(score);
      if (soft && !names_levels(tree_, score)) {
        const bool below = (child == 0) != soft->falling;
        return {fmt::format("{} {} {} ({})", sum_text(tree_, score, room), below ? "<=" : ">=",
                            shown_number(below ? soft->low : soft->high), shown_number(soft->half)),
                {},
                ":"};
      }
    }
    return {edges_.branches(node).of(child, room), {}, ":"};
  }

  // C5.0 has no blanks between the levels.
  BranchText levels_text(const BranchTexts& texts, const LoweredSplit& split,
                         const LoweredLevels& condition, uint32_t child) const {
    std::vector<std::string> levels = level_names(tree_, condition.input, texts.levels(child));
    if (levels.size() < 2) return {texts.of(child), {}, ":"};
    const std::string name = shown_name(tree_.inputs[condition.input].name, NamePlace::comparison);
    return {name + " in {", std::move(levels),
            "}" + or_missing(missing_share(tree_, split, child)) + ":"};
  }

  // Columns that a node's branches take, sets of levels being broken and sums shortened.
  size_t widest_branch(uint32_t i) {
    size_t widest = 0;
    const LoweredSplit& split = *tree_.nodes[i].split;
    for (uint32_t c = 0; c < split.children; ++c) {
      const uint32_t child = split.first_child + c;
      size_t wide = branch_text_of(i, c, widest_sum).least_width();
      if (tree_.nodes[child].is_leaf()) wide += 1 + display_width(leaf_text(child));
      widest = std::max(widest, wide);
    }
    return widest;
  }

  static std::string one_decimal(double value) {
    return fmt::format("{:.8g}", std::rint(value * 10) / 10);
  }

  // "class (rows/errors)"; in regression, which C5.0 does not know, "mean (rows, sd deviation)".
  std::string leaf_text(uint32_t i) const {
    const LoweredNode& node = tree_.nodes[i];
    if (!tree_.is_classifier()) {
      return fmt::format("{} ({}, sd {})", shown_number(answers_.number(i)),
                         one_decimal(node.weight), short_number(standard_deviation(node)));
    }
    const double errors = answers_.errors(i);
    constexpr double least_errors = 0.05;  // less is written as none
    return fmt::format("{} ({}{})", tree_.target.classes[answers_.decided(i)],
                       one_decimal(node.weight),
                       errors >= least_errors ? "/" + one_decimal(errors) : "");
  }

  const LoweredTree& tree_;
  NodeAnswers answers_;
  EdgeTexts edges_;
  size_t width_;
  std::vector<size_t> height_;   // edges to the deepest leaf below
  std::vector<uint32_t> apart_;  // subtrees to be shown after the tree
};

}  // namespace

// As wide as C5.0 prints, whatever the terminal, or narrower. Parts that would be too wide come
// after the tree as subtrees [S1], [S2], ...
std::string c50_text(const LoweredTree& tree, const RenderOptions& options) {
  return Print(tree, std::min(options.width, page_width)).text();
}

}  // namespace softwood::render

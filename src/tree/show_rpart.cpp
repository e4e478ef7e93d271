// A tree as R prints an rpart object (print.rpart of rpart 4.1).
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>

#include "base/text.h"
#include "tree/gates/kinds.h"
#include "tree/show.h"
#include "tree/show_parts.h"

namespace softwood {

namespace {

constexpr int digits = 7;  // of R's option "digits"
// rpart writes class shares with few digits from so many classes on.
constexpr size_t many_classes = 5;
// Conditions that rpart does not have are shortened to this.
constexpr size_t widest_condition = 60;

// Numbers as R's format() writes a vector: in common with as many decimals as `digits` significant
// ones of every number need (at least `least`), or all with an exponent where that is narrower.
std::vector<std::string> r_format(const std::vector<double>& values, int least = 0) {
  int decimals = 0;
  int whole = 1;
  int most_digits = 1;
  int sign = 0;
  bool long_exponent = false;
  for (const double value : values) {
    const std::string text = fmt::format("{:.{}e}", std::fabs(value), digits - 1);
    const size_t e = text.find('e');
    if (e == std::string::npos) continue;  // not finite
    const int power = value == 0 ? 0 : std::atoi(text.c_str() + e + 1);
    const size_t last = text.find_last_not_of("0.", e - 1);
    const int significant = last == std::string::npos ? 1 : last == 0 ? 1 : static_cast<int>(last);
    decimals = std::max(decimals, significant - power - 1);
    whole = std::max(whole, power + 1);
    most_digits = std::max(most_digits, significant);
    long_exponent = long_exponent || std::abs(power) >= 100;
    if (value < 0) sign = 1;
  }
  const int fixed = sign + whole + (decimals > 0 ? decimals + 1 : 0);
  const int scientific = sign + (most_digits > 1 ? most_digits + 1 : 1) + (long_exponent ? 5 : 4);
  const bool as_fixed = fixed <= scientific;
  if (as_fixed) decimals = std::max(decimals, least);
  std::vector<std::string> texts;
  size_t wide = 0;
  for (const double value : values) {
    texts.push_back(as_fixed ? fmt::format("{:.{}f}", value, decimals)
                             : fmt::format("{:.{}e}", value, most_digits - 1));
    wide = std::max(wide, texts.back().size());
  }
  for (std::string& text : texts) text.insert(0, wide - text.size(), ' ');
  return texts;
}

double rounded(double value) {
  return std::strtod(fmt::format("{:.{}g}", value, digits).c_str(), nullptr);
}

struct Line {
  NodeIndex node;
  size_t depth;
  double number;
  std::string label;
};

class Print {
 public:
  explicit Print(const Model& model)
      : model_(model), tree_(model.tree), answers_(shown_answers(model.tree)) {}

  std::string text() {
    find_lines();
    const bool classes = tree_.task() == Task::classification;
    std::vector<double> risks;
    size_t number_width = 0;
    for (const Line& line : lines_) {
      risks.push_back(rounded(tree_.risk(line.node)));
      number_width = std::max(number_width, fmt::format("{:.0f}", line.number).size());
    }
    const std::vector<std::string> risk_texts = r_format(risks);
    const std::vector<std::string> answer_texts = classes ? class_texts() : mean_texts();
    std::string text = fmt::format("n= {} \n\n", weight_text(0));
    text +=
        classes ? "node), split, n, loss, yval, (yprob)\n" : "node), split, n, deviance, yval\n";
    text += "      * denotes terminal node\n\n";
    for (size_t l = 0; l < lines_.size(); ++l) {
      const Line& line = lines_[l];
      text += fmt::format("{:{}}{:>{}.0f}) {} {} {} {} {}\n", "", 2 * line.depth, line.number,
                          number_width, line.label, weight_text(line.node), risk_texts[l],
                          answer_texts[l], tree_.node(line.node).is_leaf() ? "*" : " ");
    }
    return text + last_lines(model_, widest_text);
  }

 private:
  std::string weight_text(NodeIndex i) const { return shown_weight(tree_.weight(i)); }

  // The mean class or answer of a node: rpart puts the side with the smaller one to the left.
  double mean_at(NodeIndex i) const {
    const auto sums = tree_.sums(i);
    if (tree_.task() == Task::regression) return sums[1];
    const double weight = tree_.weight(i);
    double mean = 0;
    for (size_t k = 1; k < sums.size() && weight > 0; ++k) {
      mean += sums[k] / weight * static_cast<double>(k);
    }
    return mean;
  }

  // Child of a node from left to right.
  std::vector<uint32_t> children_of(NodeIndex i) const {
    std::vector<uint32_t> order(tree_.children(i));
    for (uint32_t c = 0; c < order.size(); ++c) order[c] = c;
    const NodeIndex first = tree_.node(i).first_child;
    if (order.size() == 2 && !(mean_at(first) < mean_at(first + 1))) std::swap(order[0], order[1]);
    return order;
  }

  void find_lines() {
    uint32_t widest = 2;
    for (NodeIndex i = 0; i < tree_.size(); ++i) widest = std::max(widest, tree_.children(i));
    std::vector<Line> open{{0, 0, 1, "root"}};
    while (!open.empty()) {
      lines_.push_back(std::move(open.back()));
      open.pop_back();
      const Line here = lines_.back();
      const std::vector<uint32_t> order = children_of(here.node);
      for (size_t place = order.size(); place-- > 0;) {
        // With two children 2k and 2k + 1, as rpart numbers them.
        const double number = widest * (here.number - 1) + 2 + static_cast<double>(place);
        open.push_back({tree_.node(here.node).first_child + order[place], here.depth + 1, number,
                        label(here.node, order[place])});
      }
    }
    // Numbers of very deep trees can't be told apart any more: then the places in the model file,
    // from 1.
    constexpr double last_exact = 9007199254740992.0;  // 2^53
    if (std::none_of(lines_.begin(), lines_.end(),
                     [](const Line& line) { return line.number > last_exact; })) {
      return;
    }
    for (Line& line : lines_) line.number = line.node + 1.0;
  }

  std::string label(NodeIndex i, uint32_t child) const {
    const Node& node = tree_.node(i);
    const Gate& gate = node.gate();
    if (const LevelsGate* levels = level_map(gate)) return levels_label(*levels, i, child);
    const std::optional<Threshold> threshold = as_threshold(gate);
    if (!threshold || child > 1 || threshold->cut == above_all_values ||
        model_.schema.features[threshold->feature].kind != Kind::numeric) {
      return branch_condition(model_, i, child, widest_condition);
    }
    return fmt::format("{}{}{:.{}g}", model_.schema.features[threshold->feature].name,
                       child == 0 ? "< " : ">=", threshold->cut, digits);
  }

  std::string levels_label(const LevelsGate& gate, NodeIndex i, uint32_t child) const {
    const Feature& feature = model_.schema.features[gate.feature];
    std::vector<std::string> levels;
    for (size_t code = 0; code < gate.child_of_level.size(); ++code) {
      if (gate.child_of_level[code] != static_cast<int32_t>(child)) continue;
      levels.push_back(feature.levels[code]);
    }
    if (levels.empty()) return branch_condition(model_, i, child);
    return feature.name + "=" + join(levels, ",");
  }

  std::vector<std::string> mean_texts() const {
    std::vector<double> means;
    for (const Line& line : lines_) means.push_back(rounded(answers_[line.node]));
    return r_format(means);
  }

  std::vector<std::string> class_texts() const {
    const size_t classes = tree_.classes();
    std::vector<double> shares;
    for (const Line& line : lines_) {
      for (size_t k = 0; k < classes; ++k) shares.push_back(answers_[line.node * classes + k]);
    }
    std::vector<std::string> parts;
    if (classes < many_classes) {
      parts = r_format(shares, digits);
    } else {
      for (const double share : shares) parts.push_back(fmt::format("{:.2g}", share));
    }
    std::vector<std::string> texts;
    for (size_t l = 0; l < lines_.size(); ++l) {
      const size_t top = answered_class(tree_, answers_, lines_[l].node);
      texts.push_back(fmt::format("{} ({})", model_.schema.target.levels[top],
                                  join(std::span(parts).subspan(l * classes, classes), " ")));
    }
    return texts;
  }

  const Model& model_;
  const Tree& tree_;
  std::vector<double> answers_;
  std::vector<Line> lines_;
};

}  // namespace

std::string show_tree_rpart(const Model& model) { return Print(model).text(); }

}  // namespace softwood

// A tree as R prints an rpart object (print.rpart of rpart 4.1).
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>

#include "base/text.h"
#include "render/renderer.h"
#include "render/text/answers.h"
#include "render/text/condition.h"
#include "render/text/words.h"

namespace softwood::render {

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
  double result = 0;
  parse_number(fmt::format("{:.{}g}", value, digits), result);
  return result;
}

// Below that depth lines are not indented further: those of a long chain would be blanks above all.
constexpr size_t most_levels = 200;

struct Line {
  uint32_t node;
  size_t depth;
  double number;
  std::string label;
};

class Print {
 public:
  explicit Print(const LoweredTree& tree) : tree_(tree), answers_(tree) {}

  std::string text() {
    find_lines();
    const bool classes = tree_.is_classifier();
    std::vector<double> risks;
    size_t number_width = 0;
    for (const Line& line : lines_) {
      risks.push_back(rounded(tree_.nodes[line.node].risk));
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
      const size_t blanks = 2 * std::min(line.depth, most_levels);
      text += fmt::format("{:{}}{:>{}.0f}) {} {} {} {} {}\n", "", blanks, line.number, number_width,
                          line.label, weight_text(line.node), risk_texts[l], answer_texts[l],
                          tree_.nodes[line.node].is_leaf() ? "*" : " ");
    }
    return text + last_lines(tree_, widest_text);
  }

 private:
  std::string weight_text(uint32_t i) const { return shown_weight(tree_.nodes[i].weight); }

  // The mean class or answer of a node: rpart puts the side with the smaller one to the left.
  double mean_at(uint32_t i) const {
    const LoweredNode& node = tree_.nodes[i];
    if (!tree_.is_classifier()) return node.mean;
    double mean = 0;
    for (size_t k = 1; k < node.class_weights.size() && node.weight > 0; ++k) {
      mean += node.class_weights[k] / node.weight * static_cast<double>(k);
    }
    return mean;
  }

  // Children of a node from left to right.
  std::vector<uint32_t> children_of(const LoweredSplit& split) const {
    std::vector<uint32_t> order(split.children);
    for (uint32_t c = 0; c < order.size(); ++c) order[c] = c;
    const uint32_t first = split.first_child;
    if (order.size() == 2 && !(mean_at(first) < mean_at(first + 1))) std::swap(order[0], order[1]);
    return order;
  }

  void find_lines() {
    uint32_t widest = 2;
    for (const LoweredNode& node : tree_.nodes) {
      if (node.split) widest = std::max(widest, node.split->children);
    }
    std::vector<Line> open{{0, 0, 1, "root"}};
    while (!open.empty()) {
      lines_.push_back(std::move(open.back()));
      open.pop_back();
      const Line here = lines_.back();
      if (tree_.nodes[here.node].is_leaf()) continue;
      const LoweredSplit& split = *tree_.nodes[here.node].split;
      const std::vector<uint32_t> order = children_of(split);
      const BranchTexts texts(tree_, split);
      for (size_t place = order.size(); place-- > 0;) {
        // With two children 2k and 2k + 1, as rpart numbers them.
        const double number = widest * (here.number - 1) + 2 + static_cast<double>(place);
        open.push_back({split.first_child + order[place], here.depth + 1, number,
                        label(texts, split, order[place])});
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

  std::string label(const BranchTexts& texts, const LoweredSplit& split, uint32_t child) const {
    return std::visit([&](const auto& kind) { return kind_label(kind, texts, child); },
                      split.condition);
  }

  std::string kind_label(const LoweredScore& score, const BranchTexts& texts,
                         uint32_t child) const {
    const LoweredInput& input = tree_.inputs[score.terms[0].input];
    if (!is_threshold(score) || child > 1 || input.kind != InputKind::numeric ||
        score.cut == cut_above_all_values) {
      return texts.of(child, widest_condition);
    }
    return fmt::format("{}{}{:.{}g}", input.name, child == 0 ? "< " : ">=", score.cut, digits);
  }

  // rpart quotes nothing.
  std::string kind_label(const LoweredLevels& levels, const BranchTexts& texts,
                         uint32_t child) const {
    const LoweredInput& input = tree_.inputs[levels.input];
    std::vector<std::string> names;
    if (child < levels.children) {
      for (const uint32_t level : texts.levels(child)) names.push_back(input.levels[level]);
    }
    if (names.empty()) return texts.of(child);
    return input.name + "=" + join(names, ",");
  }

  std::vector<std::string> mean_texts() const {
    std::vector<double> means;
    for (const Line& line : lines_) means.push_back(rounded(answers_.number(line.node)));
    return r_format(means);
  }

  std::vector<std::string> class_texts() const {
    const size_t classes = tree_.target.classes.size();
    std::vector<double> shares;
    for (const Line& line : lines_) {
      const auto answer = answers_.of(line.node);
      shares.insert(shares.end(), answer.begin(), answer.end());
    }
    std::vector<std::string> parts;
    if (classes < many_classes) {
      parts = r_format(shares, digits);
    } else {
      for (const double share : shares) parts.push_back(fmt::format("{:.2g}", share));
    }
    std::vector<std::string> texts;
    for (size_t l = 0; l < lines_.size(); ++l) {
      texts.push_back(fmt::format("{} ({})", tree_.target.classes[answers_.decided(lines_[l].node)],
                                  join(std::span(parts).subspan(l * classes, classes), " ")));
    }
    return texts;
  }

  const LoweredTree& tree_;
  NodeAnswers answers_;
  std::vector<Line> lines_;
};

}  // namespace

std::string rpart_text(const LoweredTree& tree, const RenderOptions& /*options*/) {
  return Print(tree).text();
}

}  // namespace softwood::render

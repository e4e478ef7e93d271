#include "render/export/self_test.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "base/random.h"
#include "base/text.h"

namespace softwood::render {
namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();

// Values worth trying, by input; levels are their texts.
class Candidates {
 public:
  explicit Candidates(const LoweredTree& tree) : values_(tree.inputs.size()) {
    for (uint32_t f = 0; f < tree.inputs.size(); ++f) {
      const LoweredInput& input = tree.inputs[f];
      for (const double value : {input.low, input.high, input.typical}) add(f, value);
      if (!std::isnan(input.low)) add(f, (input.low + input.high) / 2);
    }
    for (const LoweredNode& node : tree.nodes) {
      if (node.formula) add(node.formula->terms);
      if (!node.split) continue;
      add(node.split->condition);
      for (const LoweredSurrogate& surrogate : node.split->missing.surrogates) {
        add(surrogate.condition);
      }
    }
    for (std::vector<double>& values : values_) finish(values);
  }

  const std::vector<double>& of(uint32_t input) const { return values_[input]; }

 private:
  void add(uint32_t input, double value) {
    if (std::isfinite(value)) values_[input].push_back(value);
  }

  void add(const std::vector<LoweredTerm>& terms) {
    for (const LoweredTerm& term : terms) {
      if (term.kind == TermKind::level) continue;
      if (term.kind == TermKind::asinh) {
        for (const double factor : {-3.0, -1.0, 0.0, 1.0, 3.0}) {
          add(term.input, term.centre + factor * term.scale);
        }
      }
    }
  }

  void add(const LoweredCondition& condition) {
    const auto* const score = std::get_if<LoweredScore>(&condition);
    if (score == nullptr) return;
    add(score->terms);
    const LoweredTerm& term = score->terms[0];
    if (score->terms.size() != 1 || term.kind != TermKind::value) return;
    const double cut = score->cut / term.coefficient;
    if (std::fabs(cut) >= cut_above_all_values) return;
    for (const double value : {cut, std::nextafter(cut, infinity), std::nextafter(cut, -infinity),
                               cut - score->below / 2, cut + score->above / 2}) {
      add(term.input, value);
    }
  }

  static void finish(std::vector<double>& values) {
    std::sort(values.begin(), values.end());
    values.erase(std::unique(values.begin(), values.end()), values.end());
    if (values.empty()) values = {-1, 0, 1};
    const double low = values.front(), high = values.back();
    const double width = high > low ? high / 4 - low / 4 : std::max(0.25, std::fabs(high) / 4);
    for (const double value : {low - width, high + width}) {
      if (std::isfinite(value)) values.push_back(value);
    }
  }

  std::vector<std::vector<double>> values_;
};

std::string numeric_cell(const std::vector<double>& values, Random& random) {
  const double value = values[random.below(values.size())];
  // Every other value lies between two.
  if (random.below(2) == 0) return number_text(value);
  const double other = values[random.below(values.size())];
  const double part = random.uniform();
  return number_text((1 - part) * value + part * other);
}

bool is_missing_mark(const LoweredTree& tree, const std::string& cell) {
  double value = 0, number = 0;
  const bool is_number = parse_number(cell, number);
  return std::any_of(
      tree.missing_marks.begin(), tree.missing_marks.end(), [&](const std::string& mark) {
        return mark == cell || (is_number && parse_number(mark, value) && value == number);
      });
}

}  // namespace

std::string self_test_rows(const LoweredTree& exported, size_t rows) {
  constexpr uint64_t one_in_missing = 10, one_in_unknown = 20;
  const Candidates candidates(exported);
  Random random(1, "self-test");
  std::vector<std::string> cells;
  for (const LoweredInput& input : exported.inputs) cells.push_back(csv_cell(input.name));
  std::string text = join(cells, ",") + "\n";
  for (size_t row = 0; row < rows; ++row) {
    for (uint32_t f = 0; f < exported.inputs.size(); ++f) {
      const LoweredInput& input = exported.inputs[f];
      std::string cell;
      if (random.below(one_in_missing) == 0) {
        // stays empty
      } else if (input.kind == InputKind::numeric) {
        cell = numeric_cell(candidates.of(f), random);
        if (is_missing_mark(exported, cell)) cell.clear();
      } else if (random.below(one_in_unknown) == 0 || input.levels.empty()) {
        cell = "a level that was never seen";
      } else {
        cell = csv_cell(input.levels[random.below(input.levels.size())]);
      }
      // A line of one empty cell would be no row.
      cells[f] = cell.empty() && exported.inputs.size() == 1 ? "?" : cell;
    }
    text += join(cells, ",") + "\n";
  }
  return text;
}

}  // namespace softwood::render

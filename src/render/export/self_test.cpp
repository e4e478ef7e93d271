#include "render/export/self_test.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "base/random.h"
#include "base/text.h"
#include "lower/condition.h"
#include "render/export/marks.h"

namespace softwood::render {
namespace {

constexpr double no_level = -1;
constexpr double infinity = std::numeric_limits<double>::infinity();

// Values worth trying, by input; levels are their texts.
class Candidates {
 public:
  explicit Candidates(const LoweredTree& tree) : values_(tree.inputs.size()) {
    for (uint32_t f = 0; f < tree.inputs.size(); ++f) {
      const LoweredInput& input = tree.inputs[f];
      for (const double value : {input.low, input.high, input.typical}) add(f, value);
      if (!std::isnan(input.low)) add(f, (input.low + input.high) / 2);
      if (input.kind != InputKind::numeric) continue;
      for (const double mark : marked_cells(tree, input)) add(f, mark);
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

double numeric_cell(const std::vector<double>& values, Random& random) {
  const double value = values[random.below(values.size())];
  // Every other value lies between two.
  if (random.below(2) == 0) return value;
  const double other = values[random.below(values.size())];
  const double part = random.uniform();
  return (1 - part) * value + part * other;
}

// Moves rows onto the cuts of sums, and next to them.
class SumCuts {
 public:
  SumCuts(const LoweredTree& tree, Exactness exactness) : tree_(tree), exactness_(exactness) {
    for (const LoweredNode& node : tree.nodes) {
      if (!node.split) continue;
      add(node.split->condition);
      for (const LoweredSurrogate& surrogate : node.split->missing.surrogates) {
        add(surrogate.condition);
      }
    }
  }

  bool empty() const { return sums_.empty(); }

  // Changes one cell; none where a cell of the sum is missing.
  void move(std::vector<double>& row, Random& random) const {
    const Sum& sum = sums_[random.below(sums_.size())];
    const LoweredTerm& moved = *sum.free[random.below(sum.free.size())];
    double others = 0;
    for (const LoweredTerm& term : sum.score->terms) {
      if (&term == &moved) continue;
      others += term.coefficient * term_value(term, [&](uint32_t input) { return row[input]; });
    }
    const double on_cut = (sum.score->cut - others) / moved.coefficient;
    if (!std::isfinite(on_cut)) return;
    const std::array near{on_cut, std::nextafter(on_cut, infinity),
                          std::nextafter(on_cut, -infinity)};
    row[moved.input] = near[random.below(near.size())];
  }

 private:
  struct Sum {
    const LoweredScore* score;
    std::vector<const LoweredTerm*> free;  // plain values that no other term reads
  };

  void add(const LoweredCondition& condition) {
    const auto* const score = std::get_if<LoweredScore>(&condition);
    if (score == nullptr || score->terms.size() < 2) return;
    const auto is_asinh = [](const LoweredTerm& term) { return term.kind == TermKind::asinh; };
    if (exactness_ == Exactness::rounding &&
        std::any_of(score->terms.begin(), score->terms.end(), is_asinh)) {
      return;
    }
    Sum sum{score, {}};
    for (const LoweredTerm& term : score->terms) {
      const auto reads = [&](const LoweredTerm& other) {
        return other.input == term.input ||
               (other.kind == TermKind::product && other.second == term.input);
      };
      if (term.kind == TermKind::value && term.coefficient != 0 &&
          tree_.inputs[term.input].kind == InputKind::numeric &&
          std::count_if(score->terms.begin(), score->terms.end(), reads) == 1) {
        sum.free.push_back(&term);
      }
    }
    if (!sum.free.empty()) sums_.push_back(std::move(sum));
  }

  const LoweredTree& tree_;
  Exactness exactness_;
  std::vector<Sum> sums_;
};

// NaN: missing; of inputs with levels an index, or one that is no level's.
std::vector<double> drawn_row(const LoweredTree& tree, const Candidates& candidates,
                              Random& random) {
  constexpr uint64_t one_in_missing = 10, one_in_unknown = 20;
  std::vector<double> row;
  for (uint32_t f = 0; f < tree.inputs.size(); ++f) {
    const LoweredInput& input = tree.inputs[f];
    if (random.below(one_in_missing) == 0) {
      row.push_back(unknown_number);
    } else if (input.kind == InputKind::numeric) {
      row.push_back(numeric_cell(candidates.of(f), random));
    } else if (random.below(one_in_unknown) == 0 || input.levels.empty()) {
      row.push_back(no_level);
    } else {
      row.push_back(static_cast<double>(random.below(input.levels.size())));
    }
  }
  return row;
}

std::string unknown_text(const LoweredTree& tree, size_t row) {
  const size_t which = row % (tree.missing_marks.size() + 1);
  return which == 0 ? "a level that was never seen" : csv_cell(tree.missing_marks[which - 1]);
}

}  // namespace

std::string self_test_rows(const LoweredTree& exported, Exactness exactness, size_t rows) {
  constexpr uint64_t one_in_on_cut = 3;
  const Candidates candidates(exported);
  const SumCuts cuts(exported, exactness);
  Random random(1, "self-test");
  std::vector<std::string> cells;
  for (const LoweredInput& input : exported.inputs) cells.push_back(csv_cell(input.name));
  std::string text = join(cells, ",") + "\n";
  for (size_t r = 0; r < rows; ++r) {
    std::vector<double> row = drawn_row(exported, candidates, random);
    if (!cuts.empty() && random.below(one_in_on_cut) == 0) cuts.move(row, random);
    for (size_t f = 0; f < row.size(); ++f) {
      const LoweredInput& input = exported.inputs[f];
      // A line of one empty cell would be no row.
      cells[f] = std::isnan(row[f])                 ? (row.size() == 1 ? "?" : "")
                 : input.kind == InputKind::numeric ? number_text(row[f])
                 : row[f] == no_level               ? unknown_text(exported, r)
                                      : csv_cell(input.levels[static_cast<size_t>(row[f])]);
    }
    text += join(cells, ",") + "\n";
  }
  return text;
}

}  // namespace softwood::render

#include "stages/evolve/directions.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "base/random.h"
#include "data/typical.h"
#include "fit/least_squares.h"

namespace softwood::evolve {
namespace {

// Rows that all directions are found with, at most.
constexpr size_t most_rows = 2000;
// Fewer rows for each term than this say nothing of a direction.
constexpr size_t rows_a_term = 5;
constexpr size_t most_terms = 30;

// What is drawn from: some rows, standardised.
struct Sample {
  std::vector<size_t> rows;  // among the coded ones
  fit::Design design;
};

Sample draw_sample(const Table& table, std::span<const RowIndex> rows, const CodedRows& coded,
                   uint64_t seed, const Control& control) {
  Sample sample;
  sample.rows.resize(coded.rows());
  std::iota(sample.rows.begin(), sample.rows.end(), size_t{0});
  Random random(seed, "evolve directions");
  if (sample.rows.size() > most_rows) {
    random.shuffle(sample.rows);
    sample.rows.resize(most_rows);
  }
  std::vector<RowIndex> table_rows;
  std::vector<double> weights;
  for (const size_t row : sample.rows) {
    table_rows.push_back(coded.table_row(row));
    weights.push_back(coded.weight_of(row));
  }
  sample.design =
      fit::make_design(table, table_rows, weights, typical_values(table, rows, control));
  return sample;
}

// Five significant digits: what is printed is what is asked, and differences of rounding, as those
// between a row of weight 2 and the row twice, are gone.
double rounded(double number) {
  const double scale = std::pow(10.0, 4 - std::floor(std::log10(std::abs(number))));
  return std::round(number * scale) / scale;
}

class Finder {
 public:
  Finder(const CodedRows& coded, const Sample& sample, Random random)
      : coded_(coded), sample_(sample), random_(random) {}

  // No terms when nothing was found.
  ScoreGate find() {
    const size_t a = random_.below(sample_.rows.size()), b = random_.below(sample_.rows.size());
    if (!are_different(a, b)) return {};
    draw_terms();
    draw_rows(a, b);
    if (near_.size() < rows_a_term * terms_.size()) return {};
    return fitted(a);
  }

 private:
  bool are_different(size_t a, size_t b) const {
    const size_t x = sample_.rows[a], y = sample_.rows[b];
    return coded_.classes() > 0 ? coded_.class_of(x) != coded_.class_of(y)
                                : coded_.target_of(x) != coded_.target_of(y);
  }

  // Two terms half of the time, three a quarter of it, else any number.
  void draw_terms() {
    const size_t all = sample_.design.terms.size();
    const size_t most = std::min(all, most_terms);
    size_t count = 2;
    if (random_.below(2) == 0) count = random_.below(2) == 0 ? 3 : 2 + random_.below(most - 1);
    terms_.resize(all);
    std::iota(terms_.begin(), terms_.end(), size_t{0});
    random_.shuffle(terms_);
    terms_.resize(std::min(count, most));
    std::sort(terms_.begin(), terms_.end());
  }

  // The rows nearest to the middle of the dipole, of its two classes: all of them a third of the
  // time, else of a random number that is as likely small as large.
  void draw_rows(size_t a, size_t b) {
    near_.clear();
    for (size_t i = 0; i < sample_.rows.size(); ++i) {
      if (coded_.classes() > 0 && !has_class_of(i, a) && !has_class_of(i, b)) continue;
      double distance = 0;
      for (const size_t t : terms_) {
        const double step = cell(i, t) - 0.5 * (cell(a, t) + cell(b, t));
        distance += step * step;
      }
      near_.emplace_back(distance, i);
    }
    const auto all = static_cast<double>(near_.size());
    const auto least = static_cast<double>(rows_a_term * terms_.size());
    const bool only_near = random_.below(3) > 0;
    const double share = random_.uniform();
    if (!only_near || least >= all) return;
    const auto count = static_cast<size_t>(least * std::pow(all / least, share));
    std::sort(near_.begin(), near_.end());
    near_.resize(std::max(count, static_cast<size_t>(least)));
  }

  ScoreGate fitted(size_t a) const {
    const auto count = static_cast<Eigen::Index>(near_.size());
    const auto terms = static_cast<Eigen::Index>(terms_.size());
    fit::Design part;
    part.cells.resize(count, terms);
    part.weight.resize(count);
    Eigen::VectorXd response(count);
    for (Eigen::Index i = 0; i < count; ++i) {
      const size_t row = near_[static_cast<size_t>(i)].second;
      for (Eigen::Index t = 0; t < terms; ++t) {
        part.cells(i, t) = cell(row, terms_[static_cast<size_t>(t)]);
      }
      part.weight[i] = sample_.design.weight[static_cast<Eigen::Index>(row)];
      response[i] = coded_.classes() > 0 ? (has_class_of(row, a) ? 0 : 1)
                                         : coded_.target_of(sample_.rows[row]);
    }
    part.total_weight = part.weight.sum();
    // The mean of these rows, not of the sample, is what least squares measures from.
    for (Eigen::Index t = 0; t < terms; ++t) {
      part.cells.col(t).array() -= part.cells.col(t).dot(part.weight) / part.total_weight;
    }
    return gate_of(fit::least_squares(part, response, missing_number).coefficients);
  }

  // In the units of the data; the largest standardised weight is 1.
  ScoreGate gate_of(const Eigen::VectorXd& weights) const {
    ScoreGate gate;
    const double largest = weights.cwiseAbs().maxCoeff();
    if (!(largest > 0) || !std::isfinite(largest)) return gate;
    for (size_t t = 0; t < terms_.size(); ++t) {
      const double weight = weights[static_cast<Eigen::Index>(t)] / largest;
      if (std::abs(weight) < negligible) continue;
      gate.terms.push_back(sample_.design.terms[terms_[t]]);
      gate.terms.back().coefficient =
          rounded(weight / sample_.design.scale[static_cast<Eigen::Index>(terms_[t])]);
    }
    if (gate.terms.size() < 2) gate.terms.clear();  // an input of its own
    return gate;
  }

  bool has_class_of(size_t i, size_t other) const {
    return coded_.class_of(sample_.rows[i]) == coded_.class_of(sample_.rows[other]);
  }
  double cell(size_t row, size_t term) const {
    return sample_.design.cells(static_cast<Eigen::Index>(row), static_cast<Eigen::Index>(term));
  }

  // Beside the largest weight of 1: such a term moves hardly a row.
  static constexpr double negligible = 0.02;

  const CodedRows& coded_;
  const Sample& sample_;
  Random random_;
  std::vector<size_t> terms_;
  std::vector<std::pair<double, size_t>> near_;  // squared distance and row of the sample
};

// Scores that are no numbers, but for missing values, can't be a column.
bool is_writable(const ScoreGate& gate, const Table& table, std::span<const double> scores) {
  for (RowIndex row = 0; row < table.rows(); ++row) {
    if (std::isfinite(scores[row])) continue;
    const bool missing = std::any_of(gate.terms.begin(), gate.terms.end(), [&](const Term& term) {
      return table.input(term.feature).is_missing(row);
    });
    if (!missing) return false;
  }
  return true;
}

}  // namespace

Directions find_directions(const Table& table, std::span<const RowIndex> rows,
                           const CodedRows& coded, size_t count, uint64_t seed,
                           const Parallel& parallel, const Control& control) {
  const Sample sample = draw_sample(table, rows, coded, seed, control);
  if (sample.design.terms.size() < 2) return {};
  Directions found(count);
  const std::vector<RowIndex> all = all_rows(table);
  parallel.each(count, [&](size_t i) {
    constexpr size_t tries = 20;
    control.throw_if_interrupted();
    Finder finder(coded, sample, Random(seed, "evolve direction", i));
    for (size_t n = 0; n < tries && found[i].terms.empty(); ++n) found[i] = finder.find();
    if (found[i].terms.empty()) return;
    std::vector<double> scores(table.rows());
    gate_scores(found[i], table, all, scores);
    if (!is_writable(found[i], table, scores)) found[i].terms.clear();
  });
  std::erase_if(found, [](const ScoreGate& gate) { return gate.terms.empty(); });
  return found;
}

Table with_directions(const Table& table, const Directions& directions) {
  Schema schema = table.schema();
  std::vector<Column> inputs;
  for (size_t f = 0; f < table.features(); ++f) inputs.push_back(table.input(f));
  const std::vector<RowIndex> all = all_rows(table);
  for (size_t d = 0; d < directions.size(); ++d) {
    std::vector<double> scores(table.rows());
    gate_scores(directions[d], table, all, scores);
    inputs.push_back({Kind::numeric, std::move(scores), {}, 0});
    schema.features.push_back({fmt::format("direction {}", d + 1), Kind::numeric, {}});
  }
  return {std::move(schema), table.rows(), std::move(inputs), table.target(), table.weights()};
}

std::vector<double> costs_with_directions(std::vector<double> costs, const Directions& directions) {
  for (const ScoreGate& direction : directions) {
    double sum = 0;
    for (const uint32_t feature : gate_features(direction)) sum += costs[feature];
    costs.push_back(sum);
  }
  return costs;
}

void name_inputs(Tree& tree, size_t inputs, const Directions& directions) {
  for (NodeIndex i = 0; i < tree.size(); ++i) {
    if (tree.node(i).is_leaf()) continue;
    const std::optional<Threshold> threshold = as_threshold(tree.node(i).gate());
    if (!threshold || threshold->feature < inputs) continue;
    tree.node(i).gate() = with_cut(directions[threshold->feature - inputs], threshold->cut);
  }
}

}  // namespace softwood::evolve

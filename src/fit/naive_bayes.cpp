#include "fit/naive_bayes.h"

#include <algorithm>
#include <cmath>

#include "base/math.h"
#include "base/sum.h"
#include "tree/gates/kinds.h"

namespace softwood::fit {

namespace {

// A number that varies by less than this share of its size is left out: its square, times the
// inverse variance, would be lost in rounding.
constexpr double least_relative_spread = 1e-5;

// Weighted mean and sum of squared deviations.
struct Moments {
  double weight = 0, mean = 0, squares = 0;
  void add(double value, double w) {
    weight += w;
    const double step = (value - mean) * w / weight;
    squares += w * (value - mean) * (value - mean - step);
    mean += step;
  }
};

class Builder {
 public:
  Builder(const LeafRows& leaf, const LeafClasses& classes)
      : leaf_(leaf), classes_(classes), constants_(classes.codes.size()) {
    for (size_t k = 0; k < constants_.size(); ++k) {
      constants_[k] = math::log(classes.weight[k] / classes.total());
    }
  }

  void add_number(uint32_t feature) {
    const Term value{TermForm::value, feature, 0, 1.0}, square{TermForm::square, feature, 0, 1.0};
    const auto number = [&](size_t i) {
      return term_value(value, leaf_.table, leaf_.rows[i], leaf_.typical);
    };
    double largest = 0;
    for (size_t i = 0; i < leaf_.rows.size(); ++i)
      largest = std::max(largest, std::fabs(number(i)));
    const double unit = squarable_unit(largest);
    std::vector<Moments> of_class(constants_.size());
    Moments all, all_squares;
    for (size_t i = 0; i < leaf_.rows.size(); ++i) {
      const double x = number(i) / unit;
      of_class[classes_.of_row[i]].add(x, leaf_.weights[i]);
      all.add(x, leaf_.weights[i]);
      all_squares.add(x * x, leaf_.weights[i]);
    }
    const double variance = all.squares / all.weight;
    if (!(variance > 0)) return;
    // Squares of numbers that large or small can't be written: with one variance for all classes
    // the model needs none.
    const bool shared = unit != 1;
    double within = variance;
    for (const Moments& own : of_class) within += own.squares;
    std::vector<double> of_value, of_square, constants;
    for (const Moments& own : of_class) {
      const double spread =
          shared ? within / (all.weight + 1) : (own.squares + variance) / (own.weight + 1);
      if (!(std::sqrt(spread) > least_relative_spread * std::fabs(own.mean))) return;
      // log of the normal density, its powers of x apart.
      of_square.push_back(-0.5 / spread);
      of_value.push_back(own.mean / spread);
      constants.push_back(-0.5 * own.mean * own.mean / spread - 0.5 * math::log(spread));
    }
    for (size_t k = 0; k < constants.size(); ++k) constants_[k] += constants[k];
    for (double& coefficient : of_value) coefficient /= unit;
    add_term(value, of_value, unit * std::sqrt(variance));
    if (!shared) {
      add_term(square, of_square, std::sqrt(all_squares.squares / all_squares.weight));
    }
  }

  void add_levels(uint32_t feature) {
    const size_t levels = leaf_.table.schema().features[feature].levels.size();
    const Column& column = leaf_.table.input(feature);
    std::vector<double> weight(levels * constants_.size(), 0.0), of_level(levels, 0.0);
    for (size_t i = 0; i < leaf_.rows.size(); ++i) {
      const int32_t code = column.codes[leaf_.rows[i]];
      const auto level = static_cast<size_t>(code < 0 ? leaf_.typical[feature] : code);
      weight[level * constants_.size() + classes_.of_row[i]] += leaf_.weights[i];
      of_level[level] += leaf_.weights[i];
    }
    const auto occurring = static_cast<double>(
        std::count_if(of_level.begin(), of_level.end(), [](double w) { return w > 0; }));
    if (occurring < 2) return;
    for (uint32_t level = 0; level < levels; ++level) {
      if (!(of_level[level] > 0)) continue;
      std::vector<double> logs;
      for (size_t k = 0; k < constants_.size(); ++k) {
        logs.push_back(math::log((weight[level * constants_.size() + k] + 1) /
                                 (classes_.weight[k] + occurring)));
      }
      const double share = of_level[level] / classes_.total();
      add_term({TermForm::level, feature, level, 1.0}, logs, std::sqrt(share * (1 - share)));
    }
  }

  NaiveBayes finish() {
    NaiveBayes bayes;
    LeafModel& model = bayes.model;
    model.link = LeafLink::softmax;
    model.classes = classes_.codes;
    model.terms = std::move(terms_);
    const size_t reference = classes_.heaviest(), outputs = constants_.size();
    for (size_t o = 0; o < outputs; ++o) {
      model.coefficients.push_back(constants_[o] - constants_[reference]);
      for (size_t t = 0; t < model.terms.size(); ++t) {
        model.coefficients.push_back(coefficients_[t][o] - coefficients_[t][reference]);
      }
    }
    for (size_t t = 0; t < model.terms.size(); ++t) {
      double largest = 0;
      for (size_t o = 0; o < outputs; ++o) {
        largest = std::max(largest, std::fabs(model.row(o)[1 + t]));
      }
      bayes.effect.push_back(largest * spreads_[t]);
    }
    return bayes;
  }

 private:
  void add_term(const Term& term, std::vector<double> coefficients, double spread) {
    terms_.push_back(term);
    coefficients_.push_back(std::move(coefficients));
    spreads_.push_back(spread);
  }

  const LeafRows& leaf_;
  const LeafClasses& classes_;
  std::vector<double> constants_;  // one an output
  std::vector<Term> terms_;
  std::vector<std::vector<double>> coefficients_;  // of each term, one an output
  std::vector<double> spreads_;
};

}  // namespace

NaiveBayes naive_bayes(const LeafRows& leaf, const LeafClasses& classes) {
  Builder builder(leaf, classes);
  for (uint32_t f = 0; f < leaf.table.features(); ++f) {
    if (std::isnan(leaf.typical[f])) continue;
    if (leaf.table.input(f).kind == Kind::nominal) {
      builder.add_levels(f);
    } else {
      builder.add_number(f);
    }
  }
  return builder.finish();
}

}  // namespace softwood::fit

#include "use/evaluation_sums.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <utility>

#include "base/math.h"
#include "softwood/error.h"
#include "use/evaluation_parts.h"

namespace softwood {
namespace {

constexpr ByteForm form{{'S', 'W', 'E', 'S'}, 2, "sums of an evaluation"};
constexpr double least_probability = 1e-15;
constexpr size_t fewest_ranges = 1024;  // of a class

// Without rounding: a product of two doubles is the sum of two.
void add_product(ExactSum& sum, double a, double b) {
  const double product = a * b;
  if (!std::isfinite(product)) {
    throw Error(ErrorKind::data, "sums of so large numbers can't be had");
  }
  sum.add(product);
  sum.add(std::fma(a, b, -product));
}

}  // namespace

void ShortExactSum::add(double value) {
  size_t kept = 0;
  for (double part : parts_) {
    if (std::fabs(value) < std::fabs(part)) std::swap(value, part);
    const double sum = value + part;
    const double rest = part - (sum - value);  // what the sum lost by rounding
    if (rest != 0) parts_[kept++] = rest;
    value = sum;
  }
  parts_.resize(kept);
  if (value != 0) parts_.push_back(value);
}

void ShortExactSum::merge(const ShortExactSum& other) {
  for (const double part : other.parts_) add(part);
}

double ShortExactSum::value() const {
  if (parts_.size() < 2) return parts_.empty() ? 0 : parts_[0];
  ExactSum sum;
  for (const double part : parts_) sum.add(part);
  return sum.value();
}

ShortExactSum ShortExactSum::read(ByteReader& in) {
  ShortExactSum sum;
  sum.parts_ = in.vector<double>();
  return sum;
}

EvaluationSums::EvaluationSums(const Schema& schema) : classes_(schema.classes()) {
  scores_.resize(classes_ == 2 ? 1 : classes_);
  if (classes_ == 2) first_scored_ = schema.positive;
}

void EvaluationSums::add(const Predictions& predictions, const Table& table) {
  rows_ += table.rows();
  weighted_ = weighted_ || table.weighted();
  for (RowIndex row = 0; row < table.rows(); ++row) weight_.add(table.weight(row));
  if (classes_ > 0) {
    add_classes(predictions, table);
  } else {
    add_numbers(predictions, table);
  }
}

// A power of two: then the least score of a range is a double in that range, and stays what it is
// when sums are limited again.
size_t EvaluationSums::ranges() const {
  return std::max(fewest_ranges, std::bit_floor(most_scores / std::max<size_t>(scores_.size(), 1)));
}

void EvaluationSums::limit(Scores& scores) const {
  if (!scores.in_ranges && scores.sides.size() <= ranges()) return;
  scores.in_ranges = true;
  const auto count = static_cast<double>(ranges());
  std::unordered_map<double, Sides> all;
  for (const auto& [score, sides] : scores.sides) {
    Sides& to = all[std::min(std::floor(score * count), count - 1) / count];
    to.positive.merge(sides.positive);
    to.negative.merge(sides.negative);
  }
  scores.sides = std::move(all);
}

void EvaluationSums::add_classes(const Predictions& predictions, const Table& table) {
  for (size_t i = 0; i < table.rows(); ++i) {
    const double weight = table.weight(static_cast<RowIndex>(i));
    const int32_t code = table.target().codes[i];
    const double* const answer = &predictions.answers[i * classes_];
    double squares = code < 0 ? 1 : 0;  // the class that is not among the answers
    for (size_t c = 0; c < classes_; ++c) {
      const double difference = answer[c] - (static_cast<int32_t>(c) == code ? 1.0 : 0.0);
      squares += difference * difference;
    }
    const double likelihood = code < 0 ? 0 : answer[static_cast<size_t>(code)];
    const auto answered = static_cast<uint32_t>(predictions.top_class(i));
    answers_[{code < 0 ? -1 : code, answered}].add(weight);
    brier_.add(weight * squares);
    logloss_.add(weight * -math::log(std::max(likelihood, least_probability)));
    for (size_t s = 0; code >= 0 && s < scores_.size(); ++s) {
      const size_t of = first_scored_ + s;
      Sides& sides = scores_[s].sides[answer[of]];
      (static_cast<size_t>(code) == of ? sides.positive : sides.negative).add(weight);
    }
  }
  for (Scores& scores : scores_) limit(scores);
}

void EvaluationSums::add_numbers(const Predictions& predictions, const Table& table) {
  for (size_t i = 0; i < table.rows(); ++i) {
    const double weight = table.weight(static_cast<RowIndex>(i));
    const double target = table.target().numbers[i];
    const double error = predictions.answers[i] - target;
    add_product(squares_, weight, error * error);
    add_product(sizes_, weight, std::fabs(error));
    add_product(targets_, weight, target);
    const double square = target * target;
    add_product(target_squares_, weight, square);
    add_product(target_squares_, weight, std::fma(target, target, -square));
  }
}

void EvaluationSums::merge(const EvaluationSums& other) {
  rows_ += other.rows_;
  weighted_ = weighted_ || other.weighted_;
  weight_.merge(other.weight_);
  for (const auto& [answer, sum] : other.answers_) answers_[answer].merge(sum);
  logloss_.merge(other.logloss_);
  brier_.merge(other.brier_);
  for (size_t s = 0; s < scores_.size(); ++s) {
    Scores& own = scores_[s];
    own.in_ranges = own.in_ranges || other.scores_[s].in_ranges;
    for (const auto& [score, sides] : other.scores_[s].sides) {
      Sides& to = own.sides[score];
      to.positive.merge(sides.positive);
      to.negative.merge(sides.negative);
    }
    limit(own);
  }
  squares_.merge(other.squares_);
  sizes_.merge(other.sizes_);
  targets_.merge(other.targets_);
  target_squares_.merge(other.target_squares_);
}

Bytes EvaluationSums::to_bytes() const {
  ByteWriter out;
  out.form(form);
  out.value(rows_);
  out.value(weighted_);
  for (const ExactSum* sum :
       {&weight_, &logloss_, &brier_, &squares_, &sizes_, &targets_, &target_squares_}) {
    sum->write(out);
  }
  out.value(static_cast<uint64_t>(answers_.size()));
  for (const auto& [answer, sum] : answers_) {
    out.value(answer.first);
    out.value(answer.second);
    sum.write(out);
  }
  out.value(static_cast<uint64_t>(scores_.size()));
  for (const Scores& scores : scores_) {
    out.value(scores.in_ranges);
    out.value(static_cast<uint64_t>(scores.sides.size()));
    for (const auto& [score, sides] : scores.sides) {
      out.value(score);
      sides.positive.write(out);
      sides.negative.write(out);
    }
  }
  return out.take();
}

EvaluationSums EvaluationSums::from_bytes(ByteView bytes, const Schema& schema) {
  ByteReader in(bytes);
  in.form(form);
  EvaluationSums all(schema);
  all.rows_ = in.value<uint64_t>();
  all.weighted_ = in.value<bool>();
  for (ExactSum* sum : {&all.weight_, &all.logloss_, &all.brier_, &all.squares_, &all.sizes_,
                        &all.targets_, &all.target_squares_}) {
    *sum = ExactSum::read(in);
  }
  for (auto count = in.value<uint64_t>(); count > 0; --count) {
    const auto actual = in.value<int32_t>();
    const auto answered = in.value<uint32_t>();
    if (actual >= static_cast<int32_t>(all.classes_) || answered >= all.classes_) {
      throw Error(ErrorKind::failure, "sums of other classes");
    }
    all.answers_[{actual, answered}] = ExactSum::read(in);
  }
  if (in.value<uint64_t>() != all.scores_.size()) {
    throw Error(ErrorKind::failure, "sums of other classes");
  }
  for (Scores& scores : all.scores_) {
    scores.in_ranges = in.value<bool>();
    for (auto count = in.value<uint64_t>(); count > 0; --count) {
      const auto score = in.value<double>();
      Sides& sides = scores.sides[score];
      sides.positive = ShortExactSum::read(in);
      sides.negative = ShortExactSum::read(in);
    }
  }
  in.end();
  return all;
}

bool EvaluationSums::has_ranges() const {
  return std::any_of(scores_.begin(), scores_.end(),
                     [](const Scores& scores) { return scores.in_ranges; });
}

// About the mean: the squares less twice the mean times the sum, and the squared mean times the
// weight; exactly, for these differ by little where the mean is large.
double EvaluationSums::deviations() const {
  const auto parts = [](ExactSum sum) {
    const double high = sum.value();
    sum.add(-high);
    return std::pair(high, sum.value());
  };
  const auto [sum, sum_rest] = parts(targets_);
  const auto [weight, weight_rest] = parts(weight_);
  const double mean = sum / weight, square = mean * mean;
  ExactSum all = target_squares_;
  add_product(all, -2 * mean, sum);
  add_product(all, -2 * mean, sum_rest);
  add_product(all, square, weight);
  add_product(all, square, weight_rest);
  add_product(all, std::fma(mean, mean, -square), weight);
  return all.value();
}

Evaluation EvaluationSums::figures(const Schema& schema, size_t majority,
                                   std::span<const double> costs) const {
  Evaluation result;
  result.task = schema.task();
  result.rows = rows_;
  if (weighted_) result.weighted_by = schema.weight;
  if (rows_ == 0) {
    throw Error(ErrorKind::data, "no row has a value of the target '" + schema.target.name + "'");
  }
  result.weight = weight_.value();
  if (!(result.weight > 0)) throw Error(ErrorKind::data, "all rows to evaluate have weight 0");
  if (classes_ == 0) {
    complete_numbers(squares_.value(), sizes_.value(), deviations(), result);
    return result;
  }
  result.classes = schema.target.levels;
  result.positive = schema.positive;
  result.confusion.assign(classes_ * classes_, 0.0);
  result.unknown_answers.assign(classes_, 0.0);
  ExactSum right, majority_right, unknown;
  for (const auto& [answer, sum] : answers_) {
    const auto [actual, answered] = answer;
    if (actual < 0) {
      result.unknown_answers[answered] = sum.value();
      unknown.merge(sum);
      continue;
    }
    result.confusion[static_cast<size_t>(actual) * classes_ + answered] = sum.value();
    if (static_cast<uint32_t>(actual) == answered) right.merge(sum);
    if (static_cast<size_t>(actual) == majority) majority_right.merge(sum);
  }
  result.unknown = unknown.value();
  complete_classes({right.value(), majority_right.value(), logloss_.value(), brier_.value()},
                   result);
  complete_area(
      [&](size_t c) {
        std::vector<ScoredRow> rows;
        for (const auto& [score, sides] : scores_[c - first_scored_].sides) {
          rows.push_back({score, sides.positive.value(), sides.negative.value()});
        }
        return rows;
      },
      result);
  complete_costs(costs, result);
  return result;
}

}  // namespace softwood

// Figures of rows that are spread over many parts: sums over the rows of a part, which merge in any
// order and any grouping to the same sums. They are those of evaluate.h but for rounding.
#pragma once

#include <cstdint>
#include <map>
#include <unordered_map>
#include <utility>
#include <vector>

#include "base/bytes.h"
#include "data/summary.h"
#include "use/evaluate.h"

namespace softwood {

// A sum of doubles without rounding, as few of them that do not overlap (Shewchuk, "Adaptive
// precision floating-point arithmetic", 1997): one or two where an ExactSum has 67 digits.
class ShortExactSum {
 public:
  void add(double value);
  void merge(const ShortExactSum& other);
  double value() const;  // depends on the sum alone
  void write(ByteWriter& out) const { out.vector(parts_); }
  static ShortExactSum read(ByteReader& in);

 private:
  std::vector<double> parts_;  // from the smallest on; none of them 0
};

class EvaluationSums {
 public:
  // Probabilities of all classes together that are counted one by one for areas under curves.
  // Where there are more different ones each counts as the least of its range.
  static constexpr size_t most_scores = 65536;

  explicit EvaluationSums(const Schema& schema);

  // More rows. Their targets and answers are those of the schema.
  void add(const Predictions& predictions, const Table& table);
  void merge(const EvaluationSums& other);
  Bytes to_bytes() const;
  static EvaluationSums from_bytes(ByteView bytes, const Schema& schema);

  // As `evaluate`; without rows a data Error.
  Evaluation figures(const Schema& schema, size_t majority, std::span<const double> costs) const;
  // Whether areas under curves are those of ranges.
  bool has_ranges() const;

 private:
  struct Sides {
    ShortExactSum positive, negative;
  };
  // By probability of one class.
  struct Scores {
    std::unordered_map<double, Sides> sides;
    bool in_ranges = false;
  };
  // Class and answer; the class that the model does not know is -1.
  using Answer = std::pair<int32_t, uint32_t>;

  void add_classes(const Predictions& predictions, const Table& table);
  void add_numbers(const Predictions& predictions, const Table& table);
  size_t ranges() const;
  void limit(Scores& scores) const;
  double deviations() const;

  size_t classes_ = 0;
  uint64_t rows_ = 0;
  bool weighted_ = false;
  ExactSum weight_;
  std::map<Answer, ExactSum> answers_;
  ExactSum logloss_, brier_;
  std::vector<Scores> scores_;  // of two classes the positive one's alone, else by class
  size_t first_scored_ = 0;
  // Regression: of the errors, of their sizes, of targets and their squares.
  ExactSum squares_, sizes_, targets_, target_squares_;
};

}  // namespace softwood

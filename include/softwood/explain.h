// Why a tree answers as it does, and what would change its answer.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <string>
#include <vector>

namespace softwood {

// --- Contributions of the inputs
// ------------------------------------------------------------------

// What of an answer is explained.
enum class AnswerScale : uint8_t {
  usual,        // the probability or the number; log odds where a tree mixes log odds
  probability,  // of the class
  log_odds,     // of the class to the other one; of more than two classes its log probability minus
                // the mean of all log probabilities. Only of trees that mix log odds.
  value         // regression: the number
};

// What an input counts for that a coalition of inputs does not know.
enum class ExplainMethod : uint8_t {
  path_dependent,  // rows go on as the training rows did, by the weights of the children
  interventional   // the input has the values of background rows
};

struct ExplainSettings {
  AnswerScale scale = AnswerScale::usual;
  // Rows of the data that are the background where it is needed and none is given. They are chosen
  // by a hash of their content.
  size_t background_rows = 200;
  uint64_t seed = 1;  // of sampled permutations
  int threads = 0;
};

// Shapley values: what each input adds to the answer of a row. Per row and output they sum to
// answer - base value.
struct Explanation {
  std::vector<std::string> feature_names;  // the inputs of the model, in its order
  // The classes that are explained: of two the positive one, of more all of them. Regression: the
  // name of the target.
  std::vector<std::string> outputs;
  AnswerScale scale = AnswerScale::probability;  // never `usual`
  ExplainMethod method = ExplainMethod::path_dependent;
  size_t background_rows = 0;  // interventional
  size_t rows = 0;
  std::vector<double> base_values;  // per output: the answer when nothing is known of the row
  std::vector<double> values;       // rows x inputs x outputs
  std::vector<double> answers;      // rows x outputs, on the scale
  // Of sampled values, which have more inputs than can be enumerated: rows x inputs x outputs.
  // Empty: the values are exact.
  std::vector<double> standard_errors;

  bool is_exact() const { return standard_errors.empty(); }
  double value(size_t row, size_t input, size_t output = 0) const {
    return values[(row * feature_names.size() + input) * outputs.size() + output];
  }
};

// --- Partial dependence
// ---------------------------------------------------------------------------

struct PartialSettings {
  std::vector<std::string> inputs;  // one or two
  size_t points = 20;               // of numeric inputs, at most; quantiles of the data
  bool individual = false;          // keep the curve of each row
  AnswerScale scale = AnswerScale::usual;
  int threads = 0;
};

// The mean answer over rows of data when one or two inputs of all of them are set to a value
// (Friedman 2001, section 8.2), and the curves of single rows (Goldstein et al. 2015).
struct PartialDependence {
  std::vector<std::string> inputs;
  std::vector<std::vector<double>> grid;  // per input: numbers, or indices of levels; ascending
  std::vector<std::string> outputs;       // as in Explanation
  AnswerScale scale = AnswerScale::probability;
  size_t rows = 0;
  std::vector<double> means;   // points of the first input x points of the second x outputs
  std::vector<double> curves;  // the same per row, where asked for: rows x ...
};

// --- Changes
// --------------------------------------------------------------------------------------

struct ChangeGoal {
  // The class that is to be answered; empty: any but the present one. With `reach`, the class whose
  // probability is meant; empty: the positive one of two.
  std::string to;
  // The least probability, or in regression the number to be reached from either side. NaN: the
  // answer is to change.
  double reach = unknown_goal;
  std::vector<std::string> fixed;               // inputs that must not change
  std::vector<std::string> only_up, only_down;  // inputs that may only rise, or only fall
  size_t most_inputs = 3;  // that a search changes at most; exact answers need no limit
  int threads = 0;

  static constexpr double unknown_goal = std::numeric_limits<double>::quiet_NaN();
};

struct InputChange {
  uint32_t input = 0;
  double from = 0, to = 0;  // numbers or indices of levels; NaN: missing
  double distance = 0;      // in units of the input's spread; 1 for another level
};

// The nearest change that reaches a goal: of the fewest inputs, and among those of the smallest sum
// of distances.
struct Change {
  bool found = false;
  bool reached_already = false;
  bool is_exact = false;  // proved: every leaf was looked at. Else the best of a search.
  std::vector<InputChange> inputs;
  double distance = 0;         // sum
  std::vector<double> answer;  // after the change: probabilities, or the number
};

}  // namespace softwood

// A trained tree lowered, as compilers say, from the types of the library to plain data: all that a
// person or another program needs to follow a row from the root to its answer, to draw the tree and
// to explain it. Text, pictures, exports and explanations are rendered from this form alone.
// Numbers are exact: evaluated in the order given here, they give the answers of the library to the
// last bit.
//
// How a row is answered:
//   1. It starts at node 0 with share 1. At an inner node the condition turns it into one weight
//      per child (see LoweredScore and LoweredLevels); its share is multiplied by them. Shares of
//      `smallest_share` and less are not followed.
//   2. A condition that cannot be computed (a value is missing, or a level was not seen there) is
//      replaced by the first surrogate that can be, else by the node's rule for missing values.
//   3. Where its shares end (at leaves, and at inner nodes whose rule is `stay`) nodes answer, by
//      their formula or by their constants. Answers are mixed by the shares, in the order of the
//      node numbers (see LoweredMixing), and the class is decided (see LoweredDecision).
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <variant>
#include <vector>

namespace softwood {

// In optional numbers: not known.
constexpr double unknown_number = std::numeric_limits<double>::quiet_NaN();

// --- Inputs and target ---------------------------------------------------------------------------

enum class InputKind : uint8_t { numeric, nominal, ordinal };

struct LoweredInput {
  std::string name;
  InputKind kind = InputKind::numeric;
  // Nominal and ordinal: a cell is the index of its level. Ordinal levels ascend, and count as
  // numbers (0, 1, ...) in terms.
  std::vector<std::string> levels;
  // Stands for a missing cell where the rule is `impute` and in the formulas of leaves: a number or
  // the index of a level. NaN: there is none, the cell stays missing.
  double typical = unknown_number;
  // Between which values the training rows lay; NaN: not known. Known for inputs of soft splits.
  double low = unknown_number, high = unknown_number;
  double importance = 0;  // share of this input in what all splits gain; 0 to 1
  int digits = 6;         // significant ones that tell its cuts apart; for reading only
  int monotone = 0;       // +1: the answer (of two classes the probability of the positive one)
                          // never falls with this input, -1: never rises, 0: free
};

struct LoweredTarget {
  std::string name;
  std::vector<std::string> classes;  // empty: regression
  uint32_t positive = 1;             // of two classes, the one that monotone inputs, thresholds,
                                     // precision and recall are about
};

// --- Conditions ----------------------------------------------------------------------------------

enum class TermKind : uint8_t {
  value,    // x
  square,   // x * x
  product,  // x * y
  asinh,    // asinh((x - centre) / scale)
  level     // 1 where the row has the level, else 0
};

struct LoweredTerm {
  TermKind kind = TermKind::value;
  uint32_t input = 0;   // x
  uint32_t second = 0;  // product: y
  uint32_t level = 0;   // level: its index
  double centre = 0, scale = 1;
  double coefficient = 1;
  // Standard deviation of the term without its coefficient among the training rows of the node;
  // 0: not known. |coefficient * spread| is the effect of the term. For reading only.
  double spread = 0;
};

// Weight of child 0 for a score s. Child 1 gets 1 minus that.
enum class LinkKind : uint8_t {
  step,     // 1 if s <= cut, else 0
  ramp,     // 1/2 at the cut; 1/2 + 1/2 * (cut - s) / below under it, at most 1;
            // 1/2 + 1/2 * (cut - s) / above over it, at least 0
  logistic  // 1 / (1 + exp(s - cut))
};

// A cut above all values: the condition asks only whether there is a value.
constexpr double cut_above_all_values = std::numeric_limits<double>::max();

// Two children. The score is the sum of coefficient * term from the first term on, starting at 0.
// It cannot be computed where it is NaN, so where a cell of a term is missing.
struct LoweredScore {
  std::vector<LoweredTerm> terms;  // at least one
  double cut = 0;
  LinkKind link = LinkKind::step;
  double below = 0, above = 0;  // ramp: its widths under and over the cut, at least 0
};

// Each level goes to one child. Cannot be computed where the cell is missing or its level is -1.
struct LoweredLevels {
  uint32_t input = 0;
  uint32_t children = 2;
  std::vector<int32_t> child_of_level;  // by level; -1: not seen here
};

using LoweredCondition = std::variant<LoweredScore, LoweredLevels>;

// --- Missing values ------------------------------------------------------------------------------

// What happens to rows for which neither the condition nor a surrogate can be computed.
enum class MissingAction : uint8_t {
  child,      // all of the row goes to `child`
  shares,     // the row is divided among the children by `shares`
  stay,       // the row ends at this node, which answers
  own_child,  // there is a child for them, after those of the condition
  impute      // the condition is computed with typical values for missing cells; where that does
              // not help, the row goes to `child`
};

// A condition with the same children that sends training rows nearly alike.
struct LoweredSurrogate {
  LoweredCondition condition;
  double agreement = 1;  // share of training rows sent alike, among those that have a value here
  double adjusted = 1;   // share of the errors of the majority child that it avoids
};

struct LoweredMissing {
  MissingAction action = MissingAction::child;
  uint32_t child = 0;
  std::vector<double> shares;
  std::vector<LoweredSurrogate> surrogates;  // tried first, in this order
  double weight = 0;                         // of the training rows that had no value here
};

// --- Nodes ---------------------------------------------------------------------------------------

// The best split by another input, which lost against the node's own.
struct LoweredCompetitor {
  LoweredCondition condition;
  double gain = unknown_number;
};

struct LoweredSplit {
  LoweredCondition condition;
  LoweredMissing missing;
  uint32_t first_child = 0, children = 0;  // consecutive nodes, the own child included
  // Found from the sums alone, so it means the same for every method: the decrease of the sum of
  // squared deviations, or of the Gini index times the weight of the node.
  double decrease = 0;
  // Known where a stage noted it, else NaN.
  double gain = unknown_number;   // of the criterion, per row of the node; LoweredOrigin::gain_name
  double alpha = unknown_number;  // cost-complexity pruning makes a leaf here from this alpha on
  double statistic = unknown_number, log_p = unknown_number;  // of the test that chose the input;
                                                              // natural logarithm of its p-value
  std::vector<LoweredCompetitor> competitors;                 // best first
};

// One output of a formula: constant + the sum of coefficient * term, from the first term on.
struct LoweredOutput {
  uint32_t class_index = 0;  // softmax: the class that it is about
  double constant = 0;
  std::vector<double> coefficients;  // one per term
};

// What a leaf answers instead of its constants. Cells that are missing have their typical values;
// where an output is not finite the constants of the node answer.
struct LoweredFormula {
  std::vector<LoweredTerm> terms;  // their coefficients are 1; largest effect first
  // Classification: one per class listed. Probabilities are the softmax of the outputs, computed
  // with the largest output subtracted; classes not listed have probability 0.
  // Regression: one, held between low and high.
  std::vector<LoweredOutput> outputs;
  double low = 0, high = 0;
};

struct LoweredNode {
  uint32_t parent = 0;                // the root's is 0
  uint32_t depth = 0;                 // edges from the root
  std::optional<LoweredSplit> split;  // none: a leaf
  // What the node answers without a formula: the probability of each class, or one number.
  std::vector<double> answer;
  std::optional<LoweredFormula> formula;  // of leaves only

  // Of the training rows that reached the node.
  double weight = 0;                  // their number, or the sum of their weights
  double share = 0;                   // of the root's weight
  std::vector<double> class_weights;  // classification
  double mean = 0, deviation = 0;     // regression; sum of squared deviations from the mean
  // Classification: weight, or cost, of the training rows that one answer for all gets wrong.
  // Regression: the deviation.
  double risk = 0;

  bool is_leaf() const { return !split; }
};

// --- How answers are made ------------------------------------------------------------------------

// How the constants of nodes follow from their training rows, with n the weight of the node, n_k
// that of class k and K classes. Regression: always the mean.
enum class EstimateKind : uint8_t {
  frequencies,  // n_k / n
  majority,     // 1 for the class that is decided for
  laplace,      // (n_k + 1) / (n + K)
  m_estimate    // (n_k + m p_k) / (n + m), p_k that of the root
};

// Where the formulas of leaves come from.
enum class FormulaKind : uint8_t {
  none,
  fitted,  // to the rows of each leaf, when the tree was finished
  trained  // together with the gates: a leaf answers otherwise than its rows would
};

enum class MixingKind : uint8_t {
  answers,  // sum of share * answer; in regression then held between low and high
  scores    // classification: outputs of formulas before the softmax (without a formula the
            // logarithms of the constants) are mixed, and the softmax is taken of the sums
};

struct LoweredMixing {
  MixingKind kind = MixingKind::answers;
  double low = -std::numeric_limits<double>::infinity();
  double high = std::numeric_limits<double>::infinity();
};

// The class with the largest probability, the first of equals; where errors have costs, the class
// of least expected cost: sum over the actual class of probability * cost. A later class must be
// cheaper by more than rounding: cost < least * (1 - cost_rounding).
struct LoweredDecision {
  std::vector<double> costs;  // costs[actual * classes + predicted]; empty: every error costs 1
  double cost_rounding = 0;
};

// --- Origin --------------------------------------------------------------------------------------

struct LoweredOrigin {
  std::string method;  // empty: a recipe was given
  std::string recipe;
  std::string chosen;  // recipe of this tree, where a stage chose it among others; else empty
  // What LoweredSplit::gain is: "information gain" in "bits". Empty: not known; a unit may be none.
  std::string gain_name, gain_unit;
  // Splits were chosen by gain / split information, and the gain of a numeric input was reduced by
  // the bits that say which of its cuts was taken (C4.5).
  bool by_gain_ratio = false;
  uint64_t seed = 0;
  std::string version;                // of the program
  std::string fingerprint;            // of the training data
  size_t rows = 0;                    // training rows
  std::string weight_column;          // empty: every row weighs 1
  std::vector<double> class_weights;  // factors of the rows by class; empty: none
  std::string stopped;  // "budget", "interrupt", or empty: the recipe gives this tree again
};

// One tree of the cost-complexity sequence. Errors are relative to the root's; NaN without
// cross-validation.
struct LoweredPruning {
  double alpha = 0;  // per leaf, as a share of the root's risk
  size_t splits = 0;
  double error = 0;
  double cv_error = unknown_number, cv_deviation = unknown_number;
};

struct LoweredComplexity {
  std::vector<LoweredPruning> trees;  // from the root alone to the whole tree
  size_t chosen = 0;                  // the one that this tree is
  double root_risk = 0, root_weight = 0;
};

// --- The tree ------------------------------------------------------------------------------------

struct LoweredTree {
  std::vector<LoweredInput> inputs;
  LoweredTarget target;
  // Texts of missing cells, beside empty ones, "?", "NA", "nan" and "null"; one that is a number
  // stands for that number, too.
  std::vector<std::string> missing_marks;
  std::vector<LoweredNode> nodes;  // breadth first; the children of a node follow each other

  EstimateKind estimate = EstimateKind::frequencies;
  double m = 0;  // m_estimate
  FormulaKind formulas = FormulaKind::none;
  LoweredMixing mixing;
  LoweredDecision decision;
  double smallest_share = 0;

  size_t leaves = 0;
  size_t depth = 0;  // edges on the longest path
  // Numbers that a person would have to read: every cut, coefficient and answer that is not zero,
  // and one per level that a split sends.
  size_t parameters = 0;
  LoweredOrigin origin;
  std::optional<LoweredComplexity> complexity;

  bool is_classifier() const { return !target.classes.empty(); }
};

}  // namespace softwood

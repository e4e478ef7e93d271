// What a leaf answers with: its constant, in one of several forms, or a model of its own.
#pragma once

#include <cmath>
#include <cstdint>
#include <limits>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "tree/gate.h"

namespace softwood {

// What a leaf answers with has three parts that do not depend on each other: how its constant is
// estimated from its rows, which model it holds besides, and how the leaves that a row reaches in
// part are mixed.

// The constant, with n the weight of the leaf, n_k that of class k and K classes:
//   distribution  n_k / n; the mean
//   majority      1 for the first class with the largest n_k, or whose answer costs least
//   laplace       (n_k + 1) / (n + K)                       (Niblett & Bratko 1986)
//   m_estimate    (n_k + m p_k) / (n + m), p_k that of the root (Cestnik 1990)
// The last three are for classes.
enum class LeafEstimator : uint8_t { distribution, majority, laplace, m_estimate };

// Where models come from. A leaf without one answers its constant.
//   fitted   to the rows of each leaf by a learner, at the end of a recipe (fit/leaf_learners.h)
//   trained  together with the gates; kept as they are
enum class LeafModels : uint8_t { none, fitted, trained };

// What is averaged, weighted by the share of the row that reaches each leaf:
//   answers  probabilities, or the value
//   scores   outputs before the softmax (Irsoy et al. 2012: the sigmoid of F_root); a leaf without
//            a model has the logarithms of its probabilities as outputs
enum class LeafMixing : uint8_t { answers, scores };

std::vector<std::string> leaf_estimator_names();
std::optional<LeafEstimator> leaf_estimator(std::string_view name);
bool estimator_fits(LeafEstimator estimator, Task task);

struct LeafPlan {
  LeafEstimator estimator = LeafEstimator::distribution;
  LeafModels models = LeafModels::none;
  LeafMixing mixing = LeafMixing::answers;
  std::string learner = {};  // fitted: its name
  double m = 2;              // m_estimate
  // fitted: penalty of the squared coefficients of standardised terms; NaN: chosen by the learner
  double penalty = missing_number;
  // trained, regression: mixed answers of the tree are held between them
  double low = -std::numeric_limits<double>::infinity();
  double high = std::numeric_limits<double>::infinity();

  bool has_models() const { return models != LeafModels::none; }
  bool fits_models() const { return models == LeafModels::fitted; }
  bool has_trained_models() const { return models == LeafModels::trained; }
  bool mixes_scores() const { return mixing == LeafMixing::scores; }
  bool has_range() const { return std::isfinite(low); }
  bool operator==(const LeafPlan& other) const;
};

// Leaves without a model of their own answer as `laplace`, or with the mean.
LeafPlan fitted_leaves(std::string learner);
LeafPlan trained_leaves(LeafMixing mixing);
// The one word for it, as in `leaf=` and in the model file: "laplace", "ridge", "trained",
// "scores".
std::string leaf_plan_name(const LeafPlan& plan);

enum class LeafLink : uint8_t { identity, softmax };

// Outputs are sums of terms in the units of the data. identity: the answer, held between `low` and
// `high`. softmax: the answer of class classes[o] is exp(output o) / sum of exp(outputs); classes
// that are not listed have probability 0.
struct LeafModel {
  LeafLink link = LeafLink::identity;
  std::vector<Term> terms;           // largest effect first; their coefficients are 1
  std::vector<uint32_t> classes;     // softmax: ascending
  std::vector<double> coefficients;  // of each output its constant, then one for each term
  double low = 0, high = 0;          // identity

  size_t outputs() const { return link == LeafLink::softmax ? classes.size() : 1; }
  std::span<const double> row(size_t output) const {
    return {&coefficients[output * (1 + terms.size())], 1 + terms.size()};
  }
};

// Count of non-zero numbers that the answers depend on.
size_t leaf_model_parameters(const LeafModel& model);

// Puts the answer for one row into `answer`, with `typical` instead of missing cells. False
// and untouched when an output is not finite. `outputs` is working memory.
bool leaf_model_answer(const LeafModel& model, const Table& table, RowIndex row,
                       std::span<const double> typical, std::vector<double>& outputs,
                       std::span<double> answer);

// The sums before the link, one for each output. False when one is not finite.
bool leaf_model_outputs(const LeafModel& model, const Table& table, RowIndex row,
                        std::span<const double> typical, std::vector<double>& outputs);

struct QuotedNames;
struct NameIndex;
// The plan, as in the model file; nothing for `distribution`.
void append_leaf_plan_json(const LeafPlan& plan, std::string& out);
LeafPlan leaf_plan_from_json(const nlohmann::json& object, Task task);
void append_leaf_model_json(const LeafModel& model, const Schema& schema, const QuotedNames& names,
                            std::string& out);
LeafModel leaf_model_from_json(const nlohmann::json& object, const NameIndex& names);

}  // namespace softwood

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

// With n the weight of the leaf, n_k that of class k and K classes:
//   distribution  n_k / n; the mean
//   majority      1 for the first class with the largest n_k, or whose answer costs least
//   laplace       (n_k + 1) / (n + K)                       (Niblett & Bratko 1986)
//   m_estimate    (n_k + m p_k) / (n + m), p_k that of the root (Cestnik 1990)
// The others are models, fitted to the rows of each leaf:
//   linear, ridge          regression by least squares; a leaf without a model answers its mean
//   logistic, naive_bayes  classification; a leaf without a model answers as `laplace`
// Models that a stage has trained together with the gates are kept as they are:
//   trained  a leaf answers with its model; one without a model as `laplace`, or with the mean
//   scores   classification: the outputs of the leaves that a row reaches are mixed before the
//            softmax (Irsoy et al. 2012: the sigmoid of F_root); a leaf without a model has the
//            logarithms of its `laplace` probabilities as outputs
enum class LeafForm : uint8_t {
  distribution,
  majority,
  laplace,
  m_estimate,
  linear,
  ridge,
  logistic,
  naive_bayes,
  trained,
  scores
};

std::string_view leaf_form_name(LeafForm form);
std::optional<LeafForm> leaf_form(std::string_view name);
// Those that can be asked for when a tree is grown.
std::vector<std::string> leaf_form_names();
bool leaf_form_fits(LeafForm form, Task task);
bool has_leaf_models(LeafForm form);
// True when the models are fitted to the rows of each leaf at the end of a recipe.
bool fits_leaf_models(LeafForm form);

struct LeafPlan {
  LeafForm form = LeafForm::distribution;
  double m = 2;  // m_estimate
  // ridge, logistic: penalty of the squared coefficients of standardised terms; NaN: chosen by the
  // fit
  double penalty = missing_number;
  // trained, numbers: answers of the tree, mixed of those of leaves, are held between them
  double low = -std::numeric_limits<double>::infinity();
  double high = std::numeric_limits<double>::infinity();

  bool has_range() const { return std::isfinite(low); }
};

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

// Puts the answer for one row into `answer`, with `typical` in the place of missing cells. False
// and untouched when an output is not finite. `outputs` is working memory.
bool leaf_model_answer(const LeafModel& model, const Table& table, RowIndex row,
                       std::span<const double> typical, std::vector<double>& outputs,
                       std::span<double> answer);

// The sums before the link, one for each output. False when one is not finite.
bool leaf_model_outputs(const LeafModel& model, const Table& table, RowIndex row,
                        std::span<const double> typical, std::vector<double>& outputs);

// One line an output, as a person reads it: "y = 3 + 0.5*a - 2*b, from 0 to 9",
// "log odds of yes to no = 1 - 0.2*a", without terms "class = yes 73.1 %, no 26.9 %"; where `form`
// is scores what is mixed, "scores of yes 1, no 0; alone yes 73.1 %, no 26.9 %". At most
// `most_terms` terms a line.
std::vector<std::string> leaf_model_lines(const LeafModel& model, const Schema& schema,
                                          LeafForm form, size_t most_terms = 12);

struct QuotedNames;
struct NameIndex;
// The form, as in the model file; nothing for `distribution`.
void append_leaf_plan_json(const LeafPlan& plan, std::string& out);
LeafPlan leaf_plan_from_json(const nlohmann::json& object, Task task);
void append_leaf_model_json(const LeafModel& model, const Schema& schema, const QuotedNames& names,
                            std::string& out);
LeafModel leaf_model_from_json(const nlohmann::json& object, const NameIndex& names);

}  // namespace softwood

// ScoreGate: a sum of terms compared with a cut through a link.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cmath>

#include "base/math.h"
#include "data/sample.h"
#include "softwood/error.h"
#include "tree/gates/gate_kind.h"
#include "tree/gates/term_values.h"
#include "tree/json_fields.h"

namespace softwood {

using nlohmann::json;

bool ScoreGate::is_threshold() const {
  return terms.size() == 1 && terms[0].form == TermForm::value && terms[0].coefficient == 1.0 &&
         link.form == LinkForm::step;
}

namespace {

std::vector<uint32_t> features_of(const ScoreGate& gate) {
  std::vector<uint32_t> features;
  for (const Term& term : gate.terms) {
    features.push_back(term.feature);
    if (term.form == TermForm::product) features.push_back(term.other);
  }
  std::sort(features.begin(), features.end());
  features.erase(std::unique(features.begin(), features.end()), features.end());
  return features;
}

size_t parameters_of(const ScoreGate& gate) {
  size_t count = gate.cut != 0 ? 1 : 0;
  switch (gate.link.form) {
    case LinkForm::step:
    case LinkForm::logistic:
      break;
    case LinkForm::ramp:
      count += (gate.link.below != 0 ? 1U : 0U) + (gate.link.above != 0 ? 1U : 0U);
      break;
  }
  if (gate.terms.size() == 1 && gate.terms[0].coefficient == 1.0) return count;
  for (const Term& term : gate.terms) count += term.coefficient != 0 ? 1 : 0;
  return count;
}

}  // namespace

double link_weight(const Link& link, double score, double cut) {
  switch (link.form) {
    case LinkForm::step:
      return score <= cut ? 1.0 : 0.0;
    case LinkForm::ramp: {
      const double below = cut - score;
      // A width of 0 is a step on its side, and the cut itself is always divided in halves
      // (Dvorak & Savicky, section 2: the pointwise limit).
      if (below > 0) return below >= link.below ? 1.0 : 0.5 + 0.5 * below / link.below;
      if (below < 0) return -below >= link.above ? 0.0 : 0.5 + 0.5 * below / link.above;
      return 0.5;
    }
    case LinkForm::logistic:
      return 1.0 / (1.0 + math::exp(score - cut));
  }
  return missing_number;
}

namespace {

// Calls add(i, value) for each row, with NaN for missing cells.
template <class Add>
void each_value(const Column& column, std::span<const RowIndex> rows, bool contiguous,
                const Add& add) {
  if (column.kind != Kind::numeric) {
    for (size_t i = 0; i < rows.size(); ++i) add(i, column.value(rows[i]));
  } else if (contiguous) {
    // Without the index the compiler can take several rows at once.
    const double* const values = column.numbers.data() + rows[0];
    for (size_t i = 0; i < rows.size(); ++i) add(i, values[i]);
  } else {
    const double* const values = column.numbers.data();
    for (size_t i = 0; i < rows.size(); ++i) add(i, values[rows[i]]);
  }
}

// In blocks, so that several rows are taken at once.
void add_asinh(const Term& term, const Column& column, std::span<const RowIndex> rows,
               bool contiguous, double* scores) {
  std::array<double, 256> block;
  for (size_t first = 0; first < rows.size(); first += block.size()) {
    const auto some = rows.subspan(first, std::min(block.size(), rows.size() - first));
    each_value(column, some, contiguous,
               [&](size_t i, double x) { block[i] = (x - term.centre) / term.scale; });
    math::asinh({block.data(), some.size()});
    for (size_t i = 0; i < some.size(); ++i) scores[first + i] += term.coefficient * block[i];
  }
}

void add_term(const Term& term, const Table& table, std::span<const RowIndex> rows, bool contiguous,
              double* scores) {
  const double factor = term.coefficient;
  const Column& column = table.input(term.feature);
  switch (term.form) {
    case TermForm::value:
      each_value(column, rows, contiguous, [=](size_t i, double x) { scores[i] += factor * x; });
      return;
    case TermForm::square:
      each_value(column, rows, contiguous,
                 [=](size_t i, double x) { scores[i] += factor * (x * x); });
      return;
    case TermForm::asinh:
      add_asinh(term, column, rows, contiguous, scores);
      return;
    case TermForm::product: {
      const Column& other = table.input(term.other);
      each_value(column, rows, contiguous, [=, &other](size_t i, double x) {
        scores[i] += factor * (x * other.value(rows[i]));
      });
      return;
    }
    case TermForm::level: {
      const auto level = static_cast<int32_t>(term.other);
      for (size_t i = 0; i < rows.size(); ++i) {
        const int32_t code = column.codes[rows[i]];
        scores[i] += code < 0 ? missing_number : (code == level ? factor : 0.0);
      }
      return;
    }
  }
}

}  // namespace

double term_value(const Term& term, const Table& table, RowIndex row,
                  std::span<const double> typical) {
  const auto value = [&](uint32_t feature) {
    const double known = table.input(feature).value(row);
    return std::isnan(known) ? typical[feature] : known;
  };
  const double x = value(term.feature);
  switch (term.form) {
    case TermForm::value:
      return x;
    case TermForm::square:
      return x * x;
    case TermForm::product:
      return x * value(term.other);
    case TermForm::asinh:
      return math::asinh((x - term.centre) / term.scale);
    case TermForm::level:
      return std::isnan(x) ? x : x == term.other ? 1 : 0;
  }
  return missing_number;
}

const double* term_values(const Term& term, const Table& table, std::span<const RowIndex> rows,
                          bool contiguous, std::span<const double> typical,
                          std::span<double> room) {
  if (rows.empty()) return room.data();
  const Column& column = table.input(term.feature);
  if (term.form != TermForm::value && term.form != TermForm::asinh) {
    for (size_t i = 0; i < rows.size(); ++i) room[i] = term_value(term, table, rows[i], typical);
    return room.data();
  }
  if (term.form == TermForm::value && contiguous && column.kind == Kind::numeric &&
      column.missing == 0) {
    return column.numbers.data() + rows[0];
  }
  const double usual = typical[term.feature];
  each_value(column, rows, contiguous,
             [&](size_t i, double x) { room[i] = std::isnan(x) ? usual : x; });
  if (term.form == TermForm::asinh) {
    for (double& value : room) value = (value - term.centre) / term.scale;
    math::asinh(room);
  }
  return room.data();
}

namespace {

double typical_score(const ScoreGate& gate, const Table& table, RowIndex row,
                     std::span<const double> typical) {
  double score = 0;
  for (const Term& term : gate.terms) {
    score += term.coefficient * term_value(term, table, row, typical);
  }
  return score;
}

void typical_weights_of(const ScoreGate& gate, const Table& table, RowIndex row,
                        std::span<const double> typical, std::span<double> weights) {
  const double score = typical_score(gate, table, row, typical);
  weights[0] = std::isnan(score) ? score : link_weight(gate.link, score, gate.cut);
  weights[1] = 1 - weights[0];
}

}  // namespace

void gate_scores(const ScoreGate& gate, const Table& table, std::span<const RowIndex> rows,
                 std::span<double> scores) {
  std::fill(scores.begin(), scores.end(), 0.0);
  if (rows.empty()) return;
  const bool contiguous = gate.terms.size() > 1 && are_contiguous(rows);
  for (const Term& term : gate.terms) add_term(term, table, rows, contiguous, scores.data());
}

namespace {

// A sum that overflows in both directions is NaN too, and is treated like a missing value.
void weights_of(const ScoreGate& gate, const Table& table, std::span<const RowIndex> rows,
                std::span<double> weights) {
  const size_t count = rows.size();
  if (count == 0) return;
  // The scores are in the second half of `weights`; the pairs of weights overwrite them from the
  // front and never reach a score that is still to be read.
  double* const scores = weights.data() + count;
  gate_scores(gate, table, rows, {scores, count});
  const auto finish = [&](const auto& weight_of) {
    for (size_t i = 0; i < count; ++i) {
      const double score = scores[i];
      const double weight = std::isnan(score) ? score : weight_of(score);
      weights[2 * i] = weight;
      weights[2 * i + 1] = 1.0 - weight;
    }
  };
  switch (gate.link.form) {
    case LinkForm::step:
      finish([cut = gate.cut](double score) { return score <= cut ? 1.0 : 0.0; });
      return;
    case LinkForm::ramp:
      finish([&](double score) { return link_weight(gate.link, score, gate.cut); });
      return;
    case LinkForm::logistic:
      for (size_t i = 0; i < count; ++i) scores[i] -= gate.cut;
      math::exp({scores, count});
      finish([](double odds) { return 1.0 / (1.0 + odds); });
      return;
  }
}

}  // namespace

void check_term(const Term& term, const Schema& schema) {
  const auto use = [&](uint32_t index) -> const Feature& {
    if (index >= schema.features.size()) {
      model_error(
          fmt::format("a term uses feature number {} of {}", index, schema.features.size()));
    }
    return schema.features[index];
  };
  const auto use_number = [&](uint32_t index) {
    if (use(index).kind == Kind::nominal) {
      model_error(fmt::format("a term uses {} as a number, but it is nominal",
                              shown_name(use(index).name, NamePlace::set)));
    }
  };
  if (!std::isfinite(term.coefficient)) model_error("a coefficient is not finite");
  if (!(term.spread >= 0) || !std::isfinite(term.spread)) {
    model_error("the spread of a term is not finite or below 0");
  }
  switch (term.form) {
    case TermForm::value:
    case TermForm::square:
      use_number(term.feature);
      return;
    case TermForm::asinh:
      use_number(term.feature);
      if (!std::isfinite(term.centre) || !std::isfinite(term.scale) || !(term.scale > 0)) {
        model_error("'from' and 'over' of an asinh must be finite, and 'over' above 0");
      }
      return;
    case TermForm::product:
      use_number(term.feature);
      use_number(term.other);
      return;
    case TermForm::level:
      if (use(term.feature).kind == Kind::numeric) {
        model_error(fmt::format("a term uses a level of {}, which is numeric",
                                shown_name(use(term.feature).name, NamePlace::set)));
      }
      if (term.other >= use(term.feature).levels.size()) {
        model_error(fmt::format("a term uses level number {} of {}", term.other,
                                shown_name(use(term.feature).name, NamePlace::set)));
      }
      return;
  }
  model_error("a term is of an unknown form");
}

namespace {

void check_score(const ScoreGate& gate, const Schema& schema) {
  if (gate.terms.empty()) model_error("a score has no terms");
  for (const Term& term : gate.terms) check_term(term, schema);
  if (!std::isfinite(gate.cut)) model_error("a cut is not finite");
  const Link& link = gate.link;
  switch (link.form) {
    case LinkForm::step:
    case LinkForm::logistic:
      return;
    case LinkForm::ramp:
      break;
  }
  if (!std::isfinite(link.below) || !std::isfinite(link.above)) {
    model_error("the width of a ramp is not finite");
  }
  if (link.below < 0 || link.above < 0) model_error("the width of a ramp is negative");
}

}  // namespace

void append_term_json(const Term& term, const QuotedNames& names, std::string& out) {
  const std::string& name = names.features[term.feature];
  switch (term.form) {
    case TermForm::value:
      out += R"({"value": )" + name;
      break;
    case TermForm::square:
      out += R"({"square": )" + name;
      break;
    case TermForm::product:
      out += R"({"product": [)" + name + ", " + names.features[term.other] + "]";
      break;
    case TermForm::asinh:
      out += R"({"asinh": )" + name + R"(, "from": )";
      append_number(term.centre, out);
      out += R"(, "over": )";
      append_number(term.scale, out);
      break;
    case TermForm::level:
      out += R"({"level": [)" + name + ", " + names.levels[term.feature][term.other] + "]";
      break;
  }
  if (term.coefficient != 1.0) {
    out += R"(, "times": )";
    append_number(term.coefficient, out);
  }
  if (term.spread != 0) {
    out += R"(, "spread": )";
    append_number(term.spread, out);
  }
  out += '}';
}

namespace {

// {"kind": "score", "terms": [{"value": "a", "times": 0.5}, {"square": "b"},
//  {"product": ["a", "b"]}, {"level": ["colour", "red"]}], "cut": 3, "ramp": [0.5, 1]}
// "times" is left out when it is 1, "spread" when it is 0; "ramp" stands for the link, "logistic":
// true for that link.
void append_score(const ScoreGate& gate, const QuotedNames& names, std::string& out) {
  out += R"({"kind": "score", "terms": [)";
  for (size_t i = 0; i < gate.terms.size(); ++i) {
    if (i > 0) out += ", ";
    append_term_json(gate.terms[i], names, out);
  }
  out += R"(], "cut": )";
  append_number(gate.cut, out);
  switch (gate.link.form) {
    case LinkForm::step:
      break;
    case LinkForm::ramp:
      out += R"(, "ramp": [)";
      append_number(gate.link.below, out);
      out += ", ";
      append_number(gate.link.above, out);
      out += ']';
      break;
    case LinkForm::logistic:
      out += R"(, "logistic": true)";
      break;
  }
  out += '}';
}

const json& checked_pair(const json& value, std::string_view what) {
  if (checked_array(value, what).size() != 2) {
    model_error(fmt::format("{} must have two entries", what));
  }
  return value;
}

}  // namespace

Term term_from_json(const json& object, const NameIndex& names) {
  check_object(object, "a term",
               {"value", "square", "product", "asinh", "level", "times", "spread", "from", "over"});
  Term term;
  if (const json* times = optional(object, "times")) {
    term.coefficient = checked_number(*times, "'times' of a term");
  }
  if (const json* spread = optional(object, "spread")) {
    term.spread = checked_number(*spread, "'spread' of a term");
  }
  const json* mapped = optional(object, "asinh");
  const size_t constants = object.count("from") + object.count("over");
  if (constants != (mapped != nullptr ? 2 : 0)) {
    model_error("a term has 'from' and 'over' when it is an asinh, and only then");
  }
  if (object.size() != 1 + object.count("times") + object.count("spread") + constants) {
    model_error("a term must have exactly one of value, square, product, asinh, level");
  }
  if (const json* name = optional(object, "value")) {
    term.form = TermForm::value;
    term.feature = names.feature(*name);
  } else if (const json* squared = optional(object, "square")) {
    term.form = TermForm::square;
    term.feature = names.feature(*squared);
  } else if (mapped != nullptr) {
    term.form = TermForm::asinh;
    term.feature = names.feature(*mapped);
    term.centre = checked_number(required(object, "from"), "'from' of an asinh");
    term.scale = checked_number(required(object, "over"), "'over' of an asinh");
  } else if (const json* pair = optional(object, "product")) {
    term.form = TermForm::product;
    term.feature = names.feature(checked_pair(*pair, "'product'")[0]);
    term.other = names.feature((*pair)[1]);
  } else {
    const json& level = checked_pair(required(object, "level"), "'level'");
    term.form = TermForm::level;
    term.feature = names.feature(level[0]);
    term.other = static_cast<uint32_t>(names.level(term.feature, level[1]));
  }
  return term;
}

namespace {

// The share of each term in the effects of all; even shares where none is known.
std::vector<double> effect_shares(const ScoreGate& gate) {
  std::vector<double> shares;
  shares.reserve(gate.terms.size());
  double all = 0;
  for (const Term& term : gate.terms) {
    shares.push_back(std::fabs(term.coefficient * term.spread));
    all += shares.back();
  }
  const bool known = all > 0 && std::isfinite(all);
  for (double& share : shares) {
    share = known ? share / all : 1 / static_cast<double>(shares.size());
  }
  return shares;
}

std::vector<FeatureShare> shares_of(const ScoreGate& gate) {
  const std::vector<double> effects = effect_shares(gate);
  std::vector<FeatureShare> shares;
  for (size_t t = 0; t < gate.terms.size(); ++t) {
    const Term& term = gate.terms[t];
    const bool two = term.form == TermForm::product;
    shares.push_back({term.feature, two ? effects[t] / 2 : effects[t]});
    if (two) shares.push_back({term.other, effects[t] / 2});
  }
  return shares;
}

class ScoreKind final : public GateKind {
 public:
  explicit ScoreKind(ScoreGate gate) : gate_(std::move(gate)) {}

  std::string_view name() const override { return "score"; }
  bool equals(const GateKind& other) const override { return gate_ == *other.linear_form(); }
  uint32_t children() const override { return 2; }
  std::vector<uint32_t> features() const override { return features_of(gate_); }
  size_t parameters() const override { return parameters_of(gate_); }
  bool is_hard() const override {
    switch (gate_.link.form) {
      case LinkForm::step:
        return true;
      case LinkForm::ramp:  // also without width: a row on the cut is halved
      case LinkForm::logistic:
        return false;
    }
    return false;
  }
  void weights(const Table& table, std::span<const RowIndex> rows,
               std::span<double> weights) const override {
    weights_of(gate_, table, rows, weights);
  }
  void typical_weights(const Table& table, RowIndex row, std::span<const double> typical,
                       std::span<double> weights) const override {
    typical_weights_of(gate_, table, row, typical, weights);
  }
  std::vector<FeatureShare> shares() const override { return shares_of(gate_); }
  void check(const Schema& schema) const override { check_score(gate_, schema); }
  void append_json(const QuotedNames& names, std::string& out) const override {
    append_score(gate_, names, out);
  }
  const ScoreGate* linear_form() const override { return &gate_; }
  std::optional<Gate> hardened() const override { return ScoreGate{gate_.terms, gate_.cut, {}}; }

 private:
  const ScoreGate gate_;
};

// A threshold with nothing to say beyond feature and cut, as nearly all gates of large trees are:
// its score is made when it is first asked for.
class ThresholdKind final : public GateKind {
 public:
  explicit ThresholdKind(const Threshold& threshold)
      : cut_(threshold.cut), feature_(threshold.feature) {}
  ~ThresholdKind() override { delete score_.load(); }

  static bool can_be(const ScoreGate& gate) {
    return gate.is_threshold() && gate.link == Link{} &&
           gate.terms[0] == Term{TermForm::value, gate.terms[0].feature, 0, 1.0};
  }

  std::string_view name() const override { return "score"; }
  // No ScoreKind holds what can be a ThresholdKind.
  bool equals(const GateKind& other) const override {
    const auto* const threshold = dynamic_cast<const ThresholdKind*>(&other);
    return threshold != nullptr && feature_ == threshold->feature_ && cut_ == threshold->cut_;
  }
  uint32_t children() const override { return 2; }
  std::vector<uint32_t> features() const override { return {feature_}; }
  size_t parameters() const override { return cut_ != 0 ? 1 : 0; }
  bool is_hard() const override { return true; }
  void weights(const Table& table, std::span<const RowIndex> rows,
               std::span<double> weights) const override {
    each_value(table.input(feature_), rows, false,
               [&](size_t i, double value) { set_weights(value, &weights[2 * i]); });
  }
  void typical_weights(const Table& table, RowIndex row, std::span<const double> typical,
                       std::span<double> weights) const override {
    set_weights(term_value(term(), table, row, typical), weights.data());
  }
  std::vector<FeatureShare> shares() const override { return {{feature_, 1.0}}; }
  void check(const Schema& schema) const override {
    check_score(threshold_gate(feature_, cut_), schema);
  }
  void append_json(const QuotedNames& names, std::string& out) const override {
    append_score(threshold_gate(feature_, cut_), names, out);
  }
  std::optional<Threshold> threshold() const override { return Threshold{feature_, cut_}; }
  const ScoreGate* linear_form() const override {
    const ScoreGate* known = score_.load();
    if (known != nullptr) return known;
    auto made = std::make_unique<const ScoreGate>(threshold_gate(feature_, cut_));
    // Of two threads that make it the first one's stays.
    return score_.compare_exchange_strong(known, made.get()) ? made.release() : known;
  }

 private:
  Term term() const { return {TermForm::value, feature_, 0, 1.0}; }
  void set_weights(double value, double* pair) const {
    pair[0] = std::isnan(value) ? value : value <= cut_ ? 1.0 : 0.0;
    pair[1] = 1.0 - pair[0];
  }

  const double cut_;
  const uint32_t feature_;
  mutable std::atomic<const ScoreGate*> score_ = nullptr;
};

std::shared_ptr<const GateKind> kind_of(ScoreGate score) {
  if (ThresholdKind::can_be(score)) {
    return std::make_shared<ThresholdKind>(Threshold{score.terms[0].feature, score.cut});
  }
  return std::make_shared<ScoreKind>(std::move(score));
}

}  // namespace

Gate::Gate(ScoreGate score) : kind_(kind_of(std::move(score))) {}

Gate score_from_json(const json& object, const NameIndex& names) {
  check_object(object, "a score gate", {"kind", "terms", "cut", "ramp", "logistic"});
  ScoreGate gate;
  for (const json& term : checked_array(required(object, "terms"), "'terms' of a gate")) {
    gate.terms.push_back(term_from_json(term, names));
  }
  gate.cut = checked_number(required(object, "cut"), "'cut' of a gate");
  const json* ramp = optional(object, "ramp");
  const json* logistic = optional(object, "logistic");
  if (ramp != nullptr && logistic != nullptr) {
    model_error("a gate is either a ramp or logistic, not both");
  }
  if (ramp != nullptr) {
    checked_pair(*ramp, "'ramp'");
    gate.link = {LinkForm::ramp, checked_number((*ramp)[0], "the width of a ramp"),
                 checked_number((*ramp)[1], "the width of a ramp")};
  }
  if (logistic != nullptr) {
    if (*logistic != json(true)) model_error("'logistic' of a gate can only be true");
    gate.link.form = LinkForm::logistic;
  }
  check_score(gate, names.schema);
  return gate;
}

}  // namespace softwood

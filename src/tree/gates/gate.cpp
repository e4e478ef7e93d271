#include "tree/gate.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "base/text.h"
#include "softwood/error.h"
#include "tree/gates/gate_kind.h"
#include "tree/json_fields.h"

namespace softwood {

using nlohmann::json;

ScoreGate threshold_gate(uint32_t feature, double cut) {
  return {{{TermForm::value, feature, 0, 1.0}}, cut, {}};
}

bool Gate::operator==(const Gate& other) const {
  if (kind_ == other.kind_) return true;
  if (!kind_ || !other.kind_ || kind_->name() != other.kind_->name()) return false;
  return kind_->equals(*other.kind_);
}

std::string_view gate_kind(const Gate& gate) { return gate.kind().name(); }
uint32_t gate_children(const Gate& gate) { return gate.kind().children(); }
bool is_hard(const Gate& gate) { return gate.kind().is_hard(); }
std::vector<uint32_t> gate_features(const Gate& gate) { return gate.kind().features(); }
size_t gate_parameters(const Gate& gate) { return gate.kind().parameters(); }

const ScoreGate* linear_form(const Gate& gate) { return gate.kind().linear_form(); }
const LevelsGate* level_map(const Gate& gate) { return gate.kind().level_map(); }

std::optional<Threshold> GateKind::threshold() const {
  const ScoreGate* const score = linear_form();
  if (score == nullptr || !score->is_threshold()) return std::nullopt;
  return Threshold{score->terms[0].feature, score->cut};
}
std::optional<Threshold> as_threshold(const Gate& gate) { return gate.kind().threshold(); }

std::optional<RampForm> as_ramp(const Gate& gate) {
  const ScoreGate* const score = linear_form(gate);
  if (score == nullptr || score->terms.size() != 1 || score->terms[0].form != TermForm::value ||
      score->terms[0].coefficient != 1.0 || score->cut == above_all_values) {
    return std::nullopt;
  }
  switch (score->link.form) {
    case LinkForm::step:
    case LinkForm::ramp:
      return RampForm{score->terms[0].feature, score->cut, score->link.below, score->link.above};
    case LinkForm::logistic:
      return std::nullopt;
  }
  return std::nullopt;
}

Gate with_cut(const Gate& gate, double cut) {
  ScoreGate copy = *linear_form(gate);
  copy.cut = cut;
  return copy;
}

Gate with_spreads(const Gate& gate, std::span<const double> spreads) {
  ScoreGate copy = *linear_form(gate);
  for (size_t t = 0; t < copy.terms.size(); ++t) copy.terms[t].spread = spreads[t];
  return copy;
}

Gate softened(const Gate& gate, double below, double above) {
  ScoreGate copy = *linear_form(gate);
  copy.link = {LinkForm::ramp, below, above};
  return copy;
}

Gate hardened(const Gate& gate) {
  if (is_hard(gate)) return gate;
  if (std::optional<Gate> hard = gate.kind().hardened()) return *std::move(hard);
  throw Error(ErrorKind::usage,
              fmt::format("a gate of the kind {} has no hard form", gate_kind(gate)));
}

void gate_weights(const Gate& gate, const Table& table, std::span<const RowIndex> rows,
                  std::span<double> weights) {
  gate.kind().weights(table, rows, weights);
}

void typical_weights(const Gate& gate, const Table& table, RowIndex row,
                     std::span<const double> typical, std::span<double> weights) {
  gate.kind().typical_weights(table, row, typical, weights);
}

std::vector<FeatureShare> gate_shares(const Gate& gate) { return gate.kind().shares(); }

void check_gate(const Gate& gate, const Schema& schema) { gate.kind().check(schema); }

void append_gate_json(const Gate& gate, const QuotedNames& names, std::string& out) {
  gate.kind().append_json(names, out);
}

// levels.cpp, score.cpp
Gate levels_from_json(const json& object, const NameIndex& names);
Gate score_from_json(const json& object, const NameIndex& names);

std::span<const GateReader> gate_kinds() {
  static constexpr std::array<GateReader, 2> table = {{
      {"levels", levels_from_json},
      {"score", score_from_json},
  }};
  return table;
}

Gate gate_from_json(const json& object, const NameIndex& names) {
  if (!object.is_object()) model_error("a gate must be an object");
  const std::string& kind = checked_text(required(object, "kind"), "'kind' of a gate");
  std::vector<std::string> known;
  for (const GateReader& reader : names.kinds) {
    if (reader.kind == kind) return reader.from_json(object, names);
    known.emplace_back(reader.kind);
  }
  model_error(fmt::format("a gate is of the unknown kind {}", shown_name(kind, NamePlace::set)),
              "known: " + join(known, ", "));
}

QuotedNames::QuotedNames(const Schema& schema) {
  for (const Feature& feature : schema.features) {
    features.push_back(json(feature.name).dump());
    levels.emplace_back();
    for (const std::string& level : feature.levels) levels.back().push_back(json(level).dump());
  }
}

NameIndex::NameIndex(const Schema& with, std::span<const GateReader> of) : schema(with), kinds(of) {
  for (const Feature& feature : schema.features) {
    features.emplace(feature.name, static_cast<uint32_t>(features.size()));
    auto& codes = levels.emplace_back();
    for (const std::string& level : feature.levels) {
      codes.emplace(level, static_cast<int32_t>(codes.size()));
    }
  }
}

uint32_t NameIndex::feature(const json& name) const {
  const auto found = features.find(checked_text(name, "the name of a feature"));
  if (found == features.end()) {
    model_error(fmt::format("a gate uses the feature {}, which the schema does not have",
                            shown_name(name.get_ref<const std::string&>(), NamePlace::set)));
  }
  return found->second;
}

int32_t NameIndex::level(uint32_t feature, const json& name) const {
  const auto found = levels[feature].find(checked_text(name, "a level"));
  if (found == levels[feature].end()) {
    model_error(fmt::format("a gate uses the level {}, which feature {} does not have",
                            shown_name(name.get_ref<const std::string&>(), NamePlace::set),
                            shown_name(schema.features[feature].name, NamePlace::set)));
  }
  return found->second;
}

}  // namespace softwood

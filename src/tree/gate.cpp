#include "tree/gate.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "softwood/error.h"
#include "tree/gates/kinds.h"
#include "tree/json_fields.h"

namespace softwood {

using nlohmann::json;

ScoreGate threshold_gate(uint32_t feature, double cut) {
  return {{{TermForm::value, feature, 0, 1.0}}, cut, {}};
}

uint32_t gate_children(const Gate& gate) {
  return std::visit([](const auto& kind) { return children_of(kind); }, gate);
}

std::vector<uint32_t> gate_features(const Gate& gate) {
  return std::visit([](const auto& kind) { return features_of(kind); }, gate);
}

size_t gate_parameters(const Gate& gate) {
  return std::visit([](const auto& kind) { return parameters_of(kind); }, gate);
}

void gate_weights(const Gate& gate, const Table& table, std::span<const RowIndex> rows,
                  std::span<double> weights) {
  std::visit([&](const auto& kind) { weights_of(kind, table, rows, weights); }, gate);
}

void typical_weights(const Gate& gate, const Table& table, RowIndex row,
                     std::span<const double> typical, std::span<double> weights) {
  std::visit([&](const auto& kind) { typical_weights_of(kind, table, row, typical, weights); },
             gate);
}

std::string gate_condition(const Gate& gate, uint32_t child, const Schema& schema, size_t room) {
  return std::visit([&](const auto& kind) { return condition_of(kind, child, schema, room); },
                    gate);
}

std::optional<SoftRange> gate_soft_range(const Gate& gate, const Schema& schema) {
  return std::visit([&](const auto& kind) { return soft_range_of(kind, schema); }, gate);
}

std::vector<FeatureShare> gate_shares(const Gate& gate) {
  return std::visit([](const auto& kind) { return shares_of(kind); }, gate);
}

void check_gate(const Gate& gate, const Schema& schema) {
  std::visit([&](const auto& kind) { check(kind, schema); }, gate);
}

void append_gate_json(const Gate& gate, const QuotedNames& names, std::string& out) {
  std::visit([&](const auto& kind) { append_json(kind, names, out); }, gate);
}

Gate gate_from_json(const json& object, const NameIndex& names) {
  if (!object.is_object()) model_error("a gate must be an object");
  const std::string& kind = checked_text(required(object, "kind"), "'kind' of a gate");
  if (kind == "levels") return levels_from_json(object, names);
  if (kind == "score") return score_from_json(object, names);
  model_error("a gate is of an unknown kind", "known: levels, score");
}

QuotedNames::QuotedNames(const Schema& schema) {
  for (const Feature& feature : schema.features) {
    features.push_back(json(feature.name).dump());
    levels.emplace_back();
    for (const std::string& level : feature.levels) levels.back().push_back(json(level).dump());
  }
}

NameIndex::NameIndex(const Schema& with) : schema(with) {
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

namespace {

bool needs_quotes(std::string_view name, NamePlace place) {
  if (name.empty() || name.front() == ' ' || name.back() == ' ') return true;
  for (const char c : name) {
    if (static_cast<unsigned char>(c) < 0x20 || c == 0x7F) return true;
  }
  // What each place uses itself; "&" joins conditions.
  switch (place) {
    case NamePlace::comparison:
      return name.find_first_of("<>={}&\"") != std::string_view::npos;
    case NamePlace::set:
      return name.find_first_of(",{}[]&\"") != std::string_view::npos;
    case NamePlace::sum:
      return (name.front() >= '0' && name.front() <= '9') ||
             name.find_first_of("<>={}&\" +-*^[]()") != std::string_view::npos;
  }
  return true;
}

}  // namespace

std::string shown_name(std::string_view name, NamePlace place) {
  if (!needs_quotes(name, place)) return std::string(name);
  return json(name).dump(-1, ' ', false, json::error_handler_t::replace);
}

std::string shown_number(double value) {
  const double size = std::fabs(value);
  const int whole = size >= 1 && size < 1e15 ? static_cast<int>(std::log10(size)) + 1 : 0;
  return fmt::format("{:.{}g}", value == 0 ? 0.0 : value, std::max(6, whole + 2));
}

}  // namespace softwood

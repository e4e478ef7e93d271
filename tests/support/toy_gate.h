// A kind of gate that the library does not know: one class with its answers, and the function that
// its line of the table of kinds names.
#pragma once

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "tree/gates/gate_kind.h"
#include "tree/json_fields.h"

namespace softwood::test {

// Sends a number to the child that its whole part, modulo the count of children, names; `blur` of
// the row is divided evenly among all children.
struct ModuloGate {
  uint32_t feature = 0;
  uint32_t children = 3;
  double blur = 0;
  bool operator==(const ModuloGate&) const = default;
};

class ModuloKind final : public GateKind {
 public:
  explicit ModuloKind(const ModuloGate& gate) : gate_(gate) {}

  std::string_view name() const override { return "modulo"; }
  bool equals(const GateKind& other) const override {
    return gate_ == dynamic_cast<const ModuloKind&>(other).gate_;
  }
  uint32_t children() const override { return gate_.children; }
  std::vector<uint32_t> features() const override { return {gate_.feature}; }
  size_t parameters() const override { return 1; }
  bool is_hard() const override { return gate_.blur == 0; }
  void weights(const Table& table, std::span<const RowIndex> rows,
               std::span<double> weights) const override {
    for (size_t i = 0; i < rows.size(); ++i) {
      set_row(table.input(gate_.feature).value(rows[i]),
              weights.subspan(i * gate_.children, gate_.children));
    }
  }
  void typical_weights(const Table& table, RowIndex row, std::span<const double> typical,
                       std::span<double> weights) const override {
    const double value = table.input(gate_.feature).value(row);
    set_row(std::isnan(value) ? typical[gate_.feature] : value, weights);
  }
  std::vector<FeatureShare> shares() const override { return {{gate_.feature, 1.0}}; }
  void check(const Schema& schema) const override {
    if (gate_.feature >= schema.features.size() || gate_.children < 2) {
      model_error("a modulo gate does not fit");
    }
  }
  void append_json(const QuotedNames& names, std::string& out) const override {
    out += fmt::format(R"({{"kind": "modulo", "feature": {}, "children": {}, "blur": )",
                       names.features[gate_.feature], gate_.children);
    append_number(gate_.blur, out);
    out += '}';
  }

 private:
  void set_row(double value, std::span<double> weights) const {
    std::fill(weights.begin(), weights.end(), std::isnan(value) ? 0 : gate_.blur / gate_.children);
    if (std::isnan(value)) {
      weights[0] = value;
      return;
    }
    const double rest = std::fmod(std::floor(value), gate_.children);
    weights[static_cast<size_t>(rest < 0 ? rest + gate_.children : rest)] += 1 - gate_.blur;
  }

  const ModuloGate gate_;
};

inline Gate modulo_gate(const ModuloGate& gate) { return Gate(std::make_shared<ModuloKind>(gate)); }

inline Gate modulo_from_json(const nlohmann::json& object, const NameIndex& names) {
  check_object(object, "a modulo gate", {"kind", "feature", "children", "blur"});
  const ModuloGate gate{
      names.feature(required(object, "feature")),
      static_cast<uint32_t>(checked_count(required(object, "children"), "'children'")),
      checked_number(required(object, "blur"), "'blur'")};
  check_gate(modulo_gate(gate), names.schema);
  return modulo_gate(gate);
}

// The library's table and one line more.
inline std::vector<GateReader> kinds_with_modulo() {
  std::vector<GateReader> kinds(gate_kinds().begin(), gate_kinds().end());
  kinds.push_back({"modulo", modulo_from_json});
  return kinds;
}

}  // namespace softwood::test

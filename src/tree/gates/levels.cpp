// LevelsGate: each level of a nominal (or ordinal) feature goes to one child.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "softwood/error.h"
#include "tree/gates/gate_kind.h"
#include "tree/json_fields.h"

namespace softwood {

using nlohmann::json;

namespace {

void weights_of(const LevelsGate& gate, const Table& table, std::span<const RowIndex> rows,
                std::span<double> weights) {
  const Cells<int32_t>& codes = table.input(gate.feature).codes;
  const size_t levels = gate.child_of_level.size();
  std::fill(weights.begin(), weights.begin() + static_cast<ptrdiff_t>(rows.size() * gate.children),
            0.0);
  for (size_t i = 0; i < rows.size(); ++i) {
    // As unsigned, a missing code is larger than every level.
    const auto code = static_cast<uint32_t>(codes[rows[i]]);
    const int32_t child = code < levels ? gate.child_of_level[code] : -1;
    double* const row = &weights[i * gate.children];
    if (child < 0) {
      row[0] = missing_number;
    } else {
      row[child] = 1.0;
    }
  }
}

void typical_weights_of(const LevelsGate& gate, const Table& table, RowIndex row,
                        std::span<const double> typical, std::span<double> weights) {
  const int32_t own = table.input(gate.feature).codes[row];
  const double level = own >= 0 ? own : typical[gate.feature];
  const int32_t child = std::isnan(level) ? -1 : gate.child_of_level[static_cast<size_t>(level)];
  std::fill(weights.begin(), weights.end(), 0.0);
  weights[child < 0 ? 0 : static_cast<size_t>(child)] = child < 0 ? missing_number : 1.0;
}

void check_levels(const LevelsGate& gate, const Schema& schema) {
  if (gate.feature >= schema.features.size()) {
    model_error(
        fmt::format("a gate uses feature number {} of {}", gate.feature, schema.features.size()));
  }
  const Feature& feature = schema.features[gate.feature];
  const std::string name = shown_name(feature.name, NamePlace::set);
  if (feature.kind == Kind::numeric) {
    model_error(fmt::format("a gate over levels uses {}, which is numeric", name));
  }
  if (gate.children < 2) model_error(fmt::format("a gate over {} has fewer than 2 children", name));
  if (gate.child_of_level.size() != feature.levels.size()) {
    model_error(fmt::format("a gate over {} knows {} of {} levels", name,
                            gate.child_of_level.size(), feature.levels.size()));
  }
  for (const int32_t child : gate.child_of_level) {
    if (child < -1 || child >= static_cast<int64_t>(gate.children)) {
      model_error(fmt::format("a gate over {} sends a level to child {} of {}", name, child,
                              gate.children));
    }
  }
}

// {"kind": "levels", "feature": "colour", "children": [["red", "blue"], ["green"]]}
void append_levels(const LevelsGate& gate, const QuotedNames& names, std::string& out) {
  std::vector<std::string> lists(gate.children);
  for (size_t code = 0; code < gate.child_of_level.size(); ++code) {
    if (gate.child_of_level[code] < 0) continue;
    std::string& list = lists[static_cast<size_t>(gate.child_of_level[code])];
    if (!list.empty()) list += ", ";
    list += names.levels[gate.feature][code];
  }
  out += R"({"kind": "levels", "feature": )";
  out += names.features[gate.feature];
  out += R"(, "children": [)";
  for (size_t child = 0; child < lists.size(); ++child) {
    if (child > 0) out += ", ";
    out += '[';
    out += lists[child];
    out += ']';
  }
  out += "]}";
}

class LevelsKind final : public GateKind {
 public:
  explicit LevelsKind(LevelsGate gate) : gate_(std::move(gate)) {}

  std::string_view name() const override { return "levels"; }
  bool equals(const GateKind& other) const override { return gate_ == *other.level_map(); }
  uint32_t children() const override { return gate_.children; }
  std::vector<uint32_t> features() const override { return {gate_.feature}; }
  size_t parameters() const override {
    const std::vector<int32_t>& children = gate_.child_of_level;
    return children.size() -
           static_cast<size_t>(std::count(children.begin(), children.end(), missing_code));
  }
  bool is_hard() const override { return true; }
  void weights(const Table& table, std::span<const RowIndex> rows,
               std::span<double> weights) const override {
    weights_of(gate_, table, rows, weights);
  }
  void typical_weights(const Table& table, RowIndex row, std::span<const double> typical,
                       std::span<double> weights) const override {
    typical_weights_of(gate_, table, row, typical, weights);
  }
  std::vector<FeatureShare> shares() const override { return {{gate_.feature, 1.0}}; }
  void check(const Schema& schema) const override { check_levels(gate_, schema); }
  void append_json(const QuotedNames& names, std::string& out) const override {
    append_levels(gate_, names, out);
  }
  const LevelsGate* level_map() const override { return &gate_; }

 private:
  const LevelsGate gate_;
};

}  // namespace

Gate::Gate(LevelsGate levels) : kind_(std::make_shared<LevelsKind>(std::move(levels))) {}

Gate levels_from_json(const json& object, const NameIndex& names) {
  check_object(object, "a gate over levels", {"kind", "feature", "children"});
  LevelsGate gate;
  gate.feature = names.feature(required(object, "feature"));
  const json& lists = checked_array(required(object, "children"), "'children' of a gate");
  gate.children = static_cast<uint32_t>(lists.size());
  const size_t places = names.levels[gate.feature].size();
  if (places > names.level_places) {
    model_error("the gates over levels are too large for a file of this size");
  }
  names.level_places -= places;
  gate.child_of_level.assign(places, -1);
  for (size_t child = 0; child < lists.size(); ++child) {
    for (const json& level : checked_array(lists[child], "the levels of a child")) {
      int32_t& entry = gate.child_of_level[static_cast<size_t>(names.level(gate.feature, level))];
      if (entry != -1) model_error("a gate sends the same level to a child twice");
      entry = static_cast<int32_t>(child);
    }
  }
  check_levels(gate, names.schema);
  return gate;
}

}  // namespace softwood

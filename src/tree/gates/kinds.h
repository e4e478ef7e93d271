// What the kinds of gates share with each other and with the models of leaves: terms, and
// names in the model file.
#pragma once

#include <limits>
#include <nlohmann/json_fwd.hpp>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "base/names.h"
#include "tree/gate.h"

namespace softwood {

// Names of features and levels as JSON strings, escaped once per file.
struct QuotedNames {
  explicit QuotedNames(const Schema& schema);
  std::vector<std::string> features;
  std::vector<std::vector<std::string>> levels;
};

// A line of the table of kinds. Reading checks the object against the schema.
struct NameIndex;
struct GateReader {
  std::string_view kind;
  Gate (*from_json)(const nlohmann::json& object, const NameIndex& names);
};
std::span<const GateReader> gate_kinds();

// Where names are in the schema, and which gates can be read. Keeps views into both.
struct NameIndex {
  explicit NameIndex(const Schema& schema, std::span<const GateReader> kinds = gate_kinds());

  // A gate sets aside a place for every level of its feature, and its text may name few of them: so
  // many places the text may still cause.
  mutable size_t level_places = std::numeric_limits<size_t>::max();
  uint32_t feature(const nlohmann::json& name) const;                 // model Error if unknown
  int32_t level(uint32_t feature, const nlohmann::json& name) const;  // model Error if unknown
  const Schema& schema;
  std::span<const GateReader> kinds;
  std::unordered_map<std::string_view, uint32_t> features;
  std::vector<std::unordered_map<std::string_view, int32_t>> levels;
};

// Terms, of gates and of models in leaves (score.cpp). The value is without the coefficient, and
// with typical values instead of missing cells.
double term_value(const Term& term, const Table& table, RowIndex row,
                  std::span<const double> typical);
void check_term(const Term& term, const Schema& schema);
void append_term_json(const Term& term, const QuotedNames& names, std::string& out);
Term term_from_json(const nlohmann::json& object, const NameIndex& names);

// The gate as one JSON object, {"kind": ..., ...}, and back. The object is checked against the
// schema; what is wrong is a model Error without a place.
void append_gate_json(const Gate& gate, const QuotedNames& names, std::string& out);
Gate gate_from_json(const nlohmann::json& object, const NameIndex& names);

}  // namespace softwood

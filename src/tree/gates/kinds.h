// What the kinds of gates share with each other and with the models of leaves: terms, names and
// numbers in text and in the model file.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "tree/gate.h"

namespace softwood {

// Names of features and levels as JSON strings, escaped once a file.
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
  uint32_t feature(const nlohmann::json& name) const;                 // model Error if unknown
  int32_t level(uint32_t feature, const nlohmann::json& name) const;  // model Error if unknown
  const Schema& schema;
  std::span<const GateReader> kinds;
  std::unordered_map<std::string_view, uint32_t> features;
  std::vector<std::unordered_map<std::string_view, int32_t>> levels;
};

// How gates read (levels.cpp, score_text.cpp).
std::string condition_of(const LevelsGate& gate, uint32_t child, const Schema& schema, size_t room);
std::string condition_of(const ScoreGate& gate, uint32_t child, const Schema& schema, size_t room);
std::optional<SoftRange> soft_range_of(const ScoreGate& gate, const Schema& schema);
std::vector<FeatureShare> shares_of(const ScoreGate& gate);
// The sum that the gate computes, in at most `room` columns where it can be shortened to that.
std::string sum_text(const ScoreGate& gate, const Schema& schema, size_t room);
// A name or term in at most `room` columns, but for its first few: "export-admi...".
std::string cut_name(std::string text, size_t room);

// Terms, of gates and of models in leaves (score.cpp). The value is without the coefficient, and
// with typical values in the place of missing cells.
double term_value(const Term& term, const Table& table, RowIndex row,
                  std::span<const double> typical);
void check_term(const Term& term, const Schema& schema);
// Appends "0.5*a - 2*b^2", or " + 0.5*a - 2*b^2" to what is there.
void append_terms_text(std::span<const Term> terms, const Schema& schema, std::string& text);
void append_term_json(const Term& term, const QuotedNames& names, std::string& out);
Term term_from_json(const nlohmann::json& object, const NameIndex& names);

// The gate as one JSON object, {"kind": ..., ...}, and back. The object is checked against the
// schema; what is wrong is a model Error without a place.
void append_gate_json(const Gate& gate, const QuotedNames& names, std::string& out);
Gate gate_from_json(const nlohmann::json& object, const NameIndex& names);

// How names and numbers are printed in conditions.
//
// A name is printed as it is, and between quotation marks only where a reader could take a part of
// it for something else. In a sum also blanks and operators are such parts.
enum class NamePlace { comparison, sum, set };
std::string shown_name(std::string_view name, NamePlace place);
// Six significant digits, and at least two after the point when the whole part is long: enough to
// read, and 2.4499999999999997 is 2.45.
std::string shown_number(double value);

}  // namespace softwood

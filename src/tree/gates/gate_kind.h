// What a kind of gate answers. A new kind is one file with a class of these answers and one line in
// gate_kinds(). Only tree/gates includes this.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "tree/gate.h"
#include "tree/gates/kinds.h"

namespace softwood {

// Answers are called once for a block of rows or once for a node, never once for a row. See
// tree/gate.h for what each of them means.
class GateKind {
 public:
  GateKind() = default;
  GateKind(const GateKind&) = delete;
  GateKind& operator=(const GateKind&) = delete;
  virtual ~GateKind() = default;

  virtual std::string_view name() const = 0;
  virtual bool equals(const GateKind& other) const = 0;  // `other` has the same name
  virtual uint32_t children() const = 0;
  virtual std::vector<uint32_t> features() const = 0;
  virtual size_t parameters() const = 0;
  virtual bool is_hard() const = 0;
  // Of rows that it can't be computed for the first is NaN and none is above 0.
  virtual void weights(const Table& table, std::span<const RowIndex> rows,
                       std::span<double> weights) const = 0;
  virtual void typical_weights(const Table& table, RowIndex row, std::span<const double> typical,
                               std::span<double> weights) const = 0;
  virtual std::vector<FeatureShare> shares() const = 0;
  virtual void check(const Schema& schema) const = 0;
  virtual void append_json(const QuotedNames& names, std::string& out) const = 0;

  // Forms that a kind may have. What needs one leaves other gates as they are or refuses them.
  virtual const ScoreGate* linear_form() const { return nullptr; }
  virtual const LevelsGate* level_map() const { return nullptr; }
  virtual std::optional<Threshold> threshold() const;  // of the linear form, unless it says more
  virtual std::optional<Gate> hardened() const { return std::nullopt; }  // of soft gates
};

}  // namespace softwood

// A gate turns a row into weights over its k children that sum to 1.
//
// There are two kinds. LevelsGate sends each level of a nominal feature to a child: multiway and
// subset splits are the same kind. ScoreGate compares a score, a sum of terms in the units of the
// data, with a cut through a link: child 0 is the side "score <= cut". Only tree/gates knows which
// kind a gate is of; everything else asks the questions below.
//   step      weight of child 0 is 1 if s <= cut, else 0
//   ramp      1 below cut - below, 0 above cut + above, 1/2 at the cut, linear on both sides
//             (Dvorak & Savicky, section 3: a_j = below, b_j = above)
//   logistic  1 / (1 + exp(s - cut)); the steepness is in the coefficients
//             (Irsoy et al., equation 2, with w = -coefficients)
#pragma once

#include <cstdint>
#include <limits>
#include <memory>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "data/table.h"

namespace softwood {

enum class TermForm : uint8_t { value, level, square, product, asinh };

struct Term {
  TermForm form = TermForm::value;
  uint32_t feature = 0;
  uint32_t other =
      0;  // level: the level's code (1 when the row has it, else 0); product: 2nd feature
  double coefficient = 1;
  // Standard deviation of the term, without its coefficient, among the training rows that reach the
  // node: coefficient * spread is the term's effect. 0: not known. For reading only.
  double spread = 0;
  double centre = 0, scale = 1;  // asinh: the term is asinh((x - centre) / scale)
  bool operator==(const Term&) const = default;
};

enum class LinkForm : uint8_t { step, ramp, logistic };

struct Link {
  LinkForm form = LinkForm::step;
  double below = 0;  // ramp: width under the cut, >= 0
  double above = 0;  // ramp: width over the cut, >= 0
  bool operator==(const Link&) const = default;
};

struct ScoreGate {
  std::vector<Term> terms;  // at least one
  double cut = 0;
  Link link;
  bool operator==(const ScoreGate&) const = default;

  // One value term with coefficient 1 and a step: the plain threshold.
  bool is_threshold() const;
};

struct LevelsGate {
  uint32_t feature = 0;
  uint32_t children = 0;
  std::vector<int32_t> child_of_level;  // -1: level not seen by this node, treated as missing
  bool operator==(const LevelsGate&) const = default;
};

class GateKind;  // what a kind must answer: tree/gates/gate_kind.h

// A value that never changes: a gate is replaced, not altered, so that copies can share it.
class Gate {
 public:
  Gate() = default;  // no gate yet: good only for being assigned to
  // NOLINTBEGIN(google-explicit-constructor): descriptions of gates are gates.
  Gate(ScoreGate score);
  Gate(LevelsGate levels);
  // NOLINTEND(google-explicit-constructor)
  explicit Gate(std::shared_ptr<const GateKind> kind) : kind_(std::move(kind)) {}
  bool operator==(const Gate& other) const;

  const GateKind& kind() const { return *kind_; }

 private:
  std::shared_ptr<const GateKind> kind_;
};

ScoreGate threshold_gate(uint32_t feature, double cut);

// A cut that no value is above: "known or missing" as a threshold.
constexpr double above_all_values = std::numeric_limits<double>::max();

// The kind's name, as model files have it: "levels", "score".
std::string_view gate_kind(const Gate& gate);
uint32_t gate_children(const Gate& gate);
// Whether a row whose cells are known always goes to one child as a whole.
bool is_hard(const Gate& gate);

// The gate as a sum of terms compared with a cut; null for kinds that are none. It lasts as long as
// the gate.
const ScoreGate* linear_form(const Gate& gate);
// The gate as a child for each level of one feature; null for kinds that are none.
const LevelsGate* level_map(const Gate& gate);

// "value <= cut" and nothing more.
struct Threshold {
  uint32_t feature = 0;
  double cut = 0;
};
std::optional<Threshold> as_threshold(const Gate& gate);

// A threshold that is a step or a ramp, of no width where it is a step. "Known or missing" is not
// one: it has no value to be soft at.
struct RampForm {
  uint32_t feature = 0;
  double cut = 0;
  double below = 0, above = 0;
};
std::optional<RampForm> as_ramp(const Gate& gate);

// Copies that differ in one thing. The first two are for gates with a linear form.
Gate with_cut(const Gate& gate, double cut);
Gate with_spreads(const Gate& gate, std::span<const double> spreads);  // one for each term
Gate softened(const Gate& gate, double below, double above);  // as_ramp(gate) only: with a ramp
// With a step instead of a soft link. Throws a usage Error for a soft gate that has no hard form.
Gate hardened(const Gate& gate);

// The features a gate reads, each once, ascending.
std::vector<uint32_t> gate_features(const Gate& gate);
// Count of non-zero numbers that the gate holds.
size_t gate_parameters(const Gate& gate);

// Weight of child 0 for a score under a link.
double link_weight(const Link& link, double score, double cut);

// Weights of all children for each of `rows`, row after row: weights[i * children + c]. A row whose
// gate can't be computed because a cell is missing gets a first weight of NaN. One visit for a
// whole block of rows.
void gate_weights(const Gate& gate, const Table& table, std::span<const RowIndex> rows,
                  std::span<double> weights);

// The sum of the terms for each of `rows`, NaN where a cell is missing.
void gate_scores(const ScoreGate& gate, const Table& table, std::span<const RowIndex> rows,
                 std::span<double> scores);

// Weights for one row whose missing cells are replaced by the features' typical values (a number,
// or the code of a level). Still NaN when that does not help.
void typical_weights(const Gate& gate, const Table& table, RowIndex row,
                     std::span<const double> typical, std::span<double> weights);

// How much of a gate's effect is each feature's; the shares sum to 1. Terms share by |coefficient *
// spread|, evenly where no spread is known; a product counts half for each of its features.
struct FeatureShare {
  uint32_t feature = 0;
  double share = 0;
};
std::vector<FeatureShare> gate_shares(const Gate& gate);

// Throws a model Error when the gate does not fit the schema or holds a number that is not finite.
void check_gate(const Gate& gate, const Schema& schema);

}  // namespace softwood

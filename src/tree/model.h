// What is saved: schema, tree, where it came from.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "data/schema.h"
#include "tree/frontier.h"
#include "tree/tree.h"

namespace softwood {

// One row of the cost-complexity table, as rpart's printcp shows it. Errors are relative to the
// root's; xerror and xstd are NaN without cross-validation.
struct ComplexityRow {
  double cp = 0;
  size_t splits = 0;
  double error = 0;
  double xerror = no_note;
  double xstd = no_note;
};

struct ComplexityTable {
  std::vector<ComplexityRow> rows;
  size_t chosen = 0;      // the row that the pruned tree is
  double root_error = 0;  // risk of the root: errors or squared deviations
  double root_weight = 0;
};

// Between which values an input lay in the training rows; NaN: not known.
struct InputRange {
  double low = no_note, high = no_note;
};

struct Provenance {
  std::string method;  // empty when a recipe was given
  std::string recipe;
  uint64_t seed = 0;
  std::string version;      // of the program
  std::string fingerprint;  // of the training table; empty: not known (files of version 1)
  size_t rows = 0;          // training rows
  // By which the weights of the training rows were multiplied, by class; empty: nothing.
  std::vector<double> class_weights = {};
  // "budget" or "interrupt": a stage was stopped by the clock or by a signal where no setting would
  // stop it, so that the recipe does not give this tree again. Empty: it does.
  std::string stopped = {};
  // One per input, known for those that soft splits ask about: what a ramp does where there are
  // data can't be seen from its ends. Empty: none is known.
  std::vector<InputRange> ranges = {};
};

struct Model {
  Schema schema;
  Tree tree;
  Provenance provenance;
  std::optional<ComplexityTable> complexity;
  std::optional<Frontier> frontier = {};  // that the tree was chosen from
};

// The model file: JSON, deterministic, one line per node. Saving what was loaded gives the same
// bytes, and what is written can be loaded: throws a failure Error where it could not.
std::string model_to_text(const Model& model);
// Checks everything and throws a model Error (with `source` as the place) for what is not right.
Model model_from_text(const std::string& text, const std::string& source);

}  // namespace softwood

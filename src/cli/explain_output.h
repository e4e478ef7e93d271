// Explanations as text for people, CSV for all rows and JSON for scripts.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "data/table.h"
#include "render/json.h"
#include "render/text/reasons.h"

namespace softwood {

// All that is known of the rows that are explained.
struct Explained {
  const LoweredTree& tree;
  const Table& table;
  std::vector<RowIndex> rows;           // of the table
  Explanation explanation;              // of these
  std::vector<double> answers;          // rows x answer width
  std::vector<size_t> classes;          // that are answered; empty: regression
  std::vector<double> typical;          // of the inputs
  std::vector<Change> changes;          // empty: not asked for
  ChangeGoal goal;                      // of these
  std::optional<uint32_t> shown_class;  // whose probability is explained; none: the usual one

  size_t width() const { return tree.nodes[0].answer.size(); }
  std::vector<double> cells(size_t i) const;  // of the row
  // The explained output of row i that people are shown: of two classes the positive one, of more
  // the one that is answered.
  render::ExplainedRow shown(size_t i, std::span<const double> cells) const;
  std::string answer_text(size_t i) const;
};

// What the numbers are, in a line or two.
std::string explanation_heading(const Explained& explained);
std::string explained_row_text(const Explained& explained, size_t i, size_t top);
// A line per row, of more than two classes one per row and class.
std::string explanation_csv(const Explained& explained);
Json explanation_json(const Explained& explained, size_t top);

std::string partial_text(const LoweredTree& tree, const PartialDependence& partial);
std::string partial_csv(const LoweredTree& tree, const PartialDependence& partial);
Json partial_json(const LoweredTree& tree, const PartialDependence& partial);

}  // namespace softwood

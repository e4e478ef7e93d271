// Answers for rows that are put together: some inputs of the row that is explained, the others of
// background rows.
#pragma once

#include <vector>

#include "explain/quantity.h"

namespace softwood {

class Hybrids {
 public:
  // All must outlive it. `inputs`: those of the model that may differ.
  Hybrids(const Predictor& predictor, const Quantity& quantity, const Table& background,
          std::vector<uint32_t> inputs)
      : predictor_(predictor),
        quantity_(quantity),
        background_(background),
        inputs_(std::move(inputs)) {}

  const std::vector<uint32_t>& inputs() const { return inputs_; }
  const Table& background() const { return background_; }
  size_t outputs() const { return quantity_.outputs(); }

  // rows x outputs(): row r has the cell of `row` in `table` for the inputs at the positions p with
  // own(p, r), all others of background row from(r).
  template <class Own, class From>
  std::vector<double> answers(const Table& table, RowIndex row, size_t rows, const Own& own,
                              const From& from) const {
    std::vector<ColumnDraft> columns;
    for (size_t p = 0; p < inputs_.size(); ++p) {
      const Column& explained = table.input(inputs_[p]);
      const Column& other = background_.input(inputs_[p]);
      ColumnDraft& column = columns.emplace_back(explained.kind);
      for (size_t r = 0; r < rows; ++r) {
        const bool is_own = own(p, r);
        if (explained.kind == Kind::numeric) {
          column.numbers.push_back(is_own ? explained.numbers[row] : other.numbers[from(r)]);
        } else {
          column.codes.push_back(is_own ? explained.codes[row] : other.codes[from(r)]);
        }
      }
    }
    return answers_of(std::move(columns), rows);
  }

 private:
  std::vector<double> answers_of(std::vector<ColumnDraft> columns, size_t rows) const;

  const Predictor& predictor_;
  const Quantity& quantity_;
  const Table& background_;
  std::vector<uint32_t> inputs_;
};

// Exact Shapley values by all coalitions of the inputs (Shapley 1953); inputs() x outputs().
std::vector<double> enumerated_values(const Hybrids& hybrids, const Table& table, RowIndex row);
constexpr size_t most_enumerated_inputs = 12;

// Means over random orders of the inputs, each together with its reverse (antithetic sampling,
// Mitchell et al. 2022), the same number for every background row, so that they sum to the
// difference exactly.
struct SampledValues {
  std::vector<double> values, standard_errors;  // inputs() x outputs()
};
SampledValues sampled_values(const Hybrids& hybrids, const Table& table, RowIndex row,
                             uint64_t seed);

}  // namespace softwood

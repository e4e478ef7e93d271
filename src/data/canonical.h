// The same rows in an order that their content decides, so that no result depends on where a row
// stood: equal rows are merged, and their weights added.
#pragma once

#include <span>

#include "base/control.h"
#include "base/parallel.h"
#include "data/table.h"

namespace softwood {

// Of `rows`, those with weight (all, where none has any), in the order of content.h. With `parts`
// above 1 they are going to be divided into so many parts (folds): merged rows that weigh more than
// one row are dealt out again as several, so that copies and weights are divided alike and no part
// stays empty:
// - weights that are whole numbers count rows: one row for each, at most `parts`, and fewer where
//   the table would become several times longer than it has different rows;
// - of other weights those rows are dealt out that weigh more than one of `parts` equal parts.
Table canonical_table(const Table& table, std::span<const RowIndex> rows, size_t parts,
                      const Parallel& parallel, const Control& control = {});

// The weight of equal rows: does not depend on the order in which they came.
double weight_of_equal(std::vector<double>& weights);
// The most pieces that one row is dealt out as, where weights count rows: at_least[i] different
// rows weigh i or more, and the last entry counts for all from there on.
size_t most_pieces(const std::vector<uint64_t>& at_least, uint64_t rows);
// The weight of the `piece`-th of `count` pieces that a row is dealt out as. `whole`: weights stay
// whole numbers, the larger ones first.
double piece_weight(double weight, size_t count, size_t piece, bool whole);

// Whether dividing these rows, each of which weighs 1, and their canonical table is the same: no
// row occurs more often than it is dealt out there.
bool divides_as_canonical(const Table& table, std::span<const RowIndex> rows, size_t parts,
                          const Parallel& parallel, const Control& control = {});

}  // namespace softwood

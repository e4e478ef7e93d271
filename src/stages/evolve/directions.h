// split=oblique: weighted sums of few inputs that a tree may ask like inputs. Oblique trees are
// what Krętowski & Grześ 2005, section 4, name as the next step. They are found before the search,
// which then sees them as further columns and needs to know nothing else of them.
#pragma once

#include <span>
#include <vector>

#include "base/parallel.h"
#include "stages/evolve/coded.h"
#include "tree/tree.h"

namespace softwood::evolve {

// Its cut is not used.
using Directions = std::vector<ScoreGate>;

// At most `count` of them. Each begins with a dipole: two rows with different targets. Fisher's
// discriminant of their two classes (or the least squares fit of the number) among rows near to
// them, over some random inputs, is the direction. Which rows and inputs are drawn depends on the
// seed and on what rows there are, not on their order or on how weight is written down.
Directions find_directions(const Table& table, std::span<const RowIndex> rows,
                           const CodedRows& coded, size_t count, uint64_t seed,
                           const Parallel& parallel, const Control& control = {});

// The table with a column for each direction behind its inputs.
Table with_directions(const Table& table, const Directions& directions);
// The costs of all columns of that: a direction costs what its inputs cost together.
std::vector<double> costs_with_directions(std::vector<double> costs, const Directions& directions);
// Thresholds of those columns as the sums that they are: the tree is for the table without them.
void name_inputs(Tree& tree, size_t inputs, const Directions& directions);

}  // namespace softwood::evolve

// Which rows train, select and test in each run of a comparison.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "base/control.h"
#include "data/frame.h"
#include "data/table.h"

namespace softwood {

// One run: disjoint sets of rows. `validation` may be empty.
struct Run {
  std::vector<RowIndex> train, validation, test;
};

// The fold (0 … folds-1) of each of `rows`: every class is dealt out evenly (Kohavi 1995); for
// regression the rows are. Rows are dealt in the order of a seeded hash of their content, so the
// fold of a row does not depend on where it stands; copies go to folds one after the other.
std::vector<uint32_t> stratified_folds(const Table& table, std::span<const RowIndex> rows,
                                       size_t folds, uint64_t seed, const Control& control = {});
// What folds are dealt by: the key that the hash of a row's content is mixed with (mix64 of both
// together orders the rows of a class), and the folds in the order in which they get rows.
uint64_t fold_key(uint64_t seed);
std::vector<uint32_t> fold_order(size_t folds, uint64_t seed);
// For each of `rows` whether it belongs to a part that has this share of them (0 to 1), and, up to
// one row, of every class. Chosen by content, as folds are.
std::vector<char> stratified_part(const Table& table, std::span<const RowIndex> rows, double share,
                                  uint64_t seed, const Control& control = {});
// folds * repeats runs, repeat after repeat. Of a canonical table for so many parts they are the
// same for copies of a row and for its weight.
std::vector<Run> cross_validation_runs(const Table& table, size_t folds, size_t repeats,
                                       uint64_t seed);

struct FoldRuns {
  std::vector<Run> runs;
  size_t folds = 0, repeats = 0;
  bool fixed_test = false;  // 0 occurs: a fixed test part
};
// A folds file has a column for each repeat and a line for each row of the data. Where 0 occurs in
// a column, 0 is a fixed test part and each other number i gives one run: i validates, the rest
// trains (so halves 1 and 2 give two runs). Otherwise every number is the test part of one run.
// `kept_rows[i]` is the line (0-based) of the data file that row i of the table came from; empty
// when all were kept. `data_rows` is how many the file has (0: not known, so that surplus lines of
// folds are not noticed).
FoldRuns runs_from_file(const Frame& folds, const Table& table, std::span<const RowIndex> kept_rows,
                        size_t data_rows = 0);

}  // namespace softwood

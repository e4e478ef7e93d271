// What rows say, wherever they stand: the values of their inputs and of the target. Numbers count
// by their value (-0 is 0) and levels by their names, so that neither the order of rows nor that of
// levels matters; weights are left out.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "base/control.h"
#include "base/parallel.h"
#include "data/table.h"

namespace softwood {

// A 64-bit hash of the content of each of `rows`, the same on every machine.
std::vector<uint64_t> content_hashes(const Table& table, std::span<const RowIndex> rows,
                                     const Parallel& parallel = Parallel(),
                                     const Control& control = {});

// The part that these rows have in the fingerprint of their table. Parts are added by
// added_content.
uint64_t content_sum(const Table& table);
uint64_t added_content(uint64_t one, uint64_t other);
std::string fingerprint_of(const Schema& schema, uint64_t content);

// Positions in `rows` in the order of the hash of their content; the first of each group of equal
// rows has `new_value_mark` (sorted.h). Rows of different content that share a hash are ordered by
// content, so that the order of groups does not depend on positions.
std::vector<uint32_t> content_order(const Table& table, std::span<const RowIndex> rows,
                                    const Parallel& parallel = Parallel(),
                                    const Control& control = {});

// Positions in `rows` in an order that is random for each key, yet the same wherever a row stands.
std::vector<uint32_t> shuffled_by_content(const Table& table, std::span<const RowIndex> rows,
                                          uint64_t key, const Control& control = {});

}  // namespace softwood

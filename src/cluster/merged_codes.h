// Coded rows of which equal ones are one row with the sum of their weights: all that a search for a
// whole tree needs of rows that are elsewhere.
#pragma once

#include <vector>

#include "data/schema.h"
#include "engine/coded.h"
#include "tree/tree.h"

namespace softwood::cluster {

// Classes only, and weights that are whole numbers: their sums are exact in any order.
class MergedCodes {
 public:
  // Above so many different rows those with the lowest hashes are kept, each with all its weight.
  explicit MergedCodes(uint64_t most) : most_(most) {}
  MergedCodes() = default;

  void add(const CodedRows& rows);
  void merge(const MergedCodes& other);
  void write(ByteWriter& out) const;
  static MergedCodes read(ByteReader& in);

  bool are_all() const { return all_; }
  const CodedRows& rows() const { return rows_; }

 private:
  uint64_t most_ = 0;
  bool all_ = true;
  CodedRows rows_;  // by hash
};

// A table whose numbers are codes, and a tree that was grown from it with the cuts of the bins.
Table table_of_codes(const Schema& schema, const std::vector<FeatureBins>& bins,
                     const CodedRows& rows);
void set_cuts_of_bins(Tree& tree, const std::vector<FeatureBins>& bins);

}  // namespace softwood::cluster
